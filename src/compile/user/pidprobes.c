/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pidprobes: makes the probes of the pid provider.
 * Input: a description, the objects that it matches. Output: probes at the entry, the return and the instructions of
 * functions, or the reason why there are none.
 * Invariant: no probe is put where it would change what the program does. */
#include <stdlib.h>
#include <string.h>

#include "base/diag/nearest.h"
#include "compile/user/userprobes_priv.h"

/* Functions whose return address is not in its usual place. A return probe replaces the return address, so the
 * process would return to a wrong place. */
static const char *no_return(const char *func)
{
	static const char *const names[] = { "_start", "__restore_rt", "_dl_runtime_resolve*", "_dl_runtime_profile*",
		"*vfork", "setjmp", "_setjmp", "__sigsetjmp", "sigsetjmp", "*getcontext", "*swapcontext", "*.cold*",
		"__start_context", "_dl_start_user" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (pdesc_glob(names[i], func))
			return names[i];
	return NULL;
}

/* Cold parts that the compiler moved out of a function are not functions. */
static bool is_part(const char *func)
{
	return strstr(func, ".cold") != NULL;
}

struct matching {
	struct userprobes *u;
	struct object *obj;
	const char *prov;
	const struct pdesc *desc;
	bool glob, any, at_offset;
	bool insns;    /* the name may mean any instruction */
	bool counting; /* how many those are, before any probe is made */
	size_t ninsns;
	uint64_t offset;
	/* The symbols of one address follow each other. The first names the function; the others are its aliases. */
	const char *first;
	uint64_t first_off;
	bool taken;                    /* the function is */
	VEC(struct user_probe *) made; /* for it */
};

/* Adds a place to a probe, which is created if this is its first. returns: as in user_place(). */
static void make_probe(struct matching *m, const char *func, const char *name, const struct probe_def *def,
	uint64_t off, uint64_t returns)
{
	struct user_probe *up = user_probe(m->u, m->obj, m->prov, func, name, def);

	user_place(m->u, up, m->obj, off, returns);
	*vec_push(m->u->arena, &m->made) = up;
}

/* "1f" as a number. */
static bool parse_offset(const char *s, uint64_t *out)
{
	char *end;

	if (!*s || strspn(s, "0123456789abcdefABCDEF") != strlen(s) || strlen(s) > 16)
		return false;
	*out = strtoull(s, &end, 16);
	return !*end;
}

/* If a pattern matches many functions, those without such an instruction are left out. */
static void add_offset(struct matching *m, const char *func, uint64_t off, uint64_t size)
{
	struct userprobes *u = m->u;
	enum insn_place place;

	if (m->offset >= (size ? size : 1)) {
		if (!m->glob)
			user_failed(u, D_PROC_OFF, NULL, "offset 0x%llx outside of function '%s', which has %llu bytes",
				(unsigned long long)m->offset, func, (unsigned long long)size);
		return;
	}
	place = object_insn(m->obj, off, size, m->offset);
	if (place == INSN_START)
		make_probe(m, func, m->desc->name, &user_offset, off + m->offset, 0);
	else if (place == INSN_MIDDLE && !m->glob)
		user_failed(u, D_PROC_ALIGN, "a probe there would change the program",
			"offset 0x%llx of function '%s' is not aligned on an instruction",
			(unsigned long long)m->offset, func);
	else if (!m->glob)
		user_failed(u, D_PROC_CREATEFAIL, NULL, "cannot find where the instructions of '%s' up to 0x%llx begin",
			func, (unsigned long long)m->offset);
}

/* For object_each_insn(): one instruction at offset off of the function. Only counts while m->counting. */
static void add_insn(void *ctx, uint64_t off)
{
	struct matching *m = ctx;
	char name[20];

	snprintf(name, sizeof(name), "%llx", (unsigned long long)off);
	if (!pdesc_glob(m->desc->name, name))
		return;
	m->ninsns++;
	if (!m->counting)
		make_probe(m, m->first, name, &user_offset, m->first_off + off, 0);
}

/* The probes at a function's entry and return. */
static void make_probes(struct matching *m, uint64_t off, uint64_t size)
{
	struct userprobes *u = m->u;
	const char *func = m->first;

	if (object_refused(m->obj, off)) {
		if (!m->glob)
			user_failed(u, D_PROC_CREATEFAIL, NULL,
				"the kernel cannot put a probe on the first instruction of '%s'", func);
		return;
	}
	if (pdesc_glob(m->desc->name, "entry"))
		make_probe(m, func, "entry", &user_entry, off, 0);
	if (!pdesc_glob(m->desc->name, "return"))
		return;
	if (!no_return(func))
		make_probe(m, func, "return", &user_return, off, object_return(m->obj, off, size));
	else if (!m->glob && *m->desc->name && !pdesc_is_glob(m->desc->name))
		user_failed(u, D_PROC_CREATEFAIL, "its entry can be traced",
			"the return of '%s' cannot be traced: it does not return as functions do", func);
}

/* One symbol. If any of a function's symbols matches, the function does, under the name of its first one. */
static void add_symbol(void *ctx, const char *name, uint64_t off, uint64_t size)
{
	struct matching *m = ctx;
	bool taken;

	if (!m->first || off != m->first_off) {
		m->first = name;
		m->first_off = off;
		m->made.n = 0;
		m->taken = false;
	}
	if (!pdesc_glob(m->desc->func, name) || (m->glob && is_part(name)))
		return;
	taken = m->taken;
	m->any = m->taken = true;
	if (!taken && m->at_offset)
		add_offset(m, m->first, off, size);
	if (!taken && m->insns)
		object_each_insn(m->obj, off, size, add_insn, m);
	if (!taken && !m->at_offset && !m->counting)
		make_probes(m, off, size);
	for (size_t i = 0; name != m->first && i < m->made.n; i++)
		user_alias(m->u, m->made.v[i], name);
}

/* ---- what is not there ------------------------------------------------------------------------------------------- */
struct naming {
	struct arena *arena;
	VEC(const char *) names;
};

static void add_name(void *ctx, const char *name, uint64_t off, uint64_t size)
{
	struct naming *n = ctx;

	(void)off;
	(void)size;
	*vec_push(n->arena, &n->names) = name;
}

/* Explains why a file has no function of that name: damaged, stripped, or misspelt. */
static void no_function(struct userprobes *u, const struct object *obj, const struct elfsyms *syms, const char *func)
{
	struct naming n = { .arena = u->arena };
	const char *near;

	elfsyms_each(syms, add_name, &n);
	if (!n.names.n && object_cut(obj)) {
		user_failed(u, D_PROC_LIB, NULL, "%s is damaged: its list of sections is not within it", obj->path);
		return;
	}
	if (!n.names.n) {
		user_failed(u, D_PROC_FUNC, "its debugging symbols, in /usr/lib/debug, would name them",
			"%s is stripped: it names no functions", obj->path);
		return;
	}
	*vec_push(u->arena, &n.names) = NULL;
	near = nearest_name(func, n.names.v);
	user_failed(u, D_PROC_FUNC, near ? arena_printf(u->arena, "did you mean %s?", near) : NULL,
		"failed to find function '%s' in %s", func, obj->path);
}

/* Opens the file. False after user_failed(). */
static bool openable(struct userprobes *u, struct object *obj)
{
	const char *machine = "";

	switch (object_open(u->objects, obj, &machine)) {
	case OBJECT_GOOD:
		return true;
	case OBJECT_UNREADABLE:
		user_failed(u, D_PROC_GRAB, NULL, "cannot read %s: %s", obj->path, strerror(obj->error));
		return false;
	case OBJECT_NO_ELF:
		user_failed(u, D_PROC_LIB, NULL, "%s is no program or library", obj->path);
		return false;
	case OBJECT_FOREIGN:
		user_failed(u, D_PROC_GRAB, NULL, "%s is for %s: only this machine's own kind is traced", obj->path,
			machine);
		return false;
	}
	return false;
}

/* Above this number the kernel takes half a minute to attach, which is rarely intended. */
#define INSNS_MAX 100000

/* Runs the match once without making probes. False, or true after user_failed(). */
static bool too_many_insns(const struct matching *all, const object_list *objs)
{
	struct matching m = *all;

	m.counting = true;
	for (size_t i = 0; m.insns && i < objs->n; i++) {
		const struct elfsyms *syms;

		m.obj = objs->v[i];
		m.any = false;
		m.first = NULL;
		syms = openable(m.u, m.obj) ? object_functions(m.u->objects, m.obj) : NULL;
		if (syms)
			elfsyms_each(syms, add_symbol, &m);
	}
	if (m.ninsns > INSNS_MAX)
		user_failed(m.u, D_PROC_CREATEFAIL, "name entry, return or a function: an empty name means them all",
			"%zu instructions are meant, more than %d", m.ninsns, INSNS_MAX);
	return m.ninsns > INSNS_MAX;
}

/* p*d123 means pid123. */
static const char *provider_name(struct userprobes *u, const struct pdesc *pd)
{
	if (!pdesc_is_glob(u->pd.stem))
		return pd->prov;
	return u->pd.everywhere ? "pid*" : arena_printf(u->arena, "pid%d", (int)u->pd.pid);
}

void pid_make_functions(struct userprobes *u, const struct pdesc *pd, const object_list *objs)
{
	struct matching m = {
		.u = u, .prov = provider_name(u, pd), .desc = pd, .glob = !*pd->func || pdesc_is_glob(pd->func)
	};
	bool any = false;

	m.at_offset =
		strcmp(pd->name, "entry") != 0 && strcmp(pd->name, "return") != 0 && parse_offset(pd->name, &m.offset);
	m.insns = !*pd->name || pdesc_is_glob(pd->name);
	if (too_many_insns(&m, objs))
		return;
	for (size_t i = 0; i < objs->n; i++) {
		const struct elfsyms *syms;

		m.obj = objs->v[i];
		m.any = false;
		m.first = NULL;
		if (!openable(u, m.obj))
			continue;
		syms = object_functions(m.u->objects, m.obj);
		if (syms)
			elfsyms_each(syms, add_symbol, &m);
		any |= m.any;
		if (syms && !m.any && !m.glob && objs->n == 1)
			no_function(u, m.obj, syms, pd->func);
	}
	if (!any && !m.glob && objs->n > 1)
		user_failed(u, D_PROC_FUNC, NULL, "failed to find function '%s' in the %zu objects", pd->func, objs->n);
}

/* pid123:a.out:-:401136: an address in the program, as nm and objdump show it. */
void pid_make_address(struct userprobes *u, const struct pdesc *pd, const object_list *objs)
{
	struct matching m = { .u = u, .prov = provider_name(u, pd), .desc = pd };
	uint64_t addr = 0, off, distance;
	const struct elfsyms *syms = NULL;
	const char *func;

	for (size_t i = 0; i < objs->n && !syms; i++)
		if (objs->v[i]->program && openable(u, objs->v[i])) {
			m.obj = objs->v[i];
			syms = object_functions(m.u->objects, m.obj);
		}
	(void)parse_offset(pd->name, &addr);
	if (!syms)
		return;
	if (!elfsyms_file_off(syms, addr, &off) || !elfsyms_find(syms, off, &func, &distance)) {
		user_failed(u, D_PROC_OFF, NULL, "%s has no function at 0x%llx", m.obj->path, (unsigned long long)addr);
		return;
	}
	m.offset = distance;
	if (object_insn(m.obj, off - distance, distance + 1, distance) == INSN_START)
		user_place(u, user_probe(u, m.obj, m.prov, "-", pd->name, &user_offset), m.obj, off, 0);
	else
		user_failed(u, D_PROC_ALIGN, "a probe there would change the program",
			"address 0x%llx, in function '%s', is not aligned on an instruction", (unsigned long long)addr,
			func);
}

/* Reports a wrong name before any object is searched, which may take long. */
bool pid_check_name(struct userprobes *u, const struct pdesc *pd)
{
	static const char hint[] = "entry, return, or the offset of an instruction, as 1f";
	uint64_t off;

	if (!strcmp(pd->func, "-")) {
		if (*pd->mod && strcmp(pd->mod, "a.out") != 0)
			user_failed(u, D_PROC_LIB, NULL, "only the a.out module is valid with the '-' function");
		else if (!parse_offset(pd->name, &off))
			user_failed(u, D_PROC_NAME, NULL,
				"only individual addresses may be specified with the '-' function");
		else
			return true;
		return false;
	}
	if (!*pd->name || pdesc_is_glob(pd->name) || !strcmp(pd->name, "entry") || !strcmp(pd->name, "return") ||
		parse_offset(pd->name, &off))
		return true;
	user_failed(u, D_PROC_NAME, hint, "'%s' is no name of a probe in a function", pd->name);
	return false;
}
