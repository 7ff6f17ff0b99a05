/* SPDX-License-Identifier: GPL-2.0-or-later */
/* knames_text: names of the kernel's addresses from /proc/kallsyms. Part of knames. */
#ifndef DWIRE_KERNEL_KNAMES_TEXT_H
#define DWIRE_KERNEL_KNAMES_TEXT_H
#include "kernel/knames.h"

struct knames_text;

/* 0, or -errno; -EPERM: the kernel hides its addresses. */
int knames_text_open(struct knames_text **out) __attribute__((warn_unused_result));
void knames_text_close(struct knames_text *k); /* NULL is fine */
/* The symbol that addr lies in. False: none. */
bool knames_text_at(const struct knames_text *k, uint64_t addr, struct kname *out) __attribute__((warn_unused_result));
#endif
