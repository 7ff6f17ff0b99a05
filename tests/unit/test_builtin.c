/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_builtin: the built-in library is declared as far as a script names it: each of its names alone, and all at once.
 * Types are the running kernel's where it has them. */
#include "compile/builtin.h"
#include "compile/compile.h"
#include "diags.h"
#include "kernel/btf/btf.h"
#include "lang/dlib.h"
#include "unit.h"

static struct kbtf *btf;
static struct ktypes ktypes;

/* What is left of dlib when a text was compiled: the declarations that were made. */
static unsigned declared(const char *text, bool all)
{
	static struct arena *last;
	struct arena *a = arena_new(); /* before the last one goes: the kernel's types know it by its address */
	struct options opts;
	struct compilation c = { .arena = a, .opts = &opts, .hz = 100 };
	unsigned n = 0;

	if (last)
		arena_free(last);
	last = a;
	options_init(&opts);
	c.diags = diags_new(a);
	c.ktypes = btf ? &ktypes : NULL;
	compile_add(&c, TEXT_NAME, "text", text, strlen(text));
	EXPECT_INT(compile_run(&c, STAGE_ALL, NULL), 0);
	if (all)
		builtin_use(&c, NULL, 0);
	if (diags_errors(c.diags)) {
		printf("%s:\n", text);
		diags_print(c.diags, stdout);
	}
	EXPECT_INT(diags_errors(c.diags), 0);
	for (unsigned d = 0; d < dlib_ndecls; d++)
		n += c.builtin[d] == 2;
	return n;
}

int main(void)
{
	unsigned none, all;
	char text[200];

	if (kbtf_open(&btf) == 0)
		ktypes = kbtf_ktypes(btf);
	none = declared("BEGIN { }", false);
	all = declared("BEGIN { }", true);
	EXPECT_INT(all, dlib_ndecls);
	EXPECT(none * 4 < all); /* those of the other machine count as declared */
	for (size_t i = 0; i < dlib_nnames; i++) {
		unsigned n;

		EXPECT(i == 0 || strcmp(dlib_names[i - 1].name, dlib_names[i].name) < 0);
		snprintf(text, sizeof(text), "BEGIN { } /* %s */", dlib_names[i].name);
		n = declared(text, false);
		EXPECT(n >= none && n <= all);
	}
	/* A structure comes with what makes it, and not with what makes others. */
	EXPECT(declared("BEGIN { } /* psinfo_t */", false) > none + 2);
	EXPECT(declared("BEGIN { } /* psinfo_t */", false) < all / 4);
	if (btf)
		kbtf_close(btf);
	return unit_end();
}
