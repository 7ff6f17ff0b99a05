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

#include "abi/arch.h"
#include "lower/program.h"
#include "lower/site/site.h"
#include "lower/state/agg.h"

#define KEY_MIN 40u  /* two addresses */
#define KEY_MAX 256u /* a longer one would be much code, since all words are compared */
#define TABLES 8u    /* with those in front */
/* A map with less room was asked for: it keeps its meaning. */
#define ENTRIES_MIN (2 * DW_SLOTS)

static bool same_layout(const struct agg *a, const struct agg *b)
{
	if (a->key_size != b->key_size || a->nkeys != b->nkeys)
		return false;
	for (size_t i = 0; i < a->nkeys; i++)
		if (a->keys[i].kind != b->keys[i].kind || a->keys[i].off != b->keys[i].off ||
			a->keys[i].size != b->keys[i].size || a->keys[i].is_signed != b->keys[i].is_signed)
			return false;
	return true;
}

const struct agg *agg_alike(const struct lowerer *lw, const struct symbol *s, const struct agg *a)
{
	struct symbol **all;
	size_t n = s->alike && !lw->slots_known ? checker_aggs(lw->ck, &all) : 0;

	for (size_t i = 0; i < n; i++)
		if (all[i]->alike == s->alike && all[i]->number) {
			const struct agg *with = &lw->im->aggs.v[all[i]->number - 1];

			if ((with->slots || with->front) && same_layout(with, a))
				return with;
		}
	return NULL;
}

/* Puts the value into the slots of another aggregation of its group. False: there is none that has slots. */
static bool join_slots(struct lowerer *lw, const struct symbol *s, struct agg *a)
{
	const struct agg *with = agg_alike(lw, s, a);

	if (!with || !with->slots)
		return false;
	a->slots = with->slots;
	a->slot_value = with->slot_size;
	a->slot_size = with->slot_size + a->nwords * 8;
	lw->im->maps.v[a->slots - 1].value_size += DW_SLOTS * a->nwords * 8;
	for (size_t i = 0; i < lw->im->aggs.n; i++)
		if (lw->im->aggs.v[i].slots == a->slots)
			lw->im->aggs.v[i].slot_size = a->slot_size;
	return true;
}

void slots_begin(struct lowerer *lw, const struct symbol *s, struct agg *a, const struct image_map *common)
{
	if (lw->env->no_exchange || a->shared || a->sparse || a->key_size < KEY_MIN || a->key_size > KEY_MAX ||
		a->key_size % 8 || common->max_entries < ENTRIES_MIN ||
		(a->fn != DW_AGG_COUNT && a->fn != DW_AGG_SUM) || join_slots(lw, s, a) || lw->ntables == TABLES)
		return;
	lw->ntables++;
	a->slot_value = DW_SLOT_KEY + a->key_size;
	a->slot_size = a->slot_value + a->nwords * 8;
	a->slots = map_add_value(lw, MAP_SLOTS, arena_printf(lw->arena, "slots_%.8s", a->name),
			   (uint32_t)DW_SLOTS_FIRST + DW_SLOTS * a->slot_size) +
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

/* A search: where it goes on, and what it knows there. */
struct search {
	vreg tag;           /* the upper bits of the key's word in the index */
	vreg number, place; /* found: the key's number. claim: the place of a free word, as an offset in the index */
	uint32_t found, claim, none;
};

static vreg table(struct clause_ctx *cx, const struct agg *a, uint32_t off)
{
	return ir_mapval(cx->ir, a->slots - 1, (int32_t)off);
}

static vreg slot_at(struct clause_ctx *cx, const struct agg *a, vreg number)
{
	struct ir *ir = cx->ir;
	vreg n = ir_alui(ir, ALU_AND, number, DW_SLOTS - 1);

	return ir_alu(ir, ALU_ADD, table(cx, a, DW_SLOTS_FIRST), ir_alui(ir, ALU_MUL, n, (int32_t)a->slot_size));
}

/* Goes to found where a word of the index has the key's tag, to claim where a word is free, or has the number of a key
 * that has left, and to none if there is neither. */
static void probe(struct clause_ctx *cx, const struct agg *a, struct agg_key *key, struct search *q)
{
	struct ir *ir = cx->ir;
	vreg left = ir_ld(ir, table(cx, a, DW_SLOTS_LEFT), 0, 8, false, false), first;

	if (!key->hash)
		key->hash = hash(cx, a, key->at);
	q->number = ir_var(ir);
	q->place = ir_var(ir);
	q->tag = ir_alui(ir, ALU_SHL, ir_alui(ir, ALU_SHR, key->hash, 64 - (int32_t)DW_SLOT_INDEX_BITS - 16),
		(int32_t)DW_SLOT_NUMBER_BITS);
	first = ir_alui(ir, ALU_SHL, ir_alui(ir, ALU_SHR, key->hash, 64 - (int32_t)DW_SLOT_INDEX_BITS), 3);
	for (uint32_t i = 0; i < DW_SLOT_PROBES; i++) {
		uint32_t other = ir_newlabel(ir), next = ir_newlabel(ir);
		vreg word = ir_ld(
			ir, ir_alu(ir, ALU_ADD, table(cx, a, DW_SLOTS_INDEX), first), (int32_t)i * 8, 8, false, false);

		/* With the same tag, only the number is left of it. */
		ir_set(ir, q->number, ir_alu(ir, ALU_XOR, word, q->tag));
		ir_jcc(ir, CC_ULE, q->number, left, other);
		ir_jcci(ir, CC_EQ, ir_alui(ir, ALU_SHR, q->number, (int32_t)DW_SLOT_NUMBER_BITS), 0, q->found);
		ir_label(ir, other);
		ir_jcc(ir, CC_UGT,
			ir_alui(ir, ALU_SHR, ir_alui(ir, ALU_SHL, word, 64 - (int32_t)DW_SLOT_NUMBER_BITS),
				64 - (int32_t)DW_SLOT_NUMBER_BITS),
			left, next);
		ir_set(ir, q->place, ir_alui(ir, ALU_ADD, first, (int32_t)i * 8));
		ir_jmp(ir, q->claim);
		ir_label(ir, next);
	}
	ir_jmp(ir, q->none);
}

/* Another key may have the same tag. That is rare, so all words are compared with one condition: the verifier takes
 * some thousand of them in a program. */
static void compare(struct clause_ctx *cx, const struct agg *a, vreg key, vreg slot, uint32_t none)
{
	struct ir *ir = cx->ir;
	vreg differs = 0;

	for (uint32_t off = 0; off < a->key_size; off += 8) {
		vreg d = ir_alu(ir, ALU_XOR, ir_ld(ir, slot, DW_SLOT_KEY + (int32_t)off, 8, false, false),
			ir_ld(ir, key, (int32_t)off, 8, false, false));

		differs = differs ? ir_alu(ir, ALU_OR, differs, d) : d;
	}
	ir_jcci(ir, CC_NE, differs, 0, none);
}

static vreg this_cpu(struct clause_ctx *cx)
{
	return ir_ext(cx->ir, ir_call(cx->ir, BPF_FUNC_get_smp_processor_id, NULL, 0, false), 4, false);
}

/* Counts the changes of CPU. After many, the key gets values on each. */
static void note_cpu(struct clause_ctx *cx, vreg slot)
{
	struct ir *ir = cx->ir;
	uint32_t same = ir_newlabel(ir);
	vreg cpu = this_cpu(cx);

	ir_jcc(ir, CC_EQ, cpu, ir_ld(ir, slot, DW_SLOT_CPU, 4, false, false), same);
	ir_st(ir, slot, DW_SLOT_CPU, 4, cpu);
	ir_st(ir, slot, DW_SLOT_MOVED, 4, ir_alui(ir, ALU_ADD, ir_ld(ir, slot, DW_SLOT_MOVED, 4, false, false), 1));
	ir_label(ir, same);
}

/* The next number, whose slot is free; jumps to none if it is not. */
static vreg take_number(struct clause_ctx *cx, const struct agg *a, uint32_t none)
{
	struct ir *ir = cx->ir;
	vreg n = ir_alui(ir, ALU_ADD, ir_fadd(ir, table(cx, a, DW_SLOTS_TAKEN), 0, 8, ir_imm(ir, 1)), 1), word;

	ir_jcci(ir, CC_UGT, ir_alu(ir, ALU_SUB, n, ir_ld(ir, table(cx, a, DW_SLOTS_FREED), 0, 8, false, false)),
		DW_SLOTS, none);
	word = ir_alui(ir, ALU_SHL, ir_alui(ir, ALU_AND, ir_alui(ir, ALU_SHR, n, 6), DW_SLOTS / 64 - 1), 3);
	word = ir_ld(ir, ir_alu(ir, ALU_ADD, table(cx, a, DW_SLOTS_KEPT), word), 0, 8, false, false);
	ir_jcci(ir, CC_SET, ir_alu(ir, ALU_SHR, word, ir_alui(ir, ALU_AND, n, 63)), 1, none);
	return n;
}

/* Makes the slot known: whoever sees the word of the index, or the number, sees the rest. A plain store takes a
 * fraction of the time, since the program need not wait until the slot's memory is in the CPU's cache. */
static void publish(struct clause_ctx *cx, const struct agg *a, vreg slot, vreg number, const struct search *q)
{
	struct ir *ir = cx->ir;
	vreg word = ir_alu(ir, ALU_OR, q->tag, number),
	     at = ir_alu(ir, ALU_ADD, table(cx, a, DW_SLOTS_INDEX), q->place);
	vreg place = ir_alui(ir, ALU_SHL, q->place, (int32_t)DW_SLOT_NUMBER_BITS - 3);

	if (ARCH_STORES_IN_ORDER)
		ir_st(ir, at, 0, 8, word);
	else
		(void)ir_xchg(ir, at, 0, 8, word);
	ir_st(ir, slot, 0, 8, ir_alu(ir, ALU_OR, place, number));
}

/* The update of an aggregation that follows, if its value was computed ahead. */
static const struct agg_next *next_of(const struct agg_key *key, const struct agg *a)
{
	for (size_t i = 0; i < key->nnext; i++)
		if (key->next[i].id == a->id)
			return &key->next[i];
	return NULL;
}

/* Forgets it: from here on a is another update. False: there is none. */
static bool next_done(struct agg_key *key, const struct agg *a)
{
	const struct agg_next *next = next_of(key, a);

	if (!next)
		return false;
	key->next[next - key->next] = key->next[--key->nnext];
	return true;
}

/* Writes the key, the first value of s and those that follow it into a free slot; other aggregations have no value. */
static vreg claim(struct clause_ctx *cx, const struct symbol *s, const struct agg *a, const struct agg_key *key,
	const struct agg_event *ev, const struct search *q)
{
	struct ir *ir = cx->ir;
	vreg number = take_number(cx, a, q->none), slot = slot_at(cx, a, number);

	for (uint32_t off = 0; off < a->key_size; off += 8)
		ir_st(ir, slot, DW_SLOT_KEY + (int32_t)off, 8, ir_ld(ir, key->at, (int32_t)off, 8, false, false));
	agg_first(cx, s, slot, (int32_t)a->slot_value, ev);
	for (size_t i = 0; i < cx->lw->im->aggs.n; i++) {
		const struct agg *o = &cx->lw->im->aggs.v[i];
		const struct agg_next *next;

		if (o->slots != a->slots || o == a)
			continue;
		next = next_of(key, o);
		if (next)
			agg_first(cx, next->s, slot, (int32_t)o->slot_value, &next->ev);
		for (uint32_t w = 0; !next && w < o->nwords; w++)
			ir_sti(ir, slot, (int32_t)(o->slot_value + w * 8), 8, 0);
	}
	ir_st(ir, slot, DW_SLOT_CPU, 8, this_cpu(cx));
	publish(cx, a, slot, number, q);
	return slot;
}

/* Adds an event to the value in the slot, or jumps to e->often. */
static void add(struct clause_ctx *cx, struct symbol *s, const struct agg *a, const struct agg_key *key,
	const struct slots_event *e)
{
	struct ir *ir = cx->ir;
	uint32_t one = ir_newlabel(ir);

	ir_jcci(ir, CC_ULT, ir_ld(ir, key->slot, DW_SLOT_MOVED, 4, false, false), DW_SLOT_MOVES, one);
	ir_set(ir, e->own, agg_lookup(cx, a->map, key->at));
	ir_jcci(ir, CC_NE, e->own, 0, e->often);
	agg_insert_own(cx, a, key->at);
	ir_label(ir, one);
	(void)agg_update_common(cx, s, ir_alui(ir, ALU_ADD, key->slot, (int32_t)a->slot_value), e->ev, e->end);
	ir_jmp(ir, e->end);
}

/* The key was searched for another aggregation with the same table. */
static void add_again(
	struct clause_ctx *cx, struct symbol *s, const struct agg *a, struct agg_key *key, const struct slots_event *e)
{
	uint32_t none = ir_newlabel(cx->ir);

	if (next_done(key, a))
		ir_jcci(cx->ir, CC_NE, key->made, 0, e->end);
	ir_jcci(cx->ir, CC_EQ, key->slot, 0, none);
	add(cx, s, a, key, e);
	ir_label(cx->ir, none);
}

void slots_add(
	struct clause_ctx *cx, struct symbol *s, const struct agg *a, struct agg_key *key, const struct slots_event *e)
{
	struct ir *ir = cx->ir;
	struct search q = { .found = ir_newlabel(ir), .claim = ir_newlabel(ir), .none = ir_newlabel(ir) };

	if (key->slots == a->slots) {
		add_again(cx, s, a, key, e);
		return;
	}
	(void)next_done(key, a);
	key->slots = a->slots;
	key->slot = ir_var(ir);
	key->made = ir_var(ir);
	ir_seti(ir, key->made, 0);
	probe(cx, a, key, &q);
	ir_label(ir, q.found);
	ir_set(ir, key->slot, slot_at(cx, a, q.number));
	compare(cx, a, key->at, key->slot, q.none);
	note_cpu(cx, key->slot);
	add(cx, s, a, key, e);
	ir_label(ir, q.claim);
	ir_set(ir, key->slot, claim(cx, s, a, key, e->ev, &q));
	ir_seti(ir, key->made, 1);
	ir_jmp(ir, e->end);
	ir_label(ir, q.none);
	ir_seti(ir, key->slot, 0);
}
