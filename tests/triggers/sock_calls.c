/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sock_calls: calls on sockets of all kinds, one after the other, each known.
 *
 * Output: ports, and the numbers of descriptors that the calls returned.  What is done is the order of the lines in
 * tests/kernel/sock/calls.lib.  A pause of DELAY ms before a nonblocking connection is answered is made by the
 * listener's full queue, not by a timer.  */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "trigger.h"
#include "uring.h"

static int make(int family, int type, int protocol)
{
	int fd = socket(family, type, protocol);

	if (fd < 0)
		trig_die("socket");
	return fd;
}

static void nonblocking(const struct trig_addr *to, const char *key, int want)
{
	int fd = make(to->ss.ss_family, SOCK_STREAM | SOCK_NONBLOCK, 0), err = -1;
	socklen_t len = sizeof(err);
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	if (connect(fd, (const struct sockaddr *)&to->ss, to->len) == 0 || errno != EINPROGRESS)
		trig_die("connect did not begin");
	if (want >= 0 && poll(&p, 1, 5000) != 1)
		trig_die("poll");
	if (want >= 0 && (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) || err != want))
		trig_die("connect ended with %d", err);
	trig_kv(key, "%d", fd);
	close(fd);
}

static void pass(int fd)
{
	int pair[2];
	char byte = 'x', control[CMSG_SPACE(3 * sizeof(int))] = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	const int fds[3] = { fd, STDOUT_FILENO, fd };

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		trig_die("socketpair");
	if (!c)
		trig_die("no room");
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(c), fds, sizeof(fds));
	if (sendmsg(pair[0], &m, 0) != 1 || recvmsg(pair[1], &m, 0) != 1)
		trig_die("sendmsg");
	c = CMSG_FIRSTHDR(&m);
	if (!c)
		trig_die("nothing was passed");
	trig_kv("passed", "%d %d", pair[0], fd);
	for (size_t i = 0; i < 3; i++) {
		int got;

		memcpy(&got, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
		if (i == 0)
			trig_kv("received", "%d %d", pair[1], got);
		close(got);
	}
	close(pair[0]);
	close(pair[1]);
}

/* ---- io_uring ------------------------------------------------------------------------------------------------- */
static void by_uring(int listener, const struct trig_addr *to)
{
	struct uring u;
	int s, a;
	char byte = 'u';

	if (!uring_open(&u)) {
		trig_kv("uring", "0");
		return;
	}
	s = uring_call(
		&u, (struct io_uring_sqe){ .opcode = IORING_OP_SOCKET, .fd = AF_INET, .off = SOCK_STREAM, .len = 0 });
	if (s < 0)
		trig_die("io_uring socket: %d", s);
	if (uring_call(&u,
		    (struct io_uring_sqe){ .opcode = IORING_OP_CONNECT,
			    .fd = s,
			    .addr = (uint64_t)(uintptr_t)&to->ss,
			    .off = to->len }) != 0)
		trig_die("io_uring connect");
	a = uring_call(&u, (struct io_uring_sqe){ .opcode = IORING_OP_ACCEPT, .fd = listener });
	if (a < 0)
		trig_die("io_uring accept: %d", a);
	if (uring_call(&u,
		    (struct io_uring_sqe){
			    .opcode = IORING_OP_SEND, .fd = s, .addr = (uint64_t)(uintptr_t)&byte, .len = 1 }) != 1 ||
		recv(a, &byte, 1, 0) != 1)
		trig_die("io_uring send");
	trig_kv("uring", "%d %d", s, a);
	close(a);
	close(s);
	close(u.fd);
}

/* ---- in order ---------------------------------------------------------------------------------------------------- */
static void fill_udp(void)
{
	struct trig_addr a = trig_loopback(AF_INET, 0);
	int fd = trig_bound(SOCK_DGRAM, &a), to, size = 2304; /* the least that the kernel allows */
	char data[1000] = { 0 };

	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	to = make(AF_INET, SOCK_DGRAM, 0);
	a = trig_loopback(AF_INET, trig_port(fd));
	if (connect(to, (struct sockaddr *)&a.ss, a.len))
		trig_die("connect");
	for (int i = 0; i < 10; i++)
		if (send(to, data, sizeof(data), 0) != sizeof(data))
			trig_die("send");
	for (size = 0; recv(fd, data, sizeof(data), MSG_DONTWAIT) > 0;)
		size++;
	trig_kv("udp_port", "%u", trig_port(fd));
	trig_kv("udp_lost", "%d", 10 - size);
	close(to);
	close(fd);
}

static void other_families(void)
{
	struct sockaddr_un none = { .sun_family = AF_UNIX, .sun_path = "/nosuch/socket" };
	int un = make(AF_UNIX, SOCK_STREAM, 0), nl = make(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);

	if (connect(un, (struct sockaddr *)&none, sizeof(none)) == 0)
		trig_die("connect");
	trig_kv("unix", "%d", un);
	trig_kv("netlink", "%d", nl);
	close(un);
	close(nl);
	if (socket(AF_INET, SOCK_STREAM, 255) >= 0)
		trig_die("socket");
}

static void one_connection(int listener, const struct trig_addr *to)
{
	int c = trig_connect(to), a = trig_accept(listener);
	char buf[64];

	trig_kv("client_port", "%u", trig_port(c));
	trig_kv("accepted", "%d", a);
	trig_sleep(60);
	trig_send(c, "hello", 5);
	if (recv(a, buf, 2, MSG_PEEK) != 2 || recv(a, buf, 3, 0) != 3 || recv(a, buf, 64, 0) != 2)
		trig_die("recv");
	trig_send(a, "bye", 3);
	if (read(c, buf, 64) != 3)
		trig_die("read");
	close(c);
	close(a);
}

int main(int argc, char **argv)
{
	struct trig t;
	struct trig_addr a, closed;
	int listener, c;

	trig_init(&t, argv[0], "");
	while ((c = getopt(argc, argv, TRIG_OPTIONS)) != -1)
		if (!trig_option(&t, c, optarg))
			trig_usage(&t);
	trig_start(&t);
	trig_set_name("dw_sock");
	trig_kv("pid", "%d", (int)getpid());
	a = trig_loopback(t.family, 0);
	listener = trig_listen(&a, 7);
	a = trig_loopback(t.family, trig_port(listener));
	trig_kv("port", "%u", trig_port(listener));
	trig_kv("listener", "%d", listener);
	c = trig_bound(SOCK_STREAM, &(struct trig_addr){ .ss = trig_loopback(t.family, 0).ss, .len = a.len });
	if (bind(c, (struct sockaddr *)&a.ss, a.len) == 0)
		trig_die("bind twice");
	trig_kv("closed_port", "%u", trig_port(c));
	closed = trig_loopback(t.family, trig_port(c));
	one_connection(listener, &a);
	nonblocking(&a, "later", 0);
	close(trig_accept(listener));
	nonblocking(&closed, "refused", ECONNREFUSED);
	other_families();
	pass(listener);
	fill_udp();
	if (t.family == AF_INET)
		by_uring(listener, &a);
	fcntl(listener, F_SETFL, O_NONBLOCK);
	if (accept(listener, NULL, NULL) >= 0 || errno != EAGAIN)
		trig_die("accept");
	close(c);
	close(listener);
	return 0;
}
