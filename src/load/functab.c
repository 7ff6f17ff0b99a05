/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functab: see functab.h. A program with callbacks (bpf_loop) must declare its functions and their types.
 * Input: compiled code. Output: the table, and a descriptor of the types.
 * Invariant: one type describes all functions. The kernel accepts that because nobody calls them from outside. */
#include "load/functab.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/bpfsys.h"

/* Loads the BTF of one function without parameters that returns 64 bits: type 1 is the number, 2 the prototype, 3 the
 * function. A descriptor, or -errno. */
static int load_types(void)
{
	static const struct {
		struct btf_header head;
		struct btf_type num;
		uint32_t bits;
		struct btf_type proto, func;
		char names[8];
	} btf = {
		.head = { .magic = BTF_MAGIC,
			.version = BTF_VERSION,
			.hdr_len = sizeof(struct btf_header),
			.type_len = 3 * sizeof(struct btf_type) + sizeof(uint32_t),
			.str_off = 3 * sizeof(struct btf_type) + sizeof(uint32_t),
			.str_len = 8 },
		.num = { .name_off = 1, .info = BTF_KIND_INT << 24, .size = 8 },
		.bits = 64,
		.proto = { .info = BTF_KIND_FUNC_PROTO << 24, .type = 1 },
		.func = { .name_off = 5, .info = BTF_KIND_FUNC << 24, .type = 2 },
		.names = "\0num\0fn",
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.btf = (uintptr_t)&btf;
	attr.btf_size = sizeof(btf);
	return bpfsys(BPF_BTF_LOAD, &attr);
}

int func_table_make(const struct code *code, struct func_table *t)
{
	*t = (struct func_table){ .btf = -1 };
	if (!code->funcs.n)
		return 0;
	t->btf = load_types();
	if (t->btf < 0)
		return t->btf;
	t->v = calloc(code->funcs.n, sizeof(*t->v));
	if (!t->v) {
		close(t->btf);
		return -ENOMEM;
	}
	t->n = (uint32_t)code->funcs.n;
	for (size_t i = 0; i < code->funcs.n; i++)
		t->v[i] = (struct bpf_func_info){ .insn_off = code->funcs.v[i], .type_id = 3 };
	return 0;
}

void func_table_free(struct func_table *t)
{
	if (t->btf >= 0)
		close(t->btf);
	free(t->v);
}
