/* lower_site: what a site gives (sk_buff, socket, owner, arguments), and the translators that make args[] of it. */
#include <linux/bpf.h>
#include <string.h>

#include "ir/arch.h"
#include "ir/lower_priv.h"
#include "ir/tiers.h"

static struct val ptr_val(struct lowerer *lw, vreg r, const char *tag)
{
	struct type *t = types_tagged(lw->ts, T_STRUCT, tag);
	struct val v = { .k = V_INT, .r = r };

	v.type = type_ptr(lw->ts, t ? t : lw->ts->void_);
	v.btf = t ? t->btf_id : 0;
	return v;
}

static bool is_sockops(const struct lowerer *lw)
{
	return lw->site->attach == ATTACH_CGROUP_SOCKOPS;
}

/* The context is the socket. */
static bool is_release(const struct lowerer *lw)
{
	return lw->site->attach == ATTACH_CGROUP_RELEASE;
}

static bool is_cgroup(const struct lowerer *lw)
{
	return lw->site->attach == ATTACH_CGROUP_INGRESS || lw->site->attach == ATTACH_CGROUP_EGRESS ||
		is_sockops(lw) || is_release(lw);
}

/* ---- memo -------------------------------------------------------------------------------------------------------- */
size_t memo_mark(const struct lowerer *lw)
{
	return lw->memos.n;
}

void memo_release(struct lowerer *lw, size_t mark)
{
	lw->memos.n = mark;
}

static bool memo_get(struct lowerer *lw, const void *base, const void *xl, const char *name, struct val *out)
{
	for (size_t i = lw->memos.n; i-- > 0;) {
		const struct memo *m = &lw->memos.v[i];

		if (m->base == base && m->xl == xl && !strcmp(m->name, name)) {
			*out = m->val;
			return true;
		}
	}
	return false;
}

static void memo_put(struct lowerer *lw, const void *base, const void *xl, const char *name, struct val v)
{
	struct memo *m;

	if (v.k == V_STR && v.s.rep == REP_TEXT) /* its memory is the statement's */
		return;
	m = vec_push(lw->arena, &lw->memos);
	*m = (struct memo){ base, xl, name, v };
}

/* ---- the kernel's own -------------------------------------------------------------------------------------------- */
/* The kernel's own context: a struct sk_buff, or a struct bpf_sock_ops_kern, which names socket and segment. */
static struct val kernel_ctx(struct lowerer *lw)
{
	vreg ctx = ir_ctx(lw->ir);

	return ptr_val(lw, ir_nonzero(lw->ir, ir_kfunc(lw->ir, lw->env->kfunc_kern_ctx, &ctx, 1, true)),
		is_sockops(lw)           ? "bpf_sock_ops_kern"
			: is_release(lw) ? "sock"
					 : "sk_buff");
}

static struct val ctx_member(struct lowerer *lw, const char *name)
{
	struct val ctx = kernel_ctx(lw);

	return lower_load(lw, lower_member_of(lw, ctx, ctx.type->of, name), NULL);
}

static struct val cgroup_skb(struct lowerer *lw)
{
	return is_sockops(lw) ? ctx_member(lw, "skb") : kernel_ctx(lw);
}

static vreg helper_sk(struct lowerer *lw);
static void not_null(struct lowerer *lw, vreg p);

/* Where the kernel cannot tell its own context (before 6.2) a helper still knows the sockets of TCP. */
static struct val cgroup_sk(struct lowerer *lw)
{
	vreg sk;

	if (is_release(lw))
		return kernel_ctx(lw);
	if (lw->env->kfunc_kern_ctx)
		return ctx_member(lw, "sk");
	sk = helper_sk(lw);
	not_null(lw, sk);
	return ptr_val(lw, ir_call(lw->ir, BPF_FUNC_skc_to_tcp_sock, &sk, 1, true), "sock");
}

static int native_index(struct lowerer *lw, const struct type *st, const char *name)
{
	(void)lw;
	for (size_t i = 0; i < st->nmembers; i++)
		if (st->members[i].name && !strcmp(st->members[i].name, name))
			return (int)i;
	return -1;
}

/* Is the context a struct pt_regs? */
static bool is_kprobe(const struct lowerer *lw)
{
	return lw->site->attach == ATTACH_KPROBE || lw->site->attach == ATTACH_KRETPROBE;
}

static bool is_function(const struct lowerer *lw)
{
	return lw->site->attach == ATTACH_FENTRY || lw->site->attach == ATTACH_FEXIT || is_kprobe(lw);
}

/* The end of the probe's own function: arg1 is what it returns. */
static bool is_return(const struct lowerer *lw)
{
	return (lw->site->attach == ATTACH_FEXIT || lw->site->attach == ATTACH_KRETPROBE) && !lw->site->target;
}

/* Has the site arguments, as an array (typed tracepoints, fentry) or in registers? */
static bool has_args(const struct lowerer *lw)
{
	return lw->site->attach == ATTACH_TP_BTF || is_function(lw);
}

/* How many words: where the site is the probe's own function, its arguments, or the registers that have them. */
static unsigned site_words(struct lowerer *lw)
{
	struct kernel_func f = { .nargs = 0 };

	if (!is_function(lw) || lw->site->target)
		return lw->site->nargs;
	if (lw->site->attach == ATTACH_KPROBE)
		return ARCH_NARGS;
	if (lw->site->attach == ATTACH_FENTRY)
		(void)lw->env->function(lw->env->ctx, site_module(lw->site, lw->probe), lw->probe->func, &f);
	return f.nargs;
}

/* Word i of the site's context, as it is: a kretprobe has no arguments, and registers are only so many. */
static vreg ctx_word(struct lowerer *lw, unsigned i)
{
	struct ir *ir = lw->ir;

	if (!is_kprobe(lw))
		return ir_ld(ir, ir_ctx(ir), (int32_t)i * 8, 8, false, true);
	if (lw->site->attach == ATTACH_KRETPROBE || i >= ARCH_NARGS)
		return ir_imm(ir, 0);
	return ir_ld(ir, ir_ctx(ir), arch_args[i], 8, false, true);
}

static struct val typed_word(struct lowerer *lw, vreg r, struct type *type)
{
	struct val v = { .k = V_INT, .type = type, .r = r };

	if (type->kind == T_PTR) {
		v.btf = is_kprobe(lw) ? 0 : type->of->btf_id;
	} else if (type->size < 8) {
		v.r = ir_ext(lw->ir, v.r, type->size, type->is_signed);
	}
	return v;
}

/* Argument i of a typed tracepoint or function. */
/* The kernel copies what the verifier does not let us load. */
static vreg hidden_word(struct lowerer *lw, int i)
{
	struct ir *ir = lw->ir;
	int32_t mark = ir_stack_mark(ir), at = ir_stack_alloc(ir, 8);
	vreg p = ir_stack(ir, at), from = ir_alui(ir, ALU_ADD, ir_ctx(ir), i * 8), r;

	ir_sti(ir, p, 0, 8, 0);
	ir_call(ir, BPF_FUNC_probe_read_kernel, (vreg[]){ p, ir_imm(ir, 8), from }, 3, false);
	r = ir_ld(ir, ir_stack(ir, at), 0, 8, false, false);
	ir_stack_release(ir, mark);
	return r;
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

/* What argument i points to: struct kernel_func, of. */
static uint32_t arg_of(struct lowerer *lw, unsigned i)
{
	struct kernel_func f = { .nargs = 0 };

	if (lw->site->hidden >> i & 1)
		return KERNEL_OPAQUE;
	return i < KERNEL_FUNC_ARGS && site_func(lw, &f) ? f.of[i] : 0;
}

static struct val ctx_arg(struct lowerer *lw, int i, struct type *type)
{
	if (arg_of(lw, (unsigned)i) == KERNEL_OPAQUE)
		return typed_word(lw, hidden_word(lw, i), type);
	return typed_word(lw, ctx_word(lw, (unsigned)i), type);
}

static struct val returned_word(struct lowerer *lw, const struct kernel_func *f, struct type *type)
{
	struct val v;

	if (f->ret_of == KERNEL_OPAQUE)
		return typed_word(lw, hidden_word(lw, (int)f->nargs), type);
	v = typed_word(lw, ctx_word(lw, f->nargs), type);
	if (!v.btf && type->size == 8) /* arg1: a pointer all the same */
		v.btf = f->ret_of;
	return v;
}

/* What a function returned; 0 for those that return nothing. */
static struct val returned(struct lowerer *lw, struct type *type)
{
	struct kernel_func f = { .nargs = 0 };
	struct ir *ir = lw->ir;

	if (lw->site->attach == ATTACH_KRETPROBE)
		return typed_word(lw, ir_ld(ir, ir_ctx(ir), ARCH_REGS_RET, 8, false, true), type);
	if (lw->site->attach == ATTACH_FEXIT && site_func(lw, &f) && f.returns)
		return returned_word(lw, &f, type);
	return (struct val){ .k = V_INT, .type = type, .r = ir_imm(ir, 0) };
}

static struct val tracepoint_arg(struct lowerer *lw, const char *name, struct type *type)
{
	struct type *st = types_tagged(lw->ts, T_STRUCT, lw->site->native);
	int i = st ? native_index(lw, st, name) : -1;

	if (is_function(lw) && !strcmp(name, "retval"))
		return returned(lw, type);
	if (i < 0 || (unsigned)i >= lw->site->nargs)
		return (struct val){ .k = V_INT, .type = type, .r = ir_imm(lw->ir, 0) };
	return ctx_arg(lw, i, type);
}

bool site_task(struct lowerer *lw, struct type *type, struct val *out)
{
	if (!lw->site || !lw->site->task)
		return false;
	*out = tracepoint_arg(lw, lw->site->task, type);
	return true;
}

static bool has_arg(struct lowerer *lw, const char *name)
{
	const struct type *st = types_tagged(lw->ts, T_STRUCT, lw->site->native);
	int i = st ? native_index(lw, st, name) : -1;

	return i >= 0 && (unsigned)i < lw->site->nargs;
}

/* A tracepoint that tells a packet but no socket: the packet's. */
static bool is_packets_sk(struct lowerer *lw)
{
	return !is_cgroup(lw) && !has_arg(lw, "sk") && has_arg(lw, "skb");
}

static vreg packets_sk(struct lowerer *lw)
{
	const struct site_text *t = lower_site_text(lw, "P->skb->sk");

	return t ? lower_load(lw, lower_expr(lw, t->expr), t->expr).r : ir_imm(lw->ir, 0);
}

/* The socket as the storage helpers want it; it may be NULL. */
static vreg helper_sk(struct lowerer *lw)
{
	if (is_release(lw))
		return ir_ctx(lw->ir);
	if (is_cgroup(lw))
		return ir_ld(lw->ir, ir_ctx(lw->ir),
			is_sockops(lw) ? (int32_t)offsetof(struct bpf_sock_ops, sk)
				       : (int32_t)offsetof(struct __sk_buff, sk),
			8, false, true);
	if (is_packets_sk(lw))
		return packets_sk(lw);
	return tracepoint_arg(lw, "sk", type_ptr(lw->ts, lw->ts->void_)).r;
}

static bool native_has(struct lowerer *lw, const char *name)
{
	struct type *st = types_tagged(lw->ts, T_STRUCT, lw->site->native);

	return st && native_index(lw, st, name) >= 0;
}

/* A member of a member of the socket at r, a plain number. */
static vreg sock_number(struct lowerer *lw, vreg r, const char *name)
{
	struct val sk = ptr_val(lw, r, "sock"), common;

	sk.btf = 0;
	common = lower_member_of(lw, sk, sk.type->of, "__sk_common");
	common = lower_member_of(lw, common, common.type, name);
	if (common.type && common.type->kind == T_STRUCT)
		common = lower_member_of(lw, common, common.type, "counter");
	return common.type ? lower_load(lw, common, NULL).r : ir_imm(lw->ir, 0);
}

/* The socket that a function's packet or argument names, as the verifier knows it. */
static struct val named_sk(struct lowerer *lw)
{
	struct type *ptr = type_ptr(lw->ts, types_tagged(lw->ts, T_STRUCT, "sock"));
	struct val v;

	if (!native_has(lw, "by") && native_has(lw, "sk"))
		return tracepoint_arg(lw, "sk", ptr);
	v = tracepoint_arg(lw, "skb", type_ptr(lw->ts, types_tagged(lw->ts, T_STRUCT, "sk_buff")));
	return lower_load(lw, lower_member_of(lw, v, v.type->of, "sk"), NULL);
}

/* The whole socket of a function's packet or argument, as a plain number, 0: none: of a handshake its listener, and
 * nothing of TIME_WAIT. A packet that leaves ("by") is its socket's only if that sends it: a tunnel's outer packet
 * still has the inner one's. */
static vreg full_sk(struct lowerer *lw)
{
	struct ir *ir = lw->ir;
	struct type *ptr = type_ptr(lw->ts, types_tagged(lw->ts, T_STRUCT, "sock"));
	bool leaves = native_has(lw, "by");
	uint32_t end = ir_newlabel(ir), whole = ir_newlabel(ir);
	struct val by;
	vreg res = ir_var(ir), state, sk;

	ir_seti(ir, res, 0);
	sk = plain_number(lw, named_sk(lw));
	ir_jcci(ir, CC_EQ, sk, 0, end);
	state = sock_number(lw, sk, "skc_state");
	ir_jcci(ir, CC_EQ, state, 6, end);
	if (leaves) {
		by = tracepoint_arg(lw, "by", ptr);
		ir_jcci(ir, CC_EQ, by.r, 0, end);
	}
	ir_jcci(ir, CC_NE, state, 12, whole);
	ir_set(ir, res, sock_number(lw, sk, "skc_listener"));
	ir_jmp(ir, end);
	ir_label(ir, whole);
	if (leaves)
		ir_jcc(ir, CC_NE, plain_number(lw, tracepoint_arg(lw, "by", ptr)), sk, end);
	ir_set(ir, res, sk);
	ir_label(ir, end);
	return res;
}

static vreg kernel_sk(struct lowerer *lw)
{
	if (is_function(lw))
		return site_member(lw, NULL, "full", type_ptr(lw->ts, types_tagged(lw->ts, T_STRUCT, "sock"))).r;
	return is_cgroup(lw) ? cgroup_sk(lw).r : helper_sk(lw);
}

/* Kprobes may not ask for a socket's number, and make none: there a socket that has none is known by its address. So is
 * the listener of a handshake, to which no typed pointer leads. */
static vreg function_cookie(struct lowerer *lw)
{
	struct ir *ir = lw->ir;
	vreg res = ir_var(ir), sk = kernel_sk(lw);
	uint32_t end = ir_newlabel(ir), other = ir_newlabel(ir);
	struct val v;

	ir_set(ir, res, sk);
	ir_jcci(ir, CC_EQ, sk, 0, end);
	if (!is_kprobe(lw)) {
		v = named_sk(lw);
		ir_jcc(ir, CC_NE, plain_number(lw, v), sk, other);
		ir_set(ir, res, ir_call(ir, BPF_FUNC_get_socket_cookie, &v.r, 1, true));
		ir_jmp(ir, end);
		ir_label(ir, other);
	}
	ir_set(ir, res, sock_number(lw, sk, "skc_cookie"));
	ir_jcci(ir, CC_NE, res, 0, end);
	ir_set(ir, res, sk);
	ir_label(ir, end);
	return res;
}

static vreg hook_cookie(struct lowerer *lw)
{
	vreg arg = is_cgroup(lw) ? ir_ctx(lw->ir) : helper_sk(lw), res;
	uint32_t end;

	if (!is_packets_sk(lw))
		return ir_call(lw->ir, BPF_FUNC_get_socket_cookie, &arg, 1, true);
	res = ir_var(lw->ir);
	end = ir_newlabel(lw->ir);
	ir_seti(lw->ir, res, 0);
	ir_jcci(lw->ir, CC_EQ, arg, 0, end);
	ir_set(lw->ir, res, ir_call(lw->ir, BPF_FUNC_get_socket_cookie, &arg, 1, true));
	ir_label(lw->ir, end);
	return res;
}

static vreg lower_cookie(struct lowerer *lw)
{
	if (is_function(lw))
		return function_cookie(lw);
	return hook_cookie(lw);
}

/* A datagram socket that several processes use, whose record is o: jumps to end with res the record of the current
 * thread if it is the one that sends, else to other. The service has noted it just before, on this CPU. */
static void lower_sender(struct lowerer *lw, vreg res, vreg o, vreg addr, uint32_t other, uint32_t end)
{
	struct ir *ir = lw->ir;
	uint32_t first = ir_newlabel(ir);
	vreg key = ir_stack(ir, ir_stack_alloc(ir, 8)), tid = current_number(lw, BI_tid), s, rec;

	ir_st(ir, key, 0, 4, ir_alui(ir, ALU_AND, tid, DW_SENDERS - 1));
	s = ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map_for(lw, MAP_SENDERS)), key }, 2, false);
	ir_jcci(ir, CC_EQ, s, 0, first);
	ir_jcc(ir, CC_NE, ir_ld(ir, s, (int32_t)offsetof(struct dw_sender, sk), 8, false, false), addr, first);
	rec = ir_alui(ir, ALU_ADD, s, (int64_t)offsetof(struct dw_sender, owner));
	ir_jcc(ir, CC_NE, ir_ld(ir, rec, (int32_t)offsetof(struct dw_owner, tid), 4, true, false), tid, first);
	ir_set(ir, res, rec);
	ir_jmp(ir, end);
	/* the first process may have been alone when the service looked */
	ir_label(ir, first);
	ir_jcc(ir, CC_NE, ir_ld(ir, o, (int32_t)offsetof(struct dw_owner, pid), 4, true, false),
		current_number(lw, BI_pid), other);
	ir_jmp(ir, end);
}

/* The record is of a socket that was closed: when there is one again at this address, of the kernel's own, jumps to end
 * with res 0. */
static void lower_left(struct lowerer *lw, vreg res, vreg addr, uint32_t end)
{
	struct ir *ir = lw->ir;
	struct val sk = ptr_val(lw, addr, "sock"), file;

	sk.btf = 0;
	file = lower_load(lw, lower_member_of(lw, sk, sk.type->of, "sk_socket"), NULL);
	ir_jcci(ir, CC_EQ, file.r, 0, end);
	ir_seti(ir, res, 0);
	ir_jmp(ir, end);
}

/* Owner record of the socket at addr: a pointer to a struct dw_owner, or NULL. Of a socket that several processes use:
 * who sends, where this is a packet on its way out, else its last user. */
static vreg owner_at(struct lowerer *lw, vreg addr)
{
	struct ir *ir = lw->ir;
	vreg res = ir_var(ir), o, a, key, how;
	uint32_t shared = ir_newlabel(ir), other = ir_newlabel(ir), end = ir_newlabel(ir);
	int32_t slot = ir_stack_alloc(ir, 8);

	lw->im->needs_owner = true;
	ir_seti(ir, res, 0);
	ir_jcci(ir, CC_EQ, addr, 0, end);
	key = ir_stack(ir, slot);
	ir_st(ir, key, 0, 8, addr);
	o = ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map_for(lw, MAP_OWNER)), key }, 2, false);
	ir_set(ir, res, o);
	ir_jcci(ir, CC_EQ, o, 0, end);
	how = ir_ld(ir, o, DW_OWNER_HOW, 1, false, false);
	ir_jcci(ir, CC_ULT, how, DW_OWNER_SHARED, end);
	ir_jcci(ir, CC_EQ, how, DW_OWNER_SHARED, shared);
	lower_left(lw, res, addr, end);
	ir_label(ir, shared);
	if (lw->site->attach == ATTACH_CGROUP_EGRESS)
		lower_sender(lw, res, o, addr, other, end);
	ir_label(ir, other);
	key = ir_stack(ir, slot);
	a = ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map_for(lw, MAP_LAST_USERS)), key }, 2, false);
	ir_jcci(ir, CC_EQ, a, 0, end);
	ir_set(ir, res, a);
	ir_label(ir, end);
	return res;
}

static vreg lower_owner(struct lowerer *lw)
{
	return owner_at(lw, kernel_sk(lw));
}

/* __owner(address of a socket) */
struct val lower_owner_of(struct lowerer *lw, const struct expr *e)
{
	struct val v = { .k = V_INT, .type = e->type, .ours = true };

	v.r = owner_at(lw, lower_int(lw, e->args.v[0]));
	return v;
}

/* These are never NULL; the verifier wants to see it. */
static void not_null(struct lowerer *lw, vreg p)
{
	uint32_t ok = ir_newlabel(lw->ir);

	ir_jcci(lw->ir, CC_NE, p, 0, ok);
	lower_fault(lw, DW_FAULT_BADADDR, 0);
	ir_label(lw->ir, ok);
}

static vreg sampled_pc(struct lowerer *lw, bool kernel);

static struct val make_site_member(struct lowerer *lw, const char *name, struct type *type)
{
	struct val v = { .k = V_INT, .type = type };

	if (!strcmp(name, "owner")) {
		v.r = lower_owner(lw);
		v.ours = true;
		return v;
	}
	if (!strcmp(name, "cookie")) {
		v.r = lower_cookie(lw);
		return v;
	}
	if (is_function(lw) && !strcmp(name, "full")) {
		v.r = full_sk(lw);
		return v;
	}
	if (is_sockops(lw) && !strcmp(name, "op")) {
		v.r = ir_ld(lw->ir, ir_ctx(lw->ir), offsetof(struct bpf_sock_ops, op), 4, false, true);
		return v;
	}
	if (is_user_site(lw->site))
		return call_member(lw, name, type);
	if (lw->site->attach == ATTACH_PERF) {
		v.r = sampled_pc(lw, !strcmp(name, "kernel_pc"));
		return v;
	}
	if (is_cgroup(lw)) {
		v = !strcmp(name, "skb") ? cgroup_skb(lw) : cgroup_sk(lw);
		v.type = type;
		not_null(lw, v.r);
		return v;
	}
	return tracepoint_arg(lw, name, type);
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

/* ---- translators ------------------------------------------------------------------------------------------------- */
static struct val lower_xl_value(struct lowerer *lw, const struct expr *init, struct type *to)
{
	struct val v = lower_expr(lw, init);

	if (type_is_string(to)) {
		struct sval s = v.k == V_STR ? v.s : lower_str(lw, init);

		return (struct val){ .k = V_STR, .type = to, .s = s };
	}
	if (to->kind == T_STRUCT || to->kind == T_UNION)
		return v;
	v = lower_load(lw, v, init);
	if (v.k == V_MEM) {
		v.r = lower_addr_value(lw, v);
		v.btf = 0;
		v.k = V_INT;
	}
	v.r = convert_int(lw, v.r, init->type, to);
	v.type = to;
	return v;
}

/* What the provider's raw structure has for members that a site's translator leaves out: the translator from the
 * structure to itself. False: it says nothing either. */
static bool default_member(struct lowerer *lw, const struct val *base, const char *name, struct val *out)
{
	struct type *raw = lw->prov->raw ? types_tagged(lw->ts, T_STRUCT, lw->prov->raw) : NULL;

	if (!raw || base->xl != lw->site_val.xl)
		return false;
	*out = (struct val){ .k = V_XL, .type = base->type, .bind = &lw->site_val };
	out->xl = check_xlator(lw->ck, lw->prov->raw, raw);
	return out->xl && check_xl_member(lw->ck, out->xl, name);
}

struct val xl_member(struct lowerer *lw, const struct val *base, const struct expr *at, const char *name)
{
	struct val other;
	struct expr *init = check_xl_member(lw->ck, base->xl, name);
	struct type *to = at->type;
	struct val v = { .k = V_INT, .type = to };
	struct binding *b;
	struct loc loc = lw->ir->loc;

	if (memo_get(lw, base->bind, base->xl, name, &v))
		return v;
	if (!init && default_member(lw, base, name, &other))
		return xl_member(lw, &other, at, name);
	if (!init) { /* this site has no such thing: reading it is a fault, as reading through NULL is */
		lower_fault(lw, DW_FAULT_BADADDR, 0);
		if (type_is_string(to))
			return (struct val){ .k = V_STR, .type = to, .s = str_zero(lw, FORM_LIT) };
		v.r = ir_imm(lw->ir, 0);
		return v;
	}
	b = vec_push(lw->arena, &lw->env_stack);
	b->param = xlator_param(lw->ck, base->xl);
	b->val = *base->bind;
	v = lower_xl_value(lw, init, to);
	lw->env_stack.n--;
	lw->ir->loc = loc;
	memo_put(lw, base->bind, base->xl, name, v);
	return v;
}

/* The raw structure of the site, as a translated value: P. */
static const struct val *raw_val(struct lowerer *lw)
{
	return &lw->site_val;
}

/* profile: arg0 is the program counter where the kernel was interrupted, arg1 where a process was; the other is 0. */
static vreg sampled_pc(struct lowerer *lw, bool kernel)
{
	struct ir *ir = lw->ir;
	vreg pc = ir_ld(ir, ir_ctx(ir), ARCH_REGS_IP, 8, false, true), r = ir_var(ir);
	uint32_t end = ir_newlabel(ir);

	ir_seti(ir, r, 0);
	ir_jcci(ir, kernel ? CC_SGE : CC_SLT, pc, 0, end);
	ir_set(ir, r, pc);
	ir_label(ir, end);
	return r;
}

/* argN as a number; to the verifier it may be a pointer. */
static struct val raw_word(struct lowerer *lw, unsigned n)
{
	struct val v = { .k = V_INT, .type = lw->ts->int64, .btf = arg_of(lw, n) };

	if (v.btf == KERNEL_OPAQUE) {
		v.r = hidden_word(lw, (int)n);
		v.btf = 0;
	} else {
		v.r = ctx_word(lw, n);
	}
	return v;
}

static struct val raw_arg(struct lowerer *lw, unsigned n)
{
	struct ir *ir = lw->ir;
	struct val v = { .k = V_INT, .type = lw->ts->int64, .r = ir_imm(ir, 0) };

	if (lw->site->attach == ATTACH_TEST_RUN)
		v.r = ir_ld(ir, ir_ctx(ir), (int32_t)n * 8, 8, false, true);
	else if (is_return(lw))
		v = n == 1 ? returned(lw, lw->ts->int64) : v;
	else if (has_args(lw) && n < site_words(lw))
		v = raw_word(lw, n);
	else if (is_cgroup(lw) && n == 0 && !lw->site->sk_only)
		v.r = cgroup_skb(lw).r;
	else if (is_cgroup(lw) && n == 1)
		v.r = cgroup_sk(lw).r;
	else if (is_user_site(lw->site))
		v.r = user_arg(lw, n);
	else if (lw->site->attach == ATTACH_PERF && n < 2)
		v.r = sampled_pc(lw, n == 0);
	else
		v.r = ir_imm(ir, 0);
	return v;
}

/* The D text of argument n of the probe, where it is no structure and the site says what it is; or NULL. */
static const char *value_text(const struct lowerer *lw, uint64_t n)
{
	const char *const *args = lw->probe->args, *const *values = lw->site->values;
	size_t count = 0;

	for (; values && *values; values++, count++)
		if (count == n)
			return *values;
	if (lw->site->values)
		return "0";
	while (args && args[count])
		count++;
	return lw->site->value && n < count && !strchr(args[n], '*') ? lw->site->value : NULL;
}

static struct val site_value(struct lowerer *lw, const char *text, struct type *type)
{
	const struct site_text *t = lower_site_text(lw, text);
	struct val v = { .k = V_INT, .type = type };

	if (t && type_is_string(type))
		return (struct val){ .k = V_STR, .type = type, .s = lower_str(lw, t->expr) };
	v.r = t ? convert_int(lw, lower_int(lw, t->expr), t->expr->type, type) : ir_imm(lw->ir, 0);
	return v;
}

struct val site_errno(struct lowerer *lw, struct type *type)
{
	if (!lw->site->error)
		return (struct val){ .k = V_INT, .type = type, .r = ir_imm(lw->ir, 0) };
	return site_value(lw, lw->site->error, type);
}

/* args[n] and argN. */
struct val lower_args(struct lowerer *lw, const struct expr *e)
{
	struct val v = { .k = V_NONE };
	const struct xlator *xl;
	const char *text;

	if (e->kind != EX_IDENT && !e->xl && (!e->a || e->a->kind != EX_IDENT || strcmp(e->a->name, "args") != 0))
		return v;
	text = e->xl ? NULL : value_text(lw, e->ival);
	if (text)
		return site_value(lw, text, e->type);
	if (e->kind == EX_IDENT)
		return raw_arg(lw, (unsigned)e->ival);
	if (!e->xl && is_return(lw))
		return e->ival == 1 ? returned(lw, e->type)
				    : (struct val){ .k = V_INT, .type = e->type, .r = ir_imm(lw->ir, 0) };
	if (!e->xl && has_args(lw) && e->ival < site_words(lw))
		return ctx_arg(lw, (int)e->ival, e->type);
	if (!e->xl && is_user_site(lw->site))
		return (struct val){ .k = V_INT,
			.type = e->type,
			.r = convert_int(lw, user_arg(lw, (unsigned)e->ival), lw->ts->int64, e->type) };
	if (!e->xl)
		return v;
	xl = lw->prov->raw ? check_xlator(lw->ck, lw->prov->raw, e->xl->out) : NULL;
	if (!xl) {
		lower_fault(lw, DW_FAULT_BADADDR, 0);
		v.k = V_INT;
		v.type = e->type;
		v.r = ir_imm(lw->ir, 0);
		return v;
	}
	v.k = V_XL;
	v.type = e->type;
	v.xl = xl;
	v.bind = raw_val(lw);
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
