/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * UDP datagrams from one socket to an address, connected or not, one call each or several cut from one (UDP_SEGMENT).
 * Output: how many, and the time of each call to the next.
 */
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trigger.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif

static const char usage[] =
	"  -a ADDRESS  (default: loopback)\n"
	"  -n CALLS  (default 1)\n"
	"  -k BYTES  of a call (default 100)\n"
	"  -g BYTES  the kernel is to cut each call's data into datagrams of so many\n"
	"  -d MS  pause after each call (default 0)\n"
	"Prints: pid port calls failed datagrams bytes (of all datagrams) span_us (that all calls took).\n";

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
	unsigned int n = 1, bytes = 100, pause_ms = 0, failed = 0;
	int cut = 0, c, fd;
	const char *address = NULL;
	struct trig_addr to;
	struct trig t;
	uint64_t span;
	char *data;

	trig_init(&t, argv[0], usage);
	t.port = 9;
	while ((c = getopt(argc, argv, TRIG_OPTIONS "a:n:k:g:d:")) != -1) {
		if (trig_option(&t, c, optarg))
			continue;
		if (c == 'a')
			address = optarg;
		else if (c == 'n')
			n = (unsigned int)trig_number(optarg, 0, 1000000);
		else if (c == 'k')
			bytes = (unsigned int)trig_number(optarg, 1, 65000);
		else if (c == 'g')
			cut = (int)trig_number(optarg, 1, 65000);
		else
			pause_ms = (unsigned int)trig_number(optarg, 0, 10000);
	}
	trig_start(&t);
	to = address ? trig_address(address, t.port) : trig_loopback(t.family, t.port);
	fd = socket(to.ss.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		trig_die("socket");
	if (cut && setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &cut, sizeof(cut)) < 0)
		trig_die("UDP_SEGMENT");
	data = calloc(1, bytes);
	if (!data)
		trig_die("calloc");
	trig_wait(&t);
	span = now_us();
	for (unsigned int i = 0; i < n; i++) {
		if (sendto(fd, data, bytes, 0, (struct sockaddr *)&to.ss, to.len) != (ssize_t)bytes)
			failed++;
		if (pause_ms)
			trig_sleep(pause_ms);
	}
	span = now_us() - span;
	trig_kv("pid", "%d", (int)getpid());
	trig_kv("port", "%d", (int)trig_port(fd));
	trig_kv("calls", "%u", n);
	trig_kv("failed", "%u", failed);
	trig_kv("datagrams", "%u", cut ? n * ((bytes + (unsigned int)cut - 1) / (unsigned int)cut) : n);
	trig_kv("bytes", "%u", n * bytes);
	trig_kv("span_us", "%llu", (unsigned long long)span);
	free(data);
	return 0;
}
