/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Request and response over a TCP connection between two processes on loopback, as fast as they go: over one, or over a
 * new one for each round, which the server closes first.
 * Output: rounds, seconds and rounds a second.
 */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -n ROUNDS  (default: for -s seconds)\n"
			    "  -s SECONDS  (default 1; -t must be longer)\n"
			    "  -k BYTES  of a request and of a response (default 1)\n"
			    "  -o  opens a connection for each round\n"
			    "  -c CPU  pins the client    -C CPU  pins the server\n"
			    "Prints: client_pid server_pid client_name server_name port client_port rounds\n"
			    "seconds rounds_per_second.\n";

struct pingpong {
	int family;
	uint16_t port;
	uint64_t rounds; /* 0: until the time is over */
	double seconds;
	unsigned int bytes;
	bool reopen;
	int client_cpu; /* -1: any */
	int server_cpu;
};

struct pingpong_result {
	uint64_t rounds;
	double seconds;
	uint16_t port;
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

static char *new_buffer(unsigned int bytes)
{
	char *buffer = malloc(bytes);

	if (!buffer)
		trig_die("malloc %u", bytes);
	memset(buffer, 'p', bytes);
	return buffer;
}

static int server(void *arg, int in, int out)
{
	const struct pingpong *p = arg;
	struct trig_addr at = trig_loopback(p->family, p->port);
	char *buffer = new_buffer(p->bytes);
	uint16_t port;
	char go;
	int listener;
	bool served;

	pin(p->server_cpu);
	trig_get(in, &go, 1);
	listener = trig_listen(&at, p->reopen ? 128 : 1);
	port = trig_port(listener);
	trig_put(out, &port, sizeof(port));
	do {
		int fd = trig_accept(listener);

		served = false;
		while (!(p->reopen && served) && trig_recv(fd, buffer, p->bytes) == p->bytes) {
			trig_send(fd, buffer, p->bytes);
			served = true;
		}
		close(fd);
	} while (p->reopen && served);
	close(listener);
	free(buffer);
	return 0;
}

static int client(void *arg, int in, int out)
{
	const struct pingpong *p = arg;
	struct pingpong_result r = { .rounds = 0 };
	char *buffer = new_buffer(p->bytes);
	struct trig_addr to;
	uint16_t port;
	double start;
	int fd;

	pin(p->client_cpu);
	trig_get(in, &port, sizeof(port));
	to = trig_loopback(p->family, port);
	fd = trig_connect(&to);
	r.port = trig_port(fd);
	start = now();
	do {
		trig_send(fd, buffer, p->bytes);
		if (trig_recv(fd, buffer, p->bytes) != p->bytes)
			trig_die("the server closed early");
		r.rounds++;
		r.seconds = now() - start;
		if (p->reopen) { /* the last one ends the server */
			close(fd);
			fd = trig_connect(&to);
		}
	} while (p->rounds ? r.rounds < p->rounds : r.seconds < p->seconds);
	close(fd);
	trig_put(out, &r, sizeof(r));
	free(buffer);
	return 0;
}

static void pingpong_run(const struct trig *t, struct pingpong *p)
{
	struct trig_proc ps, pc;
	struct pingpong_result r;
	uint16_t port;

	trig_spawn(&ps, "dw_pong", server, p);
	trig_spawn(&pc, "dw_ping", client, p);
	trig_kv("client_pid", "%d", (int)pc.pid);
	trig_kv("server_pid", "%d", (int)ps.pid);
	trig_kv("client_name", "dw_ping");
	trig_kv("server_name", "dw_pong");
	trig_wait(t);
	trig_put(ps.to, "g", 1);
	trig_get(ps.from, &port, sizeof(port));
	trig_kv("port", "%u", port);
	trig_put(pc.to, &port, sizeof(port));
	trig_get(pc.from, &r, sizeof(r));
	trig_join(&pc);
	trig_join(&ps);
	trig_kv("client_port", "%u", r.port);
	trig_kv("rounds", "%llu", (unsigned long long)r.rounds);
	trig_kv("seconds", "%.6f", r.seconds);
	trig_kv("rounds_per_second", "%.0f", (double)r.rounds / r.seconds);
}

int main(int argc, char **argv)
{
	struct pingpong p = { .seconds = 1, .bytes = 1, .client_cpu = -1, .server_cpu = -1 };
	struct trig t;
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "n:s:k:oc:C:")) != -1) {
		if (trig_option(&t, c, optarg))
			continue;
		if (c == 'n')
			p.rounds = (uint64_t)trig_number(optarg, 1, 1000000000);
		else if (c == 's')
			p.seconds = (double)trig_number(optarg, 1, 3600);
		else if (c == 'k')
			p.bytes = (unsigned int)trig_number(optarg, 1, 1 << 20);
		else if (c == 'o')
			p.reopen = true;
		else if (c == 'c')
			p.client_cpu = (int)trig_number(optarg, 0, CPU_SETSIZE - 1);
		else
			p.server_cpu = (int)trig_number(optarg, 0, CPU_SETSIZE - 1);
	}
	p.family = t.family;
	p.port = t.port;
	trig_start(&t);
	pingpong_run(&t, &p);
	return 0;
}
