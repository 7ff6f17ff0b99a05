/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stamp: carries a value from one event to a later one, such as the time at which a packet was allocated or queued.
 * Input: the stamps of a provider (image/probe.h) that a script reads. Output: per stamp a map, and a program for
 * each of its events.
 * Invariant: these programs come last in the image. So where a stamp ends, readers at the same place run before it
 * is deleted. A stamp whose end is never seen is evicted when the map is full. */
#include <linux/bpf.h>
#include <string.h>

#include "base/diag/report.h"
#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"
#include "lower/tiers.h"

#define STAMP_ENTRIES 32768u

/* A note. */
enum { NOTE_TIME = 0, NOTE_WORD = 8, NOTE_SIZE = 16 };

/* NULL: the provider has no stamp of this name. */
static const struct stamp *stamp_named(const struct provider *p, const char *name)
{
	for (size_t i = 0; i < p->nstamps; i++)
		if (!strcmp(p->stamps[i].name, name))
			return &p->stamps[i];
	for (size_t i = 0; i < p->nshared; i++)
		if (!strcmp(p->shared[i].name, name))
			return &p->shared[i];
	return NULL;
}

/* The index of the map of the provider's stamp plus 1, created at first use. 0: the provider has no stamp of this
 * name. */
static uint32_t stamp_map(struct clause_ctx *cx, const char *name)
{
	const struct provider *p = cx->prov;
	const struct stamp *st = stamp_named(p, name);
	struct stamp_map *m;
	uint32_t keys;

	for (size_t i = 0; i < cx->lw->stamps.n; i++)
		if (cx->lw->stamps.v[i].prov == p && !strcmp(cx->lw->stamps.v[i].stamp->name, name))
			return cx->lw->stamps.v[i].map + 1;
	if (!st)
		return 0;
	keys = st->events[0].percpu;
	m = vec_push(cx->lw->arena, &cx->lw->stamps);
	*m = (struct stamp_map){ p, st, cx->pg->tier, cx->probe, cx->pg->probe_index, 0 };
	m->map = map_add(cx->lw,
		(struct image_map){ .role = MAP_STAMP,
			.name = "dw_stamp",
			.type = keys ? BPF_MAP_TYPE_PERCPU_ARRAY : BPF_MAP_TYPE_LRU_HASH,
			.key_size = keys ? 4 : 8,
			.value_size = NOTE_SIZE,
			.max_entries = keys ? keys : STAMP_ENTRIES });
	return m->map + 1;
}

/* __stamp(): the time of a note in ns; __stamped(): its word. 0: there is no note. */
vreg stamp_read(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	uint32_t map = stamp_map(cx, e->args.v[0]->str), end = ir_newlabel(ir);
	int32_t mark = ir_stack_mark(ir);
	vreg r = ir_var(ir), key = ir_stack(ir, ir_stack_alloc(ir, 8)), p;

	ir_seti(ir, r, 0);
	if (map) {
		ir_st(ir, key, 0, 8, lower_int(cx, e->args.v[1]));
		p = ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map - 1), key }, 2, false);
		ir_jcci(ir, CC_EQ, p, 0, end);
		ir_set(ir, r, ir_ld(ir, p, e->sym->func == FN___stamp ? NOTE_TIME : NOTE_WORD, 8, false, false));
	}
	ir_label(ir, end);
	ir_stack_release(ir, mark);
	return r;
}

/* __former(): exchanges each word atomically, so of two CPUs that see the same key at once only one gets it. */
vreg stamp_exchange(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	uint32_t map = stamp_map(cx, e->args.v[0]->str), new = ir_newlabel(ir), end = ir_newlabel(ir);
	int32_t mark = ir_stack_mark(ir), key = ir_stack_alloc(ir, 8), note = ir_stack_alloc(ir, NOTE_SIZE);
	vreg r = ir_var(ir), word, p;

	ir_st(ir, ir_stack(ir, key), 0, 8, lower_int(cx, e->args.v[1]));
	word = lower_int(cx, e->args.v[2]);
	ir_set(ir, r, word);
	if (map) {
		p = ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map - 1), ir_stack(ir, key) }, 2, false);
		ir_jcci(ir, CC_EQ, p, 0, new);
		ir_set(ir, r, ir_xchg(ir, p, NOTE_WORD, 8, word));
		ir_jmp(ir, end);
		ir_label(ir, new);
		ir_sti(ir, ir_stack(ir, note), NOTE_TIME, 8, 0);
		ir_st(ir, ir_stack(ir, note), NOTE_WORD, 8, word);
		ir_call(ir, BPF_FUNC_map_update_elem,
			(vreg[]){ ir_map(ir, map - 1), ir_stack(ir, key), ir_stack(ir, note), ir_imm(ir, BPF_NOEXIST) },
			4, false);
	}
	ir_label(ir, end);
	ir_stack_release(ir, mark);
	return r;
}

/* The same for a note of this CPU's, at p. */
static void note_here(struct clause_ctx *cx, const struct stamp_event *ev, const struct site_text *word, vreg p)
{
	struct ir *ir = cx->ir;

	ir_jcci(ir, CC_EQ, p, 0, cx->pg->exit_label);
	if (ev->op == STAMP_END) {
		ir_sti(ir, p, NOTE_TIME, 8, 0);
		ir_sti(ir, p, NOTE_WORD, 8, 0);
		return;
	}
	if (ev->op == STAMP_FIRST)
		ir_jcci(ir, CC_NE, ir_ld(ir, p, NOTE_TIME, 8, false, false), 0, cx->pg->exit_label);
	if (word)
		ir_st(ir, p, NOTE_WORD, 8, lower_int(cx, word->expr));
	ir_st(ir, p, NOTE_TIME, 8, ktime(cx));
}

/* The code at an event: makes, replaces or deletes the note of a key. */
static void lower_event(struct clause_ctx *cx, const struct stamp_event *ev, uint32_t map)
{
	const struct site_text *when = ev->site.when ? lower_site_text(cx->pg, ev->site.when) : NULL;
	const struct site_text *key = lower_site_text(cx->pg, ev->key),
			       *word = ev->word ? lower_site_text(cx->pg, ev->word) : NULL;
	struct ir *ir = cx->ir;
	vreg k, v;

	if (prog_failed(cx->pg))
		return;
	if (when)
		lower_jump(cx, when->expr, cx->pg->exit_label, false);
	k = ir_stack(ir, ir_stack_alloc(ir, 8));
	ir_st(ir, k, 0, 8, lower_int(cx, key->expr));
	if (cx->lw->im->maps.v[map].type == BPF_MAP_TYPE_PERCPU_ARRAY) {
		note_here(
			cx, ev, word, ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map), k }, 2, false));
		return;
	}
	if (ev->op == STAMP_END) {
		ir_call(ir, BPF_FUNC_map_delete_elem, (vreg[]){ ir_map(ir, map), k }, 2, false);
		return;
	}
	v = ir_stack(ir, ir_stack_alloc(ir, NOTE_SIZE));
	ir_st(ir, v, NOTE_TIME, 8, ktime(cx));
	ir_st(ir, v, NOTE_WORD, 8, word ? lower_int(cx, word->expr) : ir_imm(ir, 0));
	ir_call(ir, BPF_FUNC_map_update_elem,
		(vreg[]){ ir_map(ir, map), k, v, ir_imm(ir, ev->op == STAMP_FIRST ? BPF_NOEXIST : BPF_ANY) }, 4, false);
}

void notes_program(struct prog_ctx *pg, const char *name, notes_code *code, const struct stamp_event *ev, uint32_t map)
{
	struct lowerer *lw = pg->lw;
	struct image_prog p = { .target = ev->site.target,
		.name = name,
		.probe = pg->probe_index,
		.notes = true,
		.chooses = ev->site.when != NULL };
	struct clause_ctx head;
	struct report_kept kept;

	report_keep(&kept);
	if (!site_in_tier(&ev->site, pg->tier) || site_lacks(lw->env, lw->arena, pg->probe, &ev->site, pg->tier))
		return;
	pg->site = lower_site_reached(lw, &ev->site, pg->tier);
	pg->errors = diags_errors(lw->d);
	prog_place(pg, &p);
	pg->ir = ir_new(lw->arena);
	pg->ir->guard = lw->env->guard;
	pg->exit_label = ir_newlabel(pg->ir);
	head = prog_head(pg);
	site_begin(&head);
	code(&head, ev, map);
	ir_label(pg->ir, pg->exit_label);
	ir_ret(pg->ir, ir_imm(pg->ir, site_verdict(pg)));
	if (prog_failed(pg))
		return;
	ir_optimise(pg->ir);
	if (ir_emit(pg->ir, lw->arena, &p.code, &kept.reporter))
		lower_error(lw, (struct loc){ 0 }, D_LIMIT, "%s: %s", p.target ? p.target : "a stamp", kept.message);
	else {
		prog_look(pg, &p);
		prog_add_notes(lw, &p);
	}
}

/* The tier of an event's program: that of the probe; an event at a function is seen in the hooks tier too, if functions
 * can be traced, unless a hook has it. */
static enum tier event_tier(const struct lowerer *lw, const struct stamp_event *ev, enum tier t)
{
	return t == TIER_HOOKS && !lw->env->only_tier && !ev->instead && site_is_function(&ev->site) ? TIER_FUNCTIONS
												     : t;
}

/* Adds a program for each event of the stamps that were read. */
void stamps_finish(struct lowerer *lw)
{
	size_t errors = diags_errors(lw->d);

	for (size_t i = 0; i < lw->stamps.n; i++) {
		const struct stamp_map m = lw->stamps.v[i];

		for (size_t k = 0; k < m.stamp->nevents && diags_errors(lw->d) == errors; k++) {
			const struct stamp_event *ev = &m.stamp->events[k];
			struct prog_ctx pg = {
				.lw = lw, .tier = event_tier(lw, ev, m.tier), .probe = m.by, .probe_index = m.probe
			};

			notes_program(&pg, "dw_stamp", lower_event, ev, m.map);
		}
	}
}
