/* SPDX-License-Identifier: GPL-2.0-or-later */
/* readings: numbers of the kernel by name, for D's netcounter(). docs/D.md lists the names. */
#ifndef DWIRE_NAMESPACES_READINGS_H
#define DWIRE_NAMESPACES_READINGS_H
#include <stddef.h>
#include <stdint.h>

struct readings;
struct reporter;
struct zones;

/* One of the numbers that are wanted. The list itself is copied. */
struct reading {
	const char *name; /* borrowed, as long as the readings live */
	int moved;        /* 1: not the number, but by how much it grew since the first call of readings_take() */
};

/* netns: as counters_new() has it. What belongs to the whole machine is read in the namespace of this process. NULL: no
 * memory, or no way back from a namespace. */
struct readings *readings_new(
	const struct reading *v, size_t n, struct zones *z, const char *netns, const struct reporter *to);
void readings_free(struct readings *r);
/* Reads the n numbers. What the kernel does not show, or not to us, is -1. */
void readings_take(struct readings *r, int64_t *values);
#endif
