/* SPDX-License-Identifier: GPL-2.0-or-later */
/* btf_func: finds kernel functions in BTF and classifies their arguments and results.
 * Input: a module and a name. Output: struct kfunction. */
#include <stdlib.h>
#include <string.h>

#include "kernel/btf/btf_priv.h"

/* Builds an index of all functions, when one is first asked for. False: no memory. */
static bool index_functions(struct kbtf *k)
{
	uint32_t n = k->base ? 256 : 1u << 16;

	if (k->funcs)
		return true;
	while (n <= k->n)
		n *= 2;
	k->funcs = calloc(n, sizeof(*k->funcs));
	if (!k->funcs)
		return false;
	k->nfuncs = n;
	for (uint32_t id = base_n(k) + !k->base; id < base_n(k) + k->n; id++) {
		const struct btf_type *t = type_at(k, id);

		if (btf_is_func(t))
			index_add(k->funcs, n, str_at(k, t->name_off), id);
	}
	return true;
}

/* The function's prototype, and its id in *id; NULL: there is no such function, or no memory for the index. */
static const struct btf_type *func_proto(struct kbtf *k, const char *name, uint32_t *id)
{
	uint32_t h = name_hash(name);
	const struct btf_type *t;

	*id = 0;
	if (!index_functions(k))
		return NULL;
	for (; (*id = k->funcs[h & (k->nfuncs - 1)]) != 0; h++) {
		t = type_at(k, *id);
		if (!strcmp(str_at(k, t->name_off), name)) {
			t = type_at(k, t->type);
			return btf_is_func_proto(t) ? t : NULL;
		}
	}
	return NULL;
}

/* The verifier lets programs follow pointers to structures, and treats pointers to numbers or void as numbers. It
 * refuses other pointers, and before Linux 6.15 const void * too. Structures of modules have no id that we can use:
 * programs read them with the helper. */
uint32_t kbtf_known_pointee(const struct kbtf *k, uint32_t id)
{
	const struct btf_type *t = kbtf_skip_modifiers(k, &id);

	if (!t || !btf_is_ptr(t) || !t->type)
		return 0;
	id = t->type;
	t = kbtf_skip_modifiers(k, &id);
	if (t && btf_is_int(t))
		return 0;
	return t && btf_is_composite(t) && (!k->base || id < k->base->n) ? id : KBTF_OPAQUE;
}

/* The BTF of the module, or of the kernel if module is NULL. */
static struct kbtf *of_module(struct kbtf *k, const char *module)
{
	return module ? kbtf_open_module(k, module, strlen(module)) : k;
}

/* Words that a value takes as an argument. */
static unsigned words_of(const struct btf_type *t)
{
	if (!t || (!btf_is_composite(t) && !btf_is_int(t)) || t->size <= 8)
		return 1;
	return t->size < 8 * UINT8_MAX ? (t->size + 7) / 8 : UINT8_MAX;
}

#define FENTRY_WORDS 6 /* before Linux 6.6 */

bool kbtf_function(struct kbtf *k, const char *module, const char *name, struct kfunction *out)
{
	const struct btf_type *p, *t;
	unsigned sum = 0;
	uint32_t id;

	*out = (struct kfunction){ .id = 0 };
	k = of_module(k, module);
	p = k ? func_proto(k, name, &out->id) : NULL;
	if (!p)
		return false;
	out->nargs = btf_vlen(p);
	for (unsigned i = 0; i < out->nargs && i < KBTF_ARGS; i++) {
		id = btf_params(p)[i].type;
		out->of[i] = kbtf_known_pointee(k, id);
		t = kbtf_skip_modifiers(k, &id);
		out->words[i] = (uint8_t)words_of(t);
		out->unusual |= !t || btf_is_composite(t) || out->words[i] != 1;
		sum += out->words[i];
	}
	out->of[KBTF_ARGS] = kbtf_known_pointee(k, p->type);
	id = p->type;
	t = kbtf_skip_modifiers(k, &id);
	out->returns = t != NULL;
	out->unusual |=
		sum > FENTRY_WORDS || out->nargs > KBTF_ARGS || (t && (btf_is_composite(t) || words_of(t) != 1));
	return true;
}

const char *kbtf_function_arg_text(struct kbtf *k, struct arena *a, const char *module, const char *name, unsigned i)
{
	uint32_t id = 0;
	const struct btf_type *p;

	k = of_module(k, module);
	p = k ? func_proto(k, name, &id) : NULL;
	return p ? kbtf_d_text(k, a, i < btf_vlen(p) ? btf_params(p)[i].type : p->type) : "long";
}
