/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena: one region of memory per compilation, released at once.
 *
 * Allocations are zeroed, aligned to 16 bytes and never NULL. When the kernel gives no more memory, the arena remembers
 * that it has failed and goes on with a reserve that it has kept since its beginning. Whoever works in steps looks at
 * arena_failed() after each and ends with -ENOMEM. One step may take ARENA_RESERVE bytes; a step that may take more
 * asks arena_has() first. */
#ifndef DWIRE_BASE_ARENA_H
#define DWIRE_BASE_ARENA_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct arena;

/* Bytes of address space; pages that are not used cost nothing. */
#ifdef __SANITIZE_ADDRESS__
#define ARENA_RESERVE ((size_t)1 << 20)
#else
#define ARENA_RESERVE ((size_t)4 << 20)
#endif

/* A new arena; NULL: no memory. */
struct arena *arena_new(void);
/* Releases everything allocated from it; NULL is fine. */
void arena_free(struct arena *a);
/* Has memory been missing? It stays so. */
bool arena_failed(const struct arena *a);
/* Has it failed, and is half of the reserve gone? Then even a step that builds on what others make must stop. */
bool arena_low(const struct arena *a);
/* Makes it fail: memory was missing elsewhere for what belongs here. */
void arena_fail(struct arena *a);
/* Zeroed memory of size bytes, at most ARENA_RESERVE, owned by the arena. */
void *arena_alloc(struct arena *a, size_t size);
/* The same of any size; NULL: not even the reserve has so much, and the arena has failed. */
void *arena_try(struct arena *a, size_t size);
/* Are there size bytes for the allocations to come? If not, the arena has failed. */
bool arena_has(struct arena *a, size_t size) __attribute__((warn_unused_result));
/* A string for which neither memory nor reserve is left is cut. */
char *arena_strndup(struct arena *a, const char *s, size_t len);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

#define ARENA_NEW(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (n)))
#define ARENA_TRY_ARRAY(a, T, n) ((T *)arena_try((a), sizeof(T) * (n)))
#endif
