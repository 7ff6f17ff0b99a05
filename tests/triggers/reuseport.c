/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that each have a socket of their own at the same port (SO_REUSEPORT), TCP listeners and UDP: the kernel
 * chooses which of them gets a connection, a datagram.
 * Output: the ports, and for each connection and datagram the client's port and the process that got it.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] =
	"  -n PROCESSES  (default 4, at most 16)\n"
	"  -c CONNECTIONS  (default 20, at most 1000); as many datagrams\n"
	"  -m  one process makes all sockets, and then the others, which so hold them all\n"
	"Prints: client (pid) port datagram_port, worker=PID for each, tcp_CLIENTPORT=PID, udp_CLIENTPORT=PID.\n";

enum { MAX_WORKERS = 16, BYTES = 100, QUIET_MS = 300 };

/* What a worker says of what it got; port 0: the end. */
struct got {
	uint16_t port;
	bool udp;
};

/* The sockets of a worker, and what it is asked to do: has_own: others made its sockets. */
struct work {
	const struct trig *t;
	bool has_own;
	int tcp, udp;
};

static int reuse_port(int type, const struct trig_addr *at)
{
	int fd = socket(at->ss.ss_family, type, 0), on = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) < 0 ||
		bind(fd, (const struct sockaddr *)&at->ss, at->len) < 0)
		trig_die("socket with SO_REUSEPORT");
	if (type == SOCK_STREAM && listen(fd, 64) < 0)
		trig_die("listen");
	return fd;
}

static void serve(int listener, int out)
{
	char room[BYTES];
	int fd = accept(listener, NULL, NULL);
	struct got g = { 0 };

	if (fd < 0)
		trig_die("accept");
	g.port = trig_peer_port(fd);
	if (trig_recv(fd, room, BYTES) != BYTES)
		trig_die("too few bytes");
	trig_send(fd, room, BYTES);
	if (trig_recv(fd, room, 1) != 0) /* the client closes first */
		trig_die("too many bytes");
	close(fd);
	trig_put(out, &g, sizeof(g));
}

static void answer(int fd, int out)
{
	char room[BYTES];
	struct sockaddr_in6 from = { 0 }; /* the port is at the same place in both families */
	socklen_t len = sizeof(from);
	struct got g = { .udp = true };

	if (recvfrom(fd, room, BYTES, 0, (struct sockaddr *)&from, &len) != BYTES ||
		sendto(fd, room, BYTES, 0, (const struct sockaddr *)&from, len) != BYTES)
		trig_die("datagram");
	g.port = ntohs(from.sin6_port);
	trig_put(out, &g, sizeof(g));
}

/* The two sockets, at ports: 0: to be chosen. */
static void make(struct work *w, uint16_t ports[2])
{
	struct trig_addr at = trig_loopback(w->t->family, ports[0]);

	w->tcp = reuse_port(SOCK_STREAM, &at);
	at = trig_loopback(w->t->family, ports[1]);
	w->udp = reuse_port(SOCK_DGRAM, &at);
	ports[0] = trig_port(w->tcp);
	ports[1] = trig_port(w->udp);
}

/* Gets the two ports, 0: to be chosen; says them, serves until told to end. */
static int worker(void *arg, int in, int out)
{
	struct work *w = arg;
	struct pollfd p[3] = { { .fd = in, .events = POLLIN }, { .events = POLLIN }, { .events = POLLIN } };
	struct got end = { 0 };
	uint16_t ports[2] = { 0, 0 };

	trig_get(in, ports, sizeof(ports));
	if (!w->has_own)
		make(w, ports);
	p[1].fd = w->tcp;
	p[2].fd = w->udp;
	trig_put(out, ports, sizeof(ports));
	for (;;) {
		if (poll(p, 3, -1) < 0 && errno != EINTR)
			trig_die("poll");
		if (p[1].revents)
			serve(p[1].fd, out);
		if (p[2].revents)
			answer(p[2].fd, out);
		if (p[0].revents)
			break;
	}
	trig_put(out, &end, sizeof(end));
	return 0;
}

static void talk(int family, const uint16_t ports[2])
{
	char room[BYTES] = { 0 };
	struct trig_addr own = trig_loopback(family, 0), to = trig_loopback(family, ports[0]);
	int fd = trig_connect(&to);

	trig_send(fd, room, BYTES);
	if (trig_recv(fd, room, BYTES) != BYTES)
		trig_die("too few bytes");
	close(fd);
	to = trig_loopback(family, ports[1]);
	fd = trig_bound(SOCK_DGRAM, &own);
	if (sendto(fd, room, BYTES, 0, (const struct sockaddr *)&to.ss, to.len) != BYTES ||
		recv(fd, room, BYTES, 0) != BYTES)
		trig_die("datagram");
	close(fd);
}

int main(int argc, char **argv)
{
	struct trig_proc workers[MAX_WORKERS];
	uint16_t ports[2] = { 0, 0 };
	long n = 4, connections = 20;
	struct work work[MAX_WORKERS] = { 0 };
	bool master = false;
	struct trig t;
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "n:c:m")) != -1) {
		if (c == 'n')
			n = trig_number(optarg, 1, MAX_WORKERS);
		else if (c == 'c')
			connections = trig_number(optarg, 1, 1000);
		else if (c == 'm')
			master = true;
		else if (!trig_option(&t, c, optarg))
			trig_usage(&t);
	}
	trig_start(&t);
	trig_wait(&t);
	for (long i = 0; i < n; i++) {
		work[i].t = &t;
		work[i].has_own = master;
		if (master)
			make(&work[i], ports);
	}
	for (long i = 0; i < n; i++) {
		trig_spawn(&workers[i], "dw_worker", worker, &work[i]);
		trig_put(workers[i].to, ports, sizeof(ports));
		trig_get(workers[i].from, ports, sizeof(ports));
	}
	trig_kv("client", "%d", (int)getpid());
	trig_kv("port", "%u", ports[0]);
	trig_kv("datagram_port", "%u", ports[1]);
	if (master)
		trig_sleep(QUIET_MS);
	for (long i = 0; i < connections; i++)
		talk(t.family, ports);
	trig_sleep(QUIET_MS);
	for (long i = 0; i < n; i++) {
		struct got g;

		trig_kv("worker", "%d", (int)workers[i].pid);
		trig_put(workers[i].to, "q", 1);
		for (trig_get(workers[i].from, &g, sizeof(g)); g.port; trig_get(workers[i].from, &g, sizeof(g)))
			printf("%s_%u=%d\n", g.udp ? "udp" : "tcp", g.port, (int)workers[i].pid);
		trig_join(&workers[i]);
	}
	return 0;
}
