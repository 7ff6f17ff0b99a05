/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packet: the identity of packets, and the life of pkt-> variables.
 * Input: the sites at which a script asks for a packet's identity. Output: code that finds or makes it, and programs
 * where memory is given back, which delete the variables of packets that have ended.
 * Invariant: these programs come last in the image, so readers at the same place run before the end. A packet whose end
 * is not seen ages out: its variables are deleted when as many later packets have got some, and counted as drops. */
#include <linux/bpf.h>
#include <string.h>

#include "base/diag/report.h"
#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"
#include "lower/state/state.h"
#include "lower/tiers.h"

#define STAGE(m) offsetof(struct dw_stage, m)

/* An address, as a number that can be multiplied: to the verifier of Linux 6.17 and later the value of a member such as
 * sk_buff.head is a pointer. */
static vreg address(struct clause_ctx *cx, const struct expr *e)
{
	const struct type *t = types_tagged(cx->lw->ts, T_STRUCT, "sk_buff");
	struct val v = { .k = V_INT, .r = lower_int(cx, e), .btf = t ? t->btf_id : 0, .walked = true };

	if (!cx->lw->env->kfunc_rdonly_cast || !v.btf)
		return v.r;
	v.r = ir_kfunc(cx->ir, cx->lw->env->kfunc_rdonly_cast, (vreg[]){ v.r, ir_imm(cx->ir, v.btf) }, 2, true);
	return plain_number(cx, v);
}

/* __packet(buffer, head, place, departure, flow, bytes): the identity (struct dw_stage). What was known before is left
 * for __packet_was(). */
vreg packet_note(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct room s = room_take(cx, sizeof(struct dw_stage));
	static const int32_t given[] = { STAGE(buffer), STAGE(head), STAGE(place), STAGE(depart), STAGE(flow),
		STAGE(bytes) };
	struct lowerer *lw = cx->lw;
	vreg id = ir_var(ir), io, notes;

	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		vreg v = given[i] == STAGE(buffer) || given[i] == STAGE(head) ? address(cx, e->args.v[i])
									      : lower_int(cx, e->args.v[i]);

		ir_st(ir, room_ptr(cx, &s), given[i], 8, v);
	}
	io = room_ptr(cx, &s);
	ir_st(ir, io, STAGE(now), 8, ktime(cx));
	notes = ir_mapval(ir, map_for(lw, MAP_PACKETS), 0);
	ir_set(ir, id,
		ir_lib(ir, lw->env->no_exchange ? LIB_packet_note_plain : LIB_packet_note,
			(vreg[]){ io, notes, ir_map(ir, map_for(lw, MAP_FREED)) }, 3));
	if (!cx->pg->packet_call) /* a second one, of another buffer, is asked for its identity only */
		cx->pg->packet_call = e;
	if (cx->pg->packet_call == e) { /* in each clause that makes it again: the former one may not have run */
		static const int32_t found[] = { STAGE(dw_stage_was), STAGE(dw_stage_before), STAGE(dw_stage_first) };
		vreg *to[] = { &cx->pg->packet_was, &cx->pg->packet_before, &cx->pg->packet_first };

		for (size_t i = 0; i < sizeof(found) / sizeof(found[0]); i++) {
			if (!*to[i])
				*to[i] = ir_var(ir);
			io = room_ptr(cx, &s);
			ir_set(ir, *to[i], ir_ld(ir, io, found[i], 8, false, false));
		}
	}
	room_release(cx, &s);
	return id;
}

/* __packet_was(id, 0 to 2): its last place before this one, the time there, its first place. id only orders it behind
 * __packet(). */
vreg packet_was(struct clause_ctx *cx, const struct expr *e)
{
	(void)lower_int(cx, e->args.v[0]); /* may be the call that finds them */
	if (!cx->pg->packet_was)
		return ir_imm(cx->ir, 0);
	const vreg known[] = { cx->pg->packet_was, cx->pg->packet_before, cx->pg->packet_first };

	return ir_mov(cx->ir, known[e->args.v[1]->ival]);
}

bool packet_asked(const struct expr *e)
{
	return (e->kind == EX_IDENT && e->sym && e->sym->kind == SYM_VAR && e->sym->scope == SCOPE_PKT) ||
		(e->kind == EX_MEMBER && e->name && !strcmp(e->name, "pkt_id"));
}

/* Computed before the clauses: what is computed in one of them is not known to the next. */
void packet_begin(struct clause_ctx *cx)
{
	if (!cx->pg->wants_packet || !site_has_packet(cx->pg))
		return;
	(void)site_number(cx, "P->packet_id");
	cx->lw->packet_ends = cx->lw->packet_ends ? cx->lw->packet_ends : cx->probe;
	cx->lw->packet_probe = cx->pg->probe_index;
}

vreg packet_key(struct clause_ctx *cx, const struct expr *e)
{
	if (!cx->error_args && site_has_packet(cx->pg)) {
		cx->lw->packet_here = true;
		return site_number(cx, "P->packet_id");
	}
	if (!cx->lw->packet_missed)
		cx->lw->packet_missed = e;
	return ir_imm(cx->ir, 0);
}

void packet_check(struct lowerer *lw, const struct probe *p)
{
	const struct expr *e = lw->packet_missed;

	if (e && !lw->packet_here)
		diag_error(lw->d, e->loc, D_KERNEL,
			"use it at probes of packets, such as those of ip, tcp, qdisc and path",
			"pkt->%s: %s:::%s has no packet", e->sym->name, p->prov->name, p->name);
	lw->packet_missed = NULL;
	lw->packet_here = false;
}

/* ---- ages -------------------------------------------------------------------------------------------------------- */
/* The packets that have a value of the variable, in the order in which they got it: a counter, then as many as the
 * variable's map holds. */
static uint32_t ages_map(struct lowerer *lw, uint32_t entries)
{
	return map_add(lw,
		(struct image_map){ .role = MAP_AGES,
			.name = "dw_ages",
			.type = BPF_MAP_TYPE_ARRAY,
			.key_size = 4,
			.value_size = 8,
			.max_entries = entries + 1 });
}

void packet_age(struct clause_ctx *cx, struct symbol *s, uint32_t map, vreg id)
{
	struct ir *ir = cx->ir;
	struct lowerer *lw = cx->lw;
	int32_t mark = ir_stack_mark(ir), io = ir_stack_alloc(ir, 16), old = ir_stack_alloc(ir, 16);
	uint32_t none = ir_newlabel(ir), entries = lw->im->maps.v[map].max_entries;
	vreg r;

	if (!s->ages) {
		s->ages = ages_map(lw, entries) + 1;
		*vec_push(lw->arena, &lw->packet_vars) = (struct packet_var){ map, s->shared };
	}
	ir_st(ir, ir_stack(ir, io), 0, 8, id);
	r = ir_lib(ir, LIB_packet_age,
		(vreg[]){ ir_stack(ir, io), ir_map(ir, s->ages - 1), ir_imm(ir, (int32_t)entries) }, 3);
	ir_jcci(ir, CC_EQ, r, 0, none);
	ir_st(ir, ir_stack(ir, old), 0, 8, r);
	ir_sti(ir, ir_stack(ir, old), 8, 8, (int32_t)s->shared);
	r = ir_call(ir, BPF_FUNC_map_delete_elem, (vreg[]){ ir_map(ir, map), ir_stack(ir, old) }, 2, false);
	ir_jcci(ir, CC_NE, ir_ext(ir, r, 4, true), 0, none); /* it had ended */
	count_drop(cx, DW_DROP_DYN);
	ir_label(ir, none);
	ir_stack_release(ir, mark);
}

/* ---- ends -------------------------------------------------------------------------------------------------------- */
/* A packet's memory is given back: its variables go, and what was known of its buffer. */
static void lower_end(struct clause_ctx *cx, const struct stamp_event *ev, uint32_t map)
{
	const struct site_text *when = ev->site.when ? lower_site_text(cx->pg, ev->site.when) : NULL;
	const struct site_text *key = lower_site_text(cx->pg, ev->key),
			       *buffer = ev->word ? lower_site_text(cx->pg, ev->word) : NULL;
	struct lowerer *lw = cx->lw;
	struct ir *ir = cx->ir;
	vreg k, id, notes;

	(void)map;
	if (prog_failed(cx->pg))
		return;
	if (when)
		lower_jump(cx, when->expr, cx->pg->exit_label, false);
	k = ir_stack(ir, ir_stack_alloc(ir, 16));
	ir_st(ir, k, 8, 8, buffer ? address(cx, buffer->expr) : ir_imm(ir, 0));
	ir_st(ir, k, 0, 8, address(cx, key->expr));
	notes = ir_mapval(ir, map_for(lw, MAP_PACKETS), 0);
	id = ir_lib(ir, lw->env->no_exchange ? LIB_packet_end_plain : LIB_packet_end,
		(vreg[]){ k, notes, ir_map(ir, map_for(lw, MAP_FREED)) }, 3);
	ir_jcci(ir, CC_EQ, id, 0, cx->pg->exit_label);
	for (size_t i = 0; i < lw->packet_vars.n; i++) {
		ir_st(ir, k, 0, 8, id);
		ir_sti(ir, k, 8, 8, (int32_t)lw->packet_vars.v[i].shared);
		ir_call(ir, BPF_FUNC_map_delete_elem, (vreg[]){ ir_map(ir, lw->packet_vars.v[i].map), k }, 2, false);
	}
}

void packets_finish(struct lowerer *lw)
{
	size_t errors = diags_errors(lw->d);
	const struct stamp *ends = lw->packet_ends ? lw->packet_ends->prov->packet_ends : NULL;

	for (size_t i = 0; ends && i < ends->nevents && diags_errors(lw->d) == errors; i++) {
		struct prog_ctx pg = { .lw = lw,
			.tier = TIER_HOOKS, /* where all these events are */
			.probe = lw->packet_ends,
			.probe_index = lw->packet_probe };

		notes_program(&pg, "dw_end", lower_end, &ends->events[i], 0);
	}
}
