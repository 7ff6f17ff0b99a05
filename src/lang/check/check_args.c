/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_args: gives args[] its types, from the text in the provider's table.
 * Input: the probes of a clause. Output: the type of an argument, and whether a translator makes it.
 * Invariant: all probes of the clause agree on the type, or an error was reported. */
#include <stdlib.h>
#include <string.h>

#include "lang/check/check_priv.h"

/* The base type that a provider's text names: "struct x", "unsigned long", a typedef. NULL if this kernel does not
 * have it. */
static struct type *sig_base(struct checker *ck, const char *word)
{
	static const struct {
		const char *name;
		uint32_t size;
		bool is_signed;
	} ints[] = {
		{ "int", 4, true },
		{ "unsigned int", 4, false },
		{ "long", 8, true },
		{ "unsigned long", 8, false },
		{ "short", 2, true },
		{ "unsigned short", 2, false },
		{ "unsigned char", 1, false },
	};
	struct types *ts = ck->ts;

	for (size_t i = 0; i < sizeof(ints) / sizeof(ints[0]); i++)
		if (!strcmp(word, ints[i].name))
			return type_int(ts, ints[i].size, ints[i].is_signed);
	if (!strncmp(word, "struct ", 7))
		return types_tagged(ts, T_STRUCT, word + 7);
	if (!strncmp(word, "union ", 6))
		return types_tagged(ts, T_UNION, word + 6);
	if (!strncmp(word, "enum ", 5))
		return types_tagged(ts, T_ENUM, word + 5);
	return !strcmp(word, "void")      ? ts->void_
		: !strcmp(word, "char")   ? ts->char_
		: !strcmp(word, "bool")   ? ts->bool_
		: !strcmp(word, "string") ? ts->string
					  : types_typedef(ts, word);
}

/* The type of an argument from its text, "csinfo_t *" or "char [16]"; cached by the text. An unknown type becomes an
 * integer of 64 bits, so that the argument can still be printed. */
static struct type *sig_type(struct checker *ck, const char *text)
{
	struct type *t = strmap_get(ck->sig_types, text);
	size_t n = strcspn(text, "*[");
	const char *elems = strchr(text, '[');

	if (t)
		return t;
	check_use(ck, text);
	while (n && text[n - 1] == ' ')
		n--;
	t = sig_base(ck, arena_strndup(ck->arena, text, n));
	if (!t)
		t = ck->ts->int64;
	for (const char *s = strchr(text, '*'); s && *s; s++)
		t = type_ptr(ck->ts, t);
	if (elems)
		t = type_array(ck->ts, t, (uint32_t)strtoul(elems + 1, NULL, 10));
	strmap_put(ck->sig_types, text, t);
	return t;
}

/* How many typed arguments the probe has. */
static unsigned sig_nargs(const struct probe_sig *s)
{
	unsigned n = 0;

	while (s->args && s->args[n])
		n++;
	return n;
}

/* Does a translator of the library make this argument from the site's own structure? */
static bool is_translated(struct checker *ck, const char *raw, const char *text)
{
	struct type *t = strchr(text, '*') ? sig_type(ck, text) : NULL;

	return t && t->kind == T_PTR && type_is_sou(t->of) && check_xlator(ck, raw, t->of) != NULL;
}

/* The type of args[i], on which all probes of the clause must agree. NULL after an error. */
static struct type *sig_arg_type(struct checker *ck, struct expr *at, unsigned i, bool *xlated)
{
	const char *text = NULL;

	for (size_t p = 0; p < ck->nsigs; p++) {
		const struct probe_sig *s = ck->sigs[p];
		unsigned n = sig_nargs(s);

		if (i >= n)
			return err(ck, at->loc, D_ARGS_IDX, n ? NULL : "this probe has no typed arguments",
				"args[%u]: %s:::%s has %u argument%s", i, s->prov, s->name, n, n == 1 ? "" : "s");
		if (text && strcmp(text, s->args[i]))
			return err(ck, at->loc, D_ARGS_MULTI, "use one clause for each kind of probe",
				"args[%u] has not one type in all probes of this clause: %s and %s", i, text,
				s->args[i]);
		text = s->args[i];
		*xlated = s->raw && is_translated(ck, s->raw, text);
	}
	if (!text)
		return err(ck, at->loc, D_ARGS_NONE, NULL, "args[] has no meaning here");
	return sig_type(ck, text);
}

/* args[i]: the index is a constant, since each argument has its own type. */
struct type *check_args(struct checker *ck, struct expr *e)
{
	int64_t i;
	bool xlated = false;
	struct type *t;

	if (e->args.n != 1 || !check_expr(ck, e->args.v[0]))
		return e->args.n == 1 ? NULL : err(ck, e->loc, D_ARGS_TYPE, NULL, "args[] takes one index");
	if (!const_eval(ck->ts, ck->d, e->args.v[0], &i))
		return err(ck, e->args.v[0]->loc, D_ARGS_TYPE, NULL, "the index of args[] must be an integer constant");
	if (i < 0 || i > 63)
		return err(ck, e->args.v[0]->loc, D_ARGS_IDX, NULL, "there is no args[%lld]", (long long)i);
	t = sig_arg_type(ck, e, (unsigned)i, &xlated);
	if (!t)
		return NULL;
	e->ival = (uint64_t)i;
	if (xlated) {
		e->xl = ARENA_NEW(ck->arena, struct xlate_use);
		e->xl->out = t->of;
		e->xl->argno = (unsigned)i;
	}
	return t;
}

/* The member whose name is, or ends in, name. NULL: none. */
static const char *member_meant(struct types *ts, struct type *t, const char *name)
{
	uint32_t off;
	const char *near;

	if (t->kind != T_PTR || !type_is_sou(t->of))
		return NULL;
	if (type_find_member(ts, t->of, name, &off))
		return name;
	near = type_nearest_member(ts, t->of, name);
	return near && strlen(near) > strlen(name) && !strcmp(near + strlen(near) - strlen(name), name) ? near : NULL;
}

/* Suggests args[i]->name for a bare name, by the first probe of the clause; or NULL. The closest member wins. */
const char *args_member_hint(struct checker *ck, const char *name)
{
	unsigned n = name && ck->nsigs ? sig_nargs(ck->sigs[0]) : 0, arg = 0;
	const char *best = NULL;

	for (unsigned i = 0; i < n; i++) {
		const char *member = member_meant(ck->ts, sig_type(ck, ck->sigs[0]->args[i]), name);

		if (member && (!best || strlen(member) < strlen(best))) {
			best = member;
			arg = i;
		}
	}
	return best ? arena_printf(ck->arena, "did you mean args[%u]->%s?", arg, best) : NULL;
}
