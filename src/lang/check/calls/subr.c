/* SPDX-License-Identifier: GPL-2.0-or-later */
/* subr: checks subroutines that work on characters and memory, by a table of prototypes.
 * Input: a call. Output: its type, and the form of the string that it makes.
 * Source: D manual, chapter "Actions and Subroutines". */
#include <string.h>

#include "lang/check/calls/calls.h"

/* A letter for each argument and one for the result, see FUNCS in check.h. */
struct proto {
	const char *args;
	char result;
};

/* NULL: the function has no prototype here. */
static const struct proto *proto_of(enum func f)
{
	static const struct proto protos[FN_COUNT] = {
#define X(n, c, lo, hi, ...) [FN_##n] = { __VA_ARGS__ },
		FUNCS(X)
#undef X
	};

	return protos[f].args ? &protos[f] : NULL;
}

static bool points_to_chars(const struct type *t)
{
	return t->kind == T_PTR && (t->of->kind == T_VOID || (t->of->kind == T_INT && t->of->size == 1));
}

/* Does an argument of type t fit the letter of the prototype? */
static bool takes(char letter, const struct type *t)
{
	switch (letter) {
	case 's':
	case 'n':
		return type_is_string(t) || points_to_chars(t);
	case 'i':
		return type_is_int(t);
	case 'a':
		return type_is_int(t) || t->kind == T_PTR;
	case '6':
		return t->kind == T_PTR && (t->of->kind == T_VOID || !strcmp(t->of->name, "in6_addr"));
	default:
		return t->kind == T_PTR || t->kind == T_ARRAY || type_is_string(t);
	}
}

static const char *wanted(char letter)
{
	return letter == 's' || letter == 'n' ? "a string"
		: letter == 'i'               ? "an integer"
		: letter == 'a'               ? "an address"
		: letter == '6'               ? "a struct in6_addr *"
					      : "a pointer";
}

/* NULL is taken for every argument: at run time the call faults, as in DTrace. */
bool check_subr(struct checker *ck, struct expr *e, struct type **result)
{
	const struct proto *p = proto_of(e->sym->func);
	struct types *ts = ck->ts;

	*result = NULL;
	if (!p)
		return false;
	for (size_t i = 0; i < e->args.n; i++) {
		struct expr *a = e->args.v[i];
		struct type *t = check_valued(ck, a, D_PROTO_ARG);

		if (!t)
			return true;
		if (!is_xlated(a) && (takes(p->args[i], t) || expr_is_null(ts, a)))
			continue;
		err(ck, a->loc, D_PROTO_ARG, NULL, "argument %zu of %s() must be %s, not %s", i + 1, e->name,
			wanted(p->args[i]), type_name(ts, t));
		return true;
	}
	*result = p->result == 's' ? ts->string
		: p->result == 'i' ? ts->int32
		: p->result == 'l' ? ts->int64
		: p->result == 'z' ? ts->uint64
		: p->result == 'u' ? ts->uint32
		: p->result == 'v' ? ts->void_
				   : type_ptr(ts, ts->void_);
	return true;
}

/* Bytes that the text of a string argument takes. */
static uint32_t arg_size(struct checker *ck, const struct expr *e, size_t i)
{
	const struct expr *a = i < e->args.n ? e->args.v[i] : NULL;
	int form = a && a->type && type_is_string(a->type) ? expr_form(ck, a) : 0;

	if (!a || !a->type || !type_is_string(a->type))
		return ck->strsize;
	return form_chars(form ? form : FORM_LIT);
}

/* Bytes of the result of copyinstr(a[, most]), its NUL included: less than strsize if a constant says so. */
static uint32_t copyinstr_size(struct checker *ck, const struct expr *e)
{
	int64_t n;

	if (e->args.n > 1 && const_eval(ck->ts, ck->d, e->args.v[1], &n) && n >= 0 && n < ck->strsize)
		return (uint32_t)n + 1;
	return ck->strsize;
}

/* The form of the string that a call makes. Its size bounds the copies that later stages make of it. */
int subr_form(struct checker *ck, const struct expr *e)
{
	uint32_t size = arg_size(ck, e, 0);

	switch ((int)e->sym->func) {
	case FN_inet_ntoa:
	case FN_inet_ntoa6:
	case FN_inet_ntop:
		return FORM_ADDR;
	case FN_link_ntop:
		return form_of_text(ck, 64);
	case FN_lltostr:
		return form_of_text(ck, e->args.n > 1 ? 72 : 24);
	case FN_copyinstr:
		return form_of_text(ck, copyinstr_size(ck, e));
	case FN_strjoin:
		return form_of_text(ck, size + arg_size(ck, e, 1) - 1);
	case FN_json:
	case FN_strchr:
	case FN_strrchr:
	case FN_strstr:
		return form_of_text(ck, size) | FORM_NULL;
	case FN_strtok: /* what is split may come from another clause */
		return form_of_text(ck, ck->strsize) | FORM_NULL;
	default:
		return form_of_text(ck, size < 3 ? 3 : size);
	}
}

/* Does the subroutine look at characters? Then its string arguments are kept as characters. */
bool subr_needs_text(const struct expr *e)
{
	return e->kind == EX_CALL && e->sym && e->sym->kind == SYM_FUNC && proto_of(e->sym->func) != NULL;
}

bool expr_is_null(struct types *ts, const struct expr *e)
{
	struct diags *quiet = diags_new(ts->arena);
	int64_t v;

	if (e->sym && e->sym->kind == SYM_INLINE && !e->sym->nkeys) {
		if (e->kind == EX_INT && strcmp(e->sym->name, "NULL") == 0) /* an int */
			return e->ival == 0;
		e = e->sym->inl->value;
	}
	if (!e->type || e->type->kind != T_PTR)
		return false;
	while (e->kind == EX_CAST)
		e = e->a;
	return const_eval(ts, quiet, e, &v) && !v;
}
