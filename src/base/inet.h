/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inet: parses networks: "10.0.0.0/8", "2001:db8::/32", or a single address. */
#ifndef DWIRE_BASE_INET_H
#define DWIRE_BASE_INET_H
#include <stdbool.h>
#include <stdint.h>

struct inet_net {
	bool v6;
	uint64_t net[2], mask[2]; /* as the bytes lie in memory; IPv4: the low 4 bytes of the first */
};

/* Bits beyond the prefix are cleared. ::ffff:a.b.c.d becomes the IPv4 address, as it does for sockets. False: not a
 * network. */
bool inet_net_parse(const char *text, struct inet_net *out);

/* If the text is an address exactly as inet_ntop() prints it, writes its bytes to out and returns their number, 4 or
 * 16; else 0. */
unsigned inet_canonical(const char *text, uint8_t out[16]);
#endif
