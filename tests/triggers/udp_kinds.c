/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Datagrams of every kind, each kind to a port of its own: several in one call, in parts, to a group, to all, to
 * nobody, to a socket that is full, to one whose filter refuses, with a wrong checksum; UDP-Lite.  Output: the ports,
 * and how many datagrams were sent and read.
 *
 * Needs a network namespace of its own.
 */
#include <errno.h>
#include <linux/filter.h>
#include <netinet/udp.h>

#include "tun.h"

static const char usage[] = "Prints: pid, and for gso_ gro_ cork_ mcast_ bcast_ closed_ full_ filter_ csum_ lite_: "
			    "port, sent (datagrams),\n"
			    "calls and read; full_drops as the socket counts them; lite_works.\n";

enum { SIZE = 500, IPPROTO_LITE = 136, SEND_CSCOV = 10, RECV_CSCOV = 11 };

static int sock(int family, int type, int proto)
{
	int fd = socket(family, type, proto);

	if (fd < 0)
		trig_die("socket");
	return fd;
}

static void option(int fd, int level, int name, int value, const char *what)
{
	if (setsockopt(fd, level, name, &value, sizeof(value)) < 0)
		trig_die("%s", what);
}

/* A receiver on loopback, at a port that the kernel chooses. */
static int receiver(int family, uint16_t *port)
{
	struct trig_addr a = trig_loopback(family, 0);
	int fd = trig_bound(SOCK_DGRAM, &a);

	*port = trig_port(fd);
	return fd;
}

static int sender(int family, uint16_t port)
{
	struct trig_addr a = trig_loopback(family, port);
	int fd = sock(family, SOCK_DGRAM, 0);

	if (connect(fd, (struct sockaddr *)&a.ss, a.len) < 0)
		trig_die("connect");
	return fd;
}

/* Reads all there is. */
static unsigned int drain(int fd)
{
	char buf[65536];
	unsigned int n = 0;

	while (recv(fd, buf, sizeof(buf), MSG_DONTWAIT) >= 0)
		n++;
	return n;
}

static void tell(const char *kind, uint16_t port, unsigned int sent, unsigned int calls, unsigned int got)
{
	char key[32];

	snprintf(key, sizeof(key), "%s_port", kind), trig_kv(key, "%u", port);
	snprintf(key, sizeof(key), "%s_sent", kind), trig_kv(key, "%u", sent);
	snprintf(key, sizeof(key), "%s_calls", kind), trig_kv(key, "%u", calls);
	snprintf(key, sizeof(key), "%s_read", kind), trig_kv(key, "%u", got);
}

/* One call, five datagrams: read one by one, or together by a socket that asks for it. */
static void segments(int family, bool gro)
{
	char data[5 * SIZE] = { 0 };
	uint16_t port;
	int in = receiver(family, &port), out = sender(family, port);

	option(out, SOL_UDP, UDP_SEGMENT, SIZE, "UDP_SEGMENT");
	if (gro)
		option(in, SOL_UDP, UDP_GRO, 1, "UDP_GRO");
	trig_send(out, data, sizeof(data));
	trig_sleep(20);
	tell(gro ? "gro" : "gso", port, 5, 1, drain(in));
	close(in);
	close(out);
}

static void corked(int family)
{
	char data[SIZE] = { 0 };
	uint16_t port;
	int in = receiver(family, &port), out = sender(family, port);

	for (int i = 0; i < 3; i++)
		if (send(out, data, sizeof(data), i < 2 ? MSG_MORE : 0) < 0)
			trig_die("send in parts");
	trig_sleep(20);
	tell("cork", port, 1, 3, drain(in));
	close(in);
	close(out);
}

/* Two sockets of a group on " TUN_DEVICE "opback: one datagram leaves, both get it. */
static void group(int family)
{
	struct trig_addr any = trig_address(family == AF_INET ? "0.0.0.0" : "::", 0), to;
	int in[2], out = sock(family, SOCK_DGRAM, 0), dev = (int)if_nametoindex(TUN_DEVICE);
	uint16_t port = 0;
	unsigned int got = 0;

	for (int i = 0; i < 2; i++) {
		struct sockaddr_in *sin = (struct sockaddr_in *)&any.ss;

		in[i] = sock(family, SOCK_DGRAM, 0);
		option(in[i], SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR");
		sin->sin_port = htons(port); /* at the same place in both families */
		if (bind(in[i], (struct sockaddr *)&any.ss, any.len) < 0)
			trig_die("bind for a group");
		port = trig_port(in[i]);
		if (family == AF_INET) {
			struct ip_mreqn m = { .imr_ifindex = dev };

			inet_pton(AF_INET, "239.1.2.3", &m.imr_multiaddr);
			if (setsockopt(in[i], IPPROTO_IP, IP_ADD_MEMBERSHIP, &m, sizeof(m)) < 0 ||
				setsockopt(out, IPPROTO_IP, IP_MULTICAST_IF, &m, sizeof(m)) < 0)
				trig_die("group on " TUN_DEVICE);
		} else {
			struct ipv6_mreq m = { .ipv6mr_interface = (unsigned int)dev };

			inet_pton(AF_INET6, "ff02::d:1", &m.ipv6mr_multiaddr);
			if (setsockopt(in[i], IPPROTO_IPV6, IPV6_JOIN_GROUP, &m, sizeof(m)) < 0)
				trig_die("group on " TUN_DEVICE);
			option(out, IPPROTO_IPV6, IPV6_MULTICAST_IF, dev, "IPV6_MULTICAST_IF");
		}
	}
	to = trig_address(family == AF_INET ? "239.1.2.3" : "ff02::d:1", port);
	if (sendto(out, "hello", 5, 0, (struct sockaddr *)&to.ss, to.len) != 5)
		trig_die("sendto a group");
	trig_sleep(20);
	for (int i = 0; i < 2; i++)
		got += drain(in[i]), close(in[i]);
	tell("mcast", port, 1, 1, got);
	close(out);
}

static void to_all(void)
{
	struct trig_addr any = trig_address("0.0.0.0", 0), to = trig_address("127.255.255.255", 0);
	int in[2], out = sock(AF_INET, SOCK_DGRAM, 0);
	uint16_t port = 0;
	unsigned int got = 0;

	for (int i = 0; i < 2; i++) {
		in[i] = sock(AF_INET, SOCK_DGRAM, 0);
		option(in[i], SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR");
		((struct sockaddr_in *)&any.ss)->sin_port = htons(port);
		if (bind(in[i], (struct sockaddr *)&any.ss, any.len) < 0)
			trig_die("bind for all");
		port = trig_port(in[i]);
	}
	option(out, SOL_SOCKET, SO_BROADCAST, 1, "SO_BROADCAST");
	((struct sockaddr_in *)&to.ss)->sin_port = htons(port);
	if (sendto(out, "hello", 5, 0, (struct sockaddr *)&to.ss, to.len) != 5)
		trig_die("sendto all");
	trig_sleep(20);
	for (int i = 0; i < 2; i++)
		got += drain(in[i]), close(in[i]);
	tell("bcast", port, 1, 1, got);
	close(out);
}

static void closed(int family)
{
	uint16_t port;
	int fd = receiver(family, &port), out;

	close(fd);
	out = sender(family, port);
	for (int i = 0; i < 3; i++) {
		int error;
		socklen_t len = sizeof(error);

		if (send(out, "hello", 5, 0) < 0)
			trig_die("send to nobody");
		trig_sleep(5);
		getsockopt(out, SOL_SOCKET, SO_ERROR, &error, &len); /* else the next call would return it */
	}
	tell("closed", port, 3, 3, 0);
	close(out);
}

static void full(int family)
{
	char data[SIZE] = { 0 };
	uint32_t mem[16] = { 0 };
	socklen_t len = sizeof(mem);
	uint16_t port;
	int in = receiver(family, &port), out = sender(family, port);

	option(in, SOL_SOCKET, SO_RCVBUF, 4096, "SO_RCVBUF");
	for (int i = 0; i < 40; i++)
		trig_send(out, data, sizeof(data));
	trig_sleep(20);
	if (getsockopt(in, SOL_SOCKET, SO_MEMINFO, mem, &len) < 0)
		trig_die("SO_MEMINFO");
	tell("full", port, 40, 40, drain(in));
	trig_kv("full_drops", "%u", mem[8]);
	close(in);
	close(out);
}

static void refused_by_filter(int family)
{
	struct sock_filter none = BPF_STMT(BPF_RET | BPF_K, 0);
	struct sock_fprog prog = { .len = 1, .filter = &none };
	uint16_t port;
	int in = receiver(family, &port), out = sender(family, port);

	if (setsockopt(in, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog)) < 0)
		trig_die("SO_ATTACH_FILTER");
	for (int i = 0; i < 4; i++)
		trig_send(out, "hello", 5);
	trig_sleep(20);
	tell("filter", port, 4, 4, drain(in));
	close(in);
	close(out);
}

/* From the peer behind a TUN device: two good ones, three bad ones. */
static void wrong_checksum(const struct tun *t)
{
	struct trig_addr a = trig_address(tun_address(t->family, true), 0);
	int in;
	uint16_t port;

	in = trig_bound(SOCK_DGRAM, &a);
	port = trig_port(in);
	for (int i = 0; i < 5; i++) {
		uint8_t buf[128] = { 0 };
		size_t head = tun_header(t, buf, IPPROTO_UDP, 8 + 11);
		uint8_t *uh = buf + head;

		tun_put16(uh, 4000), tun_put16(uh + 2, port), tun_put16(uh + 4, 8 + 11);
		memset(uh + 8, 'h', 11);
		tun_put16(uh + 6, (uint32_t)tun_checksum(t, IPPROTO_UDP, uh, 8 + 11) ^ (i >= 2 ? 0x1234u : 0));
		tun_write(t, buf, head + 8 + 11);
	}
	trig_sleep(20);
	tell("csum", port, 5, 5, drain(in));
	close(in);
}

static void lite(int family)
{
	struct trig_addr a = trig_loopback(family, 0);
	int in = socket(family, SOCK_DGRAM, IPPROTO_LITE), out;
	uint16_t port;

	trig_kv("lite_works", "%d", in >= 0);
	if (in < 0)
		return;
	out = sock(family, SOCK_DGRAM, IPPROTO_LITE);
	if (bind(in, (struct sockaddr *)&a.ss, a.len) < 0)
		trig_die("bind for UDP-Lite");
	port = trig_port(in);
	a = trig_loopback(family, port);
	if (connect(out, (struct sockaddr *)&a.ss, a.len) < 0)
		trig_die("connect for UDP-Lite");
	option(out, IPPROTO_LITE, SEND_CSCOV, 20, "UDPLITE_SEND_CSCOV");
	for (int i = 0; i < 3; i++)
		trig_send(out, "0123456789012345678901234567890123456789", 40);
	trig_sleep(20);
	tell("lite", port, 3, 3, drain(in));
	close(in);
	close(out);
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
	trig_set_name("dw_udp_kinds");
	trig_kv("pid", "%d", (int)getpid());
	tun_open(&tun, t.family);
	segments(t.family, false);
	segments(t.family, true);
	corked(t.family);
	group(t.family);
	if (t.family == AF_INET)
		to_all();
	closed(t.family);
	full(t.family);
	refused_by_filter(t.family);
	wrong_checksum(&tun);
	lite(t.family);
	return 0;
}
