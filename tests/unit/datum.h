/* SPDX-License-Identifier: GPL-2.0-or-later */
/* datum: records and keys made by hand. A table of data becomes bytes and the fields that describe them. */
#ifndef DWIRE_TESTS_DATUM_H
#define DWIRE_TESTS_DATUM_H
#include <stdlib.h>
#include <string.h>

#include "image/image.h"

/* One datum of a record or a key. */
struct datum {
	enum field_kind kind;
	uint32_t size; /* 0: no datum */
	bool is_signed;
	uint64_t i;    /* FIELD_INT, FIELD_LIT; of a FIELD_TSTR that holds a number: that */
	const char *s; /* bytes, shorter ones are filled up with NUL; of a FIELD_TSTR: b */
	uint32_t tag;  /* FIELD_TSTR */
};

#define S8(v)                                              \
	{                                                  \
		FIELD_INT, 1, true, (uint64_t)(v), NULL, 0 \
	}
#define U8(v)                                               \
	{                                                   \
		FIELD_INT, 1, false, (uint64_t)(v), NULL, 0 \
	}
#define S16(v)                                             \
	{                                                  \
		FIELD_INT, 2, true, (uint64_t)(v), NULL, 0 \
	}
#define U16(v)                                              \
	{                                                   \
		FIELD_INT, 2, false, (uint64_t)(v), NULL, 0 \
	}
#define S32(v)                                             \
	{                                                  \
		FIELD_INT, 4, true, (uint64_t)(v), NULL, 0 \
	}
#define U32(v)                                              \
	{                                                   \
		FIELD_INT, 4, false, (uint64_t)(v), NULL, 0 \
	}
#define S64(v)                                             \
	{                                                  \
		FIELD_INT, 8, true, (uint64_t)(v), NULL, 0 \
	}
#define U64(v)                                              \
	{                                                   \
		FIELD_INT, 8, false, (uint64_t)(v), NULL, 0 \
	}
#define LIT(n)                                    \
	{                                         \
		FIELD_LIT, 4, false, (n), NULL, 0 \
	}
#define CHARS(n, s)                                \
	{                                          \
		FIELD_CHARS, (n), false, 0, (s), 0 \
	}
#define BYTES(n, s)                                \
	{                                          \
		FIELD_BYTES, (n), false, 0, (s), 0 \
	}
#define TNONE                                                                 \
	{                                                                     \
		FIELD_TSTR, sizeof(struct dw_tstr), false, 0, "", DW_STR_NONE \
	}
#define TLIT(n)                                                                  \
	{                                                                        \
		FIELD_TSTR, sizeof(struct dw_tstr), false, (n), NULL, DW_STR_LIT \
	}
#define ZONE(n)                                                                   \
	{                                                                         \
		FIELD_TSTR, sizeof(struct dw_tstr), false, (n), NULL, DW_STR_ZONE \
	}
#define IP4(b)                                                                \
	{                                                                     \
		FIELD_TSTR, sizeof(struct dw_tstr), false, 0, (b), DW_STR_IP4 \
	}
#define IP6(b)                                                                \
	{                                                                     \
		FIELD_TSTR, sizeof(struct dw_tstr), false, 0, (b), DW_STR_IP6 \
	}

static inline size_t datum_put(const struct datum *d, uint8_t *p)
{
	struct dw_tstr t = { .tag = d->tag };
	uint32_t n = (uint32_t)d->i;

	memset(p, 0, d->size);
	switch (d->kind) {
	case FIELD_SYM:
	case FIELD_MOD:
		memcpy(p, &d->i, sizeof(d->i));
		break;
	case FIELD_USYM:
	case FIELD_UMOD:
	case FIELD_UADDR: /* of process tag */
		memcpy(p, &t.tag, sizeof(t.tag));
		memcpy(p + 8, &d->i, sizeof(d->i));
		break;
	case FIELD_INT:
	case FIELD_LIT:
	case FIELD_GIVEN:
		memcpy(p, &d->i, d->size); /* little endian; the machines of the tests are */
		break;
	case FIELD_TSTR:
		if (d->s)
			memcpy(t.b, d->s, d->tag == DW_STR_IP6 ? 16 : d->tag == DW_STR_IP4 ? 4 : 0);
		else
			memcpy(t.b, &n, sizeof(n));
		memcpy(p, &t, sizeof(t));
		break;
	case FIELD_CHARS:
	case FIELD_BYTES:
	case FIELD_REST:
	case FIELD_STACK:
	case FIELD_USTACK:
	case FIELD_UCOPY:
		/* s may hold NUL bytes: BYTES gives all of them. */
		memcpy(p, d->s, d->kind != FIELD_CHARS ? d->size : strnlen(d->s, d->size));
		break;
	}
	return d->size;
}

/* Lays data out from off on; returns the end. fields gets as many elements as there are data. */
static inline size_t data_put(
	const struct datum *d, size_t max, struct field *fields, size_t *n, uint8_t *p, size_t off)
{
	for (*n = 0; *n < max && d[*n].size; (*n)++) {
		fields[*n] = (struct field){
			.kind = d[*n].kind, .off = (uint32_t)off, .size = d[*n].size, .is_signed = d[*n].is_signed
		};
		off += datum_put(&d[*n], p + off);
	}
	return off;
}
#endif
