/* SPDX-License-Identifier: GPL-2.0-or-later */
/* strmap: string -> pointer, in an arena; keys are copied. Without memory (arena_failed()) a full map takes
 * nothing more. */
#ifndef DWIRE_BASE_STRMAP_H
#define DWIRE_BASE_STRMAP_H
#include "base/arena.h"

struct strmap;

struct strmap *strmap_new(struct arena *a);
/* The value put under key, or NULL. */
void *strmap_get(const struct strmap *m, const char *key);
void strmap_put(struct strmap *m, const char *key, void *value);
/* Calls fn for each pair in order of insertion. */
void strmap_each(const struct strmap *m, void (*fn)(void *ctx, const char *key, void *value), void *ctx);
#endif
