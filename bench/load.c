/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load: loads BPF objects and attaches all their programs, those for cgroups to the directory that is named first, those of
 * netfilter to the hook of IPv4 that their section names, in this namespace.
 * Input: load [-x PROGRAM]... CGROUP OBJECT...; -x: not that program. Maps of the same name are one map.
 * Output: the line "ready"; then it reads their ring buffers until the end of its input. An iterator runs once, before. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netfilter.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_OBJECTS 4
#define MAX_SKIPS 64
#define LOOK_MS 100 /* how often rings are read, as dwire does */
#define OF_NETFILTER "netfilter/"
/* Since Linux 6.4: headers may lack them, and libbpf. */
#define PROG_TYPE_NETFILTER 32
#define ATTACH_TYPE_NETFILTER 45

struct load {
	int cgroup;
	const char *skips[MAX_SKIPS];
	int nskips;
	struct bpf_object *objects[MAX_OBJECTS];
	int nobjects;
	struct ring_buffer *rings; /* NULL: there is none */
};

__attribute__((format(printf, 2, 0))) static int quiet(enum libbpf_print_level level, const char *fmt, va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, fmt, args) : 0;
}

/* Runs an iterator to its end; what it prints is not wanted. */
static int run_iterator(struct bpf_program *p)
{
	struct bpf_link *link = bpf_program__attach_iter(p, NULL);
	char buf[4096];
	int fd;

	if (!link)
		return -errno;
	fd = bpf_iter_create(bpf_link__fd(link));
	if (fd < 0)
		return -errno;
	while (read(fd, buf, sizeof(buf)) > 0)
		continue;
	close(fd);
	return bpf_link__destroy(link);
}

/* These are attached to a cgroup, at an explicit type: bpf_program__attach() cannot. */
static int is_of_cgroup(enum bpf_prog_type type)
{
	return type == BPF_PROG_TYPE_CGROUP_SKB || type == BPF_PROG_TYPE_CGROUP_SOCK || type == BPF_PROG_TYPE_CGROUP_SOCK_ADDR ||
		type == BPF_PROG_TYPE_SOCK_OPS;
}

static int is_of_netfilter(const struct bpf_program *p)
{
	return strncmp(bpf_program__section_name(p), OF_NETFILTER, strlen(OF_NETFILTER)) == 0;
}

/* -errno if it fails. The link stays until we end. */
static int attach_netfilter(struct bpf_program *p)
{
	static const char *const hooks[] = {"prerouting", "input", "forward", "output", "postrouting"};
	struct {
		uint32_t prog, target, type, flags, family, hook;
		int32_t priority;
		uint32_t netfilter_flags;
	} attr = {.prog = (uint32_t)bpf_program__fd(p), .type = ATTACH_TYPE_NETFILTER, .family = NFPROTO_IPV4, .priority = -1000};

	while (attr.hook < NF_INET_NUMHOOKS && strcmp(bpf_program__section_name(p) + strlen(OF_NETFILTER), hooks[attr.hook]))
		attr.hook++;
	return syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr)) < 0 ? -errno : 0;
}

/* 0 or -errno. */
static int attach(const struct load *l, struct bpf_program *p)
{
	enum bpf_attach_type type = bpf_program__expected_attach_type(p);
	LIBBPF_OPTS(bpf_link_create_opts, opts);
	int fd;

	if (type == BPF_TRACE_ITER)
		return run_iterator(p);
	if (is_of_netfilter(p))
		return attach_netfilter(p);
	if (is_of_cgroup(bpf_program__type(p))) {
		fd = bpf_link_create(bpf_program__fd(p), l->cgroup, type, &opts); /* the link stays until we end */
		return fd < 0 ? fd : 0;
	}
	return bpf_program__attach(p) ? 0 : -errno;
}

static int is_skipped(const struct load *l, const char *name)
{
	for (int i = 0; i < l->nskips; i++)
		if (strcmp(l->skips[i], name) == 0)
			return 1;
	return 0;
}

static int share_maps(const struct load *l, struct bpf_object *obj)
{
	struct bpf_map *m, *other;
	int err = 0;

	bpf_object__for_each_map(m, obj)
		for (int i = 0; i < l->nobjects && !err; i++) {
			other = bpf_object__find_map_by_name(l->objects[i], bpf_map__name(m));
			if (other && !bpf_map__is_internal(m))
				err = bpf_map__reuse_fd(m, bpf_map__fd(other));
		}
	return err;
}

static int drop_record(void *ctx, void *data, size_t len)
{
	(void)ctx;
	(void)data;
	(void)len;
	return 0;
}

static int open_rings(struct load *l, struct bpf_object *obj)
{
	struct bpf_map *m;
	int err = 0;

	bpf_object__for_each_map(m, obj)
		if (bpf_map__type(m) != BPF_MAP_TYPE_RINGBUF || err)
			continue;
		else if (l->rings)
			err = ring_buffer__add(l->rings, bpf_map__fd(m), drop_record, NULL);
		else if (!(l->rings = ring_buffer__new(bpf_map__fd(m), drop_record, NULL, NULL)))
			err = -errno;
	return err;
}

static int load_object(struct load *l, const char *path)
{
	struct bpf_object *obj = bpf_object__open(path);
	struct bpf_program *p;
	int err;

	if (!obj || l->nobjects == MAX_OBJECTS)
		return -EINVAL;
	err = share_maps(l, obj);
	bpf_object__for_each_program(p, obj) {
		if (!err)
			err = bpf_program__set_autoload(p, !is_skipped(l, bpf_program__name(p)));
		if (is_of_netfilter(p)) {
			bpf_program__set_type(p, PROG_TYPE_NETFILTER);
			bpf_program__set_expected_attach_type(p, ATTACH_TYPE_NETFILTER);
		}
	}
	if (!err)
		err = bpf_object__load(obj);
	bpf_object__for_each_program(p, obj)
		if (!err && bpf_program__autoload(p) && (err = attach(l, p)) < 0)
			fprintf(stderr, "load: cannot attach %s: %s\n", bpf_program__name(p), strerror(-err));
	l->objects[l->nobjects++] = obj;
	return err ? err : open_rings(l, obj);
}

int main(int argc, char **argv)
{
	struct load l = {.cgroup = -1};
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	int opt, err = 0;
	char c;

	while ((opt = getopt(argc, argv, "+x:")) == 'x')
		if (l.nskips < MAX_SKIPS)
			l.skips[l.nskips++] = optarg;
	if (opt != -1 || argc - optind < 2) {
		fprintf(stderr, "usage: load [-x PROGRAM]... CGROUP OBJECT...\n");
		return 2;
	}
	libbpf_set_print(quiet);
	l.cgroup = open(argv[optind], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l.cgroup < 0) {
		perror(argv[optind]);
		return 1;
	}
	for (int i = optind + 1; i < argc && !err; i++) {
		err = load_object(&l, argv[i]);
		if (err)
			fprintf(stderr, "load: %s: %s\n", argv[i], strerror(-err));
	}
	if (err)
		return 1;
	printf("ready\n");
	fflush(stdout);
	for (;;) {
		if (poll(&input, 1, l.rings ? LOOK_MS : -1) > 0 && read(STDIN_FILENO, &c, 1) <= 0)
			return 0;
		if (l.rings)
			ring_buffer__consume(l.rings);
	}
}
