/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tiers: chooses the sites of a probe that are used on this kernel. The tiers are tried in the order hooks,
 * functions, kprobes. The first tier wins whose sites, except the optional ones, are all there. A tier that sees
 * less than others is used only if no other works. Input: the probe, facts about the kernel. Pure. */
#ifndef DWIRE_LOWER_TIERS_H
#define DWIRE_LOWER_TIERS_H
#include "lower/lower.h"

/* What the command calls it: "hooks"; and by name: a tier, or -1. */
const char *tier_name(enum tier t);
int tier_by_name(const char *name);

bool site_in_tier(const struct site *s, enum tier t);
bool site_is_function(const struct site *s);
/* The function of a site that is at a function. */
const char *site_function(const struct site *s, const struct probe *p);
const char *site_module(const struct site *s, const struct probe *p); /* of the function; NULL: the kernel itself */
/* What the kernel lacks for the site, such as "tracepoint x with 3 arguments", as text in the arena. NULL: nothing. */
const char *site_lacks(
	const struct lower_env *env, struct arena *a, const struct probe *p, const struct site *s, enum tier t);

struct tier_choice {
	int tier;                /* -1: none */
	const struct site *site; /* then: what stands in the way of the first tier that the probe has; NULL: it has no
	                            site in the tier that was asked for */
	const char *lacks;
};
/* n: the number of probes that share their sites with p. Several kernel functions can share a program only with
 * kprobes. */
struct tier_choice tier_choose(const struct lower_env *env, struct arena *a, const struct probe *p, size_t n);
#endif
