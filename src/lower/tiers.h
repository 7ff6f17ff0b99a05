/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tiers: chooses the sites of a probe for this kernel. The tiers are tried in the order hooks, functions, kprobes. The
 * first tier with all required sites is used. A tier that sees less than others is used only if no other works.
 * Input: the probe, facts about the kernel. Pure. */
#ifndef DWIRE_LOWER_TIERS_H
#define DWIRE_LOWER_TIERS_H
#include "lower/lower.h"

/* The name of a tier, such as "hooks"; and the tier of a name, or -1. */
const char *tier_name(enum tier t);
int tier_by_name(const char *name);

/* A kprobe: it exists in no other tier. A function is a site of two tiers (site_is_function()). */
bool site_is_kprobe(const struct site *s);
bool site_in_tier(const struct site *s, enum tier t);
bool site_is_function(const struct site *s);
/* Does no thread take the CPU from its program? */
bool site_keeps_cpu(const struct lower_env *env, const struct site *s);
/* Is a site at a function reached by a kprobe? In the tier kprobes all are. In the tier functions those are where
 * fentry or fexit would miss firings, unless the site needs arguments at the function's end. */
bool site_by_kprobe(const struct lower_env *env, const struct site *s, enum tier t);
/* Is the site at BPF programs of the machine? They are traced as functions are, by fexit. */
bool site_is_program(const struct site *s);
/* For a site at a function: the function, and its module (NULL: the kernel itself). */
const char *site_function(const struct site *s, const struct probe *p);
const char *site_module(const struct site *s, const struct probe *p);
/* What the kernel lacks for the site, such as "tracepoint x with 3 arguments"; text in the arena. NULL: nothing. */
const char *site_lacks(
	const struct lower_env *env, struct arena *a, const struct probe *p, const struct site *s, enum tier t);
/* Is it a site of the tier, and can the kernel trace it? */
bool site_is_here(
	const struct lower_env *env, struct arena *a, const struct probe *p, const struct site *s, enum tier t);

struct tier_choice {
	int tier; /* -1: none */
	/* tier is -1: the site that the probe's first tier lacks; NULL: the probe has none in the requested tier. */
	const struct site *site;
	const char *lacks; /* what the kernel lacks for that site */
};
/* n: how many probes share the sites of p. Several kernel functions can share a program only as kprobes. */
struct tier_choice tier_choose(const struct lower_env *env, struct arena *a, const struct probe *p, size_t n);
#endif
