/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine: the numbers of the machine that programs read (abi/abi.h, struct dw_machine). */
#ifndef DWIRE_SESSION_MACHINE_H
#define DWIRE_SESSION_MACHINE_H
#include "image/image.h"
#include "namespaces/readings.h"

/* Writes them into the image's map for them, if it has one; maps are the descriptors by index. 0 or -errno. */
int machine_update(const struct image *image, const int *maps) __attribute__((warn_unused_result));

/* The image's numbers of the kernel, in these namespaces (readings.h); the caller frees them. NULL: no memory. */
struct readings *machine_readings(
	const struct image *image, struct zones *z, const char *netns, const struct reporter *to);
/* Reads them into the image's map for them. r may be NULL: does nothing. 0 or -errno. */
int machine_read_counters(struct readings *r, const struct image *image, const int *maps)
	__attribute__((warn_unused_result));
#endif
