/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usdtprobes: makes the probes that the authors of programs and libraries put there (USDT).
 * Input: a description, the notes of ELF files. Output: probes, with one site for each distinct set of argument
 * operands.
 * Invariant: a probe has a bounded number of sites, whatever the file says. */
#include <errno.h>
#include <string.h>

#include "base/diag/nearest.h"
#include "base/diag/report.h"
#include "base/escape.h"
#include "base/strmap.h"
#include "compile/user/userprobes_priv.h"
#include "symbols/elf/sdtargs.h"

/* Places whose arguments are in the same operands. */
struct operands {
	const char *text;
	struct uarg v[SDT_ARGS_MAX];
	size_t n;
	VEC(struct uplace) places;
};

/* The most sites of a probe; each is a BPF program. No compiler needs so many, but a crafted file may: its further
 * places are left out. */
#define SETS_MOST 256
#define NAMES_SHOWN 8 /* providers in a hint */

struct usdt {
	VEC(struct operands *) sets;
	struct strmap *by_text;
	const char *name; /* of the probe */
	size_t index;     /* in the list */
	bool full;
	bool changed; /* places were added since it was defined */
};

typedef VEC(struct usdt *) usdt_list;

/* query__start is query-start. */
static const char *probe_name(struct arena *a, const char *name)
{
	char *copy = arena_strdup(a, name), *to = copy;

	for (const char *s = copy; *s; s++) {
		bool dash = s[0] == '_' && s[1] == '_';

		*to++ = dash ? '-' : *s;
		s += dash;
	}
	*to = '\0';
	return copy;
}

/* NULL: there are too many, which is reported once. */
static struct operands *operands_of(struct userprobes *u, struct usdt *d, const struct object *obj, const char *text)
{
	struct operands *o;

	if (!d->by_text)
		d->by_text = strmap_new(u->arena);
	o = strmap_get(d->by_text, text);
	if (o)
		return o;
	if (d->sets.n == SETS_MOST) {
		if (!d->full)
			report_warning(u->env.to, D_NONE, NULL,
				"%s has places of a probe with more than %d different operands: the others are not "
				"traced",
				obj->path, SETS_MOST);
		d->full = true;
		return NULL;
	}
	o = ARENA_NEW(u->arena, struct operands);
	o->text = text;
	o->n = sdt_args_parse(sdt_own_machine(), text, o->v);
	*vec_push(u->arena, &d->sets) = o;
	strmap_put(d->by_text, text, o);
	return o;
}

/* What the probe is, once all its places are known. */
static const struct probe_def *define(struct userprobes *u, const struct usdt *d, const char *name)
{
	struct probe_def *def = ARENA_NEW(u->arena, struct probe_def);
	struct site *sites = ARENA_ARRAY(u->arena, struct site, d->sets.n);
	struct user_site *users = ARENA_ARRAY(u->arena, struct user_site, d->sets.n);
	const struct operands *first = d->sets.v[0];
	const char **types = ARENA_ARRAY(u->arena, const char *, first->n + 1);

	for (size_t i = 0; i < first->n; i++)
		types[i] = sdt_arg_type(&first->v[i]);
	for (size_t i = 0; i < d->sets.n; i++) {
		users[i] = (struct user_site){ .places = d->sets.v[i]->places.v,
			.nplaces = d->sets.v[i]->places.n,
			.args = d->sets.v[i]->v,
			.nargs = d->sets.v[i]->n };
		sites[i] =
			(struct site){ .attach = ATTACH_UPROBE, .user = &users[i], .sees = "where its author put it" };
	}
	*def = (struct probe_def){
		.name = name, .args = types, .sites = sites, .nsites = d->sets.n, .meaning = "its author says when"
	};
	return def;
}

/* A file mapped by several processes has the same notes for each. */
static bool has_place(const struct operands *o, const struct object *obj, const struct sdt_note *n)
{
	for (size_t i = 0; i < o->places.n; i++)
		if (o->places.v[i].off == n->off && !strcmp(o->places.v[i].path, obj->file))
			return true;
	return false;
}

/* Adds the probe to changed, when it is changed. */
static void add_note(
	struct userprobes *u, struct object *obj, const struct sdt_note *n, const char *func, usdt_list *changed)
{
	const char *name = probe_name(u->arena, n->name);
	const char *prov = u->pd.everywhere ? arena_printf(u->arena, "%s*", n->prov)
					    : arena_printf(u->arena, "%s%d", n->prov, (int)u->pd.pid);
	struct user_probe *up = user_probe(u, obj, prov, func, name, NULL);
	struct operands *o;

	if (!up->usdt) {
		up->usdt = ARENA_NEW(u->arena, struct usdt);
		up->usdt->name = name;
		up->usdt->index = up->index;
	}
	o = operands_of(u, up->usdt, obj, n->args);
	if (!o || has_place(o, obj, n))
		return;
	*vec_push(u->arena, &o->places) = (struct uplace){
		.path = obj->file,
		.shown = escape_name(u->arena, arena_printf(u->arena, "%s:%s of %s", prov, name, obj->path)),
		.off = n->off,
		.ref_ctr = n->semaphore,
		.pid = u->pd.pid,
	};
	if (!up->usdt->changed)
		*vec_push(u->arena, changed) = up->usdt;
	up->usdt->changed = true;
}

/* Once, when all places are known: a definition lists them all. */
static void define_changed(struct userprobes *u, const usdt_list *changed)
{
	for (size_t i = 0; i < changed->n; i++) {
		struct usdt *d = changed->v[i];
		struct probe *p = &u->list->all.v[d->index];

		p->def = define(u, d, d->name);
		p->args = p->def->args;
		d->changed = false;
	}
}

/* The function that the place is in, which is the probe's third part; "" if the file is stripped. */
static const char *function_at(struct userprobes *u, struct object *obj, uint64_t off)
{
	const struct elfsyms *syms = object_functions(u->objects, obj);
	const char *name;
	uint64_t distance;

	return syms && elfsyms_find(syms, off, &name, &distance) ? name : "";
}

size_t usdt_make(struct userprobes *u, const struct pdesc *pd, const object_list *objs)
{
	usdt_list changed = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < objs->n; i++) {
		struct object *obj = objs->v[i];
		const char *machine;
		const sdt_list *notes;
		bool in_use = obj->fd >= 0; /* another description may have probes on it */

		if (object_open(u->objects, obj, &machine) != OBJECT_GOOD)
			continue;
		notes = object_notes(u->objects, obj);
		for (size_t k = 0; k < notes->n; k++) {
			const struct sdt_note *note = &notes->v[k];
			const char *func;

			if (!pdesc_glob(u->pd.stem, note->prov) ||
				!pdesc_glob(pd->name, probe_name(u->arena, note->name)))
				continue;
			func = function_at(u, obj, note->off);
			if (!pdesc_glob(pd->func, func))
				continue;
			add_note(u, obj, note, func, &changed);
			n++;
		}
		if (u->pd.everywhere && !notes->n && !in_use)
			object_close(obj);
	}
	define_changed(u, &changed);
	return n;
}

/* ---- what is not there ------------------------------------------------------------------------------------------- */
void usdt_missing(struct userprobes *u, const struct pdesc *pd, const object_list *objs)
{
	const char *hint = NULL, *provs = "", **names;
	size_t n = 0, k = 0, shown = 0;

	for (size_t i = 0; i < objs->n; i++)
		n += object_notes(u->objects, objs->v[i])->n;
	names = ARENA_ARRAY(u->arena, const char *, n + 1);
	for (size_t i = 0; i < objs->n && n; i++) {
		const sdt_list *notes = object_notes(u->objects, objs->v[i]);

		for (size_t j = 0; j < notes->n; j++)
			if (pdesc_glob(u->pd.stem, notes->v[j].prov))
				names[k++] = probe_name(u->arena, notes->v[j].name);
			else if (shown < NAMES_SHOWN && !strstr(provs, notes->v[j].prov) && ++shown)
				provs = arena_printf(u->arena, "%s%s%s", provs, *provs ? ", " : "", notes->v[j].prov);
	}
	if (k && nearest_name(pd->name, names))
		hint = arena_printf(u->arena, "did you mean %s:::%s?", pd->prov, nearest_name(pd->name, names));
	else if (!k && *provs && !u->pd.everywhere)
		hint = arena_printf(u->arena, "process %d has the probes of %s", (int)u->pd.pid, provs);
	else if (!k && u->pd.everywhere)
		hint = "no running process has such probes; an absolute path as module names a program that starts "
		       "later";
	if (u->fault.message)
		return;
	user_failed(u, D_PDESC_ZERO, hint, "probe description %s does not match any probes", pd->text);
	u->fault.why = NULL;
}
