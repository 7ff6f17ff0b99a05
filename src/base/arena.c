/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena: reserved address space, handed out from the bottom; the kernel gives pages as they are touched.
 * Input: sizes. Output: zeroed memory that lives until arena_free().
 * Invariants: a chunk is fresh from mmap, so its memory is zero without a memset; arena_give() writes zeros. The
 * reserve lies in the first chunk and is handed out only after a failure. A machine that refuses big reservations
 * (RLIMIT_AS, overcommit off) gets small chunks, chained. */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(ARENA_ASAN)
#define ARENA_ASAN 1
#endif

/* Under AddressSanitizer the unused part is poisoned and a gap follows each allocation; poisoning costs an eighth of
 * the chunk, so chunks are small there. A test that makes the n-th chunk fail defines ARENA_CHUNK, to have many. */
#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define ARENA_POISON(p, n) __asan_poison_memory_region((p), (n))
#define ARENA_UNPOISON(p, n) __asan_unpoison_memory_region((p), (n))
#define ARENA_GAP 16u
static const size_t chunk_sizes[] = { (size_t)256 << 10 };
#else
#define ARENA_POISON(p, n) ((void)(p), (void)(n))
#define ARENA_UNPOISON(p, n) ((void)(p), (void)(n))
#define ARENA_GAP 0u
#ifdef ARENA_CHUNK
static const size_t chunk_sizes[] = { ARENA_CHUNK };
#else
static const size_t chunk_sizes[] = { (size_t)4 << 30, (size_t)1 << 30, (size_t)256 << 20, (size_t)64 << 20,
	(size_t)4 << 20, (size_t)256 << 10 };
#endif
#endif

#define ARENA_ALIGN 16u
#define CUT_TEXT 4096 /* bytes of a string for which there is no room */

struct chunk { /* lies at the start of its own memory */
	struct chunk *next;
	size_t size, used;
};

struct arena {                /* lies in the first chunk, before the reserve */
	struct chunk *chunks; /* newest first */
	struct chunk *first;
	char *reserve;
	size_t reserve_used;
	bool failed;
};

static size_t align_up(size_t n)
{
	return (n + (ARENA_ALIGN - 1)) & ~(size_t)(ARENA_ALIGN - 1);
}

/* A chunk that has room for need bytes after its header: as large as can be had; or NULL. */
static struct chunk *chunk_new(size_t need)
{
	const size_t head = align_up(sizeof(struct chunk)), least = (need + head + 4095) & ~(size_t)4095;

	for (size_t i = 0; i < sizeof(chunk_sizes) / sizeof(chunk_sizes[0]); i++) {
		size_t size = chunk_sizes[i] > least ? chunk_sizes[i] : least;
		void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (p != MAP_FAILED) {
			struct chunk *c = p;

			c->size = size;
			c->used = head;
			ARENA_POISON((char *)p + head, size - head);
			return c;
		}
		if (size == least)
			break;
	}
	return NULL;
}

/* Bytes that an allocation takes, with its gap under AddressSanitizer. Never 0, so pointers differ. */
static size_t full_size(size_t size)
{
	return align_up(size ? size : 1) + ARENA_GAP;
}

/* Takes memory of a chunk that has enough left. */
static void *chunk_take(struct chunk *c, size_t size)
{
	char *p = (char *)c + c->used;

	c->used += full_size(size);
	ARENA_UNPOISON(p, size ? size : 1);
	return p;
}

struct arena *arena_new(void)
{
	struct chunk *c = chunk_new(align_up(sizeof(struct arena)) + ARENA_GAP + ARENA_RESERVE);
	struct arena *a;

	if (!c)
		return NULL;
	a = chunk_take(c, sizeof(*a));
	a->chunks = a->first = c;
	a->reserve = (char *)c + c->used;
	c->used += ARENA_RESERVE;
	return a;
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	struct chunk *c = a->chunks;

	while (c) {
		struct chunk *next = c->next;

		ARENA_UNPOISON(c, c->size);
		munmap(c, c->size);
		c = next;
	}
}

/* False: it has failed or has grown beyond its first chunk. */
static bool reset(struct arena *a)
{
	struct chunk *c = a->first;
	size_t keep = (size_t)(a->reserve - (char *)c) + ARENA_RESERVE;

	if (a->failed || a->chunks != c)
		return false;
	ARENA_UNPOISON((char *)c + keep, c->used - keep);
	memset((char *)c + keep, 0, c->used - keep);
	ARENA_POISON((char *)c + keep, c->used - keep);
	c->used = keep;
	a->reserve_used = 0;
	return true;
}

struct arena *arena_take(struct arena **spare)
{
	struct arena *a = spare ? *spare : NULL;

	if (!a)
		return arena_new();
	*spare = NULL;
	return a;
}

void arena_give(struct arena **spare, struct arena *a)
{
	if (a && spare && !*spare && reset(a))
		*spare = a;
	else
		arena_free(a);
}

bool arena_failed(const struct arena *a)
{
	return a->failed;
}

bool arena_low(const struct arena *a)
{
	return a->failed && a->reserve_used > ARENA_RESERVE / 2;
}

void arena_fail(struct arena *a)
{
	a->failed = true;
}

/* Makes the newest chunk one that has need bytes left. False: the arena has failed, now or before. */
static bool extend(struct arena *a, size_t need)
{
	struct chunk *c = a->chunks;

	if (c->size - c->used >= need)
		return true;
	/* One failure is final: what comes after it is not worth another try. */
	c = a->failed ? NULL : chunk_new(need);
	if (!c) {
		a->failed = true;
		return false;
	}
	c->next = a->chunks;
	a->chunks = c;
	return true;
}

/* Memory of the reserve, which has so much. */
static void *reserve_take(struct arena *a, size_t size)
{
	char *p = a->reserve + a->reserve_used;

	a->reserve_used += full_size(size);
	ARENA_UNPOISON(p, size);
	memset(p, 0, size);
	return p;
}

void *arena_try(struct arena *a, size_t size)
{
	if (size > SIZE_MAX / 2) { /* the sums would wrap */
		a->failed = true;
		return NULL;
	}
	if (extend(a, full_size(size)))
		return chunk_take(a->chunks, size);
	return full_size(size) <= ARENA_RESERVE - a->reserve_used ? reserve_take(a, size) : NULL;
}

/* Never NULL: after a failure it takes from the reserve, so that callers need no test. They check arena_failed()
 * later. */
void *arena_alloc(struct arena *a, size_t size)
{
	void *p = arena_try(a, size);

	if (!p) {
#ifdef ARENA_CHUNK
		__builtin_trap(); /* for the test: some step is too long */
#endif
		/* A step took more than it may. Its result will not be used: it gets the same memory again. */
		a->reserve_used = 0;
		p = reserve_take(a, size);
	}
	return p;
}

bool arena_has(struct arena *a, size_t size)
{
	return extend(a, size) || size <= ARENA_RESERVE - a->reserve_used;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *p = arena_try(a, len + 1);

	if (!p) {
		len = len < CUT_TEXT ? len : CUT_TEXT;
		p = arena_alloc(a, len + 1);
	}
	if (len)
		memcpy(p, s, len);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;

	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	char *p;

	if (n < 0)
		n = 0;
	p = arena_try(a, (size_t)n + 1);
	if (!p) {
		n = n < CUT_TEXT ? n : CUT_TEXT;
		p = arena_alloc(a, (size_t)n + 1);
	}
	vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	return p;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *p = arena_vprintf(a, fmt, ap);

	va_end(ap);
	return p;
}
