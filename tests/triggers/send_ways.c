/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * send_ways: for each way to send, a process sends 10 bytes on a connected UDP socket and on a TCP connection with
 * send(2), then a child that inherited both sends on them that way: 100 bytes the first child, 101 the second...
 *
 * Output: pid (the first process's), way_NAME=PID BYTES of each child, in order. A way that the kernel has not is left
 * out, and so is its child: the kernel may lack io_uring, asynchronous I/O, or calls of 32-bit programs.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "Prints: pid and way_NAME=PID BYTES.\n";

/* Sends len bytes of data on fd. False: the kernel has not this way. */
typedef bool way_fn(int fd, const char *data, size_t len);

static void check(ssize_t sent, size_t len, const char *what)
{
	if (sent != (ssize_t)len)
		trig_die("%s: %zd of %zu bytes", what, sent, len);
}

static bool by_send(int fd, const char *data, size_t len)
{
	check(send(fd, data, len, 0), len, "send");
	return true;
}

static bool by_writev(int fd, const char *data, size_t len)
{
	const struct iovec v[2] = { { (void *)(uintptr_t)data, 1 }, { (void *)(uintptr_t)(data + 1), len - 1 } };

	check(writev(fd, v, 2), len, "writev");
	return true;
}

static bool by_sendmmsg(int fd, const char *data, size_t len)
{
	struct iovec v = { (void *)(uintptr_t)data, len };
	struct mmsghdr m = { .msg_hdr = { .msg_iov = &v, .msg_iovlen = 1 } };

	if (sendmmsg(fd, &m, 1, 0) != 1)
		trig_die("sendmmsg");
	check((ssize_t)m.msg_len, len, "sendmmsg");
	return true;
}

static bool by_splice(int fd, const char *data, size_t len)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC))
		trig_die("pipe");
	check(write(p[1], data, len), len, "write to a pipe");
	check(splice(p[0], NULL, fd, NULL, len, 0), len, "splice");
	return true;
}

static bool by_sendfile(int fd, const char *data, size_t len)
{
	int file = memfd_create("data", MFD_CLOEXEC);

	if (file < 0)
		trig_die("memfd_create");
	check(pwrite(file, data, len, 0), len, "pwrite");
	check(sendfile(fd, file, NULL, len), len, "sendfile");
	return true;
}

static bool by_aio(int fd, const char *data, size_t len)
{
	struct iocb cb = { .aio_lio_opcode = IOCB_CMD_PWRITE, .aio_fildes = (uint32_t)fd };
	struct iocb *list[] = { &cb };
	aio_context_t ctx = 0;
	struct io_event e;

	cb.aio_buf = (uintptr_t)data;
	cb.aio_nbytes = len;
	if (syscall(SYS_io_setup, 1, &ctx))
		return false;
	if (syscall(SYS_io_submit, ctx, 1, list) != 1 || syscall(SYS_io_getevents, ctx, 1, 1, &e, NULL) != 1)
		trig_die("io_submit");
	check((ssize_t)e.res, len, "io_submit");
	return true;
}

/* ---- io_uring ---------------------------------------------------------------------------------------------------- */
struct ring {
	int fd;
	struct io_uring_params p;
	char *sq, *cq;
	struct io_uring_sqe *sqes;
};

static bool ring_open(struct ring *r, uint32_t flags)
{
	memset(r, 0, sizeof(*r));
	r->p.flags = flags;
	r->p.sq_thread_idle = 1;
	r->fd = (int)syscall(SYS_io_uring_setup, 4, &r->p);
	if (r->fd < 0)
		return false;
	r->sq = mmap(NULL, r->p.sq_off.array + r->p.sq_entries * sizeof(uint32_t), PROT_READ | PROT_WRITE, MAP_SHARED,
		r->fd, IORING_OFF_SQ_RING);
	r->cq = mmap(NULL, r->p.cq_off.cqes + r->p.cq_entries * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE,
		MAP_SHARED, r->fd, IORING_OFF_CQ_RING);
	r->sqes = mmap(NULL, r->p.sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE, MAP_SHARED, r->fd,
		IORING_OFF_SQES);
	if (r->sq == MAP_FAILED || r->cq == MAP_FAILED || r->sqes == MAP_FAILED)
		trig_die("mmap of a ring");
	return true;
}

/* Sends by the first entry of the ring; in a thread of the kernel's where flags or the ring say so. */
static void ring_send(const struct ring *r, int fd, const char *data, size_t len, uint8_t flags)
{
	struct io_uring_sqe *e = r->sqes;
	const struct io_uring_cqe *c = (const void *)(r->cq + r->p.cq_off.cqes);
	uint32_t wakeup = r->p.flags & IORING_SETUP_SQPOLL ? IORING_ENTER_SQ_WAKEUP : 0;

	memset(e, 0, sizeof(*e));
	e->opcode = IORING_OP_SEND;
	e->flags = flags;
	e->fd = fd;
	e->addr = (uintptr_t)data;
	e->len = (uint32_t)len;
	*(uint32_t *)(void *)(r->sq + r->p.sq_off.array) = 0;
	__atomic_store_n((uint32_t *)(void *)(r->sq + r->p.sq_off.tail), 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n((uint32_t *)(void *)(r->cq + r->p.cq_off.tail), __ATOMIC_ACQUIRE))
		if (syscall(SYS_io_uring_enter, r->fd, 1, 1, IORING_ENTER_GETEVENTS | wakeup, NULL, 0) < 0 &&
			errno != EINTR)
			trig_die("io_uring_enter");
	check(c->res, len, "io_uring");
}

/* The kernel's own socket sends the ICMP message that answers this, while the process runs. */
static void be_refused(void)
{
	struct trig_addr to = trig_loopback(AF_INET, 1);
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || sendto(fd, "x", 1, 0, (const struct sockaddr *)&to.ss, to.len) != 1)
		trig_die("sendto a closed port");
	close(fd);
}

static bool by_uring(int fd, const char *data, size_t len)
{
	struct ring r;

	if (!ring_open(&r, 0))
		return false;
	ring_send(&r, fd, data, len, 0);
	be_refused();
	return true;
}

static bool by_uring_worker(int fd, const char *data, size_t len)
{
	struct ring r;

	if (!ring_open(&r, 0))
		return false;
	ring_send(&r, fd, data, len, IOSQE_ASYNC);
	return true;
}

static bool by_uring_poll(int fd, const char *data, size_t len)
{
	struct ring r;

	if (!ring_open(&r, IORING_SETUP_SQPOLL))
		return false;
	ring_send(&r, fd, data, len, 0);
	return true;
}

/* The ring holds the socket, the process's descriptors do not. */
static bool by_uring_file(int fd, const char *data, size_t len)
{
	struct ring r;

	if (!ring_open(&r, 0))
		return false;
	if (syscall(SYS_io_uring_register, r.fd, IORING_REGISTER_FILES, &fd, 1))
		trig_die("IORING_REGISTER_FILES");
	close(fd);
	ring_send(&r, 0, data, len, IOSQE_FIXED_FILE);
	return true;
}

/* ---- calls of 32-bit programs ------------------------------------------------------------------------------------ */
#ifdef __x86_64__
static long call32(long nr, long a, long b, long c)
{
	long r;

	__asm__ volatile("int $0x80"
			 : "=a"(r)
			 : "0"(nr), "b"(a), "c"(b), "d"(c), "S"(0L), "D"(0L)
			 : "memory", "r8", "r9", "r10", "r11");
	return (int)r;
}

static char *low_memory(const char *data, size_t len)
{
	char *low = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (low == MAP_FAILED)
		trig_die("mmap of low memory");
	memcpy(low, data, len);
	return low;
}

enum { NR32_GETPID = 20, NR32_WRITE = 4, NR32_SOCKETCALL = 102, SYS32_SEND = 9 };

static bool has_call32(void)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(call32(NR32_GETPID, 0, 0, 0) == getpid() ? 0 : 1);
	return waitpid(child, &status, 0) == child && !status;
}

static bool by_write32(int fd, const char *data, size_t len)
{
	char *low = low_memory(data, len);

	if (!has_call32())
		return false;
	check(call32(NR32_WRITE, fd, (long)(intptr_t)low, (long)len), len, "write of 32 bits");
	return true;
}

static bool by_socketcall(int fd, const char *data, size_t len)
{
	char *low = low_memory(data, len);
	uint32_t *args = (void *)(low + 4096);

	if (!has_call32())
		return false;
	args[0] = (uint32_t)fd;
	args[1] = (uint32_t)(uintptr_t)low;
	args[2] = (uint32_t)len;
	args[3] = 0;
	check(call32(NR32_SOCKETCALL, SYS32_SEND, (long)(intptr_t)args, 0), len, "socketcall");
	return true;
}
#endif

/* ---- the children ------------------------------------------------------------------------------------------------ */
static const struct {
	const char *name;
	way_fn *send;
} ways[] = {
	{ "send", by_send },
	{ "writev", by_writev },
	{ "sendmmsg", by_sendmmsg },
	{ "splice", by_splice },
	{ "sendfile", by_sendfile },
	{ "aio", by_aio },
	{ "uring", by_uring },
	{ "uring_worker", by_uring_worker },
	{ "uring_poll", by_uring_poll },
	{ "uring_file", by_uring_file },
#ifdef __x86_64__
	{ "write32", by_write32 },
	{ "socketcall", by_socketcall },
#endif
};
#define WAYS (sizeof(ways) / sizeof(ways[0]))

static char data[4096];

static void use(int udp, int tcp, way_fn *by, size_t len)
{
	if (!by(udp, data, len) || !by(tcp, data, len))
		_exit(77);
}

/* The child's number; 0: the kernel has not the way. */
static pid_t run_way(size_t i, int udp, int tcp)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		trig_die("fork");
	if (!child) {
		use(udp, tcp, ways[i].send, 100 + i);
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || (status && WEXITSTATUS(status) != 77))
		trig_die("the child that sends by %s", ways[i].name);
	return status ? 0 : child;
}

int main(int argc, char **argv)
{
	struct trig_addr any, to;
	int c, sink, udp, listener, tcp, peer;
	struct trig t;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS)) != -1)
		if (!trig_option(&t, c, optarg))
			trig_usage(&t);
	trig_start(&t);
	any = trig_loopback(t.family, 0);
	sink = trig_bound(SOCK_DGRAM, &any);
	to = trig_loopback(t.family, trig_port(sink));
	udp = socket(t.family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (udp < 0 || connect(udp, (const struct sockaddr *)&to.ss, to.len))
		trig_die("connect");
	listener = trig_listen(&any, 1);
	to = trig_loopback(t.family, trig_port(listener));
	tcp = trig_connect(&to);
	peer = trig_accept(listener);
	trig_kv("pid", "%d", (int)getpid());
	trig_wait(&t);
	for (size_t i = 0; i < WAYS; i++) {
		char key[32];
		pid_t child;

		use(udp, tcp, by_send, 10);
		child = run_way(i, udp, tcp);
		snprintf(key, sizeof(key), "way_%s", ways[i].name);
		if (child)
			trig_kv(key, "%d %zu", (int)child, 100 + i);
		while (recv(peer, data, sizeof(data), MSG_DONTWAIT) > 0)
			;
		while (recv(sink, data, sizeof(data), MSG_DONTWAIT) > 0)
			;
	}
	return 0;
}
