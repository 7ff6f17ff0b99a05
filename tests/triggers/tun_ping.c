/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Echo requests of a raw socket to a peer behind a TUN device, which answers each after a while; an echo request of the
 * peer's to this host, which the kernel answers; an error of the peer's about a datagram of this host.
 *
 * Needs a network namespace of its own.  Output: how many of each, and the least time of an answer.
 */
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <time.h>

#include "tun.h"

static const char usage[] = "  -n REQUESTS  (default 3)\n"
			    "  -d MS  before each answer (default 0)\n"
			    "  -e  packets of the peer, and the requests, say that there was congestion (CE)\n"
			    "Prints: pid id seq (of the first) requests answers peer_requests kernel_answers errors\n"
			    "udp_port least_us (from a request to its answer).\n";

struct ping {
	struct tun t;
	int raw;
	uint16_t id;
	unsigned int delay_ms;
	bool ce;
	uint64_t least_ns;
};

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* A packet of the peer's with that body; its checksum is made here. */
static void from_peer(const struct ping *p, uint8_t *body, size_t size)
{
	bool v4 = p->t.family == AF_INET;
	uint8_t packet[1024];
	size_t head = tun_header(&p->t, packet, v4 ? IPPROTO_ICMP : IPPROTO_ICMPV6, size);

	if (p->ce && v4) {
		packet[1] |= 3;
		tun_put16(packet + 10, 0);
		tun_put16(packet + 10, tun_fold(tun_sum(packet, 20, 0)));
	} else if (p->ce) {
		packet[1] |= 3 << 4;
	}
	tun_put16(body + 2, 0);
	tun_put16(body + 2, v4 ? tun_fold(tun_sum(body, size, 0)) : tun_checksum(&p->t, IPPROTO_ICMPV6, body, size));
	memcpy(packet + head, body, size);
	tun_write(&p->t, packet, head + size);
}

static int raw_socket(int family, bool ce)
{
	int fd = socket(family, SOCK_RAW | SOCK_CLOEXEC, family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6), tos = 3;

	if (fd < 0)
		trig_die("a raw socket");
	if (ce &&
		(family == AF_INET ? setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos))
				   : setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &tos, sizeof(tos))) < 0)
		trig_die("type of service");
	return fd;
}

static void send_request(const struct ping *p, unsigned int seq)
{
	struct trig_addr to = trig_address(tun_address(p->t.family, false), 0);
	uint8_t m[64];

	memset(m, 'p', sizeof(m));
	m[0] = p->t.family == AF_INET ? ICMP_ECHO : ICMP6_ECHO_REQUEST;
	m[1] = m[2] = m[3] = 0;
	tun_put16(m + 4, p->id);
	tun_put16(m + 6, seq);
	if (p->t.family == AF_INET)
		tun_put16(m + 2, tun_fold(tun_sum(m, sizeof(m), 0)));
	if (sendto(p->raw, m, sizeof(m), 0, (struct sockaddr *)&to.ss, to.len) != (ssize_t)sizeof(m))
		trig_die("send a request");
}

/* The next message of that type that leaves; 0: none. */
static size_t next_message(const struct ping *p, uint8_t type, uint8_t *packet, size_t room, uint8_t **body)
{
	bool v4 = p->t.family == AF_INET;
	size_t n;

	do
		n = tun_read(&p->t, v4 ? IPPROTO_ICMP : IPPROTO_ICMPV6, 1000, packet, room, body);
	while (n && (*body)[0] != type);
	return n;
}

static bool echo(struct ping *p, unsigned int seq)
{
	bool v4 = p->t.family == AF_INET;
	uint64_t began = now(), took;
	uint8_t packet[1024], *body;
	size_t n;

	send_request(p, seq);
	n = next_message(p, v4 ? ICMP_ECHO : ICMP6_ECHO_REQUEST, packet, sizeof(packet), &body);
	if (!n)
		return false;
	trig_sleep(p->delay_ms);
	body[0] = v4 ? ICMP_ECHOREPLY : ICMP6_ECHO_REPLY;
	took = now() - began;
	from_peer(p, body, n);
	if (!p->least_ns || took < p->least_ns)
		p->least_ns = took;
	return true;
}

static bool kernel_answers(const struct ping *p)
{
	bool v4 = p->t.family == AF_INET;
	uint8_t m[16] = { v4 ? ICMP_ECHO : ICMP6_ECHO_REQUEST, 0, 0, 0, 0x12, 0x34, 0, 7 }, packet[1024], *body;

	from_peer(p, m, sizeof(m));
	return next_message(p, v4 ? ICMP_ECHOREPLY : ICMP6_ECHO_REPLY, packet, sizeof(packet), &body) != 0;
}

/* A datagram to the peer's port 4321, and its answer that nobody listens there. */
static uint16_t refused(const struct ping *p)
{
	struct trig_addr to = trig_address(tun_address(p->t.family, false), 4321);
	bool v4 = p->t.family == AF_INET;
	size_t head = v4 ? 20 : 40, n;
	uint8_t packet[1024], m[512], *body;
	int fd = socket(p->t.family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint16_t port;

	if (fd < 0 || connect(fd, (struct sockaddr *)&to.ss, to.len) < 0 || send(fd, "hello", 5, 0) != 5)
		trig_die("send a datagram");
	port = trig_port(fd);
	n = tun_read(&p->t, IPPROTO_UDP, 1000, packet, sizeof(packet), &body);
	if (!n)
		trig_die("no datagram");
	memset(m, 0, 8);
	m[0] = v4 ? ICMP_DEST_UNREACH : ICMP6_DST_UNREACH;
	m[1] = v4 ? ICMP_PORT_UNREACH : ICMP6_DST_UNREACH_NOPORT;
	memcpy(m + 8, packet, head + n);
	from_peer(p, m, 8 + head + n);
	close(fd);
	return port;
}

int main(int argc, char **argv)
{
	struct ping p = { .id = 0xbeef };
	unsigned int n = 3, answers = 0;
	struct trig t;
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "n:d:e")) != -1) {
		if (trig_option(&t, c, optarg))
			continue;
		if (c == 'n')
			n = (unsigned int)trig_number(optarg, 0, 1000);
		else if (c == 'd')
			p.delay_ms = (unsigned int)trig_number(optarg, 0, 10000);
		else
			p.ce = true;
	}
	trig_start(&t);
	tun_open(&p.t, t.family);
	p.raw = raw_socket(t.family, p.ce);
	trig_wait(&t);
	for (unsigned int i = 0; i < n; i++)
		answers += echo(&p, 100 + i);
	trig_kv("kernel_answers", "%d", (int)kernel_answers(&p));
	trig_kv("udp_port", "%d", (int)refused(&p));
	trig_kv("pid", "%d", (int)getpid());
	trig_kv("id", "%d", (int)p.id);
	trig_kv("seq", "%d", 100);
	trig_kv("requests", "%u", n);
	trig_kv("answers", "%u", answers);
	trig_kv("peer_requests", "1");
	trig_kv("errors", "1");
	trig_kv("least_us", "%llu", (unsigned long long)p.least_ns / 1000);
	return 0;
}
