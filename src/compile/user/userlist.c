/* SPDX-License-Identifier: GPL-2.0-or-later */
/* userlist: adds probes of programs and libraries to the list of probes.
 * Input: an object, names, places. Output: one probe for each name in each object, with its places.
 * Invariant: names read from files are escaped. */
#include <stdarg.h>
#include <string.h>

#include "base/escape.h"
#include "base/strmap.h"
#include "compile/user/userprobes_priv.h"

void user_failed(struct userprobes *u, enum dtag tag, const char *hint, const char *fmt, ...)
{
	va_list ap;

	if (u->fault.message) /* the first reason is the nearest */
		return;
	va_start(ap, fmt);
	u->fault = (struct probe_fault){ .tag = tag, .hint = hint };
	u->fault.message = u->fault.why = escape_name(u->arena, arena_vprintf(u->arena, fmt, ap));
	va_end(ap);
}

/* One struct provider for each name (pid123, libc42), since probes with the same name are compared by pointer. */
static const struct provider *provider_of(struct userprobes *u, const char *name)
{
	struct provider *p = strmap_get(u->providers, name);

	if (!p) {
		p = (struct provider *)(uintptr_t)user_provider(u->arena, arena_strdup(u->arena, name));
		strmap_put(u->providers, name, p);
	}
	return p;
}

/* The map's key holds all names of the probe; a description that matches it again gets the same one. */
struct user_probe *user_probe(struct userprobes *u, const struct object *obj, const char *prov, const char *func,
	const char *name, const struct probe_def *def)
{
	const char *where = u->pd.everywhere ? obj->base : obj->path; /* the copies of all containers are one probe */
	const char *key = arena_printf(u->arena, "%s:%s:%s:%s", prov, where, func, name);
	struct user_probe *up = strmap_get(u->probes, key);

	if (up)
		return up;
	up = ARENA_NEW(u->arena, struct user_probe);
	up->index = u->list->all.n;
	strmap_put(u->probes, key, up);
	user_add(u->list,
		&(struct probe){
			.prov = provider_of(u, escape_name(u->arena, prov)),
			.def = def,
			.mod = obj->base,
			.func = arena_strdup(u->arena, escape_name(u->arena, func)),
			.name = arena_strdup(u->arena, escape_name(u->arena, name)),
			.path = obj->path,
			.program = obj->program,
		});
	return up;
}

/* p->places is set again each time: the vector may have moved as it grew. */
void user_place(struct userprobes *u, struct user_probe *up, const struct object *obj, uint64_t off, uint64_t returns)
{
	struct probe *p = &u->list->all.v[up->index];
	struct uplace *pl;

	for (size_t i = 0; i < up->places.n; i++)
		if (up->places.v[i].off == off && !strcmp(up->places.v[i].path, obj->file))
			return;
	pl = vec_push(u->arena, &up->places);
	*pl = (struct uplace){ .path = obj->file, .off = off, .cookie = returns << 32, .pid = u->pd.pid };
	pl->shown = escape_name(u->arena, arena_printf(u->arena, "%s:%s of %s", p->func, p->name, obj->path));
	p->places = up->places.v;
	p->nplaces = up->places.n;
}

void user_alias(struct userprobes *u, struct user_probe *up, const char *func)
{
	struct probe *p = &u->list->all.v[up->index];
	const char *name = arena_strdup(u->arena, escape_name(u->arena, func));

	for (size_t i = 0; i + 1 < up->aliases.n; i++)
		if (!strcmp(up->aliases.v[i], name))
			return;
	if (!up->aliases.n)
		(void)vec_push(u->arena, &up->aliases);
	up->aliases.v[up->aliases.n - 1] = name;
	*vec_push(u->arena, &up->aliases) = NULL;
	p->aliases = up->aliases.v;
}
