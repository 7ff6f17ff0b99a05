/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spec: records of speculations.
 * Input: records from the rings, in order of time. Output: the records of a speculation, in that order.
 * Invariant: a speculation holds at most size bytes of each CPU; further records are dropped and counted. */
#include "consume/spec.h"

#include <stdlib.h>
#include <string.h>

#define CPUS_MAX 4096u

/* end points to the last record's next, or to first. */
struct spec {
	struct spec_rec *first, **end;
	uint64_t *used; /* by CPU */
	unsigned ncpus;
};

struct specs {
	struct spec *v;
	uint32_t n;
	uint64_t size;
	uint64_t drops;
};

struct specs *specs_new(uint32_t n, uint64_t size)
{
	struct specs *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->v = calloc(n + 1u, sizeof(*s->v));
	s->n = n;
	s->size = size;
	if (!s->v) {
		free(s);
		return NULL;
	}
	return s;
}

/* Frees a list of specs_take(). */
void specs_release(struct spec_rec *r)
{
	for (struct spec_rec *next; r; r = next) {
		next = r->next;
		free(r);
	}
}

void specs_free(struct specs *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n; i++) {
		specs_release(s->v[i].first);
		free(s->v[i].used);
	}
	free(s->v);
	free(s);
}

/* Room that the CPU has used. NULL: no memory. */
static uint64_t *used_by(struct spec *p, unsigned cpu)
{
	if (cpu >= CPUS_MAX)
		return NULL;
	if (cpu >= p->ncpus) {
		uint64_t *used = reallocarray(p->used, cpu + 1u, sizeof(*used));

		if (!used)
			return NULL;
		memset(used + p->ncpus, 0, (cpu + 1u - p->ncpus) * sizeof(*used));
		p->used = used;
		p->ncpus = cpu + 1;
	}
	return &p->used[cpu];
}

/* Ids begin at 1, as speculation() returns them. */
void specs_add(struct specs *s, uint64_t id, unsigned cpu, const uint8_t *rec, size_t len)
{
	struct spec *p = id && id <= s->n ? &s->v[id - 1] : NULL;
	uint64_t *used = p ? used_by(p, cpu) : NULL;
	struct spec_rec *r = NULL;

	if (used && *used + len <= s->size)
		r = malloc(sizeof(*r) + len);
	if (!r) {
		s->drops++;
		return;
	}
	r->next = NULL;
	r->cpu = cpu;
	r->len = len;
	memcpy(r->rec, rec, len);
	if (!p->first)
		p->end = &p->first;
	*p->end = r;
	p->end = &r->next;
	*used += len;
}

/* The speculation is empty afterwards and may be used again at once. */
struct spec_rec *specs_take(struct specs *s, uint64_t id)
{
	struct spec *p = id && id <= s->n ? &s->v[id - 1] : NULL;
	struct spec_rec *first = p ? p->first : NULL;

	if (p && p->used)
		memset(p->used, 0, p->ncpus * sizeof(*p->used));
	if (p)
		p->first = NULL;
	return first;
}

uint64_t specs_drops(struct specs *s)
{
	uint64_t n = s->drops;

	s->drops = 0;
	return n;
}
