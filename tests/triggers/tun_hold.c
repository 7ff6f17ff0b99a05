/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device that is slow: a TUN device whose other end takes each datagram only some time after it was sent.
 * Output: how long the device had each of them, at least, as the program measured it itself.
 *
 * Needs a network namespace of its own.
 */
#include <time.h>

#include "tun.h"

static const char usage[] = "  -n DATAGRAMS  (default 3)\n"
			    "  -k BYTES  of each (default 1000)\n"
			    "  -d MS  from the last one to when they are taken (default 40)\n"
			    "Prints: pid datagrams taken bytes (of the IP packets) least_us most_us.\n";

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void send_all(const struct tun *t, unsigned int n, size_t size)
{
	struct trig_addr to = trig_address(tun_address(t->family, false), 9);
	int fd = socket(t->family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	static const uint8_t data[1400];

	if (fd < 0)
		trig_die("socket");
	for (unsigned int i = 0; i < n; i++)
		if (sendto(fd, data, size, 0, (struct sockaddr *)&to.ss, to.len) != (ssize_t)size)
			trig_die("send a datagram");
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned int n = 3, ms = 40, taken = 0;
	uint64_t first, last, least, most;
	size_t size = 1000, bytes = 0, got;
	uint8_t packet[2048], *body;
	struct trig t;
	struct tun tun;
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "n:k:d:")) != -1) {
		if (trig_option(&t, c, optarg))
			continue;
		if (c == 'n')
			n = (unsigned int)trig_number(optarg, 1, 400);
		else if (c == 'k')
			size = (size_t)trig_number(optarg, 1, 1400);
		else
			ms = (unsigned int)trig_number(optarg, 0, 10000);
	}
	trig_start(&t);
	trig_set_name("tun_hold");
	tun_open(&tun, t.family);
	trig_wait(&t);
	first = now_us();
	send_all(&tun, n, size);
	last = now_us();
	trig_sleep(ms);
	least = now_us() - last;
	while (taken < n && (got = tun_read(&tun, IPPROTO_UDP, 1000, packet, sizeof(packet), &body)) != 0) {
		taken++;
		bytes += got + (tun.family == AF_INET ? 20 : 40);
	}
	most = now_us() - first;
	close(tun.fd);
	trig_kv("pid", "%d", (int)getpid());
	trig_kv("datagrams", "%u", n);
	trig_kv("taken", "%u", taken);
	trig_kv("bytes", "%zu", bytes);
	trig_kv("least_us", "%llu", (unsigned long long)least);
	trig_kv("most_us", "%llu", (unsigned long long)most);
	return 0;
}
