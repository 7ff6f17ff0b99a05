/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_emit: what rows cost in a stream, counted: lines, bytes and writes, not time. And the digits that they are
 * made of. */
#include <inttypes.h>
#include <jansson.h>

#include "base/digits.h"
#include "print/out.h"
#include "stream/emit.h"
#include "unit.h"

#define NROWS 10000

/* A clause of a probe, which is no step, and one of a timer, which is. */
static struct image_probe probes[] = { { 7, "tcp", "ip", "tcp_sendmsg", "send" }, { 8, "profile", "", "", "tick-1s" } };
static struct field args[] = { { .kind = FIELD_INT, .off = 16, .size = 4 },
	{ .kind = FIELD_CHARS, .off = 20, .size = 8 }, { .kind = FIELD_INT, .off = 32, .size = 8 } };
static struct action action = { .kind = ACT_TRACE, .args = args, .nargs = ROWS(args) };
static struct epid epids[] = { { .probe = 0, .rec_size = 40, .actions = &action, .nactions = 1 },
	{ .probe = 1, .rec_size = 40, .actions = &action, .nactions = 1 } };
static const struct image image = { .probes = { probes, ROWS(probes), ROWS(probes) },
	.epids = { epids, ROWS(epids), ROWS(epids) } };

struct counted {
	char *text;
	size_t len, writes;
};

static ssize_t count_write(void *cookie, const char *s, size_t n)
{
	struct counted *c = cookie;
	char *text = realloc(c->text, c->len + n + 1);

	if (!text)
		abort();
	memcpy(text + c->len, s, n);
	text[c->len += n] = '\0';
	c->text = text;
	c->writes++;
	return (ssize_t)n;
}

static FILE *count_open(struct counted *c)
{
	FILE *f = fopencookie(c, "w", (cookie_io_functions_t){ .write = count_write });

	if (!f || setvbuf(f, NULL, _IONBF, 0))
		abort();
	return f;
}

/* One row of a clause at a time. */
static void row(struct sink *s, unsigned clause, uint64_t time, uint64_t n)
{
	const struct record r = { .time = time, .cpu = 1, .probe = &probes[clause], .epid = &epids[clause] };
	const struct value v[] = { { .kind = VALUE_INT, .field = FIELD_INT, .size = 4, .i = n },
		{ .kind = VALUE_TEXT,
			.field = FIELD_CHARS,
			.s = n % 100 ? "python3" : "a\"b\xff",
			.len = n % 100 ? 7 : 4 },
		{ .kind = VALUE_INT, .field = FIELD_INT, .size = 8, .i = UINT64_MAX - n } };

	s->ops->begin(s, &r);
	s->ops->item(s, &r, &action, v);
	s->ops->end(s, &r);
}

/* Reads the lines again: the rows of the frames in their order, and how many frames there were. */
static size_t read_rows(const struct counted *c, size_t *frames)
{
	size_t n = 0;

	*frames = 0;
	for (const char *line = c->text, *end; (end = strchr(line, '\n')); line = end + 1) {
		json_t *frame = json_loadb(line, (size_t)(end - line), 0, NULL);
		const json_t *rows = json_object_get(frame, "rows");
		const json_int_t t = json_integer_value(json_object_get(frame, "t"));

		CHECK(frame, "no JSON: %.*s", (int)(end - line < 200 ? end - line : 200), line);
		CHECK(end - line < 48 * 1024, "a line of %zu bytes", (size_t)(end - line));
		for (size_t i = 0; i < json_array_size(rows); i++, n++) {
			const json_t *own = json_array_get(rows, i), *item = json_array_get(own, 2);
			const json_t *text = json_array_get(item, 2);

			EXPECT_INT(t + json_integer_value(json_array_get(own, 0)), 5000000 + (json_int_t)n * 1000);
			EXPECT_INT(json_integer_value(json_array_get(own, 1)), 1);
			EXPECT_INT(json_integer_value(json_array_get(item, 1)), n);
			CHECK(n % 100 ? json_is_string(text) : json_is_object(text), "text of row %zu", n);
			EXPECT_INT(strtoull(json_string_value(json_array_get(item, 3)), NULL, 10), UINT64_MAX - n);
		}
		*frames += json_array_size(rows) > 0;
		json_decref(frame);
	}
	return n;
}

/* A row takes little more than its values, and is written with many others. */
static void test_rows(void)
{
	struct counted c = { .text = NULL };
	struct options options;
	struct sink *s;
	size_t head, frames;
	FILE *f = count_open(&c);

	options_init(&options);
	s = emit_sink_new(&(struct emit_to){ .out = f, .image = &image, .options = &options, .script = "" });
	if (!s)
		abort();
	EXPECT_INT(sink_flush(s), 0);
	head = c.len;
	c.writes = 0;
	for (uint64_t i = 0; i < NROWS; i++)
		row(s, 0, 5000000 + i * 1000, i);
	EXPECT_INT(sink_flush(s), 0);
	EXPECT_INT(read_rows(&c, &frames), NROWS);
	/* [7654000,1,[0,7654,"python3","18446744073709543961"]], and the heads of the frames. */
	CHECK((c.len - head) / NROWS < 60, "%zu bytes a row", (c.len - head) / NROWS);
	CHECK(frames < NROWS / 200, "%zu frames", frames);
	CHECK(c.writes <= (c.len - head) / OUT_SIZE + 1, "%zu writes", c.writes);

	/* Each flush ends a frame, so that a reader has all; a step has its own. */
	c.len = 0;
	for (unsigned i = 0; i < 3; i++) {
		row(s, 0, 5000000 + i * 1000, i);
		EXPECT_INT(sink_flush(s), 0);
	}
	row(s, 0, 5000000 + 3 * 1000, 3);
	row(s, 1, 6000000, 0);
	row(s, 0, 5000000 + 4 * 1000, 4);
	EXPECT_INT(sink_flush(s), 0);
	EXPECT_INT(read_rows(&c, &frames), 5);
	EXPECT_INT(frames, 5);
	EXPECT(strstr(c.text, "\"f\":\"row\",\"clause\":1,\"t\":6000000,\"cpu\":1,\"step\":0,\"out\":[[0,0,"));
	sink_free(s);
	fclose(f);
	free(c.text);
}

static void check_digits(uint64_t v)
{
	char want[32], got[DIGITS_ROOM + 1];

	snprintf(want, sizeof(want), "%" PRIu64, v);
	*digits_put(got, v) = '\0';
	CHECK_TEXT(want, got, want);
}

/* Around each power of ten and of two, and all that four digits can be at each place of eight. */
static void test_digits(void)
{
	uint64_t v = 1;

	for (int i = 0; i < 20; i++, v *= 10)
		for (uint64_t k = 0; k < 3; k++)
			check_digits(v - 1 + k);
	for (int i = 0; i < 64; i++) {
		check_digits(1ull << i);
		check_digits((1ull << i) - 1);
	}
	check_digits(UINT64_MAX);
	for (uint64_t i = 0; i < 10000; i++) {
		check_digits(i);
		check_digits(i * 10000);
		check_digits(i * 10007 + 90000001);
	}
}

int main(void)
{
	test_rows();
	test_digits();
	return unit_end();
}
