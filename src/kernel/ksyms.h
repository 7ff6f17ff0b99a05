/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ksyms: finds kernel symbols by name: functions through knames.h, the rest in /proc/kallsyms, which is read on first
 * use. */
#ifndef DWIRE_KERNEL_KSYMS_H
#define DWIRE_KERNEL_KSYMS_H
#include <stdbool.h>
#include <stdint.h>

struct ksyms;

struct ksym {
	uint64_t addr; /* 0: the kernel does not say */
	uint64_t room; /* bytes up to the next symbol: its size at most; 0: not known */
	char type;     /* as nm says: T, t: function; D, d, B, b, R, r: data; A, a: an offset, for each CPU */
};

/* 0, or -errno. */
int ksyms_open(struct ksyms **out) __attribute__((warn_unused_result));
void ksyms_close(struct ksyms *k);
/* The symbol of a module; module NULL or "": of any, the kernel itself first. "vmlinux", and the names that other
 * systems give to theirs ("kernel", "unix", "genunix", "mach_kernel"), mean the kernel. 0; -ENOENT; -ENODEV: no such
 * module. */
int ksyms_find(struct ksyms *k, const char *module, const char *name, struct ksym *out)
	__attribute__((warn_unused_result));
/* Is it a name of the kernel itself? */
bool ksyms_is_kernel(const char *module);
/* What C calls the type of a variable of the kernel, if BTF does not have it: "unsigned long [3]"; or NULL. */
const char *ksyms_type(const char *name);
#endif
