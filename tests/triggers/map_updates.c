/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes a BPF hash by system calls, all the time, until it is killed or its time is over (-t).  During such a call
 * the kernel runs no program at a kprobe on that CPU.  Output: updates.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -n UPDATES  (default: no end)\nPrints: updates.\n";

static long update(int map, uint32_t key)
{
	static const char value[4096];
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.map_fd = (uint32_t)map;
	a.key = (uintptr_t)&key;
	a.value = (uintptr_t)value;
	return syscall(SYS_bpf, BPF_MAP_UPDATE_ELEM, &a, sizeof(a));
}

int main(int argc, char **argv)
{
	unsigned int updates = 0, done = 0;
	union bpf_attr a;
	struct trig t;
	int c, map;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "n:")) != -1)
		if (!trig_option(&t, c, optarg))
			updates = (unsigned int)trig_number(optarg, 1, 100000000);
	trig_start(&t);
	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_HASH;
	a.key_size = 4;
	a.value_size = 4096;
	a.max_entries = 4096;
	map = (int)syscall(SYS_bpf, BPF_MAP_CREATE, &a, sizeof(a));
	if (map < 0) {
		fprintf(stderr, "%s: BPF_MAP_CREATE: %s\n", t.name, strerror(errno));
		return 1;
	}
	while (!updates || done < updates) {
		if (update(map, done % 4096)) {
			fprintf(stderr, "%s: BPF_MAP_UPDATE_ELEM: %s\n", t.name, strerror(errno));
			return 1;
		}
		done++;
	}
	trig_kv("updates", "%u", done);
	return 0;
}
