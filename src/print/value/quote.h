/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quote: any bytes as a text of JSON, XML, HTML or CSV.
 * Invariant: the result is well-formed whatever the bytes are; bytes that are no UTF-8 or no character of the format
 * are replaced; no control but newline and tab, and nothing that reorders the text around it, is written. */
#ifndef DWIRE_PRINT_VALUE_QUOTE_H
#define DWIRE_PRINT_VALUE_QUOTE_H
#include "print/out.h"

/* How many bytes at the beginning stand for themselves in every format. */
size_t quote_plain(const char *s, size_t len);
/* Between the quotes of a JSON string. */
void quote_json(struct out *o, const char *s, size_t len);
/* Character data of XML, also within quotes. */
void quote_xml(struct out *o, const char *s, size_t len);
/* The same of HTML. What would control a terminal or reorder the page is shown as \xHH. */
void quote_html(struct out *o, const char *s, size_t len);
/* Between the quotes of a CSV field; escaped for a terminal too. */
void quote_csv(struct out *o, const char *s, size_t len);
#endif
