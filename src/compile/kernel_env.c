/* SPDX-License-Identifier: GPL-2.0-or-later */
/* script_kernel: what the compiler asks of the running kernel. Nothing is read before it is asked for. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "api/dwire_priv.h"
#include "kernel/ksyms.h"
#include "kernel/lockdown.h"
#include "kernel/sysevents.h"
#include "kernel/tracepoints.h"
#include "namespaces/pidns.h"
#include "namespaces/zone.h"

/* ---- lists of probes --------------------------------------------------------------------------------------------- */
static const struct uplace *find_functions(void *ctx, const struct ufunctions *f, size_t *n)
{
	return userprobes_functions(((struct dwire *)ctx)->users, f, n);
}

/* ---- tracepoints ------------------------------------------------------------------------------------------------- */
static bool has_tracepoint(void *ctx, const char *name)
{
	return kbtf_has_tracepoint(ctx, name) || tracepoint_exists(name);
}

/* Puts its group to each tracepoint. */
struct grouping {
	struct tracepoint_list l;
	struct strmap *typed;
	void (*each)(void *to, const struct listed_tracepoint *t);
	void *to;
};

static void add_group(void *ctx, const char *module, const char *name, unsigned nargs)
{
	const struct grouping *g = ctx;
	const char *group = strmap_get(g->l.groups, name);
	const struct listed_tracepoint t = { module, group ? group : "", name, nargs, false };

	strmap_put(g->typed, name, g->typed);
	g->each(g->to, &t);
}

/* Those that BTF has; then those that are only in tracefs. The kernel takes its time to let go of each of these: system
 * calls', which the provider syscall has, are there only if asked for. */
static void each_tracepoint(
	void *ctx, struct arena *a, void (*each)(void *to, const struct listed_tracepoint *t), void *to)
{
	struct dwire *d = ctx;
	struct grouping g = { tracepoints_read(a, d->opts.tpformat), strmap_new(a), each, to };

	if (!d->opts.tpformat)
		kbtf_each_tracepoint(d->btf, add_group, &g);
	for (size_t i = 0; i < g.l.all.n; i++) {
		const struct tracepoint *t = &g.l.all.v[i];

		if (!strmap_get(g.typed, t->name))
			each(to, &(struct listed_tracepoint){ NULL, t->group, t->name, 0, true });
	}
}

/* A tracepoint's record. */
struct event {
	struct kernel_field *fields; /* NULL: its format cannot be had */
	const char *const *args;
	size_t n;
};

static const struct event *read_event(struct dwire *d, const char *target)
{
	struct event *ev = ARENA_NEW(d->arena, struct event);
	struct tpformat f;
	const char **args;

	if (tracepoint_format(d->arena, target, &f))
		return ev;
	ev->n = f.n;
	ev->fields = ARENA_ARRAY(d->arena, struct kernel_field, f.n + 1);
	args = ARENA_ARRAY(d->arena, const char *, f.n + 1);
	for (size_t i = 0; i < f.n; i++) {
		const struct tpfield *t = &f.fields[i];

		args[i] = kbtf_field_text(d->btf, d->arena, t);
		ev->fields[i] = (struct kernel_field){ .name = t->name,
			.off = t->off,
			.size = t->size,
			.is_signed = t->is_signed,
			.dynamic = t->place == TP_DYNAMIC || t->place == TP_DYNTEXT,
			.relative = t->relative };
	}
	ev->args = args;
	return ev;
}

static const struct event *event_of(struct dwire *d, const char *target)
{
	const struct event *ev = d->events ? strmap_get(d->events, target) : NULL;

	if (ev)
		return ev;
	if (!d->events)
		d->events = strmap_new(d->arena);
	ev = read_event(d, target);
	strmap_put(d->events, target, (void *)(uintptr_t)ev);
	return ev;
}

static const char *const *event_args(void *ctx, const char *target)
{
	return event_of(ctx, target)->args;
}

static const struct kernel_field *find_event(void *ctx, const char *target, size_t *n)
{
	const struct event *ev = event_of(ctx, target);

	*n = ev->n;
	return ev->fields;
}

static const char *tracepoint_arg(void *ctx, struct arena *a, const char *module, const char *name, unsigned i)
{
	return kbtf_tracepoint_arg_text(ctx, a, module, name, i);
}

/* ---- functions --------------------------------------------------------------------------------------------------- */
static const struct kfuncs *script_funcs(struct dwire *d)
{
	if (!d->funcs_read)
		d->funcs_err = kfuncs_open(&d->funcs);
	d->funcs_read = true;
	return d->funcs;
}

static void each_function(void *ctx, void (*each)(void *to, const char *module, const char *name), void *to)
{
	if (script_funcs(ctx))
		kfuncs_each(script_funcs(ctx), each, to);
}

static const char *const *function_args(void *ctx, struct arena *a, const char *module, const char *name, bool returned)
{
	const char *mod = strcmp(module, "vmlinux") != 0 ? module : NULL;
	struct kbtf *btf = ((struct dwire *)ctx)->btf;
	struct kfunction f;
	const char **v;
	unsigned n;

	if (!kbtf_function(btf, mod, name, &f))
		return NULL;
	n = f.nargs;
	v = ARENA_ARRAY(a, const char *, n + 3);
	for (unsigned i = 0; i < n && !returned; i++)
		v[i] = kbtf_function_arg_text(btf, a, mod, name, i);
	if (returned)
		v[0] = "int";
	if (returned && f.returns)
		v[1] = kbtf_function_arg_text(btf, a, mod, name, n);
	return v;
}

/* Bytes up to what stands behind it; 0: there is none. */
static uint64_t function_size(void *ctx, const char *module, const char *name)
{
	struct ksyms *k = NULL;
	struct ksym s;
	bool found = ksyms_open(&k) == 0 && ksyms_find(k, module, name, &s) == 0 && strchr("tTwW", s.type);

	(void)ctx;
	ksyms_close(k);
	return found ? s.room : 0;
}

/* Why functions cannot be traced: lockdown forbids it, whatever the kernel has; NULL: not lockdown. */
static const char *locked_down(struct arena *a, int err)
{
	char how[32];

	if (err != -EPERM && err != -EACCES)
		return NULL;
	lockdown_read(how, sizeof(how));
	return *how ? arena_printf(a, "the kernel's lockdown (%s) forbids", how) : NULL;
}

static const char *no_functions(struct dwire *d, struct arena *a)
{
	const char *locked = locked_down(a, d->funcs_err);

	if (locked)
		return arena_printf(a, "%s to trace its functions", locked);
	if (d->funcs_err == -ENOENT || d->funcs_err == -ENODEV)
		return "this kernel cannot trace its functions (CONFIG_FUNCTION_TRACER)";
	return arena_printf(a, "the list of the kernel's functions cannot be read: %s", strerror(-d->funcs_err));
}

static const struct probe_fault *no_probes(struct arena *a, const struct pdesc *pd, const char *why, const char *hint)
{
	struct probe_fault *f = ARENA_NEW(a, struct probe_fault);

	f->tag = D_PDESC_ZERO;
	f->message = arena_printf(a, "probe description %s does not match any probes: %s", pd->text, why);
	f->why = why;
	f->hint = hint;
	return f;
}

/* System calls' own tracepoints. */
static const struct probe_fault *call_fault(struct arena *a, const struct pdesc *pd)
{
	bool enter = !strncmp(pd->name, "sys_enter_", 10), leave = !strncmp(pd->name, "sys_exit_", 9);

	if (strcmp(pd->mod, "syscalls") != 0 && !enter && !leave)
		return NULL;
	return no_probes(a, pd, "system calls are those of the provider syscall",
		arena_printf(a, "syscall::%s:%s; with -x tpformat tracepoints of system calls are listed here too",
			enter           ? pd->name + 10
				: leave ? pd->name + 9
					: "",
			leave ? "return" : "entry"));
}

struct naming {
	struct arena *arena;
	const char *module;
	VEC(const char *) names;
};

static void add_name(void *to, const char *module, const char *name)
{
	struct naming *n = to;

	if (pdesc_glob(n->module, module))
		*vec_push(n->arena, &n->names) = name;
}

/* A hint, or NULL. */
static const char *nearest_function(struct dwire *d, struct arena *a, const struct pdesc *pd)
{
	struct naming n = { .arena = a, .module = pd->mod };
	const char *near;

	kfuncs_each(d->funcs, add_name, &n);
	*vec_push(a, &n.names) = NULL;
	near = nearest_name(pd->func, n.names.v);
	return near ? arena_printf(a, "did you mean fbt:%s:%s:%s?", pd->mod, near, pd->name) : NULL;
}

/* The function is there: is it an offset? */
static const char *wrong_name(struct arena *a, const struct pdesc *pd, uint64_t size)
{
	if (strspn(pd->name, "0123456789abcdef") == strlen(pd->name))
		return arena_printf(a, "%s() has %#llx bytes", pd->func, (unsigned long long)size);
	return "of a function there are entry, return and offsets";
}

/* Why a description of fbt or sdt means no function or tracepoint. */
static const struct probe_fault *function_fault(void *ctx, struct arena *a, const struct pdesc *pd)
{
	const char *why, *hint = NULL;

	if (!strcmp(pd->prov, "sdt") || !strcmp(pd->prov, "rawtp"))
		return call_fault(a, pd);
	if (strcmp(pd->prov, "fbt") != 0)
		return NULL;
	if (!script_funcs(ctx)) {
		why = no_functions(ctx, a);
		hint = "tracepoints can be traced on every kernel: dwire -l -P sdt";
	} else if (!*pd->func || pdesc_is_glob(pd->func)) {
		return NULL;
	} else if (kfuncs_has(script_funcs(ctx), pd->mod, pd->func)) {
		why = wrong_name(a, pd, function_size(ctx, pd->mod, pd->func));
	} else if (function_size(ctx, NULL, pd->func)) {
		why = arena_printf(a, "%s() is in the kernel, but must not be traced", pd->func);
	} else {
		why = arena_printf(a, "the kernel has no function %s(), or has it only inlined", pd->func);
		hint = nearest_function(ctx, a, pd);
	}
	return no_probes(a, pd, why, hint);
}

/* A process of ours that probes are wanted in has to have its libraries. */
static int make_ready(void *ctx, pid_t pid, char *why, size_t why_len)
{
	struct dwire *d = ctx;

	for (size_t i = 0; i < d->nchildren; i++)
		if (child_pid(d->children[i]) == pid)
			return child_ready(d->children[i], why, why_len);
	return 0;
}

void script_lists(struct dwire *d)
{
	d->users = userprobes_new(&(struct userprobes_env){ .arena = d->arena, .ready = make_ready, .ctx = d });
	d->lists = (struct kernel_lists){
		.ctx = d->btf,
		.has_tracepoint = has_tracepoint,
		.tracepoints = each_tracepoint,
		.tracepoint_arg = tracepoint_arg,
		.event_args = event_args,
		.user_make = userprobes_make,
		.user_fault = userprobes_fault,
		.user = d->users,
		.functions = each_function,
		.function_size = function_size,
		.function_fault = function_fault,
		.function_args = function_args,
		.func_ctx = d,
	};
	d->c.lists = &d->lists;
}

/* ---- places -------------------------------------------------------------------------------------------------------
 */
_Static_assert(KERNEL_FUNC_ARGS == KBTF_ARGS && KERNEL_OPAQUE == KBTF_OPAQUE, "of[] is the same on both sides");

static uint32_t find_tracepoint(void *ctx, const char *module, const char *name, struct kernel_func *out)
{
	struct ktracepoint t;

	*out = (struct kernel_func){ .nargs = 0 };
	if (!kbtf_tracepoint(((struct dwire *)ctx)->btf, module, name, &t))
		return 0;
	out->nargs = t.nargs;
	out->module = t.module;
	memcpy(out->of, t.of, sizeof(out->of));
	return t.id;
}

static uint32_t find_function(void *ctx, const char *module, const char *name, struct kernel_func *out)
{
	struct dwire *d = ctx;
	struct kfunction f;

	if (!kbtf_function(d->btf, module, name, &f))
		return 0;
	out->nargs = f.nargs;
	out->returns = f.returns;
	out->unusual = f.unusual;
	memcpy(out->words, f.words, sizeof(out->words));
	memcpy(out->of, f.of, sizeof(out->of));
	out->ret_of = f.of[KERNEL_FUNC_ARGS];
	return f.id;
}

static bool fentry_on(void *ctx, const char *module, uint32_t id)
{
	int types = module ? kbtf_module_fd(module) : 0;
	bool can = types >= 0 && features_fentry_on(types, id);

	(void)ctx;
	if (types > 0)
		close(types);
	return can;
}

/* BTF has the functions that have code of their own. Where it does not say, the list of those that can be traced
 * does. */
static bool has_function(void *ctx, const char *module, const char *name)
{
	struct dwire *d = ctx;
	struct kernel_func f;

	if (find_function(d, module, name, &f))
		return true;
	return script_funcs(d) && kfuncs_has(d->funcs, module, name);
}

static const char *tier_lacks(void *ctx, enum tier t)
{
	struct dwire *d = ctx;
	struct kernel_func f;
	const char *locked;

	switch (t) {
	case TIER_FUNCTIONS:
		if (features_fentry(d->features, find_function(d, NULL, "bpf_fentry_test1", &f)))
			return NULL;
		locked = locked_down(d->arena, features_fentry_error(d->features));
		return locked ? arena_printf(d->arena, "fentry, which %s", locked)
			      : "fentry (CONFIG_FUNCTION_TRACER, CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS)";
	case TIER_KPROBES:
		return features_kprobes(d->features) ? NULL : "kprobes (CONFIG_KPROBE_EVENTS)";
	case TIER_HOOKS:
	case TIER_COUNT:
		break;
	}
	return NULL;
}

static uint32_t find_netns(void *ctx, const char *name)
{
	const struct dwire *d = ctx;
	struct zones *z = zone_new(features_global_netns(d->features));
	uint32_t n = z ? zone_number(z, name) : 0;

	zone_free(z);
	return n;
}

static bool has_syscall_event(void *ctx, const char *at, const char *call)
{
	const struct dwire *d = ctx;
	struct sysevents *s = features_sysevents(d->features);

	return s && sysevents_has(s, at, call);
}

void script_env(struct dwire *d)
{
	static const char *const names[] = { "bpf_cast_to_kern_ctx", "bpf_rdonly_cast",
		"bpf_uprobe_multi_link_attach" };
	struct lower_env *env = &d->c.lenv;
	uint32_t ids[3];

	kbtf_funcs(d->btf, names, ids, 3);
	env->kfunc_kern_ctx = ids[0];
	env->kfunc_rdonly_cast = ids[1];
	env->uprobe_multi = ids[2] != 0;
	if (pidns_inner())
		features_set_netns(d->features, pidns_first_netns(d->arena, &d->ktypes));
	env->first_netns = features_global_netns(d->features);
	env->page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	env->netns = find_netns;
	env->functions = find_functions;
	env->tracepoint = find_tracepoint;
	env->event = find_event;
	env->ctx = d;
	env->function = find_function;
	env->has_function = has_function;
	env->fentry_on = fentry_on;
	env->tier_lacks = tier_lacks;
	env->syscall_event = has_syscall_event;
}
