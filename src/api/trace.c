/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace: runs a compiled program.
 * Input: the image, options, processes. Output: the session's data and text.
 * Invariant: dwire_stop() uses only a descriptor that lives as long as the handle, so any thread may call it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/data.h"
#include "api/dwire_priv.h"
#include "base/clock.h"
#include "print/sinks.h"
#include "stream/emit.h"

/* ---- streams ----------------------------------------------------------------------------------------------------- */
struct stream {
	dwire_write_fn *fn;
	void *ctx;
};

/* stdio takes 0, not -1, for an error of a cookie's write (fopencookie(3)). */
static ssize_t stream_write(void *cookie, const char *text, size_t size)
{
	const struct stream *s = cookie;
	int r = s->fn(s->ctx, text, size);

	if (!r)
		return (ssize_t)size;
	errno = -r;
	return 0;
}

static int stream_close(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *dwire_stream(dwire_write_fn *fn, void *ctx)
{
	struct stream *s = malloc(sizeof(*s));
	FILE *f;

	if (!s)
		return NULL;
	*s = (struct stream){ fn, ctx };
	f = fopencookie(s, "w", (cookie_io_functions_t){ .write = stream_write, .close = stream_close });
	if (!f)
		free(s);
	return f;
}

/* h->size identifies the version: a caller that was built with an older dwire.h has fewer handlers, and the rest are
 * NULL. */
void dwire_on_data(struct dwire *d, const struct dwire_handlers *h, void *ctx)
{
	size_t known = h->size < sizeof(d->data) ? h->size : sizeof(d->data);

	memset(&d->data, 0, sizeof(d->data));
	memcpy(&d->data, h, known);
	d->data_ctx = ctx;
}

void dwire_output(struct dwire *d, FILE *out)
{
	d->out = out;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */
/* Warns if $target or $pid was used and its outer number is unknown: comparisons with it would silently never match. */
static void warn_pids(const struct dwire *d)
{
	const struct seen_pid *p = d->seen_target.pid ? &d->seen_target : &d->seen_self;

	if (p->pid && !p->outer)
		report_warning(&d->report, D_NONE, NULL,
			"in a pid namespace: $%s is its number here, and probes see another, which was not found; run "
			"outside of the container",
			p == &d->seen_self ? "pid" : "target");
}

/* The sink of the output that the options ask for. NULL: no memory, or *err was reported. */
static struct sink *output_sink(struct dwire *d, int *err)
{
	const struct print_to text = { .out = d->out, .options = &d->opts, .report = &d->report, .stop = &d->stop };
	struct emit_to stream = { .out = d->out, .options = &d->opts, .report = &d->report, .stop = &d->stop };
	size_t len = 0;
	char *script;

	if (d->opts.capture)
		return capture_sink_new(&text, err);
	if (d->opts.oformat != OFMT_STREAM)
		return print_sink_new(&text);
	for (size_t i = 0; i < d->c.texts.n; i++)
		len += d->c.texts.v[i].src.len + 1;
	script = arena_try(d->arena, len + 1);
	if (!script)
		return NULL;
	stream.script = script;
	for (size_t i = 0; i < d->c.texts.n; i++) {
		const struct source *src = &d->c.texts.v[i].src;

		script = (char *)mempcpy(script, src->text, src->len);
		*script++ = '\n';
	}
	stream.script_len = len;
	stream.made_of = d->made_of;
	stream.made_of_len = d->made_of_len;
	stream.image = &d->c.image;
	stream.whole = d->recorder ? recorder_whole(d->recorder) : NULL;
	return emit_sink_new(&stream);
}

/* Text goes straight to its sink, if there are no handlers. */
static int make_sink(struct dwire *d)
{
	struct data_to data = {
		.handlers = d->data, .ctx = d->data_ctx, .options = &d->opts, .report = &d->report, .image = &d->c.image
	};
	bool handlers = d->data.record || d->data.row || d->data.drop || d->data.state;
	int err = -ENOMEM;

	if (d->out)
		data.text = output_sink(d, &err);
	if (!d->out || (data.text && handlers))
		d->sink = data_sink_new(&data);
	else
		d->sink = data.text;
	if (d->sink)
		return 0;
	sink_free(data.text);
	return err == -ENOMEM ? report_no_memory(&d->report, "start the trace") : err;
}

/* Would the text of a command spoil the packets or frames on the standard output? */
static bool commands_aside(const struct dwire *d)
{
	const bool frames = d->opts.oformat == OFMT_STREAM && d->out && fileno(d->out) == STDOUT_FILENO;

	return d->opts.capture ? !strcmp(d->opts.capture, "-") : frames;
}

/* Reports misuse as errors: it is the first call that needs an image. An image without programs is fine if all
 * predicates are constantly false (idle), or with -Z. */
int dwire_start(struct dwire *d)
{
	int r;
	struct session_options so = {
		.features = d->features,
		.btf = d->kernel ? kernel_env_btf(d->kernel) : NULL,
		.owner = d->kernel ? kernel_env_owner(d->kernel) : NULL,
		.to = &d->report,
		.options = &d->opts,
		.stop = d->stop,
		.children = d->children,
		.nchildren = d->nchildren,
		.aside = commands_aside(d),
	};

	if (d->session || d->merging)
		return report_error(&d->report, -EBUSY, D_NONE, NULL, "the trace was started before");
	d->began = clock_now();
	d->merging = d->merge != NULL;
	if (d->merging)
		return 0;
	if (!d->c.image.progs.n && !d->c.image.idle && !d->opts.zdefs)
		return report_error(&d->report, -ENOENT, D_NONE, NULL, "nothing to trace: no probe is enabled");
	if (d->c.image.destructive && !d->opts.destructive)
		return report_error(
			&d->report, -EACCES, D_NONE, NULL, "could not enable tracing: Destructive actions not allowed");
	(void)dwire_seen_as(d, &d->seen_target, d->target, false);
	warn_pids(d);
	if (!d->ring.memory && image_acts(&d->c.image, ACT_SNAPSHOT))
		report_warning(&d->report, D_NONE, NULL, "snapshot() does nothing without dwire record --ring");
	so.outer = d->seen_target.outer;
	so.inner = d->seen_target.pid;
	r = make_sink(d);
	if (r)
		return r;
	so.sink = d->sink;
	d->session = session_new(&d->c.image, &so);
	if (!d->session)
		return report_no_memory(&d->report, "start the trace");
	return session_arm(d->session);
}

uint64_t dwire_time(const struct dwire *d, uint64_t *wall)
{
	struct timespec now;

	if (d->merging)
		return merge_time(d->merge, wall);
	clock_gettime(CLOCK_REALTIME, &now);
	*wall = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	return d->began ? clock_now() - d->began : 0;
}

int dwire_fd(const struct dwire *d)
{
	return d->session ? session_fd(d->session) : -1;
}

/* What merge_poll() or merge_end() returned: an error of the output. A reader that is gone ends it in order. */
static int merged(struct dwire *d, int r)
{
	if (r == -EPIPE)
		return 0;
	return r < 0 ? report_error(&d->report, r, D_NONE, NULL, "cannot merge: %s", strerror(-r)) : r;
}

int dwire_poll(struct dwire *d, int timeout_ms)
{
	if (d->merging) {
		dwire_merge_progress(d);
		return merged(d, merge_poll(d->merge, timeout_ms));
	}
	if (!d->session)
		return report_error(&d->report, -EINVAL, D_NONE, NULL, "the trace was not started");
	return session_work(d->session, timeout_ms);
}

/* Async-signal-safe: write(2) only, and errno is restored. */
void dwire_stop(struct dwire *d)
{
	static const uint64_t one = 1;
	int saved = errno;
	ssize_t n = write(d->stop, &one, sizeof(one));

	(void)n; /* EAGAIN: it is readable already */
	errno = saved;
}

int dwire_end(struct dwire *d, int *status)
{
	int r;

	*status = 0;
	report_progress(&d->report, "ending the trace", 0, 0);
	r = d->merging ? merged(d, merge_end(d->merge, status)) : d->session ? session_end(d->session, status) : 0;
	report_progress(&d->report, NULL, 0, 0);
	return dwire_record_end(d) && !r ? -EIO : r;
}
