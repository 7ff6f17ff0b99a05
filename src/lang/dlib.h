/* dlib: the D library, compiled into the binary. The table is made by src/gen_embed.py from dlib/ (all .d files).
 * Invariant: sorted by name; text ends with a NUL that len does not count; after the last file comes an entry with
 * name NULL. */
#ifndef DWIRE_LANG_DLIB_H
#define DWIRE_LANG_DLIB_H
#include <stddef.h>

struct dlib_file {
	const char *name; /* without folders: "tcp.d" */
	const char *text;
	size_t len;
};

extern const struct dlib_file dlib_files[];
extern const size_t dlib_nfiles;
#endif
