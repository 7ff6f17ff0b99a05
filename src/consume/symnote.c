/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symnote: see symnote.h. Input: keys of aggregations. Output: calls of symtext_note().
 * Invariant: a pass costs a bounded time, however many keys there are. */
#include "consume/symnote.h"

#include <stdlib.h>
#include <string.h>

#include "agg/agg.h"
#include "kernel/bpfsys.h"

#define KEYS_MAX 4096 /* looked at in a pass, of one aggregation */

/* Does the field hold an address of a process? Its first 8 bytes are the process id. */
static bool is_user(const struct field *f)
{
	return f->kind == FIELD_USYM || f->kind == FIELD_UMOD || f->kind == FIELD_UADDR || f->kind == FIELD_USTACK ||
		f->kind == FIELD_UCOPY;
}

static bool any_user(const struct field *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_user(&f[i]))
			return true;
	return false;
}

/* Does it print a plain number by %A? */
static bool names_number(const struct action *a)
{
	for (size_t i = 0; a->fmt && i < a->fmt->n; i++)
		if (a->fmt->items[i].conv == 'A')
			return true;
	return false;
}

static bool action_names(const struct action *a)
{
	return any_user(a->args, a->nargs) || names_number(a);
}

bool symnote_wanted(const struct image *image)
{
	for (size_t i = 0; i < image->aggs.n; i++)
		if (any_user(image->aggs.v[i].keys, image->aggs.v[i].nkeys))
			return true;
	for (size_t i = 0; i < image->epids.n; i++)
		for (size_t k = 0; k < image->epids.v[i].nactions; k++)
			if (action_names(&image->epids.v[i].actions[k]))
				return true;
	return false;
}

/* Notes the process of each such key. */
static void note_key(const struct agg *g, const uint8_t *key, struct symtext *s)
{
	for (size_t i = 0; i < g->nkeys; i++) {
		uint64_t pid;

		if (!is_user(&g->keys[i]))
			continue;
		memcpy(&pid, key + g->keys[i].off, sizeof(pid));
		symtext_note(s, pid);
	}
}

/* Two buffers take turns: the key before and the one that follows it. */
static void note_agg(const struct agg *g, int fd, struct symtext *s)
{
	uint8_t *keys = calloc(2, g->key_size);
	bool first = true;

	for (unsigned i = 0; keys && i < KEYS_MAX; i++) {
		uint8_t *key = i & 1 ? keys + g->key_size : keys, *before = i & 1 ? keys : keys + g->key_size;

		if (bpfsys_map_next(fd, first ? NULL : before, key))
			break;
		first = false;
		if (agg_has_key(g, key))
			note_key(g, key, s);
	}
	free(keys);
}

void symnote_keys(const struct image *image, const int *map_fds, struct symtext *s)
{
	for (size_t i = 0; i < image->aggs.n; i++) {
		const struct agg *g = &image->aggs.v[i];

		int fd = map_fds[g->common ? g->common - 1 : g->map]; /* every key is in the common map first */

		if (any_user(g->keys, g->nkeys) && fd >= 0)
			note_agg(g, fd, s);
	}
}
