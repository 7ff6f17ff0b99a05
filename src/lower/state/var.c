/* SPDX-License-Identifier: GPL-2.0-or-later */
/* var: variables. this-> ones are registers, global scalars live in one array map, associative arrays and
 * self-> ones in hash maps. Built-in variables: lower/expr/builtin.c. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/priv.h"

/* Bytes of a variable in memory, a multiple of 8. */
static uint32_t value_size(const struct symbol *s)
{
	uint32_t null = s->form & FORM_NULL ? 8 : 0; /* a word behind the text */

	if (type_is_block(s->type))
		return (s->type->size + 7) / 8 * 8;
	return s->type->kind == T_STRING ? form_size(s->form ? s->form : FORM_LIT) + null : 8;
}

/* ---- this-> ------------------------------------------------------------------------------------------------------ */
struct this_var {
	const struct ir *ir; /* the program that the registers are of */
	vreg r;
	struct sval s;
	int32_t off; /* text: in scratch memory */
};

void vars_begin(struct lowerer *lw)
{
	lw->thiss.n = 0;
}

/* Strings start as "". Text is in scratch memory, at one place for the whole program. */
static void this_string(struct lowerer *lw, struct this_var *t, int form)
{
	t->s.form = form;
	if (form_rep(form) != REP_TEXT) {
		t->s = str_vars(lw, form);
		str_set(lw, t->s, str_zero(lw, form));
		return;
	}
	t->off = scratch_alloc(lw, form_size(form));
	scratch_start_empty(lw, t->off);
	if (form & FORM_NULL) {
		t->s.null = ir_var(lw->ir);
		ir_seti(lw->ir, t->s.null, 0);
	}
}

/* ... as it is now. */
static struct sval this_text(struct lowerer *lw, const struct this_var *t)
{
	struct sval s = text_at(scratch_ptr(lw, t->off), t->s.form);

	s.null = t->s.null;
	return s;
}

#define STACK_BLOCK 64 /* bytes; larger ones are in scratch memory */

/* Structures and arrays start as zeroes. */
static void this_block(struct lowerer *lw, struct this_var *t, uint32_t size)
{
	if (size <= STACK_BLOCK)
		t->r = ir_stack(lw->ir, ir_stack_alloc(lw->ir, size));
	else
		t->off = scratch_alloc(lw, size);
	zero_bytes(lw, t->r ? t->r : scratch_ptr(lw, t->off), 0, size);
}

/* Registers of a this-> variable; vars_begin() of lower.c emits their zeroes at the head of the program, which is
 * where they are made: variables named in any clause of the probe are collected first. */
static struct this_var *this_var(struct lowerer *lw, struct symbol *s)
{
	struct this_var *t = s->lowered;

	if (t && t->ir == lw->ir)
		return t;
	t = ARENA_NEW(lw->arena, struct this_var);
	t->ir = lw->ir;
	s->lowered = t;
	if (type_is_block(s->type)) {
		this_block(lw, t, value_size(s));
	} else if (s->type->kind == T_STRING) {
		this_string(lw, t, s->form ? s->form : FORM_LIT);
	} else {
		t->r = ir_var(lw->ir);
		ir_seti(lw->ir, t->r, 0);
	}
	*vec_push(lw->arena, &lw->thiss) = s;
	return t;
}

static void collect_this(struct lowerer *lw, const struct expr *e)
{
	if (!e)
		return;
	if (e->kind == EX_IDENT && e->sym && e->sym->kind == SYM_VAR && e->sym->scope == SCOPE_THIS)
		(void)this_var(lw, e->sym);
	text_collect(lw, e);
	heap_collect(lw, e);
	if (e->sym && e->sym->kind == SYM_INLINE && !e->loc.src->library)
		collect_this(lw, e->sym->inl->value);
	collect_this(lw, e->a);
	collect_this(lw, e->b);
	collect_this(lw, e->c);
	for (size_t i = 0; i < e->args.n; i++)
		collect_this(lw, e->args.v[i]);
}

static void collect_stmts(struct lowerer *lw, struct stmt *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		collect_this(lw, v[i]->expr);
		collect_stmts(lw, v[i]->then.v, v[i]->then.n);
		collect_stmts(lw, v[i]->otherwise.v, v[i]->otherwise.n);
	}
}

void vars_collect(struct lowerer *lw, const struct clause *c)
{
	collect_this(lw, c->pred);
	collect_stmts(lw, c->body.v, c->body.n);
}

/* ---- globals ----------------------------------------------------------------------------------------------------- */
static int32_t global_offset(struct lowerer *lw, struct symbol *s)
{
	if (!s->number) {
		s->number = lw->im->globals_size + 1;
		lw->im->globals_size += value_size(s);
	}
	return (int32_t)s->number - 1;
}

vreg global_room(struct lowerer *lw, uint32_t size)
{
	int32_t off = (int32_t)lw->im->globals_size;

	lw->im->globals_size += (size + 7) / 8 * 8;
	return ir_mapval(lw->ir, map_for(lw, MAP_GLOBALS), off);
}

static vreg global_base(struct lowerer *lw, struct symbol *s)
{
	int32_t off = global_offset(lw, s);

	return ir_mapval(lw->ir, map_for(lw, MAP_GLOBALS), off);
}

/* Bytes of an integer variable that mean something. */
static uint32_t kept_size(const struct symbol *s)
{
	return s->wide ? 8 : s->type->size;
}

static struct val slot_read(struct lowerer *lw, struct symbol *s, vreg base)
{
	struct val v = { .k = V_STR, .type = s->type };

	if (s->type->kind == T_STRING) {
		v.s = str_load(lw, s->form ? s->form : FORM_LIT, base, 0, false);
		if (s->form & FORM_NULL)
			v.s.null = ir_ld(lw->ir, base, (int32_t)form_size(s->form), 8, false, false);
		return v;
	}
	v = int_val(ir_ld(lw->ir, base, 0, kept_size(s), s->type->is_signed, false), s->type);
	v.number = true;
	return v;
}

static void slot_write(struct lowerer *lw, struct symbol *s, vreg base, struct val v)
{
	if (s->type->kind != T_STRING) {
		ir_st(lw->ir, base, 0, 8, v.r);
		return;
	}
	v.s = str_convert(lw, v.s, s->form);
	str_store(lw, v.s, base, 0);
	if (s->form & FORM_NULL)
		ir_st(lw->ir, base, (int32_t)form_size(s->form), 8, v.s.null ? v.s.null : ir_imm(lw->ir, 0));
}

/* ---- associative arrays and self-> ------------------------------------------------------------------------------- */
/* Which thread: its tid, and the CPU for the idle threads, which all have tid 0. */
static vreg thread_key(struct lowerer *lw)
{
	struct ir *ir = lw->ir;
	vreg tid = current_number(lw, BI_tid), r = ir_var(ir), c;
	uint32_t end = ir_newlabel(ir);

	ir_set(ir, r, tid);
	ir_jcci(ir, CC_NE, tid, 0, end);
	c = ir_call(ir, BPF_FUNC_get_smp_processor_id, NULL, 0, true);
	ir_set(ir, r, ir_alu(ir, ALU_OR, c, ir_imm(ir, 1ll << 32)));
	ir_label(ir, end);
	return r;
}

static vreg lower_key(struct lowerer *lw, const struct expr *e, const struct type *to)
{
	return to->size == 8 ? lower_word(lw, e) : lower_int(lw, e);
}

#define STACK_KEY 128 /* bytes; larger ones are in scratch memory */

static uint32_t key_size(const struct symbol *s, size_t i)
{
	if (s->keys[i]->special)
		return s->keys[i]->size;
	return s->keys[i]->kind == T_STRING ? form_size(s->key_forms[i]) : 8;
}

/* Bytes of all keys, and of what is added to them: the thread, which array it is, the level. */
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

/* May e need much of the stack for a moment? Then keys are stored when that is free again. */
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

/* Can each key be stored on the stack as soon as it is known? So it takes no register while the next ones are made. */
static bool keys_direct(const expr_list *args, const struct symbol *s, uint32_t size)
{
	if (size > STACK_KEY)
		return false;
	for (size_t i = 0; i < args->n; i++)
		if (wants_stack(args->v[i]) || (s->keys[i]->kind == T_STRING && form_rep(s->key_forms[i]) == REP_TEXT))
			return false;
	return true;
}

static struct val key_value(struct lowerer *lw, const struct expr *e, const struct symbol *s, size_t i)
{
	struct type *to = s->keys[i];

	if (to->special)
		return (struct val){ .k = V_NONE };
	if (to->kind == T_STRING)
		return (struct val){ .k = V_STR, .s = lower_str_as(lw, e, s->key_forms[i]) };
	return int_val(convert_int(lw, lower_key(lw, e, to), e->type, to), to);
}

static void key_put(struct lowerer *lw, const struct expr *e, const struct symbol *s, size_t i, struct val v, vreg base,
	int32_t off)
{
	if (v.k == V_NONE)
		sym_store(lw, e, s->keys[i]->size, base, off);
	else if (v.k == V_STR)
		str_store_key(lw, v.s, s->key_forms[i], base, off);
	else
		ir_st(lw->ir, base, off, 8, v.r);
}

/* Stores the keys into memory and gives its address. Integers take 8 bytes, extended by their type. */
vreg key_store(struct lowerer *lw, const expr_list *args, const struct symbol *s, uint32_t *size)
{
	struct ir *ir = lw->ir;
	struct val *vals = ARENA_ARRAY(lw->arena, struct val, args->n + 1);
	bool direct, text = false;
	int32_t off = 0;
	vreg base;

	*size = keys_size(s, args->n);
	direct = keys_direct(args, s, *size);
	for (size_t i = 0; !direct && i < args->n; i++) {
		vals[i] = key_value(lw, args->v[i], s, i);
		text |= vals[i].k == V_STR && vals[i].s.rep == REP_TEXT;
	}
	base = text || *size > STACK_KEY ? scratch_ptr(lw, scratch_alloc(lw, *size))
					 : ir_stack(ir, ir_stack_alloc(ir, *size));
	for (size_t i = 0; i < args->n; i++) {
		if (direct)
			vals[i] = key_value(lw, args->v[i], s, i);
		key_put(lw, args->v[i], s, i, vals[i], base, off);
		off += (int32_t)key_size(s, i);
	}
	if (s->kind == SYM_ASSOC && s->scope == SCOPE_SELF) {
		ir_st(ir, base, off, 8, thread_key(lw));
		off += 8;
	}
	if (s->shared)
		ir_sti(ir, base, off, 8, (int32_t)s->shared);
	return base;
}

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

	if (!s->number)
		s->number = (s->shared ? map_shared(lw, m) : map_add(lw, m)) + 1;
	return s->number - 1;
}

static vreg dyn_key(struct lowerer *lw, const struct expr *e, uint32_t *size)
{
	bool shared = map_share(lw, e->sym, MAP_DYN);
	vreg base;

	if (e->kind == EX_INDEX)
		return key_store(lw, &e->args, e->sym, size);
	*size = shared ? 16 : 8;
	base = ir_stack(lw->ir, ir_stack_alloc(lw->ir, shared ? 16 : 8));
	ir_st(lw->ir, base, 0, 8, thread_key(lw));
	if (shared)
		ir_sti(lw->ir, base, 8, 8, (int32_t)e->sym->shared);
	return base;
}

static struct val dyn_read(struct lowerer *lw, const struct expr *e)
{
	struct ir *ir = lw->ir;
	struct symbol *s = e->sym;
	int32_t mark = ir_stack_mark(ir);
	uint32_t size, end = ir_newlabel(ir), map;
	vreg key = dyn_key(lw, e, &size), p;
	struct val out = { .k = V_STR, .type = s->type };

	map = dyn_map(lw, s, size);
	if (s->type->kind == T_STRING) {
		out.s = str_vars(lw, s->form ? s->form : FORM_LIT);
		str_set(lw, out.s, str_zero(lw, out.s.form));
	} else {
		out = int_val(ir_var(ir), s->type);
		ir_seti(ir, out.r, 0);
	}
	p = ir_call(ir, BPF_FUNC_map_lookup_elem, (vreg[]){ ir_map(ir, map), key }, 2, false);
	ir_jcci(ir, CC_EQ, p, 0, end);
	if (out.k == V_STR)
		str_set(lw, out.s, slot_read(lw, s, p).s);
	else
		ir_set(ir, out.r, slot_read(lw, s, p).r);
	ir_label(ir, end);
	if (out.k == V_INT)
		out.r = blur(lw, out.r);
	out.number = true;
	ir_stack_release(ir, mark);
	return out;
}

static void dyn_update(struct lowerer *lw, vreg map, vreg key, vreg value, int flags)
{
	struct ir *ir = lw->ir;
	uint32_t ok = ir_newlabel(ir);
	vreg r = ir_call(ir, BPF_FUNC_map_update_elem, (vreg[]){ map, key, value, ir_imm(ir, flags) }, 4, false);

	r = ir_ext(ir, r, 4, true);
	ir_jcci(ir, CC_EQ, r, 0, ok);
	count_drop(lw, DW_DROP_DYN);
	ir_label(ir, ok);
}

/* Assigning zero deletes, as in DTrace. */
static void dyn_write(struct lowerer *lw, const struct expr *e, struct val v)
{
	struct ir *ir = lw->ir;
	struct symbol *s = e->sym;
	int32_t mark = ir_stack_mark(ir);
	uint32_t size, end = ir_newlabel(ir), del = ir_newlabel(ir);
	vreg key = dyn_key(lw, e, &size), map = ir_map(ir, dyn_map(lw, s, size)), value;

	if (s->type->kind != T_STRING)
		ir_jcci(ir, CC_EQ, v.r, 0, del);
	else
		str_truth_jump(lw, v.s = str_convert(lw, v.s, s->form), del, false);
	value = value_size(s) > STACK_KEY || v.s.rep == REP_TEXT ? scratch_ptr(lw, scratch_alloc(lw, value_size(s)))
								 : ir_stack(ir, ir_stack_alloc(ir, value_size(s)));
	slot_write(lw, s, value, v);
	dyn_update(lw, map, key, value, BPF_ANY);
	ir_jmp(ir, end);
	ir_label(ir, del);
	ir_call(ir, BPF_FUNC_map_delete_elem, (vreg[]){ map, key }, 2, false);
	ir_label(ir, end);
	ir_stack_release(ir, mark);
}

/* a[k] += delta without losing concurrent ones. What comes to zero is deleted, so that counts which go up and down
 * leave nothing behind. */
static void dyn_add(struct lowerer *lw, const struct expr *e, vreg delta, bool down)
{
	struct ir *ir = lw->ir;
	struct symbol *s = e->sym;
	int32_t mark = ir_stack_mark(ir);
	uint32_t size, add = ir_newlabel(ir), end = ir_newlabel(ir);
	vreg key = dyn_key(lw, e, &size), map = ir_map(ir, dyn_map(lw, s, size)), p = ir_var(ir), value, r;
	vreg args[2] = { map, key };

	ir_set(ir, p, ir_call(ir, BPF_FUNC_map_lookup_elem, args, 2, false));
	ir_jcci(ir, CC_NE, p, 0, add);
	value = ir_stack(ir, ir_stack_alloc(ir, 8));
	ir_st(ir, value, 0, 8, delta);
	r = ir_call(ir, BPF_FUNC_map_update_elem, (vreg[]){ map, key, value, ir_imm(ir, BPF_NOEXIST) }, 4, false);
	ir_jcci(ir, CC_EQ, ir_ext(ir, r, 4, true), 0, end);
	ir_set(ir, p, ir_call(ir, BPF_FUNC_map_lookup_elem, args, 2, false)); /* another CPU was first, or no room */
	ir_jcci(ir, CC_NE, p, 0, add);
	count_drop(lw, DW_DROP_DYN);
	ir_jmp(ir, end);
	ir_label(ir, add);
	ir_xadd(ir, p, 0, kept_size(s), delta);
	if (down) {
		ir_jcci(ir, CC_NE, ir_ld(ir, p, 0, kept_size(s), false, false), 0, end);
		ir_call(ir, BPF_FUNC_map_delete_elem, args, 2, false);
	}
	ir_label(ir, end);
	ir_stack_release(ir, mark);
}

/* ---- structures and arrays in variables -------------------------------------------------------------------------- */
/* What is read where nothing was written yet. */
static vreg zero_block(struct lowerer *lw, uint32_t size)
{
	if (lw->zero_size < size)
		lw->zero_size = size;
	return ir_mapval(lw->ir, map_for(lw, MAP_ZERO), 0);
}

/* Where a write goes that has no room. */
static vreg trash_block(struct lowerer *lw, uint32_t size)
{
	if (lw->trash_size < size) {
		lw->trash_off = (int32_t)lw->im->globals_size;
		lw->trash_size = size;
		lw->im->globals_size += size;
	}
	return ir_mapval(lw->ir, map_for(lw, MAP_GLOBALS), lw->trash_off);
}

static vreg dyn_block(struct lowerer *lw, const struct expr *e, bool make)
{
	struct ir *ir = lw->ir;
	struct symbol *s = e->sym;
	int32_t mark = ir_stack_mark(ir);
	uint32_t size, end = ir_newlabel(ir), bytes = value_size(s);
	vreg key = dyn_key(lw, e, &size), p = ir_var(ir), args[4] = { 0, key };

	args[0] = ir_map(ir, dyn_map(lw, s, size));
	ir_set(ir, p, ir_call(ir, BPF_FUNC_map_lookup_elem, args, 2, false));
	ir_jcci(ir, CC_NE, p, 0, end);
	if (make) {
		args[2] = zero_block(lw, bytes);
		args[3] = ir_imm(ir, BPF_NOEXIST);
		ir_call(ir, BPF_FUNC_map_update_elem, args, 4, false);
		ir_set(ir, p, ir_call(ir, BPF_FUNC_map_lookup_elem, args, 2, false));
		ir_jcci(ir, CC_NE, p, 0, end);
		count_drop(lw, DW_DROP_DYN);
		ir_set(ir, p, trash_block(lw, bytes));
	} else {
		ir_set(ir, p, zero_block(lw, bytes));
	}
	ir_label(ir, end);
	ir_stack_release(ir, mark);
	return p;
}

struct val var_block(struct lowerer *lw, const struct expr *e, bool make)
{
	struct symbol *s = e->sym;
	struct val v = { .k = V_MEM, .type = s->type, .ours = true, .mut = true };

	if (s->kind == SYM_ASSOC || s->scope == SCOPE_SELF)
		v.r = dyn_block(lw, e, make);
	else if (s->scope == SCOPE_GLOBAL)
		v.r = global_base(lw, s);
	else
		v.r = this_var(lw, s)->r ? this_var(lw, s)->r : scratch_ptr(lw, this_var(lw, s)->off);
	return v;
}

void var_release(struct lowerer *lw, const struct expr *e)
{
	struct ir *ir = lw->ir;
	int32_t mark = ir_stack_mark(ir);
	uint32_t size;
	vreg key = dyn_key(lw, e, &size);

	ir_call(ir, BPF_FUNC_map_delete_elem, (vreg[]){ ir_map(ir, dyn_map(lw, e->sym, size)), key }, 2, false);
	ir_stack_release(ir, mark);
}

/* ---- reading and writing ----------------------------------------------------------------------------------------- */
static struct val param_read(struct lowerer *lw, const struct expr *e)
{
	for (size_t i = lw->env_stack.n; i-- > 0;)
		if (lw->env_stack.v[i].param == e->sym)
			return lw->env_stack.v[i].val;
	if (!strcmp(e->sym->name, "P")) /* a site's filter */
		return lw->site_val;
	return int_val(ir_imm(lw->ir, 0), e->type);
}

struct val var_read(struct lowerer *lw, const struct expr *e)
{
	struct symbol *s = e->sym;

	if ((s->kind == SYM_VAR || s->kind == SYM_ASSOC) && type_is_block(s->type))
		return var_block(lw, e, false);
	switch (s->kind) {
	case SYM_BUILTIN:
		return builtin_read(lw, e);
	case SYM_CONST:
		return int_val(ir_imm(lw->ir, s->value), s->type);
	case SYM_PARAM:
		return param_read(lw, e);
	case SYM_INLINE:
		if (e->xl)
			return lower_expr(lw, s->inl->value);
		if (type_is_string(s->type))
			return (struct val){ .k = V_STR, .type = s->type, .s = lower_str(lw, s->inl->value) };
		return int_val(convert_int(lw, lower_int(lw, s->inl->value), s->inl->value->type, s->type), s->type);
	case SYM_ASSOC:
		return dyn_read(lw, e);
	case SYM_VAR:
		break;
	case SYM_AGG:
	case SYM_FUNC:
		return int_val(ir_imm(lw->ir, 0), e->type);
	}
	if (s->scope == SCOPE_SELF)
		return dyn_read(lw, e);
	if (s->scope == SCOPE_GLOBAL)
		return slot_read(lw, s, global_base(lw, s));
	if (s->type->kind == T_STRING && form_rep(s->form) == REP_TEXT)
		return (struct val){ .k = V_STR, .type = s->type, .s = this_text(lw, this_var(lw, s)) };
	if (s->type->kind == T_STRING) { /* a copy: the variable may be set again before the value is used */
		struct sval v = str_vars(lw, this_var(lw, s)->s.form);

		str_set(lw, v, this_var(lw, s)->s);
		return (struct val){ .k = V_STR, .type = s->type, .s = v };
	}
	return int_val(ir_mov(lw->ir, this_var(lw, s)->r), s->type);
}

struct val var_write(struct lowerer *lw, const struct expr *lhs, struct val v)
{
	struct symbol *s = lhs->sym;

	if (s->kind == SYM_ASSOC || s->scope == SCOPE_SELF)
		dyn_write(lw, lhs, v);
	else if (s->scope == SCOPE_GLOBAL)
		slot_write(lw, s, global_base(lw, s), v);
	else if (s->type->kind == T_STRING && form_rep(s->form) == REP_TEXT)
		str_set(lw, this_text(lw, this_var(lw, s)), str_convert(lw, v.s, s->form));
	else if (s->type->kind == T_STRING)
		str_set(lw, this_var(lw, s)->s, str_convert(lw, v.s, s->form));
	else
		ir_set(lw->ir, this_var(lw, s)->r, blur(lw, plain_number(lw, v)));
	return v;
}

bool var_add(struct lowerer *lw, const struct expr *lhs, vreg delta, bool down)
{
	struct symbol *s = lhs->sym;

	if (!is_plain_var(lhs))
		return lhs->kind == EX_MEMBER && !lhs->isuffix && lhs->type->size >= 4 && place_add(lw, lhs, delta);
	if (s->type->size < 4 || s->type->kind != T_INT)
		return false;
	if (s->kind == SYM_ASSOC || s->scope == SCOPE_SELF)
		dyn_add(lw, lhs, delta, down);
	else if (s->scope == SCOPE_GLOBAL)
		ir_xadd(lw->ir, global_base(lw, s), 0, s->type->size, delta);
	else
		return false;
	return true;
}
