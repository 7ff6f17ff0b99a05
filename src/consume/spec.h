/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spec: records of speculations, kept until they are committed or discarded. Each speculation has room for specsize
 * bytes of each CPU; a record beyond that is dropped and counted. */
#ifndef DWIRE_CONSUME_SPEC_H
#define DWIRE_CONSUME_SPEC_H
#include <stddef.h>
#include <stdint.h>

struct specs;

struct spec_rec {
	struct spec_rec *next;
	unsigned cpu;
	size_t len;
	uint8_t rec[];
};

/* n speculations at once, each of at most size bytes a CPU. NULL: no memory. */
struct specs *specs_new(uint32_t n, uint64_t size);
/* NULL is fine. */
void specs_free(struct specs *s);
/* Keeps a copy. A record that finds no room is counted as dropped. */
void specs_add(struct specs *s, uint64_t id, unsigned cpu, const uint8_t *rec, size_t len);
/* Takes all records of a speculation, the oldest first; give them back to specs_release(). */
struct spec_rec *specs_take(struct specs *s, uint64_t id);
void specs_release(struct spec_rec *first);
/* Records dropped since the last call. */
uint64_t specs_drops(struct specs *s);
#endif
