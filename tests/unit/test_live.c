/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_live: the screen without a terminal: texts and their widths, rows and their groups, filters and order, tools for
 * a row, and what is made of a stream. */
#include <locale.h>
#include <unistd.h>

#include "live/heat.h"
#include "live/open.h"
#include "live/save.h"
#include "live/watch.h"
#include "live/words.h"
#include "unit.h"

/* ---- texts ------------------------------------------------------------------------------------------------------- */
static void expect_word(const char *s, size_t len, const wchar_t *want, size_t width)
{
	struct word_text w;

	word_of_text(&w, s, len);
	CHECK(!wcscmp(w.s, want), "%ls, not %ls", w.s, want);
	EXPECT_INT(w.width, width);
}

static void expect_cell(const char *name, const char *text, const wchar_t *want)
{
	char column[32], cell[64];
	struct word_text w;

	snprintf(column, sizeof(column), "%s", name);
	snprintf(cell, sizeof(cell), "%s", text);
	word_of_cell(&w, &(struct column){ .name = column }, &(struct cell){ .kind = CELL_TEXT, .text = cell });
	CHECK(!wcscmp(w.s, want), "%ls, not %ls", w.s, want);
}

/* 1536 in a column of that name; value: of an aggregation. */
static void expect_amount(const char *name, bool value, const wchar_t *want)
{
	char column[32];
	struct word_text w;

	snprintf(column, sizeof(column), "%s", name);
	word_of_cell(&w, &(struct column){ .name = column, .value = value },
		&(struct cell){ .kind = CELL_NUMBER, .number = 1536 });
	CHECK(!wcscmp(w.s, want), "%ls, not %ls", w.s, want);
}

/* What a stranger chose is never a control character, and its width is known. */
static void test_words(void)
{
	struct word_text w;

	expect_word("nginx", 5, L"nginx", 5);
	expect_word("\x1b[2J", 4, L"\\x1b[2J", 7);
	expect_word("a\x7f\n", 3, L"a\\x7f\\x0a", 9);
	expect_word("\xc2\x9b", 2, L"\\xc2\\x9b", 8);           /* a C1 control, U+009B */
	expect_word("\xe2\x80\xae", 3, L"\\xe2\\x80\\xae", 12); /* turns the text around, U+202E */
	expect_word("\xff", 1, L"\\xff", 4);
	expect_word("\xe6\x97\xa5", 3, L"\u65e5", 2);
	expect_word("e\xcc\x81", 3, L"e\u0301", 1);
	expect_word("\xcc\x81", 2, L"\\xcc\\x81", 8); /* a mark without a letter */
	word_of_text(&w, "\xe6\x97\xa5\xe6\x9c\xac", 6);
	word_cut(&w, 3);
	CHECK(!wcscmp(w.s, L"\u65e5\u2026"), "%ls", w.s);
	EXPECT_INT(w.width, 3);
	word_cut(&w, 2); /* half a character is none */
	CHECK(!wcscmp(w.s, L"\u2026"), "%ls", w.s);
	word_of_bytes(&w, 1023);
	CHECK(!wcscmp(w.s, L"1023B"), "%ls", w.s);
	word_of_bytes(&w, 1536);
	CHECK(!wcscmp(w.s, L"1.5K"), "%ls", w.s);
	word_of_bytes(&w, 1024.0L * 1024 - 1);
	CHECK(!wcscmp(w.s, L"1.0M"), "%ls", w.s);
	word_of_bytes(&w, 1258291);
	CHECK(!wcscmp(w.s, L"1.2M"), "%ls", w.s);
	expect_cell("time", "2026-11-23T16:08:57.307593+00:00", L"16:08:57.307");
	expect_cell("time", "16:08:57", L"16:08:57");
	expect_cell("comm", "2026-11-23T16:08:57.307593+00:00", L"2026-11-23T16:08:57.307593+00:00");
	expect_amount("tx_bytes", false, L"1.5K");
	expect_amount("bytes", true, L"1.5K");
	expect_amount("bytes", false, L"1536"); /* the size of one segment */
	EXPECT(word_bar(0) == L' ' && word_bar(1) == L'\u2588' && word_bar(0.01) == L'\u2581');
}

/* ---- sheets and views -------------------------------------------------------------------------------------------- */
static struct agg sum = { .fn = DW_AGG_SUM, .nwords = 1 }, most = { .fn = DW_AGG_MAX, .nwords = 1 },
		  mean = { .fn = DW_AGG_AVG, .nwords = 2 };

/* comm, port; sum, max, avg */
static struct sheet *make_sheet(void)
{
	struct sheet *s = sheet_new(false);
	const struct agg *g[] = { NULL, NULL, &sum, &most, &mean };
	const char *const names[] = { "comm", "port", "bytes", "most", "mean" };

	for (size_t i = 0; s && i < 5; i++) {
		struct column *c = sheet_column(s, names[i]);

		c->value = g[i] != NULL;
		c->g = g[i];
		c->normal = 1;
	}
	return s;
}

static void put(struct sheet *s, const char *comm, int port, int bytes, int greatest, uint64_t n, uint64_t total)
{
	struct cell *c = calloc(5, sizeof(*c));
	const uint64_t words[] = { n, total };

	cell_set_text(&c[0], comm, strlen(comm));
	c[1] = (struct cell){ .kind = CELL_NUMBER, .number = port };
	c[2] = (struct cell){ .kind = CELL_NUMBER, .number = bytes };
	c[3] = (struct cell){ .kind = CELL_NUMBER, .number = greatest };
	c[4] = (struct cell){ .kind = CELL_NUMBER, .number = (long double)(total / n) };
	cell_set_words(&c[4], words, 2);
	sheet_put(s, c);
}

/* The rows of a view as "comm:port comm:port". */
static const char *rows_of(const struct view *v)
{
	static char text[512];
	size_t n = 0;

	*text = '\0';
	for (size_t i = 0; i < v->n && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s:%.0Lf", i ? " " : "", v->rows[i]->cells[0].text,
			v->rows[i]->cells[1].number);
	return text;
}

static void expect_filter(struct view *v, const char *filter, const char *want)
{
	snprintf(v->filter, sizeof(v->filter), "%s", filter);
	view_sort(v);
	EXPECT_STR(rows_of(v), want);
}

static void test_view(void)
{
	struct sheet *s = make_sheet();
	struct view v = { .n = 0 };
	uint64_t by;
	const char *bad;

	sheet_begin(s);
	put(s, "nginx", 80, 100, 7, 2, 10);
	put(s, "nginx", 443, 300, 9, 1, 50);
	put(s, "Curl", 5000, 200, 1, 1, 1);
	sheet_settle(s);
	EXPECT(view_take(&v, s));
	EXPECT_STR(rows_of(&v), "nginx:443 Curl:5000 nginx:80");
	v.up = true;
	expect_filter(&v, "", "nginx:80 Curl:5000 nginx:443");
	expect_filter(&v, "curl", "Curl:5000");
	expect_filter(&v, "!curl", "nginx:80 nginx:443");
	expect_filter(&v, "nginx 443", "nginx:443");
	expect_filter(&v, "port<1024", "nginx:80 nginx:443");
	expect_filter(&v, "!port<1024 bytes>199", "Curl:5000");
	expect_filter(&v, "bytes>0.1k", "Curl:5000 nginx:443"); /* 0.1k is 102.4 */
	expect_filter(&v, "bytes<0.2K !bytes<0.1k", "Curl:5000");
	expect_filter(&v, "bytes>199B", "Curl:5000 nginx:443");
	expect_filter(&v, "bytes<0.0001mb", "nginx:80"); /* 104.9 */
	expect_filter(&v, "port>4.9k", "Curl:5000");     /* no bytes: 4900 */
	expect_filter(&v, "port>5k", "");
	expect_filter(&v, "port>9x", "nginx:80 Curl:5000 nginx:443"); /* no number yet */
	expect_filter(&v, "comm=gin port=44", "nginx:443");
	expect_filter(&v, "port>", "nginx:80 Curl:5000 nginx:443"); /* being typed */
	expect_filter(&v, "none", "");
	EXPECT(!view_selected(&v));
	expect_filter(&v, "", "nginx:80 Curl:5000 nginx:443");
	view_select(&v, 1);
	v.up = false;
	view_sort_at(&v, 2);
	EXPECT_STR(view_selected(&v)->cells[0].text, "Curl"); /* the selection follows its row */
	EXPECT(view_columns(s, "com, port", &by, &bad) && by == 3);
	EXPECT(!view_columns(s, "comm,bytes", &by, &bad) && !strcmp(bad, "bytes")); /* a value is no key */
	view_clear(&v);
	sheet_free(s);
}

/* Values of a group: sums add up, the greatest stays, an average is one of all values. */
static void test_groups(void)
{
	struct sheet *s = make_sheet(), *g;

	sheet_begin(s);
	put(s, "nginx", 80, 100, 7, 3, 30);
	put(s, "gone", 1, 5, 5, 1, 1);
	sheet_settle(s);
	sheet_begin(s);
	put(s, "nginx", 80, 10, 8, 3, 30);
	put(s, "nginx", 443, 20, 9, 1, 50);
	sheet_settle(s);
	EXPECT_INT(s->nrows, 3);
	EXPECT(!sheet_has(s, &s->rows[1]));
	EXPECT(sheet_then(s, &s->rows[0], 2, 0) == 10 && sheet_then(s, &s->rows[0], 2, 1) == 100);
	EXPECT(sheet_then(s, &s->rows[2], 2, 1) == 0);
	g = sheet_by(s, 1);
	EXPECT_INT(g->nrows, 1);
	EXPECT_INT(g->ncolumns, 6);
	EXPECT(g->rows[0].cells[1].kind == CELL_UNKNOWN);
	EXPECT_INT(g->rows[0].cells[2].number, 30);
	EXPECT_INT(g->rows[0].cells[3].number, 9);
	EXPECT_INT(g->rows[0].cells[4].number, 20); /* (30 + 50) / 4 */
	EXPECT_INT(g->rows[0].cells[5].number, 2);
	EXPECT(sheet_then(g, &g->rows[0], 2, 0) == 30 && sheet_then(g, &g->rows[0], 2, 1) == 100);
	sheet_free(g);
	for (unsigned i = 0; i < HISTORY; i++) {
		sheet_begin(s);
		sheet_settle(s);
	}
	EXPECT_INT(s->nrows, 0); /* rows are forgotten with their history */
	EXPECT(s->bytes == 0);
	sheet_free(s);
}

/* What does not fit is counted. */
static void test_bounds(void)
{
	struct sheet *s = make_sheet(), *log = sheet_new(true);

	sheet_begin(s);
	for (int i = 0; i < (int)SHEET_ROWS + 5; i++)
		put(s, "x", i, 1, 1, 1, 1);
	sheet_settle(s);
	EXPECT_INT(s->nrows, SHEET_ROWS);
	EXPECT_INT(s->refused, 5);
	sheet_free(s);
	sheet_column(log, "i");
	for (int i = 0; i < (int)SHEET_ROWS + 5; i++) {
		struct cell *c = calloc(1, sizeof(*c));

		*c = (struct cell){ .kind = CELL_NUMBER, .number = i };
		sheet_put(log, c);
	}
	EXPECT_INT(log->nrows + log->dropped, SHEET_ROWS + 5);
	EXPECT_INT(log->rows[log->nrows - 1].cells[0].number, SHEET_ROWS + 4);
	EXPECT_INT(log->rows[0].cells[0].number, log->dropped);
	sheet_free(log);
}

/* ---- tools for a row --------------------------------------------------------------------------------------------- */
static void test_open(void)
{
	struct sheet *s = sheet_new(true);
	struct cell *c = calloc(4, sizeof(*c));
	const struct open_tool *t;
	char args[200];

	sheet_column(s, "pid");
	sheet_column(s, "lport");
	sheet_column(s, "rport");
	sheet_column(s, "raddr");
	for (size_t i = 0; i < 3; i++)
		c[i] = (struct cell){ .kind = CELL_NUMBER, .number = 10 + (int)i };
	cell_set_text(&c[3], "fd00::1", 7);
	sheet_put(s, c);
	t = open_tool("tcptop", s, &s->rows[0], 0);
	EXPECT(t && !strcmp(t->tool, "sotrace"));
	open_filters(t, s, &s->rows[0], args, sizeof(args));
	EXPECT_STR(args, " -p 10 -L 11 -D 12 --host fd00::1");
	t = open_tool("udptop", s, &s->rows[0], 1);
	EXPECT(t && !strcmp(t->tool, "udpsnoop"));
	EXPECT(!open_tool("udptop", s, &s->rows[0], 2));
	free(c[3].text);
	cell_set_text(&c[3], "; reboot", 8); /* no address: no filter */
	c[0].number = -1;
	open_filters(open_tool("tcptop", s, &s->rows[0], 0), s, &s->rows[0], args, sizeof(args));
	EXPECT_STR(args, " -L 11 -D 12");
	c[1].kind = c[2].kind = CELL_UNKNOWN;
	EXPECT(!open_tool("tcptop", s, &s->rows[0], 0));
	sheet_free(s);
}

/* ---- a stream ---------------------------------------------------------------------------------------------------- */
#define S "{\"s\":\"a1\",\"n\":"
/* clang-format off */
static const char stream[] =
	S "0,\"f\":\"hello\",\"v\":1,\"host\":\"web\",\"clock\":{\"wall\":1000,\"mono\":400},\"hash\":\"h\","
	  "\"script\":\"\",\"options\":[\"rows=json\"]}\n"
	S "1,\"f\":\"agg\",\"agg\":0,\"name\":\"n\",\"fn\":\"sum\","
	  "\"keys\":[{\"name\":\"execname\",\"type\":\"string\"}]}\n"
	S "2,\"f\":\"agg\",\"agg\":1,\"name\":\"us\",\"fn\":\"lquantize\",\"base\":0,\"limit\":100,\"step\":10,"
	  "\"low\":[null,0,10,20,30,40,50,60,70,80,90,100],\"keys\":[{\"name\":\"execname\",\"type\":\"string\"}]}\n"
	S "3,\"f\":\"clause\",\"clause\":0,\"probe\":{\"id\":1,\"provider\":\"profile\",\"module\":\"\","
	  "\"function\":\"\",\"name\":\"tick-1s\"},\"quiet\":false,\"step\":true,\"actions\":["
	  "{\"action\":\"printa\",\"format\":\"{\\\"comm\\\":\\\"%s\\\",\\\"n\\\":%@d,\\\"p50_us\\\":%@.50Q}\\n\","
	  "\"aggs\":[0,1],\"columns\":[]},"
	  "{\"action\":\"printf\",\"format\":\"{\\\"i\\\":%d,\\\"time\\\":\\\"%02d:%02d\\\"}\\n\",\"columns\":["
	  "{\"type\":\"int\",\"size\":4,\"signed\":true},{\"type\":\"int\",\"size\":4,\"signed\":true},"
	  "{\"type\":\"int\",\"size\":4,\"signed\":true}]}]}\n"
	S "4,\"f\":\"state\",\"agg\":0,\"gen\":0,\"part\":0,\"rows\":[[[\"a\\\"\\u001b\"],5],[[\"b\"],7]]}\n"
	S "5,\"f\":\"state\",\"agg\":1,\"gen\":0,\"part\":0,\"rows\":[[[\"b\"],[[1,3],[4,1]]]]}\n"
	S "6,\"f\":\"row\",\"clause\":0,\"t\":500,\"cpu\":0,\"step\":0,\"out\":[[0],[1,42,7,5]]}\n"
	S "7,\"f\":\"end\",\"status\":3}\n";
/* clang-format on */

static void test_stream(void)
{
	char path[] = "/tmp/test_live.XXXXXX", saved[64], text[256] = "";
	int fd = mkstemp(path);
	const char *const argv[] = { "cat", path, NULL };
	struct watch *w;
	FILE *f;

	EXPECT(fd >= 0 && write(fd, stream, sizeof(stream) - 1) == (ssize_t)sizeof(stream) - 1);
	close(fd);
	w = watch_open(argv, "cat");
	for (int i = 0; w && !w->ended && i < 1000; i++) {
		watch_read(w);
		usleep(1000);
	}
	EXPECT(w && w->ended && watch_take(w));
	EXPECT_INT(w->status, 0); /* of cat */
	EXPECT_INT(w->feed.n, 2);
	EXPECT_INT(w->feed.refused, 0);
	EXPECT_STR(w->feed.sheets[0]->columns[2].name, "p50_us");
	EXPECT_INT(w->views[0].n, 2);
	EXPECT_STR(w->views[0].rows[0]->cells[0].text, "b");
	EXPECT_INT(w->views[0].rows[0]->cells[1].number, 7);
	EXPECT_INT(w->views[0].rows[0]->cells[2].number, 0); /* three of four are in the bucket 0 to 9 */
	EXPECT(w->views[0].rows[1]->cells[2].kind == CELL_UNKNOWN);
	EXPECT_STR(w->views[0].rows[1]->cells[0].text, "a\"\x1b");
	EXPECT(w->feed.heats[0] && heat_then(w->feed.heats[0], 1, 0) == 3 && heat_then(w->feed.heats[0], 4, 0) == 1);
	EXPECT_INT(w->views[1].n, 1);
	EXPECT_STR(w->views[1].rows[0]->cells[1].text, "07:05");
	snprintf(saved, sizeof(saved), "%s.json", path);
	EXPECT_INT(save_rows(&w->views[0], saved), 0);
	EXPECT_INT(save_rows(&w->views[0], saved), -17); /* EEXIST */
	f = fopen(saved, "r");
	EXPECT(f && fread(text, 1, sizeof(text) - 1, f) > 0);
	EXPECT_STR(
		text, "{\"comm\":\"b\",\"n\":7,\"p50_us\":0}\n{\"comm\":\"a\\\"\\u001B\",\"n\":5,\"p50_us\":null}\n");
	if (f)
		fclose(f);
	unlink(saved);
	unlink(path);
	watch_close(w);
}

int main(void)
{
	setenv("LC_ALL", "C.UTF-8", 1);
	words_locale();
	test_words();
	test_view();
	test_groups();
	test_bounds();
	test_open();
	test_stream();
	return unit_end();
}
