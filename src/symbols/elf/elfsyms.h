/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elfsyms: the functions of an ELF file, by address. Files are read in the sandbox. Only the first .symtab and the
 * first .dynsym count. A table larger than ELFSYMS_MOST is not read. */
#ifndef DWIRE_SYMBOLS_ELF_ELFSYMS_H
#define DWIRE_SYMBOLS_ELF_ELFSYMS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/sandbox/sandbox.h"

struct elfsyms;

#define ELFSYMS_MOST ((size_t)128 << 20) /* bytes of one file's functions, with their names */

/* The functions of the open file, which stays the caller's. path: the file's name as its process sees it; root: a
 * descriptor of the process's root (-1: ours). Both are used to find the separate debugging file, by build id or by
 * name; path NULL: do not look for it. s NULL: read in this process. 0; -ENOEXEC: not an ELF file; -errno of
 * sandbox_run(). */
int elfsyms_open(struct sandbox *s, int fd, int root, const char *path, struct elfsyms **out)
	__attribute__((warn_unused_result));
/* The functions of a trusted image in memory (the vdso). NULL: there are none. */
struct elfsyms *elfsyms_memory(void *image, size_t len);
void elfsyms_free(struct elfsyms *e); /* NULL is fine */
size_t elfsyms_bytes(const struct elfsyms *e);
/* The function that holds the byte at this offset of the file, and the byte's distance from its start. */
bool elfsyms_find(const struct elfsyms *e, uint64_t file_off, const char **name, uint64_t *off);
/* The offset in the file of an address as nm(1) shows it. False: no part of the file is loaded there. */
bool elfsyms_file_off(const struct elfsyms *e, uint64_t addr, uint64_t *off);
/* Calls each for every function symbol, in order of addresses. file_off: the offset of its first byte; size: in bytes,
 * 0: not known. Of several at one address, the one that elfsyms_find() returns comes first. */
void elfsyms_each(const struct elfsyms *e, void (*each)(void *ctx, const char *name, uint64_t file_off, uint64_t size),
	void *ctx);
/* The reverse of elfsyms_file_off(). */
bool elfsyms_address(const struct elfsyms *e, uint64_t file_off, uint64_t *addr);
/* The separate debugging file that the symbols were read from; *in_root: it is below the process's root, not ours.
 * NULL: there is none. */
const char *elfsyms_debug(const struct elfsyms *e, bool *in_root);
#endif
