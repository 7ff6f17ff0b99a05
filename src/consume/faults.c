/* SPDX-License-Identifier: GPL-2.0-or-later */
/* faults: passes the first fault of a kind to the sink and counts the rest. Faults are of one kind if they have the
 * same enabled probe, action and fault number; addresses may differ.
 * Input: faults. Output: the first at once; the number of the others whenever drops are reported.
 * Invariant: each fault is either passed on or counted, once. */
#include <stdlib.h>

#include "consume/priv.h"

struct fault_kind {
	struct dw_err err; /* the first */
	const struct image_probe *probe;
	uint64_t more; /* counted and not reported yet */
	uint32_t next; /* index + 1 of the next kind of the same clause and probe; 0: none */
};

struct faults {
	struct fault_kind *v;
	uint32_t n, cap;
	uint32_t *first; /* by epid - 1: index + 1 of its first kind; 0: none */
};

struct faults *faults_new(size_t nepids)
{
	struct faults *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->first = calloc(nepids + 1, sizeof(*f->first));
	if (!f->first) {
		free(f);
		return NULL;
	}
	return f;
}

void faults_free(struct faults *f)
{
	if (!f)
		return;
	free(f->v);
	free(f->first);
	free(f);
}

static struct fault_kind *find(const struct faults *f, const struct dw_err *e)
{
	for (uint32_t i = f->first[e->epid - 1]; i; i = f->v[i - 1].next) {
		struct fault_kind *k = &f->v[i - 1];

		if (k->err.fault == e->fault && k->err.action == e->action)
			return k;
	}
	return NULL;
}

static bool has_room(struct faults *f)
{
	uint32_t cap = f->cap ? 2 * f->cap : 8;
	struct fault_kind *v;

	if (f->n < f->cap)
		return true;
	v = reallocarray(f->v, cap, sizeof(*v));
	if (!v)
		return false;
	f->v = v;
	f->cap = cap;
	return true;
}

void faults_add(struct faults *f, const struct dw_err *e, const struct image_probe *probe, struct sink *to)
{
	const struct fault one = { .err = e, .probe = probe };
	struct fault_kind *k = find(f, e);

	if (k) {
		k->more++;
		return;
	}
	to->ops->fault(to, &one);
	if (!has_room(f))
		return; /* this kind is reported each time */
	f->v[f->n++] = (struct fault_kind){ .err = *e, .probe = probe, .next = f->first[e->epid - 1] };
	f->first[e->epid - 1] = f->n;
}

void faults_report(struct faults *f, struct sink *to)
{
	for (size_t i = 0; i < f->n; i++) {
		struct fault_kind *k = &f->v[i];
		const struct fault rest = { .err = &k->err, .probe = k->probe, .more = k->more };

		if (k->more)
			to->ops->fault(to, &rest);
		k->more = 0;
	}
}
