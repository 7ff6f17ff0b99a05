/* SPDX-License-Identifier: GPL-2.0-or-later */
/* head: see head.h.
 * Input: lines of a CPU in their order. Output: their heads.
 * Source: the columns are those of dtrace(1). */
#include "print/head.h"

#include <string.h>

#define NAME_WIDTH 41

void print_header(struct out *o)
{
	out_str(o, "CPU     ID                    FUNCTION:NAME\n");
}

/* FUNCTION:NAME is right-aligned in 32 columns. */
void print_head(struct out *o, unsigned cpu, const struct image_probe *p)
{
	size_t nfunc = strlen(p->func), nname = strlen(p->name);

	out_int(o, cpu, 3);
	out_pad(o, 1);
	out_int(o, p->id, 6);
	out_pad(o, 1);
	if (nfunc + 1 + nname < 32)
		out_pad(o, 32 - nfunc - 1 - nname);
	out_bytes(o, p->func, nfunc);
	out_bytes(o, ":", 1);
	out_bytes(o, p->name, nname);
	out_pad(o, 1);
}

/* ---- flow -------------------------------------------------------------------------------------------------------- */
void flow_header(struct out *o)
{
	out_str(o, "CPU FUNCTION");
	out_pad(o, NAME_WIDTH - sizeof("FUNCTION") + 1);
	out_str(o, "\n");
}

static bool starts(const char *s, const char *word)
{
	return !strncmp(s, word, strlen(word));
}

/* Another clause on the same probe. */
static bool shares(const struct epid *a, const struct epid *b)
{
	return a && b && a != b && a->probe == b->probe;
}

/* An entry is followed by deeper lines, a return closes them. With several clauses on a probe only the first has the
 * mark of an entry, and only the last that of a return. */
void flow_head(struct out *o, struct flow *f, unsigned cpu, const struct image_probe *p, const struct epid *ep,
	const struct epid *next)
{
	const bool call = !strcmp(p->prov, "syscall");
	const bool entry = starts(p->name, "entry") && !shares(f->last, ep);
	const bool leave = starts(p->name, "return") && !shares(next, ep);
	const char *mark = entry ? call ? " => " : " -> " : leave ? call ? " <= " : " <- " : "| ";
	size_t width;

	if (leave && f->depth)
		f->depth--;
	out_int(o, cpu, 3);
	out_pad(o, 1 + (size_t)f->depth * 2);
	out_str(o, mark);
	out_str(o, p->func);
	width = (size_t)f->depth * 2 + strlen(mark) + strlen(p->func);
	if (!entry && !leave) {
		out_str(o, ":");
		out_str(o, p->name);
		width += 1 + strlen(p->name);
	}
	out_pad(o, (width < NAME_WIDTH ? NAME_WIDTH - width : 0) + 1);
	if (entry)
		f->depth++;
	f->last = ep;
}
