/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functab: see functab.h. A program with callbacks (bpf_loop), or with functions that the kernel shall check once and
 * not at each call, must declare its functions and their types.
 * Input: compiled code. Output: the table; BTF that is loaded once for all programs.
 * Invariant: functions without a shape share one type, without parameters. The kernel accepts that because it looks at
 * the parameters of global functions only. */
#include "load/functab.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/bpfsys.h"

enum { NUM = 1, BYTE, PROTO, LOCAL }; /* ids of the first types; LOCAL: a function without a shape */

/* BTF that is being written. Its size is known: the lists of ir.h decide it. */
struct btf_text {
	uint32_t words[64 + 64 * LIB_COUNT], ntypes;
	size_t n;
	char names[64 + 32 * LIB_COUNT];
	size_t len;
};

static uint32_t put_name(struct btf_text *b, const char *name)
{
	uint32_t at = (uint32_t)b->len;

	strcpy(b->names + at, name);
	b->len += strlen(name) + 1;
	return at;
}

static void put_word(struct btf_text *b, uint32_t word)
{
	b->words[b->n++] = word;
}

/* The head of a type; last: its size, or the type that it refers to. Returns its id. */
static uint32_t put_type(struct btf_text *b, const char *name, uint32_t kind, uint32_t vlen, uint32_t last)
{
	put_word(b, name ? put_name(b, name) : 0);
	put_word(b, kind << 24 | vlen);
	put_word(b, last);
	return ++b->ntypes;
}

static uint32_t put_int(struct btf_text *b, const char *name, uint32_t bytes)
{
	uint32_t id = put_type(b, name, BTF_KIND_INT, 0, bytes);

	put_word(b, bytes * 8);
	return id;
}

/* A pointer to so many bytes. */
static uint32_t put_pointer(struct btf_text *b, uint32_t bytes)
{
	uint32_t array = put_type(b, NULL, BTF_KIND_ARRAY, 0, 0);

	put_word(b, BYTE);
	put_word(b, NUM);
	put_word(b, bytes);
	return put_type(b, NULL, BTF_KIND_PTR, 0, array);
}

static uint32_t put_shape(struct btf_text *b, const char *name, const struct lib_shape *s)
{
	uint32_t args[LIB_SHAPE_ARGS], proto;

	for (unsigned i = 0; i < s->nargs; i++)
		args[i] = s->bytes[i] ? put_pointer(b, s->bytes[i]) : NUM;
	proto = put_type(b, NULL, BTF_KIND_FUNC_PROTO, s->nargs, NUM);
	for (unsigned i = 0; i < s->nargs; i++) {
		put_word(b, put_name(b, "arg"));
		put_word(b, args[i]);
	}
	return put_type(b, name, BTF_KIND_FUNC, BTF_FUNC_GLOBAL, proto);
}

static void put_all(struct btf_text *b, uint32_t ids[LIB_COUNT])
{
	b->len = 1; /* the empty name */
	put_int(b, "num", 8);
	put_int(b, "byte", 1);
	put_type(b, NULL, BTF_KIND_FUNC_PROTO, 0, NUM);
	put_type(b, "fn", BTF_KIND_FUNC, BTF_FUNC_STATIC, PROTO);
	for (unsigned i = 0; i < LIB_COUNT; i++)
		if (lib_shapes[i].nargs)
			ids[i] = put_shape(b, lib_name((enum bpflib)i), &lib_shapes[i]);
}

/* A descriptor, or -errno. */
static int load_text(const struct btf_text *b)
{
	struct btf_header head = { .magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = sizeof(head),
		.type_len = (uint32_t)(b->n * sizeof(b->words[0])),
		.str_off = (uint32_t)(b->n * sizeof(b->words[0])),
		.str_len = (uint32_t)b->len };
	char *all = malloc(sizeof(head) + head.type_len + b->len);
	union bpf_attr attr;
	int fd;

	if (!all)
		return -ENOMEM;
	memcpy(all, &head, sizeof(head));
	memcpy(all + sizeof(head), b->words, head.type_len);
	memcpy(all + sizeof(head) + head.type_len, b->names, b->len);
	memset(&attr, 0, sizeof(attr));
	attr.btf = (uintptr_t)all;
	attr.btf_size = (uint32_t)(sizeof(head) + head.type_len + b->len);
	fd = bpfsys(BPF_BTF_LOAD, &attr);
	free(all);
	return fd;
}

/* Before Linux 5.6 global functions have no types, and no loop has a callback: then nothing is declared. */
static int load_types(struct func_types *types)
{
	struct btf_text *b;
	int fd;

	if (types->btf)
		return 0;
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	put_all(b, types->shape);
	fd = load_text(b);
	free(b);
	types->btf = fd == -EINVAL ? -1 : fd > 0 ? fd : 0;
	return types->btf ? 0 : fd;
}

int func_table_make(struct func_types *types, const struct code *code, struct func_table *t)
{
	int err = code->typed ? load_types(types) : 0;

	*t = (struct func_table){ 0 };
	if (err || !code->typed || types->btf < 0)
		return err;
	t->v = calloc(code->funcs.n, sizeof(*t->v));
	if (!t->v)
		return -ENOMEM;
	t->n = (uint32_t)code->funcs.n;
	for (size_t i = 0; i < code->funcs.n; i++) {
		const struct code_func *f = &code->funcs.v[i];
		bool alone = f->shape >= 0 && !types->refused;

		t->v[i] = (struct bpf_func_info){ .insn_off = f->insn,
			.type_id = alone ? types->shape[f->shape] : LOCAL };
		t->alone |= alone;
	}
	return 0;
}

void func_table_join(struct func_table *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		t->v[i].type_id = LOCAL;
	t->alone = false;
}

void func_table_free(struct func_table *t)
{
	free(t->v);
}

void func_types_free(struct func_types *types)
{
	if (types->btf > 0)
		close(types->btf);
}
