/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record: consumes one record. Decodes its values and passes them to the sink; performs its actions on aggregations,
 * options, speculations and the trace.
 * Input: a record and the image. Output: calls of the sink.
 * Invariant: each byte read lies in the record. */
#include <string.h>

#include "consume/priv.h"

/* Never NULL: an epid with a bad index names the probe "?". */
static const struct image_probe *probe_of(const struct consumer *c, const struct epid *ep)
{
	static const struct image_probe unknown = { .prov = "", .mod = "", .func = "", .name = "?" };

	return ep->probe < c->env.image->probes.n ? &c->env.image->probes.v[ep->probe] : &unknown;
}

const struct epid *consume_epid(const struct consumer *c, uint32_t number)
{
	return number && number <= c->env.image->epids.n ? &c->env.image->epids.v[number - 1] : NULL;
}

static bool is_end(const struct image_probe *p)
{
	return !strcmp(p->prov, "dtrace") && !strcmp(p->name, "END");
}

static bool is_error(const struct image_probe *p)
{
	return !strcmp(p->prov, "dtrace") && !strcmp(p->name, "ERROR");
}

/* After exit() END runs, and ERROR reports what fails there; everything else came too late. */
static bool is_due(const struct consumer *c, const struct image_probe *p)
{
	return !c->exited || is_end(p) || is_error(p);
}

/* ---- actions ----------------------------------------------------------------------------------------------------- */
/* Decodes the arguments into c->values. Texts point into the record or into c->rooms until the next action. */
static void decode(struct consumer *c, const struct action *a, const uint8_t *rec, size_t len)
{
	for (size_t i = 0; i < a->nargs; i++)
		value_read(&c->decoder, &a->args[i], rec, len, &c->rooms[i], &c->values[i]);
}

/* The first argument as a number; 0 if there is none. */
static int64_t arg_int(const struct consumer *c, const struct action *a)
{
	return a->nargs && c->values[0].kind == VALUE_INT ? (int64_t)c->values[0].i : 0;
}

/* The second argument, if there is one, says how much is shown; as in DTrace, 0 shows all. */
static void cut_memory(struct consumer *c, const struct action *a)
{
	if (a->nargs > 1 && c->values[1].i && c->values[1].i < c->values[0].len)
		c->values[0].len = (size_t)c->values[1].i;
}

/* setopt(): a refused option is reported and the trace goes on, as in DTrace. */
static void action_setopt(struct consumer *c, const struct action *a)
{
	char text[2][256] = { "", "" };
	const char *value = a->nargs > 1 ? text[1] : NULL, *hint;
	int err;

	for (size_t i = 0; i < a->nargs && i < 2; i++) {
		const struct value *v = &c->values[i];

		if (v->kind == VALUE_TEXT)
			snprintf(text[i], sizeof(text[i]), "%.*s", (int)(v->len < 255 ? v->len : 255), v->s);
	}
	err = option_set(c->env.options, NULL, OPTION_SETOPT, text[0], value, &hint);
	if (err)
		report_error(c->env.report, err, D_NONE, NULL, "couldn't set option \"%s\"%s%s%s: %s", text[0],
			value ? " to \"" : "", text[1], value ? "\"" : "", option_error(err));
	agg_set_opts(c->aggs, &c->env.options->agg);
}

/* commit() hands the records on, now; discard() frees them. */
static void action_spec(struct consumer *c, const struct action *a)
{
	struct spec_rec *first = specs_take(c->specs, (uint64_t)arg_int(c, a));

	if (a->kind == ACT_COMMIT)
		for (const struct spec_rec *r = first; r; r = r->next)
			consume_record(c, r->cpu, r->rec, r->len, true);
	specs_release(first);
}

/* An exit() of END counts too: END is asked last. */
static void action_exit(struct consumer *c, const struct action *a, bool at_end)
{
	if (!c->exited || at_end)
		c->status = (int)arg_int(c, a);
	c->exited = true;
}

/* clear(), trunc(). */
static void action_reset(struct consumer *c, const struct record *r, const struct action *a)
{
	struct sink *sink = c->env.sink;
	int64_t n = a->kind == ACT_TRUNC ? arg_int(c, a) : 0;

	if (!a->naggs || (sink->ops->reset && sink->ops->reset(sink, r, a, c->aggs, n)))
		return;
	if (a->kind == ACT_CLEAR)
		agg_clear(c->aggs, a->aggs[0]);
	else
		agg_trunc(c->aggs, a->aggs[0], n);
}

/* Runs one action. What prints goes to the sink, the rest changes the consumer. */
static void action_run(
	struct consumer *c, const struct record *r, const struct action *a, const uint8_t *rec, size_t len)
{
	struct sink *sink = c->env.sink;
	uint32_t agg = a->naggs ? a->aggs[0] : UINT32_MAX;

	if (a->kind == ACT_PCAP && sink->ops->packet && sink->ops->packet(sink, r, a, rec, len))
		return;
	if (a->kind == ACT_PRINTF && a->fmt && sink->ops->line && sink->ops->line(sink, a, rec, len))
		return;
	decode(c, a, rec, len);
	switch (a->kind) {
	case ACT_TRACEMEM:
		cut_memory(c, a);
		sink->ops->item(sink, r, a, c->values);
		break;
	case ACT_PRINTF:
		if (a->fmt)
			sink->ops->item(sink, r, a, c->values);
		break;
	case ACT_TRACE:
	case ACT_PRINT:
	case ACT_PCAP:
		sink->ops->item(sink, r, a, c->values);
		break;
	case ACT_PRINTA:
		sink->ops->printa(sink, r, &(struct printa){ c->aggs, a->fmt, a->aggs, a->naggs, a });
		break;
	case ACT_EXIT:
		action_exit(c, a, is_end(r->probe));
		break;
	case ACT_CLEAR:
	case ACT_TRUNC:
		action_reset(c, r, a);
		break;
	case ACT_NORMALIZE:
		agg_normalize(c->aggs, agg, (uint64_t)arg_int(c, a));
		break;
	case ACT_DENORMALIZE:
		agg_normalize(c->aggs, agg, 1);
		break;
	case ACT_SYSTEM:
	case ACT_FREOPEN:
	case ACT_FTRUNCATE:
		if (sink->ops->control)
			sink->ops->control(sink, a, c->values);
		break;
	case ACT_SNAPSHOT:
		if (sink->ops->snapshot)
			sink->ops->snapshot(sink, r);
		break;
	case ACT_SETOPT:
		action_setopt(c, a);
		break;
	case ACT_COMMIT:
	case ACT_DISCARD:
		action_spec(c, a);
		break;
	}
}

/* ---- records ----------------------------------------------------------------------------------------------------- */
/* A fault of a clause, which a program recorded in place of the clause's own record. */
static void record_error(struct consumer *c, const uint8_t *rec, size_t len)
{
	struct dw_err e;

	if (len < sizeof(e)) {
		c->bad++;
		return;
	}
	memcpy(&e, rec, sizeof(e));
	const struct epid *ep = consume_epid(c, e.epid);

	if (!ep) {
		c->bad++;
		return;
	}
	const struct image_probe *probe = probe_of(c, ep);

	if (!is_due(c, probe))
		return;
	if (is_error(probe))
		c->added[DROP_ERROR]++; /* it would fire itself for ever */
	else
		faults_add(c->faults, &e, probe, c->env.sink);
}

/* The speculation that a record belongs to; 0: none. */
static uint64_t spec_of(const struct epid *ep, const uint8_t *rec, size_t len)
{
	uint64_t id = 0;

	if (ep->spec_off && ep->spec_off + sizeof(id) <= len)
		memcpy(&id, rec + ep->spec_off, sizeof(id));
	return id;
}

/* The clause of the next record of the ring; NULL: not known. */
static const struct epid *next_epid(const struct consumer *c, struct ring *r)
{
	const struct ring_slot *s = ring_peek_second(r);
	struct dw_rec head;

	if (!s || s->len < sizeof(head))
		return NULL;
	memcpy(&head, s->rec, sizeof(head));
	return consume_epid(c, head.epid);
}

void consume_record(struct consumer *c, unsigned cpu, const uint8_t *rec, size_t len, bool committed)
{
	struct sink *sink = c->env.sink;
	struct dw_rec head;

	memcpy(&head, rec, sizeof(head));
	if (head.epid == DW_EPID_ERROR) {
		record_error(c, rec, len);
		return;
	}
	const struct epid *ep = consume_epid(c, head.epid);

	if (!ep || len < ep->rec_size) {
		c->bad++;
		return;
	}
	struct record r = { .time = head.ts, .cpu = cpu, .probe = probe_of(c, ep), .epid = ep };

	/* What END commits was recorded before exit(). */
	if (!committed && !is_due(c, r.probe))
		return;
	if (!committed && spec_of(ep, rec, len)) {
		specs_add(c->specs, spec_of(ep, rec, len), cpu, rec, len);
		return;
	}
	if (!committed && c->env.options->flowindent)
		r.next = next_epid(c, &c->rings[cpu]);
	sink->ops->begin(sink, &r);
	for (size_t i = 0; i < ep->nactions; i++) {
		const struct action *a = &ep->actions[i];

		if (!a->guard_off || (a->guard_off < len && rec[a->guard_off]))
			action_run(c, &r, a, rec, len);
	}
	sink->ops->end(sink, &r);
}
