/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_recording: blocks keep their text and notice each changed byte; lines give their parts. */
#include "recording/block.h"
#include "recording/line.h"
#include "unit.h"

static unsigned char bytes[BLOCK_HEAD + 4096];
static char text[4096];

/* A text of n bytes; every: its bytes repeat so often. */
static size_t pack(size_t n, size_t every, uint32_t flags)
{
	struct block b = { .flags = flags, .wall = 5, .lost = 7 };

	for (size_t i = 0; i < n; i++)
		text[i] = (char)(i % every * 2654435761u >> 24);
	return block_pack(&b, text, n, bytes);
}

static void test_blocks(void)
{
	static const struct {
		size_t n, every;
		bool deflated;
	} rows[] = { { 0, 1, false }, { 1, 1, false }, { 2000, 7, true }, { 200, 200, false } };
	struct block b;
	char back[4096];

	for (size_t i = 0; i < ROWS(rows); i++) {
		size_t n = pack(rows[i].n, rows[i].every, BLOCK_PREAMBLE);

		EXPECT(block_head(&b, bytes));
		EXPECT_INT(b.raw, rows[i].n);
		EXPECT_INT(b.stored + BLOCK_HEAD, n);
		EXPECT_INT(b.wall, 5);
		EXPECT_INT(b.lost, 7);
		EXPECT_INT(b.flags, BLOCK_PREAMBLE | (rows[i].deflated ? BLOCK_DEFLATE : 0));
		EXPECT(block_unpack(&b, bytes + BLOCK_HEAD, back));
		EXPECT(!memcmp(back, text, rows[i].n));
	}
}

static void test_damage(void)
{
	const size_t n = pack(2000, 7, 0);
	char back[4096];
	size_t noticed = 0;
	struct block b;

	for (size_t i = 0; i < n; i++) {
		bytes[i] ^= 0x10;
		noticed += !block_head(&b, bytes) || !block_unpack(&b, bytes + BLOCK_HEAD, back);
		bytes[i] ^= 0x10;
	}
	EXPECT_INT(noticed, n);
	memcpy(bytes + 100, "dwB1", 4);
	EXPECT_INT(block_seek(bytes + 1, 200), 99);
	EXPECT_INT(block_seek(bytes + 1, 102), 102);
}

static void test_lines(void)
{
#define HEAD "{\"s\":\"0123456789abcdef\",\"n\":12,\"f\":\""
	static const char row[] = HEAD "row\",\"clause\":0,\"t\":\"9223372036854775807\",\"cpu\":1}";
	static const char *const bad[] = { "", "{}", "{\"s\":\"0123456789abcdef\"}", HEAD "row", HEAD "}", HEAD "row\"",
		HEAD "averylongword\"}", "{\"s\":\"0123456789abcde\"\",\"n\":1,\"f\":\"row\"}" };
	struct line l;

	EXPECT(line_read(&l, row, sizeof(row) - 1));
	EXPECT_STR(l.kind, "row");
	EXPECT_INT(l.n, 12);
	EXPECT(line_number(&l, "t") == INT64_MAX);
	EXPECT_INT(line_number(&l, "cpu"), 1);
	EXPECT_INT(line_number(&l, "none"), 0);
	for (size_t i = 0; i < ROWS(bad); i++)
		EXPECT(!line_read(&l, bad[i], strlen(bad[i])));
}

int main(void)
{
	test_blocks();
	test_damage();
	test_lines();
	return unit_end();
}
