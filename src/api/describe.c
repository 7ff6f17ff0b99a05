/* SPDX-License-Identifier: GPL-2.0-or-later */
/* describe: lists of probes (-l), and the details of each: stability, arguments, meaning, sites (-v).
 * Input: the texts' descriptions, or none: everything. Output: probes as data, details as text. */
#include <errno.h>
#include <string.h>

#include "api/dwire_priv.h"
#include "base/diag/diag_text.h"
#include "lower/tiers.h"
#include "probes/lists.h"
#include "probes/stability.h"

/* Calls fn for each description of the texts. */
static void each_pdesc(struct dwire *d, void (*fn)(struct dwire *d, const struct pdesc *pd, void *ctx), void *ctx)
{
	for (size_t i = 0; i < d->c.texts.n; i++)
		for (size_t k = 0; k < d->c.texts.v[i].prog.decls.n; k++) {
			const struct decl *decl = d->c.texts.v[i].prog.decls.v[k];

			for (size_t n = 0; decl->kind == DECL_CLAUSE && n < decl->u.clause.probes.n; n++)
				fn(d, &decl->u.clause.probes.v[n], ctx);
		}
}

/* Which probes are shown, and what was asked for and is not there. */
struct listing {
	bool *wanted;
	VEC(const struct pdesc *) unmatched;
};

/* For each_pdesc(): makes the probes that a description names, such as those of functions, which are not made in
 * advance. */
static void make(struct dwire *d, const struct pdesc *pd, void *ctx)
{
	(void)ctx;
	probes_make(&d->c.probes, pd);
}

/* For each_pdesc(): marks the probes that match, or notes that none does. */
static void mark(struct dwire *d, const struct pdesc *pd, void *ctx)
{
	struct listing *l = ctx;
	bool any = d->opts.zdefs;

	for (size_t i = 0; i < d->c.probes.all.n; i++)
		if (probe_matches(pd, &d->c.probes.all.v[i]))
			any = l->wanted[i] = true;
	if (!any)
		*vec_push(d->arena, &l->unmatched) = pd;
}

/* The description with all four parts, as dtrace(1) shows it. */
static int report_unmatched(struct dwire *d, const struct pdesc *pd)
{
	const struct probe_fault *f = probes_fault(&d->c.probes, pd);
	const char *why = f && f->why ? f->why : "No probe matches description";
	const char *hint = f ? f->hint : probes_hint(&d->c.probes, pd);

	if (pd->id)
		return report_error(&d->report, -ENOENT, D_NONE, hint, "failed to match %s: %s", pd->text, why);
	return report_error(&d->report, -ENOENT, D_NONE, hint, "failed to match %s:%s:%s:%s: %s", pd->prov, pd->mod,
		pd->func, pd->name, why);
}

/* How the kprobes' tier attaches a site that is written for fentry or fexit. */
static enum attach_kind kprobe_kind(const struct site *s)
{
	return s->attach != ATTACH_FEXIT ? ATTACH_KPROBE : ATTACH_KRETPROBE;
}

/* What a site asks of a kernel; NULL: nothing. */
static const char *site_needs(const struct dwire *d, const struct probe *p, const struct site *s)
{
	switch (s->attach) {
	case ATTACH_SYSCALL:
	case ATTACH_TP_BTF:
		if (s->module)
			return arena_printf(d->arena, "the tracepoint %s of the module %s", s->target, s->module);
		return arena_printf(d->arena, "the tracepoint %s with %u arguments", s->target, s->nargs);
	case ATTACH_EVENT:
		return "tracefs, perf events";
	case ATTACH_CGROUP_INGRESS:
	case ATTACH_CGROUP_EGRESS:
	case ATTACH_CGROUP_SOCKOPS:
	case ATTACH_CGROUP_RELEASE:
		return s->sk_only ? "cgroup2 (CONFIG_CGROUP_BPF)"
				  : "cgroup2 (CONFIG_CGROUP_BPF), bpf_cast_to_kern_ctx() (Linux 6.2)";
	case ATTACH_WALK:
		return arena_printf(d->arena, "the BPF iterator %s (Linux 5.9)", s->target);
	case ATTACH_NF_PREROUTING:
	case ATTACH_NF_INPUT:
	case ATTACH_NF_FORWARD:
	case ATTACH_NF_OUTPUT:
	case ATTACH_NF_POSTROUTING:
		return "BPF programs at netfilter (Linux 6.4, CONFIG_NETFILTER_BPF_LINK)";
	case ATTACH_FENTRY:
	case ATTACH_FEXIT:
	case ATTACH_KPROBE:
	case ATTACH_KRETPROBE:
		return arena_printf(d->arena, "the function %s(); %s", site_function(s, p),
			site_is_kprobe(s)       ? "kprobes"
				: s->entry_args ? "fentry"
						: "fentry, or kprobes");
	case ATTACH_XDP_EXIT:
		return "fentry, and programs that have types (BTF)";
	case ATTACH_PERF:
		return "perf events";
	case ATTACH_UPROBE:
	case ATTACH_URETPROBE:
		return "uprobes";
	case ATTACH_TEST_RUN:
		break;
	}
	return NULL;
}

/* The names of what args[] are. */
static void list_fields(const struct dwire *d, const struct site *s, FILE *out)
{
	const struct lower_env *env = &d->c.lenv;
	const struct kernel_field *f;
	size_t n = 0;

	f = s->attach == ATTACH_EVENT && env->event ? env->event(env->ctx, s->target, &n) : NULL;
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%s%s", i ? ", " : "\t\targs[] are ", f[i].name, i + 1 < n ? "" : "\n");
}

/* Which of the probe's sites are used on this kernel. */
static void list_sites(const struct dwire *d, const struct probe *p, FILE *out)
{
	struct tier_choice c = { .tier = -1 };

	fprintf(out, "\n\t%s\n", p->def->meaning);
	if (d->kernel)
		c = tier_choose(&d->c.lenv, d->arena, p, 1);
	for (size_t i = 0; i < p->def->nsites; i++) {
		const struct site *s = &p->def->sites[i];
		bool function = site_is_function(s);
		enum tier t = function && c.tier == TIER_KPROBES ? TIER_KPROBES
			: function || site_is_program(s)         ? TIER_FUNCTIONS
								 : TIER_HOOKS;
		bool kprobe = d->kernel && site_by_kprobe(&d->c.lenv, s, t);
		const char *name = function || site_is_kprobe(s) ? site_function(s, p) : s->target, *not = "";

		if (d->kernel && site_lacks(&d->c.lenv, d->arena, p, s, t))
			not = " (not on this kernel)";
		else if (d->kernel && (c.tier < 0 || !site_in_tier(s, (enum tier)c.tier)))
			not = " (not used)";
		fprintf(out, "\n\tSite: %s%s%s%s\n", attach_info(kprobe ? kprobe_kind(s) : s->attach)->name,
			name ? " " : "", name ? name : "", not );
		fprintf(out, "\t\t%s\n", s->sees);
		list_fields(d, s, out);
		if (site_needs(d, p, s))
			fprintf(out, "\t\tneeds %s\n", site_needs(d, p, s));
	}
}

void dwire_print_probe(struct dwire *d, const struct dwire_probe *shown, bool sites, FILE *out)
{
	struct probe *p = (struct probe *)(uintptr_t)shown->internal;
	const char *const *args = probe_args(&d->c.probes, p);

	fprintf(out, "\n\tProbe Description Attributes\n");
	stability_print(probe_stability(p), out);
	fprintf(out, "\n\tArgument Attributes\n");
	stability_print(provider_stability(p->prov)->args, out);
	fprintf(out, "\n\tArgument Types\n");
	for (unsigned i = 0; args && args[i]; i++)
		fprintf(out, "\t\targs[%u]: %s\n", i, args[i]);
	fprintf(out, "%s", args && *args ? "" : "\t\tNone\n");
	if (sites)
		list_sites(d, p, out);
	fputc('\n', out);
}

/* Calls fn for each wanted probe, in the order of their ids. Without texts all are wanted. */
static int hand_out(struct dwire *d, const struct listing *l, dwire_probe_fn *fn, void *ctx)
{
	int r = 0;

	for (size_t i = 0; i < d->c.probes.all.n && !r; i++) {
		struct probe *p = &d->c.probes.all.v[i];
		const struct dwire_probe shown = { p->id, p->prov->name, p->mod, p->func, p->name, p };

		if (l->wanted[i] || !d->c.texts.n)
			r = fn(ctx, &shown);
	}
	return r;
}

/* Those of the process that was given with -p or -c too, as far as its authors made them. */
static void list_all(struct dwire *d)
{
	const struct pdesc target = {
		.text = "", .prov = arena_printf(d->arena, "*%d", (int)d->target), .mod = "", .func = "", .name = ""
	};

	probes_all(&d->c.probes);
	if (d->target)
		probes_make(&d->c.probes, &target);
}

/* Probes of descriptions without a match are reported last, so that the list is not torn apart by messages. */
int dwire_list(struct dwire *d, dwire_probe_fn *fn, void *ctx)
{
	struct listing l = { 0 };
	int r;

	/* Without types we do not know which sites the kernel has. List the probes all the same. */
	if (dwire_open_kernel(d) == 0)
		d->c.lenv.only_tier = d->opts.tier;
	r = dwire_prepare(d);
	if (!r)
		r = compile_parse(&d->c);
	dwire_report_diags(d);
	if (r)
		return r;
	if (!d->c.texts.n)
		list_all(d);
	each_pdesc(d, make, NULL);
	l.wanted = ARENA_ARRAY(d->arena, bool, d->c.probes.all.n + 1);
	each_pdesc(d, mark, &l);
	if (arena_failed(d->arena)) /* probes may be missing */
		return report_no_memory(&d->report, "list probes");
	r = hand_out(d, &l, fn, ctx);
	for (size_t i = 0; !r && i < l.unmatched.n; i++)
		(void)report_unmatched(d, l.unmatched.v[i]);
	return r ? r : l.unmatched.n ? -ENOENT : 0;
}

/* Laid out as dtrace -v does. */
static void describe_text(const struct text *t, FILE *out)
{
	fprintf(out, "\nStability attributes for %s %s:\n", t->kind == TEXT_SCRIPT ? "script" : "description",
		t->shown);
	fprintf(out, "\n\tMinimum Probe Description Attributes\n");
	stability_print(t->probe_attrs, out);
	fprintf(out, "\n\tMinimum Statement Attributes\n");
	stability_print(t->stmt_attrs, out);
	fputc('\n', out);
}

/* Probes come in the order in which the program first names them. */
void dwire_describe(struct dwire *d, bool sites, FILE *out)
{
	for (size_t i = 0; i < d->c.texts.n; i++)
		describe_text(&d->c.texts.v[i], out);
	for (size_t i = 0; sites && i < d->c.order.n; i++) {
		const struct probe *p = &d->c.probes.all.v[d->c.order.v[i]];

		fprintf(out, "%s:%s:%s:%s\n", p->prov->name, p->mod, p->func, p->name);
		list_sites(d, p, out);
		fputc('\n', out);
	}
}
