/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functions: the functions of the kernel and its modules that can be traced. The list has tens of thousands of
 * names; it is read on first use. */
#ifndef DWIRE_KERNEL_FUNCTIONS_H
#define DWIRE_KERNEL_FUNCTIONS_H
#include <stdbool.h>
#include <stddef.h>

struct kfuncs;

/* 0; -ENOENT: this kernel cannot trace functions; or another -errno. */
int kfuncs_open(struct kfuncs **out) __attribute__((warn_unused_result));
void kfuncs_close(struct kfuncs *k);
/* module NULL, "" or "vmlinux": the kernel itself. */
bool kfuncs_has(const struct kfuncs *k, const char *module, const char *name);
/* Calls each for every function, in the order of the kernel's list; module is "vmlinux" for the kernel itself. Names
 * that occur twice are ambiguous and left out; but the kernel's own stay if only modules have the name, too. */
void kfuncs_each(const struct kfuncs *k, void (*each)(void *ctx, const char *module, const char *name), void *ctx);
#endif
