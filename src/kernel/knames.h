/* SPDX-License-Identifier: GPL-2.0-or-later */
/* knames: asks the kernel for the name or address of single symbols. A query takes microseconds; reading
 * /proc/kallsyms takes tens of milliseconds and tens of megabytes. */
#ifndef DWIRE_KERNEL_KNAMES_H
#define DWIRE_KERNEL_KNAMES_H
#include <stdbool.h>
#include <stdint.h>

#define KNAME_LEN 256

struct knames;

struct kname {
	char name[KNAME_LEN];
	char mod[64];  /* "vmlinux", or a module's name */
	uint64_t addr; /* where the symbol begins */
	uint64_t size; /* bytes up to the next; 0: not known */
};

/* 0, or -errno: this process may not run BPF programs, or they cannot ask (before Linux 5.16). */
int knames_open(struct knames **out) __attribute__((warn_unused_result));
/* The same for addresses alone: if programs cannot ask, /proc/kallsyms is read. Then knames_find() finds nothing. */
int knames_open_addresses(struct knames **out) __attribute__((warn_unused_result));
void knames_close(struct knames *k); /* NULL is fine */
/* The symbol that addr lies in. False: none. */
bool knames_at(struct knames *k, uint64_t addr, struct kname *out) __attribute__((warn_unused_result));
/* The symbol of that name; "module:name" for a symbol of a module. 0; -ENOENT; -EPERM: the kernel hides its
 * addresses. Symbols without known bounds (per-CPU variables) get size 0 and an empty name. */
int knames_find(struct knames *k, const char *name, struct kname *out) __attribute__((warn_unused_result));
/* Parses the kernel's text for an address: "name+0x10/0x80 [module]". False: no name. Public for tests, which pass
 * texts that the running kernel does not produce. */
bool knames_parse(const char *text, uint64_t addr, struct kname *out) __attribute__((warn_unused_result));
#endif
