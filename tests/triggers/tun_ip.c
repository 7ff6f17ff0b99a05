/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IP packets made by hand, from a peer behind a TUN device: options, extension headers, fragments, wrong headers and
 * checksums, unknown protocols, echoes, packets to forward and ones that are too old.  Output: how many of each kind.
 *
 * Needs a network namespace of its own; turns forwarding on there.
 */
#include <errno.h>

#include "tun.h"

static const char usage[] = "Prints: pid port packets (sent in all) good (that IP may take) options fragments read "
			    "bad_checksum bad_header\n"
			    "unknown echoes forwarded too_old came_back (that the peer saw forwarded).\n";

enum { UNKNOWN_PROTO = 253, OTHER = 9 };

struct sent {
	unsigned int packets, options, fragments, bad_checksum, bad_header, unknown, echoes, forwarded, too_old;
};

static size_t udp_body(const struct tun *t, uint8_t *p, uint16_t port, size_t len)
{
	memset(p, 'u', 8 + len);
	tun_put16(p, 4000), tun_put16(p + 2, port), tun_put16(p + 4, (uint32_t)(8 + len)), tun_put16(p + 6, 0);
	tun_put16(p + 6, tun_checksum(t, IPPROTO_UDP, p, 8 + len));
	return 8 + len;
}

static void seal4(uint8_t *p, size_t head)
{
	tun_put16(p + 10, 0);
	tun_put16(p + 10, tun_fold(tun_sum(p, head, 0)));
}

/* A header with four bytes of options: nothing but padding. */
static void with_options(const struct tun *t, uint16_t port, struct sent *s)
{
	uint8_t buf[256], body[128];
	size_t n = udp_body(t, body, port, 20), head;

	(void)tun_header(t, buf, IPPROTO_UDP, n);
	if (t->family == AF_INET) {
		buf[0] = 0x46;
		tun_put16(buf + 2, (uint32_t)(24 + n));
		memset(buf + 20, 1, 3), buf[23] = 0;
		seal4(buf, 24);
		head = 24;
	} else { /* destination options: padding */
		static const uint8_t dstopts[8] = { IPPROTO_UDP, 0, 1, 4 };

		memcpy(buf + 40, dstopts, 8);
		buf[6] = 60;
		tun_put16(buf + 4, (uint32_t)(8 + n));
		head = 48;
	}
	memcpy(buf + head, body, n);
	tun_write(t, buf, head + n);
	s->options++, s->packets++;
}

/* One datagram of 1008 bytes in two fragments. */
static void in_fragments(const struct tun *t, uint16_t port, struct sent *s)
{
	uint8_t buf[1200], body[1100];
	size_t n = udp_body(t, body, port, 1000);

	for (size_t off = 0; off < n; off += 512) {
		size_t part = n - off < 512 ? n - off : 512, head;
		uint32_t more = off + part < n;

		if (t->family == AF_INET) {
			head = tun_header(t, buf, IPPROTO_UDP, part);
			tun_put16(buf + 4, 77);
			tun_put16(buf + 6, (more ? 0x2000u : 0) | (uint32_t)(off / 8));
			seal4(buf, 20);
		} else {
			head = tun_header(t, buf, 44, 8 + part);
			memset(buf + head, 0, 8);
			buf[head] = IPPROTO_UDP;
			tun_put16(buf + head + 2, (uint32_t)off | more);
			tun_put32(buf + head + 4, 77);
			head += 8;
		}
		memcpy(buf + head, body + off, part);
		tun_write(t, buf, head + part);
		s->fragments++, s->packets++;
	}
}

/* To another host behind the same device; the hops that it may still take. */
static void to_another(const struct tun *t, uint8_t hops)
{
	uint8_t buf[256];
	size_t head = tun_header(t, buf, IPPROTO_UDP, 28);

	udp_body(t, buf + head, 9, 20);
	if (t->family == AF_INET) {
		buf[8] = hops;
		buf[19] = OTHER;
		seal4(buf, 20);
	} else {
		buf[7] = hops;
		buf[39] = OTHER;
	}
	tun_write(t, buf, head + 28);
}

static void only_ipv4(const struct tun *t, struct sent *s)
{
	uint8_t buf[256];
	size_t head;

	for (int i = 0; i < 2; i++, s->bad_checksum++, s->packets++) {
		head = tun_header(t, buf, IPPROTO_UDP, 28);
		udp_body(t, buf + head, 9, 20);
		buf[10] ^= 0x55;
		tun_write(t, buf, head + 28);
	}
	for (int i = 0; i < 3; i++, s->bad_header++, s->packets++) { /* a header of 16 bytes */
		head = tun_header(t, buf, IPPROTO_UDP, 28);
		udp_body(t, buf + head, 9, 20);
		buf[0] = 0x44;
		tun_write(t, buf, head + 28);
	}
	for (int i = 0; i < 2; i++, s->unknown++, s->packets++) {
		head = tun_header(t, buf, UNKNOWN_PROTO, 28);
		memset(buf + head, 0, 28);
		tun_write(t, buf, head + 28);
	}
	for (int i = 0; i < 3; i++, s->echoes++, s->packets++) {
		head = tun_header(t, buf, IPPROTO_ICMP, 16);
		memset(buf + head, 0, 16);
		buf[head] = 8;
		tun_put16(buf + head + 6, (uint32_t)i);
		tun_put16(buf + head + 2, tun_fold(tun_sum(buf + head, 16, 0)));
		tun_write(t, buf, head + 16);
	}
}

int main(int argc, char **argv)
{
	struct sent s = { 0 };
	struct trig t;
	struct tun tun;
	struct trig_addr a;
	char data[2000];
	uint8_t packet[2048], *body;
	unsigned int got = 0, back = 0;
	int c, in;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS)) != -1)
		if (!trig_option(&t, c, optarg))
			trig_usage(&t);
	trig_start(&t);
	trig_set_name("dw_tun_ip");
	if (system("echo 1 >/proc/sys/net/ipv4/ip_forward; echo 1 >/proc/sys/net/ipv6/conf/all/forwarding;"
		   "echo 0 >/proc/sys/net/ipv4/conf/all/send_redirects; echo 0 "
		   ">/proc/sys/net/ipv4/conf/default/send_redirects") != 0)
		trig_die("cannot turn forwarding on");
	tun_open(&tun, t.family);
	a = trig_address(tun_address(t.family, true), 0);
	in = trig_bound(SOCK_DGRAM, &a);
	with_options(&tun, trig_port(in), &s);
	in_fragments(&tun, trig_port(in), &s);
	for (int i = 0; i < 3; i++, s.forwarded++, s.packets++)
		to_another(&tun, 10);
	for (int i = 0; i < 2; i++, s.too_old++, s.packets++)
		to_another(&tun, 1);
	if (t.family == AF_INET)
		only_ipv4(&tun, &s);
	trig_sleep(50);
	while (recv(in, data, sizeof(data), MSG_DONTWAIT) >= 0)
		got++;
	while (tun_read(&tun, IPPROTO_UDP, 50, packet, sizeof(packet), &body))
		back += packet[t.family == AF_INET ? 19 : 39] == OTHER;
	trig_kv("pid", "%d", (int)getpid()), trig_kv("port", "%u", trig_port(in));
	trig_kv("packets", "%u", s.packets), trig_kv("good", "%u", s.packets - s.bad_checksum - s.bad_header);
	trig_kv("options", "%u", s.options), trig_kv("fragments", "%u", s.fragments), trig_kv("read", "%u", got);
	trig_kv("bad_checksum", "%u", s.bad_checksum), trig_kv("bad_header", "%u", s.bad_header);
	trig_kv("unknown", "%u", s.unknown), trig_kv("echoes", "%u", s.echoes), trig_kv("forwarded", "%u", s.forwarded);
	trig_kv("too_old", "%u", s.too_old), trig_kv("came_back", "%u", back);
	return 0;
}
