/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functab: declares the functions of a program to the kernel. */
#ifndef DWIRE_LOAD_FUNCTAB_H
#define DWIRE_LOAD_FUNCTAB_H
#include <linux/bpf.h>

#include "ir/ir.h"

/* Where a program's functions begin. */
struct func_table {
	struct bpf_func_info *v;
	uint32_t n;
	int btf; /* descriptor of their types, when n is not 0 */
};

/* Makes the table; empty if the code has no callbacks. 0, or -errno and nothing to free. */
int func_table_make(const struct code *code, struct func_table *t) __attribute__((warn_unused_result));
void func_table_free(struct func_table *t);
#endif
