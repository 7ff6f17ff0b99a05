/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recording: see recording.h.
 * Input: segments. Output: lines of frames.
 * Invariants: a damaged block is passed over and the next one is looked for; a frame is written once. */
#include "recording/recording.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/block.h"
#include "recording/bytes.h"
#include "recording/folder.h"
#include "recording/line.h"
#include "recording/rows.h"

/* What a segment says about itself. */
struct part {
	char session[LINE_SESSION + 1]; /* "": it has no block that can be read */
	uint64_t first, last;           /* when its blocks were written */
};

struct recording {
	struct folder folder;
	const struct reporter *to;
	struct part *parts; /* of folder.v */
	size_t *sessions;   /* the first segment of each, and folder.n */
	size_t nsessions;
	struct bytes stored, text; /* of the block that is read */
};

/* A walk through the blocks of a segment. */
struct walk {
	int fd;
	off_t at;
	uint64_t damage; /* places where blocks were passed over */
	bool torn;       /* the segment ends within a block */
	bool sealed;
};

static bool read_at(int fd, void *to, size_t n, off_t at)
{
	ssize_t k;

	for (size_t done = 0; done < n; done += (size_t)k) {
		k = pread(fd, (char *)to + done, n - done, at + (off_t)done);
		if (k < 0 && errno == EINTR)
			k = 0;
		else if (k <= 0)
			return false;
	}
	return true;
}

/* The next place from at on where a head may begin, or -1. */
static off_t seek_head(int fd, off_t at)
{
	unsigned char piece[4096];
	ssize_t n;

	while ((n = pread(fd, piece, sizeof(piece), at)) >= (ssize_t)BLOCK_HEAD) {
		size_t k = block_seek(piece, (size_t)n);

		if (k < (size_t)n)
			return at + (off_t)k;
		at += n - 3; /* the word may begin at the end of the piece */
	}
	return -1;
}

/* The next head; w->at is behind its head then. False: there is none. */
static bool next_head(struct walk *w, struct block *b)
{
	unsigned char head[BLOCK_HEAD];
	bool lost = false;

	for (;;) {
		if (!read_at(w->fd, head, sizeof(head), w->at)) {
			w->torn |= !lost && read_at(w->fd, head, 1, w->at);
			return false;
		}
		if (block_head(b, head))
			break;
		w->damage += !lost;
		lost = true;
		w->at = seek_head(w->fd, w->at + 1);
		if (w->at < 0)
			return false;
	}
	w->at += BLOCK_HEAD;
	return true;
}

/* The next block whose text can be read. */
static bool next_block(struct recording *r, struct walk *w, struct block *b)
{
	char last;
	bool ok;

	while (next_head(w, b)) {
		/* Heads lie: memory grows with what the file has. Without memory the block counts as damage. */
		if (!read_at(w->fd, &last, b->stored > 0, w->at + b->stored - (b->stored > 0))) {
			w->torn = true;
			return false;
		}
		ok = bytes_room(&r->stored, b->stored) && bytes_room(&r->text, b->raw) &&
			read_at(w->fd, r->stored.v, b->stored, w->at);
		w->at += b->stored;
		w->sealed |= (b->flags & BLOCK_SEAL) != 0;
		if (ok && block_unpack(b, (const unsigned char *)r->stored.v, r->text.v))
			return true;
		w->damage++;
	}
	return false;
}

/* ---- sessions ---------------------------------------------------------------------------------------------------- */
static void learn_session(const struct recording *r, struct part *p, const struct block *b)
{
	const char *end = b->raw ? memchr(r->text.v, '\n', b->raw) : NULL;
	struct line l;

	if (end && !p->session[0] && line_read(&l, r->text.v, (size_t)(end - r->text.v)))
		memcpy(p->session, l.session, LINE_SESSION);
}

static void look_at(struct recording *r, size_t i)
{
	struct part *p = &r->parts[i];
	struct walk w = { .fd = folder_read(&r->folder, i) };
	struct block b;

	if (w.fd < 0)
		return;
	while (!p->session[0] && next_block(r, &w, &b)) {
		p->first = p->first ? p->first : b.wall;
		p->last = b.wall;
		learn_session(r, p, &b);
	}
	while (next_head(&w, &b)) {
		w.at += b.stored;
		p->last = b.wall;
	}
	close(w.fd);
}

static int look(struct recording *r)
{
	r->parts = calloc(r->folder.n + 1, sizeof(*r->parts));
	r->sessions = calloc(r->folder.n + 1, sizeof(*r->sessions));
	if (!r->parts || !r->sessions)
		return report_no_memory(r->to, "read the recording");
	for (size_t i = 0; i < r->folder.n; i++) {
		look_at(r, i);
		/* One that cannot be read belongs to the session before it. */
		if (i && (!r->parts[i].session[0] || !strcmp(r->parts[i].session, r->parts[i - 1].session)))
			memcpy(r->parts[i].session, r->parts[i - 1].session, sizeof(r->parts[i].session));
		else
			r->sessions[r->nsessions++] = i;
	}
	r->sessions[r->nsessions] = r->folder.n;
	return 0;
}

int recording_open(struct recording **out, const char *path, const struct reporter *to)
{
	struct recording *r = calloc(1, sizeof(*r));
	int err;

	*out = NULL;
	if (!r)
		return report_no_memory(to, "read the recording");
	r->to = to;
	err = folder_open(&r->folder, path, false);
	if (err)
		report_error(to, err, D_NONE, NULL, "cannot read the recording %s: %s", path, strerror(-err));
	else if (!r->folder.n)
		err = report_error(to, -ENOENT, D_NONE, NULL, "%s holds no recording", path);
	else
		err = look(r);
	if (err) {
		recording_close(r);
		return err;
	}
	*out = r;
	return 0;
}

void recording_close(struct recording *r)
{
	if (!r)
		return;
	folder_close(&r->folder);
	free(r->parts);
	free(r->sessions);
	free(r->stored.v);
	free(r->text.v);
	free(r);
}

size_t recording_sessions(const struct recording *r)
{
	return r->nsessions;
}

bool recording_touches(const struct recording *r, size_t session, const struct window *w)
{
	const size_t from = r->sessions[session], to = r->sessions[session + 1];

	return r->parts[from].first <= w->to && r->parts[to - 1].last >= w->from;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */
struct writing {
	uint64_t done, bytes; /* of the session's segments: in those before this one, and of all */
	const struct window *window;
	FILE *out;
	const char *session;
	uint64_t next;  /* the number of the next frame that is written */
	uint64_t seen;  /* numbers below are known, 0: none */
	uint64_t floor; /* as seen was when the segment began: for its preamble */
	uint64_t missing, bad, lost;
	uint64_t repeated; /* frames before the body */
	uint64_t ahead;    /* wall time less CLOCK_MONOTONIC, in ns; wraps */
	uint64_t cut;      /* frames of the session before the first that is there */
	bool body;         /* a frame has come that was not repeated */
	bool over;         /* the window has ended */
};

/* The window, for frames with a time. */
static bool is_inside(struct writing *w, const struct line *l)
{
	if (strcmp(l->kind, "beat") != 0)
		return true;
	w->over |= line_time(l) + w->ahead > w->window->to;
	return !w->over;
}

/* rest: of the line, behind its number. */
static void write_line(struct writing *w, const char *rest, size_t n)
{
	fprintf(w->out, "{\"s\":\"%.*s\",\"n\":%" PRIu64, LINE_SESSION, w->session, w->next++);
	fwrite(rest, 1, n, w->out);
	putc('\n', w->out);
}

/* Only those within the window. */
static void write_rows(struct writing *w, const struct line *l)
{
	const struct window *in = w->window;
	uint64_t n;
	char *text;

	if (!in->from && in->to == UINT64_MAX) {
		write_line(w, l->rest, l->nrest);
		return;
	}
	text = rows_within(l, in->from > w->ahead ? in->from - w->ahead : 0,
		in->to == UINT64_MAX        ? in->to
			: in->to > w->ahead ? in->to - w->ahead
					    : 0,
		&n);
	w->over |= line_time(l) + w->ahead > in->to;
	if (text)
		write_line(w, text, strlen(text));
	else
		w->bad += n;
	free(text);
}

static void take_line(struct writing *w, const char *text, size_t len, bool preamble)
{
	struct line l;

	if (!line_read(&l, text, len) || memcmp(l.session, w->session, LINE_SESSION) != 0) {
		w->bad++;
		return;
	}
	if (l.n < (preamble ? w->floor : w->seen))
		return;
	if (!preamble && w->body)
		w->missing += l.n - w->seen;
	else if (!preamble)
		w->cut = l.n > w->repeated + w->lost ? l.n - w->repeated - w->lost : 0;
	w->repeated += preamble && !w->body;
	w->body |= !preamble;
	w->seen = l.n >= w->seen ? l.n + 1 : w->seen;
	if (!strcmp(l.kind, "hello"))
		w->ahead = line_number(&l, "wall") - line_number(&l, "mono");
	if (line_is_row(&l))
		write_rows(w, &l);
	else if (is_inside(w, &l))
		write_line(w, l.rest, l.nrest);
}

static void take_block(struct writing *w, const struct block *b, const char *text)
{
	const char *end = text + b->raw, *feed;

	w->lost = b->lost;
	for (; text < end && !w->over; text = feed + 1) {
		feed = memchr(text, '\n', (size_t)(end - text));
		feed = feed ? feed : end;
		take_line(w, text, (size_t)(feed - text), b->flags & BLOCK_PREAMBLE);
	}
}

/* Returns whether all of it could be read. */
static bool take_segment(struct recording *r, struct writing *w, size_t i)
{
	const unsigned long long number = r->folder.v[i].number;
	struct walk walk = { .fd = folder_read(&r->folder, i) };
	struct block b;

	if (walk.fd < 0) {
		report_warning(r->to, D_NONE, NULL, "segment %llu cannot be read: %s", number, strerror(-walk.fd));
		return false;
	}
	w->floor = w->seen;
	while (!w->over && next_block(r, &walk, &b)) {
		report_progress(r->to, "reading the recording", w->done + (uint64_t)walk.at, w->bytes);
		take_block(w, &b, r->text.v);
	}
	close(walk.fd);
	if (walk.damage)
		report_warning(r->to, D_NONE, NULL, "segment %llu is damaged in %llu places; the rest is shown", number,
			(unsigned long long)walk.damage);
	if (walk.torn)
		report_note(r->to, "segment %llu ends within a block: its recorder was stopped there", number);
	return !walk.damage;
}

/* Returns whether anything is missing. first: when the first block that is there was written. */
static bool judge(const struct recording *r, const struct writing *w, uint64_t first)
{
	if (w->lost)
		report_warning(r->to, D_NONE, NULL, "%llu frames could not be written when this was recorded",
			(unsigned long long)w->lost);
	/* That is as it should be, unless the window begins there. */
	if (w->cut && w->window->from < first)
		report_note(r->to,
			"the session began earlier: its first %llu frames were removed, for the budget of the "
			"recording",
			(unsigned long long)w->cut);
	if (w->missing > w->lost)
		report_warning(
			r->to, D_NONE, NULL, "%llu frames are missing", (unsigned long long)(w->missing - w->lost));
	if (w->bad)
		report_warning(
			r->to, D_NONE, NULL, "%llu lines are no frames of the session", (unsigned long long)w->bad);
	return w->lost || w->missing || w->bad;
}

int recording_write(struct recording *r, size_t session, const struct window *window, FILE *out)
{
	const size_t from = r->sessions[session], to = r->sessions[session + 1];
	struct writing w = { .window = window, .out = out, .session = r->parts[from].session };
	bool whole = true;

	if (!w.session[0]) {
		report_warning(r->to, D_NONE, NULL, "segment %llu holds nothing that can be read",
			(unsigned long long)r->folder.v[from].number);
		return 1;
	}
	for (size_t i = from; i < to; i++)
		w.bytes += r->folder.v[i].size;
	for (size_t i = from; i < to && !w.over && !ferror(out); i++) {
		whole &= take_segment(r, &w, i);
		w.done += r->folder.v[i].size;
	}
	if (w.over)
		fprintf(out, "{\"s\":\"%s\",\"n\":%" PRIu64 ",\"f\":\"end\",\"status\":0}\n", w.session, w.next);
	errno = 0;
	if (fflush(out) || ferror(out))
		return errno ? -errno : -EPIPE;
	return judge(r, &w, r->parts[from].first) || !whole;
}
