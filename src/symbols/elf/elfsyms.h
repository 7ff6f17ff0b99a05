/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elfsyms: the functions of an ELF file, by address. */
#ifndef DWIRE_SYMBOLS_ELF_ELFSYMS_H
#define DWIRE_SYMBOLS_ELF_ELFSYMS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elfsyms;

/* From the file. path: what the process calls it, and root: where the process's "/" is ("/proc/1/root", "": ours), both
 * to find its separate debugging file, by build id or by name. NULL: not an ELF file, or no memory. */
struct elfsyms *elfsyms_open(const char *file, const char *root, const char *path);
/* From an image in memory (the vdso); the caller's, as long as the table lives. */
struct elfsyms *elfsyms_memory(void *image, size_t len);
void elfsyms_free(struct elfsyms *e); /* NULL is fine */
/* The function that the byte at this offset of the file lies in, and how far from its start. */
bool elfsyms_find(const struct elfsyms *e, uint64_t file_off, const char **name, uint64_t *off);
/* The file's byte that has this address, as nm shows it; false: it comes from no file. */
bool elfsyms_file_off(const struct elfsyms *e, uint64_t addr, uint64_t *off);
/* Calls each for every function: its first byte's offset in the file, and its size (0: not told). */
void elfsyms_each(const struct elfsyms *e, void (*each)(void *ctx, const char *name, uint64_t file_off, uint64_t size),
	void *ctx);
/* The address that the file has for that byte. */
bool elfsyms_address(const struct elfsyms *e, uint64_t file_off, uint64_t *addr);
/* The separate file that the symbols are from; NULL: there is none. */
const char *elfsyms_debug(const struct elfsyms *e);
#endif
