/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host behind a TUN device that exists only in the trigger: it sends what it likes, and sees all that leaves.
 *
 * Input: the family.  Output: packets.  Invariant: the device is made in the namespace of the process and goes with it;
 * its local address is 10.214.0.1 or fd00:d:2::1, the peer's ends with 2.
 */
#ifndef DWIRE_TESTS_TUN_H
#define DWIRE_TESTS_TUN_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "trigger.h"

#define TUN_DEVICE "dwtun"

struct tun {
	int fd;
	int family;
	uint8_t local[16], peer[16]; /* addresses as in a header */
};

static inline const char *tun_address(int family, bool local)
{
	return family == AF_INET ? (local ? "10.214.0.1" : "10.214.0.2") : local ? "fd00:d:2::1" : "fd00:d:2::2";
}

static inline void tun_open(struct tun *t, int family)
{
	struct ifreq ifr;
	int status;

	t->family = family;
	inet_pton(family, tun_address(family, true), t->local);
	inet_pton(family, tun_address(family, false), t->peer);
	t->fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	if (t->fd < 0)
		trig_die("/dev/net/tun");
	memset(&ifr, 0, sizeof(ifr));
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", TUN_DEVICE);
	ifr.ifr_flags = IFF_TUN | IFF_NO_PI;
	if (ioctl(t->fd, TUNSETIFF, &ifr) < 0)
		trig_die("TUNSETIFF");
	status = system("ip link set dev " TUN_DEVICE " up && ip addr add 10.214.0.1/24 dev " TUN_DEVICE
			" && ip addr add fd00:d:2::1/64 dev " TUN_DEVICE " nodad");
	if (status != 0)
		trig_die("cannot set up " TUN_DEVICE);
	trig_sleep(100); /* IPv6 learns of the carrier a moment later */
}

/* The internet checksum's running sum. */
static inline uint32_t tun_sum(const void *data, size_t size, uint32_t sum)
{
	const uint8_t *p = data;

	for (size_t i = 0; i + 1 < size; i += 2)
		sum += (uint32_t)(p[i] << 8 | p[i + 1]);
	if (size % 2)
		sum += (uint32_t)p[size - 1] << 8;
	return sum;
}

static inline uint16_t tun_fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static inline void tun_put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void tun_put32(uint8_t *p, uint32_t v)
{
	tun_put16(p, v >> 16);
	tun_put16(p + 2, v);
}

static inline uint32_t tun_get16(const uint8_t *p)
{
	return (uint32_t)(p[0] << 8 | p[1]);
}

static inline uint32_t tun_get32(const uint8_t *p)
{
	return tun_get16(p) << 16 | tun_get16(p + 2);
}

/* Checksum of a TCP, UDP or ICMPv6 body between the peer and the host. */
static inline uint16_t tun_checksum(const struct tun *t, uint8_t proto, const uint8_t *body, size_t size)
{
	size_t n = t->family == AF_INET ? 4 : 16;
	uint32_t sum = (uint32_t)proto + (uint32_t)size;

	sum = tun_sum(t->local, n, sum);
	sum = tun_sum(t->peer, n, sum);
	return tun_fold(tun_sum(body, size, sum));
}

static inline void tun_write(const struct tun *t, const uint8_t *packet, size_t size)
{
	if (write(t->fd, packet, size) != (ssize_t)size)
		trig_die("write to " TUN_DEVICE);
}

/* Writes the IP header for a body of that size before it: 20 or 40 bytes at p. */
static inline size_t tun_header(const struct tun *t, uint8_t *p, uint8_t proto, size_t size)
{
	if (t->family == AF_INET) {
		memset(p, 0, 20);
		p[0] = 0x45;
		tun_put16(p + 2, (uint32_t)(20 + size));
		p[8] = 64;
		p[9] = proto;
		memcpy(p + 12, t->peer, 4);
		memcpy(p + 16, t->local, 4);
		tun_put16(p + 10, tun_fold(tun_sum(p, 20, 0)));
		return 20;
	}
	memset(p, 0, 40);
	p[0] = 0x60;
	tun_put16(p + 4, (uint32_t)size);
	p[6] = proto;
	p[7] = 64;
	memcpy(p + 8, t->peer, 16);
	memcpy(p + 24, t->local, 16);
	return 40;
}

/* The next packet of that protocol that leaves, within the time: its body's place and size; 0: none. */
static inline size_t tun_read(
	const struct tun *t, uint8_t proto, unsigned int ms, uint8_t *packet, size_t room, uint8_t **body)
{
	struct pollfd pfd = { .fd = t->fd, .events = POLLIN };
	size_t head = t->family == AF_INET ? 20 : 40;

	for (;;) {
		int r = poll(&pfd, 1, (int)ms);
		ssize_t n;

		if (r <= 0)
			return 0;
		n = read(t->fd, packet, room);
		if (n < (ssize_t)head || packet[0] >> 4 != (t->family == AF_INET ? 4 : 6) ||
			packet[t->family == AF_INET ? 9 : 6] != proto)
			continue;
		*body = packet + head;
		return (size_t)n - head;
	}
}
#endif
