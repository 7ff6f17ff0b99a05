/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demangle: names of C++ and Rust functions as their sources have them. GCC's libiberty does the work, in the sandbox:
 * a name of 300 characters can stand for a text of gigabytes. */
#ifndef DWIRE_SYMBOLS_DEMANGLE_H
#define DWIRE_SYMBOLS_DEMANGLE_H
#include <stdbool.h>

#include "symbols/sandbox/sandbox.h"

#define DEMANGLE_NAME_MOST 16384u     /* bytes; longer names are not demangled */
#define DEMANGLE_TEXT_MOST (1u << 20) /* bytes that libiberty may write for a name, before they are cut */

/* Does it look like a mangled name? */
bool demangle_wanted(const char *name);
/* Writes the text, cut to size bytes, and returns buf. Returns name itself if it is not mangled, if it stands for more
 * than DEMANGLE_TEXT_MOST bytes of text, or if the sandbox refuses it. */
const char *demangle(struct sandbox *s, const char *name, char *buf, size_t size);
#endif
