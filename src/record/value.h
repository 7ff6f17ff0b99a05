/* SPDX-License-Identifier: GPL-2.0-or-later */
/* value: one datum of a record or of an aggregation's key, decoded.
 * Input: the bytes of the record or key, and the field that says where and what the datum is. Output: struct value.
 * Invariant: no byte outside the data is read, whatever the field says. */
#ifndef DWIRE_RECORD_VALUE_H
#define DWIRE_RECORD_VALUE_H
#include "image/image.h"

struct symtext;

enum value_kind {
	VALUE_INT,   /* i; also an enum, a boolean, a pointer or a floating-point number */
	VALUE_TEXT,  /* s, len: a string, an address in text form, the name of a symbol */
	VALUE_BYTES, /* s, len: raw memory */
	VALUE_STACK, /* s, len: frames, to be named by symtext_frames() */
};

struct value {
	enum value_kind kind;
	enum field_kind field; /* what it was decoded from */
	bool is_signed;        /* VALUE_INT */
	bool is_float;         /* VALUE_INT: i holds the bytes of a float or, with size 8, of a double */
	bool trusted;          /* VALUE_TEXT: made by the script or from a number; holds nothing to escape */
	bool zone;             /* VALUE_TEXT: the name of a network namespace */
	uint8_t size;          /* VALUE_INT: 1, 2, 4 or 8 bytes */
	struct symtext *names; /* borrowed: of addresses; NULL: addresses stay numbers */
	uint64_t i;            /* extended to 64 bits by its own signedness */
	const char *s;         /* borrowed: from the data, the image, the symbols or the room */
	size_t len;
};

#define VALUE_ROOM 48

/* Where the text of a value is kept that is neither in the data nor in the image. Zeroed before its first use; it may
 * be used again for another value. */
struct value_room {
	char small[VALUE_ROOM];
	char *large; /* owned: text longer than small */
	size_t size;
};
void value_room_free(struct value_room *room);

/* What decoding needs besides the data. All pointers are borrowed. */
struct decoder {
	const struct image *image;
	const char *(*zone_name)(void *ctx, uint32_t inum); /* NULL: zones become their numbers */
	/* Of DW_STR_CONTAINER and its kin; key: the text that is kept. NULL: names are not known. */
	const char *(*box_name)(void *ctx, uint32_t tag, const char *key);
	const char *(*moved)(void *ctx); /* text of DW_STR_MOVED; NULL: none */
	struct symtext *names;           /* NULL: addresses become numbers */
	void *ctx;
	const struct value *given; /* of FIELD_GIVEN: ngiven of them */
	size_t ngiven;
};

/* Decodes a field of len bytes of data. A field outside the data becomes 0, "" or no bytes. The value is valid as long
 * as the data, and until the room is used again or the symbols are refreshed. */
void value_read(const struct decoder *dec, const struct field *f, const uint8_t *data, size_t len,
	struct value_room *room, struct value *out);
/* Of a VALUE_INT: the bits that its size keeps, without a sign: 255 for a char of -1. */
static inline uint64_t value_bits(const struct value *v)
{
	return v->size >= 8 ? v->i : v->i & ((1ull << (v->size * 8)) - 1);
}
/* Is it the name of a function or module? */
bool value_is_symbol(const struct value *v);
#endif
