/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_functions: functions of a kernel that this file describes: which of them a description means, what numbers
 * they have, and clauses on several of them, whose arguments need not be in the same places. */
#include "compile/compile.h"
#include "unit.h"

static const struct known {
	const char *module, *name;
	uint64_t size;
	struct kernel_func is;
	const char *args[5];
} funcs[] = {
	{ "vmlinux", "plain", 0x20, { .nargs = 3, .words = { 1, 1, 1 } }, { "int", "long", "int" } },
	{ "vmlinux", "other", 0x20, { .nargs = 3, .words = { 1, 1, 1 } }, { "int", "long", "int" } },
	{ "mod", "wide", 0x20, { .nargs = 3, .words = { 1, 2, 1 } },
		{ "int", "long", "int" } }, /* its second takes two words */
	{ "mod", "short", 0x20, { .nargs = 1, .words = { 1 } }, { "int" } },
};

static void each(void *ctx, void (*fn)(void *to, const char *module, const char *name), void *to)
{
	(void)ctx;
	for (size_t i = 0; i < ROWS(funcs); i++)
		fn(to, funcs[i].module, funcs[i].name);
}

static const struct known *find(const char *name)
{
	for (size_t i = 0; i < ROWS(funcs); i++)
		if (!strcmp(funcs[i].name, name))
			return &funcs[i];
	return NULL;
}

static const char *const *args_of(void *ctx, struct arena *a, const char *module, const char *name, bool returned)
{
	(void)ctx;
	(void)a;
	(void)module;
	return returned ? NULL : find(name)->args;
}

static uint32_t function(void *ctx, const char *module, const char *name, struct kernel_func *out)
{
	const struct known *f = find(name);

	(void)ctx;
	(void)module;
	*out = f ? f->is : (struct kernel_func){ 0 };
	return f ? 100 + (uint32_t)(f - funcs) : 0;
}

static bool has(void *ctx, const char *module, const char *name)
{
	(void)ctx;
	(void)module;
	return find(name) != NULL;
}

static uint64_t size_of(void *ctx, const char *module, const char *name)
{
	(void)ctx;
	(void)module;
	return find(name)->size;
}

static const struct kernel_lists lists = { .functions = each, .function_size = size_of, .function_args = args_of };

/* ---- compiling ---------------------------------------------------------------------------------------------- */
/* The numbers of the enabled probes, or the tag of the first error. */
static const char *compiled(struct arena *a, const char *text, enum tier tier)
{
	struct options o;
	struct diags *d = diags_new(a);
	struct compilation c = { .arena = a, .diags = d, .opts = &o, .lists = &lists, .hz = 100 };
	const char *out = "";

	options_init(&o);
	o.tier = (uint32_t)tier + 1;
	c.lenv.function = function;
	c.lenv.has_function = has;
	c.macros = (struct macros){ 0 };
	compile_add(&c, TEXT_SCRIPT, "t", text, strlen(text));
	if (compile_run(&c, STAGE_ALL, NULL))
		return dtag_name(diags_get(d, 0)->tag);
	for (size_t i = 0; i < c.order.n; i++) {
		uint32_t id = c.probes.all.v[c.order.v[i]].id;

		out = arena_printf(a, id < 1000 ? "%s%smade" : "%s%s%u", out, *out ? " " : "", id);
	}
	return out;
}

static const struct {
	const char *text, *functions, *kprobes; /* what comes of it in the tiers */
} rows[] = {
	{ "fbt::plain:entry { trace(args[2]); }", "20000", "20000" },
	{ "fbt::wide:entry { trace(args[2]); }", "20004", "20004" },
	{ "fbt:mod:: { trace(1); }", "20004 20005 20006 20007", "20004 20005 20006 20007" },
	{ "fbt::wide:return { trace(1); } fbt::plain:return, fbt::pl*: { trace(2); }", "20005 20001 20000",
		"20005 20001 20000" },
	{ "fbt::plain:entry, fbt::other:entry { trace(args[2]); }", "20000 20002", "20000 20002" },
	/* where functions have a program each they may differ; where they share one they may not */
	{ "fbt::plain:entry, fbt::wide:entry { trace(args[2]); }", "20000 20004", "D_ARGS_MULTI" },
	{ "fbt::plain:entry, fbt::wide:entry { trace(args[1]); }", "20000 20004", "20000 20004" },
	{ "fbt::plain:entry { trace(args[2]); } fbt::wide:entry { trace(args[2]); }", "20000 20004", "20000 20004" },
	{ "fbt::plain:entry, fbt::short:entry { trace(args[0]); }", "20000 20006", "20000 20006" },
	{ "fbt::plain:entry, fbt::short:entry { trace(args[1]); }", "D_ARGS_IDX", "D_ARGS_IDX" },
	{ "fbt::plain:1f { trace(arg0); } fbt:vmlinux:plain:1f { trace(stackdepth); }", "D_KERNEL", "made" },
	{ "fbt::plain:20 { }", "D_PDESC_ZERO", "D_PDESC_ZERO" },
	{ "fbt::plain:0x1 { }", "D_PDESC_ZERO", "D_PDESC_ZERO" },
	{ "fbt::*:1 { }", "D_PDESC_ZERO", "D_PDESC_ZERO" },
	{ "fbt::plain:1 { trace(args[0]); }", "D_ARGS_IDX", "D_ARGS_IDX" },
	{ "fbt::nothing:entry { }", "D_PDESC_ZERO", "D_PDESC_ZERO" },
	{ "fbt:vmlinux:wide:entry { }", "D_PDESC_ZERO", "D_PDESC_ZERO" },
};

int main(void)
{
	struct arena *a = arena_new();

	for (size_t i = 0; i < ROWS(rows); i++) {
		EXPECT_STR(compiled(a, rows[i].text, TIER_FUNCTIONS), rows[i].functions);
		EXPECT_STR(compiled(a, rows[i].text, TIER_KPROBES), rows[i].kprobes);
	}
	arena_free(a);
	return unit_end();
}
