/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release: the running kernel's version, for the few things that nothing else shows. Distributions backport features,
 * so everything else looks at BTF (compile/kernel_env.c) or tries (features.h). */
#ifndef DWIRE_KERNEL_RELEASE_H
#define DWIRE_KERNEL_RELEASE_H
#include <stdbool.h>

/* Is the kernel older than Linux MAJOR.MINOR? False if it does not say. */
bool release_before(unsigned major, unsigned minor);

/* Does the verifier mix up the registers and the stack of a function with its caller's? Linux 6.5 ended it. Before, the
 * stable releases of 2023 brought it to older kernels, some took it back, and no type shows it: all are suspected. */
bool release_mixes_frames(void);

/* Does the kernel die if a BPF program with subprograms loads from a bad address? Such a load reads as 0 thanks to the
 * program's table of exceptions. Before Linux 6.4 (5.15.120, 6.1.38) the kernel may look for it in a copy of the main
 * program that has none. True also if the kernel does not say which stable release it is. */
bool release_faults_kill(void);
#endif
