/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message: passes diagnostics of all layers to the caller's handler.
 * Input: struct diag. Output: struct dwire_message, or its text on a stream of the caller. */
#include "api/dwire_priv.h"
#include "base/diag/diag_text.h"

void dwire_on_message(struct dwire *d, dwire_message_fn *fn, void *ctx)
{
	d->message = fn;
	d->message_ctx = ctx;
}

void dwire_on_progress(struct dwire *d, dwire_progress_fn *fn, void *ctx)
{
	d->progress = fn;
	d->progress_ctx = ctx;
}

void dwire_print_message(const struct dwire_message *m, const char *program, FILE *out)
{
	diag_print(m->internal, program, out);
}

/* For struct reporter: translates a diagnostic and calls the handler. Without a handler it is lost. */
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

static void hand_progress(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	const struct dwire *d = ctx;

	if (d->progress)
		d->progress(d->progress_ctx, what, done, total);
}

_Static_assert((int)DIAG_ERROR == DWIRE_ERROR && (int)DIAG_NOTE == DWIRE_NOTE, "levels");

void dwire_make_reporter(struct dwire *d)
{
	d->report = (struct reporter){ .fn = hand_out, .ctx = d, .progress = hand_progress };
}

/* Compilers collect diagnostics, in order to sort out repetitions; this is where they leave. */
void dwire_report_diags(struct dwire *d)
{
	const struct diag *g;

	for (size_t i = 0; (g = diags_get(d->c.diags, i)) != NULL; i++)
		hand_out(d, g);
	if (diags_unkept(d->c.diags))
		report_note(&d->report, "%zu more errors not shown", diags_unkept(d->c.diags));
}
