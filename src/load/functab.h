/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functab: declares the functions of programs to the kernel. */
#ifndef DWIRE_LOAD_FUNCTAB_H
#define DWIRE_LOAD_FUNCTAB_H
#include <linux/bpf.h>
#include <stdbool.h>

#include "ir/ir.h"

/* The types of all functions that programs may contain. */
struct func_types {
	int btf;                   /* descriptor; 0: not loaded yet; -1: the kernel knows no such types */
	bool refused;              /* this kernel checks no function alone (before 5.12) */
	uint32_t shape[LIB_COUNT]; /* type ids of those that have a shape */
};

/* Where a program's functions begin. */
struct func_table {
	struct bpf_func_info *v;
	uint32_t n;
	bool alone; /* one of them is checked alone */
};

/* Makes the table; empty if the kernel need not know the functions. 0, or -errno and nothing to free. */
int func_table_make(struct func_types *types, const struct code *code, struct func_table *t)
	__attribute__((warn_unused_result));
void func_table_join(struct func_table *t); /* from now on each function is checked where it is called */
void func_table_free(struct func_table *t);
void func_types_free(struct func_types *types);
#endif
