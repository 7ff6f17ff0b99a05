/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sdt, rawtp: every tracepoint of the kernel and its modules. The module of a probe is the group that tracefs puts it
 * in. args[] are the tracepoint's arguments with the kernel's types, arg0, arg1, ... the same as plain numbers. sdt
 * also has Solaris' interrupt-start and interrupt-complete. */
#include <string.h>

#include "probes/lists.h"
#include "prov/provider.h"

static bool is_tracepoint_name(const char *s)
{
	return s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '\0' &&
		strpbrk(s, "abcdefghijklmnopqrstuvwxyz");
}

/* Tracepoints have no function. A plain name is looked up in BTF first, which is cheaper than reading the list in
 * tracefs. */
static bool could(const struct kernel_lists *k, const struct pdesc *pd)
{
	if (!pdesc_glob(pd->func, ""))
		return false;
	if (!*pd->name || pdesc_is_glob(pd->name))
		return true;
	if (!strncmp(pd->name, "interrupt-", 10))
		return true;
	/* other names (tick-1s, BEGIN) are no tracepoint's: do not search the modules for them */
	if (!is_tracepoint_name(pd->name))
		return false;
	return k && k->has_tracepoint && k->has_tracepoint(k->ctx, pd->name);
}

struct adding {
	struct probe_list *l;
	const struct provider *prov;
};

/* The definition of one tracepoint. Without a type in BTF, a program gets only the record that the tracepoint
 * writes. */
static const struct probe_def *make_def(struct arena *a, const struct listed_tracepoint *t)
{
	struct probe_def *def = ARENA_NEW(a, struct probe_def);
	struct site *site = ARENA_NEW(a, struct site);

	*site = (struct site){ .attach = ATTACH_TP_BTF,
		.target = t->name,
		.module = t->module,
		.nargs = t->nargs,
		.irqs_off = true,
		.sees = "the tracepoint" };
	if (t->event) {
		site->attach = ATTACH_EVENT;
		site->target = arena_printf(a, "%s/%s", t->group, t->name);
		site->sees = "the record that the tracepoint writes";
	}
	*def = (struct probe_def){ .name = t->name,
		.sites = site,
		.nsites = 1,
		.meaning = "a tracepoint of the kernel: its source says when" };
	return def;
}

static void add(void *to, const struct listed_tracepoint *t)
{
	const struct adding *w = to;
	const struct probe pr = {
		.prov = w->prov,
		.def = make_def(w->l->arena, t),
		.mod = t->group,
		.func = "",
		.name = t->name,
	};

	probes_add(w->l, &pr);
}

/* Solaris' probes around the handlers of device interrupts, with its arguments: the device, its handler, the
 * handler's argument, and the interrupt or the handler's return value. */
static const char *const irq_args[] = { "struct irqaction *", NULL };
#define DEVICE "(uint64_t)P->action", "(uint64_t)P->action->handler", "(uint64_t)P->action->dev_id"
static const char *const start_values[] = { DEVICE, "P->irq", NULL };
static const char *const done_values[] = { DEVICE, "P->result", NULL };
static const struct site irq_sites[] = {
	{ TP("irq_handler_entry", 2, "dw_irqstart"), .irqs_off = true, .values = start_values,
		.sees = "handlers of interrupts, but those of the processor itself" },
	{ TP("irq_handler_exit", 3, "dw_irqdone"), .irqs_off = true, .values = done_values,
		.sees = "the same, as they return" },
};
static const struct probe_def irq_probes[] = {
	{ "interrupt-start", irq_args, &irq_sites[0], 1, "the handler of a device's interrupt is called" },
	{ "interrupt-complete", irq_args, &irq_sites[1], 1,
		"the handler has returned: arg3 is not 0 if it was its device" },
};

static void add_interrupts(struct probe_list *l, const struct provider *p)
{
	for (size_t i = 0; p->raw && i < sizeof(irq_probes) / sizeof(irq_probes[0]); i++) {
		const struct probe pr = { .prov = p,
			.def = &irq_probes[i],
			.mod = "",
			.func = "",
			.name = irq_probes[i].name,
			.args = irq_probes[i].args };

		probes_add(l, &pr);
	}
}

static void list(struct probe_list *l, const struct provider *p)
{
	struct adding w = { l, p };

	add_interrupts(l, p);
	if (l->kernel && l->kernel->tracepoints)
		l->kernel->tracepoints(l->kernel->func_ctx, l->arena, add, &w);
}

static const char *const *args(struct probe_list *l, const struct probe *p)
{
	unsigned n = p->def->sites->nargs;
	const char **v = ARENA_ARRAY(l->arena, const char *, n + 1);

	if (p->def->sites->attach == ATTACH_EVENT)
		return l->kernel->event_args(l->kernel->func_ctx, p->def->sites->target);
	for (unsigned i = 0; i < n; i++)
		v[i] = l->kernel->tracepoint_arg(l->kernel->ctx, l->arena, p->def->sites->module, p->name, i);
	return v;
}

static const struct probe_source source = { .could = could, .list = list, .args = args };

static const struct prov_stability sdt_stability = {
	.provider = STABILITY(EVOLVING, EVOLVING, ISA),
	.module = STABILITY_PRIVATE,
	.function = STABILITY_PRIVATE,
	.name = STABILITY(PRIVATE, PRIVATE, ISA),
	.args = STABILITY(PRIVATE, PRIVATE, ISA),
};
static const struct prov_stability rawtp_stability = {
	.provider = STABILITY(EVOLVING, EVOLVING, COMMON),
	.module = STABILITY_PRIVATE,
	.function = STABILITY_PRIVATE,
	.name = STABILITY(EVOLVING, EVOLVING, COMMON),
	.args = STABILITY(PRIVATE, PRIVATE, ISA),
};

const struct provider sdt_provider = { .name = "sdt", .raw = "dw_irq", .stability = &sdt_stability, .source = &source };
const struct provider rawtp_provider = { .name = "rawtp", .stability = &rawtp_stability, .source = &source };
