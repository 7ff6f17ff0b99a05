/* SPDX-License-Identifier: GPL-2.0-or-later */
/* args: args[n] and argN of a probe.
 * Input: the expression, and the site's context. Output: a value, or V_NONE if the expression is not about args[].
 * Invariant: an argument that the site does not provide reads as 0, or is a fault if it is translated.
 * Source: D manual, chapter "Variables". */
#include <linux/bpf.h>
#include <string.h>

#include "abi/arch.h"
#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"
#include "lower/text/text.h"

/* profile: arg0 is the interrupted program counter in the kernel, arg1 the one in a process. The other one is 0. */
vreg site_sampled_pc(struct clause_ctx *cx, bool kernel)
{
	struct ir *ir = cx->ir;
	vreg pc = ir_ld(ir, ir_ctx(ir), ARCH_REGS_IP, 8, false, true), r = ir_var(ir);
	uint32_t end = ir_newlabel(ir);

	ir_seti(ir, r, 0);
	ir_jcci(ir, kernel ? CC_SGE : CC_SLT, pc, 0, end);
	ir_set(ir, r, pc);
	ir_label(ir, end);
	return r;
}

/* argN as a number, though the verifier may see a pointer in it. */
static struct val raw_word(struct clause_ctx *cx, unsigned n)
{
	struct val v = { .k = V_INT, .type = cx->lw->ts->int64, .btf = site_word_of(cx, n) };

	if (v.btf == KERNEL_OPAQUE) {
		v.r = site_hidden_word(cx, (int)n);
		v.btf = 0;
	} else {
		v.r = site_word(cx, n);
		v.ptr = v.btf && site_is_tracepoint(cx->pg) ? PTR_UNSURE : PTR_PLAIN;
	}
	return v;
}

/* Gives a pointer that the verifier knows the type long. */
static struct val as_number(struct lowerer *lw, struct val v)
{
	v.type = lw->ts->int64;
	return v;
}

/* argN: the word as it is, 0 if the site has none. */
static struct val raw_arg(struct clause_ctx *cx, unsigned n)
{
	struct ir *ir = cx->ir;
	struct val v = { .k = V_INT, .type = cx->lw->ts->int64, .r = ir_imm(ir, 0) };

	if (cx->error_args)
		v.r = n < ERROR_ARGS ? cx->error_args[n] : v.r;
	else if (cx->pg->site->attach == ATTACH_TEST_RUN)
		v.r = ir_ld(ir, ir_ctx(ir), (int32_t)n * 8, 8, false, true);
	else if (at_return(cx->pg))
		v = n == 1 ? site_returned(cx, cx->lw->ts->int64) : v;
	else if (site_has_args(cx->pg) && n < site_words(cx))
		v = raw_word(cx, n);
	else if (at_cgroup(cx->pg) && n == 0 && !cx->pg->site->sk_only)
		v = as_number(cx->lw, cgroup_skb(cx));
	else if (at_cgroup(cx->pg) && n == 1)
		v = as_number(cx->lw, cgroup_sk(cx));
	else if (is_user_site(cx->pg->site))
		v.r = user_arg(cx, n);
	else if (cx->pg->site->attach == ATTACH_PERF && n < 2)
		v.r = site_sampled_pc(cx, n == 0);
	else
		v.r = ir_imm(ir, 0);
	return v;
}

/* The D text that the site gives for argument n, or NULL if it gives none or the argument is a structure. */
static const char *value_text(const struct clause_ctx *cx, uint64_t n)
{
	const char *const *args = cx->probe->args, *const *values = cx->pg->site->values;
	size_t count = 0;

	for (; values && *values; values++, count++)
		if (count == n)
			return *values;
	if (cx->pg->site->values)
		return "0";
	if (n == 0 && cx->prov->arg0)
		return cx->prov->arg0;
	while (args && args[count])
		count++;
	return cx->pg->site->value && n < count && !strchr(args[n], '*') ? cx->pg->site->value : NULL;
}

/* Compiles a D text of the provider's table at this site. An error in it was reported, and gives 0. */
static struct val site_value(struct clause_ctx *cx, const char *text, struct type *type)
{
	const struct site_text *t = lower_site_text(cx->pg, text);
	struct val v = { .k = V_INT, .type = type };

	if (t && type_is_string(type))
		return (struct val){ .k = V_STR, .type = type, .s = lower_str(cx, t->expr) };
	v.r = t ? convert_int(cx, lower_int(cx, t->expr), t->expr->type, type) : ir_imm(cx->ir, 0);
	return v;
}

/* Only sites of system calls have an errno; elsewhere it is 0. */
struct val site_errno(struct clause_ctx *cx, struct type *type)
{
	if (!cx->pg->site->error)
		return (struct val){ .k = V_INT, .type = type, .r = ir_imm(cx->ir, 0) };
	return site_value(cx, cx->pg->site->error, type);
}

/* args[n] and argN. */
struct val lower_args(struct clause_ctx *cx, const struct expr *e)
{
	struct val v = { .k = V_NONE };
	const struct xlator *xl;
	const char *text;

	if (e->kind != EX_IDENT && !e->xl && (!e->a || e->a->kind != EX_IDENT || strcmp(e->a->name, "args") != 0))
		return v;
	text = e->xl || cx->error_args ? NULL : value_text(cx, e->ival);
	if (text) {
		v = site_value(cx, text, e->type);
		if (v.k == V_INT && e->kind == EX_IDENT)
			v.r = multi_narrow(cx, (unsigned)e->ival, v.r);
		return v;
	}
	if (e->kind == EX_IDENT)
		return raw_arg(cx, (unsigned)e->ival);
	if (!e->xl && at_return(cx->pg))
		return e->ival == 1 ? site_returned(cx, e->type)
				    : (struct val){ .k = V_INT, .type = e->type, .r = ir_imm(cx->ir, 0) };
	if (!e->xl && site_has_args(cx->pg) && e->ival < site_words(cx))
		return site_arg(cx, (int)e->ival, e->type);
	if (!e->xl && is_user_site(cx->pg->site))
		return (struct val){ .k = V_INT,
			.type = e->type,
			.r = convert_int(cx, user_arg(cx, (unsigned)e->ival), cx->lw->ts->int64, e->type) };
	if (!e->xl)
		return v;
	xl = cx->prov->raw ? check_xlator(cx->lw->ck, cx->prov->raw, e->xl->out) : NULL;
	if (!xl) {
		lower_fault(cx, DW_FAULT_BADADDR, 0);
		v.k = V_INT;
		v.type = e->type;
		v.r = ir_imm(cx->ir, 0);
		return v;
	}
	v.k = V_XL;
	v.type = e->type;
	v.xl = xl;
	v.bind = &cx->pg->site_val;
	return v;
}
