/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge: see merge.h.
 * Input: lines of files, pipes and sockets. Output: frames to peer.c, and rows on their way out.
 * Invariant: an input that is blocked, ends in the middle of a line or sends rubbish holds up nobody else. */
#include "stream/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "print/patience.h"
#include "stream/merge_priv.h"
#include "symbols/symtext.h"

#define LINE_MAX_BYTES (64u << 20)
#define CATCH_UP_NS 1000000000ull /* so long steps wait while there is more to read */
#define LOOK_MS 500               /* how often silence is looked for */
#define ROWS_MAX 10000u           /* rows of a source that wait: then its input does */

/* ---- the output -------------------------------------------------------------------------------------------------- */
/* Writes n bytes of a line that begins: by host its first words are the machine's name. */
static void write_prefix(const struct merge *m, const char **s, size_t *n)
{
	const char *host = m->prefix;

	if (m->opts.rows == ROWS_CSV) {
		putc('"', m->to.out);
		for (; *host; host++)
			fprintf(m->to.out, *host == '"' ? "\"\"" : "%c", *host);
		fputs("\",", m->to.out);
	} else if (m->opts.rows != ROWS_JSON) {
		fprintf(m->to.out, "%-16s ", host);
	} else if (**s == '{') {
		json_t *j = json_string(host);
		char *quoted = json_dumps(j, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);

		fprintf(m->to.out, "{\"host\":%s%s", quoted ? quoted : "null", *n > 1 && (*s)[1] == '}' ? "" : ",");
		free(quoted);
		json_decref(j);
		++*s;
		--*n;
	}
}

/* For fopencookie(). Empty lines stay empty. */
static ssize_t prefixed_write(void *cookie, const char *s, size_t size)
{
	struct merge *m = cookie;

	for (size_t left = size; left;) {
		const char *end = memchr(s, '\n', left);
		size_t n = end ? (size_t)(end - s) + 1 : left;

		if (m->prefix && m->at_line && *s != '\n') {
			size_t before = n;

			write_prefix(m, &s, &n);
			left -= before - n;
		}
		if (fwrite(s, 1, n, m->to.out) != n)
			return 0;
		m->at_line = end != NULL;
		s += n;
		left -= n;
	}
	return fflush(m->to.out) ? 0 : (ssize_t)size;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */
struct merge *merge_new(const struct merge_to *to)
{
	struct merge *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->to = *to;
	m->last = &m->sources;
	m->at_line = true;
	m->arena = arena_new();
	options_init(&m->opts);
	m->schemas = m->arena ? strmap_new(m->arena) : NULL;
	m->by_name = m->arena ? strmap_new(m->arena) : NULL;
	m->out = to->out;
	if (to->by_host && !to->emit)
		m->out = fopencookie(m, "w", (cookie_io_functions_t){ .write = prefixed_write });
	if (!m->schemas || !m->by_name || !m->out) {
		merge_free(m);
		return NULL;
	}
	*vec_push(m->arena, &m->image.lits) = (struct lit){ "", 0 };
	return m;
}

static void input_close(struct input *in)
{
	if (in->fd >= 0)
		close(in->fd);
	in->fd = -1;
	lines_close(&in->lines);
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	sink_free(m->sink);
	sink_free(m->to.sink); /* no stream came */
	symtext_free(m->names);
	for (struct peer *s = m->sources, *next; s; s = next) {
		next = s->next;
		peer_free(s);
	}
	for (struct input *in = m->inputs, *next; in; in = next) {
		next = in->next;
		input_close(in);
		free(in->name);
		free(in);
	}
	if (m->out && m->out != m->to.out)
		fclose(m->out);
	free(m->printed);
	free(m->rounds);
	free(m->takes);
	free(m->hash);
	arena_free(m->scratch);
	arena_free(m->arena);
	free(m);
}

int merge_add(struct merge *m, const char *name, int fd)
{
	struct input *in = calloc(1, sizeof(*in)), **at = &m->inputs;
	struct stat st;

	if (in)
		in->name = strdup(name);
	if (!in || !in->name) {
		free(in);
		close(fd);
		return -ENOMEM;
	}
	in->fd = fd;
	lines_open(&in->lines, fd, LINE_MAX_BYTES);
	in->file = !fstat(fd, &st) && S_ISREG(st.st_mode);
	while (*at)
		at = &(*at)->next;
	*at = in;
	return 0;
}

void merge_expect(struct merge *m, const char *host)
{
	hosts_expect(&m->hosts, m->arena, host);
}

/* Nothing more comes of a source. */
static void source_over(struct merge *m, struct peer *s)
{
	peer_give_up(m, s);
	s->ended = m->moved = true;
}

bool merge_leave(struct merge *m, const char *host)
{
	struct host *h = hosts_find(&m->hosts, host);

	hosts_leave(&m->hosts, h);
	for (struct peer *s = m->sources; h && s; s = s->next)
		if (s->expected == h)
			source_over(m, s);
	return h && h->begun;
}

uint64_t merge_time(const struct merge *m, uint64_t *wall)
{
	const struct peer *s = m->sources;

	*wall = s && s->greeted ? s->start + s->ahead + m->now : 0;
	return m->now;
}

/* May something be shown? */
static bool may_show(const struct merge *m)
{
	return !m->to.all || m->hosts.begun == m->hosts.n;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */
/* Reports a line that counts for nothing: the first of an input, and the first of each machine that is expected. why:
 * after a colon. */
static void pass_over(struct merge *m, struct input *in, const char *s, size_t n, enum taken why, bool is_frame)
{
	static const char *const texts[] = {
		[TAKEN_STRANGE] = "a frame of another input's session is passed over",
		[TAKEN_CROWDED] = "too many sessions; frames of more are passed over",
	};
	char origin[ORIGIN_BYTES];
	struct host *h;
	uint64_t *count;

	frame_origin(s, n, origin);
	h = hosts_find(&m->hosts, origin);
	if (why == TAKEN_CROWDED)
		count = h ? &h->crowded : &in->crowded;
	else
		count = h ? &h->strange : &in->strange;
	if (!(*count)++)
		report_warning(m->to.report, D_NONE, NULL, "%s: %s", h ? h->name : in->name,
			is_frame ? texts[why] : "a line that is no frame is passed over");
}

static void take_line(struct merge *m, struct input *in, const char *s, size_t n)
{
	char origin[ORIGIN_BYTES];
	json_t *frame = frame_read(s, n, origin);
	enum taken why = TAKEN_STRANGE;

	if (n && frame)
		why = peer_take(m, in, frame, n, origin);
	if (n && why != TAKEN)
		pass_over(m, in, s, n, why, frame != NULL);
	json_decref(frame);
}

/* For a watcher sources are kept together: after a beat it is the turn of the next input. */
static void take_lines(struct merge *m, struct input *in)
{
	const char *line;
	uint64_t beats;
	size_t n;

	in->more = false;
	while (!in->more && (line = lines_next(&in->lines, &n))) {
		beats = m->nbeats;
		take_line(m, in, line, n);
		if (!m->watched || m->nbeats == beats)
			continue;
		in->more = !m->to.alone;
		if (m->to.alone) { /* states are of the time of the beat, however fast it is read */
			show_rows(m, false);
			show_beat(m);
		}
	}
}

static void input_over(struct merge *m, struct input *in)
{
	input_close(in);
	for (struct peer *s = m->sources; s; s = s->next)
		if (s->input == in)
			source_over(m, s);
}

static void input_read(struct merge *m, struct input *in)
{
	struct lines *l = &in->lines;
	int r = in->more ? 0 : lines_read(l);

	if (!r)
		take_lines(m, in);
	if (l->too_long > in->too_long && !in->too_long)
		report_warning(m->to.report, D_NONE, NULL, "%s: a line of more than %u MB is passed over", in->name,
			LINE_MAX_BYTES >> 20);
	in->too_long = l->too_long;
	if (r)
		report_warning(m->to.report, D_NONE, NULL, "%s: not enough memory: no more is read", in->name);
	else if (l->err)
		report_warning(m->to.report, D_NONE, NULL, "%s: %s", in->name, strerror(-l->err));
	if (r || (l->over && !in->more))
		input_over(m, in);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */
/* Is an input to wait because a source that it feeds is far ahead of the others? Not if that is all there is. */
static bool is_ahead(const struct merge *m, const struct input *in)
{
	for (const struct peer *s = m->sources; s; s = s->next)
		if (s->input == in && s->nrows > ROWS_MAX)
			return true;
	return false;
}

/* The inputs to wait for, and the stop at fds[0]. Returns how many there are with it. */
static nfds_t wanted(const struct merge *m, struct pollfd *fds, struct input **inputs)
{
	nfds_t n = 1;

	fds[0] = (struct pollfd){ .fd = m->to.stop ? *m->to.stop : -1, .events = POLLIN };
	for (int ahead = 0; ahead < 2 && n == 1; ahead++)
		for (struct input *in = m->inputs; in; in = in->next)
			if (in->fd >= 0 && (ahead || !is_ahead(m, in))) {
				inputs[n] = in;
				fds[n++] = (struct pollfd){ .fd = in->fd, .events = POLLIN };
			}
	return n;
}

static size_t count_inputs(const struct merge *m)
{
	size_t n = 0;

	for (const struct input *in = m->inputs; in; in = in->next)
		n++;
	return n;
}

/* Sources that have missed two beats are not waited for. Beats begin when all probes are attached. */
static void look_for_silence(struct merge *m)
{
	uint64_t now = clock_now();

	for (struct peer *s = m->sources; s; s = s->next) {
		uint64_t limit = s->begun ? SILENT_NS : WAIT_NS;

		if (s->ended || s->silent || s->refused || !s->input->idle || now < s->seen + limit)
			continue;
		s->silent = m->moved = true;
		peer_give_up(m, s);
		report_note(m->to.report, "%s: silent; its last values stay", s->host);
	}
}

/* A machine of which nothing was read yet may be next in an input: steps are shown when there is nothing to read, or
 * when there is no end of it. */
static bool is_reading(struct merge *m, const struct pollfd *fds, nfds_t n)
{
	bool any = false;

	for (nfds_t i = 1; i < n; i++)
		any |= fds[i].revents != 0;
	for (const struct peer *s = m->sources; s; s = s->next)
		any &= s->nrows <= ROWS_MAX;
	if (!any || !m->reading)
		m->reading = clock_now();
	any &= clock_now() < m->reading + CATCH_UP_NS;
	if (!any)
		m->reading = 0;
	return any;
}

/* Has a watcher something to see? Sources that are read from files are faster than they were. */
static bool is_beat(const struct merge *m)
{
	return m->watched && show_progress(m) >= m->now + STREAM_BEAT_NS;
}

/* Before a stream has begun there is no sink that would notice it. */
static bool is_deserted(const struct merge *m)
{
	return !m->sink && m->to.out && !m->to.capture && patience_deserted(fileno(m->to.out));
}

int merge_poll(struct merge *m, int timeout_ms)
{
	size_t max = count_inputs(m) + 1;
	struct pollfd *fds = calloc(max, sizeof(*fds));
	struct input **inputs = calloc(max, sizeof(*inputs));
	nfds_t n = fds && inputs ? wanted(m, fds, inputs) : 0;
	int wait = timeout_ms < 0 || timeout_ms > LOOK_MS ? LOOK_MS : timeout_ms, r = 0;

	for (nfds_t i = 1; i < n; i++)
		wait = inputs[i]->more ? 0 : wait;
	if (n > 1 && poll(fds, n, wait) < 0 && errno != EINTR)
		r = -errno;
	for (nfds_t i = 1; !r && i < n; i++) {
		fds[i].revents |= inputs[i]->more ? POLLIN : 0;
		inputs[i]->idle = !fds[i].revents;
		if (fds[i].revents)
			input_read(m, inputs[i]);
	}
	look_for_silence(m);
	muster_tell(m);
	if (!r && may_show(m) && !is_reading(m, fds, n))
		show_rows(m, false);
	if (!r && m->sink && (clock_now() >= m->beat + STREAM_BEAT_NS || is_beat(m))) {
		m->beat = clock_now();
		show_beat(m);
	}
	if (!r && m->sink && m->sink->err)
		r = m->sink->err;
	if (!r && is_deserted(m))
		r = -EPIPE;
	if (!r && (!n || m->failed))
		r = -ENOMEM;
	if (!r)
		r = n > 1 && !fds[0].revents;
	free(fds);
	free(inputs);
	return r;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */
/* Reports how a source ended, if not well. Returns the status that it adds. */
static int judge(const struct merge *m, struct peer *s)
{
	const bool good = s->complete && !s->lost && !s->bad && !s->over;

	if (s->refused)
		return 1;
	if (good || !peer_may_complain(s))
		return good ? s->status : 1;
	if (s->lost)
		report_warning(
			m->to.report, D_NONE, NULL, "%s: %llu frames were lost", s->host, (unsigned long long)s->lost);
	if (s->bad)
		report_warning(m->to.report, D_NONE, NULL, "%s: %llu frames were not valid", s->host,
			(unsigned long long)s->bad);
	if (s->over)
		report_warning(m->to.report, D_NONE, NULL,
			"%s: %llu keys, rows or descriptions were left out: more than %zu MB are not kept of a source",
			s->host, (unsigned long long)s->over, PEER_BYTES >> 20);
	if (!s->complete)
		report_warning(m->to.report, D_NONE, NULL, "%s: its stream ended early; its last values stay", s->host);
	return 1;
}

/* What an input had too much of. Returns the exit status. */
static int judge_input(const struct merge *m, const struct input *in)
{
	const size_t kept = in->complaints < COMPLAINTS_MAX ? in->complaints : COMPLAINTS_MAX;

	if (in->crowded)
		report_warning(m->to.report, D_NONE, NULL,
			"%s: %llu frames of sessions beyond the first %zu were passed over", in->name,
			(unsigned long long)in->crowded, in->sessions);
	if (in->complaints > kept)
		report_note(m->to.report, "%s: %zu more reports about its sessions, which are not shown", in->name,
			in->complaints - kept);
	return in->strange || in->too_long || in->crowded;
}

/* Reports what is missing. Returns the exit status. */
static int judge_all(const struct merge *m)
{
	int status = hosts_judge(&m->hosts, m->to.report) || !m->nsources;
	size_t complete = 0;

	if (!m->nsources)
		report_warning(m->to.report, D_NONE, NULL, "no stream was read");
	for (struct peer *s = m->sources; s; s = s->next) {
		int own = judge(m, s);

		status = own > status ? own : status;
		complete += s->complete && !s->refused;
	}
	for (const struct input *in = m->inputs; in; in = in->next)
		status = judge_input(m, in) && !status ? 1 : status;
	if (complete < m->nsources)
		report_note(m->to.report, "%zu of %zu sources are complete", complete, m->nsources);
	return status;
}

int merge_end(struct merge *m, int *status)
{
	*status = 1;
	if (!may_show(m)) /* who asked for all of them reports who is missing */
		return 0;
	for (struct peer *s = m->sources; s; s = s->next)
		peer_give_up(m, s);
	show_rows(m, true);
	if (m->sink && !m->sink->err)
		show_rest(m);
	/* The reader is gone: nobody asks how the sources ended, which nobody read to their end. */
	if (m->sink ? sink_flush(m->sink) == -EPIPE : is_deserted(m)) {
		*status = 0;
		return -EPIPE;
	}
	*status = judge_all(m);
	if (m->sink && m->sink->ops->finish)
		m->sink->ops->finish(m->sink, *status);
	return m->sink ? sink_flush(m->sink) : 0;
}
