/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sdtnotes: the static probes that a program's author put into its code (<sys/sdt.h>), from the "stapsdt" notes of its
 * ELF file. Files are read in the sandbox. */
#ifndef DWIRE_SYMBOLS_ELF_SDTNOTES_H
#define DWIRE_SYMBOLS_ELF_SDTNOTES_H
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "symbols/sandbox/sandbox.h"

struct sdt_note {
	const char *prov, *name;
	const char *args;   /* "-4@%edi 8@-8(%rbp)"; "" */
	uint64_t off;       /* of its instruction, in the file */
	uint64_t semaphore; /* offset in the file of its counter of tracers; 0: none */
};
typedef VEC(struct sdt_note) sdt_list;

#define SDT_NOTES_MOST 16384u /* of a file; further ones are left out */

/* Adds the notes of the open file, copied into the arena. Malformed notes are left out. s NULL: read in this process.
 * 0; -ENOEXEC: not a 64-bit ELF file; -errno of sandbox_run(). */
int sdt_read(struct sandbox *s, struct arena *a, int fd, sdt_list *out) __attribute__((warn_unused_result));
#endif
