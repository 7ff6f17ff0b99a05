/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text: strings: literals, addresses kept as bytes, characters in registers or memory; and values that are printed as
 * names. */
#ifndef DWIRE_LOWER_TEXT_TEXT_H
#define DWIRE_LOWER_TEXT_TEXT_H
#include "lower/context.h"

/* ---- lower/text/str.c: strings of all representations */
int32_t lit_number(struct lowerer *lw, const char *s, size_t len);
struct sval new_str(struct lowerer *lw, enum str_rep rep, unsigned n);
struct sval str_const(struct clause_ctx *cx, const char *s, size_t len);
struct sval str_convert(struct clause_ctx *cx, struct sval s, int form);
void str_store(struct clause_ctx *cx, struct sval s, vreg base, int32_t off);
void str_store_key(struct clause_ctx *cx, struct sval s, int form, vreg base, int32_t off); /* padded with zeroes */
void zero_bytes(struct clause_ctx *cx, vreg base, int32_t off, uint32_t size);
vreg str_text(struct clause_ctx *cx, struct sval *s); /* the memory of a REP_TEXT; writes a literal there first */
struct sval text_at(vreg mem, int form);
struct sval text_new(struct clause_ctx *cx, int form); /* room in scratch memory; nothing is written */
struct sval str_load(struct clause_ctx *cx, int form, vreg base, int32_t off, bool pure);
struct sval str_vars(struct clause_ctx *cx, int form);
void str_set(struct clause_ctx *cx, struct sval vars, struct sval s);
struct sval tstr_vars(struct clause_ctx *cx, int form);
struct sval str_zero(struct clause_ctx *cx, int form);
struct sval str_null(struct clause_ctx *cx, int form); /* NULL if the form can express it, else "" */
struct sval str_of_chars(struct clause_ctx *cx, struct val mem);

/* ---- lower/text/str_expr.c: expressions that are strings */
struct sval lower_str(struct clause_ctx *cx, const struct expr *e);
struct sval lower_str_as(struct clause_ctx *cx, const struct expr *e, int form);
struct sval str_of_zone(struct clause_ctx *cx, vreg netns);

/* ---- lower/text/choice.c: ?: between literals by a number, from a table; false: it is another kind of choice */
bool choice_str(struct clause_ctx *cx, const struct expr *e, struct sval *s);

/* ---- lower/text/str_cmp.c: comparisons */
void str_jump(struct clause_ctx *cx, const struct expr *e, uint32_t label, bool when);
void str_truth_jump(struct clause_ctx *cx, struct sval s, uint32_t label, bool when);

/* ---- lower/text/text.c: subroutines on characters; false: not one of them */
bool lower_text_call(struct clause_ctx *cx, const struct expr *e, struct sval *out);
bool lower_text_number(struct clause_ctx *cx, const struct expr *e, vreg *out);
struct sval str_at(struct clause_ctx *cx, vreg addr);                    /* in the kernel's memory */
struct sval str_at_address(struct clause_ctx *cx, const struct expr *e); /* stringof a pointer */
void str_need(struct clause_ctx *cx, const struct sval *s);              /* NULL is a fault */
void text_collect(struct prog_ctx *pg, const struct expr *e);            /* places data that lasts for all clauses */

/* ---- lower/text/sym.c: func, stack, ...: addresses that are printed as names */
enum field_kind sym_field(const struct type *t); /* FIELD_INT: a plain number */
/* Stores what e records (e->type->special, or an address for %A) in size bytes at base + off. */
void sym_store(struct clause_ctx *cx, const struct expr *e, uint32_t size, vreg base, int32_t off);
struct val sym_builtin(struct clause_ctx *cx, const struct symbol *s); /* caller, stackdepth, ... */

/* ---- lower/text/path.c */
struct sval path_str(struct clause_ctx *cx, const struct expr *e);   /* d_path(struct path *) */
struct sval psargs_str(struct clause_ctx *cx, const struct expr *e); /* __psargs(struct mm_struct *, size) */

/* ---- lower/text/inet.c */
vreg lower_inet_in(struct clause_ctx *cx, const struct expr *e); /* 1: the address is in the network; else 0 */
#endif
