/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One process accepts a connection, exchanges messages, and passes the socket to another with SCM_RIGHTS, which
 * exchanges more.  Output: who accepted, who used it afterwards, and the messages of each: the owner of a socket is
 * the process that uses it.
 */
#include <errno.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -c MESSAGES  that each of the two processes answers (default 2)\n"
			    "  -k BYTES  of a message (default 100, at most 4096)\n"
			    "Prints: pid (the client's) name acceptor_pid acceptor_name user_pid user_name port\n"
			    "client_port acceptor_messages user_messages bytes_each_way.\n"
			    "A message goes from the client to the socket's holder and back.\n";

struct pass {
	struct trig_addr at;
	int channel[2]; /* AF_UNIX pair: acceptor to user */
	unsigned int messages;
	unsigned int bytes;
};

static void give_fd(int channel, int fd)
{
	char byte = 'f';
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	memset(&control, 0, sizeof(control));
	msg.msg_control = control.space;
	msg.msg_controllen = sizeof(control.space);
	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	if (sendmsg(channel, &msg, 0) != 1)
		trig_die("sendmsg SCM_RIGHTS");
}

static int take_fd(int channel)
{
	char byte;
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	int fd;

	memset(&control, 0, sizeof(control));
	msg.msg_control = control.space;
	msg.msg_controllen = sizeof(control.space);
	if (recvmsg(channel, &msg, MSG_CMSG_CLOEXEC) != 1 || control.head.cmsg_type != SCM_RIGHTS)
		trig_die("recvmsg SCM_RIGHTS");
	memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
	return fd;
}

static void answer(const struct pass *p, int fd)
{
	char data[4096];

	for (unsigned int i = 0; i < p->messages; i++) {
		if (trig_recv(fd, data, p->bytes) != p->bytes)
			trig_die("the client closed early");
		trig_send(fd, data, p->bytes);
	}
}

static int acceptor(void *arg, int in, int out)
{
	const struct pass *p = arg;
	int listener, fd;
	uint16_t port;
	char go;

	trig_get(in, &go, 1);
	listener = trig_listen(&p->at, 1);
	port = trig_port(listener);
	trig_put(out, &port, sizeof(port));
	fd = trig_accept(listener);
	answer(p, fd);
	give_fd(p->channel[0], fd);
	close(fd);
	close(listener);
	return 0;
}

static int user(void *arg, int in, int out)
{
	const struct pass *p = arg;
	int fd = take_fd(p->channel[1]);
	char end;

	(void)in;
	(void)out;
	answer(p, fd);
	if (trig_recv(fd, &end, 1) != 0)
		trig_die("more bytes than agreed");
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	struct pass p = { .messages = 2, .bytes = 100 };
	struct trig_proc pa, pu;
	struct trig_addr to;
	char data[4096];
	struct trig t;
	uint16_t port;
	int c, fd;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "c:k:")) != -1) {
		if (trig_option(&t, c, optarg))
			continue;
		if (c == 'c')
			p.messages = (unsigned int)trig_number(optarg, 1, 100000);
		else
			p.bytes = (unsigned int)trig_number(optarg, 1, (long)sizeof(data));
	}
	trig_start(&t);
	trig_set_name("dw_client");
	p.at = trig_loopback(t.family, t.port);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p.channel) < 0)
		trig_die("socketpair");
	memset(data, 'x', sizeof(data));
	trig_spawn(&pa, "dw_acceptor", acceptor, &p);
	trig_spawn(&pu, "dw_user", user, &p);
	trig_kv("pid", "%d", (int)getpid());
	trig_kv("name", "dw_client");
	trig_kv("acceptor_pid", "%d", (int)pa.pid);
	trig_kv("acceptor_name", "dw_acceptor");
	trig_kv("user_pid", "%d", (int)pu.pid);
	trig_kv("user_name", "dw_user");
	trig_wait(&t);
	trig_put(pa.to, "g", 1);
	trig_get(pa.from, &port, sizeof(port));
	to = trig_loopback(t.family, port);
	fd = trig_connect(&to);
	trig_kv("port", "%u", port);
	trig_kv("client_port", "%u", trig_port(fd));
	for (unsigned int i = 0; i < 2 * p.messages; i++) {
		trig_send(fd, data, p.bytes);
		if (trig_recv(fd, data, p.bytes) != p.bytes)
			trig_die("the server closed early");
	}
	close(fd);
	trig_join(&pa);
	trig_join(&pu);
	trig_kv("acceptor_messages", "%u", p.messages);
	trig_kv("user_messages", "%u", p.messages);
	trig_kv("bytes_each_way", "%llu", 2ull * p.messages * p.bytes);
	return 0;
}
