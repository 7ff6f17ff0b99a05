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
/* The same, but a pointer stays a pointer to the verifier: only to compare or store it. */
vreg lower_word(struct clause_ctx *cx, const struct expr *e);
/* Hides v from the verifier: the same value in a register of which the verifier knows nothing. blur() does so only in
 * programs with many branches. */
vreg blur(struct clause_ctx *cx, vreg v);
vreg blur_always(struct clause_ctx *cx, vreg v);
vreg convert_int(struct clause_ctx *cx, vreg v, const struct type *from, const struct type *to); /* as a cast does */
/* v as stored in a variable or inline of type `to`: all 64 bits; for a _Bool, 0 or 1. */
vreg keep_int(struct clause_ctx *cx, vreg v, const struct type *from, const struct type *to);
vreg arith(struct clause_ctx *cx, enum expr_op op, const struct expr *rhs, vreg a, vreg b, const struct type *t);
vreg scale_index(struct clause_ctx *cx, vreg v, uint32_t size);
uint32_t pointee_size(const struct type *t);
bool is_bool(const struct type *t);
bool right_first(const struct expr *e); /* must the right operand be computed before the left one? */

/* ---- lower/expr/cond.c: conditions */
/* ?:. to: the integer type of the result, or NULL. */
struct val lower_cond(struct clause_ctx *cx, const struct expr *e, const struct type *to);
vreg truth_value(struct clause_ctx *cx, const struct expr *e); /* 0 or 1 */
bool is_logic(const struct expr *e);
/* Jumps to label when e is true (when) or false (!when). */
void lower_jump(struct clause_ctx *cx, const struct expr *e, uint32_t label, bool when);
/* The condition of a ?:. Jumps to `no` if it is false. Returns the mark up to which both branches can use the memos. */
size_t cond_jump(struct clause_ctx *cx, const struct expr *e, uint32_t no);
/* Does the site decide the condition of ?:, because a member is a constant there? Returns the branch, or NULL. */
const struct expr *decided_branch(struct clause_ctx *cx, const struct expr *e);

/* ---- lower/expr/load.c: memory */
struct val lower_member(struct clause_ctx *cx, const struct expr *e);
struct val lower_element(struct clause_ctx *cx, const struct expr *e, const struct expr *index); /* NULL: *p */
vreg lower_address(struct clause_ctx *cx, const struct expr *e);                                 /* &e */
struct val lower_symbol(struct clause_ctx *cx, const struct expr *e);
bool in_library(const struct expr *at);                                  /* does it come from dlib? */
void lower_fault(struct clause_ctx *cx, enum dw_fault code, vreg value); /* always jumps away */
/* A fault unless "v cc limit" is true. */
void fault_unless(struct clause_ctx *cx, enum ir_cc cc, vreg v, int32_t limit, enum dw_fault code, vreg value);
struct val lower_load(struct clause_ctx *cx, struct val v, const struct expr *at);
/* ... for a helper that needs a pointer which the verifier trusts. Takes the verifier longer. */
struct val lower_load_trusted(struct clause_ctx *cx, struct val v, const struct expr *at);
vreg lower_addr_value(struct clause_ctx *cx, struct val v);
vreg plain_number(struct clause_ctx *cx, struct val v); /* of a V_INT: as a number, for calculations */
struct bit_unit {
	uint32_t off, size, bit; /* bytes from the place's r; bytes; first bit of the field in these */
};
struct bit_unit bit_unit(const struct val *v);
struct val lower_member_of(struct clause_ctx *cx, struct val base, struct type *st, const char *name);

/* ---- lower/expr/place.c: structures, unions and arrays in variables */
struct val place_assign(struct clause_ctx *cx, const struct expr *e); /* to a place that is not a plain variable */
struct val place_step(struct clause_ctx *cx, const struct expr *e);   /* ++ and -- of such a place */
bool place_add(struct clause_ctx *cx, const struct expr *lhs, vreg delta);
/* Copies size bytes. Reads all before it writes any, since the places may overlap. to: memory of the program. */
void place_copy(struct clause_ctx *cx, struct val to, struct val from, uint32_t size);
/* Element `index` of the array at base, which is in a variable; an index out of bounds is a fault. */
struct val place_element(struct clause_ctx *cx, struct val base, const struct type *array, vreg index);
void place_near(struct clause_ctx *cx, struct val *v);
struct val place_store(
	struct clause_ctx *cx, struct val at, vreg v); /* an integer; returns the new value of the place */
bool is_plain_var(const struct expr *e);
vreg text_address(struct clause_ctx *cx, const struct expr *e); /* of a string's characters, as a number */

/* ---- lower/expr/xlate.c: translated structures */
struct val xl_member(struct clause_ctx *cx, const struct val *base, const struct expr *at, const char *name);
void place_translate(struct clause_ctx *cx, struct val to, struct val from); /* all members of from (V_XL), to `to` */
size_t memo_mark(const struct prog_ctx *pg);
void memo_release(struct prog_ctx *pg, size_t mark); /* forgets the memos made since the mark */
/* The value of a member that was computed before; false: it is not available here. */
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
