/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vec: growing arrays in an arena.
 * Invariant: capacity doubles, so n pushes copy at most 2n elements; old arrays stay valid until the arena goes. */
#include "base/vec.h"

#include <string.h>

#define FIRST 4u

void vec_grow(struct arena *a, void **v, size_t *n, size_t *cap, size_t size)
{
	void *old, *bigger;
	size_t most = *n < FIRST ? FIRST : *n * 2;

	/* The pointer is of the caller's type, not void *: memcpy is the only legal way to touch it. */
	memcpy(&old, v, sizeof(old));
	if (*n >= *cap) {
		bigger = *cap ? arena_try(a, most * size) : arena_alloc(a, most * size);
		if (bigger) {
			if (*n)
				memcpy(bigger, old, *n * size);
			memcpy(v, &bigger, sizeof(bigger));
			*cap = most;
			return;
		}
		*n = *cap - 1;
	}
	/* A vector that was cut back (n lowered), or could not grow, holds old bytes here. */
	memset((char *)old + *n * size, 0, size);
}
