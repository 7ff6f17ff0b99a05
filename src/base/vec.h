/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vec: growing arrays in an arena. VEC(T) declares one; elements are v[0..n). After arena_failed() a full vector does
 * not grow: a push overwrites the last element. */
#ifndef DWIRE_BASE_VEC_H
#define DWIRE_BASE_VEC_H
#include <string.h>

#include "base/arena.h"

#define VEC(T)                 \
	struct {               \
		T *v;          \
		size_t n, cap; \
	}

/* Appends a zeroed element and gives its address (valid until the next push). */
#define vec_push(arena, vec)                                                                                \
	((vec)->v && (vec)->n < (vec)->cap                                                                  \
			? (void)memset(&(vec)->v[(vec)->n], 0, sizeof(*(vec)->v))                           \
			: vec_grow((arena), (void **)&(vec)->v, &(vec)->n, &(vec)->cap, sizeof(*(vec)->v)), \
		&(vec)->v[(vec)->n++])

/* Makes room for element *n, zeroed; the new array is a copy in the arena. Out of memory: *n becomes the last index.
 * vec_push() calls it only when the array is full. */
void vec_grow(struct arena *a, void **v, size_t *n, size_t *cap, size_t size);
#endif
