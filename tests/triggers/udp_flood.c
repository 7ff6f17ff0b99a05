/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UDP datagrams on loopback as fast as they go, from several processes to one socket that nobody reads (but -s).
 * Output: what was sent. It all reaches the socket; what its buffer cannot hold is dropped there.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -n DATAGRAMS  of each sender (default 10000)\n"
			    "  -j SENDERS  (default 2, at most 64)\n"
			    "  -k BYTES  of a datagram (default 10)\n"
			    "  -s  reads at the end, when all has arrived\n"
			    "  -P  pins sender i to CPU i, modulo the CPUs that there are\n"
			    "  -d US  pause after each datagram (default 0)\n"
			    "  -r PORTS  the senders go through so many ports of theirs (default 1 each)\n"
			    "Prints: senders datagrams bytes (in all) port seconds sender_pid_0..\n";

enum { MAX_SENDERS = 64 };

struct flood {
	int family;
	uint16_t port;
	unsigned int datagrams, bytes, senders, ports, pause_us;
	bool pin, settles;
};

struct job {
	const struct flood *f;
	unsigned int number;
};

static double now(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_MONOTONIC, &ts) < 0)
		trig_die("clock_gettime");
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void pin(unsigned int number)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(number % (size_t)(cpus > 0 ? cpus : 1), &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		trig_die("pin");
}

static int sender(void *arg, int in, int out)
{
	const struct job *j = arg;
	const struct flood *f = j->f;
	struct timespec pause = { .tv_nsec = (long)f->pause_us * 1000 };
	struct trig_addr own = trig_loopback(f->family, 0), to;
	char *buffer = calloc(1, f->bytes + 1);
	int fds[256];
	uint16_t port;

	if (!buffer)
		trig_die("malloc");
	if (f->pin)
		pin(j->number);
	trig_get(in, &port, sizeof(port));
	to = trig_loopback(f->family, port);
	for (unsigned int i = 0; i < f->ports; i++)
		fds[i] = trig_bound(SOCK_DGRAM, &own);
	for (unsigned int i = 0; i < f->datagrams; i++) {
		if (sendto(fds[i % f->ports], buffer, f->bytes, 0, (struct sockaddr *)&to.ss, to.len) !=
			(ssize_t)f->bytes)
			trig_die("sendto");
		if (f->pause_us)
			nanosleep(&pause, NULL);
	}
	trig_put(out, "d", 1);
	free(buffer);
	return 0;
}

static void flood_run(const struct trig *t, const struct flood *f)
{
	struct trig_proc procs[MAX_SENDERS];
	struct job jobs[MAX_SENDERS];
	struct trig_addr at = trig_loopback(f->family, f->port);
	double start;
	uint16_t port;
	int sink;
	char byte;

	sink = trig_bound(SOCK_DGRAM, &at);
	port = trig_port(sink);
	for (unsigned int i = 0; i < f->senders; i++) {
		char key[32];

		jobs[i] = (struct job){ .f = f, .number = i };
		trig_spawn(&procs[i], "dw_flood", sender, &jobs[i]);
		snprintf(key, sizeof(key), "sender_pid_%u", i);
		trig_kv(key, "%d", (int)procs[i].pid);
	}
	trig_wait(t);
	start = now();
	for (unsigned int i = 0; i < f->senders; i++)
		trig_put(procs[i].to, &port, sizeof(port));
	for (unsigned int i = 0; i < f->senders; i++)
		trig_get(procs[i].from, &byte, 1);
	trig_kv("seconds", "%.6f", now() - start);
	for (unsigned int i = 0; i < f->senders; i++)
		trig_join(&procs[i]);
	if (f->settles)
		trig_arrived(sink, (uint64_t)f->senders * f->datagrams);
	close(sink);
	trig_kv("port", "%u", port);
	trig_kv("senders", "%u", f->senders);
	trig_kv("datagrams", "%llu", (unsigned long long)f->senders * f->datagrams);
	trig_kv("bytes", "%llu", (unsigned long long)f->senders * f->datagrams * f->bytes);
}

int main(int argc, char **argv)
{
	struct flood f = { .datagrams = 10000, .bytes = 10, .senders = 2, .ports = 1 };
	struct trig t;
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "n:j:k:Psd:r:")) != -1) {
		if (trig_option(&t, c, optarg))
			continue;
		if (c == 'n')
			f.datagrams = (unsigned int)trig_number(optarg, 1, 100000000);
		else if (c == 'j')
			f.senders = (unsigned int)trig_number(optarg, 1, MAX_SENDERS);
		else if (c == 'k')
			f.bytes = (unsigned int)trig_number(optarg, 0, 65000);
		else if (c == 'd')
			f.pause_us = (unsigned int)trig_number(optarg, 0, 999999);
		else if (c == 'r')
			f.ports = (unsigned int)trig_number(optarg, 1, 256);
		else if (c == 's')
			f.settles = true;
		else
			f.pin = true;
	}
	f.family = t.family;
	f.port = t.port;
	trig_start(&t);
	flood_run(&t, &f);
	return 0;
}
