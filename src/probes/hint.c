/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hint: suggests what a description without matches may have meant: a similar name, one colon more or less, another
 * tracer's name of the same probe. Input: the description, the probes. Output: a hint in the arena, or NULL. */
#include <ctype.h>
#include <string.h>

#include "base/diag/nearest.h"
#include "probes/lists.h"
#include "probes/match.h"

static bool is_provider(const struct probe_list *l, const char *name)
{
	for (const struct provider *const *p = l->providers; *p; p++)
		if (!strcmp((*p)->name, name))
			return true;
	return false;
}

/* The nearest_... functions return the most similar name, or NULL if none is close enough. Their arrays are in the
 * arena. */
static const char *nearest_provider(const struct probe_list *l, const char *name)
{
	const char **names;
	size_t n = 0;

	while (l->providers[n])
		n++;
	names = ARENA_ARRAY(l->arena, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		names[i] = l->providers[i]->name;
	return nearest_name(name, names);
}

static const char *nearest_probe(const struct probe_list *l, const char *prov, const char *name)
{
	const char **names = ARENA_ARRAY(l->arena, const char *, l->all.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < l->all.n; i++)
		if (pdesc_glob(prov, l->all.v[i].prov->name))
			names[n++] = l->all.v[i].name;
	return nearest_name(name, names);
}

/* Compares with the functions of the provider's probes of that name (syscall:FUNCTION:entry). */
static const char *nearest_func(const struct probe_list *l, const char *prov, const char *name, const char *func)
{
	const char **names = ARENA_ARRAY(l->arena, const char *, l->all.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < l->all.n; i++)
		if (!strcmp(prov, l->all.v[i].prov->name) && pdesc_glob(name, l->all.v[i].name) && *l->all.v[i].func)
			names[n++] = l->all.v[i].func;
	return nearest_name(func, names);
}

static const char *meant(const struct probe_list *l, const char *prov, const char *name)
{
	return *prov ? arena_printf(l->arena, "did you mean %s:::%s?", prov, name)
		     : arena_printf(l->arena, "did you mean %s?", name);
}

/* The hint if no provider has a similar name. */
static const char *list_providers(const struct probe_list *l, const char *name)
{
	const char *s = "";

	for (const struct provider *const *p = l->providers; *p; p++)
		s = arena_printf(l->arena, "%s%s%s", s, *s ? ", " : "", (*p)->name);
	return arena_printf(
		l->arena, "there is no provider %s; the providers: %s, and pid123, of process 123", name, s);
}

/* ---- other tracers' names ---------------------------------------------------------------------------------------- */
/* Forms word:A:NAME and word:NAME. between: the text between A and NAME; NULL: A is the unit of the number NAME. */
static const struct other_probe {
	const char *word, *before, *between, *after;
} others[] = {
	{ "f", "fbt:", ":", ":entry" },
	{ "fentry", "fbt:", ":", ":entry" },
	{ "fexit", "fbt:", ":", ":return" },
	{ "fr", "fbt:", ":", ":return" },
	{ "i", "tick-", NULL, "" },
	{ "interval", "tick-", NULL, "" },
	{ "k", "fbt:", ":", ":entry" },
	{ "kfunc", "fbt:", ":", ":entry" },
	{ "kprobe", "fbt:", ":", ":entry" },
	{ "kr", "fbt:", ":", ":return" },
	{ "kretfunc", "fbt:", ":", ":return" },
	{ "kretprobe", "fbt:", ":", ":return" },
	{ "p", "profile-", NULL, "" },
	{ "profile", "profile-", NULL, "" },
	{ "t", "sdt:", "::", "" },
	{ "tick", "tick-", NULL, "" },
	{ "tracepoint", "sdt:", "::", "" },
	{ "uprobe", "pid*:", ":", ":entry" },
	{ "uretprobe", "pid*:", ":", ":return" },
};

/* A hint for a description in the form of another tracer or of perf; NULL: it has none of these forms. */
static const char *others_probe(const struct probe_list *l, const struct pdesc *pd)
{
	const char *word = *pd->mod ? pd->mod : pd->func, *a = *pd->mod ? pd->func : "", *name = pd->name;

	if (*pd->prov)
		return NULL;
	if (!strncmp(name, "sys_enter_", 10))
		return arena_printf(l->arena, "did you mean syscall::%s:entry?", name + 10);
	if (!strncmp(name, "sys_exit_", 9))
		return arena_printf(l->arena, "did you mean syscall::%s:return?", name + 9);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		const struct other_probe *o = &others[i];

		if (strcmp(word, o->word) || (!o->between && !isdigit((unsigned char)*name)))
			continue;
		return arena_printf(l->arena, "did you mean %s%s%s%s%s?", o->before, o->between ? a : name,
			o->between ? o->between : "", o->between ? name : a, o->after);
	}
	return NULL;
}

/* How many bytes of s, up to end, precede one of the characters of stop. */
static int span(const char *s, const char *end, const char *stop)
{
	const char *p = s;

	while (p < end && !strchr(stop, *p))
		p++;
	return (int)(p - s);
}

const char *probes_hint_path(struct arena *a, struct loc at)
{
	static const struct {
		const char *word, *form;
	} forms[] = {
		{ "u", "entry" },
		{ "uprobe", "entry" },
		{ "ur", "return" },
		{ "uretprobe", "return" },
		{ "usdt", NULL },
		{ "U", NULL },
	};
	const char *s = at.src->text + at.off, *end = at.src->text + at.src->len;
	int n = span(s, end, ":");
	const char *path = s + n + 1 < end ? s + n + 1 : end;
	int len = span(path, end, ": \t\n{");
	const char *name = path + len + 1 < end ? path + len + 1 : end;

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (strncmp(s, forms[i].word, (size_t)n) != 0 || forms[i].word[n])
			continue;
		return forms[i].form ? arena_printf(a, "did you mean pid*:%.*s:%.*s:%s?", len, path,
					       span(name, end, " \t\n{/,"), name, forms[i].form)
				     : arena_printf(a, "the provider's name stands first: PROVIDER*:%.*s::%.*s", len,
					       path, span(name, end, " \t\n{/,"), name);
	}
	return NULL;
}

/* ---- the hint ---------------------------------------------------------------------------------------------------- */
/* tcp:send, tcp::send, syscall:connect:entry: too few colons. */
static struct pdesc with_colons(const struct probe_list *l, const struct pdesc *pd)
{
	struct pdesc d = *pd;

	if (!*d.prov && is_provider(l, d.mod)) {
		d.prov = d.mod;
		d.mod = "";
	} else if (!*d.prov && is_provider(l, d.func)) {
		d.prov = d.func;
		d.func = "";
	}
	return d;
}

/* A hint to the most similar probe; NULL: none is similar. */
static const char *nearest(struct probe_list *l, const struct pdesc *d)
{
	const char *name = strcmp(d->name, "exit") ? d->name : "return", *near;

	if (*d->prov)
		probes_read(l, d->prov);
	near = *d->func && *d->prov ? nearest_func(l, d->prov, name, d->func) : NULL;
	if (near)
		return arena_printf(l->arena, "did you mean %s:%s:%s:%s?", d->prov, d->mod, near, name);
	near = *name ? nearest_probe(l, d->prov, name) : "";
	if (near && (*near || *d->prov))
		return meant(l, d->prov, near);
	near = *d->prov && !*d->func ? nearest_func(l, d->prov, "entry", name) : NULL; /* syscall:connect */
	return near ? arena_printf(l->arena, "did you mean %s::%s:entry?", d->prov, near) : NULL;
}

const char *probes_hint(struct probe_list *l, const struct pdesc *pd)
{
	struct pdesc d = with_colons(l, pd);
	const char *hint;

	if (pd->id)
		return "-l lists the probes and their numbers";
	hint = others_probe(l, pd);
	if (hint)
		return hint;
	if (!*d.prov && (!strncmp(d.name, "profile-", 8) || !strncmp(d.name, "tick-", 5)) &&
		isdigit((unsigned char)*(strchr(d.name, '-') + 1)))
		return "N times a second, 5000 at most, or every Ns, Nms, Nus: profile-97, tick-5s";
	if (pdesc_is_glob(d.prov) || pdesc_is_glob(d.name))
		return "-l lists all probes";
	if (*d.prov && !is_provider(l, d.prov)) {
		d.prov = nearest_provider(l, d.prov);
		if (!d.prov)
			return list_providers(l, pd->prov);
	}
	hint = nearest(l, &d);
	if (hint)
		return hint;
	if (!*d.prov && is_provider(l, d.name))
		return arena_printf(l->arena, "all probes of the provider: %s:::", d.name);
	return *d.prov ? arena_printf(l->arena, "-l -P %s lists the probes of %s", d.prov, d.prov)
		       : "-l lists all probes";
}
