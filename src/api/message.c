/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message: diagnostics of all layers, handed to the caller's handler.
 * Input: struct diag. Output: struct dwire_message, or its text on a stream of the caller. */
#include <errno.h>
#include <string.h>

#include "api/dwire_priv.h"
#include "base/diag_text.h"

void dwire_on_message(struct dwire *d, dwire_message_fn *fn, void *ctx)
{
	d->message = fn;
	d->message_ctx = ctx;
}

void dwire_print_message(const struct dwire_message *m, const char *program, FILE *out)
{
	diag_print(m->internal, program, out);
}

static void hand_out(void *ctx, const struct diag *g)
{
	const struct dwire *d = ctx;
	struct dwire_message m = {
		.level = (enum dwire_level)g->level,
		.error = g->err,
		.tag = g->tag == D_NONE ? NULL : dtag_name(g->tag),
		.text = g->message,
		.hint = g->hint,
		.detail = g->detail,
		.internal = g,
	};

	if (!d->message)
		return;
	m.file = loc_file(g->loc, &m.file_len);
	if (m.file)
		loc_position(g->loc, &m.line, &m.column);
	d->message(d->message_ctx, &m);
}

_Static_assert((int)DIAG_ERROR == DWIRE_ERROR && (int)DIAG_NOTE == DWIRE_NOTE, "levels");

/* ---- texts of lower layers --------------------------------------------------------------------------------------- */
static const char *without(const char *line, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(line, prefix, n) ? line : line + n;
}

static void take_line(const struct dwire *d, const char *s, size_t len)
{
	char line[1024];
	const char *text;

	snprintf(line, sizeof(line), "%.*s", (int)len, s);
	text = without(without(line, "dwire: "), "warning: ");
	hand_out((void *)(uintptr_t)d,
		&(struct diag){ .level = strstr(line, "warning: ") ? DIAG_WARNING : DIAG_NOTE, .message = text });
}

static ssize_t take_lines(void *ctx, const char *s, size_t size)
{
	const char *end = s + size;

	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s)), *stop = nl ? nl : end;

		take_line(ctx, s, (size_t)(stop - s));
		s = nl ? nl + 1 : end;
	}
	return (ssize_t)size;
}

int dwire_make_reporter(struct dwire *d)
{
	d->report = (struct reporter){ .fn = hand_out, .ctx = d };
	d->notes = fopencookie(d, "w", (cookie_io_functions_t){ .write = take_lines });
	if (!d->notes)
		return -ENOMEM;
	setvbuf(d->notes, NULL, _IOLBF, 0);
	return 0;
}

void dwire_report_diags(struct dwire *d)
{
	const struct diag *g;

	for (size_t i = 0; (g = diags_get(d->c.diags, i)) != NULL; i++)
		hand_out(d, g);
	if (diags_unkept(d->c.diags))
		report_note(&d->report, "%zu more errors not shown", diags_unkept(d->c.diags));
}
