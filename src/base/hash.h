/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hash: a hash with a secret, for tables whose keys strangers choose: addresses, ports, names in packets.
 * Without the secret nobody can choose keys that share a bucket. A secret that is only the first value of a plain
 * hash is not enough: some pairs of keys collide under each.
 * Source: SipHash-1-3, Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012. */
#ifndef DWIRE_BASE_HASH_H
#define DWIRE_BASE_HASH_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct hash_secret {
	uint64_t k[2];
};

struct hash {
	uint64_t v[4];
};

/* Random bits. Where the kernel has none yet, those of a clock and an address: better than a constant. */
void hash_secret_make(struct hash_secret *s);

static inline uint64_t hash_rotate(uint64_t x, unsigned n)
{
	return x << n | x >> (64 - n);
}

static inline void hash_round(struct hash *h)
{
	uint64_t *v = h->v;

	v[0] += v[1];
	v[2] += v[3];
	v[1] = hash_rotate(v[1], 13) ^ v[0];
	v[3] = hash_rotate(v[3], 16) ^ v[2];
	v[0] = hash_rotate(v[0], 32) + v[3];
	v[2] += v[1];
	v[1] = hash_rotate(v[1], 17) ^ v[2];
	v[3] = hash_rotate(v[3], 21) ^ v[0];
	v[2] = hash_rotate(v[2], 32);
}

static inline struct hash hash_begin(const struct hash_secret *s)
{
	return (struct hash){ { s->k[0] ^ 0x736f6d6570736575, s->k[1] ^ 0x646f72616e646f6d,
		s->k[0] ^ 0x6c7967656e657261, s->k[1] ^ 0x7465646279746573 } };
}

static inline void hash_word(struct hash *h, uint64_t word)
{
	h->v[3] ^= word;
	hash_round(h);
	h->v[0] ^= word;
}

/* The rest of less than a word follows in a word with the length, so "a", "bc" and "ab", "c" differ. */
static inline void hash_bytes(struct hash *h, const void *data, size_t n)
{
	const uint8_t *p = data;
	uint64_t word = (uint64_t)n << 56;
	size_t left = n;

	for (; left >= sizeof(word); p += sizeof(word), left -= sizeof(word)) {
		uint64_t whole;

		memcpy(&whole, p, sizeof(whole));
		hash_word(h, whole);
	}
	for (size_t i = 0; i < left; i++)
		word |= (uint64_t)p[i] << 8 * i;
	hash_word(h, word);
}

static inline uint64_t hash_end(struct hash h)
{
	h.v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		hash_round(&h);
	return h.v[0] ^ h.v[1] ^ h.v[2] ^ h.v[3];
}

static inline uint64_t hash_of_bytes(const struct hash_secret *s, const void *data, size_t n)
{
	struct hash h = hash_begin(s);

	hash_bytes(&h, data, n);
	return hash_end(h);
}
#endif
