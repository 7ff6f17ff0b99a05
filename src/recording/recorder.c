/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorder: see recorder.h.
 * Input: a stream in pieces. Output: blocks of whole lines in segments.
 * Invariants: the bytes of all segments never exceed the budget; a segment holds only whole blocks, but for the last
 * one after a crash; a segment begins with all that its frames refer to. */
#include "recording/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "recording/block.h"
#include "recording/bytes.h"
#include "recording/folder.h"
#include "recording/line.h"
#include "recording/ring.h"

#define BLOCK_FULL (256u << 10) /* a block of this text is written before the beat */
#define SEGMENTS 16             /* of a budget */
#define SEGMENT_MOST (64u << 20)

struct recorder {
	struct folder folder;
	const struct reporter *to;
	struct ring *ring;      /* NULL: all that comes is written */
	uint64_t budget, limit; /* bytes of all segments; of one, after which the next begins */
	int fd;                 /* of the open segment, the last of the folder; -1: none */
	bool whole;             /* recorder_whole() */
	bool due;               /* the next whole state begins a segment */
	bool failing;           /* the last write failed */
	struct bytes part;      /* a line that has not ended */
	struct bytes body;      /* lines of the open block */
	struct bytes known;     /* frames that each segment begins with */
	size_t ready;           /* bytes of known that stood before the open block: a preamble holds no later ones */
	struct bytes options;   /* the last frame of options before the open block */
	struct bytes next;      /* the last one in it */
	uint64_t lines;         /* in body */
	uint64_t lost;          /* frames of the session; since failing began: lost - told */
	uint64_t told;
	uint64_t lost_before; /* in former sessions of the ring */
};

/* ---- files ------------------------------------------------------------------------------------------------------- */
static struct segment *open_segment(const struct recorder *r)
{
	return &r->folder.v[r->folder.n - 1];
}

/* Removes the oldest segments until there is room for n bytes. The open one is not removed. */
static bool make_room(struct recorder *r, uint64_t n)
{
	const size_t keep = r->fd >= 0;

	while (r->folder.n > keep && folder_bytes(&r->folder) + n > r->budget)
		if (folder_remove(&r->folder, 0))
			return false;
	return folder_bytes(&r->folder) + n <= r->budget;
}

/* All or nothing: a piece that was written is taken back. 0 or -errno. */
static int put_all(struct recorder *r, const unsigned char *bytes, size_t n)
{
	const off_t at = (off_t)open_segment(r)->size;
	size_t done = 0;
	ssize_t k = 0;

	while (done < n) {
		k = pwrite(r->fd, bytes + done, n - done, at + (off_t)done);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			break;
		done += (size_t)k;
	}
	if (done == n) {
		open_segment(r)->size += n;
		return 0;
	}
	k = k < 0 ? -errno : -ENOSPC;
	(void)!ftruncate(r->fd, at);
	return (int)k;
}

/* 0 or -errno. */
static int put_block(struct recorder *r, uint32_t flags, const struct bytes *t)
{
	struct block b = { .flags = flags, .wall = clock_wall(), .lost = r->lost };
	unsigned char *bytes;
	size_t n;
	int err;

	if (t->n > BLOCK_MAX)
		return -EFBIG;
	bytes = malloc(BLOCK_HEAD + block_room(t->n));
	if (!bytes)
		return -ENOMEM;
	n = block_pack(&b, t->v, t->n, bytes);
	err = make_room(r, n) ? put_all(r, bytes, n) : -EFBIG;
	free(bytes);
	return err;
}

/* ---- segments ---------------------------------------------------------------------------------------------------- */
/* Says that the segment is complete, and brings it to the disk. */
static void seal(struct recorder *r)
{
	const struct bytes none = { 0 };

	if (r->fd < 0)
		return;
	(void)!put_block(r, BLOCK_SEAL, &none);
	(void)!fsync(r->fd);
	close(r->fd);
	r->fd = -1;
}

/* 0 or -errno. */
static int put_preamble(struct recorder *r)
{
	struct bytes t = { 0 };
	int err = 0;

	if (!r->ready)
		return 0;
	if (!bytes_append(&t, r->known.v, r->ready) || !bytes_append(&t, r->options.v, r->options.n))
		err = -ENOMEM;
	else
		err = put_block(r, BLOCK_PREAMBLE, &t);
	free(t.v);
	return err;
}

/* A segment without its beginning is of no use: it is taken back. */
static int begin_segment(struct recorder *r)
{
	int err;

	if (!make_room(r, r->limit / 2))
		return -EFBIG;
	r->fd = folder_create(&r->folder);
	if (r->fd < 0) {
		err = r->fd;
		r->fd = -1;
		return err;
	}
	err = put_preamble(r);
	if (!err)
		return 0;
	close(r->fd);
	r->fd = -1;
	(void)!folder_remove(&r->folder, r->folder.n - 1);
	return err;
}

static void lose(struct recorder *r, int err)
{
	r->lost += r->lines;
	/* What was lost may have described what follows: go on in a new segment, which repeats all that. */
	seal(r);
	r->whole = true;
	if (!r->failing)
		report_warning(r->to, D_NONE, NULL,
			"cannot write the recording: %s; frames are lost until it works again", strerror(-err));
	r->failing = true;
}

static void recovered(struct recorder *r)
{
	if (r->failing)
		report_note(
			r->to, "the recording goes on; %llu frames were lost", (unsigned long long)(r->lost - r->told));
	r->failing = false;
	r->told = r->lost;
}

/* What the block described is known from here on. */
static void close_block(struct recorder *r)
{
	struct bytes former = r->options;

	r->body.n = r->lines = 0;
	r->ready = r->known.n;
	if (!r->next.n)
		return;
	r->options = r->next;
	r->next = former;
	r->next.n = 0;
}

/* Writes the open block. */
static void flush(struct recorder *r)
{
	int err = 0;

	if (!r->body.n)
		return;
	if (r->fd < 0)
		err = begin_segment(r);
	if (!err)
		err = put_block(r, 0, &r->body);
	if (err)
		lose(r, err);
	else
		recovered(r);
	close_block(r);
	if (r->fd < 0)
		return;
	if (open_segment(r)->size >= r->limit)
		r->due = r->whole = true;
	/* No beat has come for long: do not wait for the states. */
	if (open_segment(r)->size >= 2 * r->limit) {
		seal(r);
		r->due = false;
	}
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */
static bool starts_segment(const struct recorder *r, const struct line *l)
{
	return r->due &&
		(!strcmp(l->kind, "beat") || (!strcmp(l->kind, "state") && memmem(l->rest, l->nrest, "\"part\":0", 8)));
}

/* Keeps what later frames refer to. */
static bool keep(struct recorder *r, const struct line *l, const char *text, size_t n)
{
	if (!strcmp(l->kind, "options")) {
		r->next.n = 0;
		return bytes_append(&r->next, text, n);
	}
	if (!strcmp(l->kind, "hello") || !strcmp(l->kind, "agg") || !strcmp(l->kind, "clause"))
		return bytes_append(&r->known, text, n);
	return true;
}

/* A line with its line feed. False: no memory. */
static bool take_line(void *ctx, const char *text, size_t n)
{
	struct recorder *r = ctx;
	struct line l;
	bool beat;

	if (!line_read(&l, text, n - 1))
		return true;
	if (starts_segment(r, &l)) {
		flush(r);
		seal(r);
		r->due = false;
	}
	if (!bytes_append(&r->body, text, n))
		return false;
	r->lines++;
	if (!keep(r, &l, text, n))
		return false;
	beat = !strcmp(l.kind, "beat");
	if (beat || r->body.n >= BLOCK_FULL)
		flush(r);
	if (beat && r->fd >= 0) {
		(void)!fdatasync(r->fd); /* a power cut, too, loses no more than a second */
		r->whole = r->due;
	}
	return true;
}

/* ---- a ring in front --------------------------------------------------------------------------------------------- */
static bool take_by_ring(void *ctx, const char *text, size_t n)
{
	return ring_take(((struct recorder *)ctx)->ring, text, n);
}

/* What came before the trigger is on the disk at once. */
static void begun(void *ctx)
{
	struct recorder *r = ctx;

	flush(r);
	if (r->fd >= 0)
		(void)!fdatasync(r->fd);
}

/* The next session refers to nothing of this one. */
static void over(void *ctx)
{
	struct recorder *r = ctx;

	flush(r);
	seal(r);
	r->whole = r->due = false;
	r->known.n = r->ready = r->options.n = r->next.n = 0;
	r->lost_before += r->lost;
	r->lost = r->told = 0;
}

int recorder_ring(struct recorder *r, const struct ring_size *size)
{
	const struct ring_to to = { .take = take_line, .begun = begun, .over = over, .ctx = r, .report = r->to };

	r->ring = ring_new(size, &to);
	return r->ring ? 0 : report_no_memory(r->to, "record");
}

int recorder_write(void *ctx, const char *text, size_t n)
{
	struct recorder *r = ctx;

	return bytes_lines(&r->part, text, n, r->ring ? take_by_ring : take_line, r) ? 0 : -ENOMEM;
}

const bool *recorder_whole(const struct recorder *r)
{
	return &r->whole;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */
static int refused(const struct reporter *to, const char *path, int err)
{
	if (err == -EBUSY)
		return report_error(to, err, D_NONE, NULL, "%s: another recorder writes there", path);
	if (err == -EPERM)
		return report_error(to, err, D_NONE, NULL, "%s: it is another user's, or others may write to it", path);
	return report_error(to, err, D_NONE, NULL, "cannot record into %s: %s", path, strerror(-err));
}

int recorder_open(struct recorder **out, const char *path, uint64_t budget, const struct reporter *to)
{
	struct recorder *r = calloc(1, sizeof(*r));
	int err;

	*out = NULL;
	if (!r)
		return report_no_memory(to, "record");
	r->fd = -1;
	r->to = to;
	r->budget = budget < RECORDER_LEAST ? RECORDER_LEAST : budget;
	r->limit = r->budget / SEGMENTS < SEGMENT_MOST ? r->budget / SEGMENTS : SEGMENT_MOST;
	err = folder_open(&r->folder, path, true);
	if (err) {
		folder_close(&r->folder);
		free(r);
		return refused(to, path, err);
	}
	*out = r;
	return 0;
}

int recorder_close(struct recorder *r)
{
	uint64_t lost;

	if (!r)
		return 0;
	ring_free(r->ring);
	flush(r);
	seal(r);
	lost = r->lost + r->lost_before;
	if (lost)
		report_warning(r->to, D_NONE, NULL, "%llu frames could not be written", (unsigned long long)lost);
	(void)!fsync(r->folder.fd);
	folder_close(&r->folder);
	free(r->part.v);
	free(r->body.v);
	free(r->known.v);
	free(r->options.v);
	free(r->next.v);
	free(r);
	return lost ? -EIO : 0;
}
