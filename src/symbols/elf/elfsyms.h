/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elfsyms: the functions of an ELF file, by address.
 * Files are read in the sandbox. Of .symtab and .dynsym each the first counts. A table larger than ELFSYMS_MOST is not
 * read. */
#ifndef DWIRE_SYMBOLS_ELF_ELFSYMS_H
#define DWIRE_SYMBOLS_ELF_ELFSYMS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/sandbox/sandbox.h"

struct elfsyms;

#define ELFSYMS_MOST ((size_t)128 << 20) /* bytes of one file's functions, with their names */

/* The functions of the open file, which stays the caller's. path: its name in its process, and root: the process's root
 * (a directory; -1: ours), to find the file's separate debugging file, by build id or by name; path NULL: not looked
 * for. s NULL: in this process. 0; -ENOEXEC: not an ELF file; -errno as of sandbox_run(). */
int elfsyms_open(struct sandbox *s, int fd, int root, const char *path, struct elfsyms **out)
	__attribute__((warn_unused_result));
/* Those of a trusted image in memory (the vdso). NULL: there are none. */
struct elfsyms *elfsyms_memory(void *image, size_t len);
void elfsyms_free(struct elfsyms *e); /* NULL is fine */
size_t elfsyms_bytes(const struct elfsyms *e);
/* The function that holds the byte at this offset of the file, and the byte's distance from its start. */
bool elfsyms_find(const struct elfsyms *e, uint64_t file_off, const char **name, uint64_t *off);
/* The offset in the file of this address, as nm shows it; false: it comes from no file. */
bool elfsyms_file_off(const struct elfsyms *e, uint64_t addr, uint64_t *off);
/* Calls each for every symbol of a function, in order of addresses: with the offset in the file of the function's first
 * byte, and its size (0: not known). Of several at one address, the one that elfsyms_find() gives comes first. */
void elfsyms_each(const struct elfsyms *e, void (*each)(void *ctx, const char *name, uint64_t file_off, uint64_t size),
	void *ctx);
/* The address that the file has for that byte. */
bool elfsyms_address(const struct elfsyms *e, uint64_t file_off, uint64_t *addr);
/* The separate file that the symbols are from; *in_root: below the root, else in ours. NULL: there is none. */
const char *elfsyms_debug(const struct elfsyms *e, bool *in_root);
#endif
