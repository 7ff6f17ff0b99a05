/* SPDX-License-Identifier: GPL-2.0-or-later */
/* userprobes: see userprobes.h.
 * Input: descriptions, processes, ELF files. Output: probes with their places.
 * Invariants: a probe is made once, however many descriptions match it; the files of all places stay open. */
#include "compile/user/userprobes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/arch.h"
#include "base/diag/nearest.h"
#include "base/diag/report.h"
#include "base/escape.h"
#include "base/strmap.h"
#include "compile/user/userprobes_priv.h"
#include "probes/user.h"
#include "symbols/objects.h"

struct userprobes *userprobes_new(const struct userprobes_env *env)
{
	struct userprobes *u = ARENA_NEW(env->arena, struct userprobes);

	u->env = *env;
	u->arena = env->arena;
	u->objects = objects_new(env->arena, env->to);
	u->providers = strmap_new(env->arena);
	u->probes = strmap_new(env->arena);
	return u;
}

void userprobes_free(struct userprobes *u)
{
	if (u)
		objects_free(u->objects);
}

/* ---- descriptions ------------------------------------------------------------------------------------------------ */
/* The process's objects that the description means. */
static bool process_objects(struct userprobes *u, const struct pdesc *pd, object_list *out)
{
	object_list all = { 0 };
	struct report_kept kept;
	int r;

	if (u->pd.bad_pid) {
		user_failed(u, D_PROC_BADPID, "-p PID or -c COMMAND gives $target its value",
			"'%s' does not name a process", pd->prov);
		return false;
	}
	report_keep(&kept);
	r = u->env.ready ? u->env.ready(u->env.ctx, u->pd.pid, &kept.reporter) : 0;
	if (r) {
		user_failed(u, D_PROC_GRAB, NULL, "%s", kept.message);
		return false;
	}
	r = objects_process(u->objects, u->pd.pid, &all);
	if (r) {
		user_failed(u, D_PROC_GRAB, NULL, "failed to grab process %d: %s", (int)u->pd.pid,
			r == -ESRCH             ? "there is no such process"
				: r == -ENOEXEC ? "it is a kernel thread, or has ended"
						: strerror(-r));
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

/* No object of the process has the name that the description gives. The hint names the nearest object; or the program's
 * own file, because a program started through a symbolic link is mapped under its real name. */
static void no_object(struct userprobes *u, const struct pdesc *pd)
{
	VEC(const char *) names = { 0 };
	object_list all = { 0 };
	const char *near = NULL, *program = NULL;
	const char *hint = "a library that is loaded later can be named by its absolute path";

	if (!u->pd.everywhere && objects_process(u->objects, u->pd.pid, &all) == 0) {
		for (size_t i = 0; i < all.n; i++) {
			*vec_push(u->arena, &names) = all.v[i]->base;
			if (all.v[i]->program)
				program = all.v[i]->base;
		}
		*vec_push(u->arena, &names) = NULL;
		near = nearest_name(pd->mod, names.v);
	}
	if (near)
		hint = arena_printf(u->arena, "did you mean %s?", near);
	else if (program && *pd->mod != '/' && !strstr(pd->mod, ".so")) /* it may have been started by a link's name */
		hint = arena_printf(u->arena, "the program's file is %s, or a.out", program);
	user_failed(
		u, D_PDESC_ZERO, hint, *pd->mod == '/' ? "there is no file %s" : "no object '%s' is mapped", pd->mod);
}

struct wanted {
	const char *mod;
};

/* For objects_everywhere(): filters by path and name before a file is opened, because opening thousands is slow. */
static bool is_wanted(void *ctx, const char *path, const char *base)
{
	const char *mod = ((const struct wanted *)ctx)->mod;

	return !*mod || user_module(mod, path, base, false);
}

/* Is it a file of the list, seen through another container? Its device differs there, so inode number and name
 * decide. */
static bool is_copy(const object_list *list, const struct object *obj)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i]->ino == obj->ino && !strcmp(list->v[i]->base, obj->base))
			return true;
	return false;
}

/* Searches the standard folders, for libraries that no process has mapped yet, or only where we may not look. */
static void installed(struct userprobes *u, const char *name, object_list *out)
{
	static const char *const folders[] = { ("/lib/" ARCH_MULTIARCH), "/lib64", "/usr/lib64", "/lib", "/usr/lib",
		"/usr/local/lib" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && !pdesc_is_glob(name); i++) {
		struct object *obj = objects_file(u->objects, 0, arena_printf(u->arena, "%s/%s", folders[i], name));

		if (!obj)
			continue;
		if (!is_copy(out, obj))
			*vec_push(u->arena, out) = obj;
		return;
	}
}

/* The objects that a description without a process means (pid*, or a USDT provider without a number). False after
 * user_failed(). An absolute path names a file that need not be mapped by any process yet. */
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
	else if (!any) /* no number at its end is a process's: nfsv3 */
		u->fault.message = NULL;
}

/* Parses the description, finds its objects and makes their probes. A failure is kept in u->fault until the next
 * description: the caller asks for it only if no other provider has a match. */
void userprobes_make(void *user, struct probe_list *l, const struct pdesc *pd)
{
	struct userprobes *u = user;
	object_list objs = { 0 };
	bool ok;

	u->fault = (struct probe_fault){ .message = NULL };
	u->asked = pd;
	if (!user_pdesc_parse(l, pd, &u->pd))
		return;
	u->list = l;
	if (!u->pd.is_pid) {
		make_usdt(u, pd);
		return;
	}
	ok = pid_check_name(u, pd) &&
		(u->pd.everywhere ? everywhere_objects(u, pd, &objs) : process_objects(u, pd, &objs));
	if (!ok)
		return;
	if (!objs.n)
		no_object(u, pd);
	if (strcmp(pd->func, "-") != 0)
		pid_make_functions(u, pd, &objs);
	else
		pid_make_address(u, pd, &objs);
}

const struct probe_fault *userprobes_fault(void *user, const struct pdesc *pd)
{
	const struct userprobes *u = user;

	return u->asked == pd && u->fault.message ? &u->fault : NULL;
}

/* ---- functions of libraries, for providers ----------------------------------------------------------------------- */
/* For objects_everywhere(): is it one of the libraries that a provider names, such as libssl.so*? */
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

/* Adds a function that the provider names. cookie is the index of its name, so that one program serves all functions
 * and knows which one was called. */
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

/* Searches those of list that can be read and are no copies of those in good, and adds them to good. */
static void add_functions(struct finding *w, const object_list *list, object_list *good)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *machine;

		if (is_copy(good, list->v[i]) || object_open(w->u->objects, list->v[i], &machine) != OBJECT_GOOD)
			continue;
		*vec_push(w->u->arena, good) = list->v[i];
		w->obj = list->v[i];
		if (object_functions(w->u->objects, list->v[i]))
			elfsyms_each(list->v[i]->syms, find_function, w);
	}
}

/* The result is cached by f: a provider's probes share one list of functions, and scanning all processes is slow. */
const struct uplace *userprobes_functions(struct userprobes *u, const struct ufunctions *f, size_t *n)
{
	object_list mapped = { 0 }, files = { 0 }, good = { 0 };
	struct finding w = { .u = u };

	for (size_t i = 0; i < u->found.n && !w.found; i++)
		w.found = u->found.v[i]->of == f ? u->found.v[i] : NULL;
	if (!w.found) {
		w.found = ARENA_NEW(u->arena, struct found);
		w.found->of = f;
		*vec_push(u->arena, &u->found) = w.found;
		objects_everywhere(u->objects, is_library_of, (void *)(uintptr_t)f, &mapped);
		add_functions(&w, &mapped, &good);
		for (const char *const *p = f->objects; *p; p++)
			installed(u, *p, &files);
		add_functions(&w, &files, &good);
	}
	*n = w.found->places.n;
	return w.found->places.v;
}
