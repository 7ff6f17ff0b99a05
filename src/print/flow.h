/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow: -F: lines indented by the entry and return of functions. */
#ifndef DWIRE_PRINT_FLOW_H
#define DWIRE_PRINT_FLOW_H
#include "print/print.h"

struct flow { /* of one CPU */
	unsigned depth;
	const struct epid *last; /* of the line before; NULL: none */
};

/* "CPU FUNCTION" */
void flow_header(struct out *o);
/* The line's head. ep: what it is of; next: what the CPU's next line is of (NULL: not known). Clauses of one probe
 * share an entry and a return: the arrow is on the first line of an entry, on the last of a return. The same clause
 * again is another entry. */
void flow_head(struct out *o, struct flow *f, unsigned cpu, const struct image_probe *p, const struct epid *ep,
	const struct epid *next);
#endif
