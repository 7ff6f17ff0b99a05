/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack: see stack.h.
 * Input: the frames of a value, named by symtext_frames(). Output: text in an out. */
#include "print/value/stack.h"

#include "symbols/symtext.h"

#define INDENT_MAX 1000u

struct frames {
	struct out *o;
	size_t indent;
	bool any;
};

/* Can the frames be named? A user stack begins with the process's id, 8 bytes, which may be cut off. */
static bool is_whole(const struct value *v)
{
	return v->names && (v->field == FIELD_STACK || v->field == FIELD_GIVEN || v->len >= sizeof(uint64_t));
}

bool stack_is_folded(const struct value *v)
{
	return v->kind == VALUE_STACK && v->names && symtext_folded(v->names);
}

/* For symtext_frames(): a frame of a folded stack. */
static void frame_joined(void *ctx, const char *text, size_t len)
{
	struct frames *f = ctx;

	out_bytes(f->o, ";", f->any);
	out_text(f->o, text, len, false, 0);
	f->any = true;
}

void stack_joined(struct out *o, const struct value *v, int indent)
{
	struct frames f = { .o = o };

	(void)indent;
	if (is_whole(v))
		symtext_frames(v->names, v->field, v->s, v->len, frame_joined, &f);
}

/* For symtext_frames(): a frame on its own line. */
static void frame_line(void *ctx, const char *text, size_t len)
{
	const struct frames *f = ctx;

	out_pad(f->o, f->indent);
	out_text(f->o, text, len, false, 0);
	out_bytes(f->o, "\n", 1);
}

void stack_lines(struct out *o, const struct value *v, int indent)
{
	struct frames f = { .o = o, .indent = (size_t)indent };

	if (stack_is_folded(v)) {
		stack_joined(o, v, indent);
		return;
	}
	if (!is_whole(v))
		return;
	if (indent < 0)
		f.indent = o->options->stackindent < INDENT_MAX ? o->options->stackindent : INDENT_MAX;
	out_str(o, "\n");
	symtext_frames(v->names, v->field, v->s, v->len, frame_line, &f);
}
