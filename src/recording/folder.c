/* SPDX-License-Identifier: GPL-2.0-or-later */
/* folder: see folder.h.
 * Input: a directory. Output: its segments in order, and descriptors of them.
 * Invariant: names are looked up below the open directory and never through a symbolic link; other names are left
 * alone. */
#include "recording/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_SIZE 40
#define NUMBER_MAX 999999999999ull

static void name_of(uint64_t number, char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "%012" PRIu64 ".dwr", number);
}

static int add(struct folder *f, uint64_t number, uint64_t size)
{
	if (f->n == f->cap) {
		size_t cap = f->cap ? 2 * f->cap : 64;
		struct segment *v = reallocarray(f->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		f->v = v;
		f->cap = cap;
	}
	f->v[f->n++] = (struct segment){ number, size };
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const struct segment *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* A name that name_of() would give, of a plain file. */
static int take_name(struct folder *f, const char *name)
{
	char same[NAME_SIZE];
	uint64_t number = strtoull(name, NULL, 10);
	struct stat st;

	name_of(number, same);
	if (!number || number > NUMBER_MAX || strcmp(name, same) != 0)
		return 0;
	if (fstatat(f->fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return 0;
	return add(f, number, (uint64_t)st.st_size);
}

static int list(struct folder *f)
{
	int fd = openat(f->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!dir) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (e = readdir(dir)))
		err = take_name(f, e->d_name);
	closedir(dir);
	if (f->n)
		qsort(f->v, f->n, sizeof(*f->v), by_number);
	return err;
}

/* Who else may write to the directory could put other segments there. The lock goes with the descriptor. */
static int claim(const struct folder *f)
{
	struct stat st;

	if (fstat(f->fd, &st))
		return -errno;
	if ((st.st_uid != geteuid() && st.st_uid != 0) || st.st_mode & (S_IWGRP | S_IWOTH))
		return -EPERM;
	if (!flock(f->fd, LOCK_EX | LOCK_NB))
		return 0;
	return errno == EWOULDBLOCK ? -EBUSY : -errno;
}

int folder_open(struct folder *f, const char *path, bool make)
{
	int err = 0;

	*f = (struct folder){ .fd = -1 };
	if (make && mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	f->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (make ? O_NOFOLLOW : 0));
	if (f->fd < 0)
		return -errno;
	if (make)
		err = claim(f);
	return err ? err : list(f);
}

void folder_close(struct folder *f)
{
	if (f->fd >= 0)
		close(f->fd);
	free(f->v);
	*f = (struct folder){ .fd = -1 };
}

int folder_create(struct folder *f)
{
	uint64_t number = f->n ? f->v[f->n - 1].number + 1 : 1;
	char name[NAME_SIZE];
	int fd, err;

	name_of(number, name);
	fd = openat(f->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	err = add(f, number, 0);
	if (!err)
		return fd;
	close(fd);
	unlinkat(f->fd, name, 0);
	return err;
}

int folder_read(const struct folder *f, size_t i)
{
	char name[NAME_SIZE];
	struct stat st;
	int fd;

	name_of(f->v[i].number, name);
	fd = openat(f->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

int folder_remove(struct folder *f, size_t i)
{
	char name[NAME_SIZE];
	int err;

	name_of(f->v[i].number, name);
	err = unlinkat(f->fd, name, 0) && errno != ENOENT ? -errno : 0;
	memmove(&f->v[i], &f->v[i + 1], (f->n - i - 1) * sizeof(*f->v));
	f->n--;
	return err;
}

uint64_t folder_bytes(const struct folder *f)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < f->n; i++)
		sum += f->v[i].size;
	return sum;
}
