/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expr: expressions: numbers, conditions, memory, translated members. */
#ifndef DWIRE_LOWER_EXPR_EXPR_H
#define DWIRE_LOWER_EXPR_EXPR_H
#include "lower/context.h"

/* ---- lower/expr/expr.c */
struct val lower_expr(struct clause_ctx *cx, const struct expr *e);

/* ---- lower/expr/arith.c: integers */
struct val lower_binary(struct clause_ctx *cx, const struct expr *e);
struct val lower_incdec(struct clause_ctx *cx, const struct expr *e);
vreg lower_int(struct clause_ctx *cx, const struct expr *e); /* a scalar's value, 64 bits */
vreg lower_word(
	struct clause_ctx *cx, const struct expr *e); /* ... or a pointer to the verifier: to compare or store */
vreg blur(struct clause_ctx *cx, vreg v); /* the same value; in programs with many branches unknown to the verifier */
vreg blur_always(struct clause_ctx *cx, vreg v);
vreg convert_int(struct clause_ctx *cx, vreg v, const struct type *from, const struct type *to); /* as a cast does */
/* v as a variable or inline of type to keeps it: all 64 bits, but of a _Bool 0 or 1. */
vreg keep_int(struct clause_ctx *cx, vreg v, const struct type *from, const struct type *to);
vreg arith(struct clause_ctx *cx, enum expr_op op, const struct expr *rhs, vreg a, vreg b, const struct type *t);
vreg scale_index(struct clause_ctx *cx, vreg v, uint32_t size);
uint32_t pointee_size(const struct type *t);
bool is_bool(const struct type *t);
bool right_first(const struct expr *e); /* the right operand is to be computed before the left one */

/* ---- lower/expr/cond.c: conditions */
/* ?:. to: the integer that the value becomes, or NULL. */
struct val lower_cond(struct clause_ctx *cx, const struct expr *e, const struct type *to);
vreg truth_value(struct clause_ctx *cx, const struct expr *e); /* 0 or 1 */
bool is_logic(const struct expr *e);
/* Jumps to label when e is true (when) or false (!when). */
void lower_jump(struct clause_ctx *cx, const struct expr *e, uint32_t label, bool when);
/* The condition of a ?:. Jumps to no when it is false. Returns the mark up to which both branches know what it made. */
size_t cond_jump(struct clause_ctx *cx, const struct expr *e, uint32_t no);

/* ---- lower/expr/load.c: what lies in memory */
struct val lower_member(struct clause_ctx *cx, const struct expr *e);
struct val lower_element(struct clause_ctx *cx, const struct expr *e, const struct expr *index); /* NULL: *p */
vreg lower_address(struct clause_ctx *cx, const struct expr *e);                                 /* &e */
struct val lower_symbol(struct clause_ctx *cx, const struct expr *e);
bool in_library(const struct expr *at);                                  /* is it in dlib's text? */
void lower_fault(struct clause_ctx *cx, enum dw_fault code, vreg value); /* jumps away */
/* A fault unless v cc limit. */
void fault_unless(struct clause_ctx *cx, enum ir_cc cc, vreg v, int32_t limit, enum dw_fault code, vreg value);
struct val lower_load(struct clause_ctx *cx, struct val v, const struct expr *at);
vreg lower_addr_value(struct clause_ctx *cx, struct val v);
vreg plain_number(struct clause_ctx *cx, struct val v); /* of a V_INT: what the verifier may calculate with */
struct bit_unit {
	uint32_t off, size, bit; /* bytes from the place's r; bytes; first bit of the field in these */
};
struct bit_unit bit_unit(const struct val *v);
struct val lower_member_of(struct clause_ctx *cx, struct val base, struct type *st, const char *name);

/* ---- lower/expr/place.c: structures, unions and arrays in variables */
struct val place_assign(struct clause_ctx *cx, const struct expr *e); /* to a place that is not a plain variable */
struct val place_step(struct clause_ctx *cx, const struct expr *e);   /* ++ and -- there */
bool place_add(struct clause_ctx *cx, const struct expr *lhs, vreg delta);
/* Reads all of from before it writes any of it. to is memory of ours. */
void place_copy(struct clause_ctx *cx, struct val to, struct val from, uint32_t size);
/* Element index of the array at base, which lies in a variable; an index outside of it is a fault. */
struct val place_element(struct clause_ctx *cx, struct val base, const struct type *array, vreg index);
void place_near(struct clause_ctx *cx, struct val *v);
struct val place_store(
	struct clause_ctx *cx, struct val at, vreg v); /* an integer; the value that the place has then */
bool is_plain_var(const struct expr *e);
vreg text_address(struct clause_ctx *cx, const struct expr *e); /* of the characters of a string: a number */

/* ---- lower/expr/xlate.c: translated structures */
struct val xl_member(struct clause_ctx *cx, const struct val *base, const struct expr *at, const char *name);
void place_translate(struct clause_ctx *cx, struct val to, struct val from); /* all members of from (V_XL), into to */
size_t memo_mark(const struct prog_ctx *pg);
void memo_release(struct prog_ctx *pg, size_t mark);
/* The value that a member was given before; false: it is not known here. */
bool memo_get(struct prog_ctx *pg, const void *base, const void *xl, const char *name, struct val *out);
void memo_put(struct prog_ctx *pg, const void *base, const void *xl, const char *name, struct val v);

/* ---- lower/expr/builtin.c: built-in variables */
struct val builtin_read(struct clause_ctx *cx, const struct expr *e);
struct val current_task(struct clause_ctx *cx);
vreg ktime(struct clause_ctx *cx);
vreg current_number(struct clause_ctx *cx, enum builtin b); /* BI_pid, BI_tid, BI_uid, ... of the current task */

/* ---- lower/expr/subr.c: rand, progenyof, ... */
vreg current_regs(struct clause_ctx *cx); /* address of the process's struct pt_regs; 0: none */
struct val lower_subr(struct clause_ctx *cx, const struct expr *e);

/* ---- lower/expr/ptype.c: types as print() shows them */
const struct ptype *ptype_of(struct lowerer *lw, struct type *t);
#endif
