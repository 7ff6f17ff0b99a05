/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site: what a site gives: its context, arguments, return value, sk_buff. */
#include "lower/site/site.h"

#include <linux/bpf.h>
#include <string.h>

#include "abi/arch.h"
#include "lower/tiers.h"

struct val ptr_val(struct lowerer *lw, vreg r, const char *tag)
{
	struct type *t = types_tagged(lw->ts, T_STRUCT, tag);
	struct val v = { .k = V_INT, .r = r };

	v.type = type_ptr(lw->ts, t ? t : lw->ts->void_);
	v.btf = t ? t->btf_id : 0;
	return v;
}

bool at_sockops(const struct lowerer *lw)
{
	return lw->site->attach == ATTACH_CGROUP_SOCKOPS;
}

/* The context is the socket. */
bool at_release(const struct lowerer *lw)
{
	return lw->site->attach == ATTACH_CGROUP_RELEASE;
}

bool at_cgroup(const struct lowerer *lw)
{
	return lw->site->attach == ATTACH_CGROUP_INGRESS || lw->site->attach == ATTACH_CGROUP_EGRESS ||
		at_sockops(lw) || at_release(lw);
}

/* The kernel's own context: a struct sk_buff, or a struct bpf_sock_ops_kern, which names socket and segment. */
static struct val kernel_ctx(struct lowerer *lw)
{
	vreg ctx = ir_ctx(lw->ir);

	return ptr_val(lw, ir_nonzero(lw->ir, ir_kfunc(lw->ir, lw->env->kfunc_kern_ctx, &ctx, 1, true)),
		at_sockops(lw)           ? "bpf_sock_ops_kern"
			: at_release(lw) ? "sock"
					 : "sk_buff");
}

static struct val ctx_member(struct lowerer *lw, const char *name)
{
	struct val ctx = kernel_ctx(lw);

	return lower_load(lw, lower_member_of(lw, ctx, ctx.type->of, name), NULL);
}

struct val cgroup_skb(struct lowerer *lw)
{
	return at_sockops(lw) ? ctx_member(lw, "skb") : kernel_ctx(lw);
}

/* These are never NULL; the verifier wants to see it. */
static void not_null(struct lowerer *lw, vreg p)
{
	uint32_t ok = ir_newlabel(lw->ir);

	ir_jcci(lw->ir, CC_NE, p, 0, ok);
	lower_fault(lw, DW_FAULT_BADADDR, 0);
	ir_label(lw->ir, ok);
}

/* Where the kernel cannot tell its own context (before 6.2) a helper still knows the sockets of TCP. */
struct val cgroup_sk(struct lowerer *lw)
{
	vreg sk;

	if (at_release(lw))
		return kernel_ctx(lw);
	if (lw->env->kfunc_kern_ctx)
		return ctx_member(lw, "sk");
	sk = site_helper_sk(lw);
	not_null(lw, sk);
	return ptr_val(lw, ir_call(lw->ir, BPF_FUNC_skc_to_tcp_sock, &sk, 1, true), "sock");
}

static int native_index(const struct type *st, const char *name)
{
	for (size_t i = 0; i < st->nmembers; i++)
		if (st->members[i].name && !strcmp(st->members[i].name, name))
			return (int)i;
	return -1;
}

/* Is the context a struct pt_regs? */
bool at_kprobe(const struct lowerer *lw)
{
	return lw->site->attach == ATTACH_KPROBE || lw->site->attach == ATTACH_KRETPROBE;
}

bool at_function(const struct lowerer *lw)
{
	return lw->site->attach == ATTACH_FENTRY || lw->site->attach == ATTACH_FEXIT || at_kprobe(lw);
}

/* The end of the probe's own function: arg1 is what it returns. */
bool at_return(const struct lowerer *lw)
{
	return (lw->site->attach == ATTACH_FEXIT || lw->site->attach == ATTACH_KRETPROBE) && !lw->site->target;
}

/* Has the site arguments, as an array (typed tracepoints, fentry) or in registers? */
bool site_has_args(const struct lowerer *lw)
{
	return lw->site->attach == ATTACH_TP_BTF || lw->site->attach == ATTACH_SYSCALL || at_event(lw) ||
		(at_function(lw) && !lw->site->inside);
}

static bool function_of(struct lowerer *lw, const struct probe *p, struct kernel_func *f)
{
	const struct lower_env *env = lw->env;

	*f = (struct kernel_func){ .nargs = 0 };
	return at_function(lw) && env->function &&
		env->function(env->ctx, site_module(lw->site, p), site_function(lw->site, p), f);
}

/* Is the clause also on other probes that share the program? */
static bool is_shared(const struct lowerer *lw)
{
	return lw->entry && lw->clause && at_function(lw) && !lw->site->target;
}

/* The first word of argument i of a function, as i == nargs one behind all. With kprobes as the ABI has it: what
 * does not fit into the registers that are left is on the stack, the words from ARCH_NARGS on. */
static unsigned func_slot(const struct lowerer *lw, const struct kernel_func *f, unsigned i)
{
	unsigned regs = 0, stack = 0;

	for (unsigned k = 0;; k++) {
		unsigned n = k < f->nargs && k < KERNEL_FUNC_ARGS ? f->words[k] : 1;
		bool fits = !at_kprobe(lw) || (n <= 2 && regs + n <= ARCH_NARGS);

		if (at_kprobe(lw) && n > 2 && ARCH_LARGE_BY_ADDRESS)
			fits = regs + (n = 1) <= ARCH_NARGS;
		if (!fits && ARCH_LARGE_BY_ADDRESS)
			regs = ARCH_NARGS;
		if (k == i)
			return fits ? regs : (unsigned)ARCH_NARGS + stack;
		*(fits ? &regs : &stack) += n;
	}
}

static unsigned slot_in(struct lowerer *lw, const struct probe *p, unsigned i)
{
	struct kernel_func f;

	return function_of(lw, p, &f) && i < f.nargs && i < KERNEL_FUNC_ARGS ? func_slot(lw, &f, i) : i;
}

/* A clause on several functions has one instruction for all of them. */
static unsigned site_slot(struct lowerer *lw, unsigned i)
{
	unsigned slot = 0, one;
	bool any = false;

	if (!is_shared(lw))
		return slot_in(lw, lw->probe, i);
	for (size_t k = 0; k < lw->nset; k++) {
		const struct enabled *e = &lw->set[k];
		size_t n = 0;

		while (n < e->n && e->on[n].clause != lw->clause)
			n++;
		if (n == e->n)
			continue;
		one = slot_in(lw, e->probe, i);
		if (any && one != slot)
			lower_error(lw, lw->clause->loc, D_ARGS_MULTI,
				"args[%u] is not in one place in all functions of this clause: not in %s()", i,
				e->probe->func);
		if (any && one != slot)
			return slot;
		slot = one;
		any = true;
	}
	return slot;
}

/* How many words: where the site is the probe's own function, its arguments', and the registers that may have some. */
unsigned site_words(struct lowerer *lw)
{
	struct kernel_func f;
	unsigned n;

	if (at_event(lw))
		return event_fields(lw);
	if (!at_function(lw) || lw->site->target)
		return lw->site->nargs;
	n = function_of(lw, lw->probe, &f) ? func_slot(lw, &f, f.nargs) : 0;
	for (size_t k = 0; is_shared(lw) && k < lw->nset; k++)
		if (function_of(lw, lw->set[k].probe, &f) && func_slot(lw, &f, f.nargs) > n)
			n = func_slot(lw, &f, f.nargs);
	if (lw->site->attach == ATTACH_KPROBE)
		return n > ARCH_NARGS ? n : ARCH_NARGS;
	return lw->site->attach == ATTACH_FENTRY ? n : 0;
}

/* Where word i is that a function has on the stack. */
static vreg stack_word(struct lowerer *lw, unsigned i)
{
	return ir_alui(lw->ir, ALU_ADD, ir_ld(lw->ir, ir_ctx(lw->ir), ARCH_REGS_SP, 8, false, true),
		ARCH_STACK_ARGS + 8 * (int32_t)(i - ARCH_NARGS));
}

static vreg read_word(struct lowerer *lw, vreg from)
{
	struct ir *ir = lw->ir;
	int32_t mark = ir_stack_mark(ir), at = ir_stack_alloc(ir, 8);
	vreg p = ir_stack(ir, at), r;

	ir_sti(ir, p, 0, 8, 0);
	ir_call(ir, BPF_FUNC_probe_read_kernel, (vreg[]){ p, ir_imm(ir, 8), from }, 3, false);
	r = ir_ld(ir, ir_stack(ir, at), 0, 8, false, false);
	ir_stack_release(ir, mark);
	return r;
}

/* Word i of the site's context, as it is: a kretprobe has no arguments. */
vreg site_word(struct lowerer *lw, unsigned i)
{
	struct ir *ir = lw->ir;

	if (lw->site->attach == ATTACH_SYSCALL)
		return syscall_word(lw, i);
	if (at_event(lw))
		return event_word(lw, i);
	if (!at_kprobe(lw))
		return ir_ld(ir, ir_ctx(ir), (int32_t)i * 8, 8, false, true);
	if (lw->site->attach == ATTACH_KRETPROBE)
		return ir_imm(ir, 0);
	if (i >= ARCH_NARGS)
		return read_word(lw, stack_word(lw, i));
	return ir_ld(ir, ir_ctx(ir), arch_args[i], 8, false, true);
}

static struct val plain_word(struct lowerer *lw, vreg r, struct type *type)
{
	struct val v = { .k = V_INT, .type = type, .r = r };

	if (type->kind != T_PTR && type->size < 8)
		v.r = ir_ext(lw->ir, v.r, type->size, type->is_signed);
	return v;
}

static struct val typed_word(struct lowerer *lw, vreg r, struct type *type)
{
	struct val v = plain_word(lw, r, type);

	if (type->kind == T_PTR && !at_kprobe(lw))
		v.btf = type->of->btf_id;
	return v;
}

/* The kernel copies what the verifier does not let us load; so it is a number to it, whatever type it has. */
vreg site_hidden_word(struct lowerer *lw, int i)
{
	return read_word(lw, ir_alui(lw->ir, ALU_ADD, ir_ctx(lw->ir), i * 8));
}

/* What the kernel says of the site's tracepoint or function, if that has typed arguments. */
static bool site_func(struct lowerer *lw, struct kernel_func *f)
{
	const struct site *s = lw->site;
	const struct lower_env *env = lw->env;

	if (s->attach == ATTACH_TP_BTF)
		return env->tracepoint && env->tracepoint(env->ctx, s->module, s->target, f);
	return (s->attach == ATTACH_FENTRY || s->attach == ATTACH_FEXIT) &&
		env->function(env->ctx, site_module(s, lw->probe), site_function(s, lw->probe), f);
}

/* Verifiers know of some tracepoints that an argument may be no pointer: an error, or NULL. */
bool site_is_tracepoint(const struct lowerer *lw)
{
	return lw->site->attach == ATTACH_TP_BTF;
}

/* What argument i points to: struct kernel_func, of. */
static uint32_t site_arg_of(struct lowerer *lw, unsigned i)
{
	struct kernel_func f = { .nargs = 0 };

	if (lw->site->hidden >> i & 1)
		return KERNEL_OPAQUE;
	return i < KERNEL_FUNC_ARGS && site_func(lw, &f) ? f.of[i] : 0;
}

uint32_t site_word_of(struct lowerer *lw, unsigned n)
{
	for (unsigned i = 0; i <= n; i++)
		if (slot_in(lw, lw->probe, i) == n)
			return site_arg_of(lw, i);
	return 0;
}

/* A structure or union that is an argument itself. */
static struct val arg_block(struct lowerer *lw, unsigned slot, struct type *type)
{
	struct ir *ir = lw->ir;
	struct val v = { .k = V_MEM, .type = type };
	unsigned n = (type->size + 7) / 8;

	if (at_kprobe(lw) && (slot >= ARCH_NARGS || n > 2)) {
		v.r = slot >= ARCH_NARGS ? stack_word(lw, slot) : site_word(lw, slot);
		if (n > 2 && slot >= ARCH_NARGS && ARCH_LARGE_BY_ADDRESS)
			v.r = read_word(lw, v.r);
		return v;
	}
	v.ours = true;
	v.r = ir_stack(ir, ir_stack_alloc(ir, 8 * n));
	for (unsigned i = 0; i < n; i++)
		ir_st(ir, v.r, (int32_t)i * 8, 8, site_word(lw, slot + i));
	return v;
}

/* Argument i of a typed tracepoint or function. */
struct val site_arg(struct lowerer *lw, int i, struct type *type)
{
	unsigned slot = site_slot(lw, (unsigned)i);
	uint32_t of = site_arg_of(lw, (unsigned)i);
	struct val v;

	if (at_event(lw))
		return event_arg(lw, slot, type);
	if (at_function(lw) && type_is_block(type))
		return arg_block(lw, slot, type);
	if (of == KERNEL_OPAQUE)
		return plain_word(lw, site_hidden_word(lw, (int)slot), type);
	v = typed_word(lw, site_word(lw, slot), type);
	v.null = v.btf && site_is_tracepoint(lw) && !strcmp(type->of->name, "sock");
	if (!v.btf && type->size == 8) { /* a pointer, though we call it void * */
		v.btf = of;
		v.unsure = site_is_tracepoint(lw);
	}
	return v;
}

static struct val returned_word(struct lowerer *lw, const struct kernel_func *f, struct type *type)
{
	struct val v;
	unsigned slot = func_slot(lw, f, f->nargs);

	if (f->ret_of == KERNEL_OPAQUE)
		return plain_word(lw, site_hidden_word(lw, (int)slot), type);
	v = typed_word(lw, site_word(lw, slot), type);
	if (!v.btf && type->size == 8) /* arg1: a pointer all the same */
		v.btf = f->ret_of;
	return v;
}

/* What a function site_returned; 0 for those that return nothing. */
struct val site_returned(struct lowerer *lw, struct type *type)
{
	struct kernel_func f = { .nargs = 0 };
	struct ir *ir = lw->ir;

	if (lw->site->attach == ATTACH_KRETPROBE)
		return typed_word(lw, ir_ld(ir, ir_ctx(ir), ARCH_REGS_RET, 8, false, true), type);
	if (lw->site->attach == ATTACH_FEXIT && site_func(lw, &f) && f.returns)
		return returned_word(lw, &f, type);
	return (struct val){ .k = V_INT, .type = type, .r = ir_imm(ir, 0) };
}

/* A function or tracepoint may have more arguments than the site needs: those that older kernels lack are 0 there. */
static unsigned args_there(struct lowerer *lw)
{
	struct kernel_func f = { .nargs = 0 };
	unsigned n = lw->site->nargs;

	if (site_is_tracepoint(lw) && lw->env->tracepoint)
		(void)lw->env->tracepoint(lw->env->ctx, site_module(lw->site, lw->probe), lw->site->target, &f);
	else if (at_function(lw) && lw->site->target && lw->env->function)
		(void)lw->env->function(lw->env->ctx, site_module(lw->site, lw->probe), lw->site->target, &f);
	return f.nargs > n ? f.nargs : n;
}

struct val site_named_arg(struct lowerer *lw, const char *name, struct type *type)
{
	struct type *st = types_tagged(lw->ts, T_STRUCT, lw->site->native);
	int i = st ? native_index(st, name) : -1;

	if (at_function(lw) && !strcmp(name, "retval"))
		return site_returned(lw, type);
	if (i < 0 || (unsigned)i >= args_there(lw))
		return (struct val){ .k = V_INT, .type = type, .r = ir_imm(lw->ir, 0) };
	return site_arg(lw, i, type);
}

/* Has the structure of what the site gives this member? */
bool site_has_member(struct lowerer *lw, const char *name)
{
	struct type *st = types_tagged(lw->ts, T_STRUCT, lw->site->native);

	return st && native_index(st, name) >= 0;
}

/* ... and does this kernel's site have it? */
bool site_shows(struct lowerer *lw, const char *name)
{
	const struct type *st = types_tagged(lw->ts, T_STRUCT, lw->site->native);
	int i = st ? native_index(st, name) : -1;

	return i >= 0 && (unsigned)i < lw->site->nargs;
}

bool site_task(struct lowerer *lw, struct type *type, struct val *out)
{
	if (!lw->site || !lw->site->task)
		return false;
	*out = site_named_arg(lw, lw->site->task, type);
	return true;
}

static struct val make_site_member(struct lowerer *lw, const char *name, struct type *type)
{
	struct val v = { .k = V_INT, .type = type };

	if (!strcmp(name, "owner")) {
		v.r = site_owner(lw);
		v.ours = true;
		return v;
	}
	if (!strcmp(name, "cookie")) {
		v.r = site_cookie(lw);
		return v;
	}
	if (at_function(lw) && !strcmp(name, "full")) {
		v.r = site_full_sk(lw);
		return v;
	}
	if (at_sockops(lw) && !strcmp(name, "op")) {
		v.r = ir_ld(lw->ir, ir_ctx(lw->ir), offsetof(struct bpf_sock_ops, op), 4, false, true);
		return v;
	}
	if (is_user_site(lw->site))
		return call_member(lw, name, type);
	if (lw->site->attach == ATTACH_PERF) {
		v.r = site_sampled_pc(lw, !strcmp(name, "kernel_pc"));
		return v;
	}
	if (at_cgroup(lw)) {
		v = !strcmp(name, "skb") ? cgroup_skb(lw) : cgroup_sk(lw);
		v.type = type;
		not_null(lw, v.r);
		return v;
	}
	return site_named_arg(lw, name, type);
}

struct val site_member(struct lowerer *lw, const struct val *site, const char *name, struct type *type)
{
	struct val v;

	(void)site;
	if (memo_get(lw, lw->site, NULL, name, &v))
		return v;
	v = make_site_member(lw, name, type);
	memo_put(lw, lw->site, NULL, name, v);
	return v;
}

/* Binds P for the site: a struct dw_pkt made by the translator from what the site gives. */
void site_begin(struct lowerer *lw)
{
	struct val *native;
	struct type *raw;

	lw->memos.n = 0;
	lw->env_stack.n = 0;
	memset(&lw->site_val, 0, sizeof(lw->site_val));
	if (!lw->prov->raw || !lw->site->native)
		return;
	check_use(lw->ck, lw->prov->raw);
	raw = types_tagged(lw->ts, T_STRUCT, lw->prov->raw);
	lw->site_val.k = V_XL;
	lw->site_val.type = raw ? type_ptr(lw->ts, raw) : NULL;
	lw->site_val.xl = raw ? check_xlator(lw->ck, lw->site->native, raw) : NULL;
	if (!lw->site_val.xl) {
		lower_error(lw, (struct loc){ 0 }, D_XLATE_NONE, "no translator from struct %s to struct %s",
			lw->site->native, lw->prov->raw);
		return;
	}
	native = ARENA_NEW(lw->arena, struct val);
	native->k = V_SITE;
	native->type = lw->site_val.xl->in_type;
	lw->site_val.bind = native;
}
