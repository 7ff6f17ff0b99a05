/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls: checks calls of D's functions: actions, subroutines, aggregating functions, and names of addresses. The rest
 * of the checker calls it for each call that it meets; it calls check_expr() for the arguments. */
#ifndef DWIRE_LANG_CHECK_CALLS_CALLS_H
#define DWIRE_LANG_CHECK_CALLS_CALLS_H
#include "lang/check/check_priv.h"

/* call.c */
/* A call as a value. The type, or NULL after an error was reported. */
struct type *check_call(struct checker *ck, struct expr *e);
/* The function that a call names; checks the number of arguments. NULL after an error was reported. */
struct symbol *func_find(struct checker *ck, struct expr *e);
/* Replaces f(...), `v and `v.m by the inline __f, __sym_v or __sym_v_m of dlib. False: there is none. */
bool check_dlib_call(struct checker *ck, struct expr *e);
bool check_dlib_symbol(struct checker *ck, struct expr *e);
bool check_dlib_member(struct checker *ck, struct expr *e);

/* subr.c */
/* Checks a call of a subroutine. False: it is no subroutine. *result NULL: an error was reported. */
bool check_subr(struct checker *ck, struct expr *e, struct type **result);
/* The form of the string that a subroutine returns. */
int subr_form(struct checker *ck, const struct expr *e);
/* Does the subroutine need the characters of its arguments? */
bool subr_needs_text(const struct expr *e);

/* sym.c: checks a datum to record: an expression, or a call of func, stack, ... none: the tag of the error if it has no
 * value. NULL after an error was reported. */
struct type *check_datum(struct checker *ck, struct expr *e, enum dtag none);

/* act.c */
void check_action(struct checker *ck, struct expr *e);

/* pcap.c: pcap(args[0]), pcap(args[0], bytes). Its arguments become the members that a capture file needs. */
void check_pcap(struct checker *ck, struct expr *e);
struct type *check_pcap_match(struct checker *ck, struct expr *e);

/* spec.c: may the actions of a checked clause stand together? */
void check_together(struct checker *ck, const struct clause *c);

/* agg.c */
void check_agg_assign(struct checker *ck, struct expr *e);
struct symbol *check_agg_ref(struct checker *ck, struct expr *e); /* NULL after an error was reported */

/* elsewhere.c: the hint at D's counterpart of a name of another tracer or of C; NULL: not known */
const char *elsewhere_func(const char *name);
const char *elsewhere_var(const char *name);
#endif
