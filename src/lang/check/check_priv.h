/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_priv: what the files of the checker share. They call each other, as the recursion over the tree does. */
#ifndef DWIRE_LANG_CHECK_CHECK_PRIV_H
#define DWIRE_LANG_CHECK_CHECK_PRIV_H
#include "lang/check/check.h"

#define FRAMES_MAX 127 /* the most that the kernel records: sysctl kernel.perf_event_max_stack */

struct checker {
	struct arena *arena;
	struct diags *d;
	struct types *ts;
	uint32_t strsize, stackframes, ustackframes, jstackframes, maxframes;
	uint32_t pcapsize;          /* bytes of a packet that pcap() keeps, unless it says */
	bool exits;                 /* the script calls exit() */
	uint32_t alike;             /* groups of aggregations with the same keys, so far */
	bool warned_running;        /* of execname where the running process is often another one */
	struct strmap *assoc_types; /* typedefs of associative arrays: name -> struct tyx */
	struct strmap *forgone;     /* variables that unchecked clauses and failed assignments assign */
	struct strmap *hidden;      /* names that sym_find() does not find */
	struct strmap *globals, *selfs, *thiss, *pkts, *aggs, *funcs;
	struct strmap *shadowed; /* inlines of dlib that a script has redefined: dlib itself still uses its own */
	VEC(struct symbol *) agg_list;
	VEC(struct xlator *) xlators;
	VEC(struct program *) settled;            /* whose strings' forms are settled together */
	struct strmap *sig_types;                 /* text of an argument's type -> struct type */
	struct strmap *members;                   /* "xlator address.member" -> checked mark */
	void (*use)(void *ctx, const char *text); /* see checker_use() */
	void *use_ctx;
	/* while a clause, inline or translator is checked */
	const struct probe_sig *const *sigs;
	size_t nsigs;
	struct symbol **params;
	size_t nparams;
	bool library;     /* the text being checked is part of dlib */
	bool beside_text; /* what is being checked is compared with a string */
	bool in_clause;
	bool in_key;         /* of an aggregation */
	uint32_t ustackcopy; /* bytes of a process's stack that ustack() copies; 0: it records frames */
};

static inline const char *tname(struct checker *ck, const struct type *t)
{
	return type_name(ck->ts, t);
}

/* The type, or NULL after an error was reported. */
struct type *check_expr(struct checker *ck, struct expr *e);
/* check_expr() for an operand. none: the tag of the error if it is an aggregation or an action, which have no value. */
struct type *check_valued(struct checker *ck, struct expr *e, enum dtag none);
struct type *check_enum(struct checker *ck, struct expr *e);
/* Replaces an expression whose type is an enum by the name of its value, a string. False: not possible. */
bool check_enum_name(struct checker *ck, struct expr *e);
struct symbol *sym_new(struct checker *ck, enum sym_kind kind, const char *name, struct loc loc);
struct symbol *sym_find(struct checker *ck, const char *name, enum var_scope scope);
struct strmap *sym_scope(struct checker *ck, enum var_scope scope);
const char *sym_nearest(struct checker *ck, const char *name, enum var_scope scope);

/* alike.c: when the forms are settled. */
void check_alike(struct checker *ck, struct program *p);

/* check_args.c */
struct type *check_args(struct checker *ck, struct expr *e);
/* "did you mean args[2]->ip_saddr?": the argument that has a member of this name, or one that ends so; NULL: none. */
const char *args_member_hint(struct checker *ck, const char *name);

/* check_name.c */
void check_inline(struct checker *ck, struct symbol *s); /* once: its value, with its parameters in scope */
struct type *check_ident(struct checker *ck, struct expr *e);
struct type *check_index(struct checker *ck, struct expr *e);
struct type *check_scoped(struct checker *ck, struct expr *e, bool address);

/* check_member.c */
struct type *check_member(struct checker *ck, struct expr *e);
struct type *check_sizeof(struct checker *ck, struct expr *e);
struct type *check_offsetof(struct checker *ck, struct expr *e);

/* check_op.c */
struct type *check_binary(struct checker *ck, struct expr *e);
struct type *check_unary(struct checker *ck, struct expr *e);
struct type *check_cond(struct checker *ck, struct expr *e);
/* Checks the condition of a ?:. If it is an integer constant, e becomes the arm that it chooses. The other arm is never
 * checked, as in DTrace, which chooses while it parses. False after an error. */
bool check_decided(struct checker *ck, struct expr *e);
/* The rest of a ?: whose condition check_decided() has checked. */
struct type *check_arms(struct checker *ck, struct expr *e);

/* check_text.c */
/* Converts a char * to the string that it points to, like stringof, where a string is required. False: it is none. */
bool check_text_of(struct checker *ck, struct expr **e);
/* Converts a string, or an array of characters that a translator makes, to the address of its characters, a char *,
 * where a pointer is required. False: it is neither. */
bool check_chars_of(struct checker *ck, struct expr **e);
/* Checks s + 1 and 1 + s, whose operands are checked: the string without its first characters. */
struct type *check_rest_of(struct checker *ck, struct expr *e);

/* check_expr.c, check.c */
bool is_xlated(const struct expr *e);
/* Can a t be a key? Structures, unions and arrays are keys by their bytes. False: an error was reported. */
bool check_key_type(struct checker *ck, struct loc at, struct type *t);
/* Is it an aggregation, an action or an aggregating function? They have no value. */
bool has_no_value(struct checker *ck, const struct expr *e);
/* Refuses a translated structure or a pointer to one: only its members are values. False: an error was reported. */
bool check_is_value(struct checker *ck, const struct expr *e);

/* check_xlate.c */
struct type *check_xlate(struct checker *ck, struct expr *e);
/* e reads a variable that keeps a translated pointer: e becomes the translated value. */
struct type *check_kept_xlate(struct checker *ck, struct expr *e, struct symbol *s);
/* Checks e->a = e->b, where e->b is translated and of type rt. */
struct type *check_assign_xlated(struct checker *ck, struct expr *e, struct type *rt);

/* check_provider.c */
/* Finds the size and the sign of each argument of a program's own probes. */
void check_provider(struct checker *ck, struct provider_decl *prov);

/* check_assign.c, check.c, symbols.c */
void checker_forgo_variable(struct checker *ck, const struct expr *to);
struct type *check_assign(struct checker *ck, struct expr *e);
/* Checks the operand of a unary operator. x++ creates x if it does not exist. */
struct type *check_step_operand(struct checker *ck, struct expr *e);
struct type *check_step(struct checker *ck, struct expr *e, struct type *t); /* ++ and -- on an operand of type t */
/* Checks the left side of an assignment of a value of type rt. A variable that does not exist is created. */
struct type *check_lhs(struct checker *ck, struct expr *e, struct type *rt);
/* The hint for an error where an integer or a pointer is required as a truth value and t is neither; or NULL. */
const char *check_truth_hint(const struct type *t);
/* Is e a variable of the script, or a part of one? */
bool check_in_variable(const struct expr *e);
/* Can something of type to take a value of type from? */
bool type_fits(struct checker *ck, const struct type *to, const struct type *from);
/* The place that keeps the form of a string variable, or of a member or element of a variable. NULL: there is none. */
int *form_kept(struct expr *e);
/* Do a, of type at, and b mix? A pointer and an integer do only if one is a constant 0. a NULL: the left side of an
 * assignment. In dlib they always mix. */
bool numbers_fit(struct checker *ck, const struct expr *a, const struct type *at, const struct expr *b);
struct type *err(struct checker *ck, struct loc at, enum dtag tag, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
#endif
