/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list: see list.h.
 * Input: an option's value. Output: its parts; a D condition.
 * Invariant: only excluded values mean all others. */
#include "cli/tool/list.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const char *list_next(const char *s, struct list_item *out)
{
	size_t n = strcspn(s, ",");

	out->negate = *s == '!';
	snprintf(out->text, sizeof(out->text), "%.*s", (int)n - out->negate, s + out->negate);
	return s[n] ? s + n + 1 : NULL;
}

/* A number of low to high, and the position behind it; NULL: there is none. */
static const char *number(const char *s, long low, long high, long *out)
{
	char *end;

	errno = 0;
	*out = strtol(s, &end, 0);
	return errno || end == s || isspace((unsigned char)*s) || *out < low || *out > high ? NULL : end;
}

bool list_range(const char *item, long low, long high, long *from, long *to)
{
	const char *s = number(item, low, high, from);

	*to = *from;
	if (s && *s == '-')
		s = number(s + 1, low, high, to);
	return s && !*s && *from <= *to;
}

bool list_of_numbers(const char *value, long low, long high)
{
	struct list_item item;
	long from, to;

	for (const char *s = value; s;) {
		s = list_next(s, &item);
		if (!list_range(item.text, low, high, &from, &to))
			return false;
	}
	return true;
}

void list_put_range(const char *x, const char *item, FILE *out)
{
	long from, to;

	if (!list_range(item, INT32_MIN, INT32_MAX, &from, &to))
		return;
	if (from == to)
		fprintf(out, "(%s) == %s", x, item);
	else
		fprintf(out, "(%s) >= %ld && (%s) <= %ld", x, from, x, to);
}

/* The values that are excluded, or those that are not; "1" if there is none. */
static bool put_half(struct tool *t, const char *value, bool negate, list_test *test, const void *arg, FILE *out)
{
	struct list_item item;
	bool ok = true, any = false;

	for (const char *s = value; s && ok;) {
		s = list_next(s, &item);
		if (item.negate != negate)
			continue;
		fputs(any ? " || " : negate ? "!(" : "(", out);
		any = true;
		ok = test(t, item.text, arg, out);
	}
	fputs(any ? ")" : "1", out);
	return ok;
}

bool list_condition(struct tool *t, const char *value, list_test *test, const void *arg, FILE *out)
{
	if (!put_half(t, value, false, test, arg, out))
		return false;
	if (!strchr(value, '!'))
		return true;
	fputs(" && ", out);
	return put_half(t, value, true, test, arg, out);
}
