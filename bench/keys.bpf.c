/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys: updates of an aggregation's map, many in a run: keys.c chooses the kind of the map and its sizes. */
#include "kern.h"

#define KEY_MAX 128
#define RUN 64 /* updates in a run: as many events as may come before the kernel can do other work */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(key_size, KEY_MAX);
	__uint(value_size, 1024);
} sums SEC(".maps");

u64 drops, zero[128];

static __always_inline u64 *find(const void *key)
{
	u64 *v = bpf_map_lookup_elem(&sums, key);

	if (v)
		return v;
	bpf_map_update_elem(&sums, key, zero, BPF_NOEXIST);
	return bpf_map_lookup_elem(&sums, key);
}

/* args[0]: the number of the first key; args[1]: what each next one adds: 0 is one key again and again. */
SEC("raw_tp")
int hand_keys(u64 *args)
{
	u64 key[KEY_MAX / 8] = {}, first = args[0], step = args[1];

	for (int i = 0; i < RUN; i++) {
		u64 *v;

		key[0] = first + (u64)i * step;
		v = find(key);
		if (v)
			__sync_fetch_and_add(v, 1);
		else
			drops++;
	}
	return 0;
}
