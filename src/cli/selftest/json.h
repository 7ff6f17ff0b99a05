/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json: a document, written member by member. name: plain ASCII; NULL: an element of the list that is open. */
#ifndef DWIRE_CLI_SELFTEST_JSON_H
#define DWIRE_CLI_SELFTEST_JSON_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;   /* borrowed */
	bool filled; /* the object or list that is open has a member */
};

/* s NULL: null. Bytes that are no UTF-8 become U+FFFD. */
void json_text(struct json *j, const char *name, const char *s);
void json_bool(struct json *j, const char *name, bool v);
/* known false: null. */
void json_number(struct json *j, const char *name, bool known, uint64_t v);
/* bracket: '{' or '['; to close: '}' or ']'. */
void json_open(struct json *j, const char *name, char bracket);
void json_close(struct json *j, char bracket);
#endif
