/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_escapes: what processes and packets may choose, in each style of output: controls, overrides of the direction,
 * line feeds, formulas. */
#include "print/value/quote.h"
#include "print/value/style.h"
#include "unit.h"

#define BIDI "\xe2\x80\xae" /* U+202E, right-to-left override */
#define C1 "\xc2\x9b"       /* U+009B, which terminals may take for ESC [ */
#define EURO "\xe2\x82\xac"

enum { TEXT, JSON, CSV, XML, HTML, STYLES };

static const struct {
	const char *in;
	const char *want[STYLES];
} rows[] = {
	{ "plain " EURO, { "plain " EURO, "plain " EURO, "plain " EURO, "plain " EURO, "plain " EURO } },
	{ "a" C1 "b", { "a\\xc2\\x9bb", "a\\u009bb", "a\\xc2\\x9bb", "a&#x9b;b", "a\\xc2\\x9bb" } },
	{ "a" BIDI "b", { "a\\xe2\\x80\\xaeb", "a\\u202eb", "a\\xe2\\x80\\xaeb", "a&#x202e;b", "a\\xe2\\x80\\xaeb" } },
	{ "a\x7f", { "a\\x7f", "a\\u007f", "a\\x7f", "a&#x7f;", "a\\x7f" } },
	{ "\x1b[31m", { "\\x1b[31m", "\\u001b[31m", "\\x1b[31m", "?[31m", "?[31m" } },
	/* A name with a line feed is no line more. */
	{ "a\nb", { "a\\x0ab", "a\\nb", "a\\x0ab", "a\nb", "a\nb" } },
	{ "a\tb", { "a\tb", "a\\tb", "a\tb", "a\tb", "a\tb" } },
	{ "a\xff", { "a\\xff", "a\xef\xbf\xbd", "a\\xff", "a\xef\xbf\xbd", "a\xef\xbf\xbd" } },
	{ "<\"&", { "<\"&", "<\\\"&", "<\"\"&", "&lt;&quot;&amp;", "&lt;&quot;&amp;" } },
};

static const struct {
	const char *in, *safe; /* with -x csvsafe, as a whole cell */
} cells[] = {
	{ "=1+1", "'=1+1" },
	{ "+1", "'+1" },
	{ "-1", "'-1" },
	{ "@SUM(A1)", "'@SUM(A1)" },
	{ "\t=1", "'\t=1" },
	{ "a=1", "a=1" },
	{ "", "" },
};

static void write_text(struct out *o, int style, const char *s)
{
	size_t len = strlen(s);

	if (style == XML)
		quote_xml(o, s, len);
	else if (style == HTML)
		quote_html(o, s, len);
	else
		out_text(o, s, len, false, 0);
}

int main(void)
{
	static const struct style *const styles[STYLES] = { &style_text, &style_json, &style_csv, &style_text,
		&style_text };
	struct options options;
	struct capture cap;

	options_init(&options);
	capture_open(&cap);
	for (size_t k = 0; k < STYLES; k++) {
		struct out *o = out_new(cap.f, styles[k], &options);

		if (!o)
			abort();
		for (size_t i = 0; i < ROWS(rows); i++) {
			capture_reset(&cap);
			write_text(o, (int)k, rows[i].in);
			CHECK(!out_flush(o), "flush");
			CHECK_TEXT(rows[i].in, capture_text(&cap), rows[i].want[k]);
		}
		out_free(o);
	}
	struct out *o = out_new(cap.f, &style_csv, &options);

	for (size_t i = 0; o && i < 2 * ROWS(cells); i++) {
		char want[64];

		options.csvsafe = i & 1;
		capture_reset(&cap);
		out_str(o, "\"");
		out_text(o, cells[i / 2].in, strlen(cells[i / 2].in), false, 0);
		out_str(o, "\",\"a");
		out_text(o, cells[i / 2].in, strlen(cells[i / 2].in), false, 0);
		out_str(o, "\"");
		CHECK(!out_flush(o), "flush");
		snprintf(want, sizeof(want), "\"%s\",\"a%s\"", options.csvsafe ? cells[i / 2].safe : cells[i / 2].in,
			cells[i / 2].in);
		CHECK_TEXT(cells[i / 2].in, capture_text(&cap), want);
	}
	out_free(o);
	capture_close(&cap);
	return unit_end();
}
