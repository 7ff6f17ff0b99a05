/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library: users' D libraries: the .d files of the folders of -L, -x libdir and -x syslibdir. */
#ifndef DWIRE_COMPILE_LIBRARY_H
#define DWIRE_COMPILE_LIBRARY_H
#include <stdio.h>

#include "compile/compile.h"

/* Reads the folders' files into c->libraries, each behind those that it depends on. A folder that is not there is
 * fine, as in DTrace. 0, or -errno with a diagnostic. */
int library_load(struct compilation *c) __attribute__((warn_unused_result));
/* Marks those that ask for a provider, module or library that is not there. */
void library_leave_out(struct compilation *c);
/* Is it there: kind is provider, module or library? */
bool library_met(const struct compilation *c, const char *kind, const char *name);
#endif
