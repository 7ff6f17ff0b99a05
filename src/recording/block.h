/* SPDX-License-Identifier: GPL-2.0-or-later */
/* block: the unit of a recording that is written, checked and lost as a whole: a head and text, deflated or plain.
 * docs/RECORD.md describes the bytes. */
#ifndef DWIRE_RECORDING_BLOCK_H
#define DWIRE_RECORDING_BLOCK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_HEAD 40u
#define BLOCK_MAX (16u << 20) /* bytes of text; a head that says more is not valid */

enum {
	BLOCK_DEFLATE = 1,  /* the text is deflated (zlib) */
	BLOCK_SEAL = 2,     /* without text: the segment is complete */
	BLOCK_PREAMBLE = 4, /* frames that an earlier segment has as well */
};

struct block {
	uint32_t flags;
	uint32_t raw;    /* bytes of the text */
	uint32_t stored; /* bytes after the head */
	uint64_t wall;   /* when it was written, ns since 1970 */
	uint64_t lost;   /* frames of the session that could not be written until then */
	uint32_t crc;    /* of the stored bytes */
};

/* Bytes that a text of n may take. */
size_t block_room(size_t n);
/* Packs the text behind its head: to has room for BLOCK_HEAD + block_room(len) bytes. b->flags, wall and lost are
 * given; the rest is filled in. Returns the bytes of head and text. */
size_t block_pack(struct block *b, const char *text, size_t len, unsigned char *to);
/* False: this is no head. */
bool block_head(struct block *b, const unsigned char head[BLOCK_HEAD]);
/* The next place in the bytes where a head may begin; n: there is none. */
size_t block_seek(const unsigned char *bytes, size_t n);
/* The text of the stored bytes into to, which has room for b->raw. False: they are damaged. */
bool block_unpack(const struct block *b, const unsigned char *stored, char *to);
#endif
