/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena: one region of memory per compilation, released at once.
 * Invariant: allocations are zeroed, 16-aligned and never NULL (the region is
 * reserved address space; a compilation that outgrows it is stopped by the
 * parser's limits long before). */
#ifndef DWIRE_BASE_ARENA_H
#define DWIRE_BASE_ARENA_H
#include <stdarg.h>
#include <stddef.h>

struct arena;

/* A new arena, or NULL when address space cannot be reserved. */
struct arena *arena_new(void);
/* Releases everything allocated from it; NULL is fine. */
void arena_free(struct arena *a);
/* Zeroed memory of size bytes, owned by the arena. */
void *arena_alloc(struct arena *a, size_t size);
char *arena_strndup(struct arena *a, const char *s, size_t len);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* Bytes handed out so far. */
size_t arena_used(const struct arena *a);

#define ARENA_NEW(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (n)))
#endif
