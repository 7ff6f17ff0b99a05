/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dlib: the D library, compiled into the binary, and an index of its declarations, so that only those that a script
 * needs are ever parsed. All is made by src/gen_embed.py from dlib/ (all .d files). Invariant: files are sorted by
 * name; text ends with a NUL that len does not count; after the last file comes an entry with name NULL. */
#ifndef DWIRE_LANG_DLIB_H
#define DWIRE_LANG_DLIB_H
#include <stddef.h>
#include <stdint.h>

struct dlib_file {
	const char *name; /* without folders: "tcp.d" */
	const char *text;
	size_t len;
};

extern const struct dlib_file dlib_files[];
extern const size_t dlib_nfiles;

/* A list of declarations is an index into dlib_refs: their numbers, then DLIB_END. */
#define DLIB_END UINT16_MAX
extern const uint16_t dlib_refs[];

/* One declaration, in the order in which they can be declared. */
struct dlib_decl {
	uint16_t file;
	uint32_t from, to; /* in the file's text */
	uint32_t needs;    /* list: what it names */
	uint32_t waits;    /* list, of a translator: it is needed once all of these are */
};

extern const struct dlib_decl dlib_decls[];
extern const size_t dlib_ndecls;

/* What a name is defined by; sorted by name. */
struct dlib_name {
	const char *name;
	uint32_t decls; /* list */
};

extern const struct dlib_name dlib_names[];
extern const size_t dlib_nnames;
#endif
