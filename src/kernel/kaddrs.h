/* kaddrs: names of the kernel's addresses, from /proc/kallsyms. Reading it takes some tens of milliseconds: do it when
 * the first name is wanted. */
#ifndef DWIRE_KERNEL_KADDRS_H
#define DWIRE_KERNEL_KADDRS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kaddrs;

struct kaddr {
	const char *mod;  /* "vmlinux", or a module's name */
	const char *name; /* both owned by the table */
	uint64_t addr;
};

/* 0; -errno: cannot be read; -EACCES: the kernel hides the addresses (kptr_restrict, lockdown). */
int kaddrs_load(struct kaddrs **out) __attribute__((warn_unused_result));
/* The same from a file of that format. */
int kaddrs_load_file(const char *path, struct kaddrs **out) __attribute__((warn_unused_result));
void kaddrs_free(struct kaddrs *k); /* NULL is fine */
/* The symbol that addr lies in: the last one at or before it. False: none. */
bool kaddrs_find(const struct kaddrs *k, uint64_t addr, struct kaddr *out);
#endif
