/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emit: see emit.h. docs/STREAM.md says what each frame means.
 * Input: what passes the sink. Output: a line of JSON for each frame.
 * Rows of a clause that come one after the other share a frame, until something else is written or the sink is flushed:
 * that makes a stream as cheap as text.
 * Invariants: a frame has the number of the one before it plus 1; what a frame refers to (clause, aggregation) was
 * described by an earlier one; the states of a printa() stand before its row. */
#include "stream/emit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>

#include "agg/agg.h"
#include "base/clock.h"
#include "base/hash.h"
#include "kernel/readall.h"
#include "print/capture/packets.h"
#include "print/memory.h"
#include "print/notice.h"
#include "print/value/style.h"
#include "print/value/values.h"
#include "stream/frame.h"
#include "stream/put.h"
#include "stream/sent.h"

#define ROWS_A_FRAME 256 /* so that no line grows without bound */
#define ROWS_BYTES 16384 /* a frame of rows ends after these: journald cuts lines at 48 KB */
#define FNV_BASIS 0xcbf29ce484222325ull
#define FNV_PRIME 0x100000001b3ull
#define HEAD_FORMAT "{\"s\":\"%016" PRIx64 "\",\"n\":"
#define HEAD_BYTES (sizeof("{\"s\":\"0123456789abcdef\",\"n\":") - 1) /* without a NUL */

/* What the reader knows of a clause. */
struct emitted_clause {
	uint64_t rows; /* so far + 1; 0: not described yet */
	bool is_step;
};

/* What the reader knows of an aggregation. */
struct emitted {
	bool described;
	uint64_t gen; /* times that values were taken back: clear(), trunc() */
	bool emptied; /* by trunc() in the row that is open */
	bool cut;     /* trunc(@, n): the reader has to know what was there when clear() makes it 0 */
};

struct emit {
	struct sink sink; /* first */
	struct out *out;
	const struct image *image;
	const struct options *options;
	const struct reporter *report;
	const char *script;
	size_t script_len;
	const char *made_of; /* struct emit_to */
	size_t made_of_len;
	const char *hash; /* struct emit_to */
	const bool *to_whole;

	char head[HEAD_BYTES]; /* of each frame: the session, which is 16 hexadecimal digits at random */
	uint64_t seq;
	bool open;                      /* a row is */
	bool grouped;                   /* it is one of the frame below */
	uint64_t rows_of;               /* clause + 1 of the frame of rows that is open; 0: none is */
	uint64_t rows_at;               /* where it begins in the output */
	uint64_t rows_time, rows_last;  /* of its first and latest row */
	bool any;                       /* it holds an item */
	bool emptied;                   /* struct emitted, any of them */
	bool snapshot;                  /* the row that is open calls snapshot() */
	bool again;                     /* the next row is of the same step */
	bool told;                      /* that control actions are skipped */
	struct emitted_clause *clauses; /* by epid index */
	size_t nclauses;
	struct emitted *aggs; /* by index in image.aggs */
	size_t naggs;
	uint64_t beats;
	struct options shown; /* as the reader knows them */

	struct sent_table sent;
	struct hash_secret secret; /* of what sent holds: equal hashes count as equal keys */

	struct processes *processes; /* of packets; NULL: none yet */
	struct memory_out tmp;       /* what printers of text make passes through here */
};

/* A row has many constant pieces: their lengths are known here. */
#define LITERAL(p, s) ((char *)memcpy(p, s, sizeof(s) - 1) + sizeof(s) - 1)

/* ---- frames ------------------------------------------------------------------------------------------------------ */
/* Session and number at p; returns their end. */
static char *put_head(struct emit *e, char *p)
{
	memcpy(p, e->head, HEAD_BYTES);
	return put_number(p + HEAD_BYTES, e->seq++, false);
}

/* Ends the frame of rows, if one is open. */
static void rows_close(struct emit *e)
{
	char *p;

	if (!e->rows_of)
		return;
	p = LITERAL(out_room(e->out, PUT_NUMBER + 16), "],\"last\":");
	out_upto(e->out, LITERAL(put_number(p, e->rows_last, false), "}\n"));
	e->rows_of = 0;
}

static void frame_begin(struct emit *e, enum frame kind)
{
	rows_close(e);
	out_upto(e->out, put_head(e, out_room(e->out, HEAD_BYTES + PUT_NUMBER)));
	out_str(e->out, ",\"f\":\"");
	out_str(e->out, frame_word(kind));
	out_str(e->out, "\"");
}

static void frame_end(struct emit *e)
{
	out_str(e->out, "}\n");
}

static void member(struct emit *e, const char *name)
{
	out_str(e->out, ",\"");
	out_str(e->out, name);
	out_str(e->out, "\":");
}

static void member_int(struct emit *e, const char *name, uint64_t v)
{
	member(e, name);
	put_int(e->out, v, false);
}

static void member_text(struct emit *e, const char *name, const char *text)
{
	member(e, name);
	put_string(e->out, text);
}

/* ---- hello ------------------------------------------------------------------------------------------------------- */
static void put_flag_option(struct emit *e, const char *name, uint64_t v)
{
	char text[64];

	snprintf(text, sizeof(text), "\"%s=%" PRIu64 "\",", name, v);
	out_str(e->out, text);
}

/* The options that text depends on. */
static void put_options(struct emit *e)
{
	static const char *const rows[] = { [ROWS_TEXT] = "text", [ROWS_JSON] = "json", [ROWS_CSV] = "csv" };
	const struct options *o = e->options;

	e->shown = *o;
	member(e, "options");
	out_str(e->out, "[");
#define X(name, field) put_flag_option(e, name, (uint64_t)o->field);
	FRAME_FLAGS(X)
	FRAME_NUMBERS(X)
#undef X
	if (o->rows != ROWS_NONE) {
		out_str(e->out, "\"rows=");
		out_str(e->out, rows[o->rows]);
		out_str(e->out, "\",");
	}
	out_str(e->out, o->folded ? "\"stackfmt=folded\"]" : "\"stackfmt=dtrace\"]");
}

static bool options_changed(const struct emit *e)
{
	const struct options *a = &e->shown, *b = e->options;
	bool changed = false;

	if (a->changes == b->changes) /* with each row */
		return false;
#define X(name, field) changed |= a->field != b->field;
	FRAME_FLAGS(X)
	FRAME_NUMBERS(X)
#undef X
	return changed;
}

/* FNV-1a: tells whether two machines run the same script, no more. */
static uint64_t fnv1a(uint64_t h, const void *p, size_t n)
{
	const unsigned char *s = p;

	for (size_t i = 0; i < n; i++)
		h = (h ^ s[i]) * FNV_PRIME;
	return h;
}

static void put_hello(struct emit *e)
{
	struct utsname u;
	char boot[64], hash[40];

	if (uname(&u))
		memset(&u, 0, sizeof(u));
	read_first_line("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
	snprintf(hash, sizeof(hash), "fnv1a64:%016" PRIx64,
		e->made_of ? fnv1a(FNV_BASIS, e->made_of, e->made_of_len) : fnv1a(FNV_BASIS, e->script, e->script_len));
	frame_begin(e, FRAME_HELLO);
	member_int(e, "v", STREAM_VERSION);
	member_text(e, "dwire", DWIRE_VERSION);
	member_text(e, "host", u.nodename);
	member_text(e, "boot_id", boot);
	member_text(e, "kernel", u.release);
	member_text(e, "machine", u.machine);
	member(e, "tiers");
	out_str(e->out, e->image->functions ? "[\"hooks\",\"functions\"]" : "[\"hooks\"]");
	member(e, "clock");
	out_str(e->out, "{\"wall\":");
	put_int(e->out, clock_wall(), false);
	out_str(e->out, ",\"mono\":");
	put_int(e->out, clock_now(), false);
	out_str(e->out, "}");
	member_text(e, "hash", e->hash ? e->hash : hash);
	member(e, "script");
	put_text(e->out, e->script, e->script_len);
	put_options(e);
	frame_end(e);
}

/* Room for what is known of the image: that of a merge grows. False: no memory, which ends the trace. */
static bool image_room(struct emit *e)
{
	const size_t clauses = e->image->epids.n, aggs = e->image->aggs.n;
	struct emitted_clause *s;
	struct emitted *a;

	if (clauses == e->nclauses && aggs == e->naggs) /* with each row */
		return true;
	s = clauses > e->nclauses ? reallocarray(e->clauses, clauses, sizeof(*s)) : e->clauses;
	a = aggs > e->naggs ? reallocarray(e->aggs, aggs, sizeof(*a)) : e->aggs;
	e->clauses = s ? s : e->clauses;
	e->aggs = a ? a : e->aggs;
	if ((clauses && !s) || (aggs && !a)) {
		e->out->err = e->out->err ? e->out->err : -ENOMEM;
		return false;
	}
	for (; e->nclauses < clauses; e->nclauses++)
		s[e->nclauses] = (struct emitted_clause){ 0 };
	for (; e->naggs < aggs; e->naggs++)
		a[e->naggs] = (struct emitted){ 0 };
	return true;
}

/* ---- descriptions ------------------------------------------------------------------------------------------------ */
static void describe_agg(struct emit *e, const struct agg *g)
{
	if (e->aggs[g->id].described)
		return;
	e->aggs[g->id].described = true;
	frame_begin(e, FRAME_AGG);
	out_str(e->out, ",");
	put_agg(e->out, g);
	frame_end(e);
}

/* What packets have besides what the kernel records. A stream that is passed on has it. */
static bool adds_process(const struct action *a)
{
	return a->kind == ACT_PCAP && a->nargs == CAPTURE_COUNT;
}

static void put_process_columns(struct emit *e)
{
	static const struct field columns[] = { { .name = "args", .kind = FIELD_CHARS, .size = PROCESS_ARGS },
		{ .name = "pod", .kind = FIELD_CHARS, .size = PROCESS_POD } };

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		out_bytes(e->out, ",", 1);
		put_field(e->out, &columns[i]);
	}
}

static void put_action(struct emit *e, const struct action *a)
{
	const char *word = frame_action_word(a->kind);

	if (!word) {
		out_str(e->out, "null");
		return;
	}
	out_str(e->out, "{\"action\":");
	put_string(e->out, word);
	if (a->fmt && (a->kind == ACT_PRINTF || a->kind == ACT_PRINTA)) {
		member(e, "format");
		put_format(e->out, a->fmt);
	}
	if (a->naggs) {
		member(e, "aggs");
		out_str(e->out, "[");
		for (size_t i = 0; i < a->naggs; i++) {
			out_bytes(e->out, ",", i > 0);
			out_int(e->out, a->aggs[i], 0);
		}
		out_str(e->out, "]");
	}
	member(e, "columns");
	out_str(e->out, "[");
	for (size_t i = 0; i < a->nargs; i++) {
		out_bytes(e->out, ",", i > 0);
		put_field(e->out, &a->args[i]);
	}
	if (adds_process(a))
		put_process_columns(e);
	out_str(e->out, "]}");
}

static void put_clause(struct emit *e, const struct record *r, uint64_t id, bool is_step)
{
	const struct image_probe *p = r->probe;

	for (size_t i = 0; i < r->epid->nactions; i++)
		for (size_t k = 0; k < r->epid->actions[i].naggs; k++)
			describe_agg(e, &e->image->aggs.v[r->epid->actions[i].aggs[k]]);
	frame_begin(e, FRAME_CLAUSE);
	member_int(e, "clause", id);
	member(e, "probe");
	out_str(e->out, "{\"id\":");
	out_int(e->out, p->id, 0);
	member_text(e, "provider", p->prov);
	member_text(e, "module", p->mod);
	member_text(e, "function", p->func);
	member_text(e, "name", p->name);
	out_str(e->out, "}");
	member(e, "quiet");
	out_str(e->out, r->epid->quiet_head ? "true" : "false");
	member(e, "step");
	out_str(e->out, is_step ? "true" : "false");
	member(e, "actions");
	out_str(e->out, "[");
	for (size_t i = 0; i < r->epid->nactions; i++) {
		out_bytes(e->out, ",", i > 0);
		put_action(e, &r->epid->actions[i]);
	}
	out_str(e->out, "]");
	frame_end(e);
}

#define ROW_HEAD ((size_t)HEAD_BYTES + 5 * (size_t)PUT_NUMBER + 64) /* bytes of a row before its items */

/* Index of the clause in image.epids; the image's array is one block. */
static uint64_t clause_of(const struct emit *e, const struct record *r)
{
	return (uint64_t)(r->epid - e->image->epids.v);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */
static char *put_row_head(struct emit *e, char *p, const char *kind, uint64_t clause, uint64_t t)
{
	p = put_head(e, p);
	p = stpcpy(p, kind);
	p = put_number(p, clause, false);
	p = LITERAL(p, ",\"t\":");
	return put_number(p, t, false);
}

/* A row by itself, of a step. */
static void step_open(struct emit *e, const struct record *r, uint64_t id)
{
	char *p;

	rows_close(e);
	p = put_row_head(e, out_room(e->out, ROW_HEAD), ",\"f\":\"row\",\"clause\":", id, r->time);
	p = LITERAL(p, ",\"cpu\":");
	p = put_number(p, r->cpu, false);
	p = LITERAL(p, ",\"step\":");
	p = put_number(p, e->clauses[id].rows - 1, false);
	out_upto(e->out, LITERAL(p, ",\"out\":["));
	e->any = false;
}

/* [ns since the frame's time, CPU, items…] */
static void grouped_open(struct emit *e, const struct record *r, uint64_t id)
{
	char *p;

	if (e->rows_of != id + 1) {
		rows_close(e);
		p = out_room(e->out, ROW_HEAD);
		e->rows_of = id + 1;
		e->rows_at = out_total(e->out);
		e->rows_time = e->rows_last = r->time;
		p = put_row_head(e, p, ",\"f\":\"rows\",\"clause\":", id, r->time);
		p = LITERAL(p, ",\"rows\":[[");
	} else {
		p = LITERAL(out_room(e->out, ROW_HEAD), ",[");
	}
	e->rows_last = r->time > e->rows_last ? r->time : e->rows_last;
	p = put_number(p, r->time - e->rows_time, true);
	*p++ = ',';
	out_upto(e->out, put_number(p, r->cpu, false));
	e->any = true;
}

static void row_open(struct emit *e, const struct record *r, uint64_t id)
{
	e->grouped = !e->clauses[id].is_step;
	if (e->grouped)
		grouped_open(e, r, id);
	else
		step_open(e, r, id);
	e->open = true;
}

/* more: another frame goes on with the same row, which is of a step. */
static void row_close(struct emit *e, bool more)
{
	e->open = false;
	if (!e->grouped) {
		out_str(e->out, more ? "],\"more\":true}\n" : "]}\n");
		return;
	}
	out_char(e->out, ']');
	if (out_total(e->out) - e->rows_at > ROWS_BYTES)
		rows_close(e);
}

/* [number of the action, values…] */
static void item_open(struct emit *e, const struct record *r, const struct action *a)
{
	char *p;

	if (!e->open)
		row_open(e, r, clause_of(e, r));
	p = out_room(e->out, PUT_NUMBER + 2);
	*p = ',';
	p += e->any;
	*p = '[';
	out_upto(e->out, put_number(p + 1, (uint64_t)(a - r->epid->actions), false));
	e->any = true;
}

static void emit_begin(struct sink *s, const struct record *r)
{
	struct emit *e = (struct emit *)s;
	const uint64_t id = clause_of(e, r);
	struct emitted_clause *c;

	if (!image_room(e))
		return;
	c = &e->clauses[id];
	if (options_changed(e)) {
		frame_begin(e, FRAME_OPTIONS);
		put_options(e);
		frame_end(e);
	}
	if (e->again && c->rows) {
		e->again = false;
	} else if (!c->rows++) {
		c->is_step = frame_is_step(r->epid, r->probe);
		put_clause(e, r, id, c->is_step);
	}
	if (!r->epid->quiet_head)
		row_open(e, r, id);
}

/* Else a reader that sees no key more would believe the former ones. */
static void put_emptied(struct emit *e)
{
	for (size_t i = 0; i < e->naggs; i++) {
		if (!e->aggs[i].emptied)
			continue;
		frame_begin(e, FRAME_STATE);
		member_int(e, "agg", i);
		member_int(e, "gen", e->aggs[i].gen);
		member_int(e, "part", 0);
		member(e, "rows");
		out_str(e->out, "[]");
		frame_end(e);
		e->aggs[i].emptied = false;
	}
	e->emptied = false;
}

/* Behind the row, which belongs to what came before the trigger. */
static void put_snapshot(struct emit *e, const struct record *r)
{
	frame_begin(e, FRAME_SNAPSHOT);
	member_int(e, "t", r->time);
	frame_end(e);
	e->snapshot = false;
}

static void emit_end(struct sink *s, const struct record *r)
{
	struct emit *e = (struct emit *)s;

	if (e->open)
		row_close(e, false);
	if (e->emptied)
		put_emptied(e);
	if (e->snapshot)
		put_snapshot(e, r);
	s->err = e->out->err;
}

/* print() is a text here: only this machine knows the type. */
static void put_typed(struct emit *e, const struct action *a, const struct value *v)
{
	const char *text;
	size_t len;

	print_typed(e->tmp.out, a->args[0].type, v);
	text = memory_out_take(&e->tmp, &len);
	out_char(e->out, ',');
	put_text(e->out, text, len);
}

/* Asked now: the process may be gone when the stream is read. */
static void put_process(struct emit *e, const struct value *v)
{
	const struct process_info *info = NULL;

	if (!e->processes)
		e->processes = processes_new();
	if (e->processes)
		info = packets_owner(e->processes, v);
	out_bytes(e->out, ",", 1);
	put_string(e->out, info ? info->args : "");
	out_bytes(e->out, ",", 1);
	put_string(e->out, info ? info->pod : "");
}

static void emit_item(struct sink *s, const struct record *r, const struct action *a, const struct value *values)
{
	struct emit *e = (struct emit *)s;
	size_t n = a->kind == ACT_TRACEMEM ? 1 : a->nargs;

	if (e->out->err)
		return;
	item_open(e, r, a);
	if (a->kind == ACT_PRINT) {
		put_typed(e, a, &values[0]);
	} else if (a->kind == ACT_PRINTF) {
		put_format_values(e->out, a->fmt, values, n);
	} else {
		for (size_t i = 0; i < n; i++)
			put_next(e->out, &values[i]);
	}
	if (adds_process(a))
		put_process(e, values);
	out_char(e->out, ']');
}

/* ---- states ------------------------------------------------------------------------------------------------------ */
/* The same key of the same aggregation has the same hash in each pass. */
static uint64_t key_hash(const struct emit *e, const struct agg *g, const struct agg_row *row)
{
	struct hash h = hash_begin(&e->secret);

	hash_word(&h, g->id);
	for (size_t i = 0; i < g->nkeys; i++) {
		const struct value *v = &row->keys[i];

		hash_word(&h, (uint64_t)v->i);
		hash_word(&h, v->len);
		hash_bytes(&h, v->s, v->len);
	}
	return hash_end(h);
}

/* Notes what is sent. False: the reader has this state of the key. */
static bool is_news(struct emit *e, const struct agg *g, const struct agg_row *row, const uint64_t *words)
{
	struct hash state = hash_begin(&e->secret);

	hash_word(&state, e->aggs[g->id].gen);
	hash_bytes(&state, words, g->nwords * sizeof(*words));
	return sent_note(&e->sent, key_hash(e, g, row), hash_end(state));
}

/* part: 0 for the first frame of a state. */
static void state_open(struct emit *e, const struct agg_table *t, bool whole, uint64_t part)
{
	const struct agg *g = t->aggs[0];

	frame_begin(e, FRAME_STATE);
	member_int(e, "agg", g->id);
	member_int(e, "gen", e->aggs[g->id].gen);
	if (t->normal[0] > 1)
		member_int(e, "normal", t->normal[0]);
	if (whole)
		member_int(e, "part", part);
	member(e, "rows");
	out_str(e->out, "[");
}

/* whole: all keys, as frames with the numbers 0, 1, … of their parts; else those that changed, if there are any. */
static void put_states(struct emit *e, const struct agg_table *t, bool whole)
{
	const struct agg *g;
	size_t n = 0;
	uint64_t part = 0;

	if (!t || !t->naggs)
		return;
	g = t->aggs[0];
	describe_agg(e, g);
	if (whole)
		state_open(e, t, whole, part++);
	for (size_t i = 0; i < t->nrows; i++) {
		const struct agg_row *row = &t->rows[i];
		bool news = is_news(e, g, row, agg_words(t, row, 0));

		if (!whole && !news)
			continue;
		if (n == ROWS_A_FRAME) {
			out_str(e->out, "]");
			frame_end(e);
			n = 0;
			if (whole)
				state_open(e, t, whole, part++);
		}
		if (!whole && !n)
			state_open(e, t, whole, 0);
		out_bytes(e->out, ",", n++ > 0);
		put_row(e->out, g, row, agg_words(t, row, 0));
	}
	if (whole || n) {
		out_str(e->out, "]");
		frame_end(e);
	}
}

/* ---- what passes the sink ---------------------------------------------------------------------------------------- */
static void emit_printa(struct sink *s, const struct record *r, const struct printa *p)
{
	struct emit *e = (struct emit *)s;

	if (e->out->err)
		return;
	if (e->open)
		row_close(e, true);
	for (size_t i = 0; i < p->n; i++)
		put_states(e, agg_scan(p->set, p->ids[i], true), true);
	item_open(e, r, p->action);
	out_str(e->out, "]");
}

/* Values are about to be taken back: the item stands behind the whole state. n: the argument of trunc(); 0: none. */
static void put_reset(struct emit *e, const struct record *r, const struct action *a, struct agg_set *set, int64_t n)
{
	if (e->open)
		row_close(e, true);
	put_states(e, agg_scan(set, a->aggs[0], false), true);
	item_open(e, r, a);
	if (n) {
		out_str(e->out, ",");
		put_int(e->out, (uint64_t)n, true);
	}
	out_str(e->out, "]");
}

/* The best keys of one machine are not the best of all: trunc(@, n) is the reader's to do. A clear() after it shows
 * keys as 0 unless the reader has cut them and nothing was added since, which only the last state shows. */
static bool emit_reset(struct sink *s, const struct record *r, const struct action *a, struct agg_set *set, int64_t n)
{
	struct emit *e = (struct emit *)s;
	const uint32_t id = a->aggs[0];

	if (e->out->err)
		return true;
	if (a->kind != ACT_TRUNC || !n) {
		if (a->kind == ACT_CLEAR && e->aggs[id].cut && e->clauses[clause_of(e, r)].is_step)
			put_reset(e, r, a, set, 0);
		e->aggs[id].gen++;
		e->aggs[id].emptied |= a->kind == ACT_TRUNC && e->aggs[id].described;
		e->emptied |= e->aggs[id].emptied;
		return false;
	}
	e->aggs[id].cut = true;
	put_reset(e, r, a, set, n);
	return true;
}

static void emit_rest(struct sink *s, const struct printa *p)
{
	struct emit *e = (struct emit *)s;
	bool any = false;

	if (!image_room(e))
		return;
	for (size_t i = 0; i < p->n; i++)
		if (!agg_done(p->set, p->ids[i]))
			put_states(e, agg_scan(p->set, p->ids[i], false), true);
	frame_begin(e, FRAME_REST);
	member(e, "aggs");
	out_str(e->out, "[");
	for (size_t i = 0; i < p->n; i++)
		if (!agg_done(p->set, p->ids[i])) {
			out_bytes(e->out, ",", any);
			out_int(e->out, p->ids[i], 0);
			any = true;
		}
	out_str(e->out, "]");
	frame_end(e);
}

static void emit_generation(struct sink *s, uint32_t agg, uint64_t generation)
{
	struct emit *e = (struct emit *)s;

	if (image_room(e))
		e->aggs[agg].gen = generation;
}

static void emit_beat(struct sink *s, struct agg_set *set)
{
	struct emit *e = (struct emit *)s;
	const bool asked = e->to_whole && *e->to_whole;
	bool whole = set && (asked || e->beats % STREAM_WHOLE == STREAM_WHOLE - 1);

	if (!image_room(e))
		return;
	e->beats += set != NULL;
	if (whole)
		sent_begin(&e->sent);
	for (uint32_t i = 0; set && i < e->image->aggs.n; i++)
		put_states(e, agg_scan(set, i, false), whole);
	if (whole)
		sent_forget(&e->sent);
	frame_begin(e, FRAME_BEAT);
	member_int(e, "t", clock_now());
	frame_end(e);
	s->err = out_flush(e->out);
}

/* Faults and drops are messages as well: a reader may be far away. */
static void emit_fault(struct sink *s, const struct fault *f)
{
	struct emit *e = (struct emit *)s;
	char text[NOTICE_MAX];

	notice_fault_text(f, e->options->errtags, text, sizeof(text));
	frame_begin(e, FRAME_FAULT);
	member_text(e, "text", text);
	frame_end(e);
	report_note(e->report, "%s", text);
}

void emit_hosts(struct sink *s, const struct census *c)
{
	struct emit *e = (struct emit *)s;

	frame_begin(e, FRAME_HOSTS);
	member_int(e, "hosts", c->hosts);
	member_int(e, "report", c->report);
	member(e, "out");
	out_str(e->out, "[");
	for (size_t i = 0; i < c->nout; i++) {
		out_str(e->out, i ? ",[" : "[");
		put_string(e->out, c->out[i].name);
		out_str(e->out, ",");
		put_string(e->out, census_word(c->out[i].state));
		out_str(e->out, "]");
	}
	out_str(e->out, "]");
	frame_end(e);
}

void emit_lost(struct sink *s, const char *cause, uint64_t n, const char *text)
{
	struct emit *e = (struct emit *)s;

	frame_begin(e, FRAME_DROPS);
	member_text(e, "cause", cause);
	member_int(e, "count", n);
	member_text(e, "text", text);
	frame_end(e);
}

static void emit_drop(struct sink *s, const struct drop *d)
{
	struct emit *e = (struct emit *)s;
	char text[256];

	drop_text(d, true, text, sizeof(text));
	emit_lost(s, drop_name(d->kind), d->n, text);
	notice_drop(e->report, d, e->options->droptags);
}

/* No frame has a cost: it is of this machine and is reported here. */
static void emit_cost(struct sink *s, const struct cost *c)
{
	struct emit *e = (struct emit *)s;

	notice_cost(e->report, c);
}

/* The standard output is the stream's: no command may write to it, and it goes to no other file. */
static void emit_control(struct sink *s, const struct action *a, const struct value *values)
{
	struct emit *e = (struct emit *)s;

	(void)a;
	(void)values;
	if (!e->told)
		report_warning(e->report, D_NONE, NULL, "system(), freopen() and ftruncate() do nothing in a stream");
	e->told = true;
}

static void emit_snapshot(struct sink *s, const struct record *r)
{
	(void)r;
	((struct emit *)s)->snapshot = true;
}

static void emit_flush(struct sink *s)
{
	struct emit *e = (struct emit *)s;

	rows_close(e);
	s->err = out_settle(e->out);
}

static void emit_finish(struct sink *s, int status)
{
	struct emit *e = (struct emit *)s;

	frame_begin(e, FRAME_END);
	member(e, "status");
	put_int(e->out, (uint64_t)(int64_t)status, true);
	frame_end(e);
}

void emit_again(struct sink *s)
{
	((struct emit *)s)->again = true;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */
static void emit_free(struct sink *s)
{
	struct emit *e = (struct emit *)s;

	out_free(e->out);
	memory_out_close(&e->tmp);
	free(e->clauses);
	free(e->aggs);
	sent_free(&e->sent);
	processes_free(e->processes);
	free(e);
}

static const struct sink_ops ops = {
	.begin = emit_begin,
	.item = emit_item,
	.printa = emit_printa,
	.reset = emit_reset,
	.end = emit_end,
	.rest = emit_rest,
	.beat = emit_beat,
	.generation = emit_generation,
	.fault = emit_fault,
	.drop = emit_drop,
	.cost = emit_cost,
	.control = emit_control,
	.snapshot = emit_snapshot,
	.flush = emit_flush,
	.finish = emit_finish,
	.free = emit_free,
};

struct sink *emit_sink_new(const struct emit_to *to)
{
	struct emit *e = calloc(1, sizeof(*e));
	char head[HEAD_BYTES + 1];
	uint64_t id = 0;

	if (!e)
		return NULL;
	e->sink.ops = &ops;
	hash_secret_make(&e->secret);
	e->image = to->image;
	e->options = to->options;
	e->report = to->report;
	e->script = to->script;
	e->script_len = to->script_len;
	e->made_of = to->made_of;
	e->made_of_len = to->made_of_len;
	e->hash = to->hash;
	e->to_whole = to->whole;
	e->out = out_new(to->out, &style_text, to->options);
	if (!e->out || !memory_out_open(&e->tmp, to->options)) {
		emit_free(&e->sink);
		return NULL;
	}
	e->out->stop = to->stop;
	/* Without random bytes the start's time has to do. */
	if (getrandom(&id, sizeof(id), GRND_NONBLOCK) != sizeof(id))
		id = clock_wall();
	snprintf(head, sizeof(head), HEAD_FORMAT, id);
	memcpy(e->head, head, HEAD_BYTES);
	put_hello(e);
	return &e->sink;
}
