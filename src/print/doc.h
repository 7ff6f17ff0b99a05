/* SPDX-License-Identifier: GPL-2.0-or-later */
/* doc: a document of objects, lists and fields: -x oformat=json, xml, html. The caller says what begins and ends; the
 * layout, commas and escapes are done here. */
#ifndef DWIRE_PRINT_DOC_H
#define DWIRE_PRINT_DOC_H
#include "print/out.h"

#define DOC_DEPTH 16

struct doc {
	struct out *o; /* borrowed */
	enum oformat format;
	bool pretty;
	unsigned depth;
	bool filled[DOC_DEPTH];       /* by depth: something stands there already */
	const char *names[DOC_DEPTH]; /* of the object or list that is open there */
	bool list[DOC_DEPTH];
};

void doc_begin(struct doc *d);
void doc_end(struct doc *d);
/* An object: a member called name of the object that is open, or an element of the list that is (name NULL). */
void doc_open(struct doc *d, const char *name);
void doc_open_list(struct doc *d, const char *name);
/* Closes what was opened last. */
void doc_close(struct doc *d);
/* A member; of a list: an element (name NULL). */
void doc_text(struct doc *d, const char *name, const char *s, size_t len);
void doc_int(struct doc *d, const char *name, uint64_t v, bool is_signed);
#endif
