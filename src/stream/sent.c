/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sent: see sent.h. Input: hashes. Output: whether they are news.
 * Invariant: at most half of the slots are taken. */
#include "stream/sent.h"

#include <stdlib.h>

#define SLOTS_MIN 256u

struct sent {
	uint64_t key; /* 0: free */
	uint64_t state, pass;
};

static struct sent *find(struct sent *slots, size_t cap, uint64_t key)
{
	size_t at = (key ^ key >> 32) & (cap - 1);

	while (slots[at].key && slots[at].key != key)
		at = (at + 1) & (cap - 1);
	return &slots[at];
}

/* Moves the keys that were noted since a pass to a table of cap slots. False: no memory; nothing has changed. */
static bool move(struct sent_table *t, size_t cap, uint64_t since)
{
	struct sent *slots = calloc(cap, sizeof(*slots));

	if (!slots)
		return false;
	t->n = 0;
	for (size_t i = 0; i < t->cap; i++)
		if (t->slots[i].key && t->slots[i].pass >= since) {
			*find(slots, cap, t->slots[i].key) = t->slots[i];
			t->n++;
		}
	free(t->slots);
	t->slots = slots;
	t->cap = cap;
	return true;
}

bool sent_note(struct sent_table *t, uint64_t key, uint64_t state)
{
	struct sent *at;

	key |= 1;
	if (t->n * 2 >= t->cap && !move(t, t->cap ? t->cap * 2 : SLOTS_MIN, 0))
		return true;
	at = find(t->slots, t->cap, key);
	t->n += !at->key;
	if (at->key && at->state == state) {
		at->pass = t->pass;
		return false;
	}
	*at = (struct sent){ key, state, t->pass };
	return true;
}

void sent_begin(struct sent_table *t)
{
	t->pass++;
}

void sent_forget(struct sent_table *t)
{
	size_t kept = 0, cap = SLOTS_MIN;

	for (size_t i = 0; i < t->cap; i++)
		kept += t->slots[i].key && t->slots[i].pass >= t->pass;
	while (cap <= kept * 2)
		cap *= 2;
	if (kept < t->n)
		(void)!move(t, cap, t->pass);
}

void sent_free(struct sent_table *t)
{
	free(t->slots);
	*t = (struct sent_table){ 0 };
}
