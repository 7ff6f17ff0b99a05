/* SPDX-License-Identifier: GPL-2.0-or-later */
/* destructive: actions that change what they observe.
 * Input: raise(), stop(), chill(), copyout(), copyoutstr(), panic(), breakpoint(). Output: code, or an error where
 * Linux has no such action.
 * Invariant: the actions of one trace keep each CPU busy for at most 500 ms in a second (chill()). */
#include <linux/bpf.h>
#include <signal.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"
#include "lower/state/state.h"

static void send_signal(struct clause_ctx *cx, const struct expr *e, vreg sig)
{
	if (at_cgroup(cx->pg) || at_netfilter(cx->pg))
		lower_error(cx->lw, e->loc, D_KERNEL,
			"%s() cannot be used on %s:::%s: the kernel lets no program of its kind "
			"send signals",
			e->name, cx->prov->name, cx->probe->name);
	else
		ir_call(cx->ir, BPF_FUNC_send_signal, (vreg[]){ sig }, 1, false);
}

/* DTrace's budget of chill() (D Guide, "Destructive Actions"): so many ns of each interval, per CPU. */
#define CHILL_MAX 500000000
#define CHILL_INTERVAL 1000000000

/* The CPU's account of chill(): when the current interval began (CLOCK_MONOTONIC, ns), and the ns granted since. */
enum { CHILL_BEGAN = 0, CHILL_GRANTED = 8 };

/* Starts a new interval if the current one is over. A probe in an interrupt may do so between any two instructions;
 * the exchange lets one of them win, and what the loser granted stays in the account. */
static void chill_interval(struct ir *ir, vreg account)
{
	uint32_t current = ir_newlabel(ir);
	vreg began = ir_ld(ir, account, CHILL_BEGAN, 8, false, false), granted, seen;
	vreg now = ir_call(ir, BPF_FUNC_ktime_get_ns, NULL, 0, false);

	ir_jcci(ir, CC_ULE, ir_alu(ir, ALU_SUB, now, began), CHILL_INTERVAL, current);
	granted = ir_ld(ir, account, CHILL_GRANTED, 8, false, false);
	seen = ir_cmpxchg(ir, account, CHILL_BEGAN, began, now);
	ir_jcc(ir, CC_NE, seen, began, current);
	ir_xadd(ir, account, CHILL_GRANTED, 8, ir_neg(ir, granted));
	ir_label(ir, current);
}

/* Waits for ns nanoseconds. If that exceeds the budget it is a fault, and the account stays as it is. */
static void chill(struct clause_ctx *cx, vreg ns)
{
	struct ir *ir = cx->ir;
	uint32_t end = ir_newlabel(ir), wait = ir_newlabel(ir);
	int32_t mark = ir_stack_mark(ir);
	vreg key = ir_stack(ir, ir_stack_alloc(ir, 8)), account;

	fault_unless(cx, CC_ULE, ns, CHILL_MAX, DW_FAULT_ILLOP, ir_imm(ir, 0));
	ir_sti(ir, key, 0, 8, 0);
	account = ir_call(
		ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map_for(cx->lw, MAP_CHILL)), key }, 2, false);
	ir_jcci(ir, CC_EQ, account, 0, end);
	chill_interval(ir, account);
	ir_xadd(ir, account, CHILL_GRANTED, 8, ns);
	ir_jcci(ir, CC_ULE, ir_ld(ir, account, CHILL_GRANTED, 8, false, false), CHILL_MAX, wait);
	ir_xadd(ir, account, CHILL_GRANTED, 8, ir_neg(ir, ns));
	lower_fault(cx, DW_FAULT_ILLOP, ir_imm(ir, 0));
	ir_label(ir, wait);
	(void)ir_lib(ir, LIB_chill, (vreg[]){ ns }, 1);
	ir_label(ir, end);
	ir_stack_release(ir, mark);
}

void lower_destructive(struct clause_ctx *cx, const struct expr *e)
{
	switch ((int)e->sym->func) {
	case FN_raise:
		send_signal(cx, e, lower_int(cx, e->args.v[0]));
		break;
	case FN_stop:
		send_signal(cx, e, ir_imm(cx->ir, SIGSTOP));
		break;
	case FN_copyout:
		lower_copyout(cx, e);
		break;
	case FN_copyoutstr:
		lower_copyoutstr(cx, e);
		break;
	case FN_chill:
		chill(cx, lower_int(cx, e->args.v[0]));
		break;
	default:
		lower_error(cx->lw, e->loc, D_KERNEL,
			"%s() is not possible: Linux lets no BPF program stop the machine", e->name);
		break;
	}
}
