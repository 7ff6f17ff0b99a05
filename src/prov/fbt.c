/* fbt: entry and return of the kernel's functions: those that the kernel lists as traceable. A few are reached by a
 * program each (fentry, fexit); many share one, by kprobes. args[] have the kernel's types where BTF tells them. */
#include <string.h>

#include "prov/all.h"
#include "prov/lists.h"

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

static const char *const *args(struct probe_list *l, const struct probe *p)
{
	if (!l->kernel || !l->kernel->function_args)
		return NULL;
	return l->kernel->function_args(l->kernel->func_ctx, l->arena, p->mod, p->func, p->def == &probes[1]);
}

static const struct probe_source source = { .could = could, .is_long = true, .list = list, .args = args };

const struct provider fbt_provider = { .name = "fbt", .source = &source };
