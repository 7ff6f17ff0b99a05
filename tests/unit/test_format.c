/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_format: formats are taken apart as the table says; bounds of llquantize. */
#include "datum.h"
#include "formats.h"
#include "unit.h"

/* Each item as 'text'<conversion: letters, flags, width, precision, size>. */
static void show(const struct fmt *f, char *buf, size_t size)
{
	static const char flags[] = "-+ #0'@";
	FILE *out = fmemopen(buf, size, "w");

	if (!out)
		abort();
	for (size_t i = 0; i < f->n; i++) {
		const struct fmt_item *it = &f->items[i];

		fprintf(out, "'%.*s'", (int)it->text_len, it->text);
		if (!it->conv)
			continue;
		fprintf(out, "<%s: %c%.1s,", it->conv_text, it->conv, &it->conv2);
		for (unsigned b = 0; b < 7; b++)
			if (it->flags & 1u << b)
				fputc(flags[b], out);
		fprintf(out, ",%d%s,%d%s,%s>", it->width, it->star_width ? "*" : "", it->prec, it->star_prec ? "*" : "",
			it->size);
	}
	fprintf(out, " %zu", f->nargs);
	fclose(out);
}

static const struct {
	const char *s, *want;
} good[] = {
	{ "", " 0" },
	{ "abc\n", "'abc\n' 0" },
	{ "%d", "''<%d: d,,-1,-1,> 1" },
	{ "a%-5db", "'a'<%-5d: d,-,5,-1,>'b' 1" },
	{ "%%", "'%' 0" },
	{ "100%% of %s%%", "'100% of '<%s: s,,-1,-1,>'%' 1" },
	{ "%+ #0'5d", "''<%+ #0'5d: d,+ #0',5,-1,> 1" },
	{ "%*.*s", "''<%*.*s: s,,-1*,-1*,> 3" },
	{ "%.f", "''<%.f: f,,-1,0,> 1" },
	{ "%10.3x", "''<%10.3x: x,,10,3,> 1" },
	{ "%hhd%hd%ld%lld%Lf",
		"''<%hhd: d,,-1,-1,hh>''<%hd: d,,-1,-1,h>''<%ld: d,,-1,-1,l>''<%lld: d,,-1,-1,ll>"
		"''<%Lf: f,,-1,-1,L> 5" },
	{ "%qd%zu%wd%wx%T",
		"''<%qd: d,,-1,-1,q>''<%zu: u,,-1,-1,z>''<%wd: d,,-1,-1,w>''<%wx: x,,-1,-1,w>''<%T: T,,-1,-1,> 5" },
	{ "%wc %ws", "''<%wc: wc,,-1,-1,>' '<%ws: ws,,-1,-1,> 2" },
	{ "%@d %s %-@20u", "''<%@d: d,@,-1,-1,>' '<%s: s,,-1,-1,>' '<%-@20u: u,-@,20,-1,> 1" },
	{ "%@*d", "''<%@*d: d,@,-1*,-1,> 1" },
	{ "%a%A%c%C%D%e%f%g%i%k%o%O%p%S%u%U%X%y%Y",
		"''<%a: a,,-1,-1,>''<%A: A,,-1,-1,>''<%c: c,,-1,-1,>''<%C: C,,-1,-1,>''<%D: D,,-1,-1,>"
		"''<%e: e,,-1,-1,>''<%f: f,,-1,-1,>''<%g: g,,-1,-1,>''<%i: i,,-1,-1,>''<%k: k,,-1,-1,>"
		"''<%o: o,,-1,-1,>''<%O: O,,-1,-1,>''<%p: p,,-1,-1,>''<%S: S,,-1,-1,>''<%u: u,,-1,-1,>"
		"''<%U: U,,-1,-1,>''<%X: X,,-1,-1,>''<%y: y,,-1,-1,>''<%Y: Y,,-1,-1,> 19" },
};

static const struct {
	const char *s, *err;
	size_t off;
} bad[] = {
	{ "%", "the format ends within a conversion", 0 },
	{ "ab%", "the format ends within a conversion", 2 },
	{ "ab%-12.", "the format ends within a conversion", 2 },
	{ "%ll", "the format ends within a conversion", 0 },
	{ "x%Q", "there is no conversion %Q", 1 },
	{ "%@.99Q%.99Q", "there is no conversion %Q", 6 },
	{ "%d %n", "there is no conversion %n", 3 },
	{ "%5%", "there is no conversion %%", 0 },
	{ "%ly%lQ", "there is no such conversion after a size", 3 },
	{ "%\x01", "there is no such conversion", 0 },
	{ "%99999d", "the width or precision is too large", 1 },
	{ "%.99999999999999999999d", "the width or precision is too large", 2 },
};

static const struct {
	uint32_t factor, low, high, steps;
	const char *want;
} llq[] = {
	{ 10, 0, 1, 10, "1 2 3 4 5 6 7 8 9 10 20 30 40 50 60 70 80 90 100" },
	{ 10, 0, 1, 20, "1 2 3 4 5 6 7 8 9 10 15 20 25 30 35 40 45 50 55 60 65 70 75 80 85 90 95 100" },
	{ 10, 2, 3, 5, "100 300 500 700 900 1000 3000 5000 7000 9000 10000" },
	{ 2, 0, 3, 2, "1 2 4 8 16" },
	{ 10, 1, 0, 10, "" },
	{ 1, 0, 3, 10, "" },
	{ 10, 0, 3, 0, "" },
	{ 10, 18, 18, 10,
		"1000000000000000000 1922337203685477580 2844674407370955160 3767011611056432740 "
		"4689348814741910320 5611686018427387900 6534023222112865480 7456360425798343060 "
		"8378697629483820640" },
	{ 10, 19, 20, 10, "" },
};

static void test_llq(size_t i)
{
	int64_t b[64];
	size_t n = llq_bounds(llq[i].factor, llq[i].low, llq[i].high, llq[i].steps, b, ROWS(b));
	char text[1024] = "";

	for (size_t k = 0; k < n && k < ROWS(b); k++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%lld", k ? " " : "", (long long)b[k]);
	CHECK_TEXT("llq_bounds", text, llq[i].want);
	/* Ascending, the same number when there is no room, and none of it written. */
	for (size_t k = 1; k < n; k++)
		CHECK(b[k - 1] < b[k], "row %zu, bound %zu", i, k);
	b[1] = -7;
	CHECK(llq_bounds(llq[i].factor, llq[i].low, llq[i].high, llq[i].steps, b, 1) == n && b[1] == -7, "row %zu", i);
}

int main(void)
{
	struct arena *a = arena_new();
	const struct diag *wrong;
	char buf[2048];
	struct fmt f;

	if (!a)
		abort();
	for (size_t i = 0; i < ROWS(good); i++) {
		wrong = format_parse(a, good[i].s, &f);
		if (wrong) {
			CHECK(0, "%s: %s", good[i].s, wrong->message);
			continue;
		}
		show(&f, buf, sizeof(buf));
		CHECK_TEXT(good[i].s, buf, good[i].want);
	}
	for (size_t i = 0; i < ROWS(bad); i++) {
		wrong = format_parse(a, bad[i].s, &f);
		CHECK(wrong != NULL, "%s", bad[i].s);
		CHECK_TEXT(bad[i].s, wrong ? wrong->message : "", bad[i].err);
		CHECK(!wrong || wrong->loc.off == bad[i].off, "%s: offset %u", bad[i].s, wrong->loc.off);
	}
	/* NUL bytes are text; one within a conversion is an error. */
	CHECK(!format_parse_n(a, "a\0%d", 4, &f) && f.n == 1 && f.items[0].text_len == 2 && f.nargs == 1, "NUL");
	CHECK(format_parse_n(a, "%\0d", 3, &f), "NUL in a conversion");
	for (size_t i = 0; i < ROWS(llq); i++)
		test_llq(i);
	arena_free(a);
	return unit_end();
}
