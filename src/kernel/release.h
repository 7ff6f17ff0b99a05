/* SPDX-License-Identifier: GPL-2.0-or-later */
/* release: the running kernel's version, for the few things that nothing else shows. Distributions backport features,
 * so everything else looks at BTF (compile/kernel_env.c) or tries (features.h). */
#ifndef DWIRE_KERNEL_RELEASE_H
#define DWIRE_KERNEL_RELEASE_H
#include <stdbool.h>

/* Is the kernel older than Linux MAJOR.MINOR? False if it does not say. */
bool release_before(unsigned major, unsigned minor);
#endif
