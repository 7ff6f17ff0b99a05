/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sites: where this kernel shows a probe, which members its arguments have, and which counters of the kernel count
 * the same events.
 * Input: a probe of dwire_list(). Output: data; the texts live as long as the handle. */
#include <string.h>

#include "api/dwire_priv.h"
#include "compile/builtin.h"
#include "lower/tiers.h"

static struct probe *probe_of(const struct dwire_probe *shown)
{
	return (struct probe *)(uintptr_t)shown->internal;
}

/* The tier that a site is asked about: functions are sites of two. */
static enum tier tier_of(const struct site *s, int chosen)
{
	if (site_is_kprobe(s) || (site_is_function(s) && chosen == TIER_KPROBES))
		return TIER_KPROBES;
	return site_is_function(s) || site_is_program(s) ? TIER_FUNCTIONS : TIER_HOOKS;
}

bool dwire_probe_site(struct dwire *d, const struct dwire_probe *shown, size_t i, struct dwire_site *out)
{
	const struct probe *p = probe_of(shown);
	struct tier_choice c = { .tier = -1 };
	const struct site *s;
	enum tier t;

	if (i >= p->def->nsites)
		return false;
	s = &p->def->sites[i];
	if (d->kernel)
		c = tier_choose(&d->c.lenv, d->arena, p, 1);
	t = tier_of(s, c.tier);
	*out = (struct dwire_site){ .kind = attach_info(s->attach)->name,
		.target = site_is_function(s) || site_is_kprobe(s) ? site_function(s, p) : s->target,
		.tier = site_in_tier(s, TIER_HOOKS) && site_in_tier(s, TIER_KPROBES) ? NULL : tier_name(t),
		.lacks = d->kernel ? site_lacks(&d->c.lenv, d->arena, p, s, t) : "types (BTF)" };
	out->used = !out->lacks && c.tier >= 0 && site_in_tier(s, (enum tier)c.tier);
	return true;
}

const char *dwire_tier_lacks(struct dwire *d, const char *tier)
{
	int t = tier_by_name(tier);

	if (t < 0)
		return "that name";
	if (!d->kernel)
		return "types (BTF)";
	return d->c.lenv.tier_lacks ? d->c.lenv.tier_lacks(d->c.lenv.ctx, (enum tier)t) : NULL;
}

const char *dwire_probe_arg(struct dwire *d, const struct dwire_probe *shown, size_t i)
{
	const char *const *args = probe_args(&d->c.probes, probe_of(shown));

	for (size_t k = 0; args && args[k]; k++)
		if (k == i)
			return args[k];
	return NULL;
}

const char *dwire_probe_counters(const struct dwire_probe *shown)
{
	const struct probe *p = probe_of(shown);

	for (const struct prov_counter *c = p->prov->counters; c && c->probe; c++)
		if (!strcmp(c->probe, p->name))
			return c->counters;
	return NULL;
}

/* The translator whose result is the type, written "ipinfo_t *" or "ipinfo_t". */
static const struct xlator *translator_to(const struct dwire *d, const char *type)
{
	size_t len = strcspn(type, " ");

	for (size_t i = 0; i < d->c.library.decls.n; i++) {
		const struct decl *decl = d->c.library.decls.v[i];
		const char *name = decl->kind == DECL_XLATOR ? decl->u.xlator.out->name : NULL;

		if (name && strlen(name) == len && !memcmp(name, type, len))
			return &decl->u.xlator;
	}
	return NULL;
}

/* Is the member of that type made by a translator itself? Its own members are another type's. */
static bool is_nested(const struct dwire *d, const char *type, const char *member)
{
	size_t len = strcspn(type, " ");

	for (size_t i = 0; i < d->c.library.decls.n; i++) {
		const struct decl *decl = d->c.library.decls.v[i];
		const struct tyx *t = decl->kind == DECL_TYPEDEF ? decl->u.typedef_.type : NULL;

		if (!t || strlen(decl->u.typedef_.name) != len || memcmp(decl->u.typedef_.name, type, len) != 0)
			continue;
		for (size_t k = 0; k < t->members.n; k++)
			if (!strcmp(t->members.v[k].name, member))
				return t->members.v[k].type->name && translator_to(d, t->members.v[k].type->name);
	}
	return false;
}

const char *dwire_member(struct dwire *d, const char *type, size_t i)
{
	const struct xlator *x;

	if (!d->c.checker && !d->all_declared) {
		builtin_use(&d->c, NULL, 0);
		d->all_declared = true;
	}
	x = translator_to(d, type);
	for (size_t k = 0; x && k < x->ninits; k++)
		if (!is_nested(d, type, x->inits[k].name) && !i--)
			return x->inits[k].name;
	return NULL;
}
