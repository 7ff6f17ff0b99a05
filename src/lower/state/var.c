/* SPDX-License-Identifier: GPL-2.0-or-later */
/* var: variables that a script makes. Built-in ones are in lower/expr/builtin.c.
 * Input: expressions that read or write them. Output: code. this-> variables are in registers, or in the run's
 * memory if they are structures or long texts. Global scalars are in one array map. self-> and pkt-> variables and
 * associative arrays are entries of hash maps.
 * Invariant: a scalar occupies 64 bits, whatever its type. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/state/state.h"
#include "lower/text/text.h"

/* Bytes of a variable in memory, a multiple of 8. */
static uint32_t value_size(const struct symbol *s)
{
	uint32_t null = s->form & FORM_NULL ? 8 : 0; /* one more word, behind the text */

	if (type_is_block(s->type))
		return (s->type->size + 7) / 8 * 8;
	return s->type->kind == T_STRING ? form_size(s->form ? s->form : FORM_LIT) + null : 8;
}

/* ---- this-> ------------------------------------------------------------------------------------------------------ */
struct this_var {
	size_t program; /* whose registers they are: lowerer.nprograms when it was made */
	vreg r;
	struct sval s;
	int32_t off; /* text: in scratch memory */
};

/* Strings start as "". Text is in scratch memory, at one place for the whole program. */
static void this_string(struct clause_ctx *cx, struct this_var *t, int form)
{
	t->s.form = form;
	if (form_rep(form) != REP_TEXT) {
		t->s = str_vars(cx, form);
		str_set(cx, t->s, str_zero(cx, form));
		return;
	}
	t->off = scratch_alloc(cx->pg, form_size(form));
	scratch_start_empty(cx->pg, t->off);
	if (form & FORM_NULL) {
		t->s.null = ir_var(cx->ir);
		ir_seti(cx->ir, t->s.null, 0);
	}
}

/* The current text of such a variable. */
static struct sval this_text(struct clause_ctx *cx, const struct this_var *t)
{
	struct sval s = text_at(scratch_ptr(cx, t->off), t->s.form);

	s.null = t->s.null;
	return s;
}

#define STACK_BLOCK 64 /* bytes; larger ones are in scratch memory */

/* Structures and arrays start as zeroes. */
static void this_block(struct clause_ctx *cx, struct this_var *t, uint32_t size)
{
	if (size <= STACK_BLOCK)
		t->r = ir_stack(cx->ir, ir_stack_alloc(cx->ir, size));
	else
		t->off = scratch_alloc(cx->pg, size);
	zero_bytes(cx, t->r ? t->r : scratch_ptr(cx, t->off), 0, size);
}

/* The registers of a this-> variable. They are made and zeroed on the first request, which is vars_collect()'s at
 * the program's head: it asks for every variable that the clauses name. */
static struct this_var *this_var(struct clause_ctx *cx, struct symbol *s)
{
	struct this_var *t = s->lowered;

	if (t && t->program == cx->lw->nprograms)
		return t;
	t = ARENA_NEW(cx->lw->arena, struct this_var);
	t->program = cx->lw->nprograms;
	s->lowered = t;
	if (type_is_block(s->type)) {
		this_block(cx, t, value_size(s));
	} else if (s->type->kind == T_STRING) {
		this_string(cx, t, s->form ? s->form : FORM_LIT);
	} else {
		t->r = ir_var(cx->ir);
		ir_seti(cx->ir, t->r, 0);
	}
	return t;
}

/* Makes what the expression needs at the head of the program: its this-> variables, text and heap. Inlines that the
 * script names are looked into, because their values are lowered in place. */
static void collect_this(struct clause_ctx *cx, const struct expr *e)
{
	if (!e)
		return;
	if (e->kind == EX_IDENT && e->sym && e->sym->kind == SYM_VAR && e->sym->scope == SCOPE_THIS)
		(void)this_var(cx, e->sym);
	cx->pg->wants_packet |= packet_asked(e);
	text_collect(cx->pg, e);
	heap_collect(cx->pg, e);
	if (e->sym && e->sym->kind == SYM_INLINE && !e->loc.src->library)
		collect_this(cx, e->sym->inl->value);
	collect_this(cx, e->a);
	collect_this(cx, e->b);
	collect_this(cx, e->c);
	for (size_t i = 0; i < e->args.n; i++)
		collect_this(cx, e->args.v[i]);
}

/* The same for statements. */
static void collect_stmts(struct clause_ctx *cx, struct stmt *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		collect_this(cx, v[i]->expr);
		collect_stmts(cx, v[i]->then.v, v[i]->then.n);
		collect_stmts(cx, v[i]->otherwise.v, v[i]->otherwise.n);
	}
}

void vars_collect(struct clause_ctx *cx, const struct clause *c)
{
	collect_this(cx, c->pred);
	collect_stmts(cx, c->body.v, c->body.n);
}

/* ---- globals ----------------------------------------------------------------------------------------------------- */
/* Where the variable lies in the map of globals; allotted at first use. */
static int32_t global_offset(struct lowerer *lw, struct symbol *s)
{
	if (!s->number) {
		s->number = lw->im->globals_size + 1;
		lw->im->globals_size += value_size(s);
	}
	return (int32_t)s->number - 1;
}

/* The address of size new bytes in the map of globals, which belong to one place of the program. */
vreg global_room(struct clause_ctx *cx, uint32_t size)
{
	int32_t off = (int32_t)cx->lw->im->globals_size;

	cx->lw->im->globals_size += (size + 7) / 8 * 8;
	return ir_mapval(cx->ir, map_for(cx->lw, MAP_GLOBALS), off);
}

/* The address of a global variable. */
static vreg global_base(struct clause_ctx *cx, struct symbol *s)
{
	int32_t off = global_offset(cx->lw, s);

	return ir_mapval(cx->ir, map_for(cx->lw, MAP_GLOBALS), off);
}

/* Reads the value of a variable that is kept at base, in memory of a map. */
static struct val slot_read(struct clause_ctx *cx, struct symbol *s, vreg base)
{
	struct val v = { .k = V_STR, .type = s->type };

	if (s->type->kind == T_STRING) {
		v.s = str_load(cx, s->form ? s->form : FORM_LIT, base, 0, false);
		if (s->form & FORM_NULL)
			v.s.null = ir_ld(cx->ir, base, (int32_t)form_size(s->form), 8, false, false);
		return v;
	}
	v = int_val(ir_ld(cx->ir, base, 0, 8, false, false), s->type);
	v.ptr = PTR_NUMBER;
	return v;
}

/* Writes it, converted to the variable's form. */
static void slot_write(struct clause_ctx *cx, struct symbol *s, vreg base, struct val v)
{
	if (s->type->kind != T_STRING) {
		ir_st(cx->ir, base, 0, 8, v.r);
		return;
	}
	v.s = str_convert(cx, v.s, s->form);
	str_store(cx, v.s, base, 0);
	if (s->form & FORM_NULL)
		ir_st(cx->ir, base, (int32_t)form_size(s->form), 8, v.s.null ? v.s.null : ir_imm(cx->ir, 0));
}

/* ---- associative arrays, self-> and pkt-> ------------------------------------------------------------------------ */
/* The thread's key: its tid, and for the idle threads, whose tid is 0, the CPU. */
static vreg thread_key(struct clause_ctx *cx)
{
	struct ir *ir = cx->ir;
	vreg tid = current_number(cx, BI_tid), r = ir_var(ir), c;
	uint32_t end = ir_newlabel(ir);

	ir_set(ir, r, tid);
	ir_jcci(ir, CC_NE, tid, 0, end);
	c = ir_call(ir, BPF_FUNC_get_smp_processor_id, NULL, 0, true);
	ir_set(ir, r, ir_alu(ir, ALU_OR, c, ir_imm(ir, 1ll << 32)));
	ir_label(ir, end);
	return r;
}

/* A key of 8 bytes keeps what the verifier knows of it; a smaller one is a plain number. */
static vreg lower_key(struct clause_ctx *cx, const struct expr *e, const struct type *to)
{
	return to->size == 8 ? lower_word(cx, e) : lower_int(cx, e);
}

#define PACKET_VALUES 32768u /* most packets that have a value of a pkt-> variable */
#define STACK_KEY 128        /* bytes; larger ones are in scratch memory */

/* Bytes of key i in memory. */
static uint32_t key_size(const struct symbol *s, size_t i)
{
	if (s->keys[i]->special)
		return s->keys[i]->size;
	if (type_is_block(s->keys[i]))
		return (s->keys[i]->size + 7) / 8 * 8;
	return s->keys[i]->kind == T_STRING ? form_size(s->key_forms[i]) : 8;
}

/* Bytes of all keys, including the added ones: the thread, the number of the array, the level. */
static uint32_t keys_size(const struct symbol *s, size_t n)
{
	uint32_t size = 0;

	for (size_t i = 0; i < n; i++)
		size += key_size(s, i);
	if (s->kind == SYM_ASSOC && s->scope == SCOPE_SELF)
		size += 8;
	if (s->shared)
		size += 8;
	if (s->kind == SYM_AGG && agg_sparse(s))
		size += 8;
	return size ? size : 8;
}

/* May e need much of the stack for a moment? Then keys are stored after it is computed. */
static bool wants_stack(const struct expr *e)
{
	if (!e)
		return false;
	if (e->kind == EX_CALL || (e->kind == EX_INDEX && e->sym && e->sym->kind == SYM_ASSOC))
		return true;
	for (size_t i = 0; i < e->args.n; i++)
		if (wants_stack(e->args.v[i]))
			return true;
	return wants_stack(e->a) || wants_stack(e->b) || wants_stack(e->c);
}

/* Can each key be stored on the stack as soon as it is known, so that it holds no register while the next one is
 * made? */
static bool keys_direct(const expr_list *args, const struct symbol *s, uint32_t size)
{
	if (size > STACK_KEY)
		return false;
	for (size_t i = 0; i < args->n; i++)
		if (wants_stack(args->v[i]) || (s->keys[i]->kind == T_STRING && form_rep(s->key_forms[i]) == REP_TEXT))
			return false;
	return true;
}

/* Computes key i. Special keys (stacks, symbols) are made by key_put() in place: they are too large for registers. */
static struct val key_value(struct clause_ctx *cx, const struct expr *e, const struct symbol *s, size_t i)
{
	struct type *to = s->keys[i];

	if (to->special)
		return (struct val){ .k = V_NONE };
	if (to->kind == T_STRING)
		return (struct val){ .k = V_STR, .s = lower_str_as(cx, e, s->key_forms[i]) };
	if (type_is_block(to))
		return lower_expr(cx, e);
	if (s->kind == SYM_AGG) /* its keys have a size in the record */
		return int_val(convert_int(cx, lower_key(cx, e, to), e->type, to), to);
	return int_val(lower_key(cx, e, to), to);
}

/* The bytes of a structure, and zeroes behind them. */
static void block_put(struct clause_ctx *cx, struct val from, uint32_t size, vreg base, int32_t off)
{
	struct val to = { .k = V_MEM, .r = base, .off = (uint32_t)off, .ptr = PTR_OURS };

	if (size % 8)
		ir_sti(cx->ir, base, off + (int32_t)(size / 8 * 8), 8, 0);
	place_copy(cx, to, from, size);
}

/* Stores key i, with zeroes behind it: the map compares bytes. */
static void key_put(struct clause_ctx *cx, const struct expr *e, const struct symbol *s, size_t i, struct val v,
	vreg base, int32_t off)
{
	if (v.k == V_NONE)
		sym_store(cx, e, s->keys[i]->size, base, off);
	else if (v.k == V_STR)
		str_store_key(cx, v.s, s->key_forms[i], base, off);
	else if (v.k == V_MEM)
		block_put(cx, v, s->keys[i]->size, base, off);
	else
		ir_st(cx->ir, base, off, 8, v.r);
}

vreg key_store(struct clause_ctx *cx, const expr_list *args, const struct symbol *s, uint32_t *size, vreg *word)
{
	struct ir *ir = cx->ir;
	struct val *vals = ARENA_ARRAY(cx->lw->arena, struct val, args->n + 1);
	bool direct, text = false;
	int32_t off = 0;
	vreg base;

	*size = keys_size(s, args->n);
	direct = keys_direct(args, s, *size);
	for (size_t i = 0; !direct && i < args->n; i++) {
		vals[i] = key_value(cx, args->v[i], s, i);
		text |= vals[i].k == V_STR && vals[i].s.rep == REP_TEXT;
	}
	base = text || *size > STACK_KEY ? scratch_ptr(cx, scratch_alloc(cx->pg, *size))
					 : ir_stack(ir, ir_stack_alloc(ir, *size));
	for (size_t i = 0; i < args->n; i++) {
		if (direct)
			vals[i] = key_value(cx, args->v[i], s, i);
		key_put(cx, args->v[i], s, i, vals[i], base, off);
		off += (int32_t)key_size(s, i);
	}
	if (s->kind == SYM_ASSOC && s->scope == SCOPE_SELF) {
		ir_st(ir, base, off, 8, thread_key(cx));
		off += 8;
	}
	if (s->shared)
		ir_sti(ir, base, off, 8, (int32_t)s->shared);
	if (word)
		*word = args->n == 1 && *size == 8 && vals[0].k == V_INT ? vals[0].r : 0;
	return base;
}

/* The map of a self-> or pkt-> variable or associative array. If s->shared is set it shares the map with others, and
 * its number is a part of the key. */
static uint32_t dyn_map(struct lowerer *lw, struct symbol *s, uint32_t key_size)
{
	struct image_map m = {
		.role = MAP_DYN,
		.name = arena_printf(lw->arena, "dw_%.11s", s->name),
		.type = BPF_MAP_TYPE_HASH,
		.key_size = key_size,
		.value_size = value_size(s),
		.max_entries = map_entries(lw->env->dynvarsize, key_size + value_size(s)),
		.flags = BPF_F_NO_PREALLOC,
	};

	if (s->scope == SCOPE_PKT && m.max_entries > PACKET_VALUES)
		m.max_entries = PACKET_VALUES;
	if (s->number)
		return s->number - 1;
	words_begin(lw, s, &m);
	s->number = (s->shared ? map_shared(lw, m) : map_add(lw, m)) + 1;
	return s->number - 1;
}

/* The thread or packet to which the variable belongs. */
static vreg scope_key(struct clause_ctx *cx, const struct expr *e)
{
	return e->sym->scope == SCOPE_PKT ? packet_key(cx, e) : thread_key(cx);
}

/* A key that is a word, as a number. */
static vreg word_key(struct clause_ctx *cx, const struct expr *e)
{
	return ir_number(cx->ir, e->kind == EX_INDEX ? key_value(cx, e->args.v[0], e->sym, 0).r : scope_key(cx, e));
}

/* Stores the element's key on the stack or in scratch memory, if it is no word. */
static struct element dyn_element(struct clause_ctx *cx, const struct expr *e)
{
	bool shared = map_share(cx->lw, e->sym, MAP_DYN);
	uint32_t size = e->kind == EX_INDEX ? keys_size(e->sym, e->args.n) : shared ? 16 : 8;
	const uint32_t map = dyn_map(cx->lw, e->sym, size);
	struct element el = { .words = e->sym->words };

	if (el.words) {
		el.word = word_key(cx, e);
	} else if (e->kind == EX_INDEX) {
		el.key = key_store(cx, &e->args, e->sym, &size, &el.word);
	} else {
		el.key = ir_stack(cx->ir, ir_stack_alloc(cx->ir, size));
		ir_st(cx->ir, el.key, 0, 8, scope_key(cx, e));
		if (shared)
			ir_sti(cx->ir, el.key, 8, 8, (int32_t)e->sym->shared);
	}
	el.map = ir_map(cx->ir, map);
	return el;
}

/* Where its value is; 0: there is none. For writing: another CPU may delete the element at any time, and the kernel
 * gives its memory to another one at once, so that a write must follow the lookup. */
static vreg dyn_find(struct clause_ctx *cx, struct element el)
{
	return ir_call(cx->ir, BPF_FUNC_map_lookup_elem, (vreg[]){ el.map, el.key }, 2, false);
}

/* The same for reading: equal reads share it, so that a clause reads what its predicate has tested, though another CPU
 * deletes it. */
static vreg dyn_look(struct clause_ctx *cx, struct element el)
{
	return el.word ? ir_find(cx->ir, el.map, el.key, el.word, cx->pg->changes) : dyn_find(cx, el);
}

static vreg dyn_make(struct clause_ctx *cx, struct element el, vreg value, int flags)
{
	cx->pg->changes++;
	return ir_call(
		cx->ir, BPF_FUNC_map_update_elem, (vreg[]){ el.map, el.key, value, ir_imm(cx->ir, flags) }, 4, false);
}

static void dyn_delete(struct clause_ctx *cx, struct element el)
{
	cx->pg->changes++;
	ir_call(cx->ir, BPF_FUNC_map_delete_elem, (vreg[]){ el.map, el.key }, 2, false);
}

/* Reads an element. One that does not exist reads as 0 or "", as in DTrace. */
static struct val dyn_read(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct symbol *s = e->sym;
	int32_t mark = ir_stack_mark(ir);
	uint32_t end = ir_newlabel(ir);
	struct element el = dyn_element(cx, e);
	struct val out = { .k = V_STR, .type = s->type };
	vreg p;

	if (el.words) {
		out = int_val(blur(cx, words_read(cx, &el)), s->type);
		out.ptr = PTR_NUMBER;
		ir_stack_release(ir, mark);
		return out;
	}
	if (s->type->kind == T_STRING) {
		out.s = str_vars(cx, s->form ? s->form : FORM_LIT);
		str_set(cx, out.s, str_zero(cx, out.s.form));
		if (s->as_text)
			ir_seti(ir, out.s.null, 1);
	} else {
		out = int_val(ir_var(ir), s->type);
		ir_seti(ir, out.r, 0);
	}
	p = dyn_look(cx, el);
	ir_jcci(ir, CC_EQ, p, 0, end);
	if (out.k == V_STR)
		str_set(cx, out.s, slot_read(cx, s, p).s);
	else
		ir_set(ir, out.r, slot_read(cx, s, p).r);
	ir_label(ir, end);
	if (out.k == V_INT)
		out.r = blur(cx, out.r);
	out.ptr = PTR_NUMBER;
	ir_stack_release(ir, mark);
	return out;
}

/* Stores an element. If the map is full that is counted as a dynamic variable drop. */
static void dyn_update(struct clause_ctx *cx, struct element el, vreg value, int flags)
{
	struct ir *ir = cx->ir;
	uint32_t ok = ir_newlabel(ir);

	ir_jcci(ir, CC_EQ, ir_ext(ir, dyn_make(cx, el, value, flags), 4, true), 0, ok);
	count_drop(cx, DW_DROP_DYN);
	ir_label(ir, ok);
}

/* Before an element is made: if the variable is a packet's, jumps to none where the packet is not known, and lets the
 * packet that has had its value for longest give way. */
static void dyn_age(struct clause_ctx *cx, const struct expr *e, uint32_t none)
{
	vreg id;

	if (e->sym->scope != SCOPE_PKT)
		return;
	id = packet_key(cx, e);
	ir_jcci(cx->ir, CC_EQ, id, 0, none);
	packet_age(cx, e->sym, e->sym->number - 1, id);
}

/* Is a value replaced in place, if there is one? Of a packet, which then does not age again; and a number in an array,
 * because an update would allocate a new element. Thread-local variables are mostly new, or deleted. */
static bool replaces(const struct symbol *s)
{
	return s->scope == SCOPE_PKT || (s->kind == SYM_ASSOC && s->scope == SCOPE_GLOBAL && type_is_int(s->type));
}

/* Jumps to end if the element has got its new value in place. */
static void dyn_replace(struct clause_ctx *cx, const struct expr *e, struct element el, struct val v, uint32_t end)
{
	struct ir *ir = cx->ir;
	uint32_t none = ir_newlabel(ir);
	vreg p;

	if (!replaces(e->sym))
		return;
	p = dyn_find(cx, el);
	ir_jcci(ir, CC_EQ, p, 0, none);
	slot_write(cx, e->sym, p, v);
	ir_jmp(ir, end);
	ir_label(ir, none);
	dyn_age(cx, e, end);
}

/* Jumps to label if v is what a variable has that was never assigned to. */
static void zero_jump(struct clause_ctx *cx, const struct symbol *s, struct val v, uint32_t label)
{
	if (s->type->kind != T_STRING)
		ir_jcci(cx->ir, CC_EQ, v.r, 0, label);
	else if (!s->as_text)
		str_truth_jump(cx, v.s, label, false);
	else if (v.s.null)
		ir_jcci(cx->ir, CC_NE, v.s.null, 0, label);
}

/* Assigning zero deletes, as in DTrace. */
static void dyn_write(struct clause_ctx *cx, const struct expr *e, struct val v)
{
	struct ir *ir = cx->ir;
	struct symbol *s = e->sym;
	int32_t mark = ir_stack_mark(ir);
	uint32_t end = ir_newlabel(ir), del = ir_newlabel(ir);
	struct element el = dyn_element(cx, e);
	vreg value;

	if (s->type->kind == T_STRING)
		v.s = str_convert(cx, v.s, s->form);
	if (el.words) {
		words_write(cx, &el, plain_number(cx, v));
		ir_stack_release(ir, mark);
		return;
	}
	zero_jump(cx, s, v, del);
	dyn_replace(cx, e, el, v, end);
	value = value_size(s) > STACK_KEY || v.s.rep == REP_TEXT ? scratch_ptr(cx, scratch_alloc(cx->pg, value_size(s)))
								 : ir_stack(ir, ir_stack_alloc(ir, value_size(s)));
	slot_write(cx, s, value, v);
	dyn_update(cx, el, value, BPF_ANY);
	ir_jmp(ir, end);
	ir_label(ir, del);
	dyn_delete(cx, el);
	ir_label(ir, end);
	ir_stack_release(ir, mark);
}

/* a[k] += delta, atomically. An element that becomes zero is deleted, so counters that go up and down leave nothing
 * behind. */
static void dyn_add(struct clause_ctx *cx, const struct expr *e, vreg delta, bool down)
{
	struct ir *ir = cx->ir;
	int32_t mark = ir_stack_mark(ir);
	uint32_t add = ir_newlabel(ir), end = ir_newlabel(ir);
	struct element el = dyn_element(cx, e);
	vreg p = ir_var(ir), value, r;

	ir_set(ir, p, dyn_find(cx, el));
	ir_jcci(ir, CC_NE, p, 0, add);
	dyn_age(cx, e, end);
	value = ir_stack(ir, ir_stack_alloc(ir, 8));
	ir_st(ir, value, 0, 8, delta);
	r = dyn_make(cx, el, value, BPF_NOEXIST);
	ir_jcci(ir, CC_EQ, ir_ext(ir, r, 4, true), 0, end);
	ir_set(ir, p, dyn_find(cx, el)); /* another CPU was first, or no room */
	ir_jcci(ir, CC_NE, p, 0, add);
	count_drop(cx, DW_DROP_DYN);
	ir_jmp(ir, end);
	ir_label(ir, add);
	ir_xadd(ir, p, 0, 8, delta);
	if (down) {
		ir_jcci(ir, CC_NE, ir_ld(ir, p, 0, 8, false, false), 0, end);
		dyn_delete(cx, el);
	}
	ir_label(ir, end);
	ir_stack_release(ir, mark);
}

/* ---- structures and arrays in variables -------------------------------------------------------------------------- */
/* The zeroes that reading an element without a value gives. The verifier knows them, so that it does not walk what a
 * predicate excludes then. */
static vreg zero_block(struct clause_ctx *cx, uint32_t size)
{
	if (cx->lw->blank_size < size)
		cx->lw->blank_size = size;
	return ir_mapval(cx->ir, map_for(cx->lw, MAP_BLANK), 0);
}

/* The target of a write for which the map has no room. */
static vreg trash_block(struct clause_ctx *cx, uint32_t size)
{
	if (cx->lw->trash_size < size) {
		cx->lw->trash_off = (int32_t)cx->lw->im->globals_size;
		cx->lw->trash_size = size;
		cx->lw->im->globals_size += size;
	}
	return ir_mapval(cx->ir, map_for(cx->lw, MAP_GLOBALS), cx->lw->trash_off);
}

#define FOREVER (-1) /* no number of changes */

/* Where a structure is, or was when the program looked first; 0: it was nowhere then. An element that no clause frees
 * stays where it is, so that accesses share one lookup. */
static vreg block_look(struct clause_ctx *cx, const struct symbol *s, struct element el)
{
	if (s->released || !el.word)
		return dyn_find(cx, el);
	return ir_find(cx->ir, el.map, el.key, el.word, FOREVER);
}

/* Jumps to label if the program itself may have made the element after it looked, and it is there: p. */
static void block_look_again(struct clause_ctx *cx, const struct symbol *s, struct element el, vreg p, uint32_t label)
{
	if (s->released || !el.word || s->made != cx->lw->nprograms + 1)
		return;
	ir_set(cx->ir, p, dyn_look(cx, el));
	ir_jcci(cx->ir, CC_NE, p, 0, label);
}

/* The address of a structure in a map. make: create it if it is missing; otherwise a block of zeroes stands in. */
static vreg dyn_block(struct clause_ctx *cx, const struct expr *e, bool make)
{
	struct ir *ir = cx->ir;
	struct symbol *s = e->sym;
	int32_t mark = ir_stack_mark(ir);
	uint32_t end = ir_newlabel(ir), lost = ir_newlabel(ir), bytes = value_size(s);
	struct element el = dyn_element(cx, e);
	vreg p = ir_var(ir);

	ir_set(ir, p, block_look(cx, s, el));
	ir_jcci(ir, CC_NE, p, 0, end);
	if (make) {
		s->made = cx->lw->nprograms + 1;
		dyn_age(cx, e, lost);
		(void)dyn_make(cx, el, zero_block(cx, bytes), BPF_NOEXIST);
		ir_set(ir, p, dyn_find(cx, el));
		ir_jcci(ir, CC_NE, p, 0, end);
		count_drop(cx, DW_DROP_DYN);
		ir_label(ir, lost);
		ir_set(ir, p, trash_block(cx, bytes));
	} else {
		block_look_again(cx, s, el, p, end);
		ir_set(ir, p, zero_block(cx, bytes));
	}
	ir_label(ir, end);
	ir_stack_release(ir, mark);
	return p;
}

/* The structure or array in a variable, as memory that may be written. */
struct val var_block(struct clause_ctx *cx, const struct expr *e, bool make)
{
	struct symbol *s = e->sym;
	struct val v = { .k = V_MEM, .type = s->type, .ptr = PTR_OURS, .mut = true };

	if (symbol_is_dynamic(s))
		v.r = dyn_block(cx, e, make);
	else if (s->scope == SCOPE_GLOBAL)
		v.r = global_base(cx, s);
	else
		v.r = this_var(cx, s)->r ? this_var(cx, s)->r : scratch_ptr(cx, this_var(cx, s)->off);
	return v;
}

/* The address of a string variable's characters, for s[i] = c. A string that is NULL is a fault. */
vreg var_text(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct symbol *s = e->sym;
	int32_t mark = ir_stack_mark(ir);
	vreg p;

	if (s->kind == SYM_VAR && s->scope == SCOPE_THIS) {
		fault_unless(cx, CC_EQ, this_var(cx, s)->s.null, 0, DW_FAULT_BADADDR, 0);
		return this_text(cx, this_var(cx, s)).mem;
	}
	if (s->kind == SYM_VAR && s->scope == SCOPE_GLOBAL) {
		p = global_base(cx, s);
		fault_unless(cx, CC_EQ, slot_read(cx, s, p).s.null, 0, DW_FAULT_BADADDR, 0);
		return p;
	}
	p = dyn_find(cx, dyn_element(cx, e));
	fault_unless(cx, CC_NE, p, 0, DW_FAULT_BADADDR, 0);
	ir_stack_release(ir, mark);
	return p;
}

/* Deletes an element: x[k] = 0. */
void var_release(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	int32_t mark = ir_stack_mark(ir);

	dyn_delete(cx, dyn_element(cx, e));
	ir_stack_release(ir, mark);
}

/* ---- reading and writing ----------------------------------------------------------------------------------------- */
/* A parameter of the inline that is being expanded, the innermost first. */
static struct val param_read(struct clause_ctx *cx, const struct expr *e)
{
	for (size_t i = cx->pg->env_stack.n; i-- > 0;)
		if (cx->pg->env_stack.v[i].param == e->sym)
			return cx->pg->env_stack.v[i].val;
	if (!strcmp(e->sym->name, "P")) /* a site's filter */
		return cx->pg->site_val;
	return int_val(ir_imm(cx->ir, 0), e->type);
}

/* The value of a name, whatever it stands for. */
struct val var_read(struct clause_ctx *cx, const struct expr *e)
{
	struct symbol *s = e->sym;

	if ((s->kind == SYM_VAR || s->kind == SYM_ASSOC) && type_is_block(s->type))
		return var_block(cx, e, false);
	switch (s->kind) {
	case SYM_BUILTIN:
		return builtin_read(cx, e);
	case SYM_CONST:
		return int_val(ir_imm(cx->ir, s->value), s->type);
	case SYM_PARAM:
		return param_read(cx, e);
	case SYM_INLINE:
		if (e->xl || type_is_block(s->type))
			return lower_expr(cx, s->inl->value);
		if (type_is_string(s->type))
			return (struct val){ .k = V_STR, .type = s->type, .s = lower_str(cx, s->inl->value) };
		return int_val(keep_int(cx, lower_int(cx, s->inl->value), s->inl->value->type, s->type), s->type);
	case SYM_ASSOC:
		return dyn_read(cx, e);
	case SYM_VAR:
		break;
	case SYM_AGG:
	case SYM_FUNC:
		return int_val(ir_imm(cx->ir, 0), e->type);
	}
	if (symbol_is_dynamic(s))
		return dyn_read(cx, e);
	if (s->scope == SCOPE_GLOBAL)
		return slot_read(cx, s, global_base(cx, s));
	if (s->type->kind == T_STRING && form_rep(s->form) == REP_TEXT)
		return (struct val){ .k = V_STR, .type = s->type, .s = this_text(cx, this_var(cx, s)) };
	if (s->type->kind == T_STRING) { /* a copy: the variable may be set again before the value is used */
		struct sval v = str_vars(cx, this_var(cx, s)->s.form);

		str_set(cx, v, this_var(cx, s)->s);
		return (struct val){ .k = V_STR, .type = s->type, .s = v };
	}
	return int_val(ir_mov(cx->ir, this_var(cx, s)->r), s->type);
}

/* Assigns to a scalar or string variable. Returns the value. */
struct val var_write(struct clause_ctx *cx, const struct expr *lhs, struct val v)
{
	struct symbol *s = lhs->sym;

	if (symbol_is_dynamic(s))
		dyn_write(cx, lhs, v);
	else if (s->scope == SCOPE_GLOBAL)
		slot_write(cx, s, global_base(cx, s), v);
	else if (s->type->kind == T_STRING && form_rep(s->form) == REP_TEXT)
		str_set(cx, this_text(cx, this_var(cx, s)), str_convert(cx, v.s, s->form));
	else if (s->type->kind == T_STRING)
		str_set(cx, this_var(cx, s)->s, str_convert(cx, v.s, s->form));
	else
		ir_set(cx->ir, this_var(cx, s)->r, blur(cx, plain_number(cx, v)));
	return v;
}

/* Adds delta atomically where the variable allows it. False: nothing was emitted, the caller reads, adds and writes. */
bool var_add(struct clause_ctx *cx, const struct expr *lhs, vreg delta, bool down)
{
	struct symbol *s = lhs->sym;

	if (!is_plain_var(lhs))
		return lhs->kind == EX_MEMBER && !lhs->isuffix && lhs->type->size >= 4 && place_add(cx, lhs, delta);
	if (s->type->kind != T_INT || is_bool(s->type))
		return false;
	if (symbol_is_dynamic(s))
		dyn_add(cx, lhs, delta, down);
	else if (s->scope == SCOPE_GLOBAL)
		ir_xadd(cx->ir, global_base(cx, s), 0, 8, delta);
	else
		return false;
	return true;
}
