/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_load: load, attach, tick, child and zone on a running kernel, with an image made by hand.
 * The numbers are checked against what the test itself did: packets it sent, processes it forked. Needs root. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "attach/attach.h"
#include "attach/tick.h"
#include "handmade.h"
#include "kernel/features.h"
#include "load/load.h"
#include "namespaces/zone.h"
#include "process/child.h"
#include "why.h"

enum { M_RINGS, M_COUNT, M_GLOBALS, M_TICKS, M_DROPS, NMAPS };
enum { C_FORK, C_EGRESS, C_SLOTS };

/* A record {dw_rec, u64 first argument} in this CPU's ring. Map references at 5. */
static struct bpf_insn record_insns[] = {
	LDX(BPF_DW, 7, 1, 0),
	CALL(BPF_FUNC_get_smp_processor_id),
	STX(BPF_W, 10, 0, -4),
	MOVR(2, 10),
	ADDI(2, -4),
	LDMAP(1),
	CALL(BPF_FUNC_map_lookup_elem),
	JEQI(0, 0, 16),
	MOVR(1, 0),
	MOVI(2, 24),
	MOVI(3, 0),
	CALL(BPF_FUNC_ringbuf_reserve),
	JEQI(0, 0, 11),
	MOVR(6, 0),
	CALL(BPF_FUNC_ktime_get_ns),
	STX(BPF_DW, 6, 0, 0),
	STI(BPF_W, 6, 8, 1),
	STI(BPF_W, 6, 12, 24),
	STX(BPF_DW, 6, 7, 16),
	MOVR(1, 6),
	MOVI(2, BPF_RB_FORCE_WAKEUP),
	CALL(BPF_FUNC_ringbuf_submit),
	MOVI(0, 0),
	EXIT(),
	MOVI(0, 0),
	EXIT(),
};

/* Adds one to slot imm of the counters; the value returned is 1. Map reference at 3. */
#define COUNT_INSNS(slot)                                                                                          \
	{                                                                                                          \
		STI(BPF_W, 10, -4, slot), MOVR(2, 10), ADDI(2, -4), LDMAP(1), CALL(BPF_FUNC_map_lookup_elem),      \
			JEQI(0, 0, 3), LDX(BPF_DW, 1, 0, 0), ADDI(1, 1), STX(BPF_DW, 0, 1, 0), MOVI(0, 1), EXIT(), \
	}
static struct bpf_insn fork_insns[] = COUNT_INSNS(C_FORK);
static struct bpf_insn egress_insns[] = COUNT_INSNS(C_EGRESS);
/* Writes its first argument into the global at 8. Reference by value at 1. */
static struct bpf_insn global_insns[] = {
	LDX(BPF_DW, 7, 1, 0),
	INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_VALUE, 0, 0),
	INSN(0, 0, 0, 0, 8),
	STX(BPF_DW, 1, 7, 0),
	MOVI(0, 0),
	EXIT(),
};
/* Reads a register that nobody wrote, at 2. */
static struct bpf_insn bad_insns[] = { MOVI(0, 0), MOVR(6, 1), LDX(BPF_DW, 0, 3, 0), EXIT() };

static struct image_map image_maps[NMAPS] = {
	[M_RINGS] = { .role = MAP_RINGS, .name = "dwt_rings" },
	[M_COUNT] = { .role = MAP_AGG,
		.name = "dwt:count",
		.type = BPF_MAP_TYPE_PERCPU_ARRAY,
		.key_size = 4,
		.value_size = 8,
		.max_entries = C_SLOTS },
	[M_GLOBALS] = { .role = MAP_GLOBALS,
		.name = "dwt_globals",
		.type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = 16,
		.max_entries = 1 },
	[M_TICKS] = { .role = MAP_TICKS,
		.name = "dwt_ticks",
		.type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = sizeof(struct dw_tick),
		.max_entries = 1 },
	[M_DROPS] = { .role = MAP_DROPS, .name = "dwt_drops" },
};
static struct code_mapref ref_record[] = { { .insn = 5, .map = M_RINGS } };
static struct code_mapref ref_count[] = { { .insn = 3, .map = M_COUNT } };
static struct code_mapref ref_global[] = { { .insn = 1, .map = M_GLOBALS, .kind = CODE_VALUE } };

enum { P_BEGIN, P_ERROR, P_TICK, P_FORK, P_EGRESS, P_PROFILE, NPROBES };
static struct image_probe probes[NPROBES] = {
	[P_BEGIN] = { .prov = "dtrace", .mod = "", .func = "", .name = "BEGIN" },
	[P_ERROR] = { .prov = "dtrace", .mod = "", .func = "", .name = "ERROR" },
	[P_TICK] = { .prov = "profile", .mod = "", .func = "", .name = "tick-50ms" },
	[P_FORK] = { .prov = "proc", .mod = "", .func = "", .name = "fork" },
	[P_EGRESS] = { .prov = "ip", .mod = "", .func = "", .name = "send" },
	[P_PROFILE] = { .prov = "profile", .mod = "", .func = "", .name = "profile-101" },
};

static uint32_t tracepoint_id(const char *name)
{
	int id = libbpf_find_vmlinux_btf_id(name, BPF_TRACE_RAW_TP);

	return id > 0 ? (uint32_t)id : 0;
}

/* The image that most tests use; progs has room for NPROBES. */
static void make_image(struct image *img, struct image_prog *progs)
{
	memset(img, 0, sizeof(*img));
	progs[P_BEGIN] = (struct image_prog){ .attach = ATTACH_TEST_RUN,
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.name = "dwt_begin",
		.probe = P_BEGIN,
		.code = CODE(record_insns, ref_record) };
	progs[P_ERROR] = (struct image_prog){ .attach = ATTACH_TEST_RUN,
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.name = "dwt_error",
		.probe = P_ERROR,
		.code = CODE(global_insns, ref_global) };
	progs[P_TICK] = (struct image_prog){ .attach = ATTACH_TEST_RUN,
		.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
		.name = "dwt_tick",
		.probe = P_TICK,
		.period_ns = 50000000,
		.tick = 1,
		.code = CODE(record_insns, ref_record) };
	progs[P_FORK] = (struct image_prog){ .attach = ATTACH_TP_BTF,
		.target = "sched_process_fork",
		.prog_type = BPF_PROG_TYPE_TRACING,
		.expected_attach_type = BPF_TRACE_RAW_TP,
		.attach_btf_id = tracepoint_id("sched_process_fork"),
		.name = "dwt_fork",
		.probe = P_FORK,
		.code = CODE(fork_insns, ref_count) };
	progs[P_EGRESS] = (struct image_prog){ .attach = ATTACH_CGROUP_EGRESS,
		.prog_type = BPF_PROG_TYPE_CGROUP_SKB,
		.expected_attach_type = BPF_CGROUP_INET_EGRESS,
		.name = "dwt_egress",
		.probe = P_EGRESS,
		.code = CODE(egress_insns, ref_count) };
	img->maps.v = image_maps;
	img->maps.n = NMAPS;
	img->progs.v = progs;
	img->progs.n = P_EGRESS + 1;
	img->probes.v = probes;
	img->probes.n = NPROBES;
}

/* ---- what comes out ---------------------------------------------------------------------------------------------- */

struct got {
	size_t n;
	uint64_t last_arg;
};

static int on_record(void *ctx, void *data, size_t size)
{
	struct got *g = ctx;
	const struct dw_rec *r = data;

	CHECK(size == 24 && r->len == 24 && r->epid == 1, "size %zu len %u epid %u", size, r->len, r->epid);
	g->n++;
	memcpy(&g->last_arg, (const char *)data + sizeof(*r), sizeof(g->last_arg));
	return 0;
}

static struct ring_buffer *open_rings(const struct loaded *l, struct got *g)
{
	struct ring_buffer *rb = ring_buffer__new(l->rings[0], on_record, g, NULL);

	for (size_t i = 1; rb && i < l->nrings; i++)
		CHECK(ring_buffer__add(rb, l->rings[i], on_record, g) == 0, "ring %zu", i);
	return rb;
}

static uint64_t counter(const struct loaded *l, struct features *f, uint32_t slot)
{
	uint64_t *v = calloc(features_cpus(f), sizeof(*v)), sum = 0;

	CHECK(bpf_map_lookup_elem(l->maps[M_COUNT], &slot, v) == 0, "counter %u", slot);
	for (unsigned i = 0; i < features_cpus(f); i++)
		sum += v[i];
	free(v);
	return sum;
}

static void send_packets(unsigned n)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9), .sin_addr = { htonl(INADDR_LOOPBACK) } };

	for (unsigned i = 0; i < n; i++) {
		/* A new socket each time: a refused datagram's error would make the next send fail. */
		int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

		CHECK(sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)) == 1, "sendto: %s", strerror(errno));
		close(fd);
	}
}

static void fork_processes(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
}

/* Moves this thread to a CPU. */
static bool on_cpu(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

static void test_records(const struct loaded *l, struct features *f)
{
	uint64_t args[5] = { 0x1122334455667788u, 2, 3, 4, 5 }, value[2] = { 0 };
	struct got g = { 0 };
	struct ring_buffer *rb = open_rings(l, &g);
	uint32_t zero = 0;
	size_t online = 0;
	cpu_set_t all;

	CHECK(rb != NULL, "no ring buffer");
	CHECK(tick_fire(l, "BEGIN", args, 5) == 1, "BEGIN");
	ring_buffer__consume(rb);
	CHECK(g.n == 1 && g.last_arg == args[0], "%zu records, argument %llx", g.n, (unsigned long long)g.last_arg);
	CHECK(!sched_getaffinity(0, sizeof(all), &all), "affinity");
	for (unsigned cpu = 0; cpu < features_cpus(f); cpu++) {
		if (!features_cpu_online(f, cpu))
			continue;
		args[0] = 1000 + cpu;
		CHECK(on_cpu(cpu) && tick_fire(l, "BEGIN", args, 1) == 1, "run on CPU %u", cpu);
		ring_buffer__consume(rb);
		CHECK(g.last_arg == 1000 + cpu, "CPU %u: %llu", cpu, (unsigned long long)g.last_arg);
		online++;
	}
	CHECK(!sched_setaffinity(0, sizeof(all), &all), "affinity");
	CHECK(g.n == 1 + online && l->nrings == online, "%zu records, %zu rings, %zu CPUs", g.n, l->nrings, online);
	args[0] = 77;
	CHECK(tick_fire(l, "ERROR", args, 5) == 1, "ERROR");
	CHECK(tick_fire(l, "END", NULL, 0) == 0, "END");
	CHECK(bpf_map_lookup_elem(l->maps[M_GLOBALS], &zero, value) == 0 && value[1] == 77 && value[0] == 0,
		"globals %llu %llu", (unsigned long long)value[0], (unsigned long long)value[1]);
	CHECK(tick_fire(l, "BEGIN", args, 13) == -E2BIG, "13 arguments");
	ring_buffer__free(rb);
}

/* This image has only the program that is run by hand. */
static void test_ticks(const struct loaded *l, struct features *f)
{
	struct got g = { 0 };
	struct ring_buffer *rb = open_rings(l, &g);
	struct ticks *t = NULL;
	struct pollfd p = { .events = POLLIN };
	struct timespec start, now;
	struct why why = WHY_INIT(why);
	uint64_t missed;

	clock_gettime(CLOCK_MONOTONIC, &start);
	CHECK(tick_start(l, f, -1, &t, &why.to) == 0 && t, "%s", why.text);
	p.fd = tick_fd(t);
	CHECK(poll(&p, 1, 1000) == 1, "no tick");
	clock_gettime(CLOCK_MONOTONIC, &now);
	CHECK((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec >= 50000000,
		"fired before its period was over");
	for (int i = 0; i < 3; i++) {
		CHECK(poll(&p, 1, 1000) == 1, "tick %d", i);
		CHECK(tick_expired(t) == 0, "tick %d", i);
	}
	ring_buffer__consume(rb);
	missed = tick_missed(t);
	CHECK(g.n == 3, "%zu ticks, %llu missed", g.n, (unsigned long long)missed);
	pause_ms(220); /* late by at least four periods: one run, the others counted */
	CHECK(poll(&p, 1, 0) == 1 && tick_expired(t) == 0, "late tick");
	ring_buffer__consume(rb);
	CHECK(g.n == 4 && tick_missed(t) >= missed + 3, "%zu ticks, %llu missed", g.n,
		(unsigned long long)tick_missed(t));
	tick_free(t);
	ring_buffer__free(rb);
}

static void test_attached(struct loaded *l, struct features *f)
{
	struct attached *a = NULL;
	struct why why = WHY_INIT(why);
	uint64_t sent, forked;

	send_packets(10);
	CHECK(counter(l, f, C_EGRESS) == 0, "counted before it was attached");
	CHECK(attach_all(l, f, NULL, &a, &why.to) == 0, "%s", why.text);
	if (!a)
		return;
	send_packets(100);
	fork_processes(20);
	attach_detach(a, true);
	/* Each datagram to a closed port makes the port-unreachable answer too, which the hook may count; others on the
	 * machine may send. So: at least ours, and nothing once detached. */
	sent = counter(l, f, C_EGRESS);
	forked = counter(l, f, C_FORK);
	CHECK(sent >= 100, "%llu packets of 100", (unsigned long long)sent);
	CHECK(forked >= 20, "%llu forks of 20", (unsigned long long)forked);
	send_packets(50);
	fork_processes(5);
	CHECK(counter(l, f, C_EGRESS) == sent && counter(l, f, C_FORK) == forked, "counted after detaching");
	CHECK(load_missed(l, P_FORK) == 0, "%llu missed", (unsigned long long)load_missed(l, P_FORK));
	attach_detach(a, true);
	attach_free(a);
}

static void test_image(struct features *f)
{
	struct image_prog progs[NPROBES];
	struct image img;
	struct load_config c = { .image = &img, .features = f, .bufsize = 100000, .owner = OWNER_MAPS_NONE };
	struct loaded *l = NULL;
	struct why why = WHY_INIT(why);

	make_image(&img, progs);
	CHECK(load_image(&c, &l, &why.to) == 0, "%s", why.text);
	if (!l)
		return;
	CHECK(l->ring_size == 131072, "a ring of %u bytes", l->ring_size);
	CHECK(record_insns[5].imm == 0, "the image was changed");
	test_records(l, f);
	test_ticks(l, f);
	test_attached(l, f);
	load_free(l);
}

/* profile: on this CPU, which is kept busy, it must fire. */
static void test_profile(struct features *f)
{
	struct image_prog progs[NPROBES];
	struct image img;
	struct load_config c = { .image = &img, .features = f, .bufsize = 4096, .owner = OWNER_MAPS_NONE };
	struct loaded *l = NULL;
	struct attached *a = NULL;
	struct timespec start, now;
	struct why why = WHY_INIT(why);
	uint64_t fired, due;

	make_image(&img, progs);
	progs[0] = (struct image_prog){ .attach = ATTACH_PERF,
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.period_ns = 2000000,
		.name = "dwt_profile",
		.probe = P_PROFILE,
		.code = CODE(fork_insns, ref_count) };
	img.progs.n = 1;
	CHECK(load_image(&c, &l, &why.to) == 0, "%s", why.text);
	CHECK(l && attach_all(l, f, NULL, &a, &why.to) == 0, "%s", why.text);
	if (a) {
		CHECK(attach_start(a, &why.to) == 0, "%s", why.text);
		clock_gettime(CLOCK_MONOTONIC, &start);
		do
			clock_gettime(CLOCK_MONOTONIC, &now);
		while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < 200);
		attach_detach(a, true);
		fired = counter(l, f, C_FORK);
		due = 100 * l->nrings; /* 200 ms at 2 ms, each CPU */
		CHECK(fired >= 30, "%llu samples", (unsigned long long)fired);
		CHECK(fired + attach_missed(a) >= due - 2 * l->nrings, "%llu samples and %llu missed of %llu",
			(unsigned long long)fired, (unsigned long long)attach_missed(a), (unsigned long long)due);
	}
	attach_free(a);
	load_free(l);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void test_refused(struct features *f)
{
	static const char text[] = "ip:::send\n{\n\ttrace(*(long *)3);\n}\n";
	struct source src = { .name = "bad.d", .text = text, .len = sizeof(text) - 1 };
	struct code_line lines[] = { { .insn = 0, .loc = { .src = &src, .off = 0, .len = 9 } },
		{ .insn = 2, .loc = { .src = &src, .off = 19, .len = 10 } } };
	struct image_prog progs[NPROBES];
	struct image img;
	struct load_config c = { .image = &img, .features = f, .bufsize = 4096, .owner = OWNER_MAPS_NONE };
	struct loaded *l = NULL;
	struct why why = WHY_INIT(why);
	int err;

	make_image(&img, progs);
	progs[P_EGRESS].code = CODE(bad_insns, NULL);
	progs[P_EGRESS].code.lines.v = lines;
	progs[P_EGRESS].code.lines.n = ROWS(lines);
	err = load_image(&c, &l, &why.to);
	CHECK(err == -EACCES && !l, "%d", err);
	CHECK(strncmp(why.text, "bad.d:3:8: ", 11) == 0, "%s", why.text);
	CHECK(strstr(why.text, "ip:::send") != NULL, "%s", why.text);
	CHECK(strstr(why.text, "trace(*(long *)3);") != NULL, "%s", why.text);
	CHECK(strstr(why.text, "R3 !read_ok") != NULL, "%s", why.text);
	/* A map that no kernel makes. */
	make_image(&img, progs);
	img.maps.n = 0;
	CHECK(load_image(&c, &l, &why.to) == -EINVAL && strstr(why.text, "dwt_begin"), "%s", why.text);
	make_image(&img, progs);
	image_maps[M_COUNT].key_size = 5;
	CHECK(load_image(&c, &l, &why.to) == -EINVAL && strstr(why.text, "dwt:count"), "%s", why.text);
	image_maps[M_COUNT].key_size = 4;
	progs[P_FORK].attach_btf_id = 1;
	CHECK(load_image(&c, &l, &why.to) < 0 && strstr(why.text, "proc:::fork"), "%s", why.text);
}

/* Without capabilities the message names the missing ones. */
static void test_unprivileged(void)
{
	pid_t pid = fork();
	int status = 1;

	if (pid == 0) {
		struct features *f;
		struct why why = WHY_INIT(why);
		int err;

		if (setgid(65534) < 0 || setuid(65534) < 0)
			_exit(2);
		f = features_new();
		err = features_require(f, &why.to);
		features_free(f);
		_exit(err == -EPERM && strstr(why.text, "CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN") ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	CHECK(status == 0, "status %x", (unsigned)status);
}

/* ---- kill -9 ----------------------------------------------------------------------------------------------------- */

/* The name of the programs that are looked for: others on the machine may load some at the same time. */
static char kill_name[16];

static bool ours(int prog_fd)
{
	struct bpf_prog_info info;
	uint32_t len = sizeof(info);

	memset(&info, 0, sizeof(info));
	return bpf_obj_get_info_by_fd(prog_fd, &info, &len) == 0 && strcmp(info.name, kill_name) == 0;
}

static unsigned count_programs(void)
{
	uint32_t id = 0;
	unsigned n = 0;

	while (bpf_prog_get_next_id(id, &id) == 0) {
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			continue;
		n += ours(fd);
		close(fd);
	}
	return n;
}

static unsigned count_links(void)
{
	uint32_t id = 0;
	unsigned n = 0;

	while (bpf_link_get_next_id(id, &id) == 0) {
		struct bpf_link_info info;
		uint32_t len = sizeof(info);
		int link = bpf_link_get_fd_by_id(id), prog = -1;

		memset(&info, 0, sizeof(info));
		if (link >= 0 && bpf_obj_get_info_by_fd(link, &info, &len) == 0)
			prog = bpf_prog_get_fd_by_id(info.prog_id);
		n += prog >= 0 && ours(prog);
		if (prog >= 0)
			close(prog);
		if (link >= 0)
			close(link);
	}
	return n;
}

static void test_killed(struct features *f)
{
	unsigned tries;
	int ready[2];
	char byte = 0;
	pid_t pid;

	snprintf(kill_name, sizeof(kill_name), "dwt_%x", (unsigned)getpid());
	CHECK(pipe2(ready, O_CLOEXEC) == 0, "pipe");
	pid = fork();
	if (pid == 0) {
		struct image_prog progs[NPROBES];
		struct image img;
		struct load_config c = { .image = &img, .features = f, .owner = OWNER_MAPS_NONE };
		struct loaded *l = NULL;
		struct attached *a = NULL;
		struct why why = WHY_INIT(why);

		make_image(&img, progs);
		for (size_t i = 0; i < img.progs.n; i++)
			progs[i].name = kill_name;
		if (load_image(&c, &l, &why.to) || attach_all(l, f, NULL, &a, &why.to) || write(ready[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	CHECK(read(ready[0], &byte, 1) == 1, "the child failed");
	close(ready[0]);
	CHECK(count_programs() == 5 && count_links() == 2, "%u programs, %u links", count_programs(), count_links());
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (tries = 0; tries < 200 && (count_programs() || count_links()); tries++)
		pause_ms(10);
	CHECK(count_programs() == 0 && count_links() == 0, "%u programs, %u links", count_programs(), count_links());
}

/* ---- child ------------------------------------------------------------------------------------------------------- */

static bool ended(const struct child *c, int ms)
{
	struct pollfd p = { .fd = child_fd(c), .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

static void test_child_start(void)
{
	struct child *c = NULL;
	struct why why = WHY_INIT(why);
	char path[] = "/tmp/dwt_childXXXXXX", cmd[128], text[64] = "", expect[64];
	int fd = mkostemp(path, O_CLOEXEC);

	/* Quotes hold words together; nothing runs before child_go(). */
	snprintf(cmd, sizeof(cmd), "  sh -c 'echo \"$0,$1\" > %s' \"a  b\" c\\ d ", path);
	CHECK(child_start(cmd, &c, &why.to) == 0, "%s", why.text);
	CHECK(!ended(c, 50) && read(fd, text, sizeof(text)) == 0, "it ran before its time");
	CHECK(child_go(c, &why.to) == 0, "%s", why.text);
	CHECK(ended(c, 2000), "still running");
	CHECK(pread(fd, text, sizeof(text) - 1, 0) > 0 && strcmp(text, "a  b,c d\n") == 0, "%s", text);
	child_describe_end(c, text, sizeof(text));
	snprintf(expect, sizeof(expect), "pid %d has exited", (int)child_pid(c));
	CHECK(strcmp(text, expect) == 0, "%s", text);
	child_free(c);
	close(fd);
	unlink(path);
}

static void test_child_ends(void)
{
	struct child *c = NULL;
	struct why why = WHY_INIT(why);
	pid_t pid;

	CHECK(child_start("/nonexistent/program x", &c, &why.to) == -ENOENT && !c &&
			strstr(why.text, "/nonexistent/program"),
		"%s", why.text);
	CHECK(child_start("sh -c 'unclosed", &c, &why.to) == -EINVAL && !c, "%s", why.text);
	CHECK(child_start("  ", &c, &why.to) == -ENOENT && !c, "%s", why.text);
	/* One that still runs is terminated. */
	CHECK(child_start("sleep 30", &c, &why.to) == 0 && child_go(c, &why.to) == 0, "%s", why.text);
	pid = child_pid(c);
	child_free(c);
	CHECK(kill(pid, 0) < 0 && errno == ESRCH, "pid %d is still there", (int)pid);
	/* A grabbed one goes on. */
	pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	CHECK(child_grab(pid, &c, &why.to) == 0 && child_pid(c) == pid && !ended(c, 0), "%s", why.text);
	child_free(c);
	CHECK(kill(pid, 0) == 0, "a grabbed process was killed");
	CHECK(child_grab(pid, &c, &why.to) == 0, "%s", why.text);
	kill(pid, SIGKILL);
	CHECK(ended(c, 2000), "its end was not seen");
	waitpid(pid, NULL, 0);
	child_free(c);
	CHECK(child_grab(pid, &c, &why.to) == -ESRCH && !c, "%s", why.text);
}

/* ---- features, zones --------------------------------------------------------------------------------------------- */

/* In a mount namespace of its own without any cgroup2: a detached mount takes its place and leaves nothing. */
static void test_detached_cgroup(void)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0) {
		struct features *f = features_new();
		struct why why = WHY_INIT(why);
		int fd;

		if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
			(umount2("/sys/fs/cgroup/unified", MNT_DETACH) < 0 &&
				umount2("/sys/fs/cgroup", MNT_DETACH) < 0))
			_exit(77);
		fd = features_cgroup2(f, &why.to);
		if (fd < 0)
			printf("%s\n", why.text);
		_exit(fd >= 0 && features_cgroup2_whole(f) && faccessat(fd, "cgroup.procs", R_OK, 0) == 0 ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	CHECK(status == 0 || WEXITSTATUS(status) == 77, "status %x", (unsigned)status);
}

static void test_features(struct features *f)
{
	struct why why = WHY_INIT(why);
	int fd = features_cgroup2(f, &why.to);
	struct timespec t;
	int64_t off = features_walltime_offset();

	CHECK(features_require(f, &why.to) == 0, "%s", why.text);
	CHECK(fd >= 0 && features_cgroup2(f, &why.to) == fd, "%s", why.text);
	CHECK(features_cpus(f) == (unsigned)libbpf_num_possible_cpus(), "%u CPUs", features_cpus(f));
	CHECK(features_cpu_online(f, (unsigned)sched_getcpu()), "this CPU is not online");
	CHECK(!features_cpu_online(f, features_cpus(f)), "a CPU too many");
	clock_gettime(CLOCK_REALTIME, &t);
	off -= (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	clock_gettime(CLOCK_MONOTONIC, &t);
	off += (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	CHECK(off > -50000000 && off < 50000000, "wall clock off by %lld ns", (long long)off);
	test_detached_cgroup();
}

static uint32_t netns_of(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 ? (uint32_t)s.st_ino : 0;
}

static void test_zones(struct features *f)
{
	struct zones *z = zone_new(features_global_netns(f));
	uint32_t inner = 0;
	int ready[2];
	char text[32];
	pid_t pid;

	CHECK(strcmp(zone_name(z, features_global_netns(f)), "global") == 0, "global");
	CHECK(strcmp(zone_name(z, 12345), "12345") == 0, "%s", zone_name(z, 12345));
	CHECK(zone_dull("4026532316", 10, 6) == 4 && zone_dull("4026532316", 10, 10) == 0, "a number's end");
	CHECK(zone_dull("netns-6ba7b810-9dad", 19, 6) == 6 && zone_dull("cni-6ba7b810-9dad", 17, 6) == 4, "made names");
	CHECK(zone_dull("frontend", 8, 6) == 0 && zone_dull("6ba7b8109dad", 12, 6) == 0, "others from the beginning");
	zone_free(z);
	/* A process in its own network namespace, in no container: a number; then with a name: the name. */
	CHECK(pipe2(ready, O_CLOEXEC) == 0, "pipe");
	pid = fork();
	if (pid == 0) {
		bool ok = unshare(CLONE_NEWNET) == 0;

		if (write(ready[1], ok ? "y" : "n", 1) != 1 || !ok)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], text, 1) == 1 && text[0] == 'y') {
		const char *number, *name;
		char file[64];

		z = zone_new(features_global_netns(f));
		snprintf(text, sizeof(text), "/proc/%d/ns/net", (int)pid);
		inner = netns_of(text);
		number = zone_name(z, inner);
		CHECK((uint32_t)strtoul(number, NULL, 10) == inner, "%s", number);
		mkdir("/run/netns", 0755);
		snprintf(file, sizeof(file), "/run/netns/dwt_zone%d", (int)getpid());
		close(open(file, O_CREAT | O_CLOEXEC, 0444));
		CHECK(mount(text, file, NULL, MS_BIND, NULL) == 0, "bind: %s", strerror(errno));
		name = zone_name(z, inner);
		CHECK(name == number, "looked again within a second");
		pause_ms(1010);
		name = zone_name(z, inner);
		CHECK(strcmp(name, strrchr(file, '/') + 1) == 0 && strtoul(number, NULL, 10) == inner, "%s, before: %s",
			name, number);
		umount2(file, MNT_DETACH);
		unlink(file);
		rmdir("/run/netns");
		pause_ms(110); /* the name may be another namespace's by now: the process there has none */
		CHECK((uint32_t)strtoul(zone_name(z, inner), NULL, 10) == inner &&
				!strcmp(name, strrchr(file, '/') + 1),
			"%s, before: %s", zone_name(z, inner), name);
		CHECK(!*zone_name(z, 0), "not known: %s", zone_name(z, 0));
		zone_free(z);
	}
	close(ready[0]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	struct features *f = features_new();
	struct why why = WHY_INIT(why);

	if (!f || features_require(f, &why.to)) {
		printf("skip: %s\n", f ? why.text : "no memory");
		features_free(f);
		return 77;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_features(f);
	test_image(f);
	test_profile(f);
	test_refused(f);
	test_unprivileged();
	test_killed(f);
	test_child_start();
	test_child_ends();
	test_zones(f);
	features_free(f);
	return unit_end();
}
