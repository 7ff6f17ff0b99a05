/* flow: -F: lines indented by the entry and return of functions. */
#ifndef DWIRE_RUN_FLOW_H
#define DWIRE_RUN_FLOW_H
#include "run/print.h"

struct flow { /* of one CPU */
	unsigned depth;
	uint32_t last; /* probe of the line before, + 1 */
};

/* "CPU FUNCTION" */
void flow_header(struct out *o);
/* The line's head. probe: its number in the image; next: that of the CPU's next line, + 1 (0: not known). Clauses of
 * one probe share an entry and a return: the arrow is on the first line of an entry, on the last of a return. */
void flow_head(struct out *o, struct flow *f, unsigned cpu, const struct image_probe *p, uint32_t probe, uint32_t next);
#endif
