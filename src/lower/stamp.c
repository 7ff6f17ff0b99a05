/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stamp: what is remembered from one event to a later one: when a packet was put into a queue, handed to a
 * driver, made. Input: the stamps of a provider (image/probe.h) that a script reads. Output: a map each, and a program
 * for each of its events. Invariant: they come last in the image, so that where a stamp ends, readers at the same
 * place run before it is forgotten. A packet whose end is not seen is forgotten when room is wanted. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/priv.h"

#define STAMP_ENTRIES 32768u

/* A note. */
enum { NOTE_TIME = 0, NOTE_WORD = 8, NOTE_SIZE = 16 };

/* Number of the map + 1 of the provider's stamp; 0: it has none of this name. */
static uint32_t stamp_map(struct lowerer *lw, const char *name)
{
	const struct provider *p = lw->prov;

	for (size_t i = 0; i < lw->stamps.n; i++)
		if (lw->stamps.v[i].prov == p && !strcmp(lw->stamps.v[i].stamp->name, name))
			return lw->stamps.v[i].map + 1;
	for (size_t i = 0; i < p->nstamps; i++) {
		struct stamp_map *m;

		if (strcmp(p->stamps[i].name, name) != 0)
			continue;
		m = vec_push(lw->arena, &lw->stamps);
		*m = (struct stamp_map){ p, &p->stamps[i], lw->tier, lw->probe_index, 0 };
		m->map = map_add(lw,
			(struct image_map){ .role = MAP_STAMP,
				.name = "dw_stamp",
				.type = BPF_MAP_TYPE_LRU_HASH,
				.key_size = 8,
				.value_size = NOTE_SIZE,
				.max_entries = STAMP_ENTRIES });
		return m->map + 1;
	}
	return 0;
}

vreg stamp_read(struct lowerer *lw, const struct expr *e)
{
	struct ir *ir = lw->ir;
	uint32_t map = stamp_map(lw, e->args.v[0]->str), end = ir_newlabel(ir);
	int32_t mark = ir_stack_mark(ir);
	vreg r = ir_var(ir), key = ir_stack(ir, ir_stack_alloc(ir, 8)), p;

	ir_seti(ir, r, 0);
	if (map) {
		ir_st(ir, key, 0, 8, lower_int(lw, e->args.v[1]));
		p = ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map - 1), key }, 2, false);
		ir_jcci(ir, CC_EQ, p, 0, end);
		ir_set(ir, r, ir_ld(ir, p, e->sym->func == FN___stamp ? NOTE_TIME : NOTE_WORD, 8, false, false));
	}
	ir_label(ir, end);
	ir_stack_release(ir, mark);
	return r;
}

/* __former(): programs that see the same key on two CPUs at once get each word once. */
vreg stamp_exchange(struct lowerer *lw, const struct expr *e)
{
	struct ir *ir = lw->ir;
	uint32_t map = stamp_map(lw, e->args.v[0]->str), new = ir_newlabel(ir), end = ir_newlabel(ir);
	int32_t mark = ir_stack_mark(ir), key = ir_stack_alloc(ir, 8), note = ir_stack_alloc(ir, NOTE_SIZE);
	vreg r = ir_var(ir), word, p;

	ir_st(ir, ir_stack(ir, key), 0, 8, lower_int(lw, e->args.v[1]));
	word = lower_int(lw, e->args.v[2]);
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

static void lower_event(struct lowerer *lw, const struct stamp_event *ev, uint32_t map)
{
	const struct site_text *when = ev->site.when ? lower_site_text(lw, ev->site.when) : NULL;
	const struct site_text *key = lower_site_text(lw, ev->key),
			       *word = ev->word ? lower_site_text(lw, ev->word) : NULL;
	struct ir *ir = lw->ir;
	vreg k, v;

	if (lw->failed)
		return;
	if (when)
		lower_jump(lw, when->expr, lw->exit_label, false);
	k = ir_stack(ir, ir_stack_alloc(ir, 8));
	ir_st(ir, k, 0, 8, lower_int(lw, key->expr));
	if (ev->op == STAMP_END) {
		ir_call(ir, BPF_FUNC_map_delete_elem, (vreg[]){ ir_map(ir, map), k }, 2, false);
		return;
	}
	v = ir_stack(ir, ir_stack_alloc(ir, NOTE_SIZE));
	ir_st(ir, v, NOTE_TIME, 8, ktime(lw));
	ir_st(ir, v, NOTE_WORD, 8, word ? lower_int(lw, word->expr) : ir_imm(ir, 0));
	ir_call(ir, BPF_FUNC_map_update_elem,
		(vreg[]){ ir_map(ir, map), k, v, ir_imm(ir, ev->op == STAMP_FIRST ? BPF_NOEXIST : BPF_ANY) }, 4, false);
}

static bool is_cgroup(const struct site *s)
{
	return s->attach == ATTACH_CGROUP_INGRESS || s->attach == ATTACH_CGROUP_EGRESS;
}

/* What the event's place is to the kernel. */
static void event_target(struct lowerer *lw, struct image_prog *p)
{
	struct kernel_func f;

	site_prog_type(lw, p);
	if (p->attach == ATTACH_TP_BTF) {
		p->attach_btf_id = lw->env->tracepoint(lw->env->ctx, lw->site->module, p->target, &f);
		p->module = f.module;
	}
	if (!site_is_function(lw->site) && p->attach != ATTACH_KPROBE && p->attach != ATTACH_KRETPROBE)
		return;
	lower_site_targets(lw, p);
	if (site_is_function(lw->site))
		p->attach_btf_id = lw->env->function(lw->env->ctx, p->module, p->target, &f);
}

/* A place that this kernel has not, or in another form, is left out: a probe there would say so. */
static void event_program(struct lowerer *lw, const struct stamp_event *ev, const struct stamp_map *m)
{
	struct image_prog p = { .target = ev->site.target,
		.name = "dw_stamp",
		.probe = m->probe,
		.notes = true,
		.chooses = ev->site.when != NULL };
	const char *why = "";

	if (!site_in_tier(&ev->site, m->tier) || site_lacks(lw->env, lw->arena, lw->probe, &ev->site, m->tier))
		return;
	lw->site = lower_site_reached(lw, &ev->site, m->tier);
	p.attach = lw->site->attach;
	event_target(lw, &p);
	lw->ir = ir_new(lw->arena);
	lw->clause = NULL;
	lw->exit_label = ir_newlabel(lw->ir);
	vars_begin(lw);
	site_begin(lw);
	lower_event(lw, ev, m->map);
	ir_label(lw->ir, lw->exit_label);
	ir_ret(lw->ir, ir_imm(lw->ir, is_cgroup(&ev->site))); /* of a cgroup, 1: the packet may pass */
	if (lw->failed)
		return;
	ir_optimise(lw->ir);
	if (ir_emit(lw->ir, &p.code, &why))
		lower_error(lw, (struct loc){ 0 }, D_LIMIT, "%s: %s", p.target ? p.target : "a stamp", why);
	else
		prog_add_notes(lw, &p);
}

void stamps_finish(struct lowerer *lw)
{
	for (size_t i = 0; i < lw->stamps.n; i++) {
		const struct stamp_map m = lw->stamps.v[i];

		lw->prov = m.prov;
		for (size_t k = 0; k < m.stamp->nevents && !lw->failed; k++)
			event_program(lw, &m.stamp->events[k], &m);
	}
}
