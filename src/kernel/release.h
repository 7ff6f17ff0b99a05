/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release: the running kernel's version, for the few things that nothing else shows. Distributions backport features,
 * so everything else looks at BTF (compile/kernel_env.c) or tries (features.h). */
#ifndef DWIRE_KERNEL_RELEASE_H
#define DWIRE_KERNEL_RELEASE_H
#include <stdbool.h>

/* Is the kernel older than Linux MAJOR.MINOR? False if it does not say. */
bool release_before(unsigned major, unsigned minor);

/* Does the kernel die if a BPF program with subprograms loads from a bad address? Such a load reads as 0 thanks to the
 * program's table of exceptions. Before Linux 6.4 (5.15.120, 6.1.38) the kernel may look for it in a copy of the main
 * program that has none. True also if the kernel does not say which stable release it is. */
bool release_faults_kill(void);
#endif
