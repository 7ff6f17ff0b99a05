/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tiers: chooses the sites of a probe that are used on this kernel. The tiers are tried in order: hooks, functions,
 * kprobes. The first one wins that has every site that is not optional; a tier that sees less than others is used only
 * if no other can be. Input: the probe, facts about the kernel. Pure. */
#ifndef DWIRE_LOWER_TIERS_H
#define DWIRE_LOWER_TIERS_H
#include "lower/lower.h"

/* What the command calls it: "hooks"; and by name: a tier, or -1. */
const char *tier_name(enum tier t);
int tier_by_name(const char *name);

bool site_in_tier(const struct site *s, enum tier t);
bool site_is_function(const struct site *s);
/* The function of a site that is one. */
const char *site_function(const struct site *s, const struct probe *p);
const char *site_module(const struct site *s, const struct probe *p); /* of the function; NULL: the kernel itself */
/* What the kernel lacks for the site: "tracepoint x with 3 arguments"; NULL: nothing. In the arena. */
const char *site_lacks(
	const struct lower_env *env, struct arena *a, const struct probe *p, const struct site *s, enum tier t);

struct tier_choice {
	int tier;                /* -1: none */
	const struct site *site; /* then: what stands in the way of the first tier that the probe has; NULL: it has no
	                            site in the tier that was asked for */
	const char *lacks;
};
/* n: probes that share their sites with p; several functions of the kernel can do so by kprobes only. */
struct tier_choice tier_choose(const struct lower_env *env, struct arena *a, const struct probe *p, size_t n);
#endif
