/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Datagrams of a socket to itself, that wait there for a while before they are read; with a small buffer some find
 * no room.
 * Output: how many were sent and read, and the least time that one waited.
 */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -n DATAGRAMS  (default 5)\n"
			    "  -k BYTES  of each (default 700)\n"
			    "  -d MS  before they are read (default 20)\n"
			    "  -b BYTES  the socket's buffer (default: the system's)\n"
			    "Prints: pid sent received waited_us.\n";

static uint64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
	unsigned int n = 5, bytes = 700, ms = 20, got = 0;
	struct trig_addr a;
	uint64_t sent, waited;
	int room = 0, c, fd;
	struct trig t;
	char *data;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "n:k:d:b:")) != -1) {
		if (trig_option(&t, c, optarg))
			continue;
		if (c == 'n')
			n = (unsigned int)trig_number(optarg, 0, 100000);
		else if (c == 'k')
			bytes = (unsigned int)trig_number(optarg, 1, 60000);
		else if (c == 'd')
			ms = (unsigned int)trig_number(optarg, 0, 10000);
		else
			room = (int)trig_number(optarg, 1, 1 << 24);
	}
	trig_start(&t);
	a = trig_loopback(t.family, t.port);
	fd = trig_bound(SOCK_DGRAM, &a);
	if (room && setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)) < 0)
		trig_die("SO_RCVBUF");
	a = trig_loopback(t.family, trig_port(fd));
	if (connect(fd, (struct sockaddr *)&a.ss, a.len) < 0)
		trig_die("connect");
	data = calloc(1, bytes);
	if (!data)
		trig_die("calloc");
	trig_wait(&t);
	for (unsigned int i = 0; i < n; i++)
		trig_send(fd, data, bytes);
	sent = now_us();
	trig_sleep(ms);
	waited = now_us() - sent;
	while (recv(fd, data, bytes, MSG_DONTWAIT) == (ssize_t)bytes)
		got++;
	trig_kv("pid", "%d", (int)getpid());
	trig_kv("sent", "%u", n);
	trig_kv("received", "%u", got);
	trig_kv("waited_us", "%llu", (unsigned long long)waited);
	free(data);
	return 0;
}
