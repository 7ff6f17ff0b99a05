/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner_test: does the owner service (src/owner/owner.h) know the process of every kind of socket? Needs root, cgroup2.
 *
 * Each case makes its own sockets and processes on loopback and asks the maps from user space. Their key is the
 * address of a socket in the kernel: a small program of the test's own tells it when a process calls getsockopt(2).
 * Output: one line a case, `ok` or `not ok`; 77 if this machine cannot run it. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "../unit/why.h"
#include "abi/abi.h"
#include "abi/arch.h"
#include "kernel/features.h"
#include "kernel/release.h"
#include "owner/owner.h"

struct test {
	struct owner *o;
	int cgroup;
	const char *name;
	bool failed;
};

#define CHECK(t, cond, ...)                                                                \
	do {                                                                               \
		if (!(cond)) {                                                             \
			printf("# %s: %s:%d: %s: ", (t)->name, __FILE__, __LINE__, #cond); \
			printf(__VA_ARGS__);                                               \
			printf("\n");                                                      \
			(t)->failed = true;                                                \
		}                                                                          \
	} while (0)

/* A call that must work for the test to make sense. */
static int must(int result, const char *what)
{
	if (result < 0) {
		printf("# %s: %s\n", what, strerror(errno));
		exit(1);
	}
	return result;
}

static int addresses = -1; /* hash: process -> address of the socket of its last getsockopt(2) */

#define INSN(c, d, s, o, i) ((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })

/* addresses[process] = ctx->sk */
static void watch_addresses(int cgroup)
{
	const struct bpf_insn code[] = {
		INSN(BPF_LDX | BPF_MEM | BPF_DW, 6, 1, offsetof(struct bpf_sockopt, sk), 0),
		INSN(BPF_STX | BPF_MEM | BPF_DW, 10, 6, -16, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_current_pid_tgid),
		INSN(BPF_ALU64 | BPF_RSH | BPF_K, 0, 0, 0, 32),
		INSN(BPF_STX | BPF_MEM | BPF_DW, 10, 0, -8, 0),
		INSN(BPF_LD | BPF_DW | BPF_IMM, 1, BPF_PSEUDO_MAP_FD, 0, 0),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 2, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -8),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 3, 10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 3, 0, 0, -16),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 4, 0, 0, BPF_ANY),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_update_elem),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 1),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	struct bpf_insn own[sizeof(code) / sizeof(code[0])];
	LIBBPF_OPTS(bpf_map_create_opts, map, .map_flags = BPF_F_NO_PREALLOC);
	LIBBPF_OPTS(bpf_prog_load_opts, load, .expected_attach_type = BPF_CGROUP_GETSOCKOPT);
	int prog;

	addresses = must(bpf_map_create(BPF_MAP_TYPE_HASH, "addresses", 8, 8, 4096, &map), "a map");
	memcpy(own, code, sizeof(code));
	own[5].imm = addresses;
	prog = must(bpf_prog_load(
			    BPF_PROG_TYPE_CGROUP_SOCKOPT, "address", "GPL", own, sizeof(code) / sizeof(code[0]), &load),
		"the test's program");
	must(bpf_link_create(prog, cgroup, BPF_CGROUP_GETSOCKOPT, NULL), "attaching the test's program");
}

static uint64_t address_of(int fd)
{
	uint64_t pid = (uint64_t)getpid(), sk = 0;
	int type;
	socklen_t len = sizeof(type);

	must(getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len), "getsockopt");
	must(bpf_map_lookup_elem(addresses, &pid, &sk), "the address of a socket");
	return sk;
}

/* A copy of the table of owners. */
static const struct dw_places *places(const struct owner *o)
{
	static struct dw_places copy;
	uint32_t zero = 0;

	must(bpf_map_lookup_elem(owner_maps(o)->places, &zero, &copy), "the table of owners");
	return &copy;
}

static struct dw_owner stored_at(const struct owner *o, uint64_t sk)
{
	const uint64_t off = DW_PLACE_OFF((uint32_t)sk);
	struct dw_owner v = { .pid = -1 };
	const struct dw_places *p = places(o);
	const struct dw_place *at[] = { &p->at[off / sizeof(*p->at)], &p->at[DW_PLACE_NEXT(off) / sizeof(*p->at)] };

	for (size_t i = 0; i < 2; i++)
		if (at[i]->sk == sk)
			return at[i]->owner;
	if (bpf_map_lookup_elem(owner_maps(o)->owners, &sk, &v))
		v.pid = -1;
	return v;
}

/* The owner of socket fd; pid -1: none. */
static struct dw_owner stored(const struct owner *o, int fd)
{
	return stored_at(o, address_of(fd));
}

/* How many sockets that exist name the process: their keys are addresses of the kernel. Entries of ended connections
 * are kept on purpose, a bounded number (owner_ended.h). */
static int entries_of(const struct owner *o, int pid)
{
	const struct dw_places *p = places(o);
	uint64_t key, next, *from = NULL;
	struct dw_owner v;
	int n = 0;

	for (size_t i = 0; i < DW_PLACES; i++)
		n += p->at[i].sk > DW_PLACE_BUSY && p->at[i].owner.pid == pid && p->at[i].owner.how != DW_OWNER_LEFT;
	while (!bpf_map_get_next_key(owner_maps(o)->owners, from, &next)) {
		if (!bpf_map_lookup_elem(owner_maps(o)->owners, &next, &v))
			n += (int64_t)next < 0 && v.pid == pid && v.how != DW_OWNER_LEFT;
		key = next;
		from = &key;
	}
	return n;
}

static socklen_t loopback(int family, struct sockaddr_storage *a)
{
	struct sockaddr_in *in = (struct sockaddr_in *)a;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)a;

	memset(a, 0, sizeof(*a));
	a->ss_family = (sa_family_t)family;
	if (family == AF_INET6) {
		in6->sin6_addr = in6addr_loopback;
		return sizeof(*in6);
	}
	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return sizeof(*in);
}

/* A socket bound to a port of loopback, whose address goes to *a. */
static int bound(int family, int type, struct sockaddr_storage *a)
{
	socklen_t len = loopback(family, a);
	int fd = must(socket(family, type, 0), "socket");

	must(bind(fd, (struct sockaddr *)a, len), "bind");
	must(getsockname(fd, (struct sockaddr *)a, &len), "getsockname");
	if (type == SOCK_STREAM)
		must(listen(fd, 128), "listen");
	return fd;
}

static socklen_t length(const struct sockaddr_storage *a)
{
	return a->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

static int connected(int type, const struct sockaddr_storage *a)
{
	int fd = must(socket(a->ss_family, type, 0), "socket");

	must(connect(fd, (const struct sockaddr *)a, length(a)), "connect");
	return fd;
}

static int accept_named(int fd)
{
	struct sockaddr_storage a;
	socklen_t len = sizeof(a);

	return must(accept(fd, (struct sockaddr *)&a, &len), "accept");
}

static int accept_unnamed(int fd)
{
	return must(accept(fd, NULL, NULL), "accept");
}

static void put(int fd)
{
	must((int)write(fd, "x", 1), "write");
}

static void get(int fd)
{
	char c;

	must((int)read(fd, &c, 1), "read");
}

/* Forks a child that runs f; the parent goes on. */
static pid_t spawn(struct test *t, void (*f)(struct test *, void *), void *arg)
{
	pid_t pid;

	fflush(stdout);
	pid = must(fork(), "fork");
	if (pid)
		return pid;
	alarm(20);
	f(t, arg);
	fflush(stdout);
	_exit(t->failed);
}

static void finish(struct test *t, pid_t pid)
{
	int status;

	must(waitpid(pid, &status, 0), "waitpid");
	CHECK(t, WIFEXITED(status) && !WEXITSTATUS(status), "child %d: status %x", pid, (unsigned)status);
}

/* In the tiers that see functions of the kernel the variant for them is tested. steps: no packets are seen. */
static void start_as(struct test *t, bool steps)
{
	struct why why = WHY_INIT(why);
	const char *tier = getenv("DWIRE_TEST_TIER");
	struct owner_opts opts = { .features = features_new(),
		.cgroup_fd = t->cgroup,
		.whole = true,
		.functions = tier && strcmp(tier, "hooks") != 0,
		.steps = steps };
	int err = opts.features ? owner_start(&t->o, &opts, &why.to) : -ENOMEM;

	features_free(opts.features);

	if (err) {
		printf("# %s: %s\n", t->name, why.text);
		exit(1);
	}
}

static void start(struct test *t)
{
	start_as(t, false);
}

/* The last user of a datagram socket that several processes use. */
static struct dw_owner last_user(const struct owner *o, int fd)
{
	uint64_t sk = address_of(fd);
	struct dw_owner v = { .pid = -1 };

	if (bpf_map_lookup_elem(owner_maps(o)->last_users, &sk, &v))
		v.pid = -1;
	return v;
}

/* Does the service watch accept? On a machine where some other process shares a listener it does from its start on, and
 * what is accepted has its owner earlier than the cases below make it. */
static bool accept_watched(const struct test *t)
{
	struct sockaddr_storage a;
	int l = bound(AF_INET, SOCK_STREAM, &a), c = connected(SOCK_STREAM, &a), s = accept_unnamed(l);
	bool watched = stored(t->o, s).how == DW_OWNER_ACCEPT;

	close(s);
	close(c);
	close(l);
	return watched;
}

/* Some cases are about the time before. */
static bool too_busy(const struct test *t)
{
	bool watched = accept_watched(t);

	if (watched)
		printf("# skip %s: another process of this machine shares a listener\n", t->name);
	return watched;
}

static bool is_how(const struct test *t, enum dw_owner_how got, enum dw_owner_how want)
{
	return got == want || (want == DW_OWNER_USE && got == DW_OWNER_ACCEPT && accept_watched(t));
}

static void is_mine(struct test *t, int fd, enum dw_owner_how how)
{
	struct dw_owner v = stored(t->o, fd);
	char comm[16] = "";

	if (v.pid != -1 && v.how == DW_OWNER_SHARED)
		v = last_user(t->o, fd);
	prctl(PR_GET_NAME, comm);
	CHECK(t, v.pid == getpid(), "pid %d, mine is %d", v.pid, getpid());
	CHECK(t, v.tid == getpid() && v.uid == geteuid(), "tid %d uid %u", v.tid, v.uid);
	CHECK(t, is_how(t, v.how, how), "how %u, not %d", v.how, how);
	CHECK(t, !memcmp(v.comm, comm, sizeof(comm)), "comm %.16s", (char *)v.comm);
}

static void case_older(struct test *t)
{
	struct sockaddr_storage a;
	int fds[] = { bound(AF_INET, SOCK_STREAM, &a), connected(SOCK_STREAM, &a), bound(AF_INET6, SOCK_STREAM, &a),
		bound(AF_INET, SOCK_DGRAM, &a), bound(AF_INET6, SOCK_DGRAM, &a),
		must(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP), "raw socket") };

	start(t);
	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		is_mine(t, fds[i], DW_OWNER_ITER);
}

/* Held by two processes: the lower number, until the other uses it. */
static void shared_child(struct test *t, void *arg)
{
	int *fd = arg;

	(void)t;
	get(fd[1]);
	put(fd[0]);
	put(fd[2]);
	get(fd[1]);
}

static void case_older_shared(struct test *t)
{
	struct sockaddr_storage a;
	int l = bound(AF_INET, SOCK_STREAM, &a), c = connected(SOCK_STREAM, &a), to[2], from[2];
	int fd[3];
	pid_t pid, low;

	must(pipe(to), "pipe");
	must(pipe(from), "pipe");
	fd[0] = c;
	fd[1] = to[0];
	fd[2] = from[1];
	pid = spawn(t, shared_child, fd);
	low = pid < getpid() ? pid : getpid();
	start(t);
	CHECK(t, stored(t->o, c).pid == low, "pid %d, not %d", stored(t->o, c).pid, low);
	put(to[1]);
	get(from[0]);
	CHECK(t, stored(t->o, c).pid == pid, "pid %d after the child's send", stored(t->o, c).pid);
	put(to[1]);
	finish(t, pid);
	close(l);
}

static void case_created(struct test *t)
{
	struct sockaddr_storage a;

	start(t);
	is_mine(t, bound(AF_INET, SOCK_DGRAM, &a), DW_OWNER_CREATE);
	is_mine(t, bound(AF_INET6, SOCK_DGRAM, &a), DW_OWNER_CREATE);
	is_mine(t, bound(AF_INET, SOCK_STREAM, &a), DW_OWNER_CREATE);
	is_mine(t, connected(SOCK_STREAM, &a), DW_OWNER_CREATE);
	is_mine(t, bound(AF_INET6, SOCK_STREAM, &a), DW_OWNER_CREATE);
	is_mine(t, connected(SOCK_STREAM, &a), DW_OWNER_CREATE);
}

static void case_accept_self(struct test *t)
{
	for (int family = AF_INET; family; family = family == AF_INET ? AF_INET6 : 0) {
		struct sockaddr_storage a;
		struct dw_owner v;
		int l, s;

		if (!t->o)
			start(t);
		l = bound(family, SOCK_STREAM, &a);
		connected(SOCK_STREAM, &a);
		connected(SOCK_STREAM, &a);
		is_mine(t, accept_named(l), DW_OWNER_USE);
		s = accept_unnamed(l);
		v = stored(t->o, s);
		CHECK(t, v.pid == getpid() && v.how == (accept_watched(t) ? DW_OWNER_ACCEPT : DW_OWNER_INHERIT),
			"not the listener's: pid %d how %u", v.pid, v.how);
		put(s);
		v = stored(t->o, s);
		CHECK(t, v.pid == getpid() && is_how(t, v.how, DW_OWNER_USE), "not claimed by the first send: pid %d",
			v.pid);
	}
}

struct sends {
	int fd;
	pid_t tid;
};

static void *send_in_thread(void *arg)
{
	struct sends *s = arg;

	s->tid = gettid();
	put(s->fd);
	return NULL;
}

/* The listener's process sends on what it has accepted: also another thread of it, and after a change of its name. The
 * service sees only the calls. */
static void case_server_sends(struct test *t)
{
	struct sockaddr_storage a;
	struct dw_owner v;
	struct sends s;
	pthread_t thread;
	int l;

	start_as(t, true);
	l = bound(AF_INET, SOCK_STREAM, &a);
	connected(SOCK_STREAM, &a);
	s.fd = accept_unnamed(l);
	put(s.fd);
	is_mine(t, s.fd, DW_OWNER_USE);
	connected(SOCK_STREAM, &a);
	s.fd = accept_unnamed(l);
	must(-pthread_create(&thread, NULL, send_in_thread, &s), "a thread");
	must(-pthread_join(thread, NULL), "its end");
	v = stored(t->o, s.fd);
	CHECK(t, v.pid == getpid() && v.tid == s.tid, "pid %d tid %d, not %d %d", v.pid, v.tid, getpid(), s.tid);
	CHECK(t, is_how(t, v.how, DW_OWNER_USE), "how %u", v.how);
	connected(SOCK_STREAM, &a);
	s.fd = accept_unnamed(l);
	must(prctl(PR_SET_NAME, "renamed"), "a new name");
	put(s.fd);
	is_mine(t, s.fd, DW_OWNER_USE);
}

/* A worker accepts from the listener of its parent. */
static void worker_named(struct test *t, void *arg)
{
	is_mine(t, accept_named(*(int *)arg), DW_OWNER_USE);
}

static void case_worker_named(struct test *t)
{
	struct sockaddr_storage a;
	pid_t pid;
	int l;

	start(t);
	l = bound(AF_INET, SOCK_STREAM, &a);
	pid = spawn(t, worker_named, &l);
	connected(SOCK_STREAM, &a);
	finish(t, pid);
	l = bound(AF_INET6, SOCK_STREAM, &a);
	pid = spawn(t, worker_named, &l);
	connected(SOCK_STREAM, &a);
	finish(t, pid);
}

/* Accepts without asking for the address: the end of the system call tells. */
static void worker_unnamed(struct test *t, int l)
{
	int s = accept_unnamed(l);

	is_mine(t, s, DW_OWNER_ACCEPT);
	put(s);
	is_mine(t, s, DW_OWNER_ACCEPT);
	s = accept_unnamed(l);
	is_mine(t, s, DW_OWNER_ACCEPT);
	close(s);
}

static void older_worker(struct test *t, void *arg)
{
	(void)t;
	pause();
	(void)arg;
}

static void case_worker_older(struct test *t)
{
	struct sockaddr_storage a;
	pid_t holder, pid;
	int l = bound(AF_INET, SOCK_STREAM, &a);

	/* A process that only holds the listener makes it shared before the start. */
	holder = spawn(t, older_worker, NULL);
	start(t);
	fflush(stdout);
	pid = must(fork(), "fork");
	if (!pid) {
		alarm(20);
		worker_unnamed(t, l);
		fflush(stdout);
		_exit(t->failed);
	}
	get(connected(SOCK_STREAM, &a));
	close(connected(SOCK_STREAM, &a));
	finish(t, pid);
	kill(holder, SIGKILL);
	must(waitpid(holder, NULL, 0), "waitpid");
}

/* The listener becomes shared while the service runs: the first connection is the listener's until it is used, and that
 * use makes the service look at accept. */
static void case_worker_new(struct test *t)
{
	struct sockaddr_storage a;
	pid_t pid;
	int l, s;

	start(t);
	if (too_busy(t))
		return;
	l = bound(AF_INET, SOCK_STREAM, &a);
	for (int i = 0; i < 3; i++)
		connected(SOCK_STREAM, &a);
	fflush(stdout);
	pid = must(fork(), "fork");
	if (pid) {
		finish(t, pid);
		return;
	}
	s = accept_unnamed(l);
	CHECK(t, stored(t->o, s).pid == getppid(), "pid %d", stored(t->o, s).pid);
	put(s);
	is_mine(t, s, DW_OWNER_USE);
	CHECK(t, !owner_poll(t->o), "owner_poll");
	worker_unnamed(t, l);
	fflush(stdout);
	_exit(t->failed);
}

/* A server that leaves its listener to a child: once the service has looked, what the child accepts is the child's, and
 * nothing needs to watch accept for that. */
static void sole_worker(struct test *t, void *arg)
{
	int l = *(int *)arg, s;

	get(((int *)arg)[1]);
	s = accept_unnamed(l);
	put(s);
	is_mine(t, s, DW_OWNER_USE);
	CHECK(t, !owner_poll(t->o), "owner_poll");
	is_mine(t, l, DW_OWNER_HOLDS);
	for (int i = 0; i < 2; i++) {
		put(((int *)arg)[2]);
		s = accept_unnamed(l);
		CHECK(t, stored(t->o, s).pid == getpid(), "not mine: pid %d", stored(t->o, s).pid);
		CHECK(t, stored(t->o, s).how == DW_OWNER_INHERIT, "accept is watched");
	}
}

static void case_worker_sole(struct test *t)
{
	struct sockaddr_storage a;
	int arg[3], to[2], from[2];
	pid_t pid;

	start(t);
	if (too_busy(t))
		return;
	arg[0] = bound(AF_INET, SOCK_STREAM, &a);
	must(pipe(to), "pipe");
	must(pipe(from), "pipe");
	arg[1] = to[0];
	arg[2] = from[1];
	pid = spawn(t, sole_worker, arg);
	close(arg[0]);
	put(to[1]);
	get(connected(SOCK_STREAM, &a));
	for (int i = 0; i < 2; i++) {
		get(from[0]);
		connected(SOCK_STREAM, &a);
	}
	finish(t, pid);
}

/* A child sends on what it inherited: its own from the first segment or datagram. */
struct inherited {
	int fd;
	struct sockaddr_storage to;
	bool unconnected;
};

static void heir(struct test *t, void *arg)
{
	struct inherited *p = arg;

	if (p->unconnected)
		must((int)sendto(p->fd, "x", 1, 0, (struct sockaddr *)&p->to, length(&p->to)), "sendto");
	else
		put(p->fd);
	is_mine(t, p->fd, DW_OWNER_USE);
}

static void case_inherited(struct test *t)
{
	static const int families[] = { AF_INET, AF_INET6 };

	start(t);
	for (size_t i = 0; i < 2; i++) {
		struct sockaddr_storage a, any;
		struct inherited p = { 0 };

		bound(families[i], SOCK_STREAM, &a);
		p.fd = connected(SOCK_STREAM, &a);
		finish(t, spawn(t, heir, &p));
		put(p.fd);
		is_mine(t, p.fd, DW_OWNER_USE);
		bound(families[i], SOCK_DGRAM, &a);
		p.fd = connected(SOCK_DGRAM, &a);
		finish(t, spawn(t, heir, &p));
		p.fd = bound(families[i], SOCK_DGRAM, &any);
		p.to = a;
		p.unconnected = true;
		finish(t, spawn(t, heir, &p));
	}
}

/* The maker of a socket leaves it to its child, with numbers of descriptors from low to high. */
struct left {
	int fd, report; /* where the child writes the owner's pid less its own */
};

static void leaver(struct test *t, void *arg)
{
	const struct left *l = arg;
	struct sockaddr_storage a;
	pid_t me = getpid();
	int wrong, s = bound(AF_INET, SOCK_DGRAM, &a);

	must(dup2(s, l->fd), "dup2");
	close(s);
	if (must(fork(), "fork"))
		return;
	while (getppid() == me)
		usleep(1000);
	wrong = stored(t->o, l->fd).pid - getpid();
	must((int)write(l->report, &wrong, sizeof(wrong)), "write");
	_exit(0);
}

static void case_left(struct test *t)
{
	static const int fds[] = { 20, 1023, 1024, 5000, 70000 };
	struct rlimit most;
	int to[2];

	must(getrlimit(RLIMIT_NOFILE, &most), "getrlimit");
	most.rlim_cur = most.rlim_max;
	must(setrlimit(RLIMIT_NOFILE, &most), "setrlimit");
	must(pipe(to), "pipe");
	start(t);
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]) && (rlim_t)fds[i] < most.rlim_max; i++) {
		struct left l = { fds[i], to[1] };
		int wrong = 1;

		finish(t, spawn(t, leaver, &l));
		must((int)read(to[0], &wrong, sizeof(wrong)), "read");
		CHECK(t, !wrong, "descriptor %d: the owner is pid %+d", fds[i], wrong);
	}
}

/* The socket on which a thread was the last to send, of those that several processes use; 0: none. */
static struct dw_sender sender(const struct owner *o, pid_t tid)
{
	struct dw_sender s;

	if (bpf_map_lookup_elem(owner_maps(o)->senders, &tid, &s))
		memset(&s, 0, sizeof(s));
	return s;
}

struct sharer {
	struct sockaddr_storage to;
	int fd, done, go; /* -1: the process does not wait */
};

static void sharer(struct test *t, void *arg)
{
	const struct sharer *p = arg;

	(void)t;
	must((int)sendto(p->fd, "x", 1, 0, (const struct sockaddr *)&p->to, length(&p->to)), "sendto");
	if (p->go < 0)
		return;
	put(p->done);
	get(p->go);
}

/* What is known of a sender stays while others send on its socket and while its last user ends: a packet of it may be
 * on its way. */
static void case_shared_stays(struct test *t)
{
	struct sharer p = { .go = -1 };
	int to[2], from[2];
	pid_t first, other;

	must(pipe(to), "pipe");
	must(pipe(from), "pipe");
	start(t);
	p.fd = bound(AF_INET, SOCK_DGRAM, &p.to);
	p.go = to[0];
	p.done = from[1];
	first = spawn(t, sharer, &p);
	get(from[0]);
	p.go = -1;
	for (int i = 0; i < 16; i++) {
		struct dw_owner v;
		struct dw_sender s;

		other = spawn(t, sharer, &p);
		finish(t, other);
		v = stored(t->o, p.fd);
		s = sender(t->o, first);
		CHECK(t, v.how == DW_OWNER_SHARED && v.pid == getpid(), "how %u, pid %d", v.how, v.pid);
		CHECK(t, s.sk == address_of(p.fd) && s.owner.pid == first, "the sender's pid: %d", s.owner.pid);
		CHECK(t, !sender(t->o, other).sk, "a sender that has ended");
	}
	put(to[1]);
	finish(t, first);
	CHECK(t, !sender(t->o, first).sk, "a sender that has ended");
}

/* A process that only receives: noticed once a datagram socket was seen in two hands. */
static void receiver(struct test *t, void *arg)
{
	struct inherited *p = arg;

	get(p->fd);
	is_mine(t, p->fd, DW_OWNER_USE);
}

static void case_receiver(struct test *t)
{
	struct sockaddr_storage a;
	struct inherited p = { 0 };
	pid_t holder;

	p.fd = bound(AF_INET, SOCK_DGRAM, &a);
	holder = spawn(t, older_worker, NULL);
	start(t);
	put(connected(SOCK_DGRAM, &a));
	put(connected(SOCK_DGRAM, &a));
	finish(t, spawn(t, receiver, &p));
	get(p.fd);
	is_mine(t, p.fd, DW_OWNER_USE);
	kill(holder, SIGKILL);
	must(waitpid(holder, NULL, 0), "waitpid");
}

/* The same where a child's send shows first that a datagram socket has two users. */
static void case_receiver_later(struct test *t)
{
	struct inherited p = { 0 };

	start(t);
	p.fd = bound(AF_INET, SOCK_DGRAM, &p.to);
	p.unconnected = true;
	finish(t, spawn(t, heir, &p));
	CHECK(t, !owner_poll(t->o), "owner_poll");
	is_mine(t, p.fd, DW_OWNER_ITER); /* the child, its last user, has ended */
	get(p.fd);
	is_mine(t, p.fd, DW_OWNER_ITER);
	put(connected(SOCK_DGRAM, &p.to));
	finish(t, spawn(t, receiver, &p));
}

/* SCM_RIGHTS. */
static void taker(struct test *t, void *arg)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	char c;
	struct iovec iov = { &c, 1 };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
	};
	int fd;

	must((int)recvmsg(*(int *)arg, &m, 0), "recvmsg");
	if (!CMSG_FIRSTHDR(&m))
		exit(1);
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	CHECK(t, stored(t->o, fd).pid == getppid(), "before use: pid %d", stored(t->o, fd).pid);
	put(fd);
	is_mine(t, fd, DW_OWNER_USE);
}

static void case_passed(struct test *t)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { .head = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
	char c = 0;
	struct iovec iov = { &c, 1 };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
	};
	struct sockaddr_storage a;
	int pair[2], fd;
	pid_t pid;

	start(t);
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
	pid = spawn(t, taker, &pair[1]);
	bound(AF_INET, SOCK_STREAM, &a);
	fd = connected(SOCK_STREAM, &a);
	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	must((int)sendmsg(pair[0], &m, 0), "sendmsg");
	finish(t, pid);
}

/* What arrives is acknowledged while the sender's process runs: the receiver's socket stays the receiver's. */
static void idle(struct test *t, void *arg)
{
	int *fd = arg, s = connected(SOCK_STREAM, (struct sockaddr_storage *)(void *)(fd + 2));

	put(fd[1]);
	get(fd[0]);
	is_mine(t, s, DW_OWNER_CREATE);
}

static void case_stranger(struct test *t)
{
	struct {
		int fd[2];
		struct sockaddr_storage a;
	} arg;
	char data[1000] = "";
	int to[2], from[2], l, s;
	pid_t pid;

	start(t);
	l = bound(AF_INET, SOCK_STREAM, &arg.a);
	must(pipe(to), "pipe");
	must(pipe(from), "pipe");
	arg.fd[0] = to[0];
	arg.fd[1] = from[1];
	pid = spawn(t, idle, &arg);
	s = accept_named(l);
	get(from[0]);
	for (int i = 0; i < 50; i++)
		must((int)write(s, data, sizeof(data)), "write");
	put(to[1]);
	finish(t, pid);
	is_mine(t, s, DW_OWNER_USE);
}

/* Another network namespace: sockets older than the service and newer ones. */
static void in_netns(struct test *t, void *arg)
{
	struct ifreq lo = { .ifr_flags = IFF_UP | IFF_RUNNING };
	struct sockaddr_storage a;
	struct inherited p = { 0 };
	int l, s, c;

	(void)arg;
	must(unshare(CLONE_NEWNET), "unshare");
	strcpy(lo.ifr_name, "lo");
	s = must(socket(AF_INET, SOCK_DGRAM, 0), "socket");
	must(ioctl(s, SIOCSIFFLAGS, &lo), "lo up");
	start(t);
	is_mine(t, s, DW_OWNER_ITER);
	l = bound(AF_INET, SOCK_STREAM, &a);
	c = connected(SOCK_STREAM, &a);
	is_mine(t, c, DW_OWNER_CREATE);
	is_mine(t, accept_named(l), DW_OWNER_USE);
	p.fd = c;
	finish(t, spawn(t, heir, &p));
	owner_stop(t->o);
	t->o = NULL;
}

static void case_netns(struct test *t)
{
	finish(t, spawn(t, in_netns, NULL));
}

/* Waits until the kernel has destroyed what the process closed: TCP sockets have a last segment to send. */
static int entries_left(const struct owner *o, int pid, int want)
{
	for (int i = 0; i < 100 && entries_of(o, pid) > want; i++)
		usleep(20000);
	return entries_of(o, pid);
}

static void connect_and_close(struct test *t, int l, const struct sockaddr_storage *a, int i)
{
	struct linger reset = { 1, 0 };
	int c = connected(SOCK_STREAM, a), s = i & 2 ? accept_unnamed(l) : accept_named(l);

	CHECK(t, stored(t->o, c).pid == getpid() && stored(t->o, s).pid == getpid(), "connection %d", i);
	if (i % 3 == 0)
		put(s);
	if (i % 3 == 1)
		put(c);
	/* Every fifth is reset by the client: then the close of the other end sends nothing more. */
	if (i % 5 == 0) {
		must(setsockopt(c, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), "SO_LINGER");
		close(c);
		close(s);
		return;
	}
	close(i & 1 ? c : s);
	close(i & 1 ? s : c);
}

/* Every kind of socket and of end, many times, where accept is watched and where it is not: nothing is left, and a
 * socket that gets the address of an old one has its own owner. */
static void leak(struct test *t, bool watched)
{
	static const int kinds[][3] = { { AF_INET, SOCK_DGRAM, 0 }, { AF_INET6, SOCK_DGRAM, 0 },
		{ AF_INET, SOCK_STREAM, 0 }, { AF_INET6, SOCK_STREAM, 0 }, { AF_INET, SOCK_RAW, IPPROTO_ICMP },
		{ AF_INET, SOCK_STREAM, 262 }, { AF_INET, SOCK_DGRAM, IPPROTO_ICMP },
		{ AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE } };
	struct sockaddr_storage a;
	int l = bound(AF_INET, SOCK_STREAM, &a), from;
	pid_t holder = watched ? spawn(t, older_worker, NULL) : 0;

	start(t);
	from = entries_of(t->o, getpid());
	CHECK(t, from == 1, "%d entries at the start", from);
	for (int i = 0; i < 600; i++)
		connect_and_close(t, l, &a, i);
	if (holder) {
		kill(holder, SIGKILL);
		must(waitpid(holder, NULL, 0), "waitpid");
	}
	/* never accepted, refused, never connected */
	for (int i = 0; i < 50; i++)
		close(connected(SOCK_STREAM, &a));
	close(l);
	for (int i = 0; i < 50; i++) {
		int s = must(socket(AF_INET, SOCK_STREAM, 0), "socket");

		CHECK(t, connect(s, (struct sockaddr *)&a, length(&a)) < 0, "a closed port accepts");
		close(s);
	}
	for (int i = 0; i < 400; i++) {
		const int *k = kinds[(size_t)i % (sizeof(kinds) / sizeof(kinds[0]))];
		int s = socket(k[0], k[1], k[2]);

		if (s < 0)
			continue;
		CHECK(t, stored(t->o, s).pid == getpid(), "kind %d %d %d", k[0], k[1], k[2]);
		close(s);
	}
	CHECK(t, entries_left(t->o, getpid(), 0) == 0, "%d entries left", entries_of(t->o, getpid()));
	CHECK(t, owner_drops(t->o) == 0, "%llu drops", (unsigned long long)owner_drops(t->o));
}

static void case_leak(struct test *t)
{
	leak(t, false);
}

static void case_leak_watched(struct test *t)
{
	leak(t, true);
}

/* Without cgroup2 the rest still works. */
static void case_no_cgroup(struct test *t)
{
	struct sockaddr_storage a;
	int l, s, c, cgroup = t->cgroup;

	t->cgroup = -1;
	start(t);
	t->cgroup = cgroup;
	l = bound(AF_INET, SOCK_STREAM, &a);
	is_mine(t, l, DW_OWNER_USE);
	c = connected(SOCK_STREAM, &a);
	is_mine(t, c, DW_OWNER_USE);
	s = accept_unnamed(l);
	is_mine(t, s, DW_OWNER_ACCEPT);
	put(c);
	get(s);
	is_mine(t, s, DW_OWNER_ACCEPT);
}

/* How many programs of the service, younger than the program with number since, the kernel has; *last: the youngest
 * program's number. */
static int programs(uint32_t since, uint32_t *last)
{
	uint32_t id = since;
	int n = 0;

	while (!bpf_prog_get_next_id(id, &id)) {
		struct bpf_prog_info info = { 0 };
		uint32_t len = sizeof(info);
		int fd = bpf_prog_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (!bpf_obj_get_info_by_fd(fd, &info, &len))
			n += !strncmp(info.name, "owner_", 6);
		close(fd);
		if (last)
			*last = id;
	}
	return n;
}

static void victim(struct test *t, void *arg)
{
	start(t);
	put(*(int *)arg);
	pause();
}

static void case_killed(struct test *t)
{
	int left, ready[2];
	uint32_t last = 0;
	pid_t pid;

	programs(0, &last);
	must(pipe(ready), "pipe");
	pid = spawn(t, victim, &ready[1]);
	get(ready[0]);
	CHECK(t, programs(last, NULL) > 5, "%d programs while it runs", programs(last, NULL));
	kill(pid, SIGKILL);
	must(waitpid(pid, NULL, 0), "waitpid");
	/* The kernel frees them some time after the last descriptor is closed. */
	for (int i = 0; (left = programs(last, NULL)) && i < 100; i++)
		usleep(50000);
	CHECK(t, !left, "%d programs left", left);
}

static const struct {
	const char *name;
	void (*run)(struct test *);
} cases[] = {
	{ "sockets older than the service", case_older },
	{ "older socket of two processes", case_older_shared },
	{ "created", case_created },
	{ "accepted by the listener's process", case_accept_self },
	{ "accepted by the listener's process, which then sends", case_server_sends },
	{ "accepted by a worker, with address", case_worker_named },
	{ "accepted by a worker, listener shared at the start", case_worker_older },
	{ "accepted by a worker, listener shared later", case_worker_new },
	{ "accepted by a worker, listener left to it", case_worker_sole },
	{ "child sends on an inherited socket", case_inherited },
	{ "left to a child, whatever its descriptor", case_left },
	{ "a sender's record, while others send and end", case_shared_stays },
	{ "child receives on an inherited socket", case_receiver },
	{ "child receives, socket shared later", case_receiver_later },
	{ "passed with SCM_RIGHTS", case_passed },
	{ "acknowledgements in a stranger's time", case_stranger },
	{ "another network namespace", case_netns },
	{ "the ends of all kinds of sockets leave nothing", case_leak },
	{ "nor where accept is watched", case_leak_watched },
	{ "no cgroup2", case_no_cgroup },
	{ "killed service leaves nothing", case_killed },
};

/* Is a process noticed that only receives? Before Linux 6.3 that takes fentry, which arm64 lacks. */
static bool is_seen(void (*run)(struct test *))
{
	return ARCH_ELF_MACHINE != EM_AARCH64 || !release_before(6, 3) ||
		(run != case_receiver && run != case_receiver_later);
}

static int skip(const char *why)
{
	printf("skip: %s\n", why);
	return 77;
}

/* The root of cgroup2, or -1. */
static int open_cgroup(void)
{
	FILE *f = setmntent("/proc/self/mounts", "r");
	const struct mntent *m;
	int fd = -1;

	while (f && fd < 0 && (m = getmntent(f)))
		if (!strcmp(m->mnt_type, "cgroup2"))
			fd = open(m->mnt_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f)
		endmntent(f);
	return fd;
}

static void run_case(struct test *t, void *arg)
{
	size_t i = *(size_t *)arg;

	cases[i].run(t);
	owner_stop(t->o);
}

int main(void)
{
	int cgroup = open_cgroup(), failures = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (geteuid())
		return skip("needs root");
	if (cgroup < 0)
		return skip("needs cgroup2, mounted");
	watch_addresses(cgroup);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct test t = { .cgroup = cgroup, .name = cases[i].name };

		if (!is_seen(cases[i].run))
			continue;
		finish(&t, spawn(&t, run_case, &i));
		printf("%s - %s\n", t.failed ? "not ok" : "ok", t.name);
		failures += t.failed;
	}
	return failures != 0;
}
