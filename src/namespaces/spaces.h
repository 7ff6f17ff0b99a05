/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spaces: the network namespaces of the machine, as far as /proc shows them. */
#ifndef DWIRE_NAMESPACES_SPACES_H
#define DWIRE_NAMESPACES_SPACES_H
#include <stdbool.h>
#include <stdint.h>

/* Calls fn for each process's namespace and for each that is mounted: its number, and a file of it below the descriptor
 * dir. Most namespaces come several times. Ends early if fn returns false. */
void spaces_walk(bool (*fn)(void *ctx, uint32_t netns, int dir, const char *path), void *ctx);
#endif
