/* SPDX-License-Identifier: GPL-2.0-or-later */
/* block: see block.h.
 * Input: text, or bytes of a file that anybody may have written. Output: bytes, or text of exactly the length said.
 * Invariant: numbers of a head are used only after its checksum and limits were checked. */
#include "recording/block.h"

#include <endian.h>
#include <string.h>
#include <zlib.h>

static const char magic[4] = { 'd', 'w', 'B', '1' };
#define LEVEL 1 /* measured: bench/RESULTS.md */

static void put32(unsigned char *to, uint32_t v)
{
	v = htole32(v);
	memcpy(to, &v, sizeof(v));
}

static void put64(unsigned char *to, uint64_t v)
{
	v = htole64(v);
	memcpy(to, &v, sizeof(v));
}

static uint32_t get32(const unsigned char *from)
{
	uint32_t v;

	memcpy(&v, from, sizeof(v));
	return le32toh(v);
}

static uint64_t get64(const unsigned char *from)
{
	uint64_t v;

	memcpy(&v, from, sizeof(v));
	return le64toh(v);
}

static uint32_t sum(const unsigned char *p, size_t n)
{
	return (uint32_t)crc32_z(0, p, n);
}

size_t block_room(size_t n)
{
	return compressBound(n);
}

static void put_head(const struct block *b, unsigned char *to)
{
	memcpy(to, magic, 4);
	put32(to + 4, b->flags);
	put32(to + 8, b->raw);
	put32(to + 12, b->stored);
	put64(to + 16, b->wall);
	put64(to + 24, b->lost);
	put32(to + 32, b->crc);
	put32(to + 36, sum(to, 36));
}

size_t block_pack(struct block *b, const char *text, size_t len, unsigned char *to)
{
	uLongf n = block_room(len);

	b->raw = (uint32_t)len;
	b->flags |= BLOCK_DEFLATE;
	/* Without memory, or if it gains nothing, the text stays as it is. */
	if (!len || compress2(to + BLOCK_HEAD, &n, (const Bytef *)text, len, LEVEL) != Z_OK || n >= len) {
		b->flags &= ~(uint32_t)BLOCK_DEFLATE;
		n = len;
		if (len)
			memcpy(to + BLOCK_HEAD, text, len);
	}
	b->stored = (uint32_t)n;
	b->crc = sum(to + BLOCK_HEAD, n);
	put_head(b, to);
	return BLOCK_HEAD + n;
}

bool block_head(struct block *b, const unsigned char head[BLOCK_HEAD])
{
	if (memcmp(head, magic, 4) != 0 || get32(head + 36) != sum(head, 36))
		return false;
	*b = (struct block){ .flags = get32(head + 4),
		.raw = get32(head + 8),
		.stored = get32(head + 12),
		.wall = get64(head + 16),
		.lost = get64(head + 24),
		.crc = get32(head + 32) };
	return b->raw <= BLOCK_MAX && b->stored <= b->raw;
}

size_t block_seek(const unsigned char *bytes, size_t n)
{
	const unsigned char *at = memmem(bytes, n, magic, 4);

	return at ? (size_t)(at - bytes) : n;
}

bool block_unpack(const struct block *b, const unsigned char *stored, char *to)
{
	uLongf n = b->raw;

	if (sum(stored, b->stored) != b->crc)
		return false;
	if (b->flags & BLOCK_DEFLATE)
		return uncompress((Bytef *)to, &n, stored, b->stored) == Z_OK && n == b->raw;
	if (b->stored != b->raw)
		return false;
	if (b->raw)
		memcpy(to, stored, b->raw);
	return true;
}
