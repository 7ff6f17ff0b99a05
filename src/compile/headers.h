/* SPDX-License-Identifier: GPL-2.0-or-later */
/* headers: reduces C system headers to the declarations that D can parse. */
#ifndef DWIRE_COMPILE_HEADERS_H
#define DWIRE_COMPILE_HEADERS_H
#include <stddef.h>

/* Takes preprocessed text. In parts that come from system headers it keeps the types and overwrites functions,
 * variables, attributes and the like with blanks. Lines and columns stay. */
void headers_reduce(char *text, size_t len);
#endif
