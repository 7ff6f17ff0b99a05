/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blob: see blob.h. Invariant: n <= cap <= most. */
#include "symbols/sandbox/blob.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST 4096

/* Nothing is allocated before the first blob_put(). */
struct blob blob_new(size_t most)
{
	return (struct blob){ .most = most };
}

void blob_free(struct blob *b)
{
	free(b->v);
	*b = (struct blob){ .most = b->most };
}

/* Doubles, up to the limit. Without memory or room the blob has failed for good, so that callers may check the last
 * blob_put() only. */
static int grow(struct blob *b, size_t len)
{
	size_t cap = b->cap ? b->cap : FIRST;
	char *v;

	if (len > b->most - b->n)
		return -E2BIG;
	while (cap - b->n < len)
		cap *= 2;
	if (cap > b->most)
		cap = b->most;
	v = realloc(b->v, cap);
	if (!v)
		return -ENOMEM;
	b->v = v;
	b->cap = cap;
	return 0;
}

/* The first error stays in b->err; later calls return it and add nothing. */
int blob_put(struct blob *b, const void *from, size_t len)
{
	if (!b->err && len > b->cap - b->n)
		b->err = grow(b, len);
	if (b->err)
		return b->err;
	if (len)
		memcpy(b->v + b->n, from, len);
	b->n += len;
	return 0;
}

struct blob_reader blob_read(const struct blob *b)
{
	return (struct blob_reader){ b->v, b->n ? b->v + b->n : b->v };
}

/* A pointer into the blob: tables are used in place. NULL: fewer bytes are left. */
const void *blob_bytes(struct blob_reader *r, size_t len)
{
	const char *p = r->p;

	if (!p || len > (size_t)(r->end - p))
		return NULL;
	r->p += len;
	return p;
}

/* For parts that are copied out. */
bool blob_take(struct blob_reader *r, void *to, size_t len)
{
	const void *from = blob_bytes(r, len);

	if (from)
		memcpy(to, from, len);
	return from != NULL;
}
