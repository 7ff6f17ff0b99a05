/* SPDX-License-Identifier: GPL-2.0-or-later */
/* service_core: fills in what depends on the running kernel: offsets of members, ids of types and functions, maps.
 * Input: the instructions of a service and its list of places; the kernel's BTF. Output: instructions to be loaded.
 * Invariant: a member that the kernel lacks leaves an instruction that the verifier refuses, if a program can come
 * there. Source: the meaning of relocations, as in libbpf's documentation of CO-RE. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "kernel/btf/btf.h"
#include "lang/types.h"
#include "owner/service_priv.h"

#define NAME_MAX_LEN 64
#define NO_HELPER 0xbad2310 /* the number that libbpf uses: known from the verifier's messages */

/* What the kernel says of a relocation. */
struct answer {
	bool known;
	uint64_t value;
	uint32_t size; /* CORE_OFFSET: of a number that is no bit-field; else 0 */
};

/* A member: where it is and how large. */
struct place {
	uint64_t bit;
	uint32_t bits, size; /* bits: of a bit-field, else 0; size: of its type */
	bool is_signed, is_number;
};

/* The next name of a path; false: there are no more. */
static bool next_name(const char **path, char name[NAME_MAX_LEN])
{
	size_t n = strcspn(*path, ".");

	if (!n || n >= NAME_MAX_LEN)
		return false;
	memcpy(name, *path, n);
	name[n] = '\0';
	*path += n + ((*path)[n] == '.');
	return true;
}

/* A number in a path: an element of an array, of which there must be so many. */
static struct type *find_element(struct type *t, const char *number, struct place *out)
{
	const unsigned long i = strtoul(number, NULL, 10);

	if (t->kind != T_ARRAY || i >= t->nelems)
		return NULL;
	out->bit += i * t->of->size * 8;
	out->bits = 0;
	return t->of;
}

/* An array stands for its first element. */
static bool find_member(struct types *ts, const char *tag, const char *path, struct place *out)
{
	struct type *t = types_tagged(ts, T_STRUCT, tag);
	char name[NAME_MAX_LEN];

	*out = (struct place){ 0 };
	while (t && next_name(&path, name)) {
		const struct type_member *m;
		uint32_t bit;

		if (name[0] >= '0' && name[0] <= '9') {
			t = find_element(t, name, out);
			continue;
		}
		while (t && t->kind == T_ARRAY)
			t = t->of;
		m = t && type_is_sou(t) ? type_find_member(ts, t, name, &bit) : NULL;
		out->bit += m ? bit : 0;
		out->bits = m ? m->bits : 0;
		t = m ? m->type : NULL;
	}
	if (!t)
		return false;
	out->size = t->size;
	out->is_signed = t->is_signed;
	out->is_number = type_is_scalar(t);
	return true;
}

/* The word that a member is read by: one of its type, or a larger one if a bit-field crosses the end of that. *at:
 * where it begins, in bytes. */
static uint32_t word_of(const struct place *p, uint64_t *at)
{
	uint64_t size = p->size;

	*at = p->bit / 8;
	if (!p->bits || !size)
		return p->size;
	*at = p->bit / 8 / size * size;
	while (p->bit + p->bits - *at * 8 > size * 8 && size < 8) {
		size *= 2;
		*at = p->bit / 8 / size * size;
	}
	return (uint32_t)size;
}

static struct answer ask_member(struct types *ts, const struct service_core *c)
{
	struct place p;
	const bool known = find_member(ts, c->tag, c->path, &p);
	uint64_t at = 0, bits;
	const uint32_t size = known ? word_of(&p, &at) : 0;

	bits = p.bits ? p.bits : size * 8ull;
	switch (c->kind) {
	case CORE_EXISTS:
		return (struct answer){ true, known, 0 };
	case CORE_OFFSET:
		return (struct answer){ known, at, !p.bits && p.is_number ? size : 0 };
	case CORE_SIZE:
		return (struct answer){ known, size, 0 };
	case CORE_SIGNED:
		return (struct answer){ known, p.is_signed, 0 };
	case CORE_LSHIFT:
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
		return (struct answer){ known, 64 - (p.bit + bits - at * 8), 0 };
#else
		return (struct answer){ known, (8 - size) * 8 + (p.bit - at * 8), 0 };
#endif
	case CORE_RSHIFT:
		return (struct answer){ known, 64 - bits, 0 };
	case CORE_TYPE_ID:
	case CORE_TYPE_EXISTS:
	case CORE_TYPE_SIZE:
	case CORE_TRACEPOINT:
		break;
	}
	return (struct answer){ 0 };
}

static struct answer ask(struct kbtf *btf, struct types *ts, const struct service_core *c)
{
	struct ktracepoint tp;
	const struct type *t;

	if (c->kind == CORE_TRACEPOINT)
		return (struct answer){ true, kbtf_tracepoint(btf, NULL, c->tag, &tp) && tp.nargs == c->size, 0 };
	if (c->path)
		return ask_member(ts, c);
	t = types_tagged(ts, T_STRUCT, c->tag);
	if (c->kind == CORE_TYPE_EXISTS)
		return (struct answer){ true, t && t->size, 0 };
	return (struct answer){ t && t->size && (c->kind == CORE_TYPE_SIZE || t->btf_id),
		!t                                ? 0
			: c->kind == CORE_TYPE_ID ? t->btf_id
						  : t->size,
		0 };
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */
static int size_code(uint32_t size)
{
	return size == 1 ? BPF_B : size == 2 ? BPF_H : size == 4 ? BPF_W : size == 8 ? BPF_DW : -1;
}

/* A call that no kernel knows. */
static void poison(struct bpf_insn *at)
{
	const struct bpf_insn call = { .code = BPF_JMP | BPF_CALL, .imm = NO_HELPER };

	if (at->code == (BPF_LD | BPF_IMM | BPF_DW))
		at[1] = call;
	at[0] = call;
}

/* A member may have another size than the program knows; a load then has that size. */
static int patch_access(struct bpf_insn *at, const struct service_core *c, const struct answer *a)
{
	int size = size_code(a->size);

	if (a->value > INT16_MAX)
		return -EINVAL;
	at->off = (int16_t)a->value;
	if (c->kind != CORE_OFFSET || !c->size || !a->size || c->size == a->size)
		return 0;
	if (size < 0 || BPF_CLASS(at->code) != BPF_LDX)
		return -EINVAL;
	at->code = (uint8_t)((at->code & ~0x18) | size);
	return 0;
}

static int patch_core(struct bpf_insn *at, const struct service_core *c, const struct answer *a)
{
	if (!a->known) {
		poison(at);
		return 0;
	}
	switch (BPF_CLASS(at->code)) {
	case BPF_LDX:
	case BPF_ST:
	case BPF_STX:
		return patch_access(at, c, a);
	case BPF_ALU:
	case BPF_ALU64:
		at->imm = (int32_t)a->value;
		return a->value > INT32_MAX ? -EINVAL : 0;
	case BPF_LD:
		at[0].imm = (int32_t)a->value;
		at[1].imm = 0;
		return a->value > INT32_MAX ? -EINVAL : 0;
	default:
		return -EINVAL;
	}
}

/* The answers and the ids of the kernel's functions, in the arena's memory. NULL: maps are filled in. */
struct linker {
	struct service_kernel *k;
	const struct answer *answers;
	const uint32_t *kfuncs;
};

static int patch(const struct linker *l, struct bpf_insn *at, const struct service_place *p)
{
	switch ((enum place_kind)p->kind) {
	case PLACE_MAP:
		at->src_reg = BPF_PSEUDO_MAP_FD;
		at->imm = l->k->maps[p->arg];
		return 0;
	case PLACE_VALUE:
		at[0].src_reg = BPF_PSEUDO_MAP_VALUE;
		at[0].imm = l->k->bss;
		at[1].imm = p->arg;
		return 0;
	case PLACE_KFUNC:
		at->src_reg = BPF_PSEUDO_KFUNC_CALL;
		at->off = 0;
		at->imm = (int32_t)l->kfuncs[p->arg];
		return l->kfuncs[p->arg] ? 0 : -ENOENT;
	case PLACE_CORE:
		return patch_core(at, &l->k->s->cores[p->arg], &l->answers[p->arg]);
	}
	return -EINVAL;
}

static int link_all(const struct linker *l)
{
	const struct service *s = l->k->s;
	int err = 0;

	for (size_t i = 0; i < s->nprogs && !err; i++) {
		const struct service_prog *p = &s->progs[i];

		for (uint32_t n = 0; n < p->nplaces && !err; n++) {
			const struct service_place *at = &s->places[p->place + n];

			if ((at->kind == PLACE_MAP || at->kind == PLACE_VALUE) == !l->answers)
				err = patch(l, &l->k->insns[p->insn + at->insn], at);
		}
	}
	return err;
}

int service_link(struct service_kernel *k, struct kbtf *btf)
{
	const struct service *s = k->s;
	const struct ktypes kernel = kbtf_ktypes(btf);
	struct arena *a = arena_new();
	struct answer *answers = a ? ARENA_ARRAY(a, struct answer, s->ncores + 1) : NULL;
	uint32_t *kfuncs = a ? ARENA_ARRAY(a, uint32_t, s->nkfuncs + 1) : NULL;
	struct types *ts = a ? types_new(a, &kernel) : NULL;
	int err = -ENOMEM;

	if (a && !arena_failed(a)) {
		kbtf_funcs(btf, s->kfuncs, kfuncs, s->nkfuncs);
		for (size_t i = 0; i < s->ncores; i++)
			answers[i] = ask(btf, ts, &s->cores[i]);
		err = arena_failed(a) ? -ENOMEM : link_all(&(struct linker){ k, answers, kfuncs });
	}
	arena_free(a);
	return err;
}

int service_link_maps(struct service_kernel *k)
{
	return link_all(&(struct linker){ .k = k });
}

/* ---- places ------------------------------------------------------------------------------------------------------ */
/* The functions that are looked for together, since that is a walk over all of the kernel's types. */
int service_places(struct service_kernel *k, struct kbtf *btf)
{
	const char *names[SERVICE_PROGS] = { NULL };
	uint32_t ids[SERVICE_PROGS];
	size_t of[SERVICE_PROGS], n = 0;
	struct ktracepoint tp;

	for (size_t i = 0; i < k->s->nprogs; i++) {
		const struct service_prog *p = &k->s->progs[i];

		if (!p->at || p->prog_type != BPF_PROG_TYPE_TRACING)
			continue;
		if (p->attach_type != BPF_TRACE_RAW_TP) {
			names[n] = p->at;
			of[n++] = i;
		} else if (kbtf_tracepoint(btf, NULL, p->at, &tp)) {
			k->at[i] = tp.id;
		} else {
			return -ENOENT;
		}
	}
	kbtf_funcs(btf, names, ids, n);
	for (size_t i = 0; i < n; i++) {
		k->at[of[i]] = ids[i];
		if (!ids[i])
			return -ENOENT;
	}
	return 0;
}
