/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strmap: a hash table from strings to pointers, in an arena. Keys are copied. After arena_failed() a full map ignores
 * new keys. */
#ifndef DWIRE_BASE_STRMAP_H
#define DWIRE_BASE_STRMAP_H
#include "base/arena.h"

struct strmap;

struct strmap *strmap_new(struct arena *a);
/* The value of key, or NULL. */
void *strmap_get(const struct strmap *m, const char *key);
void strmap_put(struct strmap *m, const char *key, void *value);
/* Calls fn for each pair in order of insertion. */
void strmap_each(const struct strmap *m, void (*fn)(void *ctx, const char *key, void *value), void *ctx);
#endif
