/* SPDX-License-Identifier: GPL-2.0-or-later */
/* opened: see opened.h.
 * Input: packets, each with the file that is open. Output: a section of pcapng in each file, however often a script
 * leaves the file and returns to it. Files are known by their inodes.
 * Invariant: at most OPENED_MAX files are held; the one that was begun first is ended for another. */
#include "print/capture/opened.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "print/capture/packets.h"
#include "print/value/style.h"

#define OPENED_MAX 64

struct opened_file {
	dev_t dev;
	ino_t ino;
	FILE *f;
	struct out *out;
	struct pcapng *pcapng;
};

struct opened {
	struct opened_file v[OPENED_MAX];
	size_t n;
	struct packets packets;
	int err;
};

static void end_file(struct opened *o, struct opened_file *f)
{
	int r;

	if (f->out) {
		pcapng_end(f->pcapng, 0);
		r = out_flush(f->out);
		o->err = o->err ? o->err : r;
	}
	out_free(f->out);
	if (f->f)
		fclose(f->f);
	pcapng_free(f->pcapng);
	memset(f, 0, sizeof(*f));
}

/* A second descriptor of the file that the out writes to. 0 or -errno. */
static int begin_file(struct opened_file *f, const struct out *out, const struct stat *st)
{
	int fd = fcntl(fileno(out->f), F_DUPFD_CLOEXEC, 0);

	f->dev = st->st_dev;
	f->ino = st->st_ino;
	f->f = fd < 0 ? NULL : fdopen(fd, "a");
	f->pcapng = pcapng_new();
	f->out = f->f ? out_new(f->f, &style_plain, out->options) : NULL;
	if (!f->pcapng || !f->out)
		return -ENOMEM;
	f->out->stop = out->stop;
	pcapng_begin(f->pcapng, f->out);
	return 0;
}

/* The section of the file. NULL: an error, which is in o->err. */
static struct pcapng *section_of(struct opened *o, const struct out *out)
{
	struct stat st;
	struct opened_file *f;

	if (fstat(fileno(out->f), &st)) {
		o->err = -errno;
		return NULL;
	}
	for (size_t i = 0; i < o->n; i++)
		if (o->v[i].dev == st.st_dev && o->v[i].ino == st.st_ino)
			return o->v[i].pcapng;
	if (o->n == OPENED_MAX) {
		end_file(o, &o->v[0]);
		memmove(&o->v[0], &o->v[1], --o->n * sizeof(o->v[0]));
	}
	f = &o->v[o->n++];
	memset(f, 0, sizeof(*f));
	o->err = begin_file(f, out, &st);
	return o->err ? NULL : f->pcapng;
}

int opened_write(struct opened **op, struct out *out, const struct record *r, const struct value *values)
{
	struct opened *o = *op;
	struct pcapng *to;

	if (!o) {
		o = *op = calloc(1, sizeof(*o));
		if (o)
			o->packets.processes = processes_new();
		if (!o || !o->packets.processes) {
			free(o);
			*op = NULL;
			return -ENOMEM;
		}
	}
	to = o->err ? NULL : section_of(o, out);
	if (to)
		(void)packets_write(&o->packets, to, r, values, CAPTURE_COUNT, 0);
	return o->err;
}

int opened_flush(struct opened *o)
{
	for (size_t i = 0; o && i < o->n; i++) {
		int r = out_flush(o->v[i].out);

		o->err = o->err ? o->err : r;
	}
	return o ? o->err : 0;
}

void opened_free(struct opened *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->n; i++)
		end_file(o, &o->v[i]);
	processes_free(o->packets.processes);
	free(o);
}
