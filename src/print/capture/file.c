/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file: see file.h.
 * Input: blocks. Output: files.
 * Invariant: a file on a disk ends with a whole block, also when the disk is full or another file could not be opened.
 * Source: tcpdump(1), options -C, -G, -W and -w. */
#include "print/capture/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "print/value/style.h"

#define NAME_MAX_LEN 4096
#define SECOND 1000000000ull

struct capture_file {
	const struct options *options;
	const struct reporter *report;
	const int *stop;
	struct pcapng *pcapng;
	FILE *stdout_f, *f; /* f: owned unless it is stdout_f */
	struct out *out;
	uint64_t made;   /* files, the current one included */
	uint64_t number; /* of the current one among those that differ by number only */
	uint64_t began;  /* seconds since 1970 of the period of -G */
	uint64_t lost;
	int err;
};

/* ---- names ------------------------------------------------------------------------------------------------------- */
/* Digits of the highest number of -W. */
static int digits(uint64_t count)
{
	int n = 1;

	for (count = count ? count - 1 : 0; count >= 10; count /= 10)
		n++;
	return n;
}

/* The name of the current file. With -C: a number behind it, which the first file has only with -W, and with enough
 * digits for all. With -G the name is a format of strftime(3). */
static void file_name(const struct capture_file *f, char *name, size_t size)
{
	const struct options *o = f->options;
	time_t began = (time_t)f->began;
	struct tm tm;
	size_t n;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the user writes the format */
	if (!o->capturesecs || !localtime_r(&began, &tm) || !strftime(name, size, o->capture, &tm))
#pragma GCC diagnostic pop
		snprintf(name, size, "%s", o->capture);
	n = strlen(name);
	if (o->capturesize && o->capturefiles)
		snprintf(name + n, size - n, "%0*llu", digits(o->capturefiles), (unsigned long long)f->number);
	else if (o->capturesize && f->number)
		snprintf(name + n, size - n, "%llu", (unsigned long long)f->number);
}

/* ---- one file ---------------------------------------------------------------------------------------------------- */
static int fail(struct capture_file *f, int err)
{
	f->err = f->err ? f->err : err;
	return f->err;
}

/* A file that is cut behind its last whole block can be read. */
static int flush(struct capture_file *f)
{
	int r = out_settle(f->out);

	if (r && !f->err && f->f != f->stdout_f && !ftruncate(fileno(f->f), (off_t)f->out->whole))
		(void)!fseek(f->f, 0, SEEK_END);
	return r ? fail(f, r) : f->err;
}

void capture_file_close(struct capture_file *f)
{
	if (!f->out)
		return;
	pcapng_end(f->pcapng, f->lost);
	f->lost = 0;
	(void)flush(f); /* the error is kept */
	out_free(f->out);
	f->out = NULL;
	if (f->f != f->stdout_f && fclose(f->f))
		(void)fail(f, -errno);
	f->f = NULL;
}

/* Opens a file and begins a section. 0 or -errno, reported. */
static int open_file(struct capture_file *f)
{
	char name[NAME_MAX_LEN];
	int fd;

	file_name(f, name, sizeof(name));
	f->f = f->stdout_f;
	if (strcmp(f->options->capture, "-") != 0) {
		fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		f->f = fd < 0 ? NULL : fdopen(fd, "w");
	}
	if (!f->f)
		return report_error(f->report, fail(f, -errno), D_NONE, NULL, "cannot write packets to %s: %s", name,
			strerror(errno));
	f->out = out_new(f->f, &style_plain, f->options);
	if (!f->out)
		return fail(f, -ENOMEM);
	f->out->stop = f->stop;
	f->made++;
	pcapng_begin(f->pcapng, f->out);
	return 0;
}

/* ---- one after the other ----------------------------------------------------------------------------------------- */
/* Is the period of -G over? With -W the trace is over too, after as many files. */
static bool is_late(struct capture_file *f, uint64_t time)
{
	uint64_t secs = f->options->capturesecs;

	if (!secs || time / SECOND < f->began + secs)
		return false;
	f->began += (time / SECOND - f->began) / secs * secs;
	f->number = 0;
	return true;
}

/* With -C: is the file larger than that? With -W the names are used again. */
static bool is_large(struct capture_file *f)
{
	const struct options *o = f->options;

	if (!o->capturesize || pcapng_size(f->pcapng) <= o->capturesize)
		return false;
	f->number++;
	if (o->capturefiles && !o->capturesecs)
		f->number %= o->capturefiles;
	return true;
}

struct pcapng *capture_file_at(struct capture_file *f, uint64_t time)
{
	const struct options *o = f->options;
	bool late;

	if (f->err || !f->out)
		return NULL;
	late = is_late(f, time);
	if (!late && !is_large(f))
		return f->pcapng;
	capture_file_close(f);
	if (late && o->capturefiles && !o->capturesize && f->made >= o->capturefiles)
		(void)fail(f, -EPIPE);
	return f->err || open_file(f) ? NULL : f->pcapng;
}

/* -G and -W end the trace without packets, too. */
int capture_file_flush(struct capture_file *f)
{
	if (!f->err && f->options->capturesecs && f->options->capturefiles)
		(void)capture_file_at(f, clock_wall());
	return f->out ? flush(f) : f->err;
}

int capture_file_err(const struct capture_file *f)
{
	return f->err;
}

void capture_file_lost(struct capture_file *f, uint64_t n)
{
	f->lost += n;
}

/* ---- life -------------------------------------------------------------------------------------------------------- */
int capture_file_new(FILE *out, const struct options *options, const struct reporter *report, const int *stop,
	struct capture_file **file)
{
	struct capture_file *f = *file = calloc(1, sizeof(*f));

	if (!f)
		return -ENOMEM;
	f->pcapng = pcapng_new();
	if (!f->pcapng)
		return -ENOMEM;
	f->options = options;
	f->report = report;
	f->stop = stop;
	f->stdout_f = out;
	f->began = clock_wall() / SECOND;
	return open_file(f);
}

void capture_file_free(struct capture_file *f)
{
	if (!f)
		return;
	capture_file_close(f);
	pcapng_free(f->pcapng);
	free(f);
}
