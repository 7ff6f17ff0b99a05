/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tpformat: parses the format file of a tracepoint: the fields of its record. */
#ifndef DWIRE_KERNEL_TPFORMAT_H
#define DWIRE_KERNEL_TPFORMAT_H
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

enum tpplace {
	TP_WORD,  /* 1, 2, 4 or 8 bytes */
	TP_ARRAY, /* size bytes: elements, or a structure */
	TP_TEXT,  /* size bytes: characters */
	/* A word: the upper half is the number of bytes, the lower half their offset in the record. */
	TP_DYNAMIC,
	TP_DYNTEXT
};

struct tpfield {
	const char *name;
	const char *type; /* without qualifiers, stars and brackets: "unsigned int", "struct x", "pid_t" */
	unsigned stars;
	enum tpplace place;
	uint32_t off, size; /* in the record, bytes */
	uint32_t elem;      /* TP_ARRAY: bytes of an element; 0: there is one, or the file does not say how many */
	bool is_signed;
	bool relative; /* TP_DYNAMIC, TP_DYNTEXT: the offset counts from the field's end, not the record's start */
};
struct tpformat {
	struct tpfield *fields; /* without the fields common to all records */
	size_t n;
};

/* Parses the text of a format file. 0; -EINVAL: it is not one. The arena owns the fields and texts of *out. */
int tpformat_parse(struct arena *a, const char *text, struct tpformat *out) __attribute__((warn_unused_result));
#endif
