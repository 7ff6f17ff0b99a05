/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_pcapng: blocks as the draft lays them out; hostile texts; a stream that fails. With an argument, writes the file
 * there. */
#include <errno.h>

#include "print/pcapng.h"
#include "unit.h"

static const uint8_t ip[20] = { 0x45, 0, 0, 40, 0, 1, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2 };

static uint32_t word(const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Walks the blocks: how many there are, and the number of one type. */
static size_t blocks(const char *s, size_t len, uint32_t type, size_t *of_type)
{
	size_t n = 0, at = 0;

	*of_type = 0;
	while (at + 12 <= len) {
		uint32_t size = word(s + at + 4);

		if (size < 12 || size % 4 || size > len - at || word(s + at + size - 4) != size)
			return 0;
		*of_type += word(s + at) == type;
		at += size;
		n++;
	}
	return at == len ? n : 0;
}

static void write_all(FILE *f, int *err)
{
	static const struct pcapng_comment comments[] = { { "PID", "123", 3 }, { "Cmd", "evil\nname\xff\x1b[31m", 15 },
		{ "Container", NULL, 0 }, { "Pod", "", 0 } };
	struct pcapng *p = pcapng_new(f, 64);
	struct pcapng_packet k = { .dev = { 1, 100, "lo", "host" },
		.way = PCAPNG_WAY_OUT,
		.time = 1700000000123456789ull,
		.id = 7,
		.lost = 3,
		.pid = 123,
		.tid = 124,
		.data = ip,
		.caplen = 20,
		.len = 40,
		.comments = comments,
		.ncomments = ROWS(comments) };

	*err = pcapng_write(p, &k);
	k.dev = (struct pcapng_device){ 1, 200, "lo", "other\n" };
	k.way = PCAPNG_WAY_IN;
	k.caplen = 19;
	if (!*err)
		*err = pcapng_write(p, &k);
	k.pid = 0;
	k.ncomments = 0;
	if (!*err)
		*err = pcapng_write(p, &k);
	if (!*err)
		*err = pcapng_end(p, 2);
	pcapng_free(p);
}

int main(int argc, char **argv)
{
	char *s = NULL;
	size_t len = 0, n, of;
	FILE *f = argc > 1 ? fopen(argv[1], "w") : open_memstream(&s, &len);
	int err;

	if (!f)
		abort();
	write_all(f, &err);
	fclose(f);
	EXPECT_INT(err, 0);
	if (argc > 1)
		return unit_end();
	n = blocks(s, len, 1, &of);
	EXPECT_INT(n, 1 + 2 + 3 + 2);
	EXPECT_INT(of, 2);
	EXPECT(!memchr(s, 0xff, len) || memchr(s, 0xff, 28)); /* only in the section's head */
	EXPECT(memmem(s, len, "Cmd: evil\\x0aname\\xff\\x1b[31m", 28) != NULL);
	EXPECT(memmem(s, len, "Container", 9) == NULL);
	free(s);
	f = fopen("/dev/full", "w");
	if (!f)
		abort();
	setvbuf(f, NULL, _IONBF, 0);
	write_all(f, &err);
	EXPECT_INT(err, -ENOSPC);
	fclose(f);
	pcapng_free(NULL);
	return unit_end();
}
