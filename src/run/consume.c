/* consume: records of several ring buffers, merged by time, through the actions of their clause.
 * Input: rings, maps and the image. Output: two streams.
 * Invariant: records are printed in order of their time stamps, unless a program takes more than HOLD_BACK_NS from
 * reading the clock to having room in its ring, or HELD_MAX_NS from there to the end of its record; each byte read lies
 * in its record; nothing is allocated per record. */
#include "run/consume.h"
#include "run/fault.h"
#include "run/flow.h"
#include "run/shell.h"
#include "run/spec.h"
#include "run/store.h"
#include "run/structured.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HOLD_BACK_NS 5000000ull /* interrupts may keep a program for some milliseconds */
#define HELD_MAX_NS 100000000ull
#define PROBE_NAME_MAX 96
#define DROP_KINDS 11            /* DTrace's ten, and others */
#define STORE_DEFAULT (4u << 20) /* bytes a CPU that fill and ring keep */

struct missed {
	char probe[PROBE_NAME_MAX];
	uint64_t n;
};

struct consumer {
	struct consumer_env env;
	struct pval_env pval;
	struct out *out;
	struct agg_set *aggs;
	struct specs *specs;
	struct ring *rings;
	size_t nrings;
	struct flow *flows;     /* by CPU */
	struct store *store;    /* bufpolicy fill or ring: nothing is printed before the end; or NULL */
	struct structured *doc; /* -x oformat: the output is a document; or NULL */
	struct ring errors;     /* of ERROR's clauses; not mapped: there are none */
	bool full;              /* fill: a buffer is */
	struct ring **heap;     /* rings with a record to consume, the oldest first */
	size_t nheap;
	uint64_t printed_to; /* all records with an earlier time stamp have been printed */
	uint64_t held_since; /* one that is still being written holds up the others; 0: none */
	size_t ncpus;
	uint64_t *drops; /* DW_DROP_COUNT * ncpus: as last reported */
	uint64_t *fresh; /* ncpus: buffer for reading */
	uint64_t bad, bad_reported, lost_reported;
	uint64_t drop_totals[DROP_KINDS]; /* for documents */
	uint64_t dblerrors;               /* faults of ERROR's own clauses that were not told yet */
	struct missed *missed;
	size_t nmissed, missed_cap;
	bool header_done;
	bool exited;
	int status;
};

/* ---- life -------------------------------------------------------------------------------------------------------- */
static int consumer_alloc(struct consumer *c)
{
	const struct consumer_env *env = &c->env;
	size_t nrings = env->nrings > 0 ? (size_t)env->nrings : 0;
	int ncpus = libbpf_num_possible_cpus();

	c->ncpus = ncpus > 0 ? (size_t)ncpus : 1;
	c->missed_cap = env->image->progs.n + 8;
	c->out = out_new(env->out);
	c->aggs = agg_new(env->image, env->map_fds, &c->pval, &env->agg);
	c->specs = specs_new(env->image->nspec, env->image->specsize);
	c->rings = calloc(nrings + 1, sizeof(*c->rings));
	c->heap = calloc(nrings + 1, sizeof(struct ring *));
	c->drops = calloc(DW_DROP_COUNT * c->ncpus, sizeof(*c->drops));
	c->fresh = calloc(c->ncpus, sizeof(*c->fresh));
	c->flows = calloc(c->ncpus, sizeof(*c->flows));
	c->missed = calloc(c->missed_cap, sizeof(*c->missed));
	return c->out && c->aggs && c->specs && c->rings && c->heap && c->drops && c->fresh && c->flows && c->missed
		? 0
		: -ENOMEM;
}

int consumer_new(const struct consumer_env *env, struct consumer **out)
{
	struct consumer *c = calloc(1, sizeof(*c));
	int err;

	*out = NULL;
	if (!c)
		return -ENOMEM;
	c->env = *env;
	c->pval = (struct pval_env){
		.image = env->image, .zone_name = env->zone_name, .symtext = env->symtext, .ctx = env->ctx
	};
	err = consumer_alloc(c);
	if (!err && env->oformat != OFMT_TEXT) {
		c->doc = structured_new(c->out, env->oformat, env->opretty, env->oall);
		err = c->doc ? 0 : -ENOMEM;
	}
	if (!err && env->policy != BUF_SWITCH) {
		c->store = store_new(c->ncpus, env->bufsize ? env->bufsize : STORE_DEFAULT, env->policy == BUF_RING);
		err = c->store ? 0 : -ENOMEM;
	}
	for (int i = 0; !err && i < env->nrings; i++) {
		/* Counted first: a ring that was mapped by half is closed, too. */
		c->nrings++;
		err = ring_open(&c->rings[i], env->ring_fds[i]);
	}
	for (size_t i = 0; !err && env->map_fds && i < env->image->maps.n; i++)
		if (env->image->maps.v[i].role == MAP_ERRORS)
			err = ring_open(&c->errors, env->map_fds[i]);
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
	ring_close(&c->errors);
	structured_free(c->doc);
	store_free(c->store);
	agg_free(c->aggs);
	specs_free(c->specs);
	out_free(c->out);
	free(c->rings);
	free(c->heap);
	free(c->drops);
	free(c->fresh);
	free(c->flows);
	free(c->missed);
	free(c);
}

int consumer_add_memory_ring(
	struct consumer *c, unsigned long *cons, const unsigned long *prod, const uint8_t *data, size_t size)
{
	struct ring *rings = reallocarray(c->rings, c->nrings + 1, sizeof(*rings));

	if (!rings)
		return -ENOMEM;
	c->rings = rings;
	struct ring **heap = reallocarray(c->heap, c->nrings + 1, sizeof(struct ring *));

	if (!heap)
		return -ENOMEM;
	c->heap = heap;
	ring_from_memory(&c->rings[c->nrings++], cons, prod, data, size);
	return 0;
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

unsigned consumer_avail(const struct consumer *c)
{
	unsigned most = 0;

	for (size_t i = 0; i < c->nrings; i++) {
		unsigned fill = ring_fill(&c->rings[i]);

		most = fill > most ? fill : most;
	}
	return most;
}

/* ---- one record -------------------------------------------------------------------------------------------------- */
static const struct image_probe *probe_of(const struct consumer *c, const struct epid *ep)
{
	static const struct image_probe unknown = { .prov = "", .mod = "", .func = "", .name = "?" };

	return ep->probe < c->env.image->probes.n ? &c->env.image->probes.v[ep->probe] : &unknown;
}

static const struct epid *epid_find(const struct consumer *c, uint32_t number)
{
	return number && number <= c->env.image->epids.n ? &c->env.image->epids.v[number - 1] : NULL;
}

/* END runs after exit, and ERROR reports what fails there; everything else came too late. */
static bool may_print(const struct consumer *c, const struct epid *ep)
{
	if (!c->exited)
		return true;
	const struct image_probe *p = probe_of(c, ep);

	return !strcmp(p->prov, "dtrace") && (!strcmp(p->name, "END") || !strcmp(p->name, "ERROR"));
}

static int64_t arg_int(const struct consumer *c, const struct action *a, const uint8_t *rec, size_t len)
{
	char scratch[PVAL_SCRATCH];
	struct pval v;

	if (!a->nargs)
		return 0;
	pval_read(&c->pval, &a->args[0], rec, len, scratch, &v);
	return v.kind == PVAL_INT ? (int64_t)v.i : 0;
}

static void action_trace(struct consumer *c, const struct action *a, const uint8_t *rec, size_t len)
{
	char scratch[PVAL_SCRATCH];
	struct pval v;

	for (size_t i = 0; i < a->nargs; i++) {
		pval_read(&c->pval, &a->args[i], rec, len, scratch, &v);
		if (v.kind == PVAL_TEXT && !v.symbol && c->env.options && c->env.options->rawbytes)
			print_trace_raw(c->out, &v, c->env.image->strsize);
		else
			print_trace(c->out, &v, c->env.quiet);
	}
}

static void action_tracemem(struct consumer *c, const struct action *a, const uint8_t *rec, size_t len)
{
	char scratch[PVAL_SCRATCH];
	struct pval v, n;

	pval_read(&c->pval, &a->args[0], rec, len, scratch, &v);
	if (a->nargs > 1) {
		pval_read(&c->pval, &a->args[1], rec, len, scratch, &n);
		if (n.i && n.i < v.len) /* as in DTrace, 0 shows all */
			v.len = (size_t)n.i;
	}
	print_trace(c->out, &v, c->env.quiet);
}

/* Commands and files see and follow what was printed before. */
static void action_shell(struct consumer *c, const struct action *a, const uint8_t *rec, size_t len)
{
	char *text = shell_text(&c->pval, a, rec, len);
	int err;

	(void)!out_flush(c->out); /* an error of the stream is seen at the end of the pass */
	if (!text)
		err = -ENOMEM;
	else if (a->kind == ACT_SYSTEM)
		err = shell_run(text);
	else
		err = out_reopen(c->out, *text ? text : NULL);
	if (err)
		fprintf(c->env.err, "dwire: cannot %s \"%s\": %s\n", a->kind == ACT_SYSTEM ? "run" : "open",
			text ? text : "", strerror(-err));
	free(text);
}

/* What the options say now. */
static void take_options(struct consumer *c)
{
	const struct options *o = c->env.options;

	c->env.quiet = o->quiet;
	c->env.flowindent = o->flowindent;
	agg_set_opts(c->aggs, &o->agg);
}

static void action_setopt(struct consumer *c, const struct action *a, const uint8_t *rec, size_t len)
{
	char text[2][256] = { "", "" }, scratch[PVAL_SCRATCH];
	const char *value = a->nargs > 1 ? text[1] : NULL, *hint;
	struct pval v;
	int err;

	for (size_t i = 0; i < a->nargs && i < 2; i++) {
		pval_read(&c->pval, &a->args[i], rec, len, scratch, &v);
		if (v.kind == PVAL_TEXT)
			snprintf(text[i], sizeof(text[i]), "%.*s", (int)(v.len < 255 ? v.len : 255), v.s);
	}
	if (!c->env.options)
		return;
	err = option_set(c->env.options, NULL, OPTION_SETOPT, text[0], value, &hint);
	if (err)
		fprintf(c->env.err, "dwire: couldn't set option \"%s\" to \"%s\": %s\n", text[0], value ? value : "",
			option_error(err));
	take_options(c);
}

static void record_print(struct consumer *c, unsigned cpu, const uint8_t *rec, size_t len, bool committed);

static void action_spec(struct consumer *c, const struct action *a, const uint8_t *rec, size_t len)
{
	struct spec_rec *first = specs_take(c->specs, (uint64_t)arg_int(c, a, rec, len));

	if (a->kind == ACT_COMMIT)
		for (const struct spec_rec *r = first; r; r = r->next)
			record_print(c, r->cpu, r->rec, r->len, true);
	specs_release(first);
}

static void action_print(struct consumer *c, const struct action *a, const uint8_t *rec, size_t len)
{
	char scratch[PVAL_SCRATCH];
	struct pval v;

	pval_read(&c->pval, &a->args[0], rec, len, scratch, &v);
	print_typed(c->out, a->args[0].type, &v);
}

static void action_run(struct consumer *c, const struct action *a, const uint8_t *rec, size_t len)
{
	uint32_t agg = a->naggs ? a->aggs[0] : UINT32_MAX;

	if (a->guard_off && (a->guard_off >= len || !rec[a->guard_off]))
		return;
	switch (a->kind) {
	case ACT_TRACE:
		action_trace(c, a, rec, len);
		break;
	case ACT_TRACEMEM:
		action_tracemem(c, a, rec, len);
		break;
	case ACT_PRINTF:
		if (a->fmt)
			print_format(c->out, &c->pval, a->fmt, a->args, a->nargs, rec, len);
		break;
	case ACT_PRINT:
		action_print(c, a, rec, len);
		break;
	case ACT_PRINTA:
		agg_printa(c->aggs, c->out, a->fmt, a->aggs, a->naggs);
		break;
	case ACT_EXIT:
		/* The first one counts: END may exit again. */
		if (!c->exited)
			c->status = (int)arg_int(c, a, rec, len);
		c->exited = true;
		break;
	case ACT_CLEAR:
		agg_clear(c->aggs, agg);
		break;
	case ACT_TRUNC:
		agg_trunc(c->aggs, agg, arg_int(c, a, rec, len));
		break;
	case ACT_NORMALIZE:
		agg_normalize(c->aggs, agg, (uint64_t)arg_int(c, a, rec, len));
		break;
	case ACT_DENORMALIZE:
		agg_normalize(c->aggs, agg, 1);
		break;
	case ACT_SYSTEM:
	case ACT_FREOPEN:
		action_shell(c, a, rec, len);
		break;
	case ACT_SETOPT:
		action_setopt(c, a, rec, len);
		break;
	case ACT_FTRUNCATE:
		out_truncate(c->out);
		break;
	case ACT_COMMIT:
	case ACT_DISCARD:
		action_spec(c, a, rec, len);
		break;
	}
}

/* What ERROR's clauses recorded, at once: it belongs where the fault was. They ran on our CPU; it is shown as the one
 * of the fault. */
static void print_errors(struct consumer *c, unsigned cpu)
{
	const struct ring_slot *s;

	if (!c->errors.data)
		return;
	ring_look(&c->errors);
	while ((s = ring_peek(&c->errors))) {
		record_print(c, cpu, s->rec, s->len, false);
		ring_next(&c->errors);
	}
	ring_release(&c->errors, false);
}

static void record_error(struct consumer *c, unsigned cpu, const uint8_t *rec, size_t len)
{
	struct dw_err e;

	if (len < sizeof(e)) {
		c->bad++;
		return;
	}
	memcpy(&e, rec, sizeof(e));
	const struct epid *ep = epid_find(c, e.epid);

	if (!ep) {
		c->bad++;
		return;
	}
	if (!may_print(c, ep))
		return;
	const struct image_probe *p = probe_of(c, ep);

	if (!strcmp(p->prov, "dtrace") && !strcmp(p->name, "ERROR")) {
		c->dblerrors++; /* it would fire itself for ever */
		return;
	}
	/* Both streams may be one terminal: keep the order. An error of the stream is seen at the end of the pass. */
	(void)!out_flush(c->out);
	fault_print(c->env.err, &e, p, c->env.errtags);
	if (c->env.on_error)
		c->env.on_error(c->env.ctx, &e);
	print_errors(c, cpu);
}

/* The speculation that a record belongs to; 0: none. */
static uint64_t spec_of(const struct epid *ep, const uint8_t *rec, size_t len)
{
	uint64_t id = 0;

	if (ep->spec_off && ep->spec_off + sizeof(id) <= len)
		memcpy(&id, rec + ep->spec_off, sizeof(id));
	return id;
}

/* The probe of the next line of this CPU, + 1; 0: not known. r NULL: the line is not from a ring. */
static uint32_t next_probe(const struct consumer *c, const struct ring *r)
{
	const struct ring_slot *s = r ? ring_peek_second(r) : NULL;
	struct dw_rec head;
	const struct epid *ep;

	if (!s || s->len < sizeof(head))
		return 0;
	memcpy(&head, s->rec, sizeof(head));
	ep = epid_find(c, head.epid);
	return ep ? ep->probe + 1 : 0;
}

/* What stands before the data of a record. */
static void line_head(struct consumer *c, unsigned cpu, const struct epid *ep, const struct ring *r)
{
	const bool flow = c->env.flowindent && cpu < c->ncpus;

	if (!c->header_done)
		(flow ? flow_header : print_header)(c->out);
	c->header_done = true;
	if (flow)
		flow_head(c->out, &c->flows[cpu], cpu, probe_of(c, ep), ep->probe, next_probe(c, r));
	else
		print_head(c->out, cpu, probe_of(c, ep));
}

static bool has_line(const struct consumer *c, const struct epid *ep)
{
	return (!c->env.quiet || c->env.flowindent) && !ep->quiet_head;
}

static void record_object(struct consumer *c, unsigned cpu, const struct epid *ep, const uint8_t *rec, size_t len)
{
	structured_probe(c->doc, cpu, probe_of(c, ep));
	for (size_t i = 0; i < ep->nactions; i++) {
		const struct action *a = &ep->actions[i];

		if (structured_action(c->doc, &c->pval, c->aggs, a, rec, len))
			continue;
		struct out *out = c->out;

		if (a->kind == ACT_PRINT)
			c->out = structured_text(c->doc);
		action_run(c, a, rec, len);
		c->out = out;
		if (a->kind == ACT_PRINT)
			structured_text_end(c->doc, "print");
	}
	structured_probe_end(c->doc);
}

static void record_print(struct consumer *c, unsigned cpu, const uint8_t *rec, size_t len, bool committed)
{
	struct dw_rec head;

	memcpy(&head, rec, sizeof(head));
	if (head.epid == DW_EPID_ERROR) {
		record_error(c, cpu, rec, len);
		return;
	}
	const struct epid *ep = epid_find(c, head.epid);

	if (!ep || len < ep->rec_size) {
		c->bad++;
		return;
	}
	if (!may_print(c, ep))
		return;
	if (!committed && spec_of(ep, rec, len)) {
		specs_add(c->specs, spec_of(ep, rec, len), cpu, rec, len);
		return;
	}
	if (c->doc) {
		record_object(c, cpu, ep, rec, len);
		return;
	}
	if (has_line(c, ep))
		line_head(c, cpu, ep, committed ? NULL : &c->rings[cpu]);
	for (size_t i = 0; i < ep->nactions; i++)
		action_run(c, &ep->actions[i], rec, len);
	if (has_line(c, ep)) /* asked again: setopt() may have changed it */
		out_bytes(c->out, "\n", 1);
}

/* ---- kept to the end --------------------------------------------------------------------------------------------- */
/* An exit() in it ends the trace now, though it is printed later. */
static void record_keep(struct consumer *c, unsigned cpu, const uint8_t *rec, size_t len)
{
	const struct epid *ep;
	struct dw_rec head;

	memcpy(&head, rec, sizeof(head));
	ep = epid_find(c, head.epid);
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
	c->exited = false; /* printing the record that did it says so again */
	agg_begin(c->aggs);
	for (const struct store_rec *r = store_first(store); r; r = r->next)
		record_print(c, r->cpu, r->rec, r->len, false);
	c->bad += store_lost(store);
	store_free(store);
	return out_flush(c->out);
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */
/* Of two records of the same time the lower CPU's comes first. The rings in the heap have one. */
static bool ring_before(struct ring *a, struct ring *b)
{
	uint64_t ta = ring_peek(a)->ts, tb = ring_peek(b)->ts;

	return ta != tb ? ta < tb : a < b;
}

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

/* What a pass is to print. */
struct pass {
	uint64_t settled; /* a record with an earlier time stamp has room in its ring already */
	uint64_t cutoff;  /* print those with this time stamp or an earlier one */
	bool hold;        /* but none that is later than one that is still being written */
};

/* Consumes records, up to an exit action. */
static unsigned merge(struct consumer *c, const struct pass *p)
{
	uint64_t cutoff = p->cutoff;
	bool running = !c->exited;
	unsigned n = 0;

	heap_make(c, p->hold ? &cutoff : NULL);
	while (c->nheap && !(running && c->exited) && !c->out->err && n < INT_MAX) {
		struct ring *r = c->heap[0];
		const struct ring_slot *s = ring_peek(r);

		if (s->ts > cutoff)
			break;
		if (c->store)
			record_keep(c, (unsigned)(r - c->rings), s->rec, s->len);
		else
			record_print(c, (unsigned)(r - c->rings), s->rec, s->len, false);
		n++;
		ring_next(r);
		if (!ring_peek(r)) {
			c->heap[0] = c->heap[--c->nheap];
			if (p->hold)
				hold_for(c, r, &cutoff);
		}
		ring_release(r, true);
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

static uint64_t now_ns(void)
{
	struct timespec ts = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
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

	if (!any_busy(c) || c->out->err || now_ns() - begin > HELD_MAX_NS)
		return false;
	nanosleep(&pause, NULL);
	return true;
}

int consumer_work(struct consumer *c, bool final)
{
	/* The time is taken before the producers' positions are read. */
	uint64_t now = now_ns();
	struct pass p = { .settled = now > HOLD_BACK_NS ? now - HOLD_BACK_NS : 0 };
	unsigned n = 0;
	int err = 0;

	agg_begin(c->aggs);
	for (size_t i = 0; i < c->nrings; i++)
		ring_look(&c->rings[i]);
	p.cutoff = final ? UINT64_MAX : p.settled;
	if (!c->held_since)
		c->held_since = now;
	do {
		p.hold = now_ns() - c->held_since < HELD_MAX_NS;
		n += merge(c, &p);
	} while (final && wait_busy(c, now));
	if (final && c->held_since) {
		p.hold = false;
		n += merge(c, &p);
	}
	for (size_t i = 0; i < c->nrings; i++)
		ring_release(&c->rings[i], false);
	if (n)
		err = out_flush(c->out);
	return err ? err : n > INT_MAX ? INT_MAX : (int)n;
}

int consumer_aggs(struct consumer *c)
{
	agg_begin(c->aggs);
	if (c->doc) {
		structured_rest(c->doc, c->env.image, c->aggs);
		return out_flush(c->out);
	}
	/* dtrace(1) ends what it prints by an empty line, and the aggregations follow. */
	out_bytes(c->out, "\n", 1);
	agg_print_rest(c->aggs, c->out);
	return out_flush(c->out);
}

int consumer_end(struct consumer *c)
{
	if (c->doc)
		structured_end(c->doc);
	return out_flush(c->out);
}

/* ---- drops ------------------------------------------------------------------------------------------------------- */
void consumer_add_missed(struct consumer *c, const char *probe, uint64_t n)
{
	size_t i = 0;

	if (!n)
		return;
	while (i < c->nmissed && strncmp(c->missed[i].probe, probe, PROBE_NAME_MAX - 1) != 0)
		i++;
	/* More probes than programs: the last slot takes the rest. */
	if (i == c->nmissed && c->nmissed == c->missed_cap)
		i--;
	else if (i == c->nmissed) {
		c->nmissed++;
		snprintf(c->missed[i].probe, PROBE_NAME_MAX, "%s", probe);
	}
	c->missed[i].n += n;
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* The same in a document, under DTrace's number of its kind. */
static void drop_object(struct consumer *c, const char *tag, uint64_t n, const char *what, const char *after)
{
	static const char *const tags[DROP_KINDS] = { "PRINCIPAL", "AGGREGATION", "DYNAMIC", "DYNRINSE", "DYNDIRTY",
		"SPEC", "SPECBUSY", "SPECUNAVAIL", "STKSTROVERFLOW", "DBLERROR" };
	unsigned kind = 0;
	char msg[128];

	while (kind < DROP_KINDS - 1 && (!tags[kind] || strcmp(tags[kind], tag) != 0))
		kind++;
	c->drop_totals[kind] += n;
	snprintf(msg, sizeof(msg), "%llu %s%s%s\n", (unsigned long long)n, what, plural(n), after);
	structured_drop(c->doc, n, c->drop_totals[kind], kind, msg);
}

/* "dwire: 12 drops on CPU 0"; tag: of DTrace, shown with -x droptags. cpu -1: of all. */
static void say_drops(struct consumer *c, const char *tag, uint64_t n, const char *what, const char *after, int cpu)
{
	if (!n)
		return;
	if (c->doc)
		drop_object(c, tag, n, what, after);
	fputs("dwire: ", c->env.err);
	if (c->env.droptags)
		fprintf(c->env.err, "[DTRACEDROP_%s] ", tag);
	fprintf(c->env.err, "%llu %s%s%s", (unsigned long long)n, what, plural(n), after);
	if (cpu >= 0)
		fprintf(c->env.err, " on CPU %d", cpu);
	fputc('\n', c->env.err);
}

static const struct cause {
	const char *tag, *what, *after;
	bool by_cpu;
} causes[DW_DROP_COUNT] = {
	[DW_DROP_RING] = { "PRINCIPAL", "drop", "", true },
	[DW_DROP_AGG] = { "AGGREGATION", "aggregation drop", "", true },
	[DW_DROP_DYN] = { "DYNAMIC", "dynamic variable drop", "", false },
	[DW_DROP_NEST] = { "SCRATCH", "scratch nesting drop", "", false },
	[DW_DROP_OWNER] = { "OWNER", "socket owner drop", "", false },
	[DW_DROP_SPEC] = { "SPECUNAVAIL", "failed speculation", " (no speculative buffer available)", false },
};

/* Reads one cause's counters, and says what is new. Returns how many that are. */
static uint64_t report_cause(struct consumer *c, int fd, uint32_t cause)
{
	uint64_t *seen = c->drops + cause * c->ncpus, sum = 0;
	const struct cause *w = &causes[cause];

	if (bpf_map_lookup_elem(fd, &cause, c->fresh))
		return 0;
	for (size_t cpu = 0; cpu < c->ncpus; cpu++) {
		uint64_t n = c->fresh[cpu] - seen[cpu];

		if (w->by_cpu)
			say_drops(c, w->tag, n, w->what, w->after, (int)cpu);
		seen[cpu] = c->fresh[cpu];
		sum += n;
	}
	if (!w->by_cpu)
		say_drops(c, w->tag, sum, w->what, w->after, -1);
	return sum;
}

static int drops_fd(const struct consumer *c)
{
	const struct image *im = c->env.image;

	for (size_t i = 0; c->env.map_fds && i < im->maps.n; i++)
		if (im->maps.v[i].role == MAP_DROPS)
			return c->env.map_fds[i];
	return -1;
}

static uint64_t report_missed(struct consumer *c)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->nmissed; i++) {
		uint64_t n = c->missed[i].n;

		if (n)
			fprintf(c->env.err, "dwire: %llu probe firing%s missed in %s (recursion)\n",
				(unsigned long long)n, plural(n), c->missed[i].probe);
		sum += n;
		c->missed[i].n = 0;
	}
	return sum;
}

uint64_t consumer_report_drops(struct consumer *c)
{
	uint64_t spec = specs_drops(c->specs), twice = c->dblerrors;
	uint64_t sum = report_missed(c), bad = c->bad, lost = agg_lost(c->aggs);
	int fd = drops_fd(c);

	for (uint32_t cause = 0; fd >= 0 && cause < DW_DROP_COUNT; cause++)
		sum += report_cause(c, fd, cause);
	for (size_t i = 0; i < c->nrings; i++)
		bad += c->rings[i].bad;
	say_drops(c, "SPEC", spec, "speculative drop", "", -1);
	say_drops(c, "DBLERROR", twice, "error", " in ERROR probe enabling", -1);
	say_drops(c, "RECORD", bad - c->bad_reported, "malformed record", "", -1);
	say_drops(c, "AGGREGATION", lost - c->lost_reported, "consumer aggregation drop", "", -1);
	sum += spec + twice + bad - c->bad_reported + lost - c->lost_reported;
	c->dblerrors = 0;
	c->bad_reported = bad;
	c->lost_reported = lost;
	return sum;
}

uint64_t consumer_drops(const struct consumer *c, enum dw_drop cause)
{
	uint64_t sum = 0;

	for (size_t cpu = 0; cause < DW_DROP_COUNT && cpu < c->ncpus; cpu++)
		sum += c->drops[cause * c->ncpus + cpu];
	return sum;
}
