/* demangle: names of C++, Rust, D and Go functions as their sources have them. */
#ifndef DWIRE_KERNEL_DEMANGLE_H
#define DWIRE_KERNEL_DEMANGLE_H
#include <stddef.h>

/* Writes the text and returns buf; returns name itself where it is not mangled. */
const char *demangle(const char *name, char *buf, size_t size);
#endif
