/* SPDX-License-Identifier: GPL-2.0-or-later */
/* headers: reduces C system headers to what D can read. */
#ifndef DWIRE_COMPILE_HEADERS_H
#define DWIRE_COMPILE_HEADERS_H
#include <stddef.h>

/* In preprocessed text, where marks say that it comes from a system's header: leaves the types, makes blanks of
 * functions, variables, attributes and the like. Lines and columns stay. */
void headers_reduce(char *text, size_t len);
#endif
