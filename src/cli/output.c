/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output: see output.h. Input: a path and a function that writes. Output: the file. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Is there no file to replace: the standard output, a pipe, a terminal, a device? */
static bool in_place(const char *path)
{
	struct stat st;

	return !strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode));
}

int output_check(const char *path)
{
	char *copy = strdup(path);
	struct stat st;
	int err = copy ? 0 : -ENOMEM;

	if (!err && !stat(path, &st) && S_ISDIR(st.st_mode))
		err = -EISDIR;
	if (!err && !in_place(path) && access(dirname(copy), W_OK | X_OK))
		err = -errno;
	free(copy);
	return err;
}

/* Writes to an open stream. 0 or -errno. */
static int fill(FILE *out, output_fn *write, const void *ctx)
{
	errno = 0;
	write(out, ctx);
	if (!fflush(out) && !ferror(out))
		return 0;
	return errno ? -errno : -EIO;
}

static int write_direct(const char *path, output_fn *write, const void *ctx)
{
	const bool standard = !strcmp(path, "-");
	FILE *out = standard ? stdout : fopen(path, "we");
	int err = out ? fill(out, write, ctx) : -errno;

	if (out && !standard && fclose(out) && !err)
		err = -errno;
	return err;
}

/* The name beside the file has our pid: two writers of one file do not meet. */
static int write_beside(const char *path, output_fn *write, const void *ctx)
{
	char *beside = NULL;
	int fd, err;
	FILE *out;

	if (asprintf(&beside, "%s.%d~", path, (int)getpid()) < 0)
		return -ENOMEM;
	fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	err = out ? fill(out, write, ctx) : -errno;
	if (!err && fsync(fd))
		err = -errno;
	if (out && fclose(out) && !err)
		err = -errno;
	if (!err && rename(beside, path))
		err = -errno;
	if (err && fd >= 0)
		unlink(beside);
	free(beside);
	return err;
}

int output_write(const char *path, output_fn *write, const void *ctx)
{
	return in_place(path) ? write_direct(path, write, ctx) : write_beside(path, write, ctx);
}
