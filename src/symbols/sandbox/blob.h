/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blob: a message between the tracer and its sandbox: a byte buffer that grows up to a limit, and a cursor to read it.
 * The reader does not trust the content: the cursor never passes the end. */
#ifndef DWIRE_SYMBOLS_SANDBOX_BLOB_H
#define DWIRE_SYMBOLS_SANDBOX_BLOB_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct blob {
	char *v; /* malloced */
	size_t n, cap;
	size_t most; /* the limit */
	int err;     /* of the first blob_put() that failed: -E2BIG or -ENOMEM */
};

struct blob blob_new(size_t most);
void blob_free(struct blob *b);
/* Appends. After an error every further call fails with the same error. */
int blob_put(struct blob *b, const void *from, size_t len);

struct blob_reader {
	const char *p, *end;
};
struct blob_reader blob_read(const struct blob *b);
/* Returns the next len bytes in place; NULL: fewer are left. */
const void *blob_bytes(struct blob_reader *r, size_t len);
/* Copies the next len bytes; false: fewer are left. */
bool blob_take(struct blob_reader *r, void *to, size_t len) __attribute__((warn_unused_result));
#endif
