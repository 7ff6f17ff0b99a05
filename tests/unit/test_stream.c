/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_stream: the tables of states that merge holds, and what it accepts as values, aggregations and states. */
#include "stream/decode.h"
#include "stream/sent.h"
#include "stream/table.h"
#include "unit.h"

/* A table that two hold is copied by the one who writes. */
static void test_tables(void)
{
	struct table *t = table_new(2, NULL), *other;
	uint64_t *state;
	size_t len;
	char key[32];

	for (int i = 0; i < 1000; i++) {
		snprintf(key, sizeof(key), "[\"k\",%d]", i);
		state = table_put(t, key, strlen(key));
		state[0] = (uint64_t)i;
		state[1] = 7;
	}
	EXPECT_INT(table_size(t), 1000);
	EXPECT_INT(table_get(t, "[\"k\",999]", 9)[0], 999);
	EXPECT(!table_get(t, "[\"k\",1000]", 10));
	EXPECT_STR(table_key(t, 3, &len, &state), "[\"k\",3]");
	EXPECT_INT(len, 7);
	other = table_hold(t);
	EXPECT_INT(table_own(&other), 0);
	EXPECT(other != t);
	table_put(other, "[\"k\",5]", 7)[0] = 50;
	table_put(other, "[]", 2);
	EXPECT_INT(table_get(t, "[\"k\",5]", 7)[0], 5);
	EXPECT_INT(table_get(other, "[\"k\",5]", 7)[1], 7);
	EXPECT_INT(table_size(other) - table_size(t), 1);
	state = table_put(other, "[]", 2);
	EXPECT_INT(table_own(&other), 0);
	EXPECT(table_get(other, "[]", 2) == state); /* held once: no copy */
	table_drop(t);
	table_drop(other);
	table_drop(NULL);
}

/* JSON of a value in a column of a type -> text of the value; NULL: refused. */
static void test_values(struct arena *a)
{
	static const struct {
		const char *type, *json, *want;
	} cases[] = {
		{ "{\"type\":\"int\",\"size\":4,\"signed\":true}", "-5", "int 4 -5" },
		{ "{\"type\":\"int\",\"size\":8,\"signed\":false}", "\"18446744073709551615\"", "int 8 -1" },
		{ "{\"type\":\"int\",\"size\":8,\"signed\":true}", "\"-9223372036854775808\"",
			"int 8 -9223372036854775808" },
		{ "{\"type\":\"int\",\"size\":8,\"signed\":true}", "\"18446744073709551616\"", NULL },
		{ "{\"type\":\"int\",\"size\":8,\"signed\":true}", "\"12x\"", NULL },
		{ "{\"type\":\"int\",\"size\":8,\"signed\":true}", "1.5", NULL },
		{ "{\"type\":\"int\",\"size\":3,\"signed\":true}", "1", "no type" },
		{ "{\"type\":\"string\"}", "\"a\\u0000b\"", "text 3" },
		{ "{\"type\":\"string\"}", "5", NULL },
		{ "{\"type\":\"string\"}", "{\"b64\":\"YmFk/w==\"}", "text 4" },
		{ "{\"type\":\"bytes\"}", "{\"b64\":\"AAEC\"}", "bytes 3" },
		{ "{\"type\":\"bytes\"}", "{\"b64\":\"AAE\"}", NULL },
		{ "{\"type\":\"bytes\"}", "{\"b64\":\"A=E=\"}", NULL },
		{ "{\"type\":\"stack\"}", "{\"frames\":[\"a\",\"bc\"]}", "stack 5" },
		{ "{\"type\":\"stack\"}", "{\"frames\":[1]}", NULL },
		{ "{\"type\":\"string\"}", "{\"nosuch\":\"x\"}", NULL },
		{ "{\"type\":\"string\"}", "null", NULL },
	};
	static const char *const kinds[] = { [VALUE_TEXT] = "text", [VALUE_BYTES] = "bytes", [VALUE_STACK] = "stack" };

	for (size_t i = 0; i < ROWS(cases); i++) {
		json_t *type = json_loads(cases[i].type, 0, NULL);
		json_t *j = json_loads(cases[i].json, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
		struct field f;
		struct value v;
		char got[64];

		if (!decode_field(a, type, &f))
			snprintf(got, sizeof(got), "no type");
		else if (!decode_value(a, j, &f, NULL, &v))
			got[0] = '\0';
		else if (v.kind == VALUE_INT)
			snprintf(got, sizeof(got), "int %u %lld", v.size, (long long)v.i);
		else
			snprintf(got, sizeof(got), "%s %zu", kinds[v.kind], v.len);
		CHECK_TEXT(cases[i].json, got, cases[i].want ? cases[i].want : "");
		json_decref(type);
		json_decref(j);
	}
}

/* Parameters that a script could not have are refused, before anything is made of them. */
static void test_aggs(struct arena *a)
{
	static const struct {
		const char *json;
		unsigned words; /* 0: refused */
	} cases[] = {
		{ "{\"name\":\"a\",\"fn\":\"count\",\"keys\":[]}", 1 },
		{ "{\"name\":\"a\",\"fn\":\"stddev\",\"keys\":[{}]}", 4 },
		{ "{\"name\":\"a\",\"fn\":\"quantize\",\"keys\":[]}", DW_QUANTIZE_BUCKETS },
		{ "{\"name\":\"a\",\"fn\":\"lquantize\",\"base\":0,\"limit\":10,\"step\":3,\"keys\":[]}", 5 },
		{ "{\"name\":\"a\",\"fn\":\"lquantize\",\"base\":0,\"limit\":10,\"step\":0,\"keys\":[]}", 0 },
		{ "{\"name\":\"a\",\"fn\":\"lquantize\",\"base\":5,\"limit\":5,\"step\":1,\"keys\":[]}", 0 },
		{ "{\"name\":\"a\",\"fn\":\"lquantize\",\"base\":0,\"limit\":99999999,\"step\":1,\"keys\":[]}", 0 },
		{ "{\"name\":\"a\",\"fn\":\"lquantize\",\"base\":\"-9223372036854775808\",\"limit\":10,\"step\":1,"
		  "\"keys\":[]}",
			0 },
		{ "{\"name\":\"a\",\"fn\":\"llquantize\",\"factor\":10,\"from\":0,\"to\":2,\"steps\":10,\"keys\":[]}",
			29 },
		{ "{\"name\":\"a\",\"fn\":\"llquantize\",\"factor\":1,\"from\":0,\"to\":2,\"steps\":10,\"keys\":[]}",
			0 },
		{ "{\"name\":\"a\",\"fn\":\"llquantize\",\"factor\":2,\"from\":0,\"to\":63,\"steps\":65535,\"keys\":[]"
		  "}",
			0 },
		{ "{\"name\":\"a\",\"fn\":\"nosuch\",\"keys\":[]}", 0 },
		{ "{\"fn\":\"count\",\"keys\":[]}", 0 },
		{ "{\"name\":\"a\",\"fn\":\"count\"}", 0 },
	};

	for (size_t i = 0; i < ROWS(cases); i++) {
		json_t *j = json_loads(cases[i].json, 0, NULL);
		struct agg g;
		bool ok = decode_agg(a, j, &g);

		CHECK(ok == (cases[i].words != 0) && (!ok || g.nwords == cases[i].words), "%s: %u words", cases[i].json,
			ok ? g.nwords : 0);
		json_decref(j);
	}
}

static void test_states(void)
{
	static const struct {
		enum dw_agg_fn fn;
		unsigned words;
		const char *json;
		bool ok;
		uint64_t want[4];
	} cases[] = {
		{ DW_AGG_COUNT, 1, "5", true, { 5 } },
		{ DW_AGG_SUM, 2, "-5", true, { (uint64_t)-5, 1 } },
		{ DW_AGG_MIN, 2, "null", true, { 0, 0 } },
		{ DW_AGG_MAX, 2, "\"-9223372036854775807\"", true, { (uint64_t)-9223372036854775807, 1 } },
		{ DW_AGG_AVG, 2, "[3,9]", true, { 3, 9 } },
		{ DW_AGG_AVG, 2, "[3]", false, { 0 } },
		{ DW_AGG_STDDEV, 4, "[1,2,\"18446744073709551617\"]", true, { 1, 2, 1, 1 } },
		{ DW_AGG_STDDEV, 4, "[1,2,\"x\"]", false, { 0 } },
		{ DW_AGG_LQUANTIZE, 4, "[[1,7],[3,2]]", true, { 0, 7, 0, 2 } },
		{ DW_AGG_LQUANTIZE, 4, "[[4,1]]", false, { 0 } },
		{ DW_AGG_LQUANTIZE, 4, "[[-1,1]]", false, { 0 } },
		{ DW_AGG_COUNT, 1, "[]", false, { 0 } },
	};

	for (size_t i = 0; i < ROWS(cases); i++) {
		const struct agg g = { .fn = cases[i].fn, .nwords = cases[i].words };
		json_t *j = json_loads(cases[i].json, JSON_DECODE_ANY, NULL);
		uint64_t got[4] = { 0 };
		bool ok = decode_state(&g, j, got);

		CHECK(ok == cases[i].ok && (!ok || !memcmp(got, cases[i].want, g.nwords * sizeof(*got))), "%s",
			cases[i].json);
		json_decref(j);
	}
}

/* What a hostile machine sends as a format cannot act on the terminal. */
static void test_formats(struct arena *a)
{
	static const char text[] = "a\033[2J%d\n\177";
	const struct fmt *f = decode_format(a, text, sizeof(text) - 1);

	EXPECT(f && f->n == 2);
	EXPECT(f && !memcmp(f->items[0].text, "a?[2J", 5));
	EXPECT(f && !memcmp(f->items[1].text, "\n?", 2));
	EXPECT(!decode_format(a, "%", 1));
	EXPECT(!decode_format(a, "%99999999d", 10));
}

/* Keys that are born and die leave nothing behind; those that live are known. */
static void test_sent(void)
{
	struct sent_table t = { 0 };
	size_t most = 0;

	for (uint64_t pass = 0; pass < 200; pass++) {
		sent_begin(&t);
		EXPECT_INT(sent_note(&t, 3, 7), !pass);
		for (uint64_t i = 1; i <= 1000; i++)
			EXPECT_INT(sent_note(&t, (pass * 1000 + i) * 0x9e3779b97f4a7c15, i), true);
		sent_forget(&t);
		most = t.cap > most ? t.cap : most;
	}
	EXPECT(most <= 4096);
	EXPECT_INT(t.n, 1001);
	EXPECT_INT(sent_note(&t, 3, 8), true);
	EXPECT_INT(sent_note(&t, 3, 8), false);
	sent_free(&t);
}

int main(void)
{
	struct arena *a = arena_new();

	if (!a)
		abort();
	test_tables();
	test_sent();
	test_values(a);
	test_aggs(a);
	test_states();
	test_formats(a);
	arena_free(a);
	return unit_end();
}
