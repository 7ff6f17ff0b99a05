/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demangle: turns mangled names of C++ and Rust functions into source names. GCC's libiberty does the work, in the
 * sandbox, because a name of 300 characters can expand to gigabytes of text. */
#ifndef DWIRE_SYMBOLS_DEMANGLE_H
#define DWIRE_SYMBOLS_DEMANGLE_H
#include <stdbool.h>

#include "symbols/sandbox/sandbox.h"

#define DEMANGLE_NAME_MOST 16384u     /* bytes; longer names are not demangled */
#define DEMANGLE_TEXT_MOST (1u << 20) /* bytes of text that libiberty may write for one name */

/* Does it look like a mangled name? */
bool demangle_wanted(const char *name);
/* Writes the source name, cut to size bytes, and returns buf. Returns name itself if it is not mangled, if its text is
 * longer than DEMANGLE_TEXT_MOST, or if the sandbox fails. */
const char *demangle(struct sandbox *s, const char *name, char *buf, size_t size);
#endif
