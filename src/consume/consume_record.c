/* SPDX-License-Identifier: GPL-2.0-or-later */
/* consume_record: one record: the head of its line, and the actions of its clause.
 * Input: a record and the image. Output: text, or an object of the document.
 * Invariant: each byte read lies in the record; nothing is allocated per record. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "consume/consume_priv.h"
#include "consume/shell.h"
#include "print/fault.h"

static const struct image_probe *probe_of(const struct consumer *c, const struct epid *ep)
{
	static const struct image_probe unknown = { .prov = "", .mod = "", .func = "", .name = "?" };

	return ep->probe < c->env.image->probes.n ? &c->env.image->probes.v[ep->probe] : &unknown;
}

const struct epid *consume_epid(const struct consumer *c, uint32_t number)
{
	return number && number <= c->env.image->epids.n ? &c->env.image->epids.v[number - 1] : NULL;
}

static bool is_end(const struct consumer *c, const struct epid *ep)
{
	const struct image_probe *p = probe_of(c, ep);

	return !strcmp(p->prov, "dtrace") && !strcmp(p->name, "END");
}

/* END runs after exit, and ERROR reports what fails there; everything else came too late. */
static bool may_print(const struct consumer *c, const struct epid *ep)
{
	if (!c->exited)
		return true;
	const struct image_probe *p = probe_of(c, ep);

	return !strcmp(p->prov, "dtrace") && (!strcmp(p->name, "END") || !strcmp(p->name, "ERROR"));
}

static int64_t arg_int(struct consumer *c, const struct action *a, const uint8_t *rec, size_t len)
{
	struct value v;

	if (!a->nargs)
		return 0;
	value_read(&c->decoder, &a->args[0], rec, len, &c->room, &v);
	return v.kind == VALUE_INT ? (int64_t)v.i : 0;
}

/* Printable characters, and nothing but NULs behind them. */
static bool is_text(const char *s, size_t len)
{
	size_t n = strnlen(s, len);

	for (size_t i = 0; i < len; i++)
		if (i < n ? !isprint((unsigned char)s[i]) && !strchr("\a\b\t\n\v\f\r", s[i]) : s[i])
			return false;
	return n;
}

/* What a structure's bytes are shown as, as the manual has it: by their number an integer, or text, or in rows. */
static void trace_bytes(struct value *v)
{
	uint64_t word = 0;

	if (v->len == 1 || v->len == 2 || v->len == 4 || v->len == 8) {
		memcpy(&word, v->s, v->len);
		*v = (struct value){ .kind = VALUE_INT, .field = FIELD_INT, .i = word, .size = (uint8_t)v->len };
		if (v->size == 4)
			v->i = (uint64_t)(int32_t)word;
	} else if (is_text(v->s, v->len)) {
		*v = (struct value){
			.kind = VALUE_TEXT, .field = FIELD_CHARS, .s = v->s, .len = strnlen(v->s, v->len)
		};
	}
}

static void action_trace(struct consumer *c, const struct action *a, const uint8_t *rec, size_t len)
{
	struct value v;

	for (size_t i = 0; i < a->nargs; i++) {
		value_read(&c->decoder, &a->args[i], rec, len, &c->room, &v);
		if (v.kind == VALUE_BYTES)
			trace_bytes(&v);
		if (v.kind == VALUE_TEXT && !value_is_symbol(&v) && c->env.options->rawbytes)
			print_trace_raw(c->out, &v, c->env.image->strsize);
		else
			print_trace(c->out, &v, c->env.options->quiet);
	}
}

static void action_tracemem(struct consumer *c, const struct action *a, const uint8_t *rec, size_t len)
{
	struct value v, n;

	value_read(&c->decoder, &a->args[0], rec, len, &c->room, &v);
	if (a->nargs > 1) {
		value_read(&c->decoder, &a->args[1], rec, len, &c->room, &n);
		if (n.i && n.i < v.len) /* as in DTrace, 0 shows all */
			v.len = (size_t)n.i;
	}
	print_trace(c->out, &v, c->env.options->quiet);
}

/* Commands and files see and follow what was printed before. */
static void action_shell(struct consumer *c, const struct action *a, const uint8_t *rec, size_t len)
{
	char *text = shell_text(&c->decoder, a, rec, len);
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

#define INDENT_MAX 1000u

void consume_take_options(struct consumer *c)
{
	const struct options *o = c->env.options;

	agg_set_opts(c->aggs, &o->agg);
	c->out->indent = (int)(o->stackindent < INDENT_MAX ? o->stackindent : INDENT_MAX);
}

static void action_setopt(struct consumer *c, const struct action *a, const uint8_t *rec, size_t len)
{
	char text[2][256] = { "", "" };
	const char *value = a->nargs > 1 ? text[1] : NULL, *hint;
	struct value v;
	int err;

	for (size_t i = 0; i < a->nargs && i < 2; i++) {
		value_read(&c->decoder, &a->args[i], rec, len, &c->room, &v);
		if (v.kind == VALUE_TEXT)
			snprintf(text[i], sizeof(text[i]), "%.*s", (int)(v.len < 255 ? v.len : 255), v.s);
	}
	err = option_set(c->env.options, NULL, OPTION_SETOPT, text[0], value, &hint);
	if (err)
		fprintf(c->env.err, "dwire: couldn't set option \"%s\"%s%s%s: %s\n", text[0], value ? " to \"" : "",
			text[1], value ? "\"" : "", option_error(err));
	consume_take_options(c);
}

static void action_spec(struct consumer *c, const struct action *a, const uint8_t *rec, size_t len)
{
	struct spec_rec *first = specs_take(c->specs, (uint64_t)arg_int(c, a, rec, len));

	if (a->kind == ACT_COMMIT)
		for (const struct spec_rec *r = first; r; r = r->next)
			consume_record(c, r->cpu, r->rec, r->len, true);
	specs_release(first);
}

static void action_print(struct consumer *c, const struct action *a, const uint8_t *rec, size_t len)
{
	struct value v;

	value_read(&c->decoder, &a->args[0], rec, len, &c->room, &v);
	print_typed(c->out, a->args[0].type, &v);
}

/* at_end: it is one of END. */
static void action_run(struct consumer *c, const struct action *a, const uint8_t *rec, size_t len, bool at_end)
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
			print_format(c->out, &c->decoder, a->fmt, a->args, a->nargs, rec, len);
		break;
	case ACT_PRINT:
		action_print(c, a, rec, len);
		break;
	case ACT_PRINTA:
		agg_printa(c->aggs, c->out, a->fmt, a->aggs, a->naggs);
		break;
	case ACT_EXIT:
		/* Of END, too: it is asked last. */
		if (!c->exited || at_end)
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
	if (!may_print(c, ep))
		return;
	const struct image_probe *p = probe_of(c, ep);

	if (!strcmp(p->prov, "dtrace") && !strcmp(p->name, "ERROR")) {
		c->dblerrors++; /* it would fire itself for ever */
		return;
	}
	/* Both streams may be one terminal: keep the order. An error of the stream is seen at the end of the pass. */
	(void)!out_flush(c->out);
	fault_print(c->env.err, &e, p, c->env.options->errtags);
}

/* The speculation that a record belongs to; 0: none. */
static uint64_t spec_of(const struct epid *ep, const uint8_t *rec, size_t len)
{
	uint64_t id = 0;

	if (ep->spec_off && ep->spec_off + sizeof(id) <= len)
		memcpy(&id, rec + ep->spec_off, sizeof(id));
	return id;
}

/* What the next line of this CPU is of; NULL: not known. r NULL: the line is not from a ring. */
static const struct epid *next_line(const struct consumer *c, const struct ring *r)
{
	const struct ring_slot *s = r ? ring_peek_second(r) : NULL;
	struct dw_rec head;

	if (!s || s->len < sizeof(head))
		return NULL;
	memcpy(&head, s->rec, sizeof(head));
	return consume_epid(c, head.epid);
}

/* What stands before the data of a record. */
static void line_head(struct consumer *c, unsigned cpu, const struct epid *ep, const struct ring *r)
{
	const bool flow = c->env.options->flowindent && cpu < c->ncpus;

	if (!c->header_done)
		(flow ? flow_header : print_header)(c->out);
	c->header_done = true;
	if (flow)
		flow_head(c->out, &c->flows[cpu], cpu, probe_of(c, ep), ep, next_line(c, r));
	else
		print_head(c->out, cpu, probe_of(c, ep));
}

static bool has_line(const struct consumer *c, const struct epid *ep)
{
	return (!c->env.options->quiet || c->env.options->flowindent) && !ep->quiet_head;
}

static void record_object(struct consumer *c, unsigned cpu, const struct epid *ep, const uint8_t *rec, size_t len)
{
	structured_probe(c->doc, cpu, probe_of(c, ep));
	for (size_t i = 0; i < ep->nactions; i++) {
		const struct action *a = &ep->actions[i];

		if (structured_action(c->doc, &c->decoder, c->aggs, a, rec, len))
			continue;
		struct out *out = c->out;

		if (a->kind == ACT_PRINT)
			c->out = structured_text(c->doc);
		action_run(c, a, rec, len, is_end(c, ep));
		c->out = out;
		if (a->kind == ACT_PRINT)
			structured_text_end(c->doc, "print");
	}
	structured_probe_end(c->doc);
}

void consume_record(struct consumer *c, unsigned cpu, const uint8_t *rec, size_t len, bool committed)
{
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
	/* What END commits was recorded before exit(). */
	if (!committed && !may_print(c, ep))
		return;
	if (!committed && spec_of(ep, rec, len)) {
		specs_add(c->specs, spec_of(ep, rec, len), cpu, rec, len);
		return;
	}
	if (c->doc) {
		record_object(c, cpu, ep, rec, len);
		return;
	}
	const bool at_end = is_end(c, ep);

	if (has_line(c, ep))
		line_head(c, cpu, ep, committed ? NULL : &c->rings[cpu]);
	for (size_t i = 0; i < ep->nactions; i++)
		action_run(c, &ep->actions[i], rec, len, at_end);
	/* Asked again, as setopt() may have changed it. -F alone ends no line, as in DTrace. */
	if (!c->env.options->quiet && has_line(c, ep))
		out_bytes(c->out, "\n", 1);
}
