/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demangle: names of C++, Rust, D and Go functions as their sources have them. */
#ifndef DWIRE_SYMBOLS_DEMANGLE_H
#define DWIRE_SYMBOLS_DEMANGLE_H
#include <stddef.h>

/* Writes the text and returns buf; returns name itself where it is not mangled. */
const char *demangle(const char *name, char *buf, size_t size);
#endif
