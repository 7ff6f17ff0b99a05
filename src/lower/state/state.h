/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state: what outlives an expression: variables, aggregations, scratch memory, memory behind pointers, speculations. */
#ifndef DWIRE_LOWER_STATE_STATE_H
#define DWIRE_LOWER_STATE_STATE_H
#include "lower/context.h"

#define SCRATCH_SLOTS 4 /* of a CPU */

/* ---- lower/state/scratch.c: memory of one run of a program, for what fits neither registers nor the stack.
 *
 *	int32_t mark = scratch_mark(pg), off = scratch_alloc(pg, size);
 *	vreg p = scratch_ptr(cx, off);       (to the verifier a map's value: any load, store, helper's buffer or key)
 *	ir_sti(ir, p, 0, 8, 0);
 *	...
 *	scratch_release(pg, mark);
 *
 * Places are fixed at compile time, 8-aligned, and hold what the last run left there. The places of a statement or
 * predicate are free again at its end; what must last for all clauses (this-> variables) is placed before the first
 * clause is lowered (vars_collect). Ask for the pointer again rather than keep it: it is one addition. The slot is
 * taken and given back automatically. Memory is borrowed: copy a value that must not change under its reader. */
int32_t scratch_alloc(struct prog_ctx *pg, uint32_t size); /* returns the offset in the slot */
vreg scratch_ptr(struct clause_ctx *cx, int32_t off);
vreg scratch_address(struct clause_ctx *cx); /* the slot's address as a plain number */
int32_t scratch_mark(const struct prog_ctx *pg);
void scratch_release(struct prog_ctx *pg, int32_t mark);
void scratch_start_empty(struct prog_ctx *pg, int32_t off); /* the byte there is 0 when the program starts */
void scratch_begin(struct prog_ctx *pg);                    /* the slot is taken here */
void scratch_end(struct clause_ctx *cx, uint32_t none);     /* the slot is given back here; none: where to go without */
void scratch_finish(struct lowerer *lw);                    /* after all programs */

/* ---- lower/state/heap.c: memory that is written through pointers */
void heap_collect(struct prog_ctx *pg, const struct expr *e);
void heap_collected_clause(struct prog_ctx *pg); /* after heap_collect() of all that a clause has */
void heap_place(struct prog_ctx *pg);            /* after all clauses */
void heap_begin_clause(struct clause_ctx *cx);   /* gives back what the clauses before have taken */
struct val heap_at(
	struct clause_ctx *cx, vreg p, struct type *t); /* where a t at address p may be stored; else a fault */
bool lower_heap_call(struct clause_ctx *cx, const struct expr *e, vreg *out);
void lower_copyout(struct clause_ctx *cx, const struct expr *e);
void lower_copyoutstr(struct clause_ctx *cx, const struct expr *e);

/* ---- lower/state/var.c: variables */
vreg global_room(struct clause_ctx *cx, uint32_t size); /* fresh bytes beside the global variables */
/* Where the structure or array of a variable lies. make: it is going to be written to. */
struct val var_block(struct clause_ctx *cx, const struct expr *e, bool make);
/* The address of the text of a string variable that is kept as text (symbol.as_text); a fault if it is NULL. */
vreg var_text(struct clause_ctx *cx, const struct expr *e);
void var_release(struct clause_ctx *cx, const struct expr *e); /* of a dynamic variable */
struct val var_read(struct clause_ctx *cx, const struct expr *e);
struct val var_write(struct clause_ctx *cx, const struct expr *lhs, struct val v);
/* Adds, atomically where it can be. down: the variable is meant to fall to 0 again. false: not done. */
bool var_add(struct clause_ctx *cx, const struct expr *lhs, vreg delta, bool down);
void vars_collect(struct clause_ctx *cx, const struct clause *c);
/* Stores a tuple of keys in memory; returns its address. Integers take 8 bytes, */
vreg key_store(struct clause_ctx *cx, const expr_list *args, const struct symbol *s, uint32_t *size);

/* ---- lower/state/vtime.c */
struct val vtime_read(struct clause_ctx *cx, const struct symbol *s);
void vtime_finish(struct lowerer *lw); /* after all probes: the program that vtimestamp needs */

/* ---- lower/state/agg.c: aggregations */
void lower_agg(struct clause_ctx *cx, const struct expr *e);
bool agg_sparse(const struct symbol *s);
uint32_t agg_index(struct lowerer *lw, struct symbol *s);
void aggs_begin(struct lowerer *lw); /* numbers them in the order of their appearance: they are printed in that order */

/* ---- lower/state/spec.c: speculations */
vreg spec_begin(struct clause_ctx *cx);                        /* speculation() */
void spec_choose(struct clause_ctx *cx, const struct expr *e); /* speculate(id) */
vreg spec_end(struct clause_ctx *cx, const struct expr *id);   /* commit(id), discard(id): id if it was active, or 0 */

/* ---- lower/state/destructive.c */
void lower_destructive(struct clause_ctx *cx, const struct expr *e); /* raise(), stop(), chill(), ... */
#endif
