/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slots: adds an event to the value of a key in a table of slots (abi/slots.h).
 * Input: a key in memory, 8-aligned, and an event. Output: code that finds the key's slot, or takes a free one, and
 * updates it; where there is neither, it goes on to the maps. count() and sum() only: of avg() the consumer could take
 * the number and the sum on both sides of an event.
 *
 * Why: a server has new keys with each connection. A new key takes the kernel's hash some 800 ns, with the memory that
 * it allocates, and must be deleted again; a slot takes a tenth. Short keys stay in the maps: there are few of them,
 * and all CPUs use the same. */
#include "abi/slots.h"

#include <linux/bpf.h>

#include "lower/program.h"
#include "lower/site/site.h"
#include "lower/state/agg.h"

#define KEY_MIN 40u  /* two addresses */
#define KEY_MAX 256u /* a longer one would be much code, since all words are compared */
/* A map with less room was asked for: it keeps its meaning. */
#define ENTRIES_MIN (2 * DW_SLOTS)
static int32_t words_off(const struct agg *a)
{
	return (int32_t)(DW_SLOT_KEY + a->key_size);
}

static int32_t slot_size(const struct agg *a)
{
	return words_off(a) + (int32_t)a->nwords * 8;
}

void slots_begin(struct lowerer *lw, struct agg *a, const struct image_map *common)
{
	if (lw->env->no_exchange || a->shared || a->sparse || a->key_size < KEY_MIN || a->key_size > KEY_MAX ||
		a->key_size % 8 || common->max_entries < ENTRIES_MIN || (a->fn != DW_AGG_COUNT && a->fn != DW_AGG_SUM))
		return;
	a->slots = map_add(lw,
			   (struct image_map){
				   .role = MAP_SLOTS,
				   .name = arena_printf(lw->arena, "slots_%.8s", a->name),
				   .type = BPF_MAP_TYPE_ARRAY,
				   .key_size = 4,
				   .value_size = DW_SLOTS * (uint32_t)slot_size(a),
				   .max_entries = 1,
			   }) +
		1;
}

bool slots_here(const struct clause_ctx *cx, const struct agg *a)
{
	return a->slots && !is_user_site(cx->pg->site) && !cx->pg->blurs;
}

/* Does the word of the key say only which kind of text a text is? What the text is says more. */
static bool is_tag(const struct agg *a, uint32_t off)
{
	for (size_t i = 0; i < a->nkeys; i++)
		if (a->keys[i].kind == FIELD_TSTR && a->keys[i].off == off)
			return true;
	return false;
}

/* Is the word part of a text of some words, whose bytes a stranger may choose? */
static bool is_long_text(const struct agg *a, uint32_t off)
{
	for (size_t i = 0; i < a->nkeys; i++)
		if (a->keys[i].kind == FIELD_CHARS && a->keys[i].size > 16 && off >= a->keys[i].off &&
			off - a->keys[i].off < a->keys[i].size)
			return true;
	return false;
}

/* Where a search begins; the words are compared afterwards. Words move up with each multiplication, so that all of them
 * are in the highest bits. Two lanes, because each multiplication waits for the one before. The factor is secret, or a
 * stranger could choose keys that share their slots, and whose events then take longer. A change of a word's highest
 * bit alone changes the product's highest bit alone, whatever the factor is: in texts it is moved down, so that a
 * second word cannot undo it. */
static vreg hash(struct clause_ctx *cx, const struct agg *a, vreg key)
{
	struct ir *ir = cx->ir;
	const vreg odd = ir_imm(ir, (int64_t)DW_FACTOR(cx->lw->env->secret));
	vreg lane[2] = { ir_imm(ir, 0x243f6a88), ir_imm(ir, 0x13198a2e) }, h;
	size_t n = 0;

	for (uint32_t off = 0; off < a->key_size; off += 8) {
		vreg *l = &lane[n % 2];

		if (is_tag(a, off))
			continue;
		*l = ir_alu(ir, ALU_XOR, *l, ir_ld(ir, key, (int32_t)off, 8, false, false));
		*l = ir_alu(ir, ALU_MUL, *l, odd);
		if (is_long_text(a, off))
			*l = ir_be(ir, *l, 8);
		n++;
	}
	h = ir_alu(ir, ALU_ADD, lane[0], ir_alui(ir, ALU_SHR, lane[1], 1));
	return ir_alu(ir, ALU_MUL, ir_alu(ir, ALU_XOR, h, ir_alui(ir, ALU_SHR, h, 29)), odd);
}

/* A search: p is the slot that was found. */
struct search {
	vreg p, tag;
	uint32_t claim, none;
};

/* Falls through where a slot has the key's tag; jumps to claim at a free one, and to none if there is neither. */
static void probe(struct clause_ctx *cx, const struct agg *a, struct agg_key *key, struct search *q)
{
	struct ir *ir = cx->ir;
	uint32_t found = ir_newlabel(ir);
	vreg h, at, first;

	if (!key->hash)
		key->hash = hash(cx, a, key->at);
	h = key->hash;
	q->p = ir_var(ir);
	q->tag = ir_alui(ir, ALU_OR, h, 1);
	at = ir_alui(ir, ALU_MUL, ir_alui(ir, ALU_SHR, h, 64 - (int32_t)DW_SLOT_BITS), slot_size(a));
	first = ir_alu(ir, ALU_ADD, ir_mapval(ir, a->slots - 1, 0), at);
	for (uint32_t i = 0; i < DW_SLOT_PROBES; i++) {
		uint32_t other = ir_newlabel(ir), next = ir_newlabel(ir);
		int32_t off = (int32_t)i * slot_size(a);
		vreg tag = ir_ld(ir, first, off, 8, false, false);

		ir_jcc(ir, CC_NE, tag, q->tag, other);
		ir_set(ir, q->p, ir_alui(ir, ALU_ADD, first, off));
		ir_jmp(ir, found);
		ir_label(ir, other);
		ir_jcci(ir, CC_NE, tag, DW_SLOT_FREE, next);
		ir_set(ir, q->p, ir_alui(ir, ALU_ADD, first, off));
		ir_jmp(ir, q->claim);
		ir_label(ir, next);
	}
	ir_jmp(ir, q->none);
	ir_label(ir, found);
}

/* Another key may have the same tag. That is rare, so all words are compared with one condition: the verifier takes
 * some thousand of them in a program. */
static void compare(struct clause_ctx *cx, const struct agg *a, vreg key, const struct search *q)
{
	struct ir *ir = cx->ir;
	vreg differs = 0;

	for (uint32_t off = 0; off < a->key_size; off += 8) {
		vreg d = ir_alu(ir, ALU_XOR, ir_ld(ir, q->p, DW_SLOT_KEY + (int32_t)off, 8, false, false),
			ir_ld(ir, key, (int32_t)off, 8, false, false));

		differs = differs ? ir_alu(ir, ALU_OR, differs, d) : d;
	}
	ir_jcci(ir, CC_NE, differs, 0, q->none);
}

static vreg this_cpu(struct clause_ctx *cx)
{
	return ir_ext(cx->ir, ir_call(cx->ir, BPF_FUNC_get_smp_processor_id, NULL, 0, false), 4, false);
}

/* Counts the changes of CPU. After many, the key gets values on each. */
static void note_cpu(struct clause_ctx *cx, const struct search *q)
{
	struct ir *ir = cx->ir;
	uint32_t same = ir_newlabel(ir);
	vreg cpu = this_cpu(cx);

	ir_jcc(ir, CC_EQ, cpu, ir_ld(ir, q->p, DW_SLOT_CPU, 4, false, false), same);
	ir_st(ir, q->p, DW_SLOT_CPU, 4, cpu);
	ir_st(ir, q->p, DW_SLOT_MOVED, 4, ir_alui(ir, ALU_ADD, ir_ld(ir, q->p, DW_SLOT_MOVED, 4, false, false), 1));
	ir_label(ir, same);
}

/* Writes key and first value into a free slot. If another CPU was faster, it goes on to the maps. */
static void claim(struct clause_ctx *cx, const struct symbol *s, const struct agg *a, vreg key,
	const struct agg_event *ev, const struct search *q)
{
	struct ir *ir = cx->ir;
	vreg seen = ir_cmpxchg(ir, q->p, 0, ir_imm(ir, DW_SLOT_FREE), ir_imm(ir, DW_SLOT_BUSY));

	ir_jcci(ir, CC_NE, seen, DW_SLOT_FREE, q->none);
	for (uint32_t off = 0; off < a->key_size; off += 8)
		ir_st(ir, q->p, DW_SLOT_KEY + (int32_t)off, 8, ir_ld(ir, key, (int32_t)off, 8, false, false));
	agg_first(cx, s, q->p, words_off(a), ev);
	ir_st(ir, q->p, DW_SLOT_CPU, 8, this_cpu(cx));
	(void)ir_xchg(ir, q->p, 0, 8, q->tag); /* a full barrier: whoever sees the tag sees the rest */
	agg_count_born(cx, a, DW_BORN_SLOT);
}

void slots_add(struct clause_ctx *cx, struct symbol *s, const struct agg *a, struct agg_key *key,
	const struct agg_event *ev, vreg own, uint32_t often, uint32_t end)
{
	struct ir *ir = cx->ir;
	struct search q = { .claim = ir_newlabel(ir), .none = ir_newlabel(ir) };
	uint32_t one = ir_newlabel(ir);

	probe(cx, a, key, &q);
	compare(cx, a, key->at, &q);
	ir_jcci(ir, CC_ULT, ir_ld(ir, q.p, DW_SLOT_MOVED, 4, false, false), DW_SLOT_MOVES, one);
	ir_set(ir, own, agg_lookup(cx, a->map, key->at));
	ir_jcci(ir, CC_NE, own, 0, often);
	agg_insert_own(cx, a, key->at);
	ir_label(ir, one);
	note_cpu(cx, &q);
	(void)agg_update_common(cx, s, ir_alui(ir, ALU_ADD, q.p, words_off(a)), ev, end);
	ir_jmp(ir, end);
	ir_label(ir, q.claim);
	claim(cx, s, a, key->at, ev, &q);
	ir_jmp(ir, end);
	ir_label(ir, q.none);
}
