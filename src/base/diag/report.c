/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report: see report.h.
 * Input: a message's parts. Output: a struct diag, handed to the reporter.
 * Invariant: reporting never fails and needs no memory, but for messages longer than SHORT, which are cut without
 * it. */
#include "base/diag/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHORT 1024u

void report(const struct reporter *to, const struct diag *d)
{
	if (to && to->fn)
		to->fn(to->ctx, d);
}

__attribute__((format(printf, 3, 0))) static void report_format(
	const struct reporter *to, struct diag *d, const char *fmt, va_list ap)
{
	char text[SHORT], *whole = NULL;
	va_list again;
	int n;

	if (!to || !to->fn)
		return;
	va_copy(again, ap);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	if (n >= (int)sizeof(text))
		whole = malloc((size_t)n + 1);
	if (whole)
		vsnprintf(whole, (size_t)n + 1, fmt, again);
	va_end(again);
	d->message = whole ? whole : n < 0 ? fmt : text;
	to->fn(to->ctx, d);
	free(whole);
}

/* The message is made on the stack: it can report that there is no memory. */
int report_error(const struct reporter *to, int err, enum dtag tag, const char *hint, const char *fmt, ...)
{
	struct diag d = { .level = DIAG_ERROR, .err = err, .tag = tag, .hint = hint };
	va_list ap;

	va_start(ap, fmt);
	report_format(to, &d, fmt, ap);
	va_end(ap);
	return err;
}

void report_warning(const struct reporter *to, enum dtag tag, const char *hint, const char *fmt, ...)
{
	struct diag d = { .level = DIAG_WARNING, .tag = tag, .hint = hint };
	va_list ap;

	va_start(ap, fmt);
	report_format(to, &d, fmt, ap);
	va_end(ap);
}

/* Notes have neither a tag nor an error. */
void report_note(const struct reporter *to, const char *fmt, ...)
{
	struct diag d = { .level = DIAG_NOTE };
	va_list ap;

	va_start(ap, fmt);
	report_format(to, &d, fmt, ap);
	va_end(ap);
}

void report_progress(const struct reporter *to, const char *what, uint64_t done, uint64_t total)
{
	if (to && to->progress)
		to->progress(to->ctx, what, done, total);
}

/* The same words everywhere, so that tests and users can look for them. */
int report_no_memory(const struct reporter *to, const char *what)
{
	return report_error(to, -ENOMEM, D_NONE, NULL, "not enough memory to %s", what);
}

/* Of several errors the last one counts: it is the reason that the caller adds to. */
static void keep(void *ctx, const struct diag *d)
{
	struct report_kept *k = ctx;

	if (d->level != DIAG_ERROR)
		return;
	k->err = d->err;
	snprintf(k->message, sizeof(k->message), "%s", d->message);
}

void report_keep(struct report_kept *k)
{
	k->reporter = (struct reporter){ .fn = keep, .ctx = k };
	k->err = 0;
	k->message[0] = 0;
}
