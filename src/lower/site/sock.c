/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sock: the socket of a site: its address, its cookie, its owner.
 * Input: a site that shows a packet or a socket. Output: registers. An owner is the address of a struct dw_owner, or
 * NULL.
 * Invariant: an outgoing packet belongs to a socket only if that socket sends it. */
#include <linux/bpf.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"

/* A tracepoint that has a packet but no socket: the packet's socket. */
static bool is_packets_sk(struct prog_ctx *pg)
{
	return !at_cgroup(pg) && !site_shows(pg, "sk") && site_shows(pg, "skb");
}

static struct val packets_sk(struct clause_ctx *cx)
{
	const struct site_text *t = lower_site_text(cx->pg, "P->skb->sk");

	return t ? lower_load_trusted(cx, lower_expr(cx, t->expr), t->expr) : int_val(ir_imm(cx->ir, 0), NULL);
}

/* The socket as the storage helpers take it. It may be NULL. */
vreg site_helper_sk(struct clause_ctx *cx)
{
	if (at_release(cx->pg))
		return ir_ctx(cx->ir);
	if (at_cgroup(cx->pg))
		return ir_ld(cx->ir, ir_ctx(cx->ir),
			at_sockops(cx->pg) ? (int32_t)offsetof(struct bpf_sock_ops, sk)
					   : (int32_t)offsetof(struct __sk_buff, sk),
			8, false, true);
	if (is_packets_sk(cx->pg))
		return packets_sk(cx).r;
	return site_named_arg(cx, "sk", type_ptr(cx->lw->ts, cx->lw->ts->void_)).r;
}

/* A member of a member of the socket at r, a plain number. */
static vreg sock_number(struct clause_ctx *cx, vreg r, const char *name)
{
	struct val sk = ptr_val(cx->lw, r, "sock"), common;

	sk.btf = 0;
	common = lower_member_of(cx, sk, sk.type->of, "__sk_common");
	common = lower_member_of(cx, common, common.type, name);
	if (common.type && common.type->kind == T_STRUCT)
		common = lower_member_of(cx, common, common.type, "counter");
	return common.type ? lower_load(cx, common, NULL).r : ir_imm(cx->ir, 0);
}

/* The socket that a function's packet or argument names, as the verifier knows it. */
static struct val named_sk(struct clause_ctx *cx)
{
	struct type *ptr = type_ptr(cx->lw->ts, types_tagged(cx->lw->ts, T_STRUCT, "sock"));
	struct val v;

	if (!site_has_member(cx->pg, "by") && site_has_member(cx->pg, "sk"))
		return site_named_arg(cx, "sk", ptr);
	v = site_named_arg(cx, "skb", type_ptr(cx->lw->ts, types_tagged(cx->lw->ts, T_STRUCT, "sk_buff")));
	return lower_load(cx, lower_member_of(cx, v, v.type->of, "sk"), NULL);
}

/* The full socket of a function's packet or argument as a plain number, 0 if none. For a handshake it is the
 * listener; TIME_WAIT has none. An outgoing packet ("by") belongs to its socket only if that socket sends it: a
 * tunnel's outer packet still carries the inner one's socket. */
vreg site_full_sk(struct clause_ctx *cx)
{
	struct ir *ir = cx->ir;
	struct type *ptr = type_ptr(cx->lw->ts, types_tagged(cx->lw->ts, T_STRUCT, "sock"));
	bool leaves = site_has_member(cx->pg, "by");
	uint32_t end = ir_newlabel(ir), whole = ir_newlabel(ir);
	struct val by;
	vreg res = ir_var(ir), state, sk;

	ir_seti(ir, res, 0);
	sk = plain_number(cx, named_sk(cx));
	ir_jcci(ir, CC_EQ, sk, 0, end);
	state = sock_number(cx, sk, "skc_state");
	ir_jcci(ir, CC_EQ, state, 6, end);
	if (leaves) {
		by = site_named_arg(cx, "by", ptr);
		ir_jcci(ir, CC_EQ, by.r, 0, end);
	}
	ir_jcci(ir, CC_NE, state, 12, whole);
	ir_set(ir, res, sock_number(cx, sk, "skc_listener"));
	ir_jmp(ir, end);
	ir_label(ir, whole);
	if (leaves)
		ir_jcc(ir, CC_NE, plain_number(cx, site_named_arg(cx, "by", ptr)), sk, end);
	ir_set(ir, res, sk);
	ir_label(ir, end);
	return res;
}

static vreg kernel_sk(struct clause_ctx *cx)
{
	if (at_function(cx->pg))
		return site_member(cx, NULL, "full", type_ptr(cx->lw->ts, types_tagged(cx->lw->ts, T_STRUCT, "sock")))
			.r;
	return at_cgroup(cx->pg) ? cgroup_sk(cx).r : site_helper_sk(cx);
}

/* Kprobes can neither read nor make a socket's cookie through a helper, nor can any tracing program before Linux 5.12.
 * There, a socket without a cookie is known by its address, and so is a handshake's listener, to which no typed pointer
 * leads. */
static vreg function_cookie(struct clause_ctx *cx)
{
	struct ir *ir = cx->ir;
	vreg res = ir_var(ir), sk = kernel_sk(cx);
	uint32_t end = ir_newlabel(ir), other = ir_newlabel(ir);
	struct val v;

	if (cx->lw->env->no_sk_cookie)
		sk = plain_number(cx, ptr_val(cx->lw, sk, "sock"));
	ir_set(ir, res, sk);
	ir_jcci(ir, CC_EQ, sk, 0, end);
	if (!at_kprobe(cx->pg) &&
		!cx->lw->env->no_sk_cookie) { /* an argument is trusted, a packet's socket need not be */
		v = site_has_member(cx->pg, "by")
			? site_named_arg(cx, "by", type_ptr(cx->lw->ts, types_tagged(cx->lw->ts, T_STRUCT, "sock")))
			: named_sk(cx);
		ir_jcc(ir, CC_NE, plain_number(cx, v), sk, other);
		ir_set(ir, res, ir_call(ir, BPF_FUNC_get_socket_cookie, &v.r, 1, true));
		ir_jmp(ir, end);
		ir_label(ir, other);
	}
	ir_set(ir, res, sock_number(cx, sk, "skc_cookie"));
	ir_jcci(ir, CC_NE, res, 0, end);
	ir_set(ir, res, sk);
	ir_label(ir, end);
	return res;
}

/* The cookie of a packet's socket. A process's socket without a cookie gets one. The helper does not take an RCU
 * pointer, which a packet's socket is since Linux 6.4, but it takes the one in its struct socket. */
static vreg packet_cookie(struct clause_ctx *cx)
{
	struct ir *ir = cx->ir;
	struct val sk = packets_sk(cx), file, same;
	vreg res = ir_var(ir), addr, state;
	uint32_t end = ir_newlabel(ir);

	ir_seti(ir, res, 0);
	if (!sk.type)
		return res;
	ir_jcci(ir, CC_EQ, sk.r, 0, end);
	addr = plain_number(cx, sk);
	ir_set(ir, res, sock_number(cx, addr, "skc_cookie"));
	ir_jcci(ir, CC_NE, res, 0, end);
	state = sock_number(cx, addr, "skc_state");
	ir_jcci(ir, CC_EQ, state, 6, end);
	ir_jcci(ir, CC_EQ, state, 12, end);
	file = lower_load_trusted(cx, lower_member_of(cx, sk, sk.type->of, "sk_socket"), NULL);
	ir_jcci(ir, CC_EQ, file.r, 0, end);
	same = lower_load_trusted(cx, lower_member_of(cx, file, file.type->of, "sk"), NULL);
	ir_jcc(ir, CC_NE, plain_number(cx, same), addr, end);
	ir_set(ir, res, ir_call(ir, BPF_FUNC_get_socket_cookie, &same.r, 1, true));
	ir_label(ir, end);
	return res;
}

static vreg hook_cookie(struct clause_ctx *cx)
{
	vreg arg;

	if (is_packets_sk(cx->pg))
		return packet_cookie(cx);
	arg = at_cgroup(cx->pg) ? ir_ctx(cx->ir) : site_helper_sk(cx);
	return ir_call(cx->ir, BPF_FUNC_get_socket_cookie, &arg, 1, true);
}

vreg site_cookie(struct clause_ctx *cx)
{
	if (at_function(cx->pg) || (cx->lw->env->no_sk_cookie && !at_cgroup(cx->pg)))
		return function_cookie(cx);
	return hook_cookie(cx);
}

/* What names the socket as long as it lives: the cookie, or the address where a program can only read a cookie, which
 * somebody else may give the socket between two of its packets. */
vreg site_sock_key(struct clause_ctx *cx)
{
	bool no_helper = cx->lw->env->no_sk_cookie && !at_cgroup(cx->pg);
	vreg sk;

	if (!no_helper && !at_kprobe(cx->pg))
		return site_cookie(cx);
	sk = kernel_sk(cx);
	return no_helper ? plain_number(cx, ptr_val(cx->lw, sk, "sock")) : sk;
}

/* For a datagram socket that several processes use, whose record is o: jumps to end, with the current thread's
 * record in res, if this thread is the sender, else to other. The service has noted the sender just before.
 * The pid is compared as the record may be that of an older thread with the same number, if its end was missed. */
static void lower_sender(struct clause_ctx *cx, vreg res, vreg o, vreg addr, uint32_t other, uint32_t end)
{
	struct ir *ir = cx->ir;
	uint32_t first = ir_newlabel(ir);
	vreg key = ir_stack(ir, ir_stack_alloc(ir, 8)), s, rec, pid = current_number(cx, BI_pid);

	ir_st(ir, key, 0, 4, current_number(cx, BI_tid));
	s = ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map_for(cx->lw, MAP_SENDERS)), key }, 2, false);
	ir_jcci(ir, CC_EQ, s, 0, first);
	ir_jcc(ir, CC_NE, ir_ld(ir, s, (int32_t)offsetof(struct dw_sender, sk), 8, false, false), addr, first);
	rec = ir_alui(ir, ALU_ADD, s, (int64_t)offsetof(struct dw_sender, owner));
	ir_jcc(ir, CC_NE, ir_ld(ir, rec, (int32_t)offsetof(struct dw_owner, pid), 4, true, false), pid, first);
	ir_set(ir, res, rec);
	ir_jmp(ir, end);
	/* the socket may have had only one process when the service looked */
	ir_label(ir, first);
	ir_jcc(ir, CC_NE, ir_ld(ir, o, (int32_t)offsetof(struct dw_owner, pid), 4, true, false), pid, other);
	ir_jmp(ir, end);
}

/* The record is of a closed socket. If the kernel has its own new socket at this address, jumps to end with res 0. */
static void lower_left(struct clause_ctx *cx, vreg res, vreg addr, uint32_t end)
{
	struct ir *ir = cx->ir;
	struct val sk = ptr_val(cx->lw, addr, "sock"), file;

	sk.btf = 0;
	file = lower_load_trusted(cx, lower_member_of(cx, sk, sk.type->of, "sk_socket"), NULL);
	ir_jcci(ir, CC_EQ, file.r, 0, end);
	ir_seti(ir, res, 0);
	ir_jmp(ir, end);
}

/* Looks for the socket at addr in its two places (abi.h). Jumps to found, with its record in o, or falls through. */
static void lower_place(struct clause_ctx *cx, vreg o, vreg addr, uint32_t found)
{
	struct ir *ir = cx->ir;
	/* The verifier does not allow to multiply a pointer, but to it a copy of the lower half is a number. */
	vreg off = ir_alu(ir, ALU_MUL, ir_ext(ir, addr, 4, false), ir_imm(ir, DW_PLACE_FACTOR));

	off = ir_alui(ir, ALU_AND, ir_alui(ir, ALU_SHR, off, DW_PLACE_SHIFT), DW_PLACE_MASK);
	for (int i = 0; i < 2; i++) {
		uint32_t next = ir_newlabel(ir);
		vreg at = i ? ir_alui(ir, ALU_AND, ir_alui(ir, ALU_ADD, off, sizeof(struct dw_place)), DW_PLACE_MASK)
			    : off;
		vreg p = ir_alu(ir, ALU_ADD, ir_mapval(ir, map_for(cx->lw, MAP_PLACES), 0), at);

		ir_jcc(ir, CC_NE, ir_ld(ir, p, (int32_t)offsetof(struct dw_place, sk), 8, false, false), addr, next);
		ir_set(ir, o, ir_alui(ir, ALU_ADD, p, (int64_t)offsetof(struct dw_place, owner)));
		ir_jmp(ir, found);
		ir_label(ir, next);
	}
}

static void need_owners(struct clause_ctx *cx)
{
	const struct lower_env *env = cx->lw->env;

	if (!cx->lw->owners && env->owners)
		env->owners(env->ctx, cx->lw->im->functions);
	cx->lw->owners = true;
}

/* The owner record of the socket at addr: a pointer to a struct dw_owner, or NULL. If several processes use the
 * socket, the owner is the sender of an outgoing packet, else the last user. */
static vreg owner_at(struct clause_ctx *cx, vreg addr, bool closing)
{
	struct ir *ir = cx->ir;
	vreg res = ir_var(ir), o, a, key, how;
	uint32_t found = ir_newlabel(ir), shared = ir_newlabel(ir), other = ir_newlabel(ir), end = ir_newlabel(ir);
	int32_t slot = ir_stack_alloc(ir, 8);

	need_owners(cx);
	ir_seti(ir, res, 0);
	ir_jcci(ir, CC_EQ, addr, 0, end);
	o = ir_var(ir);
	lower_place(cx, o, addr, found);
	key = ir_stack(ir, slot);
	ir_st(ir, key, 0, 8, addr);
	ir_set(ir, o,
		ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map_for(cx->lw, MAP_OWNER)), key }, 2,
			false));
	ir_jcci(ir, CC_EQ, o, 0, end);
	ir_label(ir, found);
	ir_set(ir, res, o);
	how = ir_ld(ir, o, DW_OWNER_HOW, 1, false, false);
	ir_jcci(ir, CC_ULT, how, DW_OWNER_SHARED, end);
	ir_jcci(ir, CC_EQ, how, DW_OWNER_SHARED, shared);
	if (closing)
		ir_jmp(ir, end);
	else
		lower_left(cx, res, addr, end);
	ir_label(ir, shared);
	if (cx->pg->site->attach == ATTACH_CGROUP_EGRESS || cx->pg->site->leaves)
		lower_sender(cx, res, o, addr, other, end);
	ir_label(ir, other);
	key = ir_stack(ir, slot);
	ir_st(ir, key, 0, 8, addr);
	a = ir_call(
		ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map_for(cx->lw, MAP_LAST_USERS)), key }, 2, false);
	ir_jcci(ir, CC_EQ, a, 0, end);
	ir_set(ir, res, a);
	ir_label(ir, end);
	return res;
}

vreg site_owner(struct clause_ctx *cx)
{
	return owner_at(cx, kernel_sk(cx), false);
}

/* The owner of a connection that has no socket any more, by its key. Before Linux 5.17 it is among the owners of
 * sockets. */
static vreg ended_owner(struct clause_ctx *cx, vreg addr)
{
	struct ir *ir = cx->ir;
	vreg res = ir_var(ir), key = ir_stack(ir, ir_stack_alloc(ir, 8));
	uint32_t end = ir_newlabel(ir);

	need_owners(cx);
	ir_set(ir, res, ir_lib(ir, LIB_ended_find, (vreg[]){ ir_map(ir, map_for(cx->lw, MAP_ENDED)), addr }, 2));
	ir_jcci(ir, CC_NE, res, 0, end);
	ir_st(ir, key, 0, 8, addr);
	ir_set(ir, res,
		ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map_for(cx->lw, MAP_OWNER)), key }, 2,
			false));
	ir_label(ir, end);
	return res;
}

/* __owner(address of a socket), also with 1: of one that is being closed too; 2: not a socket, but the key of a
 * connection that has none any more */
struct val lower_owner_of(struct clause_ctx *cx, const struct expr *e)
{
	struct val v = { .k = V_INT, .type = e->type, .ptr = PTR_OURS };
	uint64_t how = e->args.n > 1 ? e->args.v[1]->ival : 0;

	if (how == 2)
		v.r = ended_owner(cx, lower_int(cx, e->args.v[0]));
	else
		v.r = owner_at(cx, lower_int(cx, e->args.v[0]), how == 1);
	return v;
}
