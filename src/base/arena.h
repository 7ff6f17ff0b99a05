/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena: one region of memory per compilation, released at once.
 *
 * Allocations are zeroed, aligned to 16 bytes and never NULL. When the kernel has no more memory, the arena is marked
 * as failed and continues with a reserve that it set aside when it was made. A caller checks arena_failed() after each
 * step of its work and ends with -ENOMEM. A step may take ARENA_RESERVE bytes; if it may take more, it calls
 * arena_has() first. */
#ifndef DWIRE_BASE_ARENA_H
#define DWIRE_BASE_ARENA_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct arena;

/* Bytes of address space; unused pages cost nothing. */
#ifdef __SANITIZE_ADDRESS__
#define ARENA_RESERVE ((size_t)1 << 20)
#else
#define ARENA_RESERVE ((size_t)4 << 20)
#endif

/* A new arena; NULL: no memory. */
struct arena *arena_new(void);
/* Releases everything allocated from it; NULL is fine. */
void arena_free(struct arena *a);
/* An arena for many short uses in turn. Its pages stay, which is cheaper than a new arena each time. arena_take()
 * returns the spare one, or a new one. arena_give() empties it and keeps it. The owner frees the spare one. spare may
 * be NULL. */
struct arena *arena_take(struct arena **spare);
void arena_give(struct arena **spare, struct arena *a);
/* Has an allocation failed? Once true, it stays true. */
bool arena_failed(const struct arena *a);
/* Has it failed, and is half of the reserve used up? Then a step must stop in the middle. */
bool arena_low(const struct arena *a);
/* Marks it as failed, because an allocation outside the arena failed. */
void arena_fail(struct arena *a);
/* Zeroed memory of size bytes, at most ARENA_RESERVE, owned by the arena. */
void *arena_alloc(struct arena *a, size_t size);
/* The same for any size. NULL: the reserve is too small as well, and the arena is marked as failed. */
void *arena_try(struct arena *a, size_t size);
/* Is there room for size more bytes, with the reserve? If the reserve is needed, the arena is marked as failed. */
bool arena_has(struct arena *a, size_t size) __attribute__((warn_unused_result));
/* Strings are cut if neither memory nor reserve is left. */
char *arena_strndup(struct arena *a, const char *s, size_t len);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

#define ARENA_NEW(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (n)))
#define ARENA_TRY_ARRAY(a, T, n) ((T *)arena_try((a), sizeof(T) * (n)))
#endif
