/* SPDX-License-Identifier: GPL-2.0-or-later */
/* script: the D script of --default, which dlib/gen_embed.py compiles in. */
#ifndef DWIRE_EXPORT_SCRIPT_H
#define DWIRE_EXPORT_SCRIPT_H
#include <stddef.h>

struct export_file {
	const char *name, *text; /* ends with a NUL that len does not count */
	size_t len;
};

extern const struct export_file export_files[];
extern const size_t export_nfiles;

/* A descriptor of a file in memory that holds the script, open in processes that are started. -1: errno says why. */
int script_open(void);
#endif
