/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge: a handle that reads streams in place of tracing.
 * Input: descriptors of streams. Output: what merge hands out, on the output of the handle.
 * Invariant: nothing of it needs a privilege. */
#include <errno.h>
#include <unistd.h>

#include "api/dwire_priv.h"

int dwire_merge_add(struct dwire *d, const char *name, int fd)
{
	const struct merge_to to = { .out = d->out,
		.report = &d->report,
		.stop = &d->stop,
		.by_host = d->by_host,
		.all = d->all_hosts,
		.capture = d->opts.capture ? &d->opts : NULL,
		.emit = d->opts.oformat == OFMT_STREAM };
	int r;

	if (!d->out) {
		close(fd);
		return report_error(&d->report, -EINVAL, D_NONE, NULL, "a merge needs an output");
	}
	if (!d->merge)
		d->merge = merge_new(&to);
	r = d->merge ? merge_add(d->merge, name, fd) : -ENOMEM;
	return r ? report_no_memory(&d->report, "merge streams") : 0;
}

void dwire_merge_by_host(struct dwire *d)
{
	d->by_host = true;
}

void dwire_merge_all_hosts(struct dwire *d)
{
	d->all_hosts = true;
}

void dwire_merge_expect(struct dwire *d, const char *host)
{
	if (d->merge)
		merge_expect(d->merge, host);
}

bool dwire_merge_leave(struct dwire *d, const char *host)
{
	return d->merge && merge_leave(d->merge, host);
}
