/* SPDX-License-Identifier: GPL-2.0-or-later */
/* markup: texts and numbers for HTML and SVG. */
#ifndef DWIRE_CLI_PICTURE_MARKUP_H
#define DWIRE_CLI_PICTURE_MARKUP_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A text that a stranger chose, as content or as the value of a quoted attribute: controls (also C1), overrides of the
 * direction and what is not UTF-8 become \xHH, and what means something to a browser is escaped. */
void markup_text(FILE *out, const char *s, size_t len);
void markup_str(FILE *out, const char *s);

/* What a number counts. */
enum unit { UNIT_NONE, UNIT_BYTES, UNIT_NS, UNIT_US, UNIT_MS };

/* The unit that the end of a name says: "dns_us", "sent_bytes". */
enum unit unit_of_name(const char *name);
/* "1,234", "1.2 MB" (powers of 1000), "64 µs", "1.5 s" into buf, which is returned. */
const char *unit_text(char *buf, size_t size, int64_t n, enum unit unit);
#define UNIT_TEXT 32 /* bytes that the longest takes */
#endif
