/* SPDX-License-Identifier: GPL-2.0-or-later */
/* utf8: characters of UTF-8 (RFC 3629: no overlong forms, no surrogates, at most U+10FFFF). */
#ifndef DWIRE_BASE_UTF8_H
#define DWIRE_BASE_UTF8_H
#include <stddef.h>
#include <stdint.h>

/* Decodes the character at s, of which len bytes (not 0) may be read. Returns its length, 1 to 4, or 0 if it is
 * malformed. */
size_t utf8_decode(const char *s, size_t len, uint32_t *c);
#endif
