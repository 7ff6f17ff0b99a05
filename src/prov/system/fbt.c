/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fbt: entry and return of the kernel's functions that can be traced, and single instructions
 * (fbt:MODULE:FUNCTION:OFFSET). A few functions get a program each (fentry, fexit); many share one, by kprobes.
 * args[] have the types that BTF gives. */
#include <stdlib.h>
#include <string.h>

#include "probes/lists.h"
#include "prov/provider.h"

static const struct site entry_site[] = {
	{ .attach = ATTACH_FENTRY, .by_cookie = true, .irqs_off = true, .sees = "the function as it begins" },
};
static const struct site return_site[] = {
	{ .attach = ATTACH_FEXIT, .by_cookie = true, .irqs_off = true, .sees = "the function as it returns" },
};

static const struct probe_def probes[] = {
	{ "entry", NULL, TABLE(entry_site), "the kernel enters the function: arg0, arg1, ... are its arguments" },
	{ "return", NULL, TABLE(return_site), "the function returns: arg1 is its value; arg0 is 0" },
};

/* The list of functions takes long to read. It is read only if the name can match entry or return; make() creates the
 * probes at offsets. */
static bool could(const struct kernel_lists *k, const struct pdesc *pd)
{
	return k && k->functions && (pdesc_glob(pd->name, "entry") || pdesc_glob(pd->name, "return"));
}

struct adding {
	struct probe_list *l;
	const struct provider *prov;
};

static void add(void *to, const char *module, const char *name)
{
	const struct adding *w = to;

	for (size_t i = 0; i < 2; i++) {
		const struct probe pr = {
			.prov = w->prov, .def = &probes[i], .mod = module, .func = name, .name = probes[i].name
		};

		probes_add(w->l, &pr);
	}
}

static void list(struct probe_list *l, const struct provider *p)
{
	struct adding w = { l, p };

	if (l->kernel && l->kernel->functions)
		l->kernel->functions(l->kernel->func_ctx, add, &w);
}

/* fbt:MODULE:FUNCTION:OFFSET, hexadecimal as in the provider pid. */
struct placing {
	struct probe_list *l;
	const struct provider *prov;
	const struct pdesc *pd;
	uint64_t off;
};

/* The definition of a probe at one instruction. It has no args[]: the registers at an offset are not the arguments. */
static const struct probe_def *offset_def(struct arena *a, const char *name, uint64_t off)
{
	struct site *s = ARENA_NEW(a, struct site);
	struct probe_def *def = ARENA_NEW(a, struct probe_def);

	*s = (struct site){ .attach = ATTACH_KPROBE,
		.inside = true,
		.off = off,
		.irqs_off = true,
		.sees = "the function's instruction at the offset" };
	*def = (struct probe_def){
		.name = name, .sites = s, .nsites = 1, .meaning = "the kernel is about to run the instruction"
	};
	return def;
}

/* Adds the probe in one function if it matches; an offset outside of the function matches nothing. */
static void place(void *to, const char *module, const char *name)
{
	const struct placing *w = to;
	const struct kernel_lists *k = w->l->kernel;
	struct probe pr = { .prov = w->prov, .mod = module, .func = name };

	if (strcmp(w->pd->func, name) != 0 || !pdesc_glob(w->pd->mod, module) ||
		w->off >= k->function_size(k->func_ctx, module, name))
		return;
	pr.name = arena_strdup(w->l->arena, w->pd->name);
	pr.def = offset_def(w->l->arena, pr.name, w->off);
	probes_add_named(w->l, &pr);
}

/* Creates the probes that a name of hexadecimal digits means. At most 8 digits, so that strtoull() cannot
 * overflow. */
static void make(struct probe_list *l, const struct provider *p, const struct pdesc *pd)
{
	struct placing w = { l, p, pd, strtoull(pd->name, NULL, 16) };
	size_t digits = strspn(pd->name, "0123456789abcdef");

	if (digits && digits <= 8 && !pd->name[digits] && *pd->func && l->kernel && l->kernel->functions &&
		l->kernel->function_size)
		l->kernel->functions(l->kernel->func_ctx, place, &w);
}

/* A probe at an offset has no args[]; the types of return are those of arg0 and arg1. */
static const char *const *args(struct probe_list *l, const struct probe *p)
{
	if (!l->kernel || !l->kernel->function_args || (p->def != &probes[0] && p->def != &probes[1]))
		return NULL;
	return l->kernel->function_args(l->kernel->func_ctx, l->arena, p->mod, p->func, p->def == &probes[1]);
}

static const struct probe_source source = { .could = could, .is_long = true, .list = list, .make = make, .args = args };

static const struct prov_stability stability = {
	.provider = STABILITY(EVOLVING, EVOLVING, COMMON),
	.module = STABILITY_PRIVATE,
	.function = STABILITY_PRIVATE,
	.name = STABILITY(EVOLVING, EVOLVING, COMMON),
	.args = STABILITY(PRIVATE, PRIVATE, ISA),
};

const struct provider fbt_provider = { .name = "fbt", .stability = &stability, .source = &source };
