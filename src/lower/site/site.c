/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site: what a site provides: its context, arguments, return value and sk_buff.
 * Input: the site. Output: values in registers, and the binding of P for the site's translator.
 * Invariant: a value has a BTF id only if the verifier knows it as a pointer to that type. */
#include "lower/site/site.h"

#include <linux/bpf.h>
#include <string.h>

#include "abi/arch.h"
#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/tiers.h"

/* A pointer to struct tag, which the verifier knows as such if the kernel has the type. */
struct val ptr_val(struct lowerer *lw, vreg r, const char *tag)
{
	struct type *t = types_tagged(lw->ts, T_STRUCT, tag);
	struct val v = { .k = V_INT, .r = r };

	v.type = type_ptr(lw->ts, t ? t : lw->ts->void_);
	v.btf = t ? t->btf_id : 0;
	return v;
}

/* The context is a struct bpf_sock_ops. */
bool at_sockops(const struct prog_ctx *pg)
{
	return pg->site->attach == ATTACH_CGROUP_SOCKOPS;
}

/* The context is the socket. */
bool at_release(const struct prog_ctx *pg)
{
	return pg->site->attach == ATTACH_CGROUP_RELEASE;
}

/* Is the program attached to a cgroup? */
bool at_cgroup(const struct prog_ctx *pg)
{
	return attach_info(pg->site->attach)->way == WAY_CGROUP;
}

bool at_netfilter(const struct prog_ctx *pg)
{
	return attach_info(pg->site->attach)->way == WAY_NETFILTER;
}

/* What the program returns: at hooks that decide about packets 1, so that the packet may pass. */
int32_t site_verdict(const struct prog_ctx *pg)
{
	return at_cgroup(pg) || at_netfilter(pg);
}

/* The kernel's own context: a struct sk_buff, or a struct bpf_sock_ops_kern, which names socket and segment. */
static struct val kernel_ctx(struct clause_ctx *cx)
{
	vreg ctx = ir_ctx(cx->ir);

	return ptr_val(cx->lw, ir_nonzero(cx->ir, ir_kfunc(cx->ir, cx->lw->env->kfunc_kern_ctx, &ctx, 1, true)),
		at_sockops(cx->pg)           ? "bpf_sock_ops_kern"
			: at_release(cx->pg) ? "sock"
					     : "sk_buff");
}

/* A member of the kernel's own context. */
static struct val ctx_member(struct clause_ctx *cx, const char *name)
{
	struct val ctx = kernel_ctx(cx);

	return lower_load(cx, lower_member_of(cx, ctx, ctx.type->of, name), NULL);
}

/* The packet. Needs bpf_cast_to_kern_ctx() (Linux 6.2). */
struct val cgroup_skb(struct clause_ctx *cx)
{
	return at_sockops(cx->pg) ? ctx_member(cx, "skb") : kernel_ctx(cx);
}

/* p is never NULL, but the verifier wants a test. */
static void not_null(struct clause_ctx *cx, vreg p)
{

	fault_unless(cx, CC_NE, p, 0, DW_FAULT_BADADDR, 0);
}

/* Before Linux 6.2 a program cannot get the kernel's own context. A helper still finds the sockets of TCP. */
struct val cgroup_sk(struct clause_ctx *cx)
{
	vreg sk;

	if (at_release(cx->pg))
		return kernel_ctx(cx);
	if (cx->lw->env->kfunc_kern_ctx)
		return ctx_member(cx, "sk");
	sk = site_helper_sk(cx);
	not_null(cx, sk);
	return ptr_val(cx->lw, ir_call(cx->ir, BPF_FUNC_skc_to_tcp_sock, &sk, 1, true), "sock");
}

/* Counts the members before the one of that name. A structure that another extends is an anonymous member of it. */
static bool native_count(const struct type *st, const char *name, int *n)
{
	for (size_t i = 0; i < st->nmembers; i++) {
		const struct type_member *m = &st->members[i];

		if (m->name ? !strcmp(m->name, name) : native_count(m->type, name, n))
			return true;
		*n += m->name != NULL;
	}
	return false;
}

/* The number of the argument that a member stands for; -1: there is no such member. */
static int native_index(const struct type *st, const char *name)
{
	int n = 0;

	return native_count(st, name, &n) ? n : -1;
}

/* Is the context a struct pt_regs? */
bool at_kprobe(const struct prog_ctx *pg)
{
	return attach_info(pg->site->attach)->way == WAY_KPROBE;
}

/* Is the site a function of the kernel, by fentry or by kprobes? */
bool at_function(const struct prog_ctx *pg)
{
	return site_is_function(pg->site) || at_kprobe(pg);
}

/* Is the site the return of the probe's function? Then arg1 is the return value. */
bool at_return(const struct prog_ctx *pg)
{
	return (pg->site->attach == ATTACH_FEXIT || pg->site->attach == ATTACH_KRETPROBE) && !pg->site->target;
}

/* Does the site have arguments, in an array (typed tracepoints, fentry) or in registers? */
bool site_has_args(const struct prog_ctx *pg)
{
	return pg->site->attach == ATTACH_TP_BTF || pg->site->attach == ATTACH_SYSCALL || at_event(pg) ||
		at_netfilter(pg) || at_walk(pg) || site_is_program(pg->site) || (at_function(pg) && !pg->site->inside);
}

/* What the kernel knows of the function that p is at here. */
static bool function_of(struct prog_ctx *pg, const struct probe *p, struct kernel_func *f)
{
	const struct lower_env *env = pg->lw->env;

	*f = (struct kernel_func){ .nargs = 0 };
	return at_function(pg) && env->function &&
		env->function(env->ctx, site_module(pg->site, p), site_function(pg->site, p), f);
}

/* Is the clause also on other probes that share the program? */
static bool is_shared(const struct clause_ctx *cx)
{
	return cx->entry && cx->clause && at_function(cx->pg) && !cx->pg->site->target;
}

/* The index of the first word of argument i; with i == nargs, one past all words. kprobes follow the ABI: an
 * argument that does not fit into the remaining registers is on the stack, in the words from ARCH_NARGS on. */
static unsigned func_slot(const struct prog_ctx *pg, const struct kernel_func *f, unsigned i)
{
	unsigned regs = 0, stack = 0;

	for (unsigned k = 0;; k++) {
		unsigned n = k < f->nargs && k < KERNEL_FUNC_ARGS ? f->words[k] : 1;
		bool fits = !at_kprobe(pg) || (n <= 2 && regs + n <= ARCH_NARGS);

		if (at_kprobe(pg) && n > 2 && ARCH_LARGE_BY_ADDRESS)
			fits = regs + (n = 1) <= ARCH_NARGS;
		if (!fits && ARCH_LARGE_BY_ADDRESS)
			regs = ARCH_NARGS;
		if (k == i)
			return fits ? regs : (unsigned)ARCH_NARGS + stack;
		*(fits ? &regs : &stack) += n;
	}
}

/* The word in which argument i begins; without types an argument a word. */
static unsigned slot_in(struct prog_ctx *pg, const struct probe *p, unsigned i)
{
	struct kernel_func f;

	return function_of(pg, p, &f) && i < f.nargs && i < KERNEL_FUNC_ARGS ? func_slot(pg, &f, i) : i;
}

/* The word of argument i. One instruction serves all functions that the clause is on, so they must agree on it. */
static unsigned site_slot(struct clause_ctx *cx, unsigned i)
{
	unsigned slot = 0, one;
	bool any = false;

	if (!is_shared(cx))
		return slot_in(cx->pg, cx->probe, i);
	for (size_t k = 0; k < cx->pg->nset; k++) {
		const struct enabled *e = &cx->pg->set[k];
		size_t n = 0;

		while (n < e->n && e->on[n].clause != cx->clause)
			n++;
		if (n == e->n)
			continue;
		one = slot_in(cx->pg, e->probe, i);
		if (any && one != slot)
			lower_error(cx->lw, cx->clause->loc, D_ARGS_MULTI,
				"args[%u] is not in one place in all functions of this clause: not in %s()", i,
				e->probe->func);
		if (any && one != slot)
			return slot;
		slot = one;
		any = true;
	}
	return slot;
}

/* The number of words: those of the arguments if the site is the probe's function, and at least the registers that
 * may hold some. */
unsigned site_words(struct clause_ctx *cx)
{
	struct kernel_func f;
	unsigned n;

	if (at_event(cx->pg))
		return event_fields(cx->pg);
	if (!at_function(cx->pg) || cx->pg->site->target)
		return cx->pg->site->nargs;
	n = function_of(cx->pg, cx->probe, &f) ? func_slot(cx->pg, &f, f.nargs) : 0;
	for (size_t k = 0; is_shared(cx) && k < cx->pg->nset; k++)
		if (function_of(cx->pg, cx->pg->set[k].probe, &f) && func_slot(cx->pg, &f, f.nargs) > n)
			n = func_slot(cx->pg, &f, f.nargs);
	if (cx->pg->site->attach == ATTACH_KPROBE)
		return n > ARCH_NARGS ? n : ARCH_NARGS;
	return cx->pg->site->attach == ATTACH_FENTRY ? n : 0;
}

/* The address of word i, which is on the stack. */
static vreg stack_word(struct clause_ctx *cx, unsigned i)
{
	return ir_alui(cx->ir, ALU_ADD, ir_ld(cx->ir, ir_ctx(cx->ir), ARCH_REGS_SP, 8, false, true),
		ARCH_STACK_ARGS + 8 * (int32_t)(i - ARCH_NARGS));
}

/* Reads 8 bytes of kernel memory by a helper; 0 if they cannot be read. */
static vreg read_word(struct clause_ctx *cx, vreg from)
{
	struct ir *ir = cx->ir;
	int32_t mark = ir_stack_mark(ir), at = ir_stack_alloc(ir, 8);
	vreg p = ir_stack(ir, at), r;

	ir_sti(ir, p, 0, 8, 0);
	ir_call(ir, BPF_FUNC_probe_read_kernel, (vreg[]){ p, ir_imm(ir, 8), from }, 3, false);
	r = ir_ld(ir, ir_stack(ir, at), 0, 8, false, false);
	ir_stack_release(ir, mark);
	return r;
}

/* Word i of the site's context, unconverted. A kretprobe has no arguments. */
vreg site_word(struct clause_ctx *cx, unsigned i)
{
	struct ir *ir = cx->ir;

	if (cx->pg->site->attach == ATTACH_SYSCALL)
		return syscall_word(cx, i);
	if (at_event(cx->pg))
		return event_word(cx, i);
	if (!at_kprobe(cx->pg))
		return ir_ld(ir, ir_ctx(ir), (int32_t)i * 8, 8, false, true);
	if (cx->pg->site->attach == ATTACH_KRETPROBE)
		return ir_imm(ir, 0);
	if (i >= ARCH_NARGS)
		return read_word(cx, stack_word(cx, i));
	return ir_ld(ir, ir_ctx(ir), arch_args[i], 8, false, true);
}

/* A word as a number of the type. */
static struct val plain_word(struct clause_ctx *cx, vreg r, struct type *type)
{
	struct val v = { .k = V_INT, .type = type, .r = r };

	if (type->kind != T_PTR && type->size < 8)
		v.r = ir_ext(cx->ir, v.r, type->size, type->is_signed);
	return v;
}

/* A word as the type; a pointer keeps its BTF id where the verifier knows it. */
static struct val typed_word(struct clause_ctx *cx, vreg r, struct type *type)
{
	struct val v = plain_word(cx, r, type);

	if (type->kind == T_PTR && !at_kprobe(cx->pg))
		v.btf = type->of->btf_id;
	return v;
}

/* Reads a word that the verifier does not let us load, through a helper. So it is a number to the verifier, whatever
 * its type. */
vreg site_hidden_word(struct clause_ctx *cx, int i)
{
	return read_word(cx, ir_alui(cx->ir, ALU_ADD, ir_ctx(cx->ir), i * 8));
}

/* What the kernel knows of the site's tracepoint or function. False: it has no typed arguments. */
static bool site_func(struct clause_ctx *cx, struct kernel_func *f)
{
	const struct site *s = cx->pg->site;
	const struct lower_env *env = cx->lw->env;

	if (s->attach == ATTACH_TP_BTF)
		return env->tracepoint && env->tracepoint(env->ctx, s->module, s->target, f);
	return (s->attach == ATTACH_FENTRY || s->attach == ATTACH_FEXIT || s->attach == ATTACH_WALK) &&
		env->function(env->ctx, site_module(s, cx->probe), site_function(s, cx->probe), f);
}

/* For some tracepoints, and for iterators, the verifier knows that an argument may be NULL or an error instead of a
 * pointer. */
bool site_is_tracepoint(const struct prog_ctx *pg)
{
	return pg->site->attach == ATTACH_TP_BTF || at_walk(pg);
}

/* The BTF id of the type that argument i points to: struct kernel_func, of. */
static uint32_t site_arg_of(struct clause_ctx *cx, unsigned i)
{
	struct kernel_func f = { .nargs = 0 };

	if (cx->pg->site->hidden >> i & 1)
		return cx->pg->site->attach == ATTACH_TP_BTF && !cx->lw->env->no_voids ? 0 : KERNEL_OPAQUE;
	return i < KERNEL_FUNC_ARGS && site_func(cx, &f) ? f.of[i] : 0;
}

/* The same for word n: that of the argument which begins there. */
uint32_t site_word_of(struct clause_ctx *cx, unsigned n)
{
	for (unsigned i = 0; i <= n; i++)
		if (slot_in(cx->pg, cx->probe, i) == n)
			return site_arg_of(cx, i);
	return 0;
}

/* A structure or union that is an argument itself. */
static struct val arg_block(struct clause_ctx *cx, unsigned slot, struct type *type)
{
	struct ir *ir = cx->ir;
	struct val v = { .k = V_MEM, .type = type };
	unsigned n = (type->size + 7) / 8;

	if (at_kprobe(cx->pg) && (slot >= ARCH_NARGS || n > 2)) {
		v.r = slot >= ARCH_NARGS ? stack_word(cx, slot) : site_word(cx, slot);
		if (n > 2 && slot >= ARCH_NARGS && ARCH_LARGE_BY_ADDRESS)
			v.r = read_word(cx, v.r);
		return v;
	}
	v.ptr = PTR_OURS;
	v.r = ir_stack(ir, ir_stack_alloc(ir, 8 * n));
	for (unsigned i = 0; i < n; i++)
		ir_st(ir, v.r, (int32_t)i * 8, 8, site_word(cx, slot + i));
	return v;
}

/* Argument i of a typed tracepoint or function. */
struct val site_arg(struct clause_ctx *cx, int i, struct type *type)
{
	unsigned slot = site_slot(cx, (unsigned)i);
	uint32_t of = site_arg_of(cx, (unsigned)i);
	struct val v;

	if (at_event(cx->pg))
		return event_arg(cx, slot, type);
	if (at_function(cx->pg) && type_is_block(type))
		return arg_block(cx, slot, type);
	if (of == KERNEL_OPAQUE)
		return plain_word(cx, site_hidden_word(cx, (int)slot), type);
	v = typed_word(cx, site_word(cx, slot), type);
	if (v.btf && site_is_tracepoint(cx->pg) && !strcmp(type->of->name, "sock"))
		v.ptr = PTR_NULL;
	if (!v.btf && type->size == 8) { /* a pointer, though we call it void * */
		v.btf = of;
		v.ptr = site_is_tracepoint(cx->pg) ? PTR_UNSURE : PTR_PLAIN;
	}
	return v;
}

/* The return value, which fexit has behind the arguments. */
static struct val returned_word(struct clause_ctx *cx, const struct kernel_func *f, struct type *type)
{
	struct val v;
	unsigned slot = func_slot(cx->pg, f, f->nargs);

	if (f->ret_of == KERNEL_OPAQUE)
		return plain_word(cx, site_hidden_word(cx, (int)slot), type);
	v = typed_word(cx, site_word(cx, slot), type);
	if (!v.btf && type->size == 8) /* arg1: a pointer all the same */
		v.btf = f->ret_of;
	return v;
}

/* What the function returned; 0 for functions that return nothing. */
struct val site_returned(struct clause_ctx *cx, struct type *type)
{
	struct kernel_func f = { .nargs = 0 };
	struct ir *ir = cx->ir;

	if (cx->pg->site->attach == ATTACH_KRETPROBE)
		return typed_word(cx, ir_ld(ir, ir_ctx(ir), ARCH_REGS_RET, 8, false, true), type);
	if (cx->pg->site->attach == ATTACH_FEXIT && site_func(cx, &f) && f.returns)
		return returned_word(cx, &f, type);
	return (struct val){ .k = V_INT, .type = type, .r = ir_imm(ir, 0) };
}

/* The number of arguments on this kernel. A site may use more; those that older kernels lack read as 0. */
static unsigned args_there(struct clause_ctx *cx)
{
	struct kernel_func f = { .nargs = 0 };
	unsigned n = cx->pg->site->nargs;

	if (site_is_tracepoint(cx->pg) && cx->lw->env->tracepoint)
		(void)cx->lw->env->tracepoint(
			cx->lw->env->ctx, site_module(cx->pg->site, cx->probe), cx->pg->site->target, &f);
	else if (at_function(cx->pg) && cx->pg->site->target && cx->lw->env->function)
		(void)cx->lw->env->function(
			cx->lw->env->ctx, site_module(cx->pg->site, cx->probe), cx->pg->site->target, &f);
	return f.nargs > n ? f.nargs : n;
}

/* The argument that the site's table names. One that this kernel lacks is 0. */
struct val site_named_arg(struct clause_ctx *cx, const char *name, struct type *type)
{
	struct type *st = types_tagged(cx->lw->ts, T_STRUCT, cx->pg->site->native);
	int i = st ? native_index(st, name) : -1;

	if (at_function(cx->pg) && !strcmp(name, "retval"))
		return site_returned(cx, type);
	if (i < 0 || (unsigned)i >= args_there(cx))
		return (struct val){ .k = V_INT, .type = type, .r = ir_imm(cx->ir, 0) };
	return site_arg(cx, i, type);
}

/* Does the structure that the site gives have this member? */
bool site_has_member(struct prog_ctx *pg, const char *name)
{
	struct type *st = types_tagged(pg->lw->ts, T_STRUCT, pg->site->native);

	return st && native_index(st, name) >= 0;
}

/* ... and does this kernel's site have it? */
bool site_shows(struct prog_ctx *pg, const char *name)
{
	const struct type *st = types_tagged(pg->lw->ts, T_STRUCT, pg->site->native);
	int i = st ? native_index(st, name) : -1;

	return i >= 0 && (unsigned)i < pg->site->nargs;
}

/* The task that the site is about, if it is not the current one. False: it is about the current one. */
bool site_task(struct clause_ctx *cx, struct type *type, struct val *out)
{
	if (!cx->pg->site || !cx->pg->site->task)
		return false;
	*out = site_named_arg(cx, cx->pg->site->task, type);
	return true;
}

/* A member of P by its name, computed at this site. */
static struct val make_site_member(struct clause_ctx *cx, const char *name, struct type *type)
{
	struct val v = { .k = V_INT, .type = type };

	if (!strcmp(name, "owner")) {
		v.r = site_owner(cx);
		v.ptr = PTR_OURS;
		return v;
	}
	if (!strcmp(name, "cookie")) {
		v.r = site_cookie(cx);
		return v;
	}
	if (!strcmp(name, "sockkey")) {
		v.r = site_sock_key(cx);
		return v;
	}
	if (at_function(cx->pg) && !strcmp(name, "full")) {
		v.r = site_full_sk(cx);
		return v;
	}
	if (at_sockops(cx->pg) && !strcmp(name, "op")) {
		v.r = ir_ld(cx->ir, ir_ctx(cx->ir), offsetof(struct bpf_sock_ops, op), 4, false, true);
		return v;
	}
	if (is_user_site(cx->pg->site))
		return call_member(cx, name, type);
	if (cx->pg->site->attach == ATTACH_PERF) {
		v.r = site_sampled_pc(cx, !strcmp(name, "kernel_pc"));
		return v;
	}
	if (at_cgroup(cx->pg)) {
		v = !strcmp(name, "skb") ? cgroup_skb(cx) : cgroup_sk(cx);
		v.type = type;
		not_null(cx, v.r);
		return v;
	}
	return site_named_arg(cx, name, type);
}

/* A member of P, computed once in a program. */
struct val site_member(struct clause_ctx *cx, const struct val *site, const char *name, struct type *type)
{
	struct val v;

	(void)site;
	if (memo_get(cx->pg, cx->pg->site, NULL, name, &v))
		return v;
	v = make_site_member(cx, name, type);
	memo_put(cx->pg, cx->pg->site, NULL, name, v);
	return v;
}

/* Binds P for the site: a struct dw_pkt made by the translator from what the site gives. */
void site_begin(struct clause_ctx *cx)
{
	const char *native = cx->pg->site->native;
	struct val *p = &cx->pg->site_val, *given;
	struct type *raw;

	if (!cx->prov->raw || !native)
		return;
	check_use(cx->lw->ck, cx->prov->raw);
	raw = types_tagged(cx->lw->ts, T_STRUCT, cx->prov->raw);
	p->k = V_XL;
	p->type = raw ? type_ptr(cx->lw->ts, raw) : NULL;
	for (const struct type *t = raw; t && !p->xl; t = check_base(cx->lw->ck, t))
		p->xl = check_xlator(cx->lw->ck, native, t);
	if (!p->xl) {
		lower_error(cx->lw, (struct loc){ 0 }, D_XLATE_NONE, "no translator from struct %s to struct %s",
			native, cx->prov->raw);
		return;
	}
	given = ARENA_NEW(cx->lw->arena, struct val);
	given->k = V_SITE;
	given->type = p->xl->in_type;
	p->bind = given;
}
