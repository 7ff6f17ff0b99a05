/* SPDX-License-Identifier: GPL-2.0-or-later */
/* args: args[n] and argN of a probe, from what its site gives. */
#include <linux/bpf.h>
#include <string.h>

#include "abi/arch.h"
#include "lower/site/site.h"
#include "lower/tiers.h"

/* profile: arg0 is the program counter where the kernel was interrupted, arg1 where a process was; the other is 0. */
vreg site_sampled_pc(struct lowerer *lw, bool kernel)
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
	struct val v = { .k = V_INT, .type = lw->ts->int64, .btf = site_word_of(lw, n) };

	if (v.btf == KERNEL_OPAQUE) {
		v.r = site_hidden_word(lw, (int)n);
		v.btf = 0;
	} else {
		v.r = site_word(lw, n);
		v.unsure = v.btf && site_is_tracepoint(lw);
	}
	return v;
}

/* A pointer that the verifier knows, of type long. */
static struct val as_number(struct lowerer *lw, struct val v)
{
	v.type = lw->ts->int64;
	return v;
}

static struct val raw_arg(struct lowerer *lw, unsigned n)
{
	struct ir *ir = lw->ir;
	struct val v = { .k = V_INT, .type = lw->ts->int64, .r = ir_imm(ir, 0) };

	if (lw->error_args)
		v.r = n < ERROR_ARGS ? lw->error_args[n] : v.r;
	else if (lw->site->attach == ATTACH_TEST_RUN)
		v.r = ir_ld(ir, ir_ctx(ir), (int32_t)n * 8, 8, false, true);
	else if (at_return(lw))
		v = n == 1 ? site_returned(lw, lw->ts->int64) : v;
	else if (site_has_args(lw) && n < site_words(lw))
		v = raw_word(lw, n);
	else if (at_cgroup(lw) && n == 0 && !lw->site->sk_only)
		v = as_number(lw, cgroup_skb(lw));
	else if (at_cgroup(lw) && n == 1)
		v = as_number(lw, cgroup_sk(lw));
	else if (is_user_site(lw->site))
		v.r = user_arg(lw, n);
	else if (lw->site->attach == ATTACH_PERF && n < 2)
		v.r = site_sampled_pc(lw, n == 0);
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
	text = e->xl || lw->error_args ? NULL : value_text(lw, e->ival);
	if (text)
		return site_value(lw, text, e->type);
	if (e->kind == EX_IDENT)
		return raw_arg(lw, (unsigned)e->ival);
	if (!e->xl && at_return(lw))
		return e->ival == 1 ? site_returned(lw, e->type)
				    : (struct val){ .k = V_INT, .type = e->type, .r = ir_imm(lw->ir, 0) };
	if (!e->xl && site_has_args(lw) && e->ival < site_words(lw))
		return site_arg(lw, (int)e->ival, e->type);
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
	v.bind = &lw->site_val;
	return v;
}
