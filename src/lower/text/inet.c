/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inet: inet_in(address, "10.0.0.0/8").
 * Input: an address of a packet or socket, and a network that the checker has parsed. Output: 0 or 1.
 * Invariant: addresses are compared by their bytes; no text is made. */
#include "base/inet.h"

#include <string.h>

#include "lower/expr/expr.h"
#include "lower/text/text.h"

/* w & mask != net: to no. Words are as they lie in memory: network order. */
static void word_differ_jump(struct clause_ctx *cx, vreg w, uint64_t net, uint64_t mask, uint32_t no)
{
	struct ir *ir = cx->ir;

	if (!mask)
		return;
	if (mask != UINT64_MAX)
		w = ir_alu(ir, ALU_AND, w, ir_imm(ir, (int64_t)mask));
	if ((int64_t)net == (int32_t)net)
		ir_jcci(ir, CC_NE, w, (int32_t)net, no);
	else
		ir_jcc(ir, CC_NE, w, ir_imm(ir, (int64_t)net), no);
}

vreg lower_inet_in(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct inet_net n;
	struct sval s;
	uint32_t no = ir_newlabel(ir), end = ir_newlabel(ir);
	vreg r = ir_var(ir);

	if (!inet_net_parse(e->args.v[1]->str, &n))
		return ir_imm(ir, 0); /* the checker has reported it */
	if (form_rep(expr_form(cx->lw->ck, e->args.v[0])) > REP_TSTR) {
		lower_error(cx->lw, e->args.v[0]->loc, D_PROTO_ARG,
			"inet_in() takes an address of a packet or socket, not characters");
		return ir_imm(ir, 0);
	}
	s = lower_str_as(cx, e->args.v[0], FORM_ADDR | FORM_LIT);
	ir_jcci(ir, CC_NE, s.tag, n.v6 ? DW_STR_IP6 : DW_STR_IP4, no);
	for (unsigned i = 0; i < (n.v6 ? 2 : 1); i++)
		word_differ_jump(cx, s.w[i], n.net[i], n.mask[i], no);
	ir_seti(ir, r, 1);
	ir_jmp(ir, end);
	ir_label(ir, no);
	ir_seti(ir, r, 0);
	ir_label(ir, end);
	return blur(cx, r);
}
