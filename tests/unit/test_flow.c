/* test_flow: the lines of -F, to the column. */
#include "run/flow.h"
#include "run_test.h"

/* clang-format off */
static const struct image_probe probes[] = {
	{ 1, "dtrace", "", "", "BEGIN" }, { 10, "syscall", "vmlinux", "open", "entry" },
	{ 11, "syscall", "vmlinux", "open", "return" }, { 20, "fbt", "vmlinux", "do_open", "entry" },
	{ 21, "fbt", "vmlinux", "do_open", "return" }, { 30, "tcp", "vmlinux", "", "send" },
	{ 40, "fbt", "vmlinux", "a_function_whose_name_is_too_long_for_the_column", "entry" },
};
/* probe, the probe of the next line or -1, the line without its blanks at the end */
static const struct {
	uint32_t probe;
	int next;
	const char *want;
	size_t width;
} lines[] = {
	{ 0, 1, "  1 | :BEGIN", 46 },
	{ 1, 1, "  1  => open", 46 },
	{ 1, 3, "  1   | open:entry", 46 },
	{ 3, 5, "  1    -> do_open", 46 },
	{ 5, 4, "  1     | :send", 46 },
	{ 4, 4, "  1     | do_open:return", 46 },
	{ 4, 2, "  1    <- do_open", 46 },
	{ 2, -1, "  1  <= open", 46 },
	{ 4, -1, "  1  <- do_open", 46 },
	{ 6, -1, "  1  -> a_function_whose_name_is_too_long_for_the_column ", 57 },
};
/* clang-format on */

int main(void)
{
	struct capture c;
	struct flow f = { 0 };
	struct out *o;

	capture_open(&c);
	o = out_new(c.f);
	if (!o)
		abort();
	flow_header(o);
	CHECK(!out_flush(o), "header");
	CHECK_TEXT("header", capture_text(&c), "CPU FUNCTION                                 \n");
	for (size_t i = 0; i < ROWS(lines); i++) {
		char want[128];

		capture_reset(&c);
		flow_head(o, &f, 1, &probes[lines[i].probe], lines[i].probe, (uint32_t)(lines[i].next + 1));
		CHECK(!out_flush(o), "line %zu", i);
		snprintf(want, sizeof(want), "%-*s", (int)lines[i].width, lines[i].want);
		CHECK_TEXT(lines[i].want, capture_text(&c), want);
	}
	out_free(o);
	capture_close(&c);
	return checks_end();
}
