/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stamp: carries a value from one event to a later one, such as the time at which a packet was allocated or queued.
 * Input: the stamps of a provider (image/probe.h) that a script reads. Output: per stamp its maps, and a program for
 * each of its events.
 * Invariant: these programs come last in the image. So where a stamp ends, readers at the same place run before it
 * is deleted. A stamp whose end is never seen is evicted when its hash is full.
 *
 * An LRU hash takes locks and lists to make and to delete a note. Notes of every packet are in tables of words
 * (abi/words.h) instead, the times in one and the words in another, each only if the script reads it; the hash has what
 * finds no room there. Since it evicts, the table's count of what is elsewhere is then an upper bound. */
#include <linux/bpf.h>
#include <string.h>

#include "abi/words.h"
#include "base/diag/report.h"
#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"
#include "lower/tiers.h"

#define STAMP_ENTRIES 32768u

/* A note in a hash: two words. */
enum note { NOTE_TIME, NOTE_WORD };
#define NOTE_SIZE 16

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

/* The provider's stamp, among those that are read; noted at first use. NULL: the provider has none of this name. */
static struct stamp_map *stamp_of(struct clause_ctx *cx, const char *name)
{
	const struct provider *p = cx->prov;
	const struct stamp *st = stamp_named(p, name);
	struct stamp_map *m;

	for (size_t i = 0; i < cx->lw->stamps.n; i++)
		if (cx->lw->stamps.v[i].prov == p && cx->lw->stamps.v[i].stamp == st)
			return &cx->lw->stamps.v[i];
	if (!st)
		return NULL;
	m = vec_push(cx->lw->arena, &cx->lw->stamps);
	*m = (struct stamp_map){
		.prov = p, .stamp = st, .tier = cx->pg->tier, .by = cx->probe, .probe = cx->pg->probe_index
	};
	return m;
}

static bool has_tables(const struct lowerer *lw, const struct stamp *st)
{
	bool each = false;

	for (size_t i = 0; i < st->nevents; i++)
		each = each || st->events[i].op == STAMP_EACH;
	return each && !lw->env->no_exchange;
}

/* Where a part of the notes is, made at first use. */
static struct stamp_part stamp_part(struct lowerer *lw, struct stamp_map *m, enum note part)
{
	const bool apart = has_tables(lw, m->stamp);
	const uint32_t keys = m->stamp->nevents ? m->stamp->events[0].percpu : 0; /* __former() alone may write it */
	struct stamp_part *to = &m->parts[apart ? part : NOTE_TIME];

	if (to->map)
		return *to;
	to->map = 1 +
		map_add(lw,
			(struct image_map){ .role = MAP_STAMP,
				.name = "dw_stamp",
				.type = keys ? BPF_MAP_TYPE_PERCPU_ARRAY : BPF_MAP_TYPE_LRU_HASH,
				.key_size = keys ? 4 : 8,
				.value_size = apart ? 8 : NOTE_SIZE,
				.max_entries = keys ? keys : STAMP_ENTRIES });
	if (apart)
		to->table = map_add_value(lw, MAP_WORDS, "dw_w_stamp", DW_WORDS_SIZE) + 1;
	return *to;
}

/* A key in tables. */
static vreg table_key(struct clause_ctx *cx, const struct expr *e)
{
	return ir_number(cx->ir, lower_int(cx, e));
}

/* A part of a note; 0: there is none. */
static vreg table_read(struct clause_ctx *cx, struct stamp_part at, vreg key)
{
	struct ir *ir = cx->ir;
	const vreg args[] = { ir_mapval(ir, at.table - 1, 0), key, ir_map(ir, at.map - 1) };

	return ir_lib_find(ir, LIB_word_read, args, 3, cx->pg->changes);
}

/* __stamp(): the time of a note in ns; __stamped(): its word. 0: there is no note. */
vreg stamp_read(struct clause_ctx *cx, const struct expr *e)
{
	const enum note part = e->sym->func == FN___stamp ? NOTE_TIME : NOTE_WORD;
	struct stamp_map *m = stamp_of(cx, e->args.v[0]->str);
	struct stamp_part at = { 0 };
	struct ir *ir = cx->ir;
	uint32_t end = ir_newlabel(ir);
	int32_t mark = ir_stack_mark(ir);
	vreg r, key, p;

	if (m)
		at = stamp_part(cx->lw, m, part);
	if (at.table)
		return table_read(cx, at, table_key(cx, e->args.v[1]));
	r = ir_var(ir);
	ir_seti(ir, r, 0);
	if (m) {
		key = ir_stack(ir, ir_stack_alloc(ir, 8));
		ir_st(ir, key, 0, 8, lower_int(cx, e->args.v[1]));
		p = ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, at.map - 1), key }, 2, false);
		ir_jcci(ir, CC_EQ, p, 0, end);
		ir_set(ir, r, ir_ld(ir, p, (int32_t)part * 8, 8, false, false));
	}
	ir_label(ir, end);
	ir_stack_release(ir, mark);
	return r;
}

/* __former(): exchanges each word atomically, so of two CPUs that see the same key at once only one gets it. */
vreg stamp_exchange(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct stamp_map *m = stamp_of(cx, e->args.v[0]->str);
	uint32_t map = m ? stamp_part(cx->lw, m, NOTE_WORD).map : 0, new = ir_newlabel(ir), end = ir_newlabel(ir);
	int32_t mark = ir_stack_mark(ir), key = ir_stack_alloc(ir, 8), note = ir_stack_alloc(ir, NOTE_SIZE);
	vreg r = ir_var(ir), word, p;

	word = lower_int(cx, e->args.v[1]);
	ir_st(ir, ir_stack(ir, key), 0, 8, word);
	word = lower_int(cx, e->args.v[2]);
	ir_set(ir, r, word);
	if (map) {
		p = ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map - 1), ir_stack(ir, key) }, 2, false);
		ir_jcci(ir, CC_EQ, p, 0, new);
		ir_set(ir, r, ir_xchg(ir, p, NOTE_WORD * 8, 8, word));
		ir_jmp(ir, end);
		ir_label(ir, new);
		ir_sti(ir, ir_stack(ir, note), NOTE_TIME * 8, 8, 0);
		ir_st(ir, ir_stack(ir, note), NOTE_WORD * 8, 8, word);
		ir_call(ir, BPF_FUNC_map_update_elem,
			(vreg[]){ ir_map(ir, map - 1), ir_stack(ir, key), ir_stack(ir, note), ir_imm(ir, BPF_NOEXIST) },
			4, false);
	}
	ir_label(ir, end);
	ir_stack_release(ir, mark);
	return r;
}

/* A note in tables. */
static void event_in_tables(struct clause_ctx *cx, const struct stamp_event *ev, const struct stamp_map *m, vreg key,
	const struct expr *word)
{
	struct ir *ir = cx->ir;

	for (enum note part = NOTE_TIME; part <= NOTE_WORD; part++) {
		const struct stamp_part at = m->parts[part];
		vreg table, hash, value;

		if (!at.table)
			continue;
		table = ir_mapval(ir, at.table - 1, 0);
		hash = ir_map(ir, at.map - 1);
		if (ev->op == STAMP_END) {
			ir_lib(ir, LIB_word_delete, (vreg[]){ table, key, hash }, 3);
			continue;
		}
		value = part == NOTE_TIME ? ktime(cx) : word ? lower_int(cx, word) : ir_imm(ir, 0);
		ir_lib(ir, LIB_word_write, (vreg[]){ table, key, value, hash }, 4);
	}
}

/* A note of this CPU's, at p. */
static void note_here(struct clause_ctx *cx, const struct stamp_event *ev, vreg p, const struct expr *word)
{
	struct ir *ir = cx->ir;

	ir_jcci(ir, CC_EQ, p, 0, cx->pg->exit_label);
	if (ev->op == STAMP_END) {
		ir_sti(ir, p, NOTE_TIME * 8, 8, 0);
		ir_sti(ir, p, NOTE_WORD * 8, 8, 0);
		return;
	}
	if (ev->op == STAMP_FIRST)
		ir_jcci(ir, CC_NE, ir_ld(ir, p, NOTE_TIME * 8, 8, false, false), 0, cx->pg->exit_label);
	if (word)
		ir_st(ir, p, NOTE_WORD * 8, 8, lower_int(cx, word));
	ir_st(ir, p, NOTE_TIME * 8, 8, ktime(cx));
}

static void event_in_map(
	struct clause_ctx *cx, const struct stamp_event *ev, uint32_t map, vreg key, const struct expr *word)
{
	struct ir *ir = cx->ir;
	vreg k = ir_stack(ir, ir_stack_alloc(ir, 8)), v;

	ir_st(ir, k, 0, 8, key);
	if (ev->percpu) {
		v = ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map), k }, 2, false);
		note_here(cx, ev, v, word);
		return;
	}
	if (ev->op == STAMP_END) {
		ir_call(ir, BPF_FUNC_map_delete_elem, (vreg[]){ ir_map(ir, map), k }, 2, false);
		return;
	}
	v = ir_stack(ir, ir_stack_alloc(ir, NOTE_SIZE));
	ir_st(ir, v, NOTE_TIME * 8, 8, ktime(cx));
	ir_st(ir, v, NOTE_WORD * 8, 8, word ? lower_int(cx, word) : ir_imm(ir, 0));
	ir_call(ir, BPF_FUNC_map_update_elem,
		(vreg[]){ ir_map(ir, map), k, v, ir_imm(ir, ev->op == STAMP_FIRST ? BPF_NOEXIST : BPF_ANY) }, 4, false);
}

/* The code at an event of the stamp with this number among those that are read: makes, replaces or deletes the note of
 * a key. */
static void lower_event(struct clause_ctx *cx, const struct stamp_event *ev, uint32_t stamp)
{
	const struct stamp_map m = cx->lw->stamps.v[stamp];
	const struct site_text *when = ev->site.when ? lower_site_text(cx->pg, ev->site.when) : NULL;
	const struct site_text *key = lower_site_text(cx->pg, ev->key),
			       *word = ev->word ? lower_site_text(cx->pg, ev->word) : NULL;
	const struct expr *value;

	if (prog_failed(cx->pg))
		return;
	if (when)
		lower_jump(cx, when->expr, cx->pg->exit_label, false);
	value = word ? word->expr : NULL;
	if (has_tables(cx->lw, m.stamp))
		event_in_tables(cx, ev, &m, table_key(cx, key->expr), value);
	else
		event_in_map(cx, ev, m.parts[NOTE_TIME].map - 1, lower_int(cx, key->expr), value);
}

void notes_program(
	struct prog_ctx *pg, const char *name, notes_code *code, const struct stamp_event *ev, uint32_t number)
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
	if (!site_is_here(lw->env, lw->arena, pg->probe, &ev->site, pg->tier))
		return;
	pg->site = lower_site_reached(lw, &ev->site, pg->tier);
	pg->errors = diags_errors(lw->d);
	prog_place(pg, &p);
	pg->ir = ir_new(lw->arena);
	pg->ir->guard = lw->env->guard;
	pg->exit_label = ir_newlabel(pg->ir);
	head = prog_head(pg);
	site_begin(&head);
	code(&head, ev, number);
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

/* Adds a program for each event of a stamp: that ends it, or another. */
static void stamp_programs(struct lowerer *lw, size_t stamp, bool ends)
{
	const struct stamp_map m = lw->stamps.v[stamp];
	size_t errors = diags_errors(lw->d);

	for (size_t i = 0; i < m.stamp->nevents && diags_errors(lw->d) == errors; i++) {
		const struct stamp_event *ev = &m.stamp->events[i];
		struct prog_ctx pg = {
			.lw = lw, .tier = event_tier(lw, ev, m.tier), .probe = m.by, .probe_index = m.probe
		};

		if ((ev->op == STAMP_END) == ends)
			notes_program(&pg, "dw_stamp", lower_event, ev, (uint32_t)stamp);
	}
}

/* Adds a program for each event of the stamps that were read: last those that end one, which others may read. The
 * events of a stamp may read a further one. */
void stamps_finish(struct lowerer *lw)
{
	size_t begun = 0, ended = 0;

	while (ended < lw->stamps.n)
		if (begun < lw->stamps.n)
			stamp_programs(lw, begun++, false);
		else
			stamp_programs(lw, ended++, true);
}
