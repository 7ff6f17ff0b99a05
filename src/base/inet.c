/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inet: see inet.h.
 * Input: text. Output: bytes and a mask.
 * Invariant: no bit of a network lies outside its mask. */
#include "base/inet.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The digits behind the slash, at most `most`; no sign, no blank, and nothing behind them. */
static bool prefix_of(const char *text, unsigned most, unsigned *out)
{
	char *end;
	unsigned long n;

	if (!isdigit((unsigned char)*text))
		return false;
	n = strtoul(text, &end, 10);
	*out = (unsigned)n;
	return !*end && n <= most;
}

/* An IPv4 network that is written as IPv6 (::ffff:a.b.c.d/96+n) becomes a.b.c.d/n. */
static void unmap(struct inet_net *out, uint8_t bytes[16], unsigned *prefix)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (*prefix < 96 || memcmp(bytes, mapped, sizeof(mapped)) != 0)
		return;
	memmove(bytes, bytes + 12, 4);
	memset(bytes + 4, 0, 12);
	out->v6 = false;
	*prefix -= 96;
}

/* Bits behind the prefix may be set in the text, as in 10.1.2.3/8: they are cleared. */
bool inet_net_parse(const char *text, struct inet_net *out)
{
	const char *slash = strchr(text, '/');
	size_t n = slash ? (size_t)(slash - text) : strlen(text);
	uint8_t bytes[16] = { 0 }, mask[16] = { 0 };
	char addr[INET6_ADDRSTRLEN];
	unsigned prefix;

	memset(out, 0, sizeof(*out));
	if (n >= sizeof(addr))
		return false;
	memcpy(addr, text, n);
	addr[n] = '\0';
	out->v6 = strchr(addr, ':') != NULL;
	prefix = out->v6 ? 128 : 32;
	if (inet_pton(out->v6 ? AF_INET6 : AF_INET, addr, bytes) != 1 ||
		(slash && !prefix_of(slash + 1, prefix, &prefix)))
		return false;
	if (out->v6)
		unmap(out, bytes, &prefix);
	for (unsigned i = 0; i < prefix; i++)
		mask[i / 8] |= (uint8_t)(0x80u >> (i % 8));
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] &= mask[i];
	memcpy(out->net, bytes, sizeof(bytes));
	memcpy(out->mask, mask, sizeof(mask));
	return true;
}

/* inet_pton() accepts several texts for one address; only the one that dwire prints is canonical (RFC 5952). */
unsigned inet_canonical(const char *text, uint8_t out[16])
{
	static const struct {
		int family;
		unsigned size;
	} kinds[] = { { AF_INET, 4 }, { AF_INET6, 16 } };
	char printed[INET6_ADDRSTRLEN];

	memset(out, 0, 16);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (inet_pton(kinds[i].family, text, out) == 1)
			return inet_ntop(kinds[i].family, out, printed, sizeof(printed)) && !strcmp(printed, text)
				? kinds[i].size
				: 0;
	return 0;
}
