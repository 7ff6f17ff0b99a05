/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_recording: any folder of segments. The input is a program that writes them: blocks of frames as recorders write
 * them, blocks of any text, heads that lie with valid sums, bytes that are changed or cut off, further segments.
 * What is read must be a stream of one session, numbered from 0 without a gap. */
#define _GNU_SOURCE
#include <endian.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "recording/block.h"
#include "recording/bytes.h"
#include "recording/line.h"
#include "recording/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SEGMENTS 8
#define SEGMENT_MOST (256u << 10)

enum op { OP_RAW, OP_TEXT, OP_FRAMES, OP_CHANGE, OP_CUT, OP_NEXT, OP_LIE, OP_COUNT };

/* Frames of a recording, behind session and number. */
static const char *const frames[] = {
	"\"f\":\"hello\",\"v\":1,\"host\":\"web\",\"clock\":{\"wall\":\"1763900000000000000\",\"mono\":\"5000000000\"},"
	"\"hash\":\"h\",\"script\":\"\",\"options\":[\"quiet=1\"]}",
	"\"f\":\"agg\",\"agg\":0,\"name\":\"n\",\"fn\":\"count\",\"keys\":[]}",
	"\"f\":\"clause\",\"clause\":0,\"probe\":{\"id\":1,\"provider\":\"tcp\",\"module\":\"\",\"function\":\"\","
	"\"name\":"
	"\"send\"},\"quiet\":false,\"step\":false,\"actions\":[]}",
	"\"f\":\"options\",\"options\":[\"quiet=0\"]}",
	"\"f\":\"row\",\"clause\":0,\"t\":\"6000000000\",\"cpu\":0,\"out\":[]}",
	"\"f\":\"row\",\"clause\":0,\"t\":\"18446744073709551615\",\"cpu\":0,\"out\":[],\"more\":true}",
	"\"f\":\"state\",\"agg\":0,\"gen\":0,\"part\":0,\"rows\":[[[],7]]}",
	"\"f\":\"drops\",\"cause\":\"ring\",\"count\":3,\"text\":\"3 drops\"}",
	"\"f\":\"beat\",\"t\":7000000000}",
	"\"f\":\"rows\",\"clause\":0,\"t\":\"6000000000\",\"rows\":[[0,1],[500,0]],\"last\":\"6000000500\"}",
	"\"f\":\"rows\",\"clause\":0,\"t\":\"18446744073709551615\",\"rows\":[[9007199254740991,0]],\"last\":1}",
	"\"f\":\"snapshot\",\"t\":6500000000}",
	"\"f\":\"fault\",\"text\":\"a clause\"}",
	"\"f\":\"rest\",\"aggs\":[0]}",
	"\"f\":\"end\",\"status\":0}",
};

struct input {
	const uint8_t *p, *end;
};

static unsigned byte(struct input *in)
{
	return in->p < in->end ? *in->p++ : 0;
}

/* At most max bytes of what is left. */
static size_t some(struct input *in, size_t max, const uint8_t **out)
{
	size_t n = byte(in) * 4u, left = (size_t)(in->end - in->p);

	n = n < left ? n : left;
	n = n < max ? n : max;
	*out = in->p;
	in->p += n;
	return n;
}

/* The segments that are being written. */
struct folder_of {
	struct bytes v[SEGMENTS];
	size_t n; /* the open one */
	uint64_t number, wall;
};

static void add(struct folder_of *f, const void *p, size_t n)
{
	struct bytes *b = &f->v[f->n];

	if (b->n + n <= SEGMENT_MOST && !bytes_append(b, p, n))
		abort();
}

static void add_block(struct folder_of *f, unsigned flags, const char *text, size_t n)
{
	struct block b = {
		.flags = flags & (BLOCK_PREAMBLE | BLOCK_SEAL), .wall = f->wall += 1000000000, .lost = flags >> 6
	};
	unsigned char *bytes = malloc(BLOCK_HEAD + block_room(n));

	if (!bytes)
		abort();
	add(f, bytes, block_pack(&b, text, n, bytes));
	free(bytes);
}

/* A block of frames, whose numbers go on, jump or repeat. */
static void add_frames(struct folder_of *f, struct input *in, unsigned flags)
{
	struct bytes text = { 0 };
	char line[512];

	for (unsigned count = 1 + byte(in) % 16; count; count--) {
		unsigned which = byte(in), jump = which >> 4;
		int n;

		f->number += jump == 15 ? byte(in) : jump == 14 ? (uint64_t)-1 : jump == 13 ? UINT64_MAX / 16 : 0;
		n = snprintf(line, sizeof(line), "{\"s\":\"%016x\",\"n\":%llu,%s\n", flags >> 7,
			(unsigned long long)f->number++, frames[(which & 15) % (sizeof(frames) / sizeof(frames[0]))]);
		if (!bytes_append(&text, line, (size_t)n))
			abort();
	}
	add_block(f, flags, text.v, text.n);
	free(text.v);
}

/* A head whose sum is right and whose lengths or flags are not. */
static void add_lie(struct folder_of *f, struct input *in, unsigned flags)
{
	const uint8_t *p;
	unsigned char bytes[BLOCK_HEAD + 64];
	const uint32_t said = htole32(byte(in) << (byte(in) % 32)), lying = htole32(flags & 15);
	struct block b = { .flags = flags & BLOCK_PREAMBLE, .wall = f->wall };
	size_t n = some(in, 40, &p), len = block_pack(&b, (const char *)p, n, bytes);
	const unsigned which = byte(in);
	uint32_t sum;

	if (which & 1)
		memcpy(bytes + 4, &lying, 4);
	if (which & 2)
		memcpy(bytes + 8, &said, 4);
	if (which & 4)
		memcpy(bytes + 12, &said, 4);
	sum = htole32((uint32_t)crc32_z(0, bytes, 36));
	memcpy(bytes + 36, &sum, 4);
	add(f, bytes, len);
}

static void run(struct folder_of *f, struct input *in)
{
	const uint8_t *p;

	while (in->p < in->end) {
		unsigned op = byte(in), flags = byte(in);
		struct bytes *b = &f->v[f->n];
		size_t n;

		switch ((enum op)(op % OP_COUNT)) {
		case OP_RAW:
			n = some(in, 1024, &p);
			add(f, p, n);
			break;
		case OP_TEXT:
			n = some(in, 1024, &p);
			add_block(f, flags, (const char *)p, n);
			break;
		case OP_FRAMES:
			add_frames(f, in, flags);
			break;
		case OP_CHANGE:
			if (b->n)
				b->v[(byte(in) * 257u + byte(in)) % b->n] ^= (char)(1u << (flags & 7));
			break;
		case OP_CUT:
			n = byte(in);
			b->n -= n < b->n ? n : b->n;
			break;
		case OP_NEXT:
			f->n += f->n + 1 < SEGMENTS;
			break;
		case OP_LIE:
			add_lie(f, in, flags);
			break;
		case OP_COUNT:
			break;
		}
	}
}

/* ---- what is read ------------------------------------------------------------------------------------------------ */
static void expect_stream(const char *text, size_t n)
{
	const char *end = text + n, *feed;
	char session[LINE_SESSION] = "";
	struct line l;

	for (uint64_t next = 0; text < end; text = feed + 1, next++) {
		feed = memchr(text, '\n', (size_t)(end - text));
		if (!feed || !line_read(&l, text, (size_t)(feed - text)) || l.n != next)
			abort();
		if (next && memcmp(session, l.session, LINE_SESSION) != 0)
			abort();
		memcpy(session, l.session, LINE_SESSION);
	}
}

static void read_all(const char *folder, const struct window *windows, size_t nwindows)
{
	static const struct reporter nobody = { .fn = NULL };
	struct recording *r = NULL;
	char *text = NULL;
	size_t n = 0;

	if (recording_open(&r, folder, &nobody))
		return;
	for (size_t i = 0; i < recording_sessions(r) * nwindows; i++) {
		const struct window *window = &windows[i % nwindows];
		FILE *out = open_memstream(&text, &n);

		if (!out)
			abort();
		(void)recording_touches(r, i / nwindows, window);
		(void)!recording_write(r, i / nwindows, window, out);
		fclose(out);
		expect_stream(text, n);
		free(text);
	}
	recording_close(r);
}

static void write_segments(const struct folder_of *f, const char *folder, bool remove)
{
	char path[64];

	for (size_t i = 0; i <= f->n; i++) {
		int fd;

		snprintf(path, sizeof(path), "%s/%012zu.dwr", folder, i + 1);
		if (remove) {
			unlink(path);
			continue;
		}
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
		if (fd < 0 || write(fd, f->v[i].v, f->v[i].n) != (ssize_t)f->v[i].n)
			abort();
		close(fd);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/tmp/fuzz-recording-XXXXXX";
	struct folder_of f = { .wall = 1763900000000000000u };
	struct input in = { data, data + size };
	const struct window windows[] = { { 0, UINT64_MAX },
		{ f.wall + byte(&in) * 100000000u, f.wall + byte(&in) * 200000000u } };

	run(&f, &in);
	if (!mkdtemp(folder))
		abort();
	write_segments(&f, folder, false);
	read_all(folder, windows, sizeof(windows) / sizeof(windows[0]));
	write_segments(&f, folder, true);
	rmdir(folder);
	for (size_t i = 0; i < SEGMENTS; i++)
		free(f.v[i].v);
	return 0;
}
