/* SPDX-License-Identifier: GPL-2.0-or-later */
/* btf_sym: types and addresses of kernel symbols (`name in D).
 * Input: a name. Output: its address, from ksyms.h, and its type: from BTF, which has only per-CPU variables; else
 * from the list in ksyms.c; else an integer of the symbol's size. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/btf/btf_priv.h"
#include "kernel/ksyms.h"

/* "struct task_struct *", "unsigned long [3]": the words that ksyms_type() says. */
static struct type *type_of_text(struct types *ts, const char *text)
{
	size_t n = strcspn(text, "*[");
	const char *word;
	struct type *t;

	while (n && text[n - 1] == ' ')
		n--;
	word = arena_strndup(ts->arena, text, n);
	if (!strncmp(word, "struct ", 7))
		t = types_tagged(ts, T_STRUCT, word + 7);
	else if (!strcmp(word, "unsigned long"))
		t = ts->ulong_;
	else if (!strcmp(word, "unsigned int"))
		t = ts->uint32;
	else
		t = !strcmp(word, "long")       ? ts->long_
			: !strcmp(word, "int")  ? ts->int32
			: !strcmp(word, "char") ? ts->char_
			: !strcmp(word, "void") ? ts->void_
						: ts->uint64;
	text = strpbrk(text, "*[");
	if (t && text && *text == '*')
		return type_ptr(ts, t);
	return t && text ? type_array(ts, t, (uint32_t)strtoul(text + 1, NULL, 10)) : t;
}

/* The type of a symbol that no list has: an integer of the symbol's size, if that is small. */
static struct type *guess_type(struct types *ts, const struct ksym *s)
{
	struct type *t;

	if (s->type == 'T' || s->type == 't' || s->type == 'W' || s->type == 'w') {
		t = type_new(ts, T_FUNC, "", 0, false);
		t->of = ts->int32;
		return t;
	}
	if (s->room && s->room <= 4)
		return ts->int32;
	return s->room == 8 ? ts->long_ : NULL;
}

/* The offset of a per-CPU variable in the per-CPU memory; false: BTF does not have it. */
static bool percpu_offset(const struct kbtf *k, uint32_t var, uint32_t *off)
{
	for (uint32_t id = k->n; --id > 0;) { /* such lists come last */
		const struct btf_type *t = type_at(k, id);
		const struct btf_var_secinfo *v = btf_is_datasec(t) ? btf_var_secinfos(t) : NULL;

		for (unsigned i = 0; v && i < btf_vlen(t); i++)
			if (v[i].type == var) {
				*off = v[i].offset;
				return true;
			}
		if (v)
			return false;
	}
	return false;
}

static bool has_member(struct types *ts, const char *tag, const char *member)
{
	struct type *t = types_tagged(ts, T_STRUCT, tag);
	uint32_t bit;

	if (t)
		type_complete(ts, t);
	return t && type_find_member(ts, t, member, &bit);
}

/* The kernel reports no addresses of per-CPU variables. But every thread points to the runqueue of its CPU, which is
 * a per-CPU variable too, and BTF has the distance between the two. */
static bool near_runqueue(const struct kbtf *k, struct types *ts, uint32_t var, struct ksymbol *out)
{
	uint32_t rq = kbtf_find_id(k, "runqueues", 1u << BTF_KIND_VAR), at, from;

	if (!var || !rq || !percpu_offset(k, var, &at) || !percpu_offset(k, rq, &from) ||
		!has_member(ts, "task_struct", "se") || !has_member(ts, "sched_entity", "cfs_rq") ||
		!has_member(ts, "cfs_rq", "rq"))
		return false;
	out->by_runqueue = true;
	out->distance = (int64_t)at - from;
	return true;
}

int kbtf_symbol(void *ctx, struct types *ts, const char *module, const char *name, struct ksymbol *out)
{
	struct kbtf *k = ctx;
	uint32_t var = kbtf_var(k, name);
	const char *text = ksyms_type(name);
	struct ksym s;
	int err = k->syms ? 0 : ksyms_open(&k->syms);

	*out = (struct ksymbol){ 0 };
	if (!err)
		err = ksyms_find(k->syms, module, name, &s);
	if (err == -ENOENT && near_runqueue(k, ts, var, out)) {
		out->type = kbtf_make_type(k, ts, type_at(k, var)->type);
		type_complete(ts, out->type);
		return 0;
	}
	if (err) /* without CONFIG_KALLSYMS_ALL variables are not in the list */
		return err == -ENOENT && (var || text) ? -ENODATA : err;
	out->addr = s.addr;
	if (var) { /* of variables BTF has those that each CPU has its own of */
		out->percpu = var;
		out->type = kbtf_make_type(k, ts, type_at(k, var)->type);
	} else {
		out->type = text ? type_of_text(ts, text) : guess_type(ts, &s);
	}
	if (out->type)
		type_complete(ts, out->type);
	return 0;
}
