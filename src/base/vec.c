/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vec: growing arrays in an arena.
 * Invariant: capacity doubles, so n pushes copy at most 2n elements; old arrays stay valid until the arena goes. */
#include "base/vec.h"

#include <string.h>

void vec_grow(struct arena *a, void **v, size_t n, size_t *cap, size_t size)
{
	void *old, *bigger;

	if (n >= *cap) {
		*cap = n < 4 ? 4 : n * 2;
		bigger = arena_alloc(a, *cap * size);
		/* The pointer is of the caller's type, not void *: memcpy is the only legal way to touch it. */
		memcpy(&old, v, sizeof(old));
		if (n)
			memcpy(bigger, old, n * size);
		memcpy(v, &bigger, sizeof(bigger));
	} else {
		/* A vector that was cut back (n lowered) holds old bytes here. */
		memcpy(&old, v, sizeof(old));
		memset((char *)old + n * size, 0, size);
	}
}
