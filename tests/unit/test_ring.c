/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_ring: a ring hands on exactly the rows of its windows, each once, with what they refer to, and counts what its
 * memory had no room for. Times are made up: a row each tenth of a second. */
#include <inttypes.h>
#include <stdlib.h>

#include "recording/line.h"
#include "recording/ring.h"
#include "unit.h"

#define TENTH ((uint64_t)100000000)
#define ROWS_MAX 100000

/* What was handed on. */
static struct got {
	uint64_t rows[ROWS_MAX]; /* times in tenths */
	size_t nrows, sessions, ended, begun, hellos, clauses, options;
	uint64_t next; /* number of the next frame */
	uint64_t drops;
	char state[256]; /* the last one */
	char session[LINE_SESSION + 1];
} got;

static bool take(void *ctx, const char *text, size_t n)
{
	struct line l;

	(void)ctx;
	EXPECT(line_read(&l, text, n - 1));
	EXPECT_INT(text[n - 1], '\n');
	if (!strcmp(l.kind, "hello")) {
		got.next = 0;
		got.hellos++;
		memcpy(got.session, l.session, LINE_SESSION);
	}
	EXPECT(!memcmp(got.session, l.session, LINE_SESSION));
	EXPECT_INT(l.n, got.next++);
	if (!strcmp(l.kind, "row") && got.nrows < ROWS_MAX)
		got.rows[got.nrows++] = line_number(&l, "t") / TENTH;
	got.clauses += !strcmp(l.kind, "clause");
	got.options += !strcmp(l.kind, "options");
	got.ended += !strcmp(l.kind, "end");
	if (!strcmp(l.kind, "drops"))
		got.drops += line_number(&l, "count");
	if (!strcmp(l.kind, "state"))
		snprintf(got.state, sizeof(got.state), "%.*s", (int)l.nrest, l.rest);
	return true;
}

static void begun(void *ctx)
{
	(void)ctx;
	got.begun++;
}

static void over(void *ctx)
{
	(void)ctx;
	got.sessions++;
}

/* ---- a stream ---------------------------------------------------------------------------------------------------- */
static struct ring *ring;
static uint64_t number;
static size_t filler; /* bytes of each row that do not compress */

static void frame(const char *kind, uint64_t tenths, const char *more)
{
	char line[4096];
	int n = snprintf(
		line, sizeof(line), "{\"s\":\"00000000000000ff\",\"n\":%" PRIu64 ",\"f\":\"%s\"", number++, kind);

	if (tenths)
		n += snprintf(line + n, sizeof(line) - (size_t)n, ",\"t\":\"%" PRIu64 "\"", tenths * TENTH);
	n += snprintf(line + n, sizeof(line) - (size_t)n, "%s}\n", more);
	EXPECT(ring_take(ring, line, (size_t)n));
}

static void start(uint64_t before, uint64_t after, uint64_t memory)
{
	static const struct reporter nobody = { .fn = NULL };
	const struct ring_size size = { before * TENTH, after * TENTH, memory };
	const struct ring_to to = { take, begun, over, NULL, &nobody };

	memset(&got, 0, sizeof(got));
	number = 0;
	filler = 0;
	ring = ring_new(&size, &to);
	EXPECT(ring != NULL);
	frame("hello", 0, ",\"clock\":{\"wall\":5,\"mono\":1},\"script\":\"\"");
	frame("clause", 0, ",\"clause\":0");
}

/* Rows from..to, with a beat a second; at the times in shots, which end with 0, the row is a trigger. */
static void rows(uint64_t from, uint64_t to, const uint64_t *shots)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
	char text[2048], more[2100];
	static uint32_t seed = 1;

	for (uint64_t t = from; t <= to; t++) {
		for (size_t i = 0; i < filler; i++)
			text[i] = digits[(seed = seed * 1664525 + 1013904223) >> 26];
		text[filler] = '\0';
		snprintf(more, sizeof(more), ",\"out\":[[0,\"%s\"]]", text);
		frame("row", t, more);
		for (const uint64_t *s = shots; s && *s; s++)
			if (*s == t)
				frame("snapshot", t, "");
		if (t % 10 == 9)
			frame("beat", t, "");
	}
}

/* Rows from..to came as those from at on. Returns where the next are. */
static size_t expect_rows(size_t at, uint64_t from, uint64_t to)
{
	for (uint64_t t = from; t <= to; t++, at++)
		if (at >= got.nrows || got.rows[at] != t) {
			EXPECT_INT(at < got.nrows ? got.rows[at] : 0, t);
			break;
		}
	return at;
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */
static void test_window(void)
{
	start(300, 100, 1 << 20);
	rows(1000, 3000, (uint64_t[]){ 2005, 0 });
	EXPECT_INT(expect_rows(0, 1705, 2105), got.nrows);
	EXPECT_INT(got.sessions, 1);
	EXPECT_INT(got.begun, 1);
	EXPECT_INT(got.ended, 1);
	EXPECT_INT(got.clauses, 1);
	EXPECT_INT(got.drops, 0);
	EXPECT_STR(got.session, "00000000000000ff");
	ring_free(ring);
}

/* The first two triggers are one window; the third one's begins where that ended; the fourth is apart. */
static void test_overlap(void)
{
	size_t at;

	start(300, 100, 1 << 20);
	rows(1000, 6000, (uint64_t[]){ 2005, 2050, 2300, 5000, 0 });
	at = expect_rows(0, 1705, 2150);
	at = expect_rows(at, 2151, 2400);
	EXPECT_INT(expect_rows(at, 4700, 5100), got.nrows);
	EXPECT_INT(got.sessions, 3);
	EXPECT_INT(got.hellos, 3);
	EXPECT_STR(got.session, "0000000000000101");
	ring_free(ring);
}

/* A trigger at the very start, one without a time after it, and a trace that ends within a window. */
static void test_edges(void)
{
	start(300, 0, 1 << 20);
	rows(1, 100, (uint64_t[]){ 1, 50, 0 });
	EXPECT_INT(expect_rows(0, 1, 50), got.nrows);
	EXPECT_INT(got.sessions, 2);
	ring_free(ring);
	start(300, 100, 1 << 20);
	rows(1000, 1040, (uint64_t[]){ 1030, 0 });
	EXPECT_INT(got.sessions, 0);
	frame("rest", 0, ",\"aggs\":[]");
	frame("end", 0, ",\"status\":3");
	EXPECT_INT(expect_rows(0, 1000, 1040), got.nrows);
	EXPECT_INT(got.sessions, 1);
	EXPECT_INT(got.ended, 1);
	ring_free(ring);
}

/* A window knows the states and options from before it, and only those that count. */
static void test_states(void)
{
	start(300, 100, 1 << 20);
	frame("agg", 0, ",\"agg\":0");
	frame("options", 0, ",\"options\":[]");
	frame("options", 0, ",\"options\":[]");
	frame("state", 0, ",\"agg\":0,\"gen\":0,\"part\":0,\"rows\":[[[],1]]");
	frame("state", 0, ",\"agg\":0,\"gen\":0,\"part\":0,\"rows\":[[[],2]]");
	rows(1000, 3000, (uint64_t[]){ 2500, 0 });
	EXPECT_STR(got.state, ",\"f\":\"state\",\"agg\":0,\"gen\":0,\"part\":0,\"rows\":[[[],2]]}");
	EXPECT_INT(got.options, 1);
	EXPECT_INT(expect_rows(0, 2200, 2600), got.nrows);
	ring_free(ring);
}

/* Of 3,000 rows of 1.5 KB that do not compress much, 1 MB holds the latest; those before are counted. */
static void test_memory(void)
{
	size_t before;

	start(100000, 0, 1 << 20);
	filler = 1500;
	rows(1000, 4000, (uint64_t[]){ 4000, 0 });
	before = 4001 - got.rows[0];
	EXPECT(before >= 500 && before <= 1000);
	EXPECT_INT(expect_rows(0, got.rows[0], 4000), got.nrows);
	/* Beats are frames as well: one for ten rows. */
	EXPECT(got.drops >= 3001 - before && got.drops <= (3001 - before) * 11 / 10 + 1);
	ring_free(ring);
}

/* It does not grow: a thousand times its memory passes, with no window. */
static void test_old(void)
{
	start(10, 0, 1 << 20);
	rows(1000, 500000, (uint64_t[]){ 400005, 0 });
	EXPECT_INT(expect_rows(0, 399995, 400005), got.nrows);
	EXPECT_INT(got.drops, 0);
	ring_free(ring);
}

int main(void)
{
	test_window();
	test_overlap();
	test_edges();
	test_states();
	test_memory();
	test_old();
	return unit_end();
}
