/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lockdown: the level of kernel lockdown (kernel_lockdown(7)). */
#ifndef DWIRE_KERNEL_LOCKDOWN_H
#define DWIRE_KERNEL_LOCKDOWN_H
#include <stdbool.h>
#include <stddef.h>

/* The end of a message: BPF cannot read kernel memory, and the remedy. */
#define LOCKDOWN_HIDES \
	"the kernel's lockdown (confidentiality) forbids BPF to read kernel memory; boot with lockdown=integrity"

/* "integrity", "confidentiality"; "" if the kernel is not locked down or does not report it. */
void lockdown_read(char *buf, size_t len);
/* Does lockdown forbid BPF to read kernel memory ("confidentiality")? */
bool lockdown_hides(void);
#endif
