/* SPDX-License-Identifier: GPL-2.0-or-later */
/* builtin: declares those parts of the built-in library (dlib/) that a script needs. */
#ifndef DWIRE_COMPILE_BUILTIN_H
#define DWIRE_COMPILE_BUILTIN_H
#include "compile/compile.h"

/* Call it before anything is parsed. Declares constants of the running system, and chooses the files for this machine.
 * 0; -EINVAL with diagnostics. */
int builtin_init(struct compilation *c) __attribute__((warn_unused_result));
/* Makes the declarations that the words of a D text name, and those that these need in turn. text NULL: all. Existing
 * declarations are kept. */
void builtin_use(struct compilation *c, const char *text, size_t len);
#endif
