/* userprobes: see userprobes.h. Input: descriptions, processes, ELF files. Output: probes with their places.
 * Invariants: a probe is made once, however many descriptions name it; the files of all places stay open. */
#include "run/userprobes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/strmap.h"
#include "kernel/objects.h"
#include "prov/user.h"
#include "run/userprobes_priv.h"

struct userprobes *userprobes_new(const struct userprobes_env *env)
{
	struct userprobes *u = ARENA_NEW(env->arena, struct userprobes);

	u->env = *env;
	u->arena = env->arena;
	u->objects = objects_new(env->arena);
	u->providers = strmap_new(env->arena);
	u->probes = strmap_new(env->arena);
	return u;
}

void userprobes_free(struct userprobes *u)
{
	if (u)
		objects_free(u->objects);
}

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

/* ---- probes ------------------------------------------------------------------------------------------------------ */
static const struct provider *provider_of(struct userprobes *u, const char *name)
{
	struct provider *p = strmap_get(u->providers, name);

	if (!p) {
		p = (struct provider *)(uintptr_t)user_provider(u->arena, arena_strdup(u->arena, name));
		strmap_put(u->providers, name, p);
	}
	return p;
}

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

/* returns: where in the function it returns; 0: not known, or not meant. */
static void user_place(
	struct userprobes *u, struct user_probe *up, const struct object *obj, uint64_t off, uint64_t returns)
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

/* ---- functions --------------------------------------------------------------------------------------------------- */
/* Their callers' return address is not where it is for others: on the way back the process would go astray. */
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

/* What the compiler has moved out of a function is none of its own. */
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
	const char *func; /* whose instructions are looked at, and where it is */
	uint64_t func_off;
	uint64_t offset;
	uint64_t last; /* the functions' address that was taken last, of a pattern */
};

/* "1f" as a number. */
static bool parse_offset(const char *s, uint64_t *out)
{
	char *end;

	if (!*s || strspn(s, "0123456789abcdefABCDEF") != strlen(s) || strlen(s) > 16)
		return false;
	*out = strtoull(s, &end, 16);
	return !*end;
}

/* Of many functions those are left out that have no such instruction. */
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
		user_place(u, user_probe(u, m->obj, m->prov, func, m->desc->name, &user_offset), m->obj,
			off + m->offset, 0);
	else if (place == INSN_MIDDLE && !m->glob)
		user_failed(u, D_PROC_ALIGN, "a probe there would change the program",
			"offset 0x%llx of function '%s' is not aligned on an instruction",
			(unsigned long long)m->offset, func);
	else if (!m->glob)
		user_failed(u, D_PROC_CREATEFAIL, NULL,
			"it cannot be told where the instructions of '%s' begin up to 0x%llx", func,
			(unsigned long long)m->offset);
}

static void add_insn(void *ctx, uint64_t off)
{
	struct matching *m = ctx;
	char name[20];

	snprintf(name, sizeof(name), "%llx", (unsigned long long)off);
	if (!pdesc_glob(m->desc->name, name))
		return;
	m->ninsns++;
	if (!m->counting)
		user_place(m->u, user_probe(m->u, m->obj, m->prov, m->func, name, &user_offset), m->obj,
			m->func_off + off, 0);
}

static void add_function(void *ctx, const char *name, uint64_t off, uint64_t size)
{
	struct matching *m = ctx;
	struct userprobes *u = m->u;

	if (!pdesc_glob(m->desc->func, name) || (m->glob && ((m->any && off == m->last) || is_part(name))))
		return;
	m->any = true;
	m->last = off;
	if (m->at_offset) {
		add_offset(m, name, off, size);
		return;
	}
	if (m->insns) {
		m->func = name;
		m->func_off = off;
		object_each_insn(m->obj, off, size, add_insn, m);
		if (m->counting)
			return;
	}
	if (object_refused(m->obj, off)) {
		if (!m->glob)
			user_failed(u, D_PROC_CREATEFAIL, NULL,
				"the kernel cannot put a probe on the first instruction of '%s'", name);
		return;
	}
	if (pdesc_glob(m->desc->name, "entry"))
		user_place(u, user_probe(u, m->obj, m->prov, name, "entry", &user_entry), m->obj, off, 0);
	if (!pdesc_glob(m->desc->name, "return"))
		return;
	if (!no_return(name))
		user_place(u, user_probe(u, m->obj, m->prov, name, "return", &user_return), m->obj, off,
			object_return(m->obj, off, size));
	else if (!m->glob && *m->desc->name && !pdesc_is_glob(m->desc->name))
		user_failed(u, D_PROC_CREATEFAIL, "its entry can be traced",
			"the return of '%s' cannot be traced: it does not return as functions do", name);
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

/* More than these at once take the kernel half a minute; few mean it. */
#define INSNS_MAX 100000

static bool too_many_insns(const struct matching *all, const object_list *objs)
{
	struct matching m = *all;

	m.counting = true;
	for (size_t i = 0; m.insns && i < objs->n; i++) {
		const struct elfsyms *syms;

		m.obj = objs->v[i];
		m.any = false;
		syms = openable(m.u, m.obj) ? object_functions(m.obj) : NULL;
		if (syms)
			elfsyms_each(syms, add_function, &m);
	}
	if (m.ninsns > INSNS_MAX)
		user_failed(m.u, D_PROC_CREATEFAIL, "name entry, return or a function: an empty name means them all",
			"%zu instructions are meant, more than %d", m.ninsns, INSNS_MAX);
	return m.ninsns > INSNS_MAX;
}

static void make_functions(struct userprobes *u, const struct pdesc *pd, const object_list *objs)
{
	struct matching m = { .u = u, .prov = pd->prov, .desc = pd, .glob = !*pd->func || pdesc_is_glob(pd->func) };
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
		if (!openable(u, m.obj))
			continue;
		syms = object_functions(m.obj);
		if (syms)
			elfsyms_each(syms, add_function, &m);
		any |= m.any;
		if (syms && !m.any && !m.glob && objs->n == 1)
			no_function(u, m.obj, syms, pd->func);
	}
	if (!any && !m.glob && objs->n > 1)
		user_failed(u, D_PROC_FUNC, NULL, "failed to find function '%s' in the %zu objects", pd->func, objs->n);
}

/* pid123:a.out:-:401136: an address in the program, as nm and objdump show it. */
static void make_address(struct userprobes *u, const struct pdesc *pd, const object_list *objs)
{
	struct matching m = { .u = u, .prov = pd->prov, .desc = pd };
	uint64_t addr = 0, off, distance;
	const struct elfsyms *syms = NULL;
	const char *func;

	for (size_t i = 0; i < objs->n && !syms; i++)
		if (objs->v[i]->program && openable(u, objs->v[i])) {
			m.obj = objs->v[i];
			syms = object_functions(m.obj);
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

/* ---- descriptions ------------------------------------------------------------------------------------------------ */
static bool check_pid_name(struct userprobes *u, const struct pdesc *pd)
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

/* The process's objects that the description means. */
static bool process_objects(struct userprobes *u, const struct pdesc *pd, object_list *out)
{
	object_list all = { 0 };
	char why[256];
	int r;

	if (u->pd.bad_pid) {
		user_failed(u, D_PROC_BADPID, "-p PID or -c COMMAND gives $target its value",
			"'%s' does not name a process", pd->prov);
		return false;
	}
	r = u->env.ready ? u->env.ready(u->env.ctx, u->pd.pid, why, sizeof(why)) : 0;
	if (r) {
		user_failed(u, D_PROC_GRAB, NULL, "%s", why);
		return false;
	}
	r = objects_process(u->objects, u->pd.pid, &all);
	if (r) {
		user_failed(u, D_PROC_GRAB, NULL, "failed to grab process %d: %s", (int)u->pd.pid,
			r == -ESRCH ? "there is no such process" : strerror(-r));
		return false;
	}
	for (size_t i = 0; i < all.n; i++)
		if (!*pd->mod || user_module(pd->mod, all.v[i]->path, all.v[i]->base, all.v[i]->program))
			*vec_push(u->arena, out) = all.v[i];
	if (!out->n && *pd->mod == '/' && !pdesc_is_glob(pd->mod)) { /* to be loaded later */
		struct object *obj = objects_file(u->objects, u->pd.pid, pd->mod);

		if (obj)
			*vec_push(u->arena, out) = obj;
	}
	return true;
}

static void no_object(struct userprobes *u, const struct pdesc *pd)
{
	struct naming n = { .arena = u->arena };
	object_list all = { 0 };
	const char *near = NULL;

	if (!u->pd.everywhere && objects_process(u->objects, u->pd.pid, &all) == 0) {
		for (size_t i = 0; i < all.n; i++)
			add_name(&n, all.v[i]->base, 0, 0);
		*vec_push(u->arena, &n.names) = NULL;
		near = nearest_name(pd->mod, n.names.v);
	}
	user_failed(u, D_PDESC_ZERO,
		near ? arena_printf(u->arena, "did you mean %s?", near)
		     : "a library that is loaded later can be named by its absolute path",
		*pd->mod == '/' ? "there is no file %s" : "no object '%s' is mapped", pd->mod);
}

struct wanted {
	const char *mod;
};

static bool is_wanted(void *ctx, const char *path, const char *base)
{
	const char *mod = ((const struct wanted *)ctx)->mod;

	return !*mod || user_module(mod, path, base, false);
}

/* The same file below the layers of several containers has several devices. */
static bool is_copy(const object_list *list, const struct object *obj)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i]->ino == obj->ino && !strcmp(list->v[i]->base, obj->base))
			return true;
	return false;
}

/* Where libraries are that no process may have mapped yet. */
static void installed(struct userprobes *u, const char *name, object_list *out)
{
	static const char *const folders[] = { "/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64",
		"/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && !pdesc_is_glob(name); i++) {
		struct object *obj = objects_file(u->objects, 0, arena_printf(u->arena, "%s/%s", folders[i], name));

		if (!obj)
			continue;
		if (!is_copy(out, obj))
			*vec_push(u->arena, out) = obj;
		return;
	}
}

static bool everywhere_objects(struct userprobes *u, const struct pdesc *pd, object_list *out)
{
	struct wanted w = { pd->mod };
	object_list all = { 0 };

	if (u->pd.is_pid && (!*pd->mod || !strcmp(pd->mod, "*") || !strcmp(pd->mod, "a.out"))) {
		user_failed(u, D_PROC_LIB, "as in pid*:libc.so.6:getaddrinfo:entry, or an absolute path",
			"for every process one object has to be named");
		return false;
	}
	if (*pd->mod == '/' && !pdesc_is_glob(pd->mod)) {
		struct object *obj = objects_file(u->objects, 0, pd->mod);

		if (obj)
			*vec_push(u->arena, out) = obj;
		return true;
	}
	objects_everywhere(u->objects, is_wanted, &w, &all);
	for (size_t i = 0; i < all.n; i++)
		if (!is_copy(out, all.v[i]))
			*vec_push(u->arena, out) = all.v[i];
	if (!out->n && *pd->mod)
		installed(u, pd->mod, out);
	return true;
}

/* A provider's own name may end with digits: "v8" in process 123 is v8123. Every way to read it is tried. */
static void make_usdt(struct userprobes *u, const struct pdesc *pd)
{
	const struct user_pdesc whole = u->pd;
	object_list objs = { 0 }, first = { 0 };
	bool any = false;

	if (u->pd.everywhere) {
		if (!everywhere_objects(u, pd, &objs) || usdt_make(u, pd, &objs))
			return;
		usdt_missing(u, pd, &objs);
		return;
	}
	for (size_t at = strlen(whole.stem); pd->prov[at]; at++) {
		u->pd.stem = arena_strndup(u->arena, pd->prov, at);
		u->pd.pid = (int32_t)strtoul(pd->prov + at, NULL, 10);
		u->pd.bad_pid = u->pd.pid <= 0 || pd->prov[at] == '0';
		objs.n = 0;
		if (!u->pd.bad_pid && process_objects(u, pd, &objs) && usdt_make(u, pd, &objs)) {
			any = true;
			break;
		}
		if (!first.n && objs.n) {
			first = objs;
			objs = (object_list){ 0 };
		}
	}
	u->pd = whole;
	if (any || first.n)
		u->fault.message = NULL;
	if (!any && first.n)
		usdt_missing(u, pd, &first);
	else if (!any)
		u->fault.tag = D_PDESC_ZERO;
}

void userprobes_make(void *user, struct probe_list *l, const struct pdesc *pd)
{
	struct userprobes *u = user;
	object_list objs = { 0 };
	bool ok;

	u->fault = (struct probe_fault){ .message = NULL };
	u->asked = pd;
	if (!user_pdesc_parse(u->arena, pd, &u->pd))
		return;
	u->list = l;
	if (!u->pd.is_pid) {
		make_usdt(u, pd);
		return;
	}
	ok = check_pid_name(u, pd) &&
		(u->pd.everywhere ? everywhere_objects(u, pd, &objs) : process_objects(u, pd, &objs));
	if (!ok)
		return;
	if (!objs.n)
		no_object(u, pd);
	if (strcmp(pd->func, "-") != 0)
		make_functions(u, pd, &objs);
	else
		make_address(u, pd, &objs);
}

const struct probe_fault *userprobes_fault(void *user, const struct pdesc *pd)
{
	const struct userprobes *u = user;

	return u->asked == pd && u->fault.message ? &u->fault : NULL;
}

/* ---- functions of libraries, for providers ----------------------------------------------------------------------- */
static bool is_library_of(void *ctx, const char *path, const char *base)
{
	const struct ufunctions *f = ctx;

	(void)path;
	for (const char *const *p = f->objects; *p; p++)
		if (pdesc_glob(*p, base))
			return true;
	return false;
}

struct finding {
	struct userprobes *u;
	const struct object *obj;
	struct found *found;
};

static void find_function(void *ctx, const char *name, uint64_t off, uint64_t size)
{
	struct finding *f = ctx;
	const char *const *names = f->found->of->names;

	(void)size;
	for (size_t i = 0; names[i]; i++) {
		if (strcmp(names[i], name) != 0)
			continue;
		for (size_t k = 0; k < f->found->places.n; k++) /* another name of the same function */
			if (f->found->places.v[k].off == off && !strcmp(f->found->places.v[k].path, f->obj->file))
				return;
		*vec_push(f->u->arena, &f->found->places) = (struct uplace){
			.path = f->obj->file,
			.shown = escape_name(f->u->arena, arena_printf(f->u->arena, "%s of %s", name, f->obj->path)),
			.off = off,
			.cookie = i,
		};
	}
}

const struct uplace *userprobes_functions(struct userprobes *u, const struct ufunctions *f, size_t *n)
{
	object_list mapped = { 0 }, objs = { 0 };
	struct finding w = { .u = u };

	for (size_t i = 0; i < u->found.n && !w.found; i++)
		w.found = u->found.v[i]->of == f ? u->found.v[i] : NULL;
	if (!w.found) {
		w.found = ARENA_NEW(u->arena, struct found);
		w.found->of = f;
		*vec_push(u->arena, &u->found) = w.found;
		objects_everywhere(u->objects, is_library_of, (void *)(uintptr_t)f, &mapped);
		for (const char *const *p = f->objects; *p; p++)
			installed(u, *p, &mapped);
		for (size_t i = 0; i < mapped.n; i++) {
			const char *machine;

			if (is_copy(&objs, mapped.v[i]) ||
				object_open(u->objects, mapped.v[i], &machine) != OBJECT_GOOD)
				continue;
			*vec_push(u->arena, &objs) = mapped.v[i];
			w.obj = mapped.v[i];
			if (object_functions(mapped.v[i]))
				elfsyms_each(mapped.v[i]->syms, find_function, &w);
		}
	}
	*n = w.found->places.n;
	return w.found->places.v;
}
