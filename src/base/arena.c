/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena: reserved address space handed out from the bottom; the kernel gives pages as they are touched.
 * Input: sizes. Output: zeroed memory that lives until arena_free.
 * Invariant: every chunk is fresh from mmap and never reused, so memory is zero without a memset. A machine that
 * refuses big reservations (RLIMIT_AS, overcommit off) gets small chunks, chained. */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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
 * the chunk, so chunks are small there. */
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
static const size_t chunk_sizes[] = { (size_t)4 << 30, (size_t)1 << 30, (size_t)256 << 20, (size_t)64 << 20,
	(size_t)4 << 20 };
#endif

#define ARENA_ALIGN 16u

struct chunk { /* lies at the start of its own memory */
	struct chunk *next;
	size_t size, used;
};

struct arena {                /* lies in the first chunk */
	struct chunk *chunks; /* newest first */
	size_t used;
};

static size_t align_up(size_t n)
{
	return (n + (ARENA_ALIGN - 1)) & ~(size_t)(ARENA_ALIGN - 1);
}

/* Reserves a chunk that has room for need bytes after its header, or NULL. */
static struct chunk *chunk_new(size_t need)
{
	const size_t head = align_up(sizeof(struct chunk));

	for (size_t i = 0; i < sizeof(chunk_sizes) / sizeof(chunk_sizes[0]); i++) {
		size_t size = chunk_sizes[i];

		if (size < need + head) {
			if (i > 0)
				break; /* a larger size was refused already */
			size = (need + head + 4095) & ~(size_t)4095;
		}
		void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (p == MAP_FAILED)
			continue;
		struct chunk *c = p;

		c->size = size;
		c->used = head;
		ARENA_POISON((char *)p + head, size - head);
		return c;
	}
	return NULL;
}

static void *chunk_take(struct chunk *c, size_t size)
{
	char *p = (char *)c + c->used;

	c->used += align_up(size) + ARENA_GAP;
	ARENA_UNPOISON(p, size);
	return p;
}

struct arena *arena_new(void)
{
	struct chunk *c = chunk_new(align_up(sizeof(struct arena)) + ARENA_GAP);

	if (!c)
		return NULL;
	struct arena *a = chunk_take(c, sizeof(*a));

	a->chunks = c;
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

void *arena_alloc(struct arena *a, size_t size)
{
	/* A size this large is a bug of the caller: refuse before the sums below wrap. */
	if (size > SIZE_MAX / 2)
		abort();
	const size_t need = align_up(size ? size : 1) + ARENA_GAP;
	struct chunk *c = a->chunks;

	if (c->size - c->used < need) {
		c = chunk_new(need);
		/* Not even 4 MiB of address space: the contract has no NULL, and nothing above could go on. */
		if (!c) {
			fputs("dwire: out of memory\n", stderr);
			abort();
		}
		c->next = a->chunks;
		a->chunks = c;
	}
	a->used += need;
	return chunk_take(c, size ? size : 1);
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *p = arena_alloc(a, len + 1);

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
	char *p = arena_alloc(a, n < 0 ? 1 : (size_t)n + 1);

	if (n >= 0)
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

size_t arena_used(const struct arena *a)
{
	return a->used;
}
