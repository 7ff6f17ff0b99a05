/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ksyms: finds kernel symbols by name: functions by knames.h, all others in /proc/kallsyms, which is read on first
 * use. */
#ifndef DWIRE_KERNEL_KSYMS_H
#define DWIRE_KERNEL_KSYMS_H
#include <stdbool.h>
#include <stdint.h>

struct ksyms;

struct ksym {
	uint64_t addr; /* 0: the kernel hides it */
	uint64_t room; /* bytes up to the next symbol, at least its size; 0: not known */
	char type;     /* as in nm(1): T, t: function; D, d, B, b, R, r: data; A, a: an offset in per-CPU memory */
};

/* 0, or -errno. */
int ksyms_open(struct ksyms **out) __attribute__((warn_unused_result));
void ksyms_close(struct ksyms *k);
/* A symbol of a module; module NULL or "": of any, the kernel itself first. "vmlinux" and the kernel's names on other
 * systems ("kernel", "unix", "genunix", "mach_kernel") mean the kernel. 0; -ENOENT; -ENODEV: no such module. */
int ksyms_find(struct ksyms *k, const char *module, const char *name, struct ksym *out)
	__attribute__((warn_unused_result));
/* Is it a name of the kernel itself? */
bool ksyms_is_kernel(const char *module);
/* The C type of a kernel variable that BTF may not have: "unsigned long [3]"; or NULL. */
const char *ksyms_type(const char *name);
#endif
