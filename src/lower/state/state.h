/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state: everything that outlives an expression: variables, aggregations, scratch memory, memory behind pointers,
 * speculations. */
#ifndef DWIRE_LOWER_STATE_STATE_H
#define DWIRE_LOWER_STATE_STATE_H
#include "lower/context.h"

#define SCRATCH_SLOTS 4 /* per CPU */

/* ---- lower/state/scratch.c: memory of one run of a program, for data that fits neither registers nor the stack.
 *
 *	int32_t mark = scratch_mark(pg), off = scratch_alloc(pg, size);
 *	vreg p = scratch_ptr(cx, off);       (to the verifier a map's value: any load, store, helper's buffer or key)
 *	ir_sti(ir, p, 0, 8, 0);
 *	...
 *	scratch_release(pg, mark);
 *
 * Places are fixed at compile time, 8-aligned, and not cleared between runs. The places of a statement or predicate are
 * free again at its end; data that must last for all clauses (this-> variables) gets its place before the first clause
 * is lowered (vars_collect). Call scratch_ptr() again rather than keep the pointer: it is one addition. The slot is
 * taken and given back automatically. Memory is borrowed: copy a value that must not change. */
int32_t scratch_alloc(struct prog_ctx *pg, uint32_t size); /* returns the offset in the slot */
vreg scratch_ptr(struct clause_ctx *cx, int32_t off);
vreg scratch_address(struct clause_ctx *cx); /* the slot's address as a plain number */
int32_t scratch_mark(const struct prog_ctx *pg);
void scratch_release(struct prog_ctx *pg, int32_t mark);
/* Room for a structure: on the stack, or in scratch memory where the stack is needed for guarded calls (enum ir_guard).
 * Release it in the reverse order. */
struct room {
	bool scratch;
	int32_t mark, at;
};
struct room room_take(struct clause_ctx *cx, uint32_t size);
/* ... or wherever a program has scratch memory: for what does not fit the stack beside a row of a tool. */
struct room room_beside(struct clause_ctx *cx, uint32_t size);
vreg room_ptr(struct clause_ctx *cx, const struct room *r);
void room_release(struct clause_ctx *cx, const struct room *r);
void scratch_start_empty(struct prog_ctx *pg, int32_t off); /* the byte there is 0 when the program starts */
void scratch_begin(struct prog_ctx *pg);                    /* the slot is taken here */
void scratch_end(struct clause_ctx *cx, uint32_t none); /* the slot is given back here; none: target if none is free */
void scratch_finish(struct lowerer *lw);                /* after all programs */

/* ---- lower/state/heap.c: memory that is written through pointers */
void heap_collect(struct prog_ctx *pg, const struct expr *e);
void heap_collected_clause(struct prog_ctx *pg); /* after heap_collect() of all expressions of a clause */
void heap_place(struct prog_ctx *pg);            /* after all clauses */
void heap_begin_clause(struct clause_ctx *cx);   /* frees the memory that earlier clauses have taken */
struct val heap_at(
	struct clause_ctx *cx, vreg p, struct type *t); /* the place of a t at address p; a fault if p is not in it */
bool lower_heap_call(struct clause_ctx *cx, const struct expr *e, vreg *out);
void lower_copyout(struct clause_ctx *cx, const struct expr *e);
void lower_copyoutstr(struct clause_ctx *cx, const struct expr *e);

/* ---- lower/state/var.c: variables */
vreg global_room(struct clause_ctx *cx, uint32_t size); /* fresh bytes beside the global variables */
/* The place of a structure or array in a variable. make: it will be written, so it is made if it does not exist. */
struct val var_block(struct clause_ctx *cx, const struct expr *e, bool make);
/* The address of a string variable's text, for variables that are kept as text (symbol.as_text). NULL is a fault. */
vreg var_text(struct clause_ctx *cx, const struct expr *e);
void var_release(struct clause_ctx *cx, const struct expr *e); /* of a dynamic variable */
struct val var_read(struct clause_ctx *cx, const struct expr *e);
struct val var_write(struct clause_ctx *cx, const struct expr *lhs, struct val v);
/* Adds delta, atomically if possible. down: the variable is expected to return to 0. False: nothing was emitted. */
bool var_add(struct clause_ctx *cx, const struct expr *lhs, vreg delta, bool down);
void vars_collect(struct clause_ctx *cx, const struct clause *c);
/* Stores a tuple of keys in memory and returns its address; *size: its bytes. Integers take 8 bytes. *word: the only
 * key, if it is a word and nothing is added to it, else 0; word may be NULL. */
vreg key_store(struct clause_ctx *cx, const expr_list *args, const struct symbol *s, uint32_t *size, vreg *word);

/* An element of a map: of an associative array, a thread or a packet. */
struct element {
	vreg map, key;  /* the map; the address of the key, if it is in no table */
	vreg word;      /* the key, if it is a single word; else 0 */
	uint32_t words; /* the table in front of the map, +1 (lower/state/words.c); 0: there is none */
};

/* ---- lower/state/words.c: elements whose key and value are a word */
/* Gives a new variable a table, if it fits, which takes room from its hash, m. */
void words_begin(struct lowerer *lw, struct symbol *s, struct image_map *m);
vreg words_read(struct clause_ctx *cx, const struct element *el); /* 0: there is none */
void words_write(struct clause_ctx *cx, const struct element *el, vreg value);

/* ---- lower/state/vtime.c */
struct val vtime_read(struct clause_ctx *cx, const struct symbol *s);
void vtime_finish(struct lowerer *lw); /* after all probes: the program that vtimestamp needs */

/* ---- lower/state/agg.c: aggregations */
/* What an event adds to a value. */
struct agg_event {
	vreg v;             /* the function's argument; 0: it has none */
	vreg times;         /* events that it stands for (-x samplescale); 0: one */
	vreg level, weight; /* of a distribution: which bucket gets how much, 1 unless the script gives another */
	bool weighs;        /* it does; 0 makes a key without a value */
};

/* An update whose value was computed ahead. */
struct agg_next {
	const struct symbol *s;
	uint32_t id; /* in the image */
	struct agg_event ev;
};

#define AGG_AHEAD 3
/* The keys of an aggregation in memory, and of those that follow it with the same. */
struct agg_key {
	vreg at;                         /* 0: not stored yet */
	uint32_t size;                   /* bytes */
	vreg hash;                       /* for searches in tables of slots; 0: not computed yet */
	uint32_t slots;                  /* the table that was searched (struct agg); 0: none yet */
	vreg slot;                       /* what was found there; 0: neither its slot nor a free one */
	uint32_t front;                  /* the table in front that was searched; 0: none yet */
	vreg front_slot;                 /* what was found there; 0: nothing */
	vreg made;                       /* is it new? Then it has the values of those in next, too */
	struct agg_next next[AGG_AHEAD]; /* of aggregations that follow */
	size_t nnext;
};
/* key: kept from an aggregation with the same keys, or zeroes; its memory is the caller's to release. */
void lower_agg(struct clause_ctx *cx, const struct expr *e, struct agg_key *key);
/* Before lower_agg() of another one with the same keys: computes the value, so that a new slot gets both at once. */
void lower_agg_ahead(struct clause_ctx *cx, const struct expr *e, struct agg_key *key);
/* Are the keys of both stored in the same way, without more in them? */
bool agg_same_store(const struct expr *x, const struct expr *y);
bool agg_sparse(const struct symbol *s);
/* Do its keys begin in a map that all CPUs share, before they are in the one with per-CPU values? */
bool agg_begins_apart(const struct lowerer *lw, const struct symbol *s);
uint32_t agg_index(struct lowerer *lw, struct symbol *s);
void aggs_begin(struct lowerer *lw); /* numbers them in the order of appearance, in which they are printed */

/* ---- lower/state/spec.c: speculations */
vreg spec_begin(struct clause_ctx *cx);                        /* speculation() */
void spec_choose(struct clause_ctx *cx, const struct expr *e); /* speculate(id) */
vreg spec_end(struct clause_ctx *cx, const struct expr *id);   /* commit(id), discard(id): id if it was active, or 0 */

/* ---- lower/state/destructive.c */
void lower_destructive(struct clause_ctx *cx, const struct expr *e); /* raise(), stop(), chill(), ... */
#endif
