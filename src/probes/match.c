/* SPDX-License-Identifier: GPL-2.0-or-later */
/* match: see match.h. Input: the providers' tables, the kernel's lists, descriptions. Output: struct probe.
 * Invariant: the number of a probe does not change while the list exists; that of a list's probe does not depend on
 * the descriptions. */
#include "probes/match.h"

#include <fnmatch.h>
#include <string.h>

#include "probes/lists.h"

#define LIST_FIRST 1000u  /* number of the first probe of a list; tables and made probes have lower ones */
#define LONG_FIRST 20000u /* ... of the long list */

static struct probe *new_probe(struct probe_list *l, const struct probe *p, uint32_t id)
{
	struct probe *pr = vec_push(l->arena, &l->all);

	*pr = *p;
	pr->id = id;
	return pr;
}

/* Adds a probe of a table or one made by name. Their numbers end at LIST_FIRST, so that those of the lists do not
 * depend on how many there are; further ones continue far above. */
static void add_named(struct probe_list *l, const struct probe *p)
{
	(void)new_probe(l, p, l->next_id < LIST_FIRST ? l->next_id : UINT32_MAX / 2 + l->next_id);
	l->next_id++;
}

static void add_probe(
	struct probe_list *l, const struct provider *p, const struct probe_def *def, const char *name, uint64_t period)
{
	const struct probe pr = {
		.prov = p,
		.def = def,
		.mod = p->module ? p->module : "",
		.func = "",
		.name = name,
		.args = def->args,
		.period_ns = period,
	};

	add_named(l, &pr);
}

void probes_init(struct probe_list *l, struct arena *a, const struct provider *const *providers,
	const struct kernel_lists *kernel)
{
	*l = (struct probe_list){
		.arena = a, .providers = providers, .kernel = kernel, .next_id = 1, .next_list_id = LIST_FIRST
	};
	for (const struct provider *const *p = providers; *p; p++)
		for (size_t i = 0; i < (*p)->nprobes && !(*p)->source; i++) {
			uint64_t period = 0;

			if ((*p)->by_name)
				(void)!(*p)->by_name((*p)->probes[i].name, &period);
			add_probe(l, *p, &(*p)->probes[i], (*p)->probes[i].name, period);
		}
}

/* Searches the probes, not the providers: a provider whose list has not been read has none. */
const struct provider *probes_provider(const struct probe_list *l, const char *name)
{
	for (size_t i = 0; i < l->all.n; i++)
		if (!strcmp(l->all.v[i].prov->name, name))
			return l->all.v[i].prov;
	return NULL;
}

bool pdesc_is_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

/* An empty pattern matches everything, as an omitted part of a description does. */
bool pdesc_glob(const char *pattern, const char *s)
{
	return !*pattern || (pdesc_is_glob(pattern) ? !fnmatch(pattern, s, 0) : !strcmp(pattern, s));
}

/* A function also matches by the name that another system gives it (the source's alias). */
static bool func_matches(const char *func, const struct probe *p)
{
	const char *alias;

	if (pdesc_glob(func, p->func))
		return true;
	for (size_t i = 0; p->aliases && p->aliases[i]; i++)
		if (pdesc_glob(func, p->aliases[i]))
			return true;
	alias = p->prov->source && p->prov->source->alias ? p->prov->source->alias(func) : NULL;
	return alias && !strcmp(alias, p->func);
}

static bool module_matches(const char *mod, const struct probe *p)
{
	return pdesc_glob(mod, p->mod) ||
		(p->prov->source && p->prov->source->module && p->prov->source->module(mod, p));
}

bool probe_matches(const struct pdesc *pd, const struct probe *p)
{
	if (pd->id)
		return p->id == pd->id;
	return pdesc_glob(pd->prov, p->prov->name) && pdesc_glob(pd->name, p->name) && module_matches(pd->mod, p) &&
		func_matches(pd->func, p);
}

/* Types are looked up on first use: most probes in the list are never enabled. */
const char *const *probe_args(struct probe_list *l, struct probe *p)
{
	if (!p->args && p->prov->source)
		p->args = p->prov->source->args(l, p);
	return p->args;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */
/* Is the probe wanted and not kept yet? */
static bool keep(struct probe_list *l, const struct probe *p, uint32_t id)
{
	size_t i = (id - LONG_FIRST) / 64;
	uint64_t bit = 1ull << (id - LONG_FIRST) % 64;
	struct probe is = *p;

	is.id = id;
	if (l->wanted && !probe_matches(l->wanted, &is))
		return false;
	while (l->kept.n <= i && !arena_failed(l->arena))
		*vec_push(l->arena, &l->kept) = 0;
	if (arena_failed(l->arena) || (l->kept.v[i] & bit))
		return false;
	l->kept.v[i] |= bit;
	return true;
}

void probes_add(struct probe_list *l, const struct probe *p)
{
	if (arena_failed(l->arena))
		return;

	uint32_t id = l->in_long ? l->next_long++ : l->next_list_id++;

	if (!l->in_long)
		(void)new_probe(l, p, id < LONG_FIRST ? id : UINT32_MAX / 4 + id);
	else if (keep(l, p, id))
		(void)new_probe(l, p, id);
}

/* Reads the lists of the first n providers: a probe's number depends on the lists before its own. */
static void read_lists(struct probe_list *l, size_t n)
{
	for (; l->nread < n; l->nread++)
		if (l->providers[l->nread]->source && !l->providers[l->nread]->source->is_long)
			l->providers[l->nread]->source->list(l, l->providers[l->nread]);
}

/* Reads from the long list what the description means; NULL: all. Its numbers do not depend on other lists. */
static void read_long(struct probe_list *l, const struct provider *p, const struct pdesc *wanted)
{
	l->in_long = true;
	l->wanted = wanted;
	l->next_long = LONG_FIRST;
	p->source->list(l, p);
	l->in_long = false;
}

void probes_read(struct probe_list *l, const char *prov)
{
	for (size_t i = 0; l->providers[i]; i++)
		if (pdesc_glob(prov, l->providers[i]->name))
			read_lists(l, i + 1);
	for (const struct provider *const *p = l->providers; *p; p++)
		if ((*p)->source && (*p)->source->is_long && pdesc_glob(prov, (*p)->name))
			read_long(l, *p, NULL);
}

void probes_all(struct probe_list *l)
{
	probes_read(l, "");
}

/* Must the provider's list be read to match the description? A number may be that of any list's probe. */
static bool could_mean(const struct probe_list *l, const struct pdesc *pd, const struct provider *p)
{
	if (!p->source)
		return false;
	if (pd->id)
		return pd->id >= LIST_FIRST;
	if (*pd->prov)
		return pdesc_glob(pd->prov, p->name);
	return p->source->could(l->kernel, pd);
}

void probes_add_named(struct probe_list *l, const struct probe *p)
{
	for (size_t i = 0; i < l->all.n; i++) {
		const struct probe *is = &l->all.v[i];

		if (is->prov == p->prov && !strcmp(is->name, p->name) && !strcmp(is->func, p->func) &&
			!strcmp(is->mod, p->mod))
			return;
	}
	add_named(l, p);
}

/* Was the probe already made by that name? */
static bool is_made(const struct probe_list *l, const struct provider *p, const char *name)
{
	for (size_t i = 0; i < l->all.n; i++)
		if (l->all.v[i].prov == p && !strcmp(l->all.v[i].name, name))
			return true;
	return false;
}

static void read_source(struct probe_list *l, size_t i, const struct pdesc *pd)
{
	const struct provider *p = l->providers[i];

	if (p->source->is_long)
		read_long(l, p, pd);
	else
		read_lists(l, i + 1);
	if (p->source->make && !pd->id)
		p->source->make(l, p, pd);
}

void probes_make(struct probe_list *l, const struct pdesc *pd)
{
	const char *dash = strrchr(pd->name, '-');
	size_t word = dash ? (size_t)(dash - pd->name) + 1 : 0;
	uint64_t period;

	if (l->kernel && l->kernel->user_make)
		l->kernel->user_make(l->kernel->user, l, pd);
	for (size_t i = 0; l->providers[i]; i++)
		if (could_mean(l, pd, l->providers[i]))
			read_source(l, i, pd);
	if (pd->id || !*pd->name || pdesc_is_glob(pd->name))
		return;
	for (const struct provider *const *p = l->providers; *p; p++) {
		if (!word || !(*p)->by_name || !pdesc_glob(pd->prov, (*p)->name) || (*p)->by_name(pd->name, &period) ||
			is_made(l, *p, pd->name))
			continue;
		for (size_t i = 0; i < (*p)->nprobes; i++)
			if (!strncmp((*p)->probes[i].name, pd->name, word)) {
				add_probe(l, *p, &(*p)->probes[i], arena_strdup(l->arena, pd->name), period);
				break;
			}
	}
}

const struct probe_fault *probe_fault_new(struct arena *a, const struct pdesc *pd, const char *why, const char *hint)
{
	struct probe_fault *f = ARENA_NEW(a, struct probe_fault);

	f->tag = D_PDESC_ZERO;
	f->message = arena_printf(a, "probe description %s does not match any probes: %s", pd->text, why);
	f->why = why;
	f->hint = hint;
	return f;
}

/* Only a provider that the description names refuses it. */
static const struct probe_fault *refused(const struct probe_list *l, const struct pdesc *pd)
{
	for (const struct provider *const *p = l->providers; *p; p++) {
		const char *why =
			(*p)->refuses && !strcmp(pd->prov, (*p)->name) && *pd->name && !pdesc_is_glob(pd->name)
			? (*p)->refuses(pd->name)
			: NULL;

		if (why)
			return probe_fault_new(l->arena, pd, why, NULL);
	}
	return NULL;
}

const struct probe_fault *probes_fault(const struct probe_list *l, const struct pdesc *pd)
{
	const struct kernel_lists *k = l->kernel;
	const struct probe_fault *f = k && k->user_fault ? k->user_fault(k->user, pd) : NULL;

	if (!f)
		f = refused(l, pd);
	return !f && k && k->function_fault ? k->function_fault(k->func_ctx, l->arena, pd) : f;
}
