/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_pcapng: blocks as the draft lays them out; names of interfaces; hostile texts; log entries; a stream that fails.
 * With an argument, writes the file there. */
#include <errno.h>

#include "print/capture/pcapng.h"
#include "print/value/style.h"
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

static int write_all(FILE *f)
{
	static const struct pcapng_comment comments[] = { { "PID", "123", 3 }, { "Cmd", "evil\nname\xff\x1b[31m", 15 },
		{ "Container", "", 0 }, { "Pod", "", 0 } };
	struct options options;
	struct pcapng *p = pcapng_new();
	struct out *o;
	struct pcapng_packet k = { .dev = { 1, 100, "lo", "global", 2, 6 },
		.way = PCAPNG_WAY_OUT,
		.time = 1700000000123456789ull,
		.id = 7,
		.lost = 3,
		.pid = 123,
		.tid = 124,
		.protocol = 0x800,
		.data = ip,
		.caplen = 20,
		.len = 40,
		.comments = comments,
		.ncomments = ROWS(comments) };
	int err;

	options_init(&options);
	o = out_new(f, &style_plain, &options);
	if (!o || !p)
		abort();
	pcapng_begin(p, o);
	pcapng_write(p, &k);
	k.dev = (struct pcapng_device){ 1, 200, "lo", "@ot\ner", 2, 6 };
	k.way = PCAPNG_WAY_IN;
	k.caplen = 19;
	pcapng_write(p, &k);
	pcapng_log(p, k.time, "tcp:::rto", "a line\nnot another", 18);
	k.pid = 0;
	k.ncomments = 0;
	pcapng_write(p, &k);
	pcapng_end(p, 2);
	EXPECT(pcapng_size(p) == out_total(o));
	err = out_flush(o);
	out_free(o);
	pcapng_free(p);
	return err;
}

/* A packet of a mould is, byte for byte, what pcapng_write() makes of it. */
static void test_again(bool lean)
{
	static const struct pcapng_comment comments[] = { { "PID", "123", 3 }, { "Cmd", "evil\nname", 9 } };
	static const size_t lengths[] = { 20, 19, 1, 0, 17, 20 };
	struct options options;
	struct pcapng *p[2] = { pcapng_new(), pcapng_new() };
	struct pcapng_mould m = { 0 };
	struct out *o[2];
	char *s[2] = { NULL };
	size_t len[2] = { 0 };
	FILE *f[2];

	options_init(&options);
	options.capturelean = lean;
	for (size_t i = 0; i < 2; i++) {
		f[i] = open_memstream(&s[i], &len[i]);
		o[i] = f[i] ? out_new(f[i], &style_plain, &options) : NULL;
		if (!p[i] || !o[i])
			abort();
		pcapng_begin(p[i], o[i]);
		EXPECT(!pcapng_mould(p[i], &m)); /* no packet yet */
	}
	for (size_t i = 0; i < ROWS(lengths); i++) {
		struct pcapng_packet k = { .dev = { 1, 100, "lo", "global", 2, 6 },
			.way = PCAPNG_WAY_OUT,
			.time = 1700000000123456789ull + i * 5000000000,
			.id = i + 1,
			.pid = 123,
			.tid = 124,
			.protocol = 0x800,
			.data = ip,
			.caplen = lengths[i],
			.len = 40 + i,
			.comments = comments,
			.ncomments = ROWS(comments) };
		struct pcapng_like like = { k.time, k.id, k.data, k.caplen, k.len };

		pcapng_write(p[0], &k);
		if (i) {
			EXPECT(pcapng_again(p[1], &m, &like));
			continue;
		}
		pcapng_write(p[1], &k);
		EXPECT(pcapng_mould(p[1], &m));
	}
	for (size_t i = 0; i < 2; i++) {
		pcapng_end(p[i], 0);
		EXPECT_INT(out_flush(o[i]), 0);
	}
	pcapng_begin(p[1], o[1]);
	EXPECT_INT(out_flush(o[1]), 0);
	/* Its interface is gone. */
	EXPECT(!pcapng_again(p[1], &m, &(struct pcapng_like){ .data = ip, .caplen = 20, .len = 20 }));
	for (size_t i = 0; i < 2; i++) {
		out_free(o[i]);
		pcapng_free(p[i]);
		fclose(f[i]);
	}
	EXPECT(len[1] > len[0] && !memcmp(s[0], s[1], len[0]));
	EXPECT_INT(memmem(s[0], len[0], "PID: 123\nCmd: evil\\x0aname", 26) != NULL, lean);
	EXPECT_INT(memmem(s[0], len[0], "\x01\0\x08\0PID: 123", 12) != NULL, !lean);
	free(m.tail);
	free(s[0]);
	free(s[1]);
}

static void test_file(const char *s, size_t len)
{
	size_t n, of;

	n = blocks(s, len, 1, &of);
	EXPECT_INT(n, 1 + 2 + 3 + 1 + 2);
	EXPECT_INT(of, 2);
	blocks(s, len, 6, &of);
	EXPECT_INT(of, 3);
	blocks(s, len, 9, &of);
	EXPECT_INT(of, 1);
	EXPECT(memmem(s, len, "name\xff", 5) == NULL);
	EXPECT(memmem(s, len, "Cmd: evil\\x0aname\\xff\\x1b[31m", 28) != NULL);
	EXPECT(memmem(s, len, "Container", 9) == NULL);
	EXPECT(memmem(s, len, "lo@ot\\x0aer", 11) != NULL); /* its "@" is not doubled */
	EXPECT(memmem(s, len, "lo@global", 9) == NULL);
	EXPECT(memmem(s, len, "__REALTIME_TIMESTAMP=1700000000123456\n", 38) != NULL);
	EXPECT(memmem(s, len, "MESSAGE=a line\\x0anot another\n", 30) != NULL);
}

int main(int argc, char **argv)
{
	char *s = NULL;
	size_t len = 0;
	FILE *f = argc > 1 ? fopen(argv[1], "w") : open_memstream(&s, &len);

	if (!f)
		abort();
	EXPECT_INT(write_all(f), 0);
	fclose(f);
	if (argc > 1)
		return unit_end();
	test_file(s, len);
	test_again(false);
	test_again(true);
	free(s);
	f = fopen("/dev/full", "w");
	if (!f)
		abort();
	setvbuf(f, NULL, _IONBF, 0);
	EXPECT_INT(write_all(f), -ENOSPC);
	fclose(f);
	pcapng_free(NULL);
	return unit_end();
}
