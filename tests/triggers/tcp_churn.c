/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One connection after the other between two processes on loopback: connect, a request, a response, close.
 * Output: connections, seconds and connections a second.
 */
#include <errno.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -n CONNECTIONS  (default: for -s seconds)\n"
			    "  -s SECONDS  (default 1; -t must be longer)\n"
			    "  -c CPU  pins the client    -C CPU  pins the server\n"
			    "Prints: client_pid server_pid client_name server_name port connections seconds\n"
			    "connections_per_second.\n";

struct churn {
	int family;
	uint16_t port;
	uint64_t connections; /* 0: until the time is over */
	double seconds;
	int client_cpu; /* -1: any */
	int server_cpu;
};

struct churn_result {
	uint64_t connections;
	double seconds;
};

static void pin(int cpu)
{
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		trig_die("pin to CPU %d", cpu);
}

static double now(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_MONOTONIC, &ts) < 0)
		trig_die("clock_gettime");
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Serves until a connection ends without a request. */
static int server(void *arg, int in, int out)
{
	const struct churn *p = arg;
	struct trig_addr at = trig_loopback(p->family, p->port);
	uint16_t port;
	bool more = true;
	char byte;
	int listener;

	pin(p->server_cpu);
	trig_get(in, &byte, 1);
	listener = trig_listen(&at, 128);
	port = trig_port(listener);
	trig_put(out, &port, sizeof(port));
	while (more) {
		int fd = trig_accept(listener);

		more = trig_recv(fd, &byte, 1) == 1;
		if (more)
			trig_send(fd, &byte, 1);
		close(fd);
	}
	close(listener);
	return 0;
}

static int client(void *arg, int in, int out)
{
	const struct churn *p = arg;
	struct churn_result r = { .connections = 0 };
	struct trig_addr to;
	uint16_t port;
	char byte = 'c';
	double start;

	pin(p->client_cpu);
	trig_get(in, &port, sizeof(port));
	to = trig_loopback(p->family, port);
	start = now();
	do {
		int fd = trig_connect(&to);

		trig_send(fd, &byte, 1);
		if (trig_recv(fd, &byte, 1) != 1)
			trig_die("the server closed early");
		close(fd);
		r.connections++;
		r.seconds = now() - start;
	} while (p->connections ? r.connections < p->connections : r.seconds < p->seconds);
	close(trig_connect(&to)); /* ends the server */
	trig_put(out, &r, sizeof(r));
	return 0;
}

static void churn_run(const struct trig *t, struct churn *p)
{
	struct trig_proc ps, pc;
	struct churn_result r;
	uint16_t port;

	trig_spawn(&ps, "dw_server", server, p);
	trig_spawn(&pc, "dw_churn", client, p);
	trig_kv("client_pid", "%d", (int)pc.pid);
	trig_kv("server_pid", "%d", (int)ps.pid);
	trig_kv("client_name", "dw_churn");
	trig_kv("server_name", "dw_server");
	trig_wait(t);
	trig_put(ps.to, "g", 1);
	trig_get(ps.from, &port, sizeof(port));
	trig_kv("port", "%u", port);
	trig_put(pc.to, &port, sizeof(port));
	trig_get(pc.from, &r, sizeof(r));
	trig_join(&pc);
	trig_join(&ps);
	trig_kv("connections", "%llu", (unsigned long long)r.connections);
	trig_kv("seconds", "%.6f", r.seconds);
	trig_kv("connections_per_second", "%.0f", (double)r.connections / r.seconds);
}

int main(int argc, char **argv)
{
	struct churn p = { .seconds = 1, .client_cpu = -1, .server_cpu = -1 };
	struct trig t;
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "n:s:c:C:")) != -1) {
		if (trig_option(&t, c, optarg))
			continue;
		if (c == 'n')
			p.connections = (uint64_t)trig_number(optarg, 1, 1000000000);
		else if (c == 's')
			p.seconds = (double)trig_number(optarg, 1, 3600);
		else if (c == 'c')
			p.client_cpu = (int)trig_number(optarg, 0, CPU_SETSIZE - 1);
		else
			p.server_cpu = (int)trig_number(optarg, 0, CPU_SETSIZE - 1);
	}
	p.family = t.family;
	p.port = t.port;
	trig_start(&t);
	churn_run(&t, &p);
	return 0;
}
