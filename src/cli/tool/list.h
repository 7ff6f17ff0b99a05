/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list: the values of an option that takes several: "80,8000-8099,!8080". What follows "!" is excluded. */
#ifndef DWIRE_CLI_TOOL_LIST_H
#define DWIRE_CLI_TOOL_LIST_H
#include "cli/tool/head.h"

/* One value, without its "!". */
struct list_item {
	bool negate;
	char text[256];
};

/* Writes the D condition that one value matches. False after a message. */
typedef bool list_test(struct tool *t, const char *item, const void *arg, FILE *out);

/* Reads the value at s, and returns the position of the next one; NULL after the last. */
const char *list_next(const char *s, struct list_item *out);
/* "80" or "8000-8099", both of low to high. */
bool list_range(const char *item, long low, long high, long *from, long *to);
/* Are all values such numbers? */
bool list_of_numbers(const char *value, long low, long high);
/* Writes "(x) == 80" or "(x) >= 8000 && (x) <= 8099", for one value of a list of numbers. */
void list_put_range(const char *x, const char *item, FILE *out);
/* Writes the condition of all values: "(A || B) && !(C)"; "1" if there is none. */
bool list_condition(struct tool *t, const char *value, list_test *test, const void *arg, FILE *out);
#endif
