/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_agg: layouts of aggregations, merging, order, result functions; clear and trunc, also on maps of the kernel. */
#include <fcntl.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "agg/priv.h"
#include "datum.h"
#include "formats.h"
#include "print/text.h"
#include "print/value/table.h"
#include "unit.h"

#define MAX_KEYS 3
#define MAX_AGGS 4

static struct lit lits[] = { { "", 0 }, { "127.0.0.1", 9 }, { "tick", 4 } };

/* Aggregations that share the layout of their keys. */
struct rig {
	struct agg aggs[MAX_AGGS];
	struct field keys[MAX_AGGS][MAX_KEYS];
	struct image_map maps[MAX_AGGS];
	int fds[MAX_AGGS];
	struct image image;
	struct decoder dec;
	struct agg_set *set;
	struct options options;
	struct sink *sink;
	struct out *out; /* of the sink */
	struct capture cap;
	struct arena *arena;
};

static uint32_t words_for(enum dw_agg_fn fn)
{
	static const uint32_t n[DW_AGG_FN_COUNT] = { 1, 1, 2, 2, 2, 4, DW_QUANTIZE_BUCKETS, 0, 0 };

	return n[fn];
}

static void rig_open(struct rig *r, const struct agg_opts *opts)
{
	r->image.lits.v = lits;
	r->image.lits.n = ROWS(lits);
	r->image.aggs.v = r->aggs;
	r->image.maps.v = r->maps;
	r->dec.image = &r->image;
	for (uint32_t i = 0; i < r->image.aggs.n; i++) {
		r->aggs[i].id = i;
		r->aggs[i].map = i;
		r->aggs[i].keys = r->keys[i];
		if (!r->aggs[i].nwords)
			r->aggs[i].nwords = words_for(r->aggs[i].fn);
		r->maps[i].max_entries = 64;
	}
	if (r->image.maps.n < r->image.aggs.n)
		r->image.maps.n = r->image.aggs.n;
	capture_open(&r->cap);
	r->arena = arena_new();
	options_init(&r->options);
	if (opts)
		r->options.agg = *opts;
	r->sink = text_sink_new(&(struct print_to){ .out = r->cap.f, .options = &r->options });
	r->set = agg_new(&r->image, r->fds, &r->dec, opts);
	if (!r->arena || !r->sink || !r->set)
		abort();
	r->out = ((struct text *)r->sink)->out;
}

static void rig_close(struct rig *r)
{
	agg_free(r->set);
	sink_free(r->sink);
	arena_free(r->arena);
	capture_close(&r->cap);
	for (size_t i = 0; i < MAX_AGGS; i++)
		if (r->fds[i] > 0)
			close(r->fds[i]);
	memset(r, 0, sizeof(*r));
}

/* No maps: values come from feed(). */
static void rig_init(struct rig *r, size_t n)
{
	memset(r, 0, sizeof(*r));
	r->image.aggs.n = n;
	for (size_t i = 0; i < MAX_AGGS; i++)
		r->fds[i] = -1;
}

static uint32_t key_of(struct rig *r, uint32_t id, const struct datum *key, uint8_t *raw)
{
	size_t n, len = data_put(key, MAX_KEYS, r->keys[id], &n, raw, 0);

	r->aggs[id].nkeys = n;
	r->aggs[id].key_size = (uint32_t)len;
	return (uint32_t)len;
}

/* One key with the value of one CPU. */
static void feed(struct rig *r, uint32_t id, const struct datum *key, const uint64_t *words)
{
	uint8_t raw[256];

	key_of(r, id, key, raw);
	agg_absorb(r->set, id, raw, words, 1);
}

static const char *flushed(struct rig *r)
{
	CHECK(!out_flush(r->out), "flush");
	return capture_text(&r->cap);
}

static void expect(struct rig *r, const char *name, const char *want)
{
	CHECK_TEXT(name, flushed(r), want);
	capture_reset(&r->cap);
}

/* printa of the first n aggregations. */
static void printa(struct rig *r, const char *fmt, size_t n)
{
	static const uint32_t ids[MAX_AGGS] = { 0, 1, 2, 3 };
	struct fmt f;

	if (fmt && format_parse(r->arena, fmt, &f))
		abort();
	r->sink->ops->printa(r->sink, NULL, &(struct printa){ r->set, fmt ? &f : NULL, ids, n, NULL });
}

/* The aggregations that printa() has not shown. */
static void print_rest(struct rig *r)
{
	for (uint32_t id = 0; id < r->image.aggs.n; id++)
		if (!agg_done(r->set, id))
			table_print(r->out, agg_table(r->set, &id, 1));
}

/* ---- layouts ----------------------------------------------------------------------------------------------------- */
struct row {
	struct datum key[MAX_KEYS];
	uint64_t words[4];
};

#define ANY_ROWS 8
static const struct {
	const char *name;
	enum dw_agg_fn fn;
	struct row rows[ANY_ROWS]; /* ends with a row whose words are all 0, if not full */
	const char *want;
} layouts[] = {
	{ "address", DW_AGG_COUNT,
		{ { { IP4("\xc0\xa8\x01\x6d") }, { 3 } },
			{ { IP6("\xfe\x80\0\0\0\0\0\0\x02\x14\x4f\xff\xfe\x8d\x59\xaa") }, { 1 } },
			{ { IP4("\xc0\xa8\x02\x58") }, { 1 } }, { { IP4("\x7f\0\0\x01") }, { 1 } } },
		"  127.0.0.1                                                         1\n"
		"  192.168.2.88                                                      1\n"
		"  fe80::214:4fff:fe8d:59aa                                          1\n"
		"  192.168.1.109                                                     3\n" },
	{ "port", DW_AGG_COUNT, { { { U16(40648) }, { 1 } }, { { U16(22) }, { 3 } } },
		" 40648                1\n"
		"    22                3\n" },
	{ "address and port", DW_AGG_COUNT,
		{ { { IP4("\xc0\xa8\x02\x58"), U16(40648) }, { 1 } }, { { IP4("\xc0\xa8\x01\x6d"), U16(22) }, { 3 } } },
		"  192.168.2.88                                       40648                1\n"
		"  192.168.1.109                                         22                3\n" },
	{ "no key", DW_AGG_SUM, { { { { 0 } }, { (uint64_t)-12 } } }, "              -12\n" },
	{ "ints by size", DW_AGG_SUM, { { { S8(-1), S32(-2), S64(-3) }, { 5 } } },
		" 255       -2               -3                5\n" },
	{ "avg", DW_AGG_AVG, { { { U16(1) }, { 3, 10 } }, { { U16(2) }, { 2, (uint64_t)-9 } } },
		"     2               -4\n     1                3\n" },
	{ "min, unset", DW_AGG_MIN,
		{ { { U16(1) }, { 7, 1 } }, { { U16(2) }, { 9, 0 } }, { { U16(3) }, { (uint64_t)-7, 1 } } },
		"     3               -7\n     2                0\n     1                7\n" },
	/* 2, 4, 4, 4, 5, 5, 7, 9: mean 5, deviation 2. 10^12 and 3*10^12: squares of 10^25 do not fit in 64 bits. */
	{ "stddev", DW_AGG_STDDEV,
		{ { { U16(1) }, { 8, 40, 232, 0 } },
			{ { U16(2) },
				{ 2, 4000000000000ull,
					(uint64_t)((unsigned __int128)10000000000000ull * 1000000000000ull),
					(uint64_t)((unsigned __int128)10000000000000ull * 1000000000000ull >> 64) } } },
		"     1                2\n     2    1000000000000\n" },
	{ "equal text", DW_AGG_COUNT, { { { TLIT(1) }, { 2 } }, { { IP4("\x7f\0\0\x01") }, { 3 } } },
		"  127.0.0.1                                                         5\n" },
	{ "text after NUL", DW_AGG_COUNT, { { { CHARS(8, "ab") }, { 2 } }, { { BYTES(8, "ab\0\0\0\0\0x") }, { 3 } } },
		NULL },
	{ "escaped", DW_AGG_COUNT, { { { CHARS(8, "a\x1b]0;") }, { 2 } } },
		"  a\\x1b]0;                                                          2\n" },
};

static void test_layouts(void)
{
	static struct rig r;

	for (size_t i = 0; i < ROWS(layouts); i++) {
		rig_init(&r, 1);
		r.aggs[0].fn = layouts[i].fn;
		r.aggs[0].nwords = words_for(layouts[i].fn);
		uint8_t raw[256];

		key_of(&r, 0, layouts[i].rows[0].key, raw);
		rig_open(&r, NULL);
		if (!layouts[i].want) {
			/* The field is read as CHARS in both rows: the bytes behind the NUL differ, the text does
			 * not. */
			agg_absorb(r.set, 0, "ab\0\0\0\0\0\0", layouts[i].rows[0].words, 1);
			agg_absorb(r.set, 0, "ab\0\0\0\0\0x", layouts[i].rows[1].words, 1);
			printa(&r, "%s %@d\n", 1);
			expect(&r, layouts[i].name, "ab 5\n");
			rig_close(&r);
			continue;
		}
		for (size_t k = 0; k < ANY_ROWS && (layouts[i].rows[k].words[0] || layouts[i].rows[k].words[1]); k++)
			feed(&r, 0, layouts[i].rows[k].key, layouts[i].rows[k].words);
		print_rest(&r);
		expect(&r, layouts[i].name, layouts[i].want);
		rig_close(&r);
	}
}

/* ---- distributions ----------------------------------------------------------------------------------------------- */
static size_t bucket_of(int64_t v)
{
	uint64_t m = v < 0 ? -(uint64_t)v : (uint64_t)v;

	if (!v)
		return 63;
	int log = 63 - __builtin_clzll(m);

	return v > 0 ? 64 + (size_t)log : log > 62 ? 0 : 62 - (size_t)log;
}

static void test_quantize(void)
{
	static const struct datum near[] = { IP4("\xc0\xa8\x01\x6d"), { 0 } },
				  far[] = { IP4("\xc0\xa8\x02\x1e"), { 0 } }, none[] = { { 0 } };
	static struct rig r;
	uint64_t w[DW_QUANTIZE_BUCKETS] = { 0 };

	rig_init(&r, 1);
	r.aggs[0].fn = DW_AGG_QUANTIZE;
	rig_open(&r, NULL);
	w[bucket_of(64)] = 14;
	w[bucket_of(128)] = 1;
	feed(&r, 0, near, w);
	memset(w, 0, sizeof(w));
	w[bucket_of(32)] = 7;
	w[bucket_of(64)] = 3;
	w[bucket_of(128)] = 1;
	w[bucket_of(256)] = 2;
	w[bucket_of(512)] = 1;
	feed(&r, 0, far, w);
	printa(&r, NULL, 1);
	expect(&r, "sizes by host",
		"\n"
		"  192.168.1.109                                     \n"
		"           value  ------------- Distribution ------------- count    \n"
		"              32 |                                         0        \n"
		"              64 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@    14       \n"
		"             128 |@@@                                      1        \n"
		"             256 |                                         0        \n"
		"\n"
		"  192.168.2.30                                      \n"
		"           value  ------------- Distribution ------------- count    \n"
		"              16 |                                         0        \n"
		"              32 |@@@@@@@@@@@@@@@@@@@@                     7        \n"
		"              64 |@@@@@@@@@                                3        \n"
		"             128 |@@@                                      1        \n"
		"             256 |@@@@@@                                   2        \n"
		"             512 |@@@                                      1        \n"
		"            1024 |                                         0        \n"
		"\n");
	rig_close(&r);

	rig_init(&r, 1);
	r.aggs[0].fn = DW_AGG_QUANTIZE;
	rig_open(&r, NULL);
	memset(w, 0, sizeof(w));
	w[bucket_of(-3)] = 2;
	w[bucket_of(-1)] = 2;
	w[bucket_of(1)] = 4;
	feed(&r, 0, none, w);
	agg_normalize(r.set, 0, 2);
	printa(&r, "all:%@d", 1);
	expect(&r, "negative, normalised, in a format",
		"all:\n"
		"           value  ------------- Distribution ------------- count    \n"
		"              -4 |                                         0        \n"
		"              -2 |@@@@@@@@@@                               1        \n"
		"              -1 |@@@@@@@@@@                               1        \n"
		"               0 |                                         0        \n"
		"               1 |@@@@@@@@@@@@@@@@@@@@                     2        \n"
		"               2 |                                         0        \n");
	agg_clear(r.set, 0);
	printa(&r, NULL, 1);
	expect(&r, "cleared",
		"\n\n"
		"           value  ------------- Distribution ------------- count    \n"
		"              -1 |                                         0        \n"
		"               0 |                                         0        \n"
		"               1 |                                         0        \n"
		"\n");
	rig_close(&r);

	rig_init(&r, 1);
	r.aggs[0].fn = DW_AGG_QUANTIZE;
	rig_open(&r, NULL);
	memset(w, 0, sizeof(w));
	w[0] = w[DW_QUANTIZE_BUCKETS - 1] = 1;
	feed(&r, 0, none, w);
	printa(&r, NULL, 1);
	const char *text = flushed(&r);

	CHECK(strstr(text, "\n-4611686018427387904 |@@@@") && strstr(text, "\n4611686018427387904 |@@@@"), "%s", text);
	rig_close(&r);
}

static void test_linear(void)
{
	static const struct datum none[] = { { 0 } };
	static struct rig r;
	uint64_t w[32] = { [0] = 1, [1] = 1, [11] = 2 };

	rig_init(&r, 1);
	r.aggs[0] = (struct agg){ .fn = DW_AGG_LQUANTIZE, .nwords = 12, .lq_base = 0, .lq_limit = 100, .lq_step = 10 };
	rig_open(&r, NULL);
	feed(&r, 0, none, w);
	printa(&r, NULL, 1);
	expect(&r, "lquantize, both ends",
		"\n\n"
		"           value  ------------- Distribution ------------- count    \n"
		"             < 0 |@@@@@@@@@@                               1        \n"
		"               0 |@@@@@@@@@@                               1        \n"
		"              10 |                                         0        \n"
		"              20 |                                         0        \n"
		"              30 |                                         0        \n"
		"              40 |                                         0        \n"
		"              50 |                                         0        \n"
		"              60 |                                         0        \n"
		"              70 |                                         0        \n"
		"              80 |                                         0        \n"
		"              90 |                                         0        \n"
		"          >= 100 |@@@@@@@@@@@@@@@@@@@@                     2        \n"
		"\n");
	rig_close(&r);

	/* Bounds 1 2 3 4 5 6 7 8 9 10 20 ... 90 100: word i counts values with i bounds at or below. */
	rig_init(&r, 1);
	r.aggs[0] = (struct agg){
		.fn = DW_AGG_LLQUANTIZE, .nwords = 20, .llq_factor = 10, .llq_low = 0, .llq_high = 1, .llq_steps = 10
	};
	memset(w, 0, sizeof(w));
	w[0] = 1;
	w[1] = 1;
	rig_open(&r, NULL);
	feed(&r, 0, none, w);
	printa(&r, "%@d", 1);
	w[0] = w[1] = 0;
	w[11] = 3;
	w[19] = 1;
	feed(&r, 0, none, w);
	printa(&r, "%@d", 1);
	expect(&r, "llquantize",
		"\n"
		"           value  ------------- Distribution ------------- count    \n"
		"             < 1 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
		"               1 |@@@@@@@@@@@@@@@@@@@@                     1        \n"
		"               2 |                                         0        \n"
		"\n"
		"           value  ------------- Distribution ------------- count    \n"
		"              10 |                                         0        \n"
		"              20 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           3        \n"
		"              30 |                                         0        \n"
		"              40 |                                         0        \n"
		"              50 |                                         0        \n"
		"              60 |                                         0        \n"
		"              70 |                                         0        \n"
		"              80 |                                         0        \n"
		"              90 |                                         0        \n"
		"          >= 100 |@@@@@@@@@@                               1        \n");
	rig_close(&r);
}

/* ---- order and formats ------------------------------------------------------------------------------------------- */
static const struct {
	struct agg_opts opts;
	const char *want;
} orders[] = {
	{ { .rows = 0 }, "c 1:3 a 2:5 b 1:5 a 9:7 " },
	{ { .sort_rev = true }, "a 9:7 b 1:5 a 2:5 c 1:3 " },
	{ { .sort_key = true }, "a 2:5 a 9:7 b 1:5 c 1:3 " },
	{ { .sort_key = true, .sort_rev = true }, "c 1:3 b 1:5 a 9:7 a 2:5 " },
	{ { .sort_key = true, .key_pos = 1 }, "b 1:5 c 1:3 a 2:5 a 9:7 " },
	{ { .key_pos = 1 }, "c 1:3 b 1:5 a 2:5 a 9:7 " },
	{ { .rows = 2 }, "b 1:5 a 9:7 " },
	{ { .sort_rev = true, .rows = 3 }, "a 9:7 b 1:5 a 2:5 " },
	{ { .sort_rev = true, .rows = 9 }, "a 9:7 b 1:5 a 2:5 c 1:3 " },
};

static void test_orders(void)
{
	static const struct row rows[] = { { { CHARS(4, "a"), U32(9) }, { 7 } }, { { CHARS(4, "b"), U32(1) }, { 5 } },
		{ { CHARS(4, "a"), U32(2) }, { 5 } }, { { CHARS(4, "c"), U32(1) }, { 3 } } };
	static struct rig r;
	uint8_t raw[64];

	for (size_t i = 0; i < ROWS(orders); i++) {
		rig_init(&r, 1);
		r.aggs[0].fn = DW_AGG_COUNT;
		key_of(&r, 0, rows[0].key, raw);
		rig_open(&r, &orders[i].opts);
		for (size_t k = 0; k < ROWS(rows); k++)
			feed(&r, 0, rows[k].key, rows[k].words);
		printa(&r, "%s %d:%@d ", 1);
		/* Ties are in order of the keys, from aggsortkeypos on. */
		expect(&r, "order", orders[i].want);
		rig_close(&r);
	}
}

static void test_joined(void)
{
	static const struct datum a[] = { CHARS(4, "a"), { 0 } }, b[] = { CHARS(4, "b"), { 0 } },
				  c[] = { CHARS(4, "c"), { 0 } };
	static struct rig r;

	for (uint32_t pos = 0; pos < 2; pos++) {
		struct agg_opts opts = { .agg_pos = pos };

		rig_init(&r, 3);
		r.aggs[0].fn = DW_AGG_COUNT;
		r.aggs[1].fn = DW_AGG_MAX;
		r.aggs[2].fn = DW_AGG_COUNT;
		rig_open(&r, &opts);
		feed(&r, 0, a, (const uint64_t[]){ 3 });
		feed(&r, 0, b, (const uint64_t[]){ 5 });
		feed(&r, 1, b, (const uint64_t[]){ 40, 1 });
		feed(&r, 1, c, (const uint64_t[]){ 90, 1 });
		feed(&r, 2, a, (const uint64_t[]){ 1 });
		printa(&r, "%-4s|%@3d|%-@4d|%@x\n", 2);
		expect(&r, "joined, one conversion more than aggregations",
			pos ? "a   |  3|0   |0\nb   |  5|40  |28\nc   |  0|90  |5a\n"
			    : "c   |  0|90  |5a\na   |  3|0   |0\nb   |  5|40  |28\n");
		agg_normalize(r.set, 1, 10);
		printa(&r, NULL, 2);
		expect(&r, "joined, default",
			pos ? "\n"
			      "  a                                                                 3                0\n"
			      "  b                                                                 5                4\n"
			      "  c                                                                 0                9\n"
			    : "\n"
			      "  c                                                                 0                9\n"
			      "  a                                                                 3                0\n"
			      "  b                                                                 5                "
			      "4\n");
		/* Only what no printa named is left for the end. */
		print_rest(&r);
		expect(&r, "rest", "  a                                                                 1\n");
		print_rest(&r);
		expect(&r, "rest, again", "");
		rig_close(&r);
	}
}

#define MANY 3000

/* The first or the last n lines of a text. */
static const char *selected(char *text, uint32_t n, bool first)
{
	char *p = text;

	for (uint64_t i = first ? 0 : n; i < (first ? n : MANY); i++)
		p = strchr(p, '\n') + 1;
	if (first)
		*p = '\0';
	return first ? text : p;
}

/* Of many keys aggrows shows those that sorting all of them would show, also if they are equal or already sorted. */
static void test_selected(void)
{
	static const uint32_t limits[] = { 1, 20, MANY / 2, MANY - 1 };
	static struct rig r;

	for (size_t i = 0; i < ROWS(limits) * 8; i++) {
		struct agg_opts opts = { .sort_rev = i & 1 };
		uint32_t seed = 1;
		char *all;

		rig_init(&r, 1);
		r.aggs[0].fn = DW_AGG_COUNT;
		key_of(&r, 0, (const struct datum[]){ U32(1), { 0 } }, (uint8_t[64]){ 0 });
		rig_open(&r, &opts);
		for (uint32_t k = 0; k < MANY; k++) {
			uint64_t word = (i / 2) % 4 == 0 ? 7 : (i / 2) % 4 == 1 ? k : (i / 2) % 4 == 2 ? MANY - k : 0;

			seed = seed * 1103515245 + 12345;
			agg_absorb(r.set, 0, &(uint32_t){ k }, word ? &word : &(uint64_t){ 1 + (seed >> 16) % 50 }, 1);
		}
		printa(&r, "%d=%@d\n", 1);
		all = strdup(flushed(&r));
		capture_reset(&r.cap);
		opts.rows = limits[i / 8];
		agg_set_opts(r.set, &opts);
		printa(&r, "%d=%@d\n", 1);
		expect(&r, "selected", selected(all, limits[i / 8], opts.sort_rev));
		free(all);
		rig_close(&r);
	}
}

/* The same for two aggregations whose keys are addresses. The limit comes first, so that keys are compared that were
 * never shown. Both aggregations have a value for every second key. apart: their keys have different layouts. */
static void test_selected_joined(void)
{
	static struct rig r;

	for (int i = 0; i < 4; i++) {
		struct agg_opts opts = { .sort_rev = i & 1, .sort_sum = true, .rows = 20 };
		bool apart = i / 2;
		char *few, *all;

		rig_init(&r, 2);
		r.aggs[0].fn = r.aggs[1].fn = DW_AGG_COUNT;
		rig_open(&r, &opts);
		for (uint32_t k = 0; k < MANY; k++) {
			char addr[4] = { 10, (char)(k % 7), (char)(k >> 8), (char)k };
			const struct datum key[] = { ZONE(5), IP4(addr), CHARS(16, "name"), U16((uint16_t)k), { 0 } };
			const struct datum wide[] = { ZONE(5), IP4(addr), CHARS(24, "name"), U32(k), { 0 } };

			feed(&r, 0, key, (const uint64_t[]){ 1 + k % 2 });
			if (k % 2 == 0)
				feed(&r, 1, apart ? wide : key, (const uint64_t[]){ 1 });
		}
		printa(&r, "%s %s %s %d=%@d,%@d\n", 2);
		few = strdup(flushed(&r));
		capture_reset(&r.cap);
		opts.rows = 0;
		agg_set_opts(r.set, &opts);
		printa(&r, "%s %s %s %d=%@d,%@d\n", 2);
		all = strdup(flushed(&r));
		CHECK_TEXT("selected of two", few, selected(all, 20, opts.sort_rev));
		capture_reset(&r.cap);
		free(few);
		free(all);
		rig_close(&r);
	}
}

/* ---- clear, trunc, normalize on what was fed --------------------------------------------------------------------- */
static void test_actions(void)
{
	static const struct datum a[] = { CHARS(4, "a"), { 0 } }, b[] = { CHARS(4, "b"), { 0 } },
				  c[] = { CHARS(4, "c"), { 0 } };
	static struct rig r;

	rig_init(&r, 1);
	r.aggs[0].fn = DW_AGG_SUM;
	rig_open(&r, NULL);
	printa(&r, NULL, 1);
	printa(&r, "%s %@d;", 1);
	expect(&r, "empty", "\n");
	feed(&r, 0, a, (const uint64_t[]){ 30 });
	feed(&r, 0, b, (const uint64_t[]){ 20 });
	feed(&r, 0, c, (const uint64_t[]){ 10 });
	agg_trunc(r.set, 0, 5);
	agg_trunc(r.set, 0, -3);
	printa(&r, "%s %@d;", 1);
	expect(&r, "trunc to more than there are", "c 10;b 20;a 30;");
	agg_normalize(r.set, 0, 3);
	printa(&r, "%s %@d;", 1);
	agg_normalize(r.set, 0, 0);
	printa(&r, "%s %@d;", 1);
	agg_normalize(r.set, 0, 1);
	expect(&r, "normalize", "c 3;b 6;a 10;c 10;b 20;a 30;");
	agg_clear(r.set, 0);
	printa(&r, "%s %@d;", 1);
	expect(&r, "cleared: keys stay", "a 0;b 0;c 0;");
	feed(&r, 0, a, (const uint64_t[]){ 31 });
	feed(&r, 0, c, (const uint64_t[]){ 15 });
	printa(&r, "%s %@d;", 1);
	expect(&r, "after clear", "b 0;a 1;c 5;");
	agg_trunc(r.set, 0, -2);
	printa(&r, "%s %@d;", 1);
	agg_trunc(r.set, 0, 1);
	printa(&r, "%s %@d;", 1);
	agg_trunc(r.set, 0, 0);
	printa(&r, "%s %@d;", 1);
	expect(&r, "trunc", "b 0;a 1;a 1;");
	feed(&r, 0, b, (const uint64_t[]){ 2 });
	printa(&r, "%s %@d;", 1);
	expect(&r, "back after trunc", "b 2;");
	/* Ids that do not exist do nothing. */
	agg_clear(r.set, 9);
	agg_trunc(r.set, 9, 0);
	agg_normalize(r.set, 9, 1);
	r.sink->ops->printa(r.sink, NULL, &(struct printa){ r.set, NULL, (const uint32_t[]){ 9 }, 1, NULL });
	agg_absorb(r.set, 9, "x", (const uint64_t[]){ 2 }, 1);
	expect(&r, "no such aggregation", "\n");
	CHECK(agg_lost(r.set) == 0, "lost");
	rig_close(&r);
	agg_free(NULL);
}

/* The value of an aggregation without keys is there from the start, all zero. */
static void test_keyless(void)
{
	static struct rig r;

	rig_init(&r, 2);
	r.aggs[0].fn = DW_AGG_COUNT;
	r.aggs[1].fn = DW_AGG_AVG;
	rig_open(&r, NULL);
	agg_absorb(r.set, 0, "", (const uint64_t[]){ 0, 0 }, 2);
	print_rest(&r);
	expect(&r, "nothing yet", "");
	agg_absorb(r.set, 0, "", (const uint64_t[]){ 2, 3 }, 2);
	agg_absorb(r.set, 1, "", (const uint64_t[]){ 1, 10, 1, 20 }, 2);
	printa(&r, "%@d %@d;", 2);
	agg_trunc(r.set, 0, 0);
	agg_absorb(r.set, 0, "", (const uint64_t[]){ 2, 3 }, 2);
	printa(&r, "%@d;", 1);
	agg_absorb(r.set, 0, "", (const uint64_t[]){ 2, 4 }, 2);
	printa(&r, "%@d;", 1);
	expect(&r, "CPUs, trunc", "5 15;1;");
	rig_close(&r);
}

/* ---- maps of the kernel ------------------------------------------------------------------------------------------ */
static int map_new(enum bpf_map_type type, const char *name, uint32_t key, uint32_t value, uint32_t n)
{
	return bpf_map_create(type, name, key, value, n, NULL);
}

/* Sets the value of a key: value in CPU 0's words, more in the last CPU's. */
static void map_set(int fd, const void *key, const uint64_t *value, const uint64_t *more, size_t nwords)
{
	size_t ncpus = (size_t)libbpf_num_possible_cpus();
	uint64_t *w = calloc(ncpus * nwords, sizeof(*w));

	if (!w)
		abort();
	memcpy(w, value, nwords * sizeof(*w));
	for (size_t i = 0; more && ncpus > 1 && i < nwords; i++)
		w[(ncpus - 1) * nwords + i] = more[i];
	if (bpf_map_update_elem(fd, key, w, BPF_ANY))
		abort();
	free(w);
}

static size_t map_count(int fd)
{
	uint32_t key, n = 0;

	for (int err = bpf_map_get_next_key(fd, NULL, &key); !err; err = bpf_map_get_next_key(fd, &key, &key))
		n++;
	return n;
}

static void test_kernel_sum(int fd)
{
	static struct rig r;
	static const struct datum key[] = { U32(1), { 0 } };
	uint32_t k1 = 1, k2 = 2;
	uint8_t raw[64];

	rig_init(&r, 1);
	r.aggs[0].fn = DW_AGG_SUM;
	r.fds[0] = fd;
	key_of(&r, 0, key, raw);
	rig_open(&r, NULL);
	map_set(fd, &k1, (const uint64_t[]){ 5 }, (const uint64_t[]){ 6 }, 1);
	map_set(fd, &k2, (const uint64_t[]){ 20 }, NULL, 1);
	printa(&r, "%d=%@d;", 1);
	expect(&r, "two CPUs", libbpf_num_possible_cpus() > 1 ? "1=11;2=20;" : "1=5;2=20;");

	/* clear takes away what was read, not what came since. */
	map_set(fd, &k2, (const uint64_t[]){ 23 }, NULL, 1);
	agg_clear(r.set, 0);
	printa(&r, "%d=%@d;", 1);
	agg_begin(r.set);
	printa(&r, "%d=%@d;", 1);
	expect(&r, "clear", "1=0;2=0;1=0;2=3;");

	/* trunc empties the map; an update since the reading stays. */
	map_set(fd, &k2, (const uint64_t[]){ 27 }, NULL, 1);
	agg_trunc(r.set, 0, 0);
	CHECK(map_count(fd) == 0, "%zu keys", map_count(fd));
	printa(&r, "%d=%@d;", 1);
	agg_begin(r.set);
	printa(&r, "%d=%@d;", 1);
	map_set(fd, &k2, (const uint64_t[]){ 100 }, NULL, 1);
	map_set(fd, &k1, (const uint64_t[]){ 1 }, NULL, 1);
	agg_begin(r.set);
	printa(&r, "%d=%@d;", 1);
	expect(&r, "trunc", "2=4;2=4;1=1;2=104;");
	CHECK(agg_lost(r.set) == 0, "lost");
	rig_close(&r);
}

static void test_kernel_max(int fd)
{
	static struct rig r;
	static const struct datum key[] = { U32(1), { 0 } };
	uint32_t k1 = 1, k2 = 2;
	uint8_t raw[64];

	rig_init(&r, 1);
	r.aggs[0].fn = DW_AGG_MAX;
	r.fds[0] = fd;
	key_of(&r, 0, key, raw);
	rig_open(&r, NULL);
	map_set(fd, &k1, (const uint64_t[]){ 5, 1 }, NULL, 2);
	map_set(fd, &k2, (const uint64_t[]){ (uint64_t)-20, 1 }, NULL, 2);
	printa(&r, "%d=%@d;", 1);
	map_set(fd, &k2, (const uint64_t[]){ (uint64_t)-10, 1 }, NULL, 2);
	agg_clear(r.set, 0);
	printa(&r, "%d=%@d;", 1);
	agg_begin(r.set);
	map_set(fd, &k1, (const uint64_t[]){ 3, 1 }, NULL, 2);
	printa(&r, "%d=%@d;", 1);
	expect(&r, "max", "2=-20;1=5;2=-10;1=0;2=-10;1=3;");
	CHECK(agg_lost(r.set) == 0, "lost");
	rig_close(&r);
}

static void test_kernel_keyless(int fd)
{
	static struct rig r;
	uint32_t zero = 0;

	rig_init(&r, 1);
	r.aggs[0].fn = DW_AGG_MIN;
	r.fds[0] = fd;
	rig_open(&r, NULL);
	print_rest(&r);
	map_set(fd, &zero, (const uint64_t[]){ 5, 1 }, NULL, 2);
	agg_begin(r.set);
	printa(&r, "%@d;", 1);
	agg_clear(r.set, 0);
	printa(&r, "%@d;", 1);
	agg_begin(r.set);
	printa(&r, "%@d;", 1);
	map_set(fd, &zero, (const uint64_t[]){ 9, 1 }, NULL, 2);
	agg_begin(r.set);
	printa(&r, "%@d;", 1);
	agg_trunc(r.set, 0, 0);
	agg_begin(r.set);
	printa(&r, "%@d;", 1);
	map_set(fd, &zero, (const uint64_t[]){ 8, 1 }, NULL, 2);
	agg_begin(r.set);
	printa(&r, "%@d;", 1);
	expect(&r, "min without keys", "5;0;0;9;8;");
	CHECK(agg_lost(r.set) == 0, "lost");
	rig_close(&r);
}

/* count() by a number, whose keys begin in a common map. */
static void rig_both(struct rig *r, int fd, int common)
{
	static const struct datum key[] = { U32(1), { 0 } };
	uint8_t raw[64];

	rig_init(r, 1);
	r->aggs[0].fn = DW_AGG_COUNT;
	r->aggs[0].common = 2;
	r->fds[0] = fd;
	r->fds[1] = common;
	key_of(r, 0, key, raw);
	rig_open(r, NULL);
	r->maps[1].max_entries = 64;
}

/* A key may be in the common map, in the per-CPU map, or in both: its value is the sum. */
static void test_kernel_both(int fd, int common)
{
	static struct rig r;
	uint32_t k1 = 1, k2 = 2, k3 = 3;

	rig_both(&r, fd, common);
	CHECK(!bpf_map_update_elem(common, &k1, &(uint64_t){ 256 }, BPF_ANY), "common 1");
	CHECK(!bpf_map_update_elem(common, &k2, &(uint64_t){ 7 }, BPF_ANY), "common 2");
	map_set(fd, &k1, (const uint64_t[]){ 1000 }, NULL, 1);
	map_set(fd, &k3, (const uint64_t[]){ 30 }, NULL, 1);
	printa(&r, "%d=%@d;", 1);
	agg_begin(r.set);
	printa(&r, "%d=%@d;", 1);
	agg_clear(r.set, 0);
	CHECK(!bpf_map_update_elem(common, &k2, &(uint64_t){ 9 }, BPF_ANY), "common 2");
	agg_begin(r.set);
	printa(&r, "%d=%@d;", 1);
	expect(&r, "both maps", "2=7;3=30;1=1256;2=7;3=30;1=1256;1=0;3=0;2=2;");

	/* Both lose their keys; what came since the reading stays. */
	map_set(fd, &k1, (const uint64_t[]){ 1001 }, NULL, 1);
	CHECK(!bpf_map_update_elem(common, &k1, &(uint64_t){ 260 }, BPF_ANY), "common 1");
	agg_trunc(r.set, 0, 0);
	CHECK(map_count(fd) == 0 && map_count(common) == 0, "%zu and %zu keys", map_count(fd), map_count(common));
	agg_begin(r.set);
	printa(&r, "%d=%@d;", 1);
	expect(&r, "trunc of both", "1=5;");

	/* trunc(@, 1) takes single keys out of both. */
	CHECK(!bpf_map_update_elem(common, &k2, &(uint64_t){ 2 }, BPF_ANY), "common 2");
	map_set(fd, &k2, (const uint64_t[]){ 1 }, NULL, 1);
	agg_begin(r.set);
	agg_trunc(r.set, 0, 1);
	CHECK(map_count(fd) == 0 && map_count(common) == 0, "%zu and %zu keys", map_count(fd), map_count(common));
	printa(&r, "%d=%@d;", 1);
	expect(&r, "trunc of one", "1=5;");
	CHECK(agg_lost(r.set) == 0, "lost");
	rig_close(&r);
}

/* A key that is gone from the maps leaves nothing behind. A key of which only one map could be read keeps its value. */
static void test_kernel_taken(int fd, int common)
{
	static struct rig r;
	uint32_t k1 = 1, k2 = 2;
	int saved = dup(fd), null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	rig_both(&r, fd, common);
	CHECK(!bpf_map_update_elem(common, &k1, &(uint64_t){ 256 }, BPF_ANY), "common 1");
	printa(&r, "%d=%@d;", 1);
	CHECK(!bpf_map_delete_elem(common, &k1), "delete");
	agg_trunc(r.set, 0, 0);
	printa(&r, "%d=%@d;", 1);
	expect(&r, "a key that is gone", "1=256;");

	CHECK(!bpf_map_update_elem(common, &k1, &(uint64_t){ 2 }, BPF_ANY), "common 1");
	map_set(fd, &k1, (const uint64_t[]){ 10 }, NULL, 1);
	map_set(fd, &k2, (const uint64_t[]){ 100 }, NULL, 1);
	agg_begin(r.set);
	printa(&r, "%d=%@d;", 1);
	CHECK(saved >= 0 && dup2(null, fd) == fd, "no descriptor");
	agg_trunc(r.set, 0, 1);
	CHECK(agg_lost(r.set) == 1, "lost %llu", (unsigned long long)agg_lost(r.set));
	printa(&r, "%d=%@d;", 1);
	CHECK(dup2(saved, fd) == fd, "no descriptor");
	agg_begin(r.set);
	printa(&r, "%d=%@d;", 1);
	expect(&r, "a key that was taken by half", "1=12;2=100;1=12;2=100;1=12;2=100;");
	close(saved);
	close(null);
	rig_close(&r);
}

/* A map in which programs have made no key since all were taken out is not read: the numbers that they count decide. */
static void test_kernel_counted(int fd, int common, int born)
{
	static struct rig r;
	uint32_t k1 = 1, k2 = 2, zero = 0;
	uint64_t made[DW_BORN_COUNT] = { 0 };
	uint8_t raw[64];
	static const struct datum key[] = { U32(1), { 0 } };

	rig_init(&r, 1);
	r.aggs[0].fn = DW_AGG_COUNT;
	r.aggs[0].common = 2;
	r.fds[0] = fd;
	r.fds[1] = common;
	r.fds[2] = born;
	r.maps[2] = (struct image_map){ .role = MAP_BORN, .value_size = sizeof(made) };
	r.image.maps.n = 3;
	key_of(&r, 0, key, raw);
	rig_open(&r, NULL);
	r.maps[1].max_entries = 64;
	CHECK(!bpf_map_update_elem(common, &k1, &(uint64_t){ 5 }, BPF_ANY), "common 1");
	map_set(fd, &k2, (const uint64_t[]){ 20 }, NULL, 1);
	printa(&r, "%d=%@d;", 1);
	expect(&r, "not counted", "");
	made[DW_BORN_MAP] = 1;
	CHECK(!bpf_map_update_elem(born, &zero, made, BPF_ANY), "born");
	agg_begin(r.set);
	printa(&r, "%d=%@d;", 1);
	expect(&r, "one counted", "1=5;");
	made[DW_BORN_OWN] = 1;
	CHECK(!bpf_map_update_elem(born, &zero, made, BPF_ANY), "born");
	agg_begin(r.set);
	printa(&r, "%d=%@d;", 1);
	agg_begin(r.set);
	printa(&r, "%d=%@d;", 1);
	expect(&r, "both counted", "1=5;2=20;1=5;2=20;"); /* they are still there */
	agg_trunc(r.set, 0, 0);
	CHECK(map_count(fd) == 0 && map_count(common) == 0, "%zu and %zu keys", map_count(fd), map_count(common));
	CHECK(!bpf_map_update_elem(common, &k1, &(uint64_t){ 7 }, BPF_ANY), "common 1");
	agg_begin(r.set);
	printa(&r, "%d=%@d;", 1);
	expect(&r, "none since trunc", "");
	rig_close(&r);
}

/* Many keys: several batches. */
static void test_kernel_many(int fd, uint32_t n)
{
	static struct rig r;
	static const struct datum key[] = { U32(1), { 0 } };
	uint8_t raw[64];

	rig_init(&r, 1);
	r.aggs[0].fn = DW_AGG_QUANTIZE;
	r.fds[0] = fd;
	key_of(&r, 0, key, raw);
	rig_open(&r, NULL);
	r.maps[0].max_entries = n;
	for (uint32_t k = 0; k < n; k++) {
		uint64_t w[DW_QUANTIZE_BUCKETS] = { [63] = 1 + k };

		map_set(fd, &k, w, NULL, DW_QUANTIZE_BUCKETS);
	}
	printa(&r, "%d\n", 1);
	const char *text = flushed(&r);
	size_t lines = 0;

	for (const char *p = text; (p = strchr(p, '\n')); p++)
		lines++;
	CHECK(lines == n, "%zu lines", lines);
	agg_trunc(r.set, 0, 3);
	CHECK(map_count(fd) == 3, "%zu keys", map_count(fd));
	CHECK(agg_lost(r.set) == 0, "lost");
	rig_close(&r);
}

static void test_kernel(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, mapped, .map_flags = BPF_F_MMAPABLE);
	int fd = map_new(BPF_MAP_TYPE_PERCPU_HASH, "dwt_sum", 4, 8, 64);

	if (fd < 0) {
		unit_skip(strerror(-fd));
		return;
	}
	test_kernel_sum(fd);
	test_kernel_max(map_new(BPF_MAP_TYPE_PERCPU_HASH, "dwt_max", 4, 16, 64));
	test_kernel_keyless(map_new(BPF_MAP_TYPE_PERCPU_ARRAY, "dwt_min", 4, 16, 1));
	test_kernel_both(map_new(BPF_MAP_TYPE_PERCPU_HASH, "dwt_often", 4, 8, 64),
		map_new(BPF_MAP_TYPE_HASH, "dwt_common", 4, 8, 64));
	test_kernel_taken(map_new(BPF_MAP_TYPE_PERCPU_HASH, "dwt_half", 4, 8, 64),
		map_new(BPF_MAP_TYPE_HASH, "dwt_common", 4, 8, 64));
	test_kernel_counted(map_new(BPF_MAP_TYPE_PERCPU_HASH, "dwt_often", 4, 8, 64),
		map_new(BPF_MAP_TYPE_HASH, "dwt_common", 4, 8, 64),
		bpf_map_create(BPF_MAP_TYPE_ARRAY, "dwt_born", 4, DW_BORN_COUNT * 8, 1, &mapped));
	test_kernel_many(map_new(BPF_MAP_TYPE_PERCPU_HASH, "dwt_many", 4, DW_QUANTIZE_BUCKETS * 8, 2000), 2000);
}

/* Entries in the fullest bucket. */
static size_t longest_chain(const struct agg_state *st)
{
	size_t longest = 0;

	for (size_t b = 0; b < st->nbuckets; b++) {
		size_t n = 0;

		for (const struct agg_entry *e = st->buckets[b]; e; e = e->next)
			n++;
		longest = n > longest ? n : longest;
	}
	return longest;
}

/* A stranger chooses an address of IPv6. With a hash that has no secret, FNV-1a by words, he computes the second half
 * so that all keys have one hash; words that differ in some bits only even collide whatever the first value of the
 * hash is. */
static void test_chosen_keys(void)
{
	enum { KEYS = 4096, WORDS = 24 };
	struct field f = { .kind = FIELD_BYTES, .size = 8 * WORDS };
	const uint64_t one = 1, prime = 0x100000001b3ull;

	for (int any_start = 0; any_start < 2; any_start++) {
		struct rig r;
		const struct agg_table *t;
		uint32_t id = 0;

		rig_init(&r, 1);
		r.keys[0][0] = f;
		r.aggs[0].nkeys = 1;
		r.aggs[0].key_size = f.size;
		rig_open(&r, NULL);
		for (uint64_t i = 0; i < KEYS; i++) {
			uint64_t key[WORDS] = { i };
			uint64_t h = (i ^ 0xcbf29ce484222325ull) * prime;

			key[1] = h ^ h >> 32;
			for (int bit = 0; any_start && bit < WORDS / 2; bit++) {
				key[2 * bit] = i >> bit & 1 ? 1ull << 63 : 0;
				key[2 * bit + 1] = i >> bit & 1 ? 1ull << 63 | 1ull << 31 : 0;
			}
			agg_absorb(r.set, 0, key, &one, 1);
		}
		CHECK(longest_chain(&r.set->aggs[0]) < 64, "%zu keys in a bucket", longest_chain(&r.set->aggs[0]));
		t = agg_table(r.set, &id, 1);
		CHECK(t && t->nrows == KEYS, "rows");
		rig_close(&r);
	}
}

int main(void)
{
	test_layouts();
	test_quantize();
	test_linear();
	test_orders();
	test_joined();
	test_selected();
	test_selected_joined();
	test_actions();
	test_keyless();
	test_chosen_keys();
	test_kernel();
	return unit_end();
}
