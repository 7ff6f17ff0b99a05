/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_sink: what passes the sink, as data: a sink of the test writes its types and numbers down. */
#include "consume/consume.h"
#include "datum.h"
#include "unit.h"

#define RING_SIZE 1024

static struct lit lits[] = { { "", 0 }, { "lit", 3 } };
static struct image_probe probes[] = { { 7, "tcp", "ip", "tcp_sendmsg", "send" }, { 2, "dtrace", "", "", "ERROR" } };
static struct field args[] = { { .kind = FIELD_INT, .off = 16, .size = 2, .is_signed = true },
	{ .kind = FIELD_LIT, .off = 20, .size = 4 }, { .kind = FIELD_TSTR, .off = 24, .size = 24 },
	{ .kind = FIELD_CHARS, .off = 48, .size = 8 }, { .kind = FIELD_BYTES, .off = 56, .size = 8 },
	{ .kind = FIELD_INT, .off = 64, .size = 8 } };
static struct fmt_item item = { .text = "%", .text_len = 1, .conv = 'd', .width = -1, .prec = -1 };
static struct fmt fmt = { &item, 1, 1 };
static uint32_t agg_ids[] = { 1, 0 };
static struct action actions[] = {
	{ .kind = ACT_PRINTF, .fmt = &fmt, .args = args, .nargs = 4 },
	{ .kind = ACT_TRACEMEM, .args = &args[4], .nargs = 2 },
	{ .kind = ACT_TRACE, .args = args, .nargs = 1, .guard_off = 72 },
	{ .kind = ACT_PRINTA, .aggs = agg_ids, .naggs = 2 },
	{ .kind = ACT_FTRUNCATE },
};
static struct epid epids[] = { { .probe = 0, .rec_size = 73, .actions = actions, .nactions = ROWS(actions) } };
static struct field key = { .kind = FIELD_INT, .size = 4 };
static struct agg aggs[] = { { .name = "a", .fn = DW_AGG_AVG, .nwords = 2, .keys = &key, .nkeys = 1, .key_size = 4 },
	{ .name = "q",
		.id = 1,
		.fn = DW_AGG_QUANTIZE,
		.nwords = DW_QUANTIZE_BUCKETS,
		.keys = &key,
		.nkeys = 1,
		.key_size = 4 } };
static const struct image image = { .probes = { probes, ROWS(probes), ROWS(probes) },
	.epids = { epids, ROWS(epids), ROWS(epids) },
	.lits = { lits, ROWS(lits), ROWS(lits) },
	.aggs = { aggs, ROWS(aggs), ROWS(aggs) } };

struct noted {
	struct sink sink;
	FILE *f;
};

static FILE *file_of(struct sink *s)
{
	return ((struct noted *)s)->f;
}

static void note_begin(struct sink *s, const struct record *r)
{
	fprintf(file_of(s), "begin %s:%s cpu %u time %llu clause %u\n", r->probe->prov, r->probe->name, r->cpu,
		(unsigned long long)r->time, r->epid->clause);
}

static void note_value(FILE *f, const struct value *v)
{
	if (v->kind == VALUE_INT)
		fprintf(f, " int%u %lld", 8u * v->size, (long long)v->i);
	else
		fprintf(f, " %s \"%.*s\"", v->kind == VALUE_TEXT ? "text" : "bytes", (int)v->len, v->s);
}

static void note_item(struct sink *s, const struct record *r, const struct action *a, const struct value *values)
{
	static const char *const names[] = {
		[ACT_TRACE] = "trace", [ACT_TRACEMEM] = "tracemem", [ACT_PRINTF] = "printf"
	};

	(void)r;
	fprintf(file_of(s), "%s", names[a->kind]);
	for (size_t i = 0; i < (a->kind == ACT_TRACEMEM ? 1 : a->nargs); i++)
		note_value(file_of(s), &values[i]);
	fputs("\n", file_of(s));
}

static void note_bucket(void *ctx, int64_t value, int64_t n)
{
	fprintf(ctx, " %lld:%lld", (long long)value, (long long)n);
}

static void note_table(FILE *f, const struct agg_table *t)
{
	for (size_t i = t->first; i < t->first + t->shown; i++) {
		fputs("  row", f);
		note_value(f, &t->rows[i].keys[0]);
		for (size_t k = 0; k < t->naggs; k++) {
			const uint64_t *w = agg_words(t, &t->rows[i], k);

			fprintf(f, " @%s", t->aggs[k]->name);
			if (agg_is_dist(t->aggs[k]))
				agg_each_bucket(t->aggs[k], w, t->normal[k], note_bucket, f);
			else
				fprintf(f, " n %llu sum %llu shown %lld", (unsigned long long)w[0],
					(unsigned long long)w[1], (long long)agg_row_number(t, &t->rows[i], k));
		}
		fputs("\n", f);
	}
}

static void note_printa(struct sink *s, const struct record *r, const struct printa *p)
{
	(void)r;
	fprintf(file_of(s), "printa %s\n", p->fmt ? "with a format" : "plain");
	note_table(file_of(s), agg_table(p->set, p->ids, p->n));
}

static void note_end(struct sink *s, const struct record *r)
{
	(void)r;
	fputs("end\n", file_of(s));
}

static void note_rest(struct sink *s, const struct printa *p)
{
	for (size_t i = 0; i < p->n; i++)
		fprintf(file_of(s), "rest %u%s\n", p->ids[i], agg_done(p->set, p->ids[i]) ? " done" : "");
}

static void note_fault(struct sink *s, const struct fault *f)
{
	fprintf(file_of(s), "fault %u in %s:%s\n", f->err->fault, f->probe->prov, f->probe->name);
}

static void note_drop(struct sink *s, const struct drop *d)
{
	char text[128];

	drop_text(d, true, text, sizeof(text));
	fprintf(file_of(s), "drop %d number %u n %llu total %llu: %s\n", (int)d->kind, drop_number(d->kind),
		(unsigned long long)d->n, (unsigned long long)d->total, text);
}

static void note_control(struct sink *s, const struct action *a, const struct value *values)
{
	(void)values;
	fprintf(file_of(s), "control %s\n", a->kind == ACT_FTRUNCATE ? "ftruncate" : "?");
}

static void note_flush(struct sink *s)
{
	fflush(file_of(s));
}

static void note_finish(struct sink *s, int status)
{
	(void)status;
	fputs("finish\n", file_of(s));
}

static void note_free(struct sink *s)
{
	(void)s;
}

static const struct sink_ops ops = {
	.begin = note_begin,
	.item = note_item,
	.printa = note_printa,
	.end = note_end,
	.rest = note_rest,
	.fault = note_fault,
	.drop = note_drop,
	.control = note_control,
	.flush = note_flush,
	.finish = note_finish,
	.free = note_free,
};

static unsigned long put(uint8_t *ring, unsigned long at, const void *rec, size_t size)
{
	uint64_t head = size;

	memcpy(ring + at, &head, sizeof(head));
	memcpy(ring + at + 8, rec, size);
	memcpy(ring + RING_SIZE, ring, RING_SIZE);
	return at + ((8 + size + 7) & ~7ul);
}

int main(void)
{
	static uint8_t ring[2 * RING_SIZE];
	uint8_t rec[80] = { 0 };
	const struct dw_rec head = { 1234, 1, sizeof(rec) };
	const struct dw_tstr addr = { .tag = DW_STR_IP4, .b = { 10, 0, 0, 1 } };
	const struct dw_err fault = {
		.rec = { 1235, DW_EPID_ERROR, sizeof(fault) }, .epid = 1, .fault = DW_FAULT_DIVZERO
	};
	const int16_t small = -3;
	const uint32_t lit = 1, k = 9;
	const uint64_t five = 5;
	uint64_t words[DW_QUANTIZE_BUCKETS] = { 2, 30 };
	unsigned long cons = 0, prod = 0;
	struct options options;
	struct noted noted = { .sink = { .ops = &ops } };
	struct ring_memory memory = { &cons, &prod, ring, RING_SIZE, 0, 0 };
	struct consumer_env env = {
		.image = &image, .options = &options, .sink = &noted.sink, .memory = &memory, .nrings = 1
	};
	struct capture cap;
	struct consumer *c;

	capture_open(&cap);
	noted.f = cap.f;
	options_init(&options);
	memcpy(rec, &head, sizeof(head));
	memcpy(rec + 16, &small, sizeof(small));
	memcpy(rec + 20, &lit, sizeof(lit));
	memcpy(rec + 24, &addr, sizeof(addr));
	memcpy(rec + 48, "chars", 5);
	memcpy(rec + 56, "memories", 8);
	memcpy(rec + 64, &five, sizeof(five));
	prod = put(ring, prod, rec, sizeof(rec));
	prod = put(ring, prod, &fault, sizeof(fault));
	if (consumer_new(&env, &c))
		abort();
	agg_absorb(consumer_agg_set(c), 0, &k, words, 1);
	memset(words, 0, sizeof(words));
	words[AGG_QUANTIZE_ZERO + 4] = 6;
	agg_absorb(consumer_agg_set(c), 1, &k, words, 1);
	CHECK(consumer_work(c, false) == 2, "both records");
	consumer_newline(c);
	consumer_add_drops(c, DROP_TICK, 2);
	consumer_add_missed(c, "tcp:ip:tcp_sendmsg:send", false, true, 1);
	CHECK(consumer_report_drops(c) == 3, "drops");
	CHECK(!consumer_aggs(c), "aggs");
	CHECK(!consumer_end(c), "end");
	CHECK_TEXT("all of it", capture_text(&cap),
		"begin tcp:send cpu 0 time 1234 clause 0\n"
		"printf int16 -3 text \"lit\" text \"10.0.0.1\" text \"chars\"\n"
		"tracemem bytes \"memor\"\n"
		"printa plain\n"
		"  row int32 9 @q 4:0 8:6 16:0 @a n 2 sum 30 shown 15\n"
		"control ftruncate\n"
		"end\n"
		"fault 4 in tcp:send\n"
		"drop 11 number 10 n 1 total 1: up to 1 probe firing missed in tcp:ip:tcp_sendmsg:send (recursion)\n"
		"drop 13 number 10 n 2 total 3: 2 tick firings missed (too late)\n"
		"rest 0 done\n"
		"rest 1 done\n"
		"finish\n");
	consumer_free(c);
	capture_close(&cap);
	return unit_end();
}
