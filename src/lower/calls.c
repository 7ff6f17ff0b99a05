/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls: follows a function from its call to its return.
 * Input: a pair of sites, at the entry and the return of the same library functions. Output: programs that keep a
 * call and its arguments by thread, and take them out at the return.
 * Invariant: only the outermost call is kept. It is recognised by the stack pointer, so that a call that never
 * returned (longjmp, a killed thread) does not block later ones. */
#include <linux/bpf.h>
#include <stddef.h>
#include <string.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"

#define CALL_ARGS 6 /* of a call: all that registers hold on x86_64 */

struct note { /* value of the map; the key is thread and process */
	uint64_t start, sp, args[CALL_ARGS], func;
};
#define STALE_NS (600ull * 1000000000ull) /* ns; no traced call takes longer, so an older note is stale */

/* The note of this thread's call; 0: none. key: a stack slot for the map's key. */
static vreg note_of(struct clause_ctx *cx, int32_t key)
{
	struct ir *ir = cx->ir;

	ir_st(ir, ir_stack(ir, key), 0, 8, ir_call(ir, BPF_FUNC_get_current_pid_tgid, NULL, 0, true));
	return ir_call(ir, BPF_FUNC_map_lookup_elem,
		(vreg[]){ ir_map(ir, map_for(cx->lw, MAP_CALLS)), ir_stack(ir, key) }, 2, false);
}

static vreg note_load(struct clause_ctx *cx, vreg note, size_t off)
{
	return ir_ld(cx->ir, note, (int32_t)off, 8, false, false);
}

/* Keeps the call, unless an outer one is in progress: its stack pointer is higher. */
static void call_entered(struct clause_ctx *cx, int32_t key)
{
	struct ir *ir = cx->ir;
	vreg note = note_of(cx, key), now = ktime(cx), sp = user_stack_pointer(cx), at;
	uint32_t fresh = ir_newlabel(ir);

	ir_jcci(ir, CC_EQ, note, 0, fresh);
	ir_jcc(ir, CC_UGT, ir_alu(ir, ALU_SUB, now, note_load(cx, note, offsetof(struct note, start))),
		ir_imm(ir, (int64_t)STALE_NS), fresh);
	ir_jcc(ir, CC_UGT, note_load(cx, note, offsetof(struct note, sp)), sp, cx->pg->exit_label);
	ir_label(ir, fresh);
	at = ir_stack(ir, cx->pg->call_off);
	ir_st(ir, at, offsetof(struct note, start), 8, now);
	ir_st(ir, at, offsetof(struct note, sp), 8, sp);
	for (size_t i = 0; i < CALL_ARGS; i++)
		ir_st(ir, at, (int32_t)(offsetof(struct note, args) + 8 * i), 8, user_arg(cx, (unsigned)i));
	ir_st(ir, at, offsetof(struct note, func), 8, user_cookie(cx));
	ir_call(ir, BPF_FUNC_map_update_elem,
		(vreg[]){ ir_map(ir, map_for(cx->lw, MAP_CALLS)), ir_stack(ir, key), at, ir_imm(ir, BPF_ANY) }, 4,
		false);
}

/* Takes the note out if the stack pointer says that this return belongs to it; else leaves the program. */
static void call_returned(struct clause_ctx *cx, int32_t key)
{
	struct ir *ir = cx->ir;
	vreg note = note_of(cx, key), sp = user_stack_pointer(cx), at;

	ir_jcci(ir, CC_EQ, note, 0, cx->pg->exit_label);
	ir_jcc(ir, CC_NE, ir_alui(ir, ALU_ADD, note_load(cx, note, offsetof(struct note, sp)), user_return_pops()), sp,
		cx->pg->exit_label);
	at = ir_stack(ir, cx->pg->call_off);
	for (size_t i = 0; i < sizeof(struct note); i += 8)
		ir_st(ir, at, (int32_t)i, 8, note_load(cx, note, i));
	ir_call(ir, BPF_FUNC_map_delete_elem, (vreg[]){ ir_map(ir, map_for(cx->lw, MAP_CALLS)), ir_stack(ir, key) }, 2,
		false);
}

void call_begin(struct clause_ctx *cx)
{
	int32_t key;

	if (!cx->pg->site->partner)
		return;
	*vec_push(cx->lw->arena, &cx->lw->call_sites) =
		(struct call_site){ cx->pg->site, cx->pg->tier, cx->probe, cx->pg->probe_index };
	key = ir_stack_alloc(cx->ir, 8);
	cx->pg->call_off = ir_stack_alloc(cx->ir, sizeof(struct note));
	if (cx->pg->site->attach == ATTACH_URETPROBE)
		call_returned(cx, key);
	else
		call_entered(cx, key);
}

struct val call_member(struct clause_ctx *cx, const char *name, struct type *type)
{
	struct val v = { .k = V_INT, .type = type };
	vreg at = ir_stack(cx->ir, cx->pg->call_off);

	if (!strcmp(name, "ret"))
		v.r = user_arg(cx, 1); /* at the return; meaningless before */
	else if (!strcmp(name, "start"))
		v.r = note_load(cx, at, offsetof(struct note, start));
	else if (!strcmp(name, "func"))
		v.r = note_load(cx, at, offsetof(struct note, func));
	else
		v.r = note_load(cx, at, offsetof(struct note, args) + 8 * (size_t)(name[1] - '0'));
	v.r = ir_ext(cx->ir, v.r, type->size, type->is_signed);
	return v;
}

static bool is_there(const struct lowerer *lw, const struct site *s)
{
	for (size_t i = 0; i < lw->call_sites.n; i++)
		if (lw->call_sites.v[i].site == s)
			return true;
	return false;
}

/* A return needs notes even if the script has no probe at the entry: adds the missing halves. */
void calls_finish(struct lowerer *lw)
{
	for (size_t i = 0; i < lw->call_sites.n; i++) {
		const struct call_site c = lw->call_sites.v[i];

		if (!is_there(lw, c.site->partner))
			lower_bare_site(lw, &c);
	}
}
