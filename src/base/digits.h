/* SPDX-License-Identifier: GPL-2.0-or-later */
/* digits: decimal digits of a number, eight at once: a stream has several numbers in each row. */
#ifndef DWIRE_BASE_DIGITS_H
#define DWIRE_BASE_DIGITS_H
#include <stdint.h>
#include <string.h>

#define DIGITS_ROOM 32 /* bytes that digits_put() may touch */
#define DIGITS_EIGHT 100000000u

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first digit is in the lowest byte");

/* The eight digits of v < 10^8, as numbers from 0 to 9, the first in the lowest byte. Lanes of 32, then 16, then 8 bits
 * are divided together: x * 10486 >> 20 is x / 100 for x < 10,000, and x * 103 >> 10 is x / 10 for x < 100. */
static inline uint64_t digits_eight(uint32_t v)
{
	uint64_t w = v / 10000 | (uint64_t)(v % 10000) << 32;
	uint64_t high = w * 10486 >> 20 & 0x0000007f0000007full;

	w = high | (w - high * 100) << 16;
	high = w * 103 >> 10 & 0x000f000f000f000full;
	return high | (w - high * 10) << 8;
}

static inline char *digits_all(char *p, uint32_t v)
{
	const uint64_t digits = digits_eight(v) | 0x3030303030303030ull;

	memcpy(p, &digits, sizeof(digits));
	return p + 8;
}

/* How many digits v < 10^8 has. Comparisons, since what is written next waits for where these digits end. */
static inline unsigned digits_length(uint32_t v)
{
	return 1u + (v >= 10) + (v >= 100) + (v >= 1000) + (v >= 10000) + (v >= 100000) + (v >= 1000000) +
		(v >= 10000000);
}

/* Without zeros before them. */
static inline char *digits_some(char *p, uint32_t v)
{
	const unsigned n = digits_length(v);
	const uint64_t text = (digits_eight(v) | 0x3030303030303030ull) >> (64 - 8 * n);

	memcpy(p, &text, sizeof(text));
	return p + n;
}

/* Writes the digits of v at p, where there are DIGITS_ROOM bytes; no NUL. Returns their end. */
static inline char *digits_put(char *p, uint64_t v)
{
	const uint64_t top = v / DIGITS_EIGHT;

	if (v < 10) {
		*p = (char)('0' + v);
		return p + 1;
	}
	if (v < DIGITS_EIGHT)
		return digits_some(p, (uint32_t)v);
	if (top < DIGITS_EIGHT)
		p = digits_some(p, (uint32_t)top);
	else
		p = digits_all(digits_some(p, (uint32_t)(top / DIGITS_EIGHT)), (uint32_t)(top % DIGITS_EIGHT));
	return digits_all(p, (uint32_t)(v % DIGITS_EIGHT));
}
#endif
