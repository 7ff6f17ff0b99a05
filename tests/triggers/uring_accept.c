/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A worker accepts by io_uring from the listener of its parent and only reads: first by a request for one connection,
 * then by one for many (IORING_ACCEPT_MULTISHOT, Linux 5.19).  The parent connects, and sends when it was accepted.
 */
#include <errno.h>

#include "uring.h"

enum { WAYS = 2, BYTES = 5 };

static const char usage[] = "Prints: port, parent_pid, worker_pid, uring (connections; 0: no io_uring here).\n"
			    "A connection carries 5 bytes, to the worker.\n";

/* The second way is a request that stays, or one more of the first kind before Linux 5.19. */
static int accepted(struct uring *u, int listener, int way)
{
	struct io_uring_sqe sqe = {
		.opcode = IORING_OP_ACCEPT, .fd = listener, .ioprio = way ? IORING_ACCEPT_MULTISHOT : 0
	};
	int fd = uring_call(u, sqe);

	if (fd == -EINVAL && way) {
		sqe.ioprio = 0;
		fd = uring_call(u, sqe);
	}
	return fd;
}

static int worker(void *arg, int in, int out)
{
	const int *listener = arg;
	struct uring u = { .fd = -1 };
	char byte = 0, text[BYTES];

	byte = uring_open(&u);
	trig_put(out, &byte, 1);
	for (int way = 0; byte && way < WAYS; way++) {
		int fd;

		trig_get(in, &byte, 1);
		fd = accepted(&u, *listener, way);
		if (fd < 0)
			trig_die("io_uring accept: %d", fd);
		trig_put(out, &byte, 1);
		if (trig_recv(fd, text, sizeof(text)) != sizeof(text))
			trig_die("the parent sent less");
		trig_put(out, &byte, 1);
		close(fd);
	}
	trig_get(in, &byte, 1);
	return 0;
}

int main(int argc, char **argv)
{
	struct trig t;
	struct trig_addr a;
	struct trig_proc p;
	int listener, c;
	char byte;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS)) != -1)
		if (!trig_option(&t, c, optarg))
			trig_usage(&t);
	trig_start(&t);
	a = trig_loopback(t.family, t.port);
	listener = trig_listen(&a, 8);
	a = trig_loopback(t.family, trig_port(listener));
	trig_spawn(&p, "dw_worker", worker, &listener);
	trig_get(p.from, &byte, 1);
	trig_wait(&t);
	for (int way = 0; byte && way < WAYS; way++) {
		int fd;

		trig_put(p.to, &byte, 1);
		fd = trig_connect(&a);
		trig_get(p.from, &byte, 1);
		trig_send(fd, "hello", BYTES);
		trig_get(p.from, &byte, 1);
		close(fd);
	}
	trig_put(p.to, &byte, 1);
	trig_join(&p);
	trig_kv("port", "%d", trig_port(listener));
	trig_kv("parent_pid", "%d", getpid());
	trig_kv("worker_pid", "%d", p.pid);
	trig_kv("uring", "%d", byte ? WAYS : 0);
	return 0;
}
