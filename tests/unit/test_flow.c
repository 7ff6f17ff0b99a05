/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_flow: the lines of -F, to the column. */
#include "datum.h"
#include "print/head.h"
#include "print/value/style.h"
#include "unit.h"

/* clang-format off */
static const struct image_probe probes[] = {
	{ 1, "dtrace", "", "", "BEGIN" }, { 10, "syscall", "vmlinux", "open", "entry" },
	{ 11, "syscall", "vmlinux", "open", "return" }, { 20, "fbt", "vmlinux", "do_open", "entry" },
	{ 21, "fbt", "vmlinux", "do_open", "return" }, { 30, "tcp", "vmlinux", "", "send" },
	{ 40, "fbt", "vmlinux", "a_function_whose_name_is_too_long_for_the_column", "entry" },
};
/* Clauses: one on each probe, and second ones on open:entry and do_open:return. */
static const struct epid epids[] = {
	{ .probe = 0 }, { .probe = 1 }, { .probe = 2 }, { .probe = 3 }, { .probe = 4 }, { .probe = 5 },
	{ .probe = 6 }, { .probe = 1 }, { .probe = 4 },
};
/* clause, the clause of the next line or -1, the line without its blanks at the end */
static const struct {
	uint32_t ep;
	int next;
	const char *want;
	size_t width;
} lines[] = {
	{ 0, 1, "  1 | :BEGIN", 46 },
	{ 1, 1, "  1  => open", 46 },
	{ 7, 3, "  1   | open:entry", 46 },
	{ 3, 5, "  1    -> do_open", 46 },
	{ 5, 4, "  1     | :send", 46 },
	{ 4, 8, "  1     | do_open:return", 46 },
	{ 8, 2, "  1    <- do_open", 46 },
	{ 2, -1, "  1  <= open", 46 },
	{ 4, -1, "  1  <- do_open", 46 },
	{ 3, 3, "  1  -> do_open", 46 },
	{ 3, 4, "  1    -> do_open", 46 },
	{ 4, 4, "  1    <- do_open", 46 },
	{ 4, 6, "  1  <- do_open", 46 },
	{ 6, -1, "  1  -> a_function_whose_name_is_too_long_for_the_column ", 57 },
};
/* clang-format on */

int main(void)
{
	struct capture c;
	struct flow f = { 0 };
	struct out *o;

	capture_open(&c);
	o = out_new(c.f, &style_text, NULL);
	if (!o)
		abort();
	flow_header(o);
	CHECK(!out_flush(o), "header");
	CHECK_TEXT("header", capture_text(&c), "CPU FUNCTION                                 \n");
	for (size_t i = 0; i < ROWS(lines); i++) {
		char want[128];

		capture_reset(&c);
		flow_head(o, &f, 1, &probes[epids[lines[i].ep].probe], &epids[lines[i].ep],
			lines[i].next < 0 ? NULL : &epids[lines[i].next]);
		CHECK(!out_flush(o), "line %zu", i);
		snprintf(want, sizeof(want), "%-*s", (int)lines[i].width, lines[i].want);
		CHECK_TEXT(lines[i].want, capture_text(&c), want);
	}
	out_free(o);
	capture_close(&c);
	return unit_end();
}
