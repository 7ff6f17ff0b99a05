/* SPDX-License-Identifier: GPL-2.0-or-later */
/* consume: records of several ring buffers, merged by time.
 * Input: rings, maps and the image. Output: calls of the sink.
 * Invariants: records are passed on in order of their time stamps, unless a program takes more than HOLD_BACK_NS
 * between reading the clock and reserving room in its ring, or HELD_MAX_NS between that and submitting the record. No
 * byte outside a record is read. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "consume/priv.h"
#include "kernel/features.h"

#define HOLD_BACK_NS 5000000ull /* interrupts may keep a program for some milliseconds */
#define HELD_MAX_NS 100000000ull
#define STORE_DEFAULT (4u << 20) /* bytes a CPU that fill and ring keep */

/* ---- life -------------------------------------------------------------------------------------------------------- */
/* The most values that an action has. */
static size_t most_values(const struct image *image)
{
	size_t most = 1;

	for (size_t i = 0; i < image->epids.n; i++)
		for (size_t k = 0; k < image->epids.v[i].nactions; k++)
			if (image->epids.v[i].actions[k].nargs > most)
				most = image->epids.v[i].actions[k].nargs;
	return most;
}

/* Allocates all that the trace needs from its start, so that consuming seldom needs memory. After -ENOMEM
 * consumer_free() frees what there is. */
static int consumer_alloc(struct consumer *c)
{
	const struct consumer_env *env = &c->env;
	size_t nrings = env->nrings > 0 ? (size_t)env->nrings : 0;

	c->ncpus = features_possible_cpus();
	c->missed_cap = env->image->progs.n + env->image->probes.n + 8;
	c->nvalues = most_values(env->image);
	c->values = calloc(c->nvalues, sizeof(*c->values));
	c->rooms = calloc(c->nvalues, sizeof(*c->rooms));
	c->aggs = agg_new(env->image, env->map_fds, &c->decoder, &env->options->agg);
	c->specs = specs_new(env->image->nspec, env->image->specsize);
	c->faults = faults_new(env->image->epids.n);
	c->rings = calloc(nrings + 1, sizeof(*c->rings));
	c->heap = calloc(nrings + 1, sizeof(struct ring *));
	c->drops = calloc(DW_DROP_COUNT * c->ncpus, sizeof(*c->drops));
	c->fresh = calloc(c->ncpus, sizeof(*c->fresh));
	c->missed = calloc(c->missed_cap, sizeof(*c->missed));
	return c->values && c->rooms && c->aggs && c->specs && c->faults && c->rings && c->heap && c->drops &&
			c->fresh && c->missed
		? 0
		: -ENOMEM;
}

int consumer_new(const struct consumer_env *env, struct consumer **out)
{
	const struct options *o = env->options;
	struct consumer *c = calloc(1, sizeof(*c));
	int err;

	*out = NULL;
	if (!c)
		return -ENOMEM;
	c->env = *env;
	c->decoder = (struct decoder){ .image = env->image,
		.zone_name = env->zone_name,
		.box_name = env->box_name,
		.moved = env->moved,
		.names = env->names,
		.ctx = env->ctx };
	err = consumer_alloc(c);
	if (!err && o->bufpolicy != BUF_SWITCH) {
		c->store = store_new(c->ncpus, o->bufsize ? o->bufsize : STORE_DEFAULT, o->bufpolicy == BUF_RING);
		err = c->store ? 0 : -ENOMEM;
	}
	for (int i = 0; !err && i < env->nrings; i++) {
		/* Counted first: a ring that was mapped by half is closed, too. */
		c->nrings++;
		if (env->memory)
			ring_from_memory(&c->rings[i], &env->memory[i]);
		else if (env->ring_fds)
			err = ring_open(&c->rings[i], env->ring_fds[i]);
		else
			err = ring_open_own(&c->rings[i], &env->ring_map, (unsigned)i);
	}
	if (err) {
		consumer_free(c);
		return err;
	}
	*out = c;
	return 0;
}

void consumer_free(struct consumer *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nrings; i++)
		ring_close(&c->rings[i]);
	for (size_t i = 0; c->rooms && i < c->nvalues; i++)
		value_room_free(&c->rooms[i]);
	store_free(c->store);
	agg_free(c->aggs);
	specs_free(c->specs);
	faults_free(c->faults);
	free(c->rings);
	free(c->heap);
	free(c->drops);
	free(c->fresh);
	free(c->missed);
	free(c->values);
	free(c->rooms);
	free(c);
}

struct agg_set *consumer_agg_set(struct consumer *c)
{
	return c->aggs;
}

bool consumer_exited(const struct consumer *c, int *status)
{
	if (c->exited)
		*status = c->status;
	return c->exited;
}

/* Of the fullest ring, because programs on its CPU drop records first, or aggregation. */
unsigned consumer_avail(const struct consumer *c)
{
	unsigned most = agg_fill(c->aggs);

	for (size_t i = 0; i < c->nrings; i++) {
		unsigned fill = ring_fill(&c->rings[i]);

		most = fill > most ? fill : most;
	}
	return most;
}

/* ---- kept to the end --------------------------------------------------------------------------------------------- */
/* An exit() in it ends the trace now, though it is handed on later. */
static void record_keep(struct consumer *c, unsigned cpu, const uint8_t *rec, size_t len)
{
	const struct epid *ep;
	struct dw_rec head;

	memcpy(&head, rec, sizeof(head));
	ep = consume_epid(c, head.epid);
	if (!store_add(c->store, cpu, rec, len)) {
		c->full = true;
		return;
	}
	for (size_t i = 0; ep && i < ep->nactions; i++) {
		const struct action *a = &ep->actions[i];

		if (a->kind == ACT_EXIT && (!a->guard_off || (a->guard_off < len && rec[a->guard_off])))
			c->exited = true;
	}
}

bool consumer_full(const struct consumer *c)
{
	return c->full;
}

int consumer_release(struct consumer *c)
{
	struct store *store = c->store;

	if (!store)
		return 0;
	c->store = NULL;
	c->full = false;
	c->exited = false; /* the record that did it says so again */
	agg_begin(c->aggs);
	for (const struct store_rec *r = store_first(store); r; r = r->next)
		consume_record(c, r->cpu, r->rec, r->len, false);
	c->bad += store_lost(store);
	consume_store_drops(c, store);
	store_free(store);
	return sink_flush(c->env.sink);
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */
/* Of two records of the same time the lower CPU's comes first. The rings in the heap have one. */
static bool ring_before(struct ring *a, struct ring *b)
{
	uint64_t ta = ring_peek(a)->ts, tb = ring_peek(b)->ts;

	return ta != tb ? ta < tb : a < b;
}

/* Restores the heap from index i downwards. */
static void heap_down(struct consumer *c, size_t i)
{
	for (;;) {
		size_t least = i, left = 2 * i + 1;

		for (size_t k = left; k <= left + 1 && k < c->nheap; k++)
			if (ring_before(c->heap[k], c->heap[least]))
				least = k;
		if (least == i)
			return;
		struct ring *t = c->heap[i];

		c->heap[i] = c->heap[least];
		c->heap[least] = t;
		i = least;
	}
}

/* A ring has nothing to print now. If a record of it is still being written, only what is earlier may be printed: later
 * than what the ring gave last, or than all that was printed by the pass before, it is not. */
static void hold_for(const struct consumer *c, const struct ring *r, uint64_t *cutoff)
{
	uint64_t earliest = r->last_ts > c->printed_to ? r->last_ts : c->printed_to;

	if (r->busy && earliest < *cutoff)
		*cutoff = earliest;
}

/* Builds the heap of the rings that have a record. cutoff, unless NULL, is lowered for those that are still being
 * written. */
static void heap_make(struct consumer *c, uint64_t *cutoff)
{
	c->nheap = 0;
	for (size_t i = 0; i < c->nrings; i++)
		if (ring_peek(&c->rings[i]))
			c->heap[c->nheap++] = &c->rings[i];
		else if (cutoff)
			hold_for(c, &c->rings[i], cutoff);
	for (size_t i = c->nheap / 2; i-- > 0;)
		heap_down(c, i);
}

/* What a pass is to hand on. */
struct pass {
	uint64_t settled; /* a record with an earlier time stamp has room in its ring already */
	uint64_t cutoff;  /* hand on those with this time stamp or an earlier one */
	bool hold;        /* but none that is later than one that is still being written */
};

/* Consumes records in order of time, up to p->cutoff or an exit action. Returns their number. */
static unsigned merge(struct consumer *c, const struct pass *p)
{
	uint64_t cutoff = p->cutoff;
	bool running = !c->exited;
	unsigned n = 0;

	heap_make(c, p->hold ? &cutoff : NULL);
	while (c->nheap && !(running && c->exited) && !c->env.sink->err && n < INT_MAX) {
		struct ring *r = c->heap[0];
		const struct ring_slot *s = ring_peek(r);

		if (s->ts > cutoff)
			break;
		if (c->store)
			record_keep(c, (unsigned)(r - c->rings), s->rec, s->len);
		else
			consume_record(c, (unsigned)(r - c->rings), s->rec, s->len, false);
		n++;
		ring_next(r);
		if (!ring_peek(r)) {
			c->heap[0] = c->heap[--c->nheap];
			if (p->hold)
				hold_for(c, r, &cutoff);
		}
		ring_release(r, true);
		if (c->nheap > 1)
			heap_down(c, 0);
	}
	if (cutoff == p->cutoff)
		c->held_since = 0;
	if (cutoff > p->settled)
		cutoff = p->settled;
	if (cutoff > c->printed_to)
		c->printed_to = cutoff;
	return n;
}

static bool any_busy(const struct consumer *c)
{
	for (size_t i = 0; i < c->nrings; i++)
		if (c->rings[i].busy)
			return true;
	return false;
}

/* final: true while a record of the time before is still being written and there is patience left. */
static bool wait_busy(const struct consumer *c, uint64_t begin)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	if (!any_busy(c) || c->env.sink->err || clock_now() - begin > HELD_MAX_NS)
		return false;
	nanosleep(&pause, NULL);
	return true;
}

/* Aggregations are read again: in each pass, or as often as -x aggrate says. */
static void read_aggs(struct consumer *c, uint64_t now, bool final)
{
	uint64_t every = c->env.options->aggrate_ns;

	if (!final && every && c->aggs_at && now - c->aggs_at < every)
		return;
	c->aggs_at = now;
	agg_begin(c->aggs);
}

/* What is handed on is written. Without records, too: the sink notices then whether its reader is gone. n: their
 * number. Returns that, or the sink's error. */
static int end_pass(struct consumer *c, unsigned n)
{
	int err;

	for (size_t i = 0; i < c->nrings; i++)
		ring_release(&c->rings[i], false);
	err = sink_flush(c->env.sink);
	return err ? err : n > INT_MAX ? INT_MAX : (int)n;
}

int consumer_work_to(struct consumer *c, uint64_t ts)
{
	const struct pass p = { .cutoff = ts };

	read_aggs(c, clock_now(), true);
	for (size_t i = 0; i < c->nrings; i++)
		ring_look(&c->rings[i]);
	return end_pass(c, merge(c, &p));
}

int consumer_work(struct consumer *c, bool final)
{
	/* The time is taken before the producers' positions are read. */
	uint64_t now = clock_now();
	struct pass p = { .settled = now > HOLD_BACK_NS ? now - HOLD_BACK_NS : 0 };
	unsigned n = 0;

	read_aggs(c, now, final);
	if (!final)
		agg_spill(c->aggs);
	for (size_t i = 0; i < c->nrings; i++)
		ring_look(&c->rings[i]);
	p.cutoff = final ? UINT64_MAX : p.settled;
	if (!c->held_since)
		c->held_since = now;
	do {
		p.hold = clock_now() - c->held_since < HELD_MAX_NS;
		n += merge(c, &p);
	} while (final && wait_busy(c, now));
	if (final && c->held_since) {
		p.hold = false;
		n += merge(c, &p);
	}
	return end_pass(c, n);
}

void consumer_newline(struct consumer *c)
{
	if (c->env.sink->ops->newline)
		c->env.sink->ops->newline(c->env.sink);
}

/* aggsortrev also reverses the order of the aggregations, as in DTrace. */
int consumer_aggs(struct consumer *c)
{
	const size_t n = c->env.image->aggs.n;
	struct sink *sink = c->env.sink;
	uint32_t *ids;

	if (!sink->ops->rest)
		return sink_flush(sink);
	ids = calloc(n + 1, sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		ids[i] = c->env.options->agg.sort_rev ? (uint32_t)n - 1 - i : i;
	agg_begin(c->aggs);
	sink->ops->rest(sink, &(struct printa){ .set = c->aggs, .ids = ids, .n = n });
	free(ids);
	return sink_flush(sink);
}

int consumer_beat(struct consumer *c)
{
	if (!c->env.sink->ops->beat)
		return 0;
	agg_begin(c->aggs);
	c->env.sink->ops->beat(c->env.sink, c->aggs);
	return c->env.sink->err;
}

int consumer_end(struct consumer *c)
{
	if (c->env.sink->ops->finish)
		c->env.sink->ops->finish(c->env.sink, c->status);
	return sink_flush(c->env.sink);
}
