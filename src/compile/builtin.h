/* SPDX-License-Identifier: GPL-2.0-or-later */
/* builtin: declares those parts of the built-in library (dlib/) that a script needs. */
#ifndef DWIRE_COMPILE_BUILTIN_H
#define DWIRE_COMPILE_BUILTIN_H
#include "compile/compile.h"

/* Before anything is parsed: what only the running system knows, and which files are for this machine. 0; -EINVAL with
 * diagnostics. */
int builtin_init(struct compilation *c) __attribute__((warn_unused_result));
/* Declares what the words of a D text name, and what those declarations need in turn. text NULL: declares everything.
 * Existing declarations are kept. */
void builtin_use(struct compilation *c, const char *text, size_t len);
#endif
