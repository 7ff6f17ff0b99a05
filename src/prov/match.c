/* match: see match.h. Input: the providers' tables, descriptions. Output: struct probe, hints. Invariant: a probe keeps
 * its number as long as the list lives. */
#include "prov/match.h"

#include <fnmatch.h>
#include <string.h>

static void add_probe(
	struct probe_list *l, const struct provider *p, const struct probe_def *def, const char *name, uint64_t period)
{
	struct probe *pr = vec_push(l->arena, &l->all);

	pr->id = (uint32_t)l->all.n;
	pr->prov = p;
	pr->def = def;
	pr->name = name;
	pr->period_ns = period;
}

void probes_init(struct probe_list *l, struct arena *a)
{
	*l = (struct probe_list){ .arena = a };
	for (const struct provider *const *p = providers(); *p; p++)
		for (size_t i = 0; i < (*p)->nprobes; i++) {
			uint64_t period = 0;

			if ((*p)->by_name)
				(void)!(*p)->by_name((*p)->probes[i].name, &period);
			add_probe(l, *p, &(*p)->probes[i], (*p)->probes[i].name, period);
		}
}

static bool is_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

static bool glob_match(const char *pattern, const char *s)
{
	return !*pattern || (is_glob(pattern) ? !fnmatch(pattern, s, 0) : !strcmp(pattern, s));
}

bool probe_matches(const struct pdesc *pd, const struct probe *p)
{
	if (pd->id)
		return p->id == pd->id;
	return glob_match(pd->prov, p->prov->name) && glob_match(pd->name, p->name) &&
		glob_match(pd->mod, p->prov->module ? p->prov->module : "") && glob_match(pd->func, "");
}

static bool is_made(const struct probe_list *l, const struct provider *p, const char *name)
{
	for (size_t i = 0; i < l->all.n; i++)
		if (l->all.v[i].prov == p && !strcmp(l->all.v[i].name, name))
			return true;
	return false;
}

void probes_make(struct probe_list *l, const struct pdesc *pd)
{
	size_t word = strcspn(pd->name, "-") + 1; /* the definition with the same word before the dash */
	uint64_t period;

	if (pd->id || !*pd->name || is_glob(pd->name))
		return;
	for (const struct provider *const *p = providers(); *p; p++) {
		if (!(*p)->by_name || !glob_match(pd->prov, (*p)->name) || (*p)->by_name(pd->name, &period) ||
			is_made(l, *p, pd->name))
			continue;
		for (size_t i = 0; i < (*p)->nprobes; i++)
			if (!strncmp((*p)->probes[i].name, pd->name, word)) {
				add_probe(l, *p, &(*p)->probes[i], arena_strdup(l->arena, pd->name), period);
				break;
			}
	}
}

/* ---- hints ------------------------------------------------------------------------------------------------------- */
static bool is_provider(const char *name)
{
	for (const struct provider *const *p = providers(); *p; p++)
		if (!strcmp((*p)->name, name))
			return true;
	return false;
}

static const char *nearest_provider(const struct probe_list *l, const char *name)
{
	const char **names;
	size_t n = 0;

	while (providers()[n])
		n++;
	names = ARENA_ARRAY(l->arena, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		names[i] = providers()[i]->name;
	return nearest_name(name, names);
}

static const char *nearest_probe(const struct probe_list *l, const char *prov, const char *name)
{
	const char **names = ARENA_ARRAY(l->arena, const char *, l->all.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < l->all.n; i++)
		if (glob_match(prov, l->all.v[i].prov->name))
			names[n++] = l->all.v[i].name;
	return nearest_name(name, names);
}

static const char *meant(const struct probe_list *l, const char *prov, const char *name)
{
	return *prov ? arena_printf(l->arena, "did you mean %s:::%s?", prov, name)
		     : arena_printf(l->arena, "did you mean %s?", name);
}

static const char *list_providers(const struct probe_list *l, const char *name)
{
	const char *s = "";

	for (const struct provider *const *p = providers(); *p; p++)
		s = arena_printf(l->arena, "%s%s%s", s, *s ? ", " : "", (*p)->name);
	return arena_printf(l->arena, "there is no provider %s; the providers: %s", name, s);
}

const char *probes_hint(const struct probe_list *l, const struct pdesc *pd)
{
	const char *prov = pd->prov, *name = pd->name, *near;

	if (pd->id)
		return arena_printf(l->arena, "the probes are 1 to %zu", l->all.n);
	if (is_glob(prov) || is_glob(name))
		return "-l lists all probes";
	if (!*prov && (is_provider(pd->mod) || is_provider(pd->func))) /* tcp:send, tcp::send: too few colons */
		prov = is_provider(pd->mod) ? pd->mod : pd->func;
	if (*prov && !is_provider(prov)) {
		near = nearest_provider(l, prov);
		if (!near)
			return list_providers(l, prov);
		prov = near;
	}
	near = *name ? nearest_probe(l, prov, name) : "";
	if (near)
		return meant(l, prov, near);
	if (!*prov && is_provider(name))
		return arena_printf(l->arena, "all probes of the provider: %s:::", name);
	return *prov ? arena_printf(l->arena, "-l -P %s lists the probes of %s", prov, prov) : "-l lists all probes";
}
