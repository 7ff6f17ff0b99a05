/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge: a handle that reads streams in place of tracing.
 * Input: descriptors of streams. Output: what merge hands out, on the output of the handle.
 * Invariant: nothing of it needs a privilege. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/data.h"
#include "api/dwire_priv.h"

/* A descriptor of its own shares the position, and stays when the merge closes the stream at its end. */
static void note_file(struct dwire *d, int fd)
{
	struct stat st;
	int *files = !fstat(fd, &st) && S_ISREG(st.st_mode) ? reallocarray(d->files, d->nfiles + 1, sizeof(int)) : NULL;
	int copy = files ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;

	d->files = files ? files : d->files;
	if (copy < 0)
		return;
	d->files[d->nfiles++] = copy;
	d->file_bytes += (uint64_t)st.st_size;
}

void dwire_merge_progress(const struct dwire *d)
{
	uint64_t done = 0;

	for (size_t i = 0; d->progress && i < d->nfiles; i++) {
		const off_t at = lseek(d->files[i], 0, SEEK_CUR);

		done += at > 0 ? (uint64_t)at : 0;
	}
	if (d->nfiles)
		report_progress(&d->report, "reading streams", done, d->file_bytes);
}

void dwire_merge_close(struct dwire *d)
{
	merge_free(d->merge);
	for (size_t i = 0; i < d->nfiles; i++)
		close(d->files[i]);
	free(d->files);
}

static bool has_handlers(const struct dwire *d)
{
	return d->data.record || d->data.row || d->data.drop || d->data.state;
}

/* The handlers see what is shown. */
static struct sink *watch(void *ctx, struct sink *text, const struct image *image, const struct options *options)
{
	const struct dwire *d = ctx;
	const struct data_to data = { .handlers = d->data,
		.ctx = d->data_ctx,
		.options = options,
		.report = &d->report,
		.image = image,
		.text = text };

	return has_handlers(d) ? data_sink_new(&data) : text;
}

int dwire_merge_add(struct dwire *d, const char *name, int fd)
{
	const struct merge_to to = { .out = d->out,
		.report = &d->report,
		.stop = &d->stop,
		.by_host = d->by_host,
		.all = d->all_hosts,
		.alone = d->alone,
		.wrap = watch,
		.wrap_ctx = d,
		.capture = d->opts.capture ? &d->opts : NULL,
		.emit = d->opts.oformat == OFMT_STREAM };
	int r;

	if (!d->out) {
		close(fd);
		return report_error(&d->report, -EINVAL, D_NONE, NULL, "a merge needs an output");
	}
	if (!d->merge)
		d->merge = merge_new(&to);
	note_file(d, fd);
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

void dwire_merge_alone(struct dwire *d)
{
	d->alone = true;
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
