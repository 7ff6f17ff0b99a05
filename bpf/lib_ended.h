/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib_ended: the owner of a connection that has no socket any more; part of lib.bpf.c. Input: the owner service's
 * array of one struct dw_ended, which it changes at the same time; a connection's key. Output: its owner, or NULL.
 * Invariant: an entry that was overwritten has another number than the link to it, and all older ones are gone, too. */
#define ENDED_STEPS 8 /* of 8192 entries in 16384 lists, one in 10^8 is further down in its list */

struct dw_owner *ended_find(void *map, u64 key)
{
	u32 zero = 0;
	struct dw_ended *all = map_lookup(map, &zero);
	u64 n;

	if (!all)
		return 0;
	n = all->newest[DW_ENDED_HEAD(key)];
#pragma clang loop unroll(disable)
	for (int i = 0; i < ENDED_STEPS; i++) {
		struct dw_ended_one *one = &all->ring[n % DW_ENDED];

		if (n == 0 || one->owner.ended != n)
			return 0;
		if (one->key == key)
			return one->owner.process ? &one->owner : 0;
		n = one->older;
	}
	return 0;
}
