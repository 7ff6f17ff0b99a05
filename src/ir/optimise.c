/* SPDX-License-Identifier: GPL-2.0-or-later */
/* optimise: makes IR shorter. Input and output: ir->code.
 * A forward pass shares equal values where one dominates the other, propagates copies and constants, and decides
 * branches. Then unused results are dropped and jumps are straightened. Nothing moves upwards, so a load stays
 * behind the check of its pointer.
 * Invariant: the program's stores, calls and return values, and their order, do not change. */
#include <assert.h>
#include <string.h>

#include "ir/expand.h"
#include "ir/fold.h"
#include "ir/ops.h"

#define HASH_LEAST 1024u
#define SAME_KEYS 16 /* equal computations in other branches that are looked at */
#define ROUNDS 3
#define MAX_COPIES 4 /* of a variable before it is tested */

/* What makes two computations equal. Variables count by name and version. */
struct key {
	uint32_t what; /* op, sub, size, sx, nargs; no padding anywhere: keys are compared and hashed as bytes */
	int32_t off;
	int64_t imm;
	vreg v[7];
	uint32_t version[7];
};

#define OP_FACT 255 /* as op: a condition whose outcome is known; value is 1 or 0 */

struct ir_expr {
	struct key key;
	uint32_t block, next;
	vreg value;
};

/* ---- blocks ------------------------------------------------------------------------------------------------------ */
/* A block of the dominator tree below idom. Each has also a jump to a farther ancestor, so that an ancestor at any
 * depth is found in logarithmic steps (Myers, An Applicative Random-Access Stack, 1983). */
static uint32_t new_block(struct ir_opt *o, uint32_t idom)
{
	const struct ir_block *v = o->blocks.v;
	struct ir_block b = { .idom = idom };
	if (o->blocks.n) {
		uint32_t j = v[idom].jump;
		b.depth = v[idom].depth + 1;
		b.jump = v[idom].depth - v[j].depth == v[j].depth - v[v[j].jump].depth ? v[j].jump : idom;
	}
	*vec_push(o->scratch, &o->blocks) = b;
	return (uint32_t)o->blocks.n - 1;
}

/* The ancestor of b at that depth. */
static uint32_t ancestor(const struct ir_opt *o, uint32_t b, uint32_t depth)
{
	const struct ir_block *v = o->blocks.v;
	while (v[b].depth > depth)
		b = v[v[b].jump].depth >= depth ? v[b].jump : v[b].idom;
	return b;
}

/* Is a on every way from the start to b? Each block dominates itself. */
static bool dominates(const struct ir_opt *o, uint32_t a, uint32_t b)
{
	return ancestor(o, b, o->blocks.v[a].depth) == a;
}

/* The nearest block that dominates both. 0 means "not reached": then the other one. */
static uint32_t common_dominator(const struct ir_opt *o, uint32_t a, uint32_t b)
{
	const struct ir_block *v = o->blocks.v;
	if (!a || !b)
		return a ? a : b;
	if (v[a].depth > v[b].depth)
		a = ancestor(o, a, v[b].depth);
	else
		b = ancestor(o, b, v[a].depth);
	while (a != b) { /* both at one depth, where jumps go equally far */
		bool far = v[a].jump != v[b].jump;
		a = far ? v[a].jump : v[a].idom;
		b = far ? v[b].jump : v[b].idom;
	}
	return a;
}

/* ---- registers --------------------------------------------------------------------------------------------------- */
/* The oldest name of what v holds here. */
static vreg resolve(const struct ir_opt *o, vreg v)
{
	const struct ir_val *val = &o->vals.v[v];
	if (o->ir->is_var.v[v])
		return val->cur && dominates(o, val->cur_block, o->block) ? val->cur : v;
	while (o->vals.v[v].repl)
		v = o->vals.v[v].repl;
	return v;
}

/* A register that the pass makes itself: never a variable. */
static vreg new_reg(struct ir_opt *o)
{
	*vec_push(o->ir->arena, &o->ir->is_var) = false;
	vec_push(o->scratch, &o->vals);
	return ++o->ir->nvregs;
}

/* Adds the instruction to the result and notes what is known of the value that it defines. */
static void append(struct ir_opt *o, const struct ir_insn *in)
{
	*vec_push(o->scratch, &o->out) = *in;
	if (!in->d)
		return;
	struct ir_val known = ir_known(o, in);
	if (o->ir->is_var.v[in->d])
		return;
	known.def = (uint32_t)o->out.n;
	o->vals.v[in->d] = known;
}

/* ---- shared values ----------------------------------------------------------------------------------------------- */
/* The version of a variable counts how often it was set: x + 1 before and after x changes are different keys. */
static void key_reg(const struct ir_opt *o, struct key *k, unsigned i, vreg v)
{
	k->v[i] = v;
	k->version[i] = v && o->ir->is_var.v[v] ? o->vals.v[v].version : 0;
}

/* Operands of commutative operations are put in one order, so that a + b and b + a share a value. */
static struct key make_key(const struct ir_opt *o, const struct ir_insn *in)
{
	struct key k = { .off = in->off, .imm = in->imm };
	k.what = in->op | (uint32_t)in->sub << 8 | (uint32_t)in->size << 16 | (uint32_t)in->sx << 20 |
		(uint32_t)in->nargs << 24;
	bool swap = in->op == IR_ALU && ir_alu_commutes((enum ir_alu)in->sub) && in->a > in->b;
	key_reg(o, &k, 0, swap ? in->b : in->a);
	key_reg(o, &k, 1, swap ? in->a : in->b);
	for (unsigned i = 0; i < in->nargs; i++)
		key_reg(o, &k, 2 + i, in->args[i]);
	if (in->op == IR_CALL && in->a) /* ir_find(): the word counts, not where it is */
		key_reg(o, &k, 3, 0);
	return k;
}

/* The key of a condition, made positive: *want is the value of the fact for which the condition holds. */
static struct key make_fact(const struct ir_opt *o, const struct ir_insn *in, vreg *want)
{
	struct ir_insn cond = { .op = OP_FACT, .sub = in->sub, .a = in->a, .b = in->b, .imm = in->imm2 };
	enum ir_cc opposite = (enum ir_cc)in->sub;
	*want = 1;
	if (ir_cc_negate(&opposite) && opposite < (enum ir_cc)in->sub) {
		cond.sub = (uint8_t)opposite;
		*want = 0;
	}
	return make_key(o, &cond);
}

/* Multiplies by 2^64 divided by the golden ratio (Knuth, TAOCP 3, 6.4), which spreads the small numbers of
 * registers. */
static uint32_t hash(const struct ir_opt *o, const struct key *k)
{
	uint64_t h = k->what ^ (uint64_t)k->imm << 20 ^ (uint64_t)(uint32_t)k->off << 40;
	for (unsigned i = 0; i < 7; i++)
		h = (h ^ k->v[i] ^ (uint64_t)k->version[i] << 32) * 0x9e3779b97f4a7c15ull;
	return (uint32_t)(h >> 40) & o->hash_mask;
}

/* Looks at no more than SAME_KEYS equal computations: in a program of many like clauses most of them are in blocks
 * that do not dominate this one, and the pass would become quadratic. */
static const struct ir_expr *find(const struct ir_opt *o, const struct key *k)
{
	unsigned same = 0;
	for (uint32_t i = o->heads[hash(o, k)]; i && same < SAME_KEYS; i = o->exprs.v[i - 1].next) {
		const struct ir_expr *e = &o->exprs.v[i - 1];
		if (memcmp(&e->key, k, sizeof(*k)) != 0)
			continue;
		if (dominates(o, e->block, o->block))
			return e;
		same++;
	}
	return NULL;
}

/* The newest is found first: it is most likely to dominate what follows. */
static void remember(struct ir_opt *o, const struct key *k, uint32_t block, vreg value)
{
	uint32_t *head = &o->heads[hash(o, k)];
	struct ir_expr *e = vec_push(o->scratch, &o->exprs);
	e->key = *k;
	e->block = block;
	e->value = value;
	e->next = *head;
	*head = (uint32_t)o->exprs.n;
}

/* Adds in, or gives d the name of an equal value that dominates this place. */
static vreg share(struct ir_opt *o, const struct ir_insn *in)
{
	struct key k = make_key(o, in);
	const struct ir_expr *e = find(o, &k);
	if (e) {
		o->vals.v[in->d].repl = e->value;
		return e->value;
	}
	append(o, in);
	remember(o, &k, o->block, in->d);
	return in->d;
}

/* An access to the value of an array map: its base is the value's start, which all accesses share, made here if no
 * equal one dominates this place; the distance goes into the offset. True when in changed. */
static bool use_map_base(struct ir_opt *o, struct ir_insn *in)
{
	uint32_t def = ir_is_memory(in) ? o->vals.v[in->a].def : 0;
	struct ir_insn base;

	if (!def)
		return false;
	base = o->out.v[def - 1];
	if (base.op != IR_MAPVAL || !base.off || in->off + (int64_t)base.off != (int16_t)(in->off + base.off))
		return false;
	in->off += base.off;
	base.off = 0;
	base.d = new_reg(o);
	in->a = share(o, &base);
	return true;
}

/* x % c where x / c is known: x - x / c * c takes no second division. True when in changed. */
static bool use_quotient(struct ir_opt *o, struct ir_insn *in)
{
	struct ir_insn quotient = *in, product = *in;
	const struct ir_expr *e;
	struct key k;

	if (in->op != IR_ALUI || in->sub != ALU_MOD)
		return false;
	quotient.sub = ALU_DIV;
	k = make_key(o, &quotient);
	e = find(o, &k);
	if (!e)
		return false;
	product.sub = ALU_MUL;
	product.a = e->value;
	product.d = new_reg(o);
	in->op = IR_ALU;
	in->sub = ALU_SUB;
	in->b = share(o, &product);
	in->imm = 0;
	return true;
}

/* ---- the forward pass -------------------------------------------------------------------------------------------- */
/* What is known of a variable is what is known of all values that it was given so far. Control goes forward only, so
 * no later assignment reaches this place. */
static void set_var(struct ir_opt *o, struct ir_insn *in)
{
	struct ir_val *var = &o->vals.v[in->d];
	if (resolve(o, in->d) == in->a)
		return;
	append(o, in);
	struct ir_val known = ir_known(o, in);
	bool first = var->version == 0;
	var->version++;
	var->ubits = first || known.ubits > var->ubits ? known.ubits : var->ubits;
	var->sbits = first || known.sbits > var->sbits ? known.sbits : var->sbits;
	var->verifier_unaware = known.verifier_unaware || (!first && var->verifier_unaware);
	var->scalar = known.scalar && (first || var->scalar);
	var->nonzero = known.nonzero && (first || var->nonzero);
	var->cur = o->ir->is_var.v[in->a] ? 0 : in->a;
	var->cur_block = o->block;
	var->set_at = (uint32_t)o->out.n;
}

/* Will variable v never be set again? */
static bool is_final(const struct ir_opt *o, vreg v)
{
	return v < o->nlefts && o->defs_left[v] == 0;
}

/* A way leads from block from to the label: the label is dominated by what dominates all its ways. */
static void edge_to(struct ir_opt *o, uint32_t label, uint32_t from)
{
	o->label_dom[label] = common_dominator(o, o->label_dom[label], from);
}

/* What runs from index *at on: copies that nothing but the following copy or test reads, then a test of a register.
 * Gives the register that decides, before the copies, and moves *at to the test; 0: something else runs. */
static vreg find_test(const struct ir_opt *o, size_t *at)
{
	const struct ir *ir = o->ir;
	const struct ir_insn *copies[MAX_COPIES];
	unsigned n = 0;
	for (size_t i = *at; i < ir->code.n;) {
		const struct ir_insn *in = &ir->code.v[i];
		if (in->op == IR_LABEL) {
			i++;
		} else if (in->op == IR_JMP) {
			i = o->label_at[in->imm];
		} else if (in->op == IR_MOV && o->reads[in->d] == 1 && n < MAX_COPIES) {
			copies[n++] = in;
			i++;
		} else if (in->op == IR_JCCI) {
			vreg v = in->a;
			while (n && copies[n - 1]->d == v)
				v = copies[--n]->a;
			*at = i;
			return n == 0 ? v : 0;
		} else {
			return 0;
		}
	}
	return 0;
}

/* Does the test of a register hold here? -1: that is not known. */
static int test_holds(const struct ir_opt *o, const struct ir_insn *test, vreg v)
{
	const struct ir_insn here = { .sub = test->sub, .a = resolve(o, v), .imm2 = test->imm2 };
	const struct ir_val *val = &o->vals.v[here.a];
	if (val->known)
		return ir_eval_cc((enum ir_cc)test->sub, val->imm, test->imm2);
	vreg want = 0;
	const struct key fact = make_fact(o, &here, &want);
	const struct ir_expr *e = find(o, &fact);
	return e ? e->value == want : -1;
}

/* Where a jump to label gets to, when what stands there is a test whose outcome is known here. */
static uint32_t thread(struct ir_opt *o, uint32_t label)
{
	struct ir *ir = o->ir;
	for (;;) {
		size_t at = o->label_at[label];
		vreg v = find_test(o, &at);
		const struct ir_insn *test = &ir->code.v[at];
		int holds = v ? test_holds(o, test, v) : -1;
		if (holds < 0)
			return label;
		if (holds) {
			label = (uint32_t)test->imm;
			continue;
		}
		if (!o->label_after[at]) {
			o->label_after[at] = ++ir->nlabels;
			o->label_at[ir->nlabels] = (uint32_t)at + 1;
		}
		label = o->label_after[at];
	}
}

/* Ends the block by a jump. */
static void go_to(struct ir_opt *o, uint32_t label, struct loc loc)
{
	struct ir_insn jmp = { .op = IR_JMP, .size = 8, .imm = label, .loc = loc };
	append(o, &jmp);
	edge_to(o, label, o->block);
	o->block = 0;
}

/* A label begins a block, unless no way leads to it. If the test behind it is decided on the way that falls through,
 * that way jumps over the test. */
static void pass_label(struct ir_opt *o, uint32_t label, struct loc loc)
{
	if (o->block) {
		uint32_t to = thread(o, label);
		if (to != label)
			go_to(o, to, loc);
	}
	if (!o->label_dom[label])
		return; /* no jump gets here */
	o->block = new_block(o, common_dominator(o, o->label_dom[label], o->block));
	struct ir_insn in = { .op = IR_LABEL, .size = 8, .imm = label, .loc = loc };
	append(o, &in);
}

/* A condition that folds, or that was tested on the way here, is decided: the jump disappears or becomes
 * unconditional. */
static void pass_jump(struct ir_opt *o, struct ir_insn *in)
{
	const struct ir_insn nonzero = *in; /* x & mask != 0, where that becomes a test of bits */
	int taken = ir_fold_jump(o, in);
	struct key fact = { 0 };
	vreg want = 0;
	if (taken < 0) {
		fact = make_fact(o, in, &want);
		const struct ir_expr *e = find(o, &fact);
		if (e)
			taken = e->value == want;
	}
	if (taken == 0)
		return;
	if (taken == 1) {
		go_to(o, thread(o, (uint32_t)in->imm), in->loc);
		return;
	}
	/* Each way out gets a separate block, in which the outcome is known. */
	uint32_t yes = new_block(o, o->block), no = new_block(o, o->block);
	remember(o, &fact, yes, want);
	remember(o, &fact, no, !want);
	if (in->sub == CC_SET && nonzero.op == IR_JCCI && nonzero.sub == CC_NE) {
		fact = make_fact(o, &nonzero, &want);
		remember(o, &fact, yes, want);
		remember(o, &fact, no, !want);
	}
	o->block = yes;
	in->imm = thread(o, (uint32_t)in->imm);
	edge_to(o, (uint32_t)in->imm, yes);
	append(o, in);
	o->block = no;
}

/* That it is not 0 holds from here on: on another way the verifier may want to see it. */
static void pass_copy(struct ir_opt *o, const struct ir_insn *in)
{
	const struct ir_insn never = { .op = IR_JCCI, .sub = CC_NE, .a = in->a };
	vreg want = 0;
	o->vals.v[in->d].repl = in->a;
	if (in->nonzero) {
		struct key fact = make_fact(o, &never, &want);
		remember(o, &fact, o->block, want);
	}
}

/* Renames operands, folds as long as something changes, then shares the value or keeps the instruction. */
static void pass_insn(struct ir_opt *o, struct ir_insn in)
{
	vreg *uses[IR_MAX_USES];
	unsigned n = ir_uses(&in, uses);
	for (unsigned i = 0; i < n; i++)
		*uses[i] = resolve(o, *uses[i]);
	if (ir_is_jump(&in)) {
		pass_jump(o, &in);
		return;
	}
	while (ir_fold(o, &in) || use_map_base(o, &in) || use_quotient(o, &in)) {
	}
	if (in.op == IR_MOV && o->ir->is_var.v[in.d])
		set_var(o, &in);
	else if (in.op == IR_MOV && (!o->ir->is_var.v[in.a] || is_final(o, in.a)))
		pass_copy(o, &in);
	else if (ir_shareable(&in))
		share(o, &in);
	else
		append(o, &in);
	if (in.op == IR_RET)
		o->block = 0;
}

/* One walk in program order, which is a topological order of the blocks: what is known at a place is complete when
 * the walk gets there. Instructions that are not reached are left out. */
static void forward(struct ir *ir, struct arena *a)
{
	size_t labels = ir->nlabels + ir->code.n + 1;
	struct ir_opt o = { .ir = ir, .scratch = a };
	uint32_t size = HASH_LEAST;
	while (size < ir->code.n && size < 1u << 23)
		size *= 2;
	o.heads = ARENA_ARRAY(a, uint32_t, size);
	o.hash_mask = size - 1;
	o.label_dom = ARENA_ARRAY(a, uint32_t, labels);
	o.label_at = ARENA_ARRAY(a, uint32_t, labels);
	o.label_after = ARENA_ARRAY(a, uint32_t, ir->code.n + 1);
	for (uint32_t v = 0; v <= ir->nvregs; v++)
		*vec_push(a, &o.vals) = (struct ir_val){ .ubits = 64, .sbits = 64 };
	new_block(&o, 0); /* 0: none */
	o.block = new_block(&o, 0);
	o.nlefts = ir->nvregs + 1;
	o.defs_left = ARENA_ARRAY(a, uint32_t, o.nlefts);
	o.reads = ARENA_ARRAY(a, uint32_t, o.nlefts);
	for (size_t i = 0; i < ir->code.n; i++) {
		if (ir->code.v[i].op == IR_LABEL)
			o.label_at[ir->code.v[i].imm] = (uint32_t)i;
		o.defs_left[ir->code.v[i].d]++;
		struct ir_insn in = ir->code.v[i];
		vreg *uses[IR_MAX_USES];
		unsigned n = ir_uses(&in, uses);
		for (unsigned u = 0; u < n; u++)
			o.reads[*uses[u]]++;
	}
	for (size_t i = 0; i < ir->code.n; i++) {
		const struct ir_insn *in = &ir->code.v[i];
		o.defs_left[in->d]--;
		if (in->op == IR_LABEL)
			pass_label(&o, (uint32_t)in->imm, in->loc);
		else if (o.block)
			pass_insn(&o, *in);
		if (o.label_after[i])
			pass_label(&o, o.label_after[i], in->loc);
	}
	ir->code.n = 0;
	for (size_t i = 0; i < o.out.n; i++)
		*vec_push(ir->arena, &ir->code) = o.out.v[i];
}

/* ---- what is not used -------------------------------------------------------------------------------------------- */
/* All readers of a value come after it, so one walk from the end sees them first. */
static void drop_unused(struct ir *ir, struct arena *a)
{
	bool *used = ARENA_ARRAY(a, bool, ir->nvregs + 1);
	size_t keep = ir->code.n;
	for (size_t i = ir->code.n; i-- > 0;) {
		struct ir_insn *in = &ir->code.v[i];
		if (ir_droppable(in) && !used[in->d])
			continue;
		vreg *uses[IR_MAX_USES];
		unsigned n = ir_uses(in, uses);
		for (unsigned u = 0; u < n; u++)
			used[*uses[u]] = true;
		ir->code.v[--keep] = *in;
	}
	ir->code.n -= keep;
	memmove(ir->code.v, ir->code.v + keep, ir->code.n * sizeof(*ir->code.v));
}

/* ---- straight jumps ---------------------------------------------------------------------------------------------- */
/* Does label stand at index i or among the labels that follow there? */
static bool label_here(const struct ir *ir, size_t i, int64_t label)
{
	for (; i < ir->code.n && ir->code.v[i].op == IR_LABEL; i++)
		if (ir->code.v[i].imm == label)
			return true;
	return false;
}

/* A jump to a jump goes straight on. */
static bool follow_jump(struct ir *ir, struct ir_insn *in, const size_t *label_at)
{
	size_t at = label_at[in->imm];
	while (at < ir->code.n && ir->code.v[at].op == IR_LABEL)
		at++;
	if (at >= ir->code.n || ir->code.v[at].op != IR_JMP)
		return false;
	in->imm = ir->code.v[at].imm;
	return true;
}

/* Drops jumps to the next instruction, labels that nobody uses and code behind a jump; turns "if (c) goto A; goto B;
 * A:" into "if (!c) goto B". True if something changed, as that may make further jumps superfluous. */
static bool straighten(struct ir *ir, struct arena *a)
{
	size_t *label_at = ARENA_ARRAY(a, size_t, ir->nlabels + 1);
	bool *used = ARENA_ARRAY(a, bool, ir->nlabels + 1);
	bool changed = false, reached = true;
	size_t n = 0;
	for (size_t i = 0; i < ir->code.n; i++)
		if (ir->code.v[i].op == IR_LABEL)
			label_at[ir->code.v[i].imm] = i;
	for (size_t i = 0; i < ir->code.n; i++) {
		struct ir_insn in = ir->code.v[i];
		bool keep = in.op == IR_LABEL ? used[in.imm] : reached;
		if (keep && ir_is_jump(&in)) {
			const struct ir_insn *next = i + 1 < ir->code.n ? &ir->code.v[i + 1] : NULL;
			enum ir_cc opposite = (enum ir_cc)in.sub;
			while (follow_jump(ir, &in, label_at))
				changed = true;
			if (in.op != IR_JMP && next && next->op == IR_JMP && label_here(ir, i + 2, in.imm) &&
				ir_cc_negate(&opposite)) {
				in.sub = (uint8_t)opposite;
				in.imm = next->imm;
				i++;
				changed = true;
			}
			if (label_here(ir, i + 1, in.imm))
				keep = false;
		}
		changed |= !keep;
		if (!keep)
			continue;
		if (ir_is_jump(&in))
			used[in.imm] = true;
		reached = in.op == IR_LABEL || !ir_ends_flow(&in);
		ir->code.v[n++] = in;
	}
	ir->code.n = n;
	return changed;
}

/* ---- signs ------------------------------------------------------------------------------------------------------- */
/* Is it the same to in whether its operand of so many bytes is sign- or zero-extended? */
static bool ignores_sign(const struct ir_insn *in, const vreg *use, unsigned size)
{
	if (in->op == IR_JCCI)
		return (in->sub == CC_EQ || in->sub == CC_NE) && (uint64_t)(int64_t)in->imm2 >> (8 * size - 1) == 0;
	if (in->op == IR_ST)
		return use == &in->b && in->size <= size;
	return (in->op == IR_EXT || in->op == IR_BE) && in->size <= size;
}

/* Does the instruction extend a sign into a register that is set once? */
static bool has_sign(const struct ir *ir, const struct ir_insn *in)
{
	return (in->op == IR_LD || in->op == IR_EXT) && in->sx && in->size < 8 && !ir->is_var.v[in->d];
}

/* BPF (before ISA v4) needs two shifts to extend a sign, none to load without: so it is left where nobody looks. */
static void drop_signs(struct ir *ir, struct arena *a)
{
	uint8_t *size = ARENA_ARRAY(a, uint8_t, ir->nvregs + 1); /* of signed values that could be unsigned */
	for (size_t i = 0; i < ir->code.n; i++) {
		struct ir_insn *in = &ir->code.v[i];
		vreg *uses[IR_MAX_USES];
		unsigned n = ir_uses(in, uses);
		for (unsigned u = 0; u < n; u++)
			if (size[*uses[u]] && !ignores_sign(in, uses[u], size[*uses[u]]))
				size[*uses[u]] = 0;
		if (has_sign(ir, in))
			size[in->d] = in->size;
	}
	for (size_t i = 0; i < ir->code.n; i++)
		if (has_sign(ir, &ir->code.v[i]) && size[ir->code.v[i].d])
			ir->code.v[i].sx = false;
}

/* A generous bound: 1 KB for each instruction, register and label. */
size_t ir_memory(const struct ir *ir)
{
	return ((size_t)64 << 10) + (size_t)1024 * (ir->code.n + ir->nvregs + ir->nlabels);
}

/* That was for sharing: the calls do not read it. */
static void forget_words(struct ir *ir)
{
	for (size_t i = 0; i < ir->code.n; i++)
		if (ir->code.v[i].op == IR_CALL)
			ir->code.v[i].a = 0;
}

/* Each round uses a scratch arena, which is emptied at its end. Signs go late: folding relies on them. */
void ir_optimise(struct ir *ir)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct arena *scratch = arena_take(ir->spare);
		struct arena *a = scratch ? scratch : ir->arena;
		if (!arena_has(a, ir_memory(ir)) || !arena_has(ir->arena, ir_memory(ir))) {
			arena_give(ir->spare, scratch);
			arena_fail(ir->arena);
			return;
		}
		forward(ir, a);
		drop_unused(ir, a);
		for (unsigned i = 0; i < 8 && straighten(ir, a); i++) {
		}
		if (round == ROUNDS - 1) {
			forget_words(ir);
			drop_signs(ir, a);
		}
		arena_give(ir->spare, scratch);
	}
	ir_expand(ir);
}
