/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Datagrams that IP cuts into fragments and puts together again, one whose fragments never all come, one that has no
 * way, keepalives.  Output: how many of each.
 *
 * Needs a network namespace of its own whose lo takes 1500 bytes, and net.ipv4.ipfrag_time 1.
 */
#include <errno.h>
#include <netinet/tcp.h>

#include "tun.h"

enum { DATAGRAMS = 3, BYTES = 4000, FRAGMENTS = 3, KEEPALIVES = 1 };

static const char usage[] = "Prints: datagrams fragments broken no_route\n";

static void send_whole(void)
{
	struct trig_addr a = trig_loopback(AF_INET, 0);
	int to = trig_bound(SOCK_DGRAM, &a), from = trig_bound(SOCK_DGRAM, &a);
	char data[BYTES] = "";

	a = trig_loopback(AF_INET, trig_port(to));
	for (int i = 0; i < DATAGRAMS; i++) {
		if (sendto(from, data, sizeof(data), 0, (struct sockaddr *)&a.ss, a.len) != BYTES ||
			recv(to, data, sizeof(data), 0) != BYTES)
			trig_die("a datagram of %d bytes", BYTES);
	}
	close(to);
	close(from);
}

/* The first fragment of a datagram, and no more. */
static void send_broken(const struct tun *t)
{
	uint8_t packet[200] = { 0 };
	size_t head = tun_header(t, packet, IPPROTO_UDP, 80);

	tun_put16(packet + 4, 77);
	tun_put16(packet + 6, 0x2000);
	tun_put16(packet + 10, 0);
	tun_put16(packet + 10, tun_fold(tun_sum(packet, 20, 0)));
	tun_write(t, packet, head + 80);
}

static void send_nowhere(void)
{
	struct trig_addr a = trig_address("203.0.113.9", 9);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (sendto(fd, "x", 1, 0, (struct sockaddr *)&a.ss, a.len) >= 0 || errno != ENETUNREACH)
		trig_die("there is a way to 203.0.113.9");
	close(fd);
}

/* A connection that says nothing for a second and a half. */
static void keep_alive(void)
{
	struct trig_addr a = trig_loopback(AF_INET, 0);
	int l = trig_listen(&a, 1), c, s, on = 1, one = 1;

	a = trig_loopback(AF_INET, trig_port(l));
	c = trig_connect(&a);
	s = trig_accept(l);
	if (setsockopt(c, IPPROTO_TCP, TCP_KEEPIDLE, &one, sizeof(one)) < 0 ||
		setsockopt(c, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on)) < 0)
		trig_die("SO_KEEPALIVE");
	trig_sleep(1500);
	close(c);
	close(s);
	close(l);
	trig_sleep(50);
}

int main(int argc, char **argv)
{
	struct trig t;
	struct tun tun;
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS)) != -1)
		if (!trig_option(&t, c, optarg))
			trig_usage(&t);
	trig_start(&t);
	tun_open(&tun, AF_INET);
	trig_wait(&t);
	send_broken(&tun);
	send_whole();
	send_nowhere();
	keep_alive();
	trig_kv("datagrams", "%d", DATAGRAMS);
	trig_kv("fragments", "%d", DATAGRAMS * FRAGMENTS);
	trig_kv("broken", "1");
	trig_kv("no_route", "1");
	trig_kv("keepalives", "%d", KEEPALIVES);
	return 0;
}
