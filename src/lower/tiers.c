/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tiers: chooses a probe's sites on this kernel.
 * Input: a probe and the facts about the kernel (struct lower_env). Output: a tier, or the first missing site and
 * what the kernel lacks for it.
 * Invariant: pure; the kernel is asked only through the callbacks of lower_env. */
#include "lower/tiers.h"

#include <string.h>

static const char *const names[TIER_COUNT] = {
#define X(t, name) name,
	TIERS(X)
#undef X
};

const char *tier_name(enum tier t)
{
	return t < TIER_COUNT ? names[t] : "";
}

/* Returns -1 if no tier has this name. */
int tier_by_name(const char *name)
{
	for (int t = 0; t < TIER_COUNT; t++)
		if (!strcmp(names[t], name))
			return t;
	return -1;
}

bool site_is_function(const struct site *s)
{
	return attach_info(s->attach)->way == WAY_FUNCTION;
}

bool site_is_kprobe(const struct site *s)
{
	return attach_info(s->attach)->way == WAY_KPROBE;
}

bool site_keeps_cpu(const struct lower_env *env, const struct site *s)
{
	return s->bh_off && !env->preempts_softirqs;
}

bool site_by_kprobe(const struct lower_env *env, const struct site *s, enum tier t)
{
	if (!site_is_function(s) || t == TIER_HOOKS)
		return false;
	return t == TIER_KPROBES ||
		(!s->entry_args && !site_keeps_cpu(env, s) && env->kprobe_better &&
			env->kprobe_better(env->ctx, s->attach == ATTACH_FEXIT));
}

bool site_is_program(const struct site *s)
{
	return attach_info(s->attach)->way == WAY_PROGRAM;
}

/* Sites that dwire fires itself, timers, iterators, and places in programs exist in every tier. */
static bool in_all(const struct site *s)
{
	const enum attach_way way = attach_info(s->attach)->way;

	return way == WAY_HAND || way == WAY_PERF || way == WAY_USER || way == WAY_WALK;
}

bool site_in_tier(const struct site *s, enum tier t)
{
	if (site_is_kprobe(s) || site_is_program(s))
		return t == (site_is_kprobe(s) ? TIER_KPROBES : TIER_FUNCTIONS);
	return in_all(s) || site_is_function(s) == (t != TIER_HOOKS);
}

/* A site without a target is at the probe's own function. */
const char *site_function(const struct site *s, const struct probe *p)
{
	return s->target ? s->target : p->func;
}

const char *site_module(const struct site *s, const struct probe *p)
{
	if (s->target)
		return s->module;
	return p->mod && *p->mod && strcmp(p->mod, "vmlinux") != 0 ? p->mod : NULL;
}

/* nargs and fewer bound the number of arguments: the function's signature differs between kernel versions. Returns
 * the missing thing as text in the arena, or NULL. */
static const char *function_lacks(
	const struct lower_env *env, struct arena *a, const struct probe *p, const struct site *s, enum tier t)
{
	const char *func = site_function(s, p), *mod = site_module(s, p);
	struct kernel_func f = { .nargs = 0 };
	const char *lacks;
	uint32_t id = env->function ? env->function(env->ctx, mod, func, &f) : 0;

	if (id && f.nargs < s->nargs)
		return arena_printf(a, "the function %s() with %u arguments", func, s->nargs);
	if (t == TIER_KPROBES && s->entry_args)
		return arena_printf(a, "the arguments of the function %s() where it ends (fexit)", func);
	if (id && s->fewer && f.nargs >= s->fewer)
		return arena_printf(a, "the function %s() with fewer than %u arguments", func, s->fewer);
	if (t == TIER_FUNCTIONS && !id)
		return arena_printf(
			a, "the types of the function %s()%s%s", func, mod ? " of the module " : "", mod ? mod : "");
	if (!env->has_function || !env->has_function(env->ctx, mod, func))
		return arena_printf(a, "the function %s(), or has it only inlined", func);
	lacks = env->tier_lacks ? env->tier_lacks(env->ctx, t) : NULL;
	if (!lacks && t == TIER_FUNCTIONS && f.unusual && !env->fentry_on(env->ctx, mod, id))
		return arena_printf(a, "fentry on %s(), for what its arguments or its result are", func);
	return lacks;
}

static const char *tracepoint_lacks(const struct lower_env *env, struct arena *a, const struct site *s)
{
	struct kernel_func f = { .nargs = 0 };
	const bool found = env->tracepoint && env->tracepoint(env->ctx, s->module, s->target, &f);

	if (f.deadly)
		return arena_printf(a, "a program at %s, which may end the kernel", s->target);
	if (!found || f.nargs < s->nargs || (s->fewer && f.nargs >= s->fewer))
		return s->module ? arena_printf(a, "the tracepoint %s of the module %s", s->target, s->module)
				 : arena_printf(a, "the tracepoint %s with %u arguments", s->target, s->nargs);
	for (unsigned i = 0; i < KERNEL_FUNC_ARGS; i++)
		if (s->typed >> i & 1 && !f.of[i])
			return arena_printf(a, "the tracepoint %s with a structure as argument %u", s->target, i);
	return NULL;
}

static const char *place_lacks(
	const struct lower_env *env, struct arena *a, const struct probe *p, const struct site *s, enum tier t)
{
	const struct ufunctions *lib = s->user ? s->user->functions : NULL;
	struct kernel_func f = { .nargs = 0 };
	const char *lacks;
	size_t n = 0;

	if (lib && env->no_cookie)
		return "the BPF helper bpf_get_attach_cookie() (Linux 5.15)";
	if (lib)
		return env->functions && env->functions(env->ctx, lib, &n) ? NULL : *lib->objects;
	if (site_is_function(s) || site_is_kprobe(s))
		return function_lacks(env, a, p, s, site_is_kprobe(s) ? TIER_KPROBES : t);
	if (s->attach == ATTACH_EVENT)
		return env->event && env->event(env->ctx, s->target, &n)
			? NULL
			: arena_printf(a, "the format of the tracepoint %s", s->target);
	if (s->attach == ATTACH_PERF && s->target && env->counter && !env->counter(env->ctx, s->target))
		return arena_printf(a, "the perf event %s, which this machine does not count", s->target);
	if (s->attach == ATTACH_TP_BTF)
		return tracepoint_lacks(env, a, s);
	if (s->attach == ATTACH_WALK)
		return env->function && env->function(env->ctx, NULL, s->target, &f)
			? NULL
			: arena_printf(a, "the BPF iterator %s", s->target);
	if (site_is_program(s))
		return env->tier_lacks ? env->tier_lacks(env->ctx, TIER_FUNCTIONS) : NULL;
	if (attach_info(s->attach)->way == WAY_NETFILTER)
		return env->netfilter ? NULL : "BPF programs at netfilter (Linux 6.4, CONFIG_NETFILTER_BPF_LINK)";
	if (attach_info(s->attach)->way != WAY_CGROUP)
		return NULL;
	lacks = env->cgroup_lacks ? env->cgroup_lacks(env->ctx) : NULL;
	if (lacks)
		return lacks;
	if (env->kfunc_kern_ctx || s->sk_only)
		return NULL;
	return env->no_jit ? env->no_jit : "the kernel function bpf_cast_to_kern_ctx()";
}

/* What the kernel lacks for the site: completes "this kernel lacks ...". NULL: the site can be used. */
const char *site_lacks(
	const struct lower_env *env, struct arena *a, const struct probe *p, const struct site *s, enum tier t)
{
	const char *lacks = place_lacks(env, a, p, s, t);

	return lacks || !s->with ? lacks : place_lacks(env, a, p, s->with, t);
}

bool site_is_here(
	const struct lower_env *env, struct arena *a, const struct probe *p, const struct site *s, enum tier t)
{
	return site_in_tier(s, t) && !site_lacks(env, a, p, s, t);
}

/* Is every site of the tier that is not optional there? If not, *c gets the first missing one and the reason, unless
 * an earlier tier has set them. */
static bool usable(
	const struct lower_env *env, struct arena *a, const struct probe *p, enum tier t, struct tier_choice *c)
{
	struct tier_choice why = { .tier = -1 };
	bool may_lack = true;
	size_t n = 0;

	for (size_t i = 0; i < p->def->nsites && may_lack; i++) {
		const struct site *s = &p->def->sites[i];
		const char *lacks = site_in_tier(s, t) ? site_lacks(env, a, p, s, t) : NULL;

		n += site_in_tier(s, t) && !lacks;
		if (!lacks)
			continue;
		may_lack = s->optional && p->def->nsites > 1;
		if (!why.site || !may_lack) {
			why.site = s;
			why.lacks = lacks;
		}
	}
	if (n && may_lack)
		return true;
	if (!c->site) {
		c->site = why.site;
		c->lacks = why.lacks;
	}
	return false;
}

/* A tier that sees less than others, so it is used only if no other tier works. */
static bool is_second(const struct probe *p, enum tier t)
{
	for (size_t i = 0; i < p->def->nsites; i++)
		if (p->def->sites[i].second && site_in_tier(&p->def->sites[i], t))
			return true;
	return false;
}

/* Several functions share a program only with kprobes: fentry attaches one program to one function. tier is -1 if
 * none works. */
struct tier_choice tier_choose(const struct lower_env *env, struct arena *a, const struct probe *p, size_t n)
{
	struct tier_choice c = { .tier = -1 };
	bool shared = n > 1 && p->def->nsites && site_is_function(&p->def->sites[0]);

	for (int t = shared ? TIER_KPROBES : TIER_HOOKS; t < TIER_COUNT; t++) {
		if ((env->only_tier && env->only_tier != (uint32_t)t + 1) || !usable(env, a, p, (enum tier)t, &c))
			continue;
		if (c.tier < 0 || !is_second(p, (enum tier)t))
			c.tier = t;
		if (!is_second(p, (enum tier)t))
			break;
	}
	return c;
}
