/* SPDX-License-Identifier: GPL-2.0-or-later */
/* head: the beginning of a line, before its data: CPU, number and name of the probe, or with -F the function, indented
 * by entry and return. */
#ifndef DWIRE_PRINT_HEAD_H
#define DWIRE_PRINT_HEAD_H
#include "print/out.h"

/* "CPU     ID                    FUNCTION:NAME" */
void print_header(struct out *o);
/* "  0      1                           :BEGIN " */
void print_head(struct out *o, unsigned cpu, const struct image_probe *p);

struct flow { /* of one CPU */
	unsigned depth;
	const struct epid *last; /* of the line before; NULL: none */
};

/* "CPU FUNCTION" */
void flow_header(struct out *o);
/* ep: the clause of the line; next: that of the CPU's next line (NULL: not known). Clauses of one probe share an entry
 * and a return: the arrow is on the first line of an entry, on the last of a return. The same clause again is another
 * entry. */
void flow_head(struct out *o, struct flow *f, unsigned cpu, const struct image_probe *p, const struct epid *ep,
	const struct epid *next);
#endif
