/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_base: the arena, vectors, maps, periods, escaping and diagnostics. */
#include <errno.h>
#include <stdint.h>

#include "base/diag/diag.h"
#include "base/diag/nearest.h"
#include "base/diag/report.h"
#include "base/escape.h"
#include "base/hash.h"
#include "base/period.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "diags.h"
#include "unit.h"

static void test_period(void)
{
	static const struct {
		uint64_t n;
		const char *unit;
		uint64_t ns; /* 0: none */
	} rows[] = {
		{ 10, "hz", 100000000 },
		{ 500, "", 2000000 },
		{ 1000000000, "hz", 1 },
		{ 1000000001, "hz", 0 },
		{ 3, "msec", 3000000 },
		{ 2, "d", 172800000000000 },
		{ 106751, "d", 9223286400000000000 },
		{ 106752, "day", 0 }, /* more than 63 bits */
		{ UINT64_MAX, "s", 0 },
		{ 0, "s", 0 },
		{ 0, "hz", 0 },
		{ 1, "S", 0 },
		{ 1, "x", 0 },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		uint64_t ns = 0;
		bool ok = period_of(rows[i].n, rows[i].unit, strcmp, &ns);

		EXPECT_INT(ok ? ns : 0, rows[i].ns);
	}
}

static void test_arena(struct arena *a)
{
	static const size_t sizes[] = { 0, 1, 15, 16, 17, 4096, 100000, (size_t)9 << 20 };

	for (size_t i = 0; i < ROWS(sizes); i++) {
		unsigned char *p = arena_alloc(a, sizes[i]);
		size_t nonzero = 0;

		EXPECT(p != NULL);
		EXPECT_INT((uintptr_t)p % 16, 0);
		for (size_t k = 0; k < sizes[i]; k++)
			nonzero += p[k] != 0;
		EXPECT_INT(nonzero, 0);
		memset(p, 0xff, sizes[i]); /* the next one must not see it */
	}
	EXPECT_STR(arena_strdup(a, "ab"), "ab");
	EXPECT_STR(arena_strndup(a, "abc", 2), "ab");
	EXPECT_STR(arena_strndup(a, NULL, 0), "");
	EXPECT_STR(arena_printf(a, "%s-%d", "x", 5), "x-5");
	arena_free(NULL);
}

/* Thousands of blocks, each with its own pattern: none may overlap another. */
static void test_arena_many(struct arena *a)
{
	enum { N = 5000 };
	unsigned char **blocks = ARENA_ARRAY(a, unsigned char *, N);
	size_t wrong = 0;

	for (size_t i = 0; i < N; i++) {
		blocks[i] = arena_alloc(a, i % 300 + 1);
		memset(blocks[i], (int)(i & 0xff), i % 300 + 1);
	}
	for (size_t i = 0; i < N; i++)
		for (size_t k = 0; k < i % 300 + 1; k++)
			wrong += blocks[i][k] != (i & 0xff);
	EXPECT_INT(wrong, 0);
}

static void test_vec(struct arena *a)
{
	VEC(int) v = { 0 };
	int wrong = 0;

	for (int i = 0; i < 1000; i++) {
		int *p = vec_push(a, &v);

		wrong += *p != 0;
		*p = i;
	}
	EXPECT_INT(v.n, 1000);
	for (int i = 0; i < 1000; i++)
		wrong += v.v[i] != i;
	v.n = 10; /* cut back: what is pushed again is zero again */
	wrong += *vec_push(a, &v) != 0;
	EXPECT_INT(wrong, 0);
	EXPECT_INT(v.n, 11);
}

struct each {
	char order[64];
	size_t n;
};

static void collect(void *ctx, const char *key, void *value)
{
	struct each *e = ctx;

	e->n++;
	strncat(e->order, key, sizeof(e->order) - strlen(e->order) - 1);
	strncat(e->order, value, sizeof(e->order) - strlen(e->order) - 1);
}

static void test_strmap(struct arena *a)
{
	struct strmap *m = strmap_new(a);
	struct each e = { .order = "" };
	char key[16] = "k";
	size_t wrong = 0;

	EXPECT(strmap_get(m, "k") == NULL);
	strmap_put(m, key, (char[]){ "1" });
	key[0] = 'x'; /* keys are copied */
	strmap_put(m, "b", (char[]){ "2" });
	strmap_put(m, "", (char[]){ "3" });
	strmap_put(m, "b", (char[]){ "4" });
	EXPECT_STR(strmap_get(m, "k"), "1");
	EXPECT_STR(strmap_get(m, "b"), "4");
	EXPECT_STR(strmap_get(m, ""), "3");
	EXPECT(strmap_get(m, "x") == NULL);
	strmap_each(m, collect, &e);
	EXPECT_INT(e.n, 3);
	EXPECT_STR(e.order, "k1b43");
	for (uintptr_t i = 1; i <= 20000; i++)
		strmap_put(m, arena_printf(a, "key%zu", (size_t)i), a);
	for (uintptr_t i = 1; i <= 20000; i++)
		wrong += strmap_get(m, arena_printf(a, "key%zu", (size_t)i)) != a;
	EXPECT_INT(wrong, 0);
	EXPECT(strmap_get(m, "key20001") == NULL);
}

struct escape_row {
	const char *in;
	size_t len;
	enum escape_keep keep_ws;
	const char *want;
	size_t cols;
};

static void print_escape(void *ctx, FILE *out)
{
	const struct escape_row *r = ctx;

	EXPECT_INT(escape_print(out, r->in, r->len, r->keep_ws), r->cols);
	EXPECT_INT(escape_print(NULL, r->in, r->len, r->keep_ws), r->cols);
}

static void test_escape(void)
{
	static struct escape_row rows[] = {
		{ "abc", 3, 0, "abc", 3 },
		{ "", 0, 0, "", 0 },
		{ "a\0b", 3, 0, "a\\x00b", 6 },
		{ "a\nb\t", 4, 1, "a\nb\t", 4 },
		{ "a\nb\t", 4, 0, "a\\x0ab\\x09", 10 },
		{ "\033[31m\007\177\r", 8, 1, "\\x1b[31m\\x07\\x7f\\x0d", 20 },
		{ "\xc3\xa9", 2, 0, "\xc3\xa9", 1 },                      /* e acute */
		{ "\xe6\x97\xa5", 3, 0, "\xe6\x97\xa5", 2 },              /* a wide character */
		{ "e\xcc\x81", 3, 0, "e\xcc\x81", 1 },                    /* a combining one */
		{ "\xc2\x9b", 2, 0, "\\xc2\\x9b", 8 },                    /* CSI of C1 */
		{ "\xe2\x80\xae", 3, 0, "\\xe2\\x80\\xae", 12 },          /* right-to-left override */
		{ "\xc0\xaf", 2, 0, "\\xc0\\xaf", 8 },                    /* overlong */
		{ "\xed\xa0\x80", 3, 0, "\\xed\\xa0\\x80", 12 },          /* surrogate */
		{ "\xf4\x90\x80\x80", 4, 0, "\\xf4\\x90\\x80\\x80", 16 }, /* above U+10FFFF */
		{ "\xe6\x97", 2, 0, "\\xe6\\x97", 8 },                    /* cut off */
		{ "\xf0\x9f\x98\x80", 4, 0, "\xf0\x9f\x98\x80", 2 },      /* emoji */
		{ "\xff\x80", 2, 0, "\\xff\\x80", 8 },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		char *got = unit_capture(print_escape, &rows[i]);

		EXPECT_STR(got, rows[i].want);
		free(got);
	}
}

static void print_escape_json(void *ctx, FILE *out)
{
	const char *line = ctx;

	escape_json(out, line, strlen(line));
}

static void test_escape_json(void)
{
	static char line[] = "{\"a\":\t\"\xc3\xa9\033[2J\x7f\xc2\x9b\xe2\x80\xae\xff\\n\"}";
	char *got = unit_capture(print_escape_json, line);

	EXPECT_STR(got, "{\"a\":\t\"\xc3\xa9\\u001b[2J\\u007f\\u009b\\u202e\\ufffd\\n\"}");
	free(got);
}

static void test_undo_octal(void)
{
	static const struct {
		const char *path, *want;
	} rows[] = {
		{ "/run/netns/blue", "/run/netns/blue" },
		{ "/a\\040b\\011\\012\\134c", "/a b\t\n\\c" },
		{ "\\303\\251", "\xc3\xa9" },
		{ "\\04", "\\04" }, /* cut off */
		{ "\\", "\\" },
		{ "\\x40\\189", "\\x40\\189" }, /* no octal digits */
		{ "", "" },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s", rows[i].path);
		escape_undo_octal(path);
		EXPECT_STR(path, rows[i].want);
	}
}

static void print_diags(void *ctx, FILE *out)
{
	diags_print(ctx, out);
}

static struct loc find(const struct source *src, const char *what)
{
	const char *p = strstr(src->text, what);

	EXPECT(p != NULL);
	return (struct loc){ src, p ? (uint32_t)(p - src->text) : 0, (uint32_t)strlen(what) };
}

static void expect_printed(struct diags *d, const char *want)
{
	char *got = unit_capture(print_diags, d);

	EXPECT_STR(got, want);
	free(got);
}

static void test_diag_format(struct arena *a)
{
	const char *text = "x\n\t/args[2]->ip_saddr == 5/\n\xc3\xa9\033 @\r\nlast";
	const struct source src = { .name = "tcp.d", .text = text, .len = strlen(text) };
	struct diags *d = diags_new(a);

	diag_error(
		d, find(&src, "=="), D_OP_INCOMPAT, "quote it: \"10.0.0.5\"", "cannot compare %s with int", "string");
	diag_warn(d, find(&src, "@"), D_SYNTAX, NULL, "bytes \001");
	diag_error(d, (struct loc){ &src, (uint32_t)src.len, 5 }, D_SYNTAX, NULL, "end");
	diag_error(d, (struct loc){ 0 }, D_KERNEL, NULL, "nowhere");
	diag_error(d, (struct loc){ 0 }, D_KERNEL, "mount it", "nowhere");
	EXPECT_INT(diags_errors(d), 4);
	EXPECT(diags_get(d, 1)->level == DIAG_WARNING);
	EXPECT(diags_get(d, 5) == NULL);
	expect_printed(d,
		"tcp.d:2:21: error[D_OP_INCOMPAT]: cannot compare string with int\n"
		"    \t/args[2]->ip_saddr == 5/\n"
		"    \t                   ^~ hint: quote it: \"10.0.0.5\"\n"
		"tcp.d:3:5: warning[D_SYNTAX]: bytes \\x01\n"
		"    \xc3\xa9\\x1b @\n"
		"          ^\n"
		"tcp.d:4:5: error[D_SYNTAX]: end\n"
		"    last\n"
		"        ^\n"
		"dwire: error[D_KERNEL]: nowhere\n"
		"dwire: error[D_KERNEL]: nowhere\n"
		"    hint: mount it\n");
}

static void test_diag_long_line(struct arena *a)
{
	char *text = arena_alloc(a, 1001);
	const struct source src = { .name = "x", .text = text, .len = 1000 };
	struct diags *d = diags_new(a);

	memset(text, 'a', 1000);
	text[500] = 'b';
	diag_error(d, (struct loc){ &src, 500, 1 }, D_SYNTAX, NULL, "m");
	char *got = unit_capture(print_diags, d);
	const char *line = strchr(got, '\n') + 1, *caret = strchr(line, '\n') + 1;

	EXPECT(!strncmp(line, "    ...aaa", 10));
	EXPECT(!strncmp(caret - 4, "...\n", 4));
	EXPECT(caret - line < 180);
	/* the caret stands below the b */
	EXPECT_INT(strchr(caret, '^') - caret, strchr(line, 'b') - line);
	free(got);
}

static void test_diag_many(struct arena *a)
{
	const struct source src = { .name = "x", .text = "y", .len = 1 };
	struct diags *d = diags_new(a);

	for (int i = 0; i < 250; i++)
		diag_error(d, (struct loc){ &src, 0, 1 }, D_SYNTAX, NULL, "error %d", i);
	diag_warn(d, (struct loc){ &src, 0, 1 }, D_SYNTAX, NULL, "a warning is kept all the same");
	EXPECT_INT(diags_errors(d), 250);
	EXPECT(diags_get(d, 100) && diags_get(d, 100)->level == DIAG_WARNING);
	EXPECT(diags_get(d, 101) == NULL);
	char *got = unit_capture(print_diags, d);

	EXPECT(strstr(got, "dwire: 150 more errors not shown\n") != NULL);
	free(got);
}

/* The same error of several probes is shown once, and does not displace others. */
static void test_diag_repeated(struct arena *a)
{
	const struct source src = { .name = "x", .text = "ab", .len = 2 };
	struct diags *d = diags_new(a);

	for (int i = 0; i < 150; i++) {
		diag_error(d, (struct loc){ &src, 0, 1 }, D_SYNTAX, NULL, "error");
		diag_warn(d, (struct loc){ &src, 0, 1 }, D_SYNTAX, NULL, "error");
	}
	diag_error(d, (struct loc){ &src, 1, 1 }, D_SYNTAX, NULL, "error");
	diag_error(d, (struct loc){ &src, 1, 1 }, D_SYNTAX, NULL, "another");
	EXPECT_INT(diags_errors(d), 152);
	EXPECT_INT(diags_unkept(d), 0);
	EXPECT(diags_get(d, 3) && diags_get(d, 3)->loc.off == 1);
	EXPECT(diags_get(d, 4) == NULL);
}

static void test_diag_levels(struct arena *a)
{
	struct diags *d = diags_new(a);
	const struct reporter *to = diags_reporter(d);
	const struct diag log = { .err = -EACCES, .message = "refused", .detail = "  log:\n    a\tb\n" };

	EXPECT_INT(report_error(to, -ENOENT, D_NONE, "mount it", "cannot open %s", "a\nb"), -ENOENT);
	report_warning(to, D_NONE, NULL, "%d places", 3);
	report_warning(to, D_KERNEL, NULL, "old");
	report_note(to, "%d drops", 5);
	EXPECT_INT(report_no_memory(to, "read the types"), -ENOMEM);
	report(to, &log);
	EXPECT_INT(report_error(NULL, -EIO, D_NONE, NULL, "nobody listens"), -EIO);
	EXPECT_INT(diags_errors(d), 3);
	EXPECT_INT(diags_get(d, 0)->err, -ENOENT);
	EXPECT_INT(diags_get(d, 3)->level, DIAG_NOTE);
	expect_printed(d,
		"dwire: cannot open a\\x0ab\n"
		"    hint: mount it\n"
		"dwire: warning: 3 places\n"
		"dwire: warning[D_KERNEL]: old\n"
		"dwire: 5 drops\n"
		"dwire: not enough memory to read the types\n"
		"dwire: refused\n"
		"  log:\n"
		"    a\tb\n");
}

static void test_report_long(struct arena *a)
{
	struct diags *d = diags_new(a);
	char *text = arena_alloc(a, 20001);

	memset(text, 'x', 20000);
	report_error(diags_reporter(d), -EINVAL, D_NONE, NULL, "%s", text);
	EXPECT_STR(diags_get(d, 0)->message, text);
}

static void test_report_keep(struct arena *a)
{
	struct report_kept k;
	struct diags *d = diags_new(a);

	report_keep(&k);
	EXPECT_INT(k.err, 0);
	EXPECT_STR(k.message, "");
	report_error(&k.reporter, -EPERM, D_NONE, NULL, "first");
	report_error(&k.reporter, -EBUSY, D_NONE, NULL, "it is %s", "taken");
	report_warning(&k.reporter, D_NONE, NULL, "not this");
	EXPECT_INT(k.err, -EBUSY);
	report_error(diags_reporter(d), k.err, D_NONE, NULL, "cannot attach x: %s", k.message);
	expect_printed(d, "dwire: cannot attach x: it is taken\n");
}

static void test_tags(void)
{
	EXPECT_STR(dtag_name(D_SYNTAX), "D_SYNTAX");
	EXPECT_STR(dtag_name(D_LIMIT), "D_LIMIT");
	EXPECT_STR(dtag_name(D_TAG_COUNT), "D_UNKNOWN");
}

static void test_nearest(void)
{
	static const char *const table[] = { "execname", "timestamp", "cpu", "pid", "tid", "ip_saddr", "ip_daddr",
		NULL };
	static const struct {
		const char *name, *want;
	} rows[] = {
		{ "exename", "execname" },
		{ "timestmap", "timestamp" },
		{ "cpi", "cpu" },
		{ "ip_sadr", "ip_saddr" },
		{ "CPU", "cpu" },
		{ "zzzzzz", NULL },
		{ "", NULL },
		{ "p", NULL },
		{ "pdi", "pid" },
		{ "execnam", "execname" },
		{ "xyz", NULL },
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		const char *got = nearest_name(rows[i].name, table);

		EXPECT_STR(got ? got : "none", rows[i].want ? rows[i].want : "none");
	}
	/* Both are one edit away. */
	EXPECT_STR(nearest_name("tcpto", (const char *const[]){ "tcpio", "tcptop", NULL }), "tcptop");
	EXPECT_STR(nearest_name("tcpto", (const char *const[]){ "tcptop", "tcpio", NULL }), "tcptop");
	char longname[200];

	memset(longname, 'x', sizeof(longname) - 1);
	longname[sizeof(longname) - 1] = '\0';
	EXPECT(nearest_name(longname, table) == NULL);
}

/* The published vectors of SipHash-1-3: of the first bytes of 0, 1, 2, ..., under the secret 0, 1, ..., 15. */
static void test_hash(void)
{
	static const struct {
		size_t n;
		uint64_t want;
	} rows[] = {
		{ 0, 0xabac0158050fc4dc },
		{ 1, 0xc9f49bf37d57ca93 },
		{ 7, 0xd3927d989bb11140 },
		{ 8, 0x369095118d299a8e },
		{ 15, 0xd320d86d2a519956 },
		{ 16, 0xcc4fdd1a7d908b66 },
	};
	struct hash_secret secret, other;
	uint8_t bytes[16];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	memcpy(&secret, bytes, sizeof(secret));
	for (size_t i = 0; i < ROWS(rows); i++)
		EXPECT(hash_of_bytes(&secret, bytes, rows[i].n) == rows[i].want);
	hash_secret_make(&secret);
	hash_secret_make(&other);
	EXPECT(memcmp(&secret, &other, sizeof(secret)) != 0);
}

int main(void)
{
	struct arena *a = arena_new();

	if (!a)
		return 1;
	test_period();
	test_hash();
	test_arena(a);
	test_arena_many(a);
	test_vec(a);
	test_strmap(a);
	test_escape();
	test_escape_json();
	test_undo_octal();
	test_diag_format(a);
	test_diag_long_line(a);
	test_diag_many(a);
	test_diag_repeated(a);
	test_diag_levels(a);
	test_report_long(a);
	test_report_keep(a);
	test_tags();
	test_nearest();
	arena_free(a);
	return unit_end();
}
