/* SPDX-License-Identifier: GPL-2.0-or-later */
/* folder: the directory of a recording and the segments in it, which are named by number. */
#ifndef DWIRE_RECORDING_FOLDER_H
#define DWIRE_RECORDING_FOLDER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct segment {
	uint64_t number;
	uint64_t size;
};

struct folder {
	int fd;            /* of the directory */
	struct segment *v; /* by number; owned */
	size_t n, cap;
};

/* Opens the directory, and lists its segments. make: creates it (0700) if it is not there, refuses one that others may
 * write to (-EPERM), and locks it (-EBUSY: another recorder has it). 0 or -errno; folder_close() in any case. */
int folder_open(struct folder *f, const char *path, bool make) __attribute__((warn_unused_result));
void folder_close(struct folder *f);
/* A new segment (0600) with the next number, the last of v. Returns its descriptor or -errno. */
int folder_create(struct folder *f);
/* A segment to read, a plain file. Returns its descriptor or -errno. */
int folder_read(const struct folder *f, size_t i);
/* Removes a segment, from the directory too. 0 or -errno; it leaves v in any case. */
int folder_remove(struct folder *f, size_t i);
/* Bytes of all segments. */
uint64_t folder_bytes(const struct folder *f);
#endif
