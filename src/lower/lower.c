/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lower: a probe's programs.
 * Input: checked clauses and the probe's sites. Output: programs, maps and record layouts in the image.
 * Invariant: one program per site that is used, with all clauses of the probe in program order. */
#include "lower/lower.h"

#include <linux/bpf.h>
#include <stdarg.h>
#include <string.h>

#include "abi/arch.h"
#include "lower/expr/expr.h"
#include "lower/join.h"
#include "lower/program.h"
#include "lower/site/site.h"
#include "lower/state/state.h"
#include "lower/tiers.h"

#define BLUR_FROM 80 /* branches of a program; fewer the verifier can walk one by one */

/* For errors that only the lowering finds: they have no hint. */
void lower_error(struct lowerer *lw, struct loc at, enum dtag tag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_error(lw->d, at, tag, NULL, "%s", arena_vprintf(lw->arena, fmt, ap));
	va_end(ap);
}

/* Since this program began: errors of earlier programs must not stop this one from reporting its own. */
bool prog_failed(const struct prog_ctx *pg)
{
	return diags_errors(pg->lw->d) > pg->errors || arena_failed(pg->lw->arena) || arena_failed(pg->ir->arena);
}

/* Everything is in the compilation's arena: there is nothing to free. */
struct lowerer *lower_new(struct arena *a, struct diags *d, struct checker *ck, const struct parse_env *penv,
	const struct lower_env *env, struct image *im, const struct lower_dump *dump)
{
	struct lowerer *lw = ARENA_NEW(a, struct lowerer);
	struct lit *empty;

	lw->arena = a;
	lw->d = d;
	lw->ck = ck;
	lw->ts = checker_types(ck);
	lw->penv = penv;
	lw->env = env;
	lw->im = im;
	lw->dump_ir = dump->ir;
	lw->dump_bpf = dump->bpf;
	lw->lits = strmap_new(a);
	lw->filters = strmap_new(a);
	empty = vec_push(a, &im->lits);
	empty->s = "";
	(void)map_for(lw, MAP_RINGS); /* always present: the runtime reports drops and faults through them */
	(void)map_for(lw, MAP_DROPS);
	aggs_begin(lw);
	return lw;
}

/* Parses and checks a D text of the site (its condition, its value), once for all its programs. */
const struct site_text *lower_site_text(struct prog_ctx *pg, const char *text)
{
	struct site_text *f = strmap_get(pg->lw->filters, text);
	struct source *src;

	if (f)
		return f;
	f = ARENA_NEW(pg->lw->arena, struct site_text);
	src = ARENA_NEW(pg->lw->arena, struct source);
	check_use(pg->lw->ck, text);
	*src = (struct source){ .name = "provider", .text = text, .len = strlen(text), .library = true };
	f->expr = parse_expr_text(pg->lw->penv, src);
	if (!f->expr || !check_site_expr(pg->lw->ck, f->expr, pg->probe->prov->raw, &f->param))
		return NULL;
	strmap_put(pg->lw->filters, text, f);
	return f;
}

/* Variables of all clauses are collected before the first clause is lowered: a variable that lives through several
 * needs a register from the start. */
static void collect_jobs(struct clause_ctx *cx, const struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->v.n; i++) {
		vars_collect(cx, jobs->v.v[i].clause);
		heap_collected_clause(cx->pg);
	}
}

/* Collects the variables that live through all clauses of the program. ERROR's clauses may run in any program. */
static void collect_vars(struct clause_ctx *cx, const struct jobs *jobs)
{
	collect_jobs(cx, jobs);
	if (jobs->v.n && cx->lw->errors)
		collect_jobs(cx, &cx->lw->errors->jobs);
	heap_place(cx->pg);
}

/* ERROR's clauses are lowered into every program that can fault, once for each clause. */
static size_t program_branches(const struct lowerer *lw, const struct jobs *jobs)
{
	return clauses_branches(jobs) + (lw->errors ? jobs->v.n * clauses_branches(&lw->errors->jobs) : 0);
}

/* The tests before the clauses: is this CPU traced, which of the probes fires, does the site's condition hold? Returns
 * the label to which the program goes if it does not; 0: the site has no condition. */
static uint32_t begin_site(struct clause_ctx *cx, const struct jobs *jobs)
{
	struct ir *ir = cx->ir;
	const struct site *site = cx->pg->site;
	const struct site_text *f;

	site_begin(cx);
	walk_begin(cx);
	if (cx->lw->env->only_cpu)
		ir_jcci(ir, CC_NE, ir_call(ir, BPF_FUNC_get_smp_processor_id, NULL, 0, true),
			(int32_t)cx->lw->env->only_cpu - 1, cx->pg->exit_label);
	tick_begin(cx);
	multi_begin(cx, jobs);
	call_begin(cx);
	/* A program that only notes a call has nothing for which the condition could matter. */
	f = site->when && jobs->v.n ? lower_site_text(cx->pg, site->when) : NULL;
	scratch_begin(cx->pg); /* the condition may need it */
	if (!f)
		return 0;
	cx->pg->exit_label = ir_newlabel(ir);
	lower_jump(cx, f->expr, cx->pg->exit_label, false);
	return cx->pg->exit_label;
}

/* Clauses run in program order. */
static void lower_clauses(struct prog_ctx *pg, const struct jobs *jobs)
{
	struct clause_ctx head = prog_head(pg);
	bool may_have_ended = false;

	pg->unused_label = jobs->v.n == 1 && jobs->v.v[0].clause->pred ? ir_newlabel(pg->ir) : 0;
	if (jobs->v.n)
		clauses_begin(&head);
	for (size_t i = 0; i < jobs->v.n && !prog_failed(pg); i++)
		may_have_ended = lower_clause(pg, &jobs->v.v[i], NULL, may_have_ended);
	if (pg->ended_label)
		ir_label(pg->ir, pg->ended_label);
}

static void lower_program(struct prog_ctx *pg, const struct jobs *jobs)
{
	struct clause_ctx head;
	uint32_t exit_label = ir_newlabel(pg->ir), unmet;
	bool early; /* the site's condition needs scratch memory: the slot is taken before it */

	pg->errors = diags_errors(pg->lw->d);
	pg->exit_label = exit_label;
	head = prog_head(pg);
	/* What the site's condition finds out of pointers must stay known to the verifier: where it does not hold, the
	 * program ends, so its paths do not multiply. */
	pg->blurs = false;
	unmet = begin_site(&head, jobs);
	if (prog_failed(pg))
		return;
	pg->exit_label = exit_label;
	sample_plan(pg, jobs);
	pg->blurs = program_branches(pg->lw, jobs) > BLUR_FROM;
	early = pg->scratch != 0;
	if (!early)
		scratch_begin(pg);
	collect_vars(&head, jobs);
	packet_begin(&head);
	lower_clauses(pg, jobs);
	if (pg->unused_label && !pg->taken_late)
		ir_label(pg->ir, pg->unused_label);
	if (unmet && early)
		ir_label(pg->ir, unmet);
	scratch_end(&head, pg->exit_label);
	if (pg->taken_late)
		ir_label(pg->ir, pg->unused_label);
	if (unmet && !early)
		ir_label(pg->ir, unmet);
	ir_label(pg->ir, pg->exit_label);
	ir_ret(pg->ir, ir_imm(pg->ir, site_verdict(pg)));
	if (!prog_failed(pg))
		prog_emit(pg, jobs->v.n ? jobs->v.v[0].clause->loc : (struct loc){ 0 });
}

/* Makes the program of pg->site, or reports why it cannot. Its IR is dropped as soon as it is emitted: a pattern such
 * as *::: has thousands of programs. Where memory is short it stays to the end of the compilation. */
static void lower_site(struct prog_ctx *pg, const struct jobs *jobs)
{
	struct arena *own = arena_take(&pg->lw->spare_ir);

	pg->lw->nprograms++;
	pg->ir = ir_new(own ? own : pg->lw->arena);
	pg->ir->spare = &pg->lw->spare_pass;
	pg->ir->guard = pg->lw->env->guard;
	lower_program(pg, jobs);
	if (own && arena_failed(own))
		arena_fail(pg->lw->arena);
	arena_give(&pg->lw->spare_ir, own);
	pg->ir = NULL;
}

/* The kprobes tier has the same sites as the functions tier, attached in another way. */
const struct site *lower_site_reached(struct lowerer *lw, const struct site *s, enum tier t)
{
	struct site *by;

	if (!site_by_kprobe(lw->env, s, t))
		return s;
	by = ARENA_NEW(lw->arena, struct site);
	*by = *s;
	by->attach = s->attach == ATTACH_FENTRY ? ATTACH_KPROBE : ATTACH_KRETPROBE;
	by->irqs_off = s->irqs_off || ARCH_KPROBE_IRQS_OFF;
	return by;
}

/* As messages name a probe: the module only with a function. */
static const char *probe_text(struct lowerer *lw, const struct probe *p)
{
	return arena_printf(lw->arena, "%s:%s:%s:%s", p->prov->name, *p->func ? p->mod : "", p->func, p->name);
}

/* The site's module if it is not loaded, else NULL. */
static const char *module_missing(const struct lowerer *lw, const struct site *s)
{
	const struct ktypes *k = lw->ts->kernel;

	return s && s->module && k && !k->has_module(k->ctx, s->module) ? s->module : NULL;
}

/* Reports why no site of the probe can be used, with the hint that helps most. */
static void site_missing(struct lowerer *lw, const struct probe_left *m)
{
	const char *module = module_missing(lw, m->site);
	uint32_t only = lw->env->only_tier;
	bool user = m->site && m->site->user && m->site->user->functions;
	const char *tier = only ? tier_name((enum tier)(only - 1)) : "",
		   *hint = "dwire -lvv shows what this kernel has";

	if (only)
		hint = arena_printf(lw->arena, "leave out -x tier=%s; dwire -lvv shows what this kernel has", tier);
	else if (m->site && m->site->attach == ATTACH_PERF)
		hint = "virtual machines often have no counters of the processor; -l -P cpc lists those of the kernel "
		       "too";
	else if (m->site && m->site->attach == ATTACH_WALK)
		hint = "Linux 5.9 and later have it, if they are built with CONFIG_BPF_SYSCALL and types (BTF)";
	else if (m->site && m->site->attach == ATTACH_TP_BTF)
		hint = strstr(m->lacks, ", which ") ? NULL
						    : "a later kernel has it; dwire -lvv shows what this kernel has";
	else if (m->site && !user && m->site->attach != ATTACH_KPROBE && !site_is_function(m->site) &&
		!strstr(m->lacks, "CONFIG_"))
		hint = "Linux 6.2 and later have it; dwire -lvv shows what this kernel has";
	if (user && !lw->env->no_cookie)
		diag_error(lw->d, m->at, D_KERNEL, NULL,
			"%s cannot be traced: no process has mapped %s, and it is not where libraries are",
			probe_text(lw, m->probe), m->lacks);
	else if (module)
		diag_error(lw->d, m->at, D_KERNEL,
			arena_printf(lw->arena, "a device's driver loads it, as does modprobe %s", module),
			"%s cannot be traced: it needs %s, which is not loaded", probe_text(lw, m->probe), m->lacks);
	else if (!m->site)
		diag_error(lw->d, m->at, D_KERNEL, hint, "%s cannot be traced in the tier %s: it is not seen there",
			probe_text(lw, m->probe), tier);
	else
		diag_error(lw->d, m->at, D_KERNEL, hint, "%s cannot be traced%s%s: it needs %s%s",
			probe_text(lw, m->probe), only ? " in the tier " : "", tier, m->lacks,
			strstr(m->lacks, ", which ") ? "" : ", which this kernel does not have");
}

/* Does a description name these probes by id or exact name, not only by a pattern? If none does, probes that this
 * kernel cannot show are left out without an error. */
static bool is_named(const struct enabled *set, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < set[i].n; k++) {
			const struct clause *c = set[i].on[k].clause;

			for (size_t d = 0; d < c->probes.n; d++)
				if (c->probes.v[d].id || !strcmp(c->probes.v[d].name, set[i].probe->name))
					return true;
		}
	return false;
}

/* A program without clauses, which only notes the call for its partner (lower/calls.c). */
void lower_bare_site(struct lowerer *lw, const struct call_site *at)
{
	static const struct jobs none = { .nmembers = 0 };
	struct prog_ctx pg = { .lw = lw,
		.site = at->site->partner,
		.tier = at->tier,
		.probe = at->probe,
		.probe_index = at->probe_index };

	lower_site(&pg, &none);
}

/* ERROR's clauses are lowered into the programs that may fault, not into one for ERROR itself. */
static bool is_error(const struct probe *p)
{
	return !strcmp(p->prov->name, "dtrace") && !strcmp(p->name, "ERROR");
}

/* Programs are made later, in lower_finish(): ERROR's clauses and the number of attachments must be known. */
void lower_probes(struct lowerer *lw, const struct enabled *set, size_t n)
{
	const struct probe *p = set[0].probe;
	struct tier_choice c = tier_choose(lw->env, lw->arena, p, n);
	struct probe_left m = { .probe = p, .at = set[0].on[0].clause->loc, .site = c.site, .lacks = c.lacks };
	struct planned *plan;

	if (c.tier < 0 && !is_named(set, n)) {
		lw->left = m;
		return;
	}
	lw->any_site = true;
	if (c.tier < 0) {
		site_missing(lw, &m);
		return;
	}
	plan = ARENA_NEW(lw->arena, struct planned);
	*plan = (struct planned){ .set = set, .nset = n, .tier = (enum tier)c.tier };
	plan->probe_index = multi_plan(lw, set, n, &plan->jobs);
	if (is_error(p)) {
		lw->errors = plan;
		lw->im->idle = true;
	} else {
		*vec_push(lw->arena, &lw->planned) = plan;
	}
}

/* The clauses of a probe that dwire fires itself, in one program or in several. */
static void lower_fired(struct prog_ctx *pg, const struct jobs *jobs)
{
	struct jobs part = *jobs;
	size_t from = 0;

	for (size_t end; from < jobs->v.n && !diags_errors(pg->lw->d); from = end) {
		struct prog_ctx own = *pg;

		end = split_end(jobs, from);
		part.v.v = jobs->v.v + from;
		part.v.n = end - from;
		lower_site(&own, &part);
	}
}

/* One program for each site of the tier that the kernel has. The first error ends it: others would repeat it. */
static void lower_planned(struct lowerer *lw, const struct planned *plan)
{
	const struct probe *p = plan->set[0].probe;

	size_t errors = diags_errors(lw->d);

	lw->im->functions |= plan->tier != TIER_HOOKS;
	for (size_t i = 0; i < p->def->nsites && diags_errors(lw->d) == errors; i++) {
		const struct site *s = &p->def->sites[i];
		struct prog_ctx pg = { .lw = lw,
			.tier = plan->tier,
			.probe = p,
			.probe_index = plan->probe_index,
			.set = plan->set,
			.nset = plan->nset };

		lw->im->packets |= attach_sees_packets(s->attach); /* of any tier: all see the same */
		if (!site_is_here(lw->env, lw->arena, p, s, pg.tier))
			continue;
		pg.site = syscall_site(lw, lower_site_reached(lw, s, pg.tier), &plan->jobs);
		if (s->attach == ATTACH_TEST_RUN && plan->jobs.nmembers == 1)
			lower_fired(&pg, &plan->jobs);
		else
			lower_site(&pg, &plan->jobs);
	}
	packet_check(lw, p);
}

/* Marks the aggregations that these statements fill. */
static void mark_irqs(struct stmt *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (stmt_is_agg(v[i]))
			v[i]->expr->a->sym->irqs = true;
		mark_irqs(v[i]->then.v, v[i]->then.n);
		mark_irqs(v[i]->otherwise.v, v[i]->otherwise.n);
	}
}

static void mark_jobs(const struct jobs *jobs)
{
	for (size_t i = 0; i < jobs->v.n; i++)
		mark_irqs(jobs->v.v[i].clause->body.v, jobs->v.v[i].clause->body.n);
}

/* Does the probe have a program that may interrupt one that runs with softirqs off? */
static bool interrupts(const struct lowerer *lw, const struct planned *plan)
{
	const struct probe *p = plan->set[0].probe;

	for (size_t i = 0; i < p->def->nsites; i++) {
		const struct site *s = &p->def->sites[i];

		if ((s->irqs_off || attach_info(s->attach)->way == WAY_PERF) &&
			site_is_here(lw->env, lw->arena, p, s, plan->tier))
			return true;
	}
	return false;
}

/* Known before the first program is made. Clauses of ERROR run in any program. */
static void find_irqs(struct lowerer *lw)
{
	for (size_t i = 0; i < lw->planned.n; i++)
		if (interrupts(lw, lw->planned.v[i]))
			mark_jobs(&lw->planned.v[i]->jobs);
	if (lw->errors)
		mark_jobs(&lw->errors->jobs);
}

/* Is p attached at one place, at once? */
static bool at_one_place(struct lowerer *lw, const struct planned *plan)
{
	const struct probe *p = plan->set[0].probe;
	size_t n = 0;

	for (size_t i = 0; i < p->def->nsites; i++) {
		const struct site *s = &p->def->sites[i];
		enum attach_way way = attach_info(s->attach)->way;

		if (!site_is_here(lw->env, lw->arena, p, s, plan->tier))
			continue;
		n += plan->nset == 1 && (way == WAY_RAW || way == WAY_CGROUP || way == WAY_FUNCTION) ? 1 : 2;
	}
	return n <= 1;
}

/* No clause acts before everything is attached and BEGIN has run. Programs need no gate for that where there is only
 * one attachment and no BEGIN: probes of a clock start when the gate has opened. */
static bool wants_gate(struct lowerer *lw)
{
	size_t begins = 0, attached = 0;
	bool many = false;

	for (size_t i = 0; i < lw->planned.n; i++) {
		const struct planned *plan = lw->planned.v[i];
		const struct probe *p = plan->set[0].probe;
		enum attach_way way = p->def->nsites ? attach_info(p->def->sites[0].attach)->way : WAY_HAND;

		begins += !strcmp(p->name, "BEGIN") && !strcmp(p->prov->name, "dtrace");
		if (way == WAY_HAND || way == WAY_PERF)
			continue;
		many |= !at_one_place(lw, plan);
		attached++;
	}
	return many || attached > 1 || (attached && begins);
}

/* Does the program use that map? A lookup that no run can reach has been left out of its code. */
static bool uses(const struct lowerer *lw, const struct image_prog *p, enum map_role role)
{
	for (size_t k = 0; lw->maps[role] && k < p->code.maps.n; k++)
		if (p->code.maps.v[k].map == lw->maps[role] - 1)
			return true;
	return false;
}

/* What the programs need of the owner service. */
static void find_owners(struct lowerer *lw)
{
	for (size_t i = 0; i < lw->im->progs.n; i++) {
		const struct image_prog *p = &lw->im->progs.v[i];
		const bool ended = uses(lw, p, MAP_ENDED), any = ended || uses(lw, p, MAP_PLACES);

		lw->im->needs_ended |= ended;
		lw->im->needs_owner |= any;
		lw->im->packet_owner |= any && !p->step;
		lw->im->stream_owner |= any && !p->datagrams;
	}
}

/* Maps whose sizes depend on all programs get them here, before programs are joined. */
void lower_finish(struct lowerer *lw)
{
	lw->gated = wants_gate(lw);
	find_irqs(lw);
	for (size_t i = 0; i < lw->planned.n && !lw->full; i++)
		lower_planned(lw, lw->planned.v[i]);
	for (size_t i = 0; i < lw->planned.n && !lw->full; i++)
		capture_check(lw, lw->planned.v[i]);
	if (lw->left.probe && !lw->any_site)
		site_missing(lw, &lw->left);
	vtime_finish(lw);
	stamps_finish(lw);
	packets_finish(lw);
	calls_finish(lw);
	ticks_finish(lw);
	scratch_finish(lw);
	if (lw->maps[MAP_GLOBALS])
		lw->im->maps.v[lw->maps[MAP_GLOBALS] - 1].value_size = lw->im->globals_size ? lw->im->globals_size : 8;
	if (lw->maps[MAP_ZERO])
		lw->im->maps.v[lw->maps[MAP_ZERO] - 1].value_size = lw->zero_size ? lw->zero_size : 8;
	if (lw->maps[MAP_BLANK])
		lw->im->maps.v[lw->maps[MAP_BLANK] - 1].value_size = lw->blank_size;
	if (lw->maps[MAP_BORN])
		lw->im->maps.v[lw->maps[MAP_BORN] - 1].value_size = (uint32_t)lw->im->aggs.n * DW_BORN_COUNT * 8;
	find_owners(lw);
	maps_preallocate(lw);
	join_programs(lw->arena, lw->im);
	arena_free(lw->spare_ir);
	arena_free(lw->spare_pass);
	lw->spare_ir = lw->spare_pass = NULL;
}
