/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls: from a function's call to its return. Input: a pair of sites, at the entry and at the return of the same
 * functions of libraries. Output: programs that note a call with its arguments, by thread, and take the note at the
 * return. A function that such a function calls itself is no call of its own: what is noted is the outermost one, told
 * by the stack pointer, so that calls which never returned (longjmp, a killed thread) do not stand in the way. */
#include <linux/bpf.h>
#include <stddef.h>
#include <string.h>

#include "lower/priv.h"

struct note { /* value of the map; the key is thread and process */
	uint64_t start, sp, args[6], func;
};
#define STALE_NS (600ull * 1000000000ull) /* nothing takes so long */

static vreg note_of(struct lowerer *lw, int32_t key)
{
	struct ir *ir = lw->ir;

	ir_st(ir, ir_stack(ir, key), 0, 8, ir_call(ir, BPF_FUNC_get_current_pid_tgid, NULL, 0, true));
	return ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map_for(lw, MAP_CALLS)), ir_stack(ir, key) },
		2, false);
}

static vreg note_load(struct lowerer *lw, vreg note, size_t off)
{
	return ir_ld(lw->ir, note, (int32_t)off, 8, false, false);
}

static void call_entered(struct lowerer *lw, int32_t key)
{
	struct ir *ir = lw->ir;
	vreg note = note_of(lw, key), now = ktime(lw), sp = user_stack_pointer(lw), at;
	uint32_t fresh = ir_newlabel(ir);

	ir_jcci(ir, CC_EQ, note, 0, fresh);
	ir_jcc(ir, CC_UGT, ir_alu(ir, ALU_SUB, now, note_load(lw, note, offsetof(struct note, start))),
		ir_imm(ir, (int64_t)STALE_NS), fresh);
	ir_jcc(ir, CC_UGT, note_load(lw, note, offsetof(struct note, sp)), sp, lw->exit_label);
	ir_label(ir, fresh);
	at = ir_stack(ir, lw->call_off);
	ir_st(ir, at, offsetof(struct note, start), 8, now);
	ir_st(ir, at, offsetof(struct note, sp), 8, sp);
	for (size_t i = 0; i < 6; i++)
		ir_st(ir, at, (int32_t)(offsetof(struct note, args) + 8 * i), 8, user_arg(lw, (unsigned)i));
	ir_st(ir, at, offsetof(struct note, func), 8, user_cookie(lw));
	ir_call(ir, BPF_FUNC_map_update_elem,
		(vreg[]){ ir_map(ir, map_for(lw, MAP_CALLS)), ir_stack(ir, key), at, ir_imm(ir, BPF_ANY) }, 4, false);
}

static void call_returned(struct lowerer *lw, int32_t key)
{
	struct ir *ir = lw->ir;
	vreg note = note_of(lw, key), sp = user_stack_pointer(lw), at;

	ir_jcci(ir, CC_EQ, note, 0, lw->exit_label);
	ir_jcc(ir, CC_NE, ir_alui(ir, ALU_ADD, note_load(lw, note, offsetof(struct note, sp)), user_return_pops()), sp,
		lw->exit_label);
	at = ir_stack(ir, lw->call_off);
	for (size_t i = 0; i < sizeof(struct note); i += 8)
		ir_st(ir, at, (int32_t)i, 8, note_load(lw, note, i));
	ir_call(ir, BPF_FUNC_map_delete_elem, (vreg[]){ ir_map(ir, map_for(lw, MAP_CALLS)), ir_stack(ir, key) }, 2,
		false);
}

void call_begin(struct lowerer *lw)
{
	int32_t key;

	if (!lw->site->partner)
		return;
	*vec_push(lw->arena, &lw->call_sites) = (struct call_site){ lw->site, lw->probe, lw->probe_index };
	key = ir_stack_alloc(lw->ir, 8);
	lw->call_off = ir_stack_alloc(lw->ir, sizeof(struct note));
	if (lw->site->attach == ATTACH_URETPROBE)
		call_returned(lw, key);
	else
		call_entered(lw, key);
}

struct val call_member(struct lowerer *lw, const char *name, struct type *type)
{
	struct val v = { .k = V_INT, .type = type };
	vreg at = ir_stack(lw->ir, lw->call_off);

	if (!strcmp(name, "ret"))
		v.r = user_arg(lw, 1); /* at the return; meaningless before */
	else if (!strcmp(name, "start"))
		v.r = note_load(lw, at, offsetof(struct note, start));
	else if (!strcmp(name, "func"))
		v.r = note_load(lw, at, offsetof(struct note, func));
	else
		v.r = note_load(lw, at, offsetof(struct note, args) + 8 * (size_t)(name[1] - '0'));
	v.r = ir_ext(lw->ir, v.r, type->size, type->is_signed);
	return v;
}

static bool is_there(const struct lowerer *lw, const struct site *s)
{
	for (size_t i = 0; i < lw->call_sites.n; i++)
		if (lw->call_sites.v[i].site == s)
			return true;
	return false;
}

void calls_finish(struct lowerer *lw)
{
	for (size_t i = 0; i < lw->call_sites.n; i++) {
		const struct call_site c = lw->call_sites.v[i];

		if (is_there(lw, c.site->partner))
			continue;
		lw->probe = c.probe;
		lw->prov = c.probe->prov;
		lw->probe_index = c.probe_index;
		lower_bare_site(lw, c.site->partner);
	}
}
