/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sdtnotes: the probes that a program's author put into its code (<sys/sdt.h>): notes "stapsdt" of its ELF file. */
#ifndef DWIRE_SYMBOLS_ELF_SDTNOTES_H
#define DWIRE_SYMBOLS_ELF_SDTNOTES_H
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct sdt_note {
	const char *prov, *name;
	const char *args;   /* "-4@%edi 8@-8(%rbp)"; "" */
	uint64_t off;       /* of its instruction, in the file */
	uint64_t semaphore; /* in the file: counts who traces it; 0: none */
};
typedef VEC(struct sdt_note) sdt_list;

/* Adds the notes of the open file, copied. Whatever the file holds: what makes no sense is left out. */
void sdt_read(struct arena *a, int fd, sdt_list *out);
/* Likewise of an image in memory. */
void sdt_read_memory(struct arena *a, void *image, size_t len, sdt_list *out);
#endif
