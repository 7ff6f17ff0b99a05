/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel_env: see kernel_env.h.
 * Input: the kernel's BTF, tracefs, kallsyms, and its probed features. Output: the lists of probes and the callbacks
 * of the compiler.
 * Invariant: each source is read only when the compiler first asks for it. */
#include "compile/kernel_env.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/diag/nearest.h"
#include "base/hash.h"
#include "compile/compile.h"
#include "compile/packetfilter.h"
#include "compile/user/userprobes.h"
#include "kernel/btf/btf.h"
#include "kernel/events/counters.h"
#include "kernel/events/sysevents.h"
#include "kernel/events/tracepoints.h"
#include "kernel/features.h"
#include "kernel/functions.h"
#include "kernel/ksyms.h"
#include "kernel/lockdown.h"
#include "kernel/preempt.h"
#include "kernel/release.h"
#include "namespaces/pidns.h"
#include "namespaces/zone.h"
#include "owner/owner.h"

struct kernel_env {
	struct arena *arena;
	const struct options *opts;
	struct features *features;
	struct kbtf *btf;
	struct ktypes ktypes;
	const struct packet_filter *filter; /* the last one, of filter_text; or NULL */
	const char *filter_text;
	struct kfuncs *funcs; /* NULL: not read yet, or the kernel has no list */
	bool funcs_read;
	int funcs_err;         /* -errno: why there is no list */
	const char *lockdown;  /* as lockdown_read() found it; NULL: not read yet */
	struct strmap *events; /* records of tracepoints, by "GROUP/NAME" */
	struct userprobes *users;
	struct kernel_lists lists;
	bool ahead;
	struct owner_ahead *owner; /* NULL: no program reads an owner, or !ahead */
};

/* For struct lower_env. Where programs are at functions of the kernel, the service has another variant. */
static void owners_needed(void *ctx, bool functions)
{
	struct kernel_env *k = ctx;

	if (k->ahead && !functions && !k->owner)
		k->owner = owner_ahead_start(k->btf);
}

/* ---- lists of probes --------------------------------------------------------------------------------------------- */
/* For struct lower_env. */
static const struct uplace *find_functions(void *ctx, const struct ufunctions *f, size_t *n)
{
	return userprobes_functions(((struct kernel_env *)ctx)->users, f, n);
}

/* ---- tracepoints ------------------------------------------------------------------------------------------------- */
/* BTF knows the tracepoints of vmlinux and of modules with BTF; tracefs knows the others. */
static bool has_tracepoint(void *ctx, const char *name)
{
	return kbtf_has_tracepoint(ctx, name) || tracepoint_exists(name);
}

/* Sets the group of each tracepoint. */
struct grouping {
	struct tracepoint_list l;
	struct strmap *typed;
	void (*each)(void *to, const struct listed_tracepoint *t);
	void *to;
};

/* Passes on a tracepoint of BTF, with the group that tracefs gives it ("" if tracefs is not readable). */
static void add_group(void *ctx, const char *module, const char *name, unsigned nargs)
{
	const struct grouping *g = ctx;
	const char *group = strmap_get(g->l.groups, name);
	const struct listed_tracepoint t = { module, group ? group : "", name, nargs, false };

	strmap_put(g->typed, name, g->typed);
	g->each(g->to, &t);
}

/* Lists the tracepoints that BTF has, then those that only tracefs has. The kernel is slow to release the latter, so
 * those of single system calls, which the syscall provider covers, are listed only with -x tpformat. */
static void each_tracepoint(
	void *ctx, struct arena *a, void (*each)(void *to, const struct listed_tracepoint *t), void *to)
{
	struct kernel_env *k = ctx;
	struct grouping g = { tracepoints_read(a, k->opts->tpformat), strmap_new(a), each, to };

	if (!k->opts->tpformat)
		kbtf_each_tracepoint(k->btf, add_group, &g);
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

/* Reads the format of a tracepoint's record from tracefs. Never NULL; fields is NULL if the format cannot be read. */
static const struct event *read_event(struct kernel_env *k, const char *target)
{
	struct event *ev = ARENA_NEW(k->arena, struct event);
	struct tpformat f;
	const char **args;

	if (tracepoint_format(k->arena, target, &f))
		return ev;
	ev->n = f.n;
	ev->fields = ARENA_ARRAY(k->arena, struct kernel_field, f.n + 1);
	args = ARENA_ARRAY(k->arena, const char *, f.n + 1);
	for (size_t i = 0; i < f.n; i++) {
		const struct tpfield *t = &f.fields[i];

		args[i] = kbtf_field_text(k->btf, k->arena, t);
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

/* The cached record format of "GROUP/NAME". Failures are cached too, so that each is tried once. */
static const struct event *event_of(struct kernel_env *k, const char *target)
{
	const struct event *ev = k->events ? strmap_get(k->events, target) : NULL;

	if (ev)
		return ev;
	if (!k->events)
		k->events = strmap_new(k->arena);
	ev = read_event(k, target);
	strmap_put(k->events, target, (void *)(uintptr_t)ev);
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
/* The list of traceable functions; read once, because it has some 50,000 lines. NULL: k->funcs_err says why. */
static const struct kfuncs *env_funcs(struct kernel_env *k)
{
	if (!k->funcs_read)
		k->funcs_err = kfuncs_open(&k->funcs);
	k->funcs_read = true;
	return k->funcs;
}

static void each_function(void *ctx, void (*each)(void *to, const char *module, const char *name), void *to)
{
	if (env_funcs(ctx))
		kfuncs_each(env_funcs(ctx), each, to);
}

/* The types of args[] of a function's probe, up to a NULL; for a return: args[0] is the offset at which it returned,
 * args[1] the value. NULL: BTF does not describe the function. */
static const char *const *function_args(void *ctx, struct arena *a, const char *module, const char *name, bool returned)
{
	const char *mod = strcmp(module, "vmlinux") != 0 ? module : NULL;
	struct kbtf *btf = ((struct kernel_env *)ctx)->btf;
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

/* The distance in bytes to the next symbol, as the size of the function; 0: unknown. */
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
static const char *locked_down(struct kernel_env *k, struct arena *a, int err)
{
	char how[32];

	if (err != -EPERM && err != -EACCES)
		return NULL;
	if (!k->lockdown) { /* each probe of a list may ask */
		lockdown_read(how, sizeof(how));
		k->lockdown = arena_strdup(k->arena, how);
	}
	return *k->lockdown ? arena_printf(a, "the kernel's lockdown (%s) forbids", k->lockdown) : NULL;
}

/* Why the list of functions is missing, as the end of an error message. */
static const char *no_functions(struct kernel_env *k, struct arena *a)
{
	const char *locked = locked_down(k, a, k->funcs_err);

	if (locked)
		return arena_printf(a, "%s to trace its functions", locked);
	if (k->funcs_err == -ENOENT || k->funcs_err == -ENODEV)
		return "this kernel cannot trace its functions (CONFIG_FUNCTION_TRACER)";
	return arena_printf(a, "the list of the kernel's functions cannot be read: %s", strerror(-k->funcs_err));
}

/* System calls' own tracepoints. */
static const struct probe_fault *call_fault(struct arena *a, const struct pdesc *pd)
{
	bool enter = !strncmp(pd->name, "sys_enter_", 10), leave = !strncmp(pd->name, "sys_exit_", 9);

	if (strcmp(pd->mod, "syscalls") != 0 && !enter && !leave)
		return NULL;
	return probe_fault_new(a, pd, "system calls are those of the provider syscall",
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
static const char *nearest_function(struct kernel_env *k, struct arena *a, const struct pdesc *pd)
{
	struct naming n = { .arena = a, .module = pd->mod };
	const char *near;

	kfuncs_each(k->funcs, add_name, &n);
	*vec_push(a, &n.names) = NULL;
	near = nearest_name(pd->func, n.names.v);
	return near ? arena_printf(a, "did you mean fbt:%s:%s:%s?", pd->mod, near, pd->name) : NULL;
}

/* A hint for a function that exists when the probe's name is wrong: an offset outside of the function, or no name at
 * all. */
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
	if (!env_funcs(ctx)) {
		why = no_functions(ctx, a);
		hint = "tracepoints can be traced on every kernel: dwire -l -P sdt";
	} else if (!*pd->func || pdesc_is_glob(pd->func)) {
		return NULL;
	} else if (kfuncs_has(env_funcs(ctx), pd->mod, pd->func)) {
		why = wrong_name(a, pd, function_size(ctx, pd->mod, pd->func));
	} else if (function_size(ctx, NULL, pd->func)) {
		why = arena_printf(a, "%s() is in the kernel, but must not be traced", pd->func);
	} else {
		why = arena_printf(a, "the kernel has no function %s(), or has it only inlined", pd->func);
		hint = nearest_function(ctx, a, pd);
	}
	return probe_fault_new(a, pd, why, hint);
}

/* ---- places ------------------------------------------------------------------------------------------------------ */
_Static_assert(KERNEL_FUNC_ARGS == KBTF_ARGS && KERNEL_OPAQUE == KBTF_OPAQUE, "of[] is the same on both sides");

/* The BTF id of the tracepoint's type, with its arguments in out; 0: BTF has none, so tp_btf cannot attach to it. */
static uint32_t find_tracepoint(void *ctx, const char *module, const char *name, struct kernel_func *out)
{
	struct ktracepoint t;

	*out = (struct kernel_func){ .deadly = kbtf_deadly_tracepoint(name) };
	if (!kbtf_tracepoint(((struct kernel_env *)ctx)->btf, module, name, &t))
		return 0;
	out->nargs = t.nargs;
	out->module = t.module;
	memcpy(out->of, t.of, sizeof(out->of));
	return t.id;
}

/* The BTF id of a function, with its arguments in out; 0: BTF does not describe it. fentry needs the id; kprobes do
 * without. */
static uint32_t find_function(void *ctx, const char *module, const char *name, struct kernel_func *out)
{
	struct kernel_env *k = ctx;
	struct kfunction f;

	if (!kbtf_function(k->btf, module, name, &f))
		return 0;
	out->nargs = f.nargs;
	out->returns = f.returns;
	out->unusual = f.unusual;
	memcpy(out->words, f.words, sizeof(out->words));
	memcpy(out->of, f.of, sizeof(out->of));
	out->ret_of = f.of[KERNEL_FUNC_ARGS];
	return f.id;
}

/* Attaches a probe program to find out, since a kernel may refuse single functions (notrace, or inlined). module NULL:
 * vmlinux, whose BTF needs no descriptor. */
static bool fentry_on(void *ctx, const char *module, uint32_t id)
{
	int types = module ? kbtf_module_fd(module) : 0;
	bool can = types >= 0 && features_fentry_on(types, id);

	(void)ctx;
	if (types > 0)
		close(types);
	return can;
}

/* BTF has the functions that are not only inlined. For all others the list of traceable functions decides. */
static bool has_function(void *ctx, const char *module, const char *name)
{
	struct kernel_env *k = ctx;
	struct kernel_func f;

	if (find_function(k, module, name, &f))
		return true;
	return env_funcs(k) && kfuncs_has(k->funcs, module, name);
}

/* Why fentry cannot be used, as an end of "needs ...". */
static const char *no_fentry(struct kernel_env *k)
{
	const int err = features_fentry_error(k->features);
	const char *locked = locked_down(k, k->arena, err);
	char reason[320];

	if (locked)
		return arena_printf(k->arena, "fentry, which %s", locked);
	if (err == -EPERM || err == -EACCES) {
		features_explain(k->features, err, reason, sizeof(reason));
		return arena_printf(k->arena, "fentry (%s)", reason);
	}
	if (err && features_no_jit(k->features))
		return features_no_jit(k->features);
	return "fentry (CONFIG_FUNCTION_TRACER, CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS)";
}

/* What this kernel lacks for a tier, as an end of "needs ..."; NULL: nothing. Hooks need nothing beyond what
 * features_require() demands. */
static const char *tier_lacks(void *ctx, enum tier t)
{
	struct kernel_env *k = ctx;
	struct kernel_func f;

	switch (t) {
	case TIER_FUNCTIONS:
		if (features_fentry(k->features, find_function(k, NULL, "bpf_fentry_test1", &f)))
			return NULL;
		return no_fentry(k);
	case TIER_KPROBES:
		return features_kprobes(k->features) ? NULL : "kprobes (CONFIG_KPROBE_EVENTS)";
	case TIER_HOOKS:
	case TIER_COUNT:
		break;
	}
	return NULL;
}

/* For struct lower_env. The kernel counts a program's runs since Linux 5.12; before, it does not preempt programs. A
 * kretprobe of Linux before 6.14 misses firings if many threads sleep in the function; those of fexit are fewer. */
static bool kprobe_better(void *ctx, bool returns)
{
	const struct kernel_env *k = ctx;

	return !release_before(5, 12) && !(returns && release_before(6, 14)) && features_kprobes(k->features) &&
		features_preempts(k->features);
}

/* For struct lower_env. */
static const char *cgroup_lacks(void *ctx)
{
	const struct kernel_env *k = ctx;

	return features_cgroup_bpf(k->features) ? NULL : FEATURES_CGROUP_BPF;
}

static uint32_t find_netns(void *ctx, const char *name)
{
	const struct kernel_env *k = ctx;
	struct zones *z = zone_new(features_global_netns(k->features));
	uint32_t n = z ? zone_number(z, name) : 0;

	zone_free(z);
	return n;
}

static bool has_syscall_event(void *ctx, const char *at, const char *call)
{
	const struct kernel_env *k = ctx;
	struct sysevents *s = features_sysevents(k->features);

	return s && sysevents_has(s, at, call);
}

static bool has_counter(void *ctx, const char *target)
{
	(void)ctx;
	return counter_there(target);
}

/* ---- life -------------------------------------------------------------------------------------------------------- */
/* The callbacks that take ctx get the BTF; those of functions get the environment, which reads the list when asked. */
static void make_lists(struct kernel_env *k)
{
	k->lists = (struct kernel_lists){
		.ctx = k->btf,
		.has_tracepoint = has_tracepoint,
		.tracepoints = each_tracepoint,
		.tracepoint_arg = tracepoint_arg,
		.event_args = event_args,
		.user_make = userprobes_make,
		.user_fault = userprobes_fault,
		.user = k->users,
		.functions = each_function,
		.function_size = function_size,
		.function_fault = function_fault,
		.function_args = function_args,
		.func_ctx = k,
	};
}

int kernel_env_open(const struct kernel_env_opts *o, struct kernel_env **out)
{
	struct kernel_env *k = ARENA_NEW(o->arena, struct kernel_env);
	int r = kbtf_open(&k->btf);

	*out = NULL;
	if (r)
		return r;
	k->arena = o->arena;
	k->opts = o->options;
	k->features = o->features;
	k->ahead = o->ahead;
	k->ktypes = kbtf_ktypes(k->btf);
	k->users = userprobes_new(
		&(struct userprobes_env){ .arena = o->arena, .to = o->to, .ready = o->ready, .ctx = o->ctx });
	make_lists(k);
	*out = k;
	return 0;
}

struct kbtf *kernel_env_btf(const struct kernel_env *k)
{
	return k->btf;
}

struct owner_ahead *kernel_env_owner(const struct kernel_env *k)
{
	return k->owner;
}

void kernel_env_close(struct kernel_env *k)
{
	if (!k)
		return;
	owner_ahead_free(k->owner);
	userprobes_free(k->users);
	kbtf_close(k->btf);
	kfuncs_close(k->funcs);
}

/* Each expression is compiled once, however many sites have it. */
static const struct packet_filter *compile_filter(void *ctx, const char *text, const char **why, size_t *at)
{
	struct kernel_env *k = ctx;

	if (!k->filter || strcmp(k->filter_text, text) != 0) {
		k->filter = packetfilter_compile(k->arena, text, why, at);
		k->filter_text = text;
	}
	return k->filter;
}

/* bpf_cast_to_kern_ctx() exists from Linux 6.2 on, BPF links of netfilter from 6.4, uprobe_multi links from 6.6. Before
 * 5.11 the current task is no typed pointer; 5.12 brought atomic exchanges, of which BTF has no trace but the helper
 * bpf_check_mtu() of the same release, and sockets' cookies in tracing programs; 5.15 brought cookies of attachments;
 * 6.1 hashes that take their memory as they fill, in programs at perf events, and bpf_user_ringbuf_drain(); 6.12
 * bpf_dynptr_from_skb() at tracepoints, and bpf_copy_from_user_str(). BTF shows which the kernel has, so versions are
 * not compared: distributions backport. Without the JIT no program may call kernel functions. */
void kernel_env_give(struct kernel_env *k, struct compilation *c)
{
	static const char *const names[] = { "bpf_cast_to_kern_ctx", "bpf_rdonly_cast", "bpf_uprobe_multi_link_attach",
		"nf_hook_run_bpf", "bpf_get_current_task_btf", "bpf_skb_check_mtu", "bpf_get_attach_cookie_pe",
		"bpf_task_pt_regs", "bpf_user_ringbuf_drain", "bpf_dynptr_from_skb", "bpf_copy_from_user_str",
		"bpf_get_socket_ptr_cookie" };
	struct lower_env *env = &c->lenv;
	uint32_t ids[sizeof(names) / sizeof(names[0])];
	struct hash_secret secret;
	int64_t nhelpers;

	c->ktypes = &k->ktypes;
	c->lists = &k->lists;
	kbtf_funcs(k->btf, names, ids, sizeof(ids) / sizeof(ids[0]));
	env->no_jit = features_no_jit(k->features);
	if (env->no_jit)
		ids[0] = ids[1] = ids[9] = 0;
	env->kfunc_kern_ctx = ids[0];
	env->kfunc_rdonly_cast = ids[1];
	env->uprobe_multi = ids[2] != 0;
	env->netfilter = ids[3] != 0;
	env->no_task = !ids[4];
	env->no_exchange = !ids[5];
	env->no_cookie = !ids[6];
	env->no_regs = !ids[7];
	env->prealloc = env->ringbuf = !ids[8];
	env->no_voids = release_before(6, 15); /* nothing shows it but a refusal */
	env->preempts_softirqs = preempt_softirqs();
	env->faults_kill = release_faults_kill();
	if (release_mixes_frames()) /* pointers may be arguments of functions that are checked alone since 5.12 */
		env->guard = env->no_exchange ? GUARD_ALL : GUARD_LOCAL;
	env->kfunc_dynptr = ids[9];
	env->dynptr_traced = ids[10] != 0;
	env->no_sk_cookie = !ids[11];
	if (env->no_regs && k->ktypes.enumerator(k->ktypes.ctx, "__BPF_FUNC_MAX_ID", &nhelpers))
		env->nhelpers = (uint32_t)nhelpers;
	if (pidns_inner() || access("/proc/1/ns/net", F_OK))
		features_set_netns(k->features, pidns_first_netns(k->arena, &k->ktypes));
	env->first_netns = features_global_netns(k->features);
	env->page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	hash_secret_make(&secret);
	env->secret = secret.k[0];
	env->netns = find_netns;
	env->functions = find_functions;
	env->tracepoint = find_tracepoint;
	env->event = find_event;
	env->counter = has_counter;
	env->ctx = k;
	env->filter = compile_filter;
	env->function = find_function;
	env->has_function = has_function;
	env->fentry_on = fentry_on;
	env->tier_lacks = tier_lacks;
	env->kprobe_better = kprobe_better;
	env->cgroup_lacks = cgroup_lacks;
	env->syscall_event = has_syscall_event;
	env->owners = owners_needed;
}
