/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory: an out whose text stays in memory, for printers of text whose result becomes part of something else. */
#ifndef DWIRE_PRINT_MEMORY_H
#define DWIRE_PRINT_MEMORY_H
#include "print/out.h"

struct memory_out {
	struct out *out; /* write here */
	FILE *mem;
	char *text;
	size_t len;
};

/* In style_text. options are borrowed. False: no memory; close it all the same. */
bool memory_out_open(struct memory_out *m, const struct options *options);
/* What was written since the last call; valid until more is written. It may hold NUL bytes. */
const char *memory_out_take(struct memory_out *m, size_t *len);
/* A zeroed one is fine. */
void memory_out_close(struct memory_out *m);
#endif
