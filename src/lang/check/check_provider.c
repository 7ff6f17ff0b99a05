/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_provider: checks the declaration of a program's own probes.
 * Input: struct provider_decl of the parser. Output: size and sign of each argument.
 * Invariant: an argument is an integer or an address, so that it fits a register. */
#include "lang/check/check_priv.h"

/* The most arguments: as many as readers of notes take, and as leave the compiler registers enough. */
#define PROBE_ARGS_MAX 12u

static void set_pointer(struct provider_arg *a)
{
	a->size = 8;
	a->is_signed = false;
	a->is_pointer = true;
}

/* What a pointer points to need not be known. */
static bool is_address(const struct tyx *x)
{
	return x->kind == TYX_PTR || x->kind == TYX_ARRAY || x->kind == TYX_FUNC ||
		(x->kind == TYX_BASIC && (x->spec & SPEC_STRING));
}

static void check_argument(struct checker *ck, struct provider_arg *a)
{
	struct type *t;

	if (is_address(a->type)) {
		set_pointer(a);
		return;
	}
	if (a->type->kind == TYX_NAME && !a->type->scope && !types_typedef(ck->ts, a->type->name)) {
		err(ck, a->type->loc, D_TYPE_ERR, "declare it before the provider, as in typedef int name_t;",
			"there is no type %s", a->type->name);
		return;
	}
	t = types_resolve(ck->ts, ck->d, a->type);
	if (!t)
		return;
	if (t->kind == T_PTR || t->kind == T_ARRAY || t->kind == T_STRING || t->kind == T_FUNC)
		set_pointer(a);
	else if (type_is_int(t)) {
		a->size = t->size;
		a->is_signed = t->is_signed;
	} else
		err(ck, a->type->loc, D_DECL_PROTO_TYPE, type_is_sou(t) ? "pass its address" : NULL,
			"an argument of a probe is an integer or a pointer, not %s", type_name(ck->ts, t));
}

void check_provider(struct checker *ck, struct provider_decl *prov)
{
	for (size_t i = 0; i < prov->probes.n; i++) {
		struct provider_probe *probe = &prov->probes.v[i];

		if (probe->args.n > PROBE_ARGS_MAX)
			err(ck, probe->loc, D_PROV_PRARGLEN, NULL, "probe %s has %zu arguments, more than %u",
				probe->name, probe->args.n, PROBE_ARGS_MAX);
		for (size_t k = 0; k < probe->args.n; k++)
			check_argument(ck, &probe->args.v[k]);
	}
}
