/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace: a compiled program runs. Input: the image, options, processes. Output: what the session hands out.
 * Invariant: dwire_stop() touches nothing but a descriptor that lives as long as the handle. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/dwire_priv.h"

/* ---- streams ----------------------------------------------------------------------------------------------------- */
struct stream {
	dwire_write_fn *fn;
	void *ctx;
};

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

void dwire_output(struct dwire *d, FILE *out)
{
	d->out = out;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */
static void warn_pids(const struct dwire *d)
{
	const struct seen_pid *p = d->seen_target.pid ? &d->seen_target : &d->seen_self;

	if (p->pid && !p->outer)
		report_warning(&d->report, D_NONE, NULL,
			"in a pid namespace: $%s is its number here, and probes see another, which was not found; run "
			"outside of the container",
			p == &d->seen_self ? "pid" : "target");
}

int dwire_start(struct dwire *d)
{
	struct session_options so = {
		.features = d->features,
		.out = d->out,
		.err = d->notes,
		.to = &d->report,
		.options = &d->opts,
		.stop = d->stop,
		.children = d->children,
		.nchildren = d->nchildren,
	};

	if (d->session)
		return report_error(&d->report, -EBUSY, D_NONE, NULL, "the trace was started before");
	if (!d->c.image.progs.n && !d->c.image.idle && !d->opts.zdefs)
		return report_error(&d->report, -ENOENT, D_NONE, NULL, "nothing to trace: no probe is enabled");
	if (d->c.image.destructive && !d->opts.destructive)
		return report_error(
			&d->report, -EACCES, D_NONE, NULL, "could not enable tracing: Destructive actions not allowed");
	(void)dwire_seen_as(d, &d->seen_target, d->target, false);
	warn_pids(d);
	so.outer = d->seen_target.outer;
	so.inner = d->seen_target.pid;
	d->session = session_new(&d->c.image, &so);
	if (!d->session)
		return report_no_memory(&d->report, "start the trace");
	return session_arm(d->session);
}

int dwire_fd(const struct dwire *d)
{
	return d->session ? session_fd(d->session) : -1;
}

int dwire_poll(struct dwire *d, int timeout_ms)
{
	if (!d->session)
		return report_error(&d->report, -EINVAL, D_NONE, NULL, "the trace was not started");
	return session_work(d->session, timeout_ms);
}

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
	*status = 0;
	return d->session ? session_end(d->session, status) : 0;
}
