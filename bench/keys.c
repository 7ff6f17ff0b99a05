/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys: what a new key and a further event of a key cost in each kind of map that an aggregation could be.
 * Input: keys OBJECT KEYBYTES VALUEBYTES. Output, for each kind: its name; ns of a new key and of a further event,
 * wall time of this thread with all that the kernel does for it there; keys that were lost; ns to create the map; bytes
 * of it as the kernel counts them. Half of the map is filled, once. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ENTRIES 65536u
#define KEYS 32768u
#define RUN 64u /* of keys.bpf.c */

struct kind {
	const char *name;
	enum bpf_map_type type;
	unsigned flags;
};

static const struct kind kinds[] = {
	{ "percpu", BPF_MAP_TYPE_PERCPU_HASH, BPF_F_NO_PREALLOC },
	{ "percpu-ready", BPF_MAP_TYPE_PERCPU_HASH, 0 },
	{ "hash", BPF_MAP_TYPE_HASH, BPF_F_NO_PREALLOC },
	{ "hash-ready", BPF_MAP_TYPE_HASH, 0 },
};

static double now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* CPU ns of this thread for each of n events, whose keys are step apart. */
static double events(int prog, unsigned n, unsigned step)
{
	double start = now(CLOCK_THREAD_CPUTIME_ID);

	for (unsigned i = 0; i < n; i += RUN) {
		unsigned long long args[2] = { (unsigned long long)i * step, step };
		LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = args, .ctx_size_in = sizeof(args));

		if (bpf_prog_test_run_opts(prog, &opts))
			exit(1);
	}
	return (now(CLOCK_THREAD_CPUTIME_ID) - start) / n;
}

static unsigned long long memory(int map)
{
	char path[64], line[128];
	unsigned long long bytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", map);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "memlock: %llu", &bytes);
	if (f)
		fclose(f);
	return bytes;
}

static unsigned count_keys(int map)
{
	unsigned char key[128], next[128];
	unsigned n = 0;

	for (int err = bpf_map_get_next_key(map, NULL, next); !err; n++) {
		memcpy(key, next, sizeof(key));
		err = bpf_map_get_next_key(map, key, next);
	}
	return n;
}

static int measure(const char *path, const struct kind *k, unsigned key, unsigned value)
{
	struct bpf_object *o = bpf_object__open(path);
	struct bpf_map *m = o ? bpf_object__find_map_by_name(o, "sums") : NULL;
	double create, born, again;
	int prog;

	if (!m || bpf_map__set_type(m, k->type) || bpf_map__set_map_flags(m, k->flags) || bpf_map__set_key_size(m, key) ||
		bpf_map__set_value_size(m, value) || bpf_map__set_max_entries(m, ENTRIES))
		return -1;
	create = now(CLOCK_MONOTONIC);
	if (bpf_object__load(o))
		return -1;
	create = now(CLOCK_MONOTONIC) - create;
	prog = bpf_program__fd(bpf_object__next_program(o, NULL));
	born = events(prog, KEYS, 1);
	again = events(prog, KEYS, 0);
	printf("%s %.1f %.1f %u %.0f %llu\n", k->name, born, again, KEYS - count_keys(bpf_map__fd(m)), create,
		memory(bpf_map__fd(m)));
	bpf_object__close(o);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (measure(argv[1], &kinds[i], (unsigned)atoi(argv[2]), (unsigned)atoi(argv[3])))
			return 1;
	return 0;
}
