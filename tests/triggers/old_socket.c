/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens its sockets first - a listener, a TCP connection and a pair of connected UDP sockets, in two processes - and
 * sends only after SIGUSR1 or a byte on stdin.  Output: pids and ports before the wait, what was sent after it.
 * For a tracer that starts in between: it must find the owners of sockets that it never saw opened.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -c MESSAGES  each way, over TCP and over UDP (default 3)\n"
			    "  -k BYTES  of a message (default 100, at most 4096)\n"
			    "Always waits, as with -w.  Prints before: client_pid server_pid client_name\n"
			    "server_name port client_port udp_port udp_client_port ready; after: tcp_bytes\n"
			    "udp_bytes (each way), udp_datagrams (each way).\n";

struct old {
	int family;
	uint16_t port;
	unsigned int messages;
	unsigned int bytes;
};

struct ports {
	uint16_t tcp;
	uint16_t udp;
};

static int udp_socket(int family, uint16_t *port)
{
	struct trig_addr at = trig_loopback(family, 0);
	int fd = trig_bound(SOCK_DGRAM, &at);

	*port = trig_port(fd);
	return fd;
}

static void udp_connect(int fd, int family, uint16_t port)
{
	struct trig_addr to = trig_loopback(family, port);

	if (connect(fd, (const struct sockaddr *)&to.ss, to.len) < 0)
		trig_die("connect a UDP socket to port %u", port);
}

/* One message each way over both sockets; `first` says who speaks first. */
static void exchange(int tcp, int udp, char *data, unsigned int bytes, bool first)
{
	const int fds[2] = { tcp, udp };

	for (unsigned int i = 0; i < 2; i++) {
		if (first)
			trig_send(fds[i], data, bytes);
		/* A datagram is read whole by one recv, so trig_recv's loop ends at once. */
		if (trig_recv(fds[i], data, bytes) != bytes)
			trig_die("the peer closed early");
		if (!first)
			trig_send(fds[i], data, bytes);
	}
}

static int server(void *arg, int in, int out)
{
	const struct old *o = arg;
	struct trig_addr at = trig_loopback(o->family, o->port);
	int listener = trig_listen(&at, 1), tcp, udp;
	struct ports mine = { .tcp = trig_port(listener) }, theirs;
	char data[4096];

	udp = udp_socket(o->family, &mine.udp);
	trig_put(out, &mine, sizeof(mine));
	tcp = trig_accept(listener);
	trig_get(in, &theirs, sizeof(theirs));
	udp_connect(udp, o->family, theirs.udp);
	trig_put(out, "r", 1);
	for (unsigned int i = 0; i < o->messages; i++)
		exchange(tcp, udp, data, o->bytes, false);
	if (trig_recv(tcp, data, 1) != 0)
		trig_die("more bytes than agreed");
	close(tcp);
	close(udp);
	close(listener);
	return 0;
}

int main(int argc, char **argv)
{
	struct old o = { .messages = 3, .bytes = 100 };
	struct ports mine, theirs;
	struct trig_proc ps;
	struct trig_addr to;
	char data[4096], ready;
	struct trig t;
	int c, tcp, udp;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "c:k:")) != -1) {
		if (trig_option(&t, c, optarg))
			continue;
		if (c == 'c')
			o.messages = (unsigned int)trig_number(optarg, 1, 100000);
		else
			o.bytes = (unsigned int)trig_number(optarg, 1, (long)sizeof(data));
	}
	o.family = t.family;
	o.port = t.port;
	trig_start(&t);
	trig_set_name("dw_old_client");
	memset(data, 'x', sizeof(data));
	trig_spawn(&ps, "dw_old_server", server, &o);
	trig_get(ps.from, &theirs, sizeof(theirs));
	to = trig_loopback(o.family, theirs.tcp);
	tcp = trig_connect(&to);
	mine.tcp = trig_port(tcp);
	udp = udp_socket(o.family, &mine.udp);
	udp_connect(udp, o.family, theirs.udp);
	trig_put(ps.to, &mine, sizeof(mine));
	trig_get(ps.from, &ready, 1);
	trig_kv("client_pid", "%d", (int)getpid());
	trig_kv("server_pid", "%d", (int)ps.pid);
	trig_kv("client_name", "dw_old_client");
	trig_kv("server_name", "dw_old_server");
	trig_kv("port", "%u", theirs.tcp);
	trig_kv("client_port", "%u", mine.tcp);
	trig_kv("udp_port", "%u", theirs.udp);
	trig_kv("udp_client_port", "%u", mine.udp);
	trig_wait_always();
	for (unsigned int i = 0; i < o.messages; i++)
		exchange(tcp, udp, data, o.bytes, true);
	close(tcp);
	close(udp);
	trig_join(&ps);
	trig_kv("tcp_bytes", "%u", o.messages * o.bytes);
	trig_kv("udp_bytes", "%u", o.messages * o.bytes);
	trig_kv("udp_datagrams", "%u", o.messages);
	return 0;
}
