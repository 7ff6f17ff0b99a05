/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library: loads the user's D libraries: the .d files in the folders of -L, -x libdir and -x syslibdir. */
#ifndef DWIRE_COMPILE_LIBRARY_H
#define DWIRE_COMPILE_LIBRARY_H
#include <stdio.h>

#include "compile/compile.h"

/* Reads the folders' files into c->libraries, each after those that it depends on. A missing folder is no error, as
 * in DTrace. 0, or -errno with a diagnostic. */
int library_load(struct compilation *c) __attribute__((warn_unused_result));
/* Marks the libraries that depend on a missing provider, module or library. */
void library_leave_out(struct compilation *c);
/* Does it exist? kind is "provider", "module" or "library". */
bool library_met(const struct compilation *c, const char *kind, const char *name);
#endif
