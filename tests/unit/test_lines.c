/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_lines: lines that are copied from earlier ones are those that print_format() prints: records of a few
 * connections and of many, times that go on, values too wide for their columns, texts with rubbish behind their ends,
 * names that change from pass to pass. */
#include "abi/abi.h"
#include "formats.h"
#include "print/lines.h"
#include "print/value/style.h"
#include "print/value/values.h"
#include "unit.h"

#define RECORDS 6000
#define PASS 700 /* records */

static unsigned pass;

static const char *zone(void *ctx, uint32_t inum)
{
	(void)ctx;
	return inum == 1 ? "global" : pass % 2 ? "web\x1b" : "db";
}

static const char *box(void *ctx, uint32_t tag, const char *key)
{
	static char name[32];

	(void)ctx;
	(void)tag;
	snprintf(name, sizeof(name), "box %s %u", key, pass); /* changes from pass to pass */
	return name;
}

static struct lit lits[] = { { "", 0 }, { "->", 2 }, { "a\tlonger text", 13 } };
static const struct image image = { .lits = { lits, ROWS(lits), ROWS(lits) } };
static const struct decoder dec = { .image = &image, .zone_name = zone, .box_name = box };

/* A record as tcpsnoop has it: time in two parts, owner, addresses, direction, length. */
static struct field fields[] = {
	{ .kind = FIELD_INT, .off = 16, .size = 8 },
	{ .kind = FIELD_INT, .off = 24, .size = 8 },
	{ .kind = FIELD_INT, .off = 32, .size = 4, .is_signed = true },
	{ .kind = FIELD_CHARS, .off = 36, .size = 16 },
	{ .kind = FIELD_TSTR, .off = 52, .size = sizeof(struct dw_tstr) },
	{ .kind = FIELD_LIT, .off = 76, .size = 4 },
	{ .kind = FIELD_TSTR, .off = 80, .size = sizeof(struct dw_tstr) },
	{ .kind = FIELD_INT, .off = 104, .size = 2 },
};
enum { SIZE = 106 };

static uint64_t seed;

static uint64_t random_below(uint64_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % n;
}

static void put_tstr(uint8_t *to, uint64_t kinds)
{
	static const uint32_t tags[] = { DW_STR_IP4, DW_STR_IP6, DW_STR_ZONE, DW_STR_LIT, DW_STR_NONE,
		DW_STR_CONTAINER };
	struct dw_tstr t = { .tag = tags[random_below(kinds)] };

	t.b[0] = (uint8_t)(1 + random_below(2));
	t.b[15] = t.tag == DW_STR_IP6 ? (uint8_t)random_below(4) : 0;
	memcpy(to, &t, sizeof(t));
}

/* What a stream of records is like: how fast time goes, how many connections and lengths there are, and kinds of
 * texts. */
static const struct stream {
	uint64_t step, connections, lengths, kinds;
} streams[] = {
	{ 1, 4, 2, 2 }, { 1000, 4, 2, 2 }, { 123456789, 9, 3, 6 }, { 1000, 50000, 65536, 2 }, /* nothing comes again */
	{ 1, 4, 65536, 5 }, { 400000000000, 4, 2, 3 }, /* a time that grows out of its column */
};

static void make_record(uint8_t rec[SIZE], const struct stream *s, uint64_t *time)
{
	static const char *const names[] = { "curl", "a\x1bz", "sixteen-letters-", "" };
	uint64_t ms = (*time += s->step * random_below(3)) / 1000, parts[] = { ms / 1000, ms % 1000 };
	const uint16_t length = (uint16_t)random_below(s->lengths);
	const uint64_t connection = random_below(s->connections);
	const int32_t pid = (int32_t)connection - 1;
	const char *name = names[connection % ROWS(names)];
	uint64_t further;

	for (size_t i = 36; i < 52; i++)
		rec[i] = (uint8_t)random_below(256);
	further = seed;
	seed = connection; /* of a connection always the same */
	put_tstr(rec + 52, s->kinds);
	memcpy(rec + 76, &(uint32_t){ 1 + (uint32_t)random_below(2) }, 4);
	put_tstr(rec + 80, s->kinds);
	seed = further;
	memcpy(rec + 36, name, strlen(name) < 16 ? strlen(name) + 1 : 16);
	memcpy(rec + 16, parts, sizeof(parts));
	memcpy(rec + 32, &pid, sizeof(pid));
	memcpy(rec + 104, &length, sizeof(length));
}

static void decode(const uint8_t *rec, struct value *values)
{
	static struct value_room rooms[ROWS(fields)];

	for (size_t i = 0; i < ROWS(fields); i++)
		value_read(&dec, &fields[i], rec, SIZE, &rooms[i], &values[i]);
}

/* The same records by lines and by print_format(). Returns how many were copied. */
static unsigned compare(const struct action *a, const struct style *style, const struct stream *s)
{
	static const struct options options;
	struct value values[ROWS(fields)];
	struct lines *l = lines_new();
	struct capture got, want;
	struct out *o[2];
	uint64_t time = 0;
	unsigned copied = 0;

	capture_open(&got);
	capture_open(&want);
	o[0] = out_new(got.f, style, &options);
	o[1] = out_new(want.f, style, &options);
	if (!l || !o[0] || !o[1])
		abort();
	for (unsigned i = 0; i < RECORDS; i++) {
		uint8_t rec[SIZE] = { 0 };

		make_record(rec, s, &time);
		decode(rec, values);
		if (lines_again(l, o[0], a, rec, SIZE))
			copied++;
		else
			lines_print(l, o[0], a, values);
		print_format(o[1], a->fmt, values, a->nargs);
		if (i % PASS == PASS - 1) {
			lines_forget(l);
			pass++;
		}
	}
	EXPECT(!out_flush(o[0]) && !out_flush(o[1]));
	CHECK(!strcmp(capture_text(&got), capture_text(&want)), "stream %zu", (size_t)(s - streams));
	for (size_t i = 0; i < 2; i++)
		out_free(o[i]);
	capture_close(&got);
	capture_close(&want);
	lines_free(l);
	return copied;
}

int main(void)
{
	static const struct style *const styles[] = { &style_text, &style_columns, &style_json, &style_csv };
	static const char *const formats[] = {
		"%4d.%03d %6d %-15s %+15s %s %+15s %5d\n",
		"{\"t\":%d.%03d,\"pid\":%#d,\"name\":\"%s\",\"a\":%#s,\"dir\":\"%s\",\"b\":%#s,\"n\":%d}\n",
		"%d.%d %x %S %10s%s%.3s%c\n", "%d%d%d%I%s%s%s%P", /* names of hosts and ports are not kept */
		"%*d%d%s%s%s%s%d",                                /* nor is a width of the record's */
	};
	struct arena *arena = arena_new();
	unsigned copied[ROWS(formats)] = { 0 };

	if (!arena)
		abort();
	for (size_t f = 0; f < ROWS(formats); f++) {
		struct fmt fmt;
		const struct action a = { .kind = ACT_PRINTF, .fmt = &fmt, .args = fields, .nargs = ROWS(fields) };

		EXPECT(!format_parse(arena, formats[f], &fmt));
		for (size_t s = 0; s < ROWS(streams); s++)
			for (size_t k = 0; k < ROWS(styles); k++) {
				seed = s + 1;
				copied[f] += compare(&a, styles[k], &streams[s]);
			}
	}
	/* Six streams in four styles; one has nothing that comes again. */
	CHECK(copied[0] > RECORDS * 10 && copied[1] > RECORDS * 10, "%u and %u lines copied", copied[0], copied[1]);
	EXPECT(!copied[3] && !copied[4]);
	arena_free(arena);
	return unit_end();
}
