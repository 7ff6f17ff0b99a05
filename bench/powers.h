/* SPDX-License-Identifier: GPL-2.0-or-later */
/* powers.h: distributions over powers of two, of how long buffers are somewhere. */
#ifndef DWIRE_BENCH_POWERS_H
#define DWIRE_BENCH_POWERS_H

#define POWERS(NAME)                                     \
	struct {                                         \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); \
		__uint(max_entries, 65);                 \
		__type(key, u32);                        \
		__type(value, u64);                      \
	} NAME SEC(".maps")

static __always_inline void powers_add(void *powers, u64 value)
{
	u32 bits = 0;
	u64 *n;

	for (u32 s = 32; s; s >>= 1)
		if (value >> (bits + s))
			bits += s;
	bits += value != 0;
	n = bpf_map_lookup_elem(powers, &bits);
	if (n)
		__sync_fetch_and_add(n, 1); /* an interrupt may add, too */
}

/* The buffer, if it is among them, is not any more. unit: ns. */
static __always_inline int buffer_ends(void *buffers, void *powers, u64 skb, u64 unit)
{
	u64 *at = bpf_map_lookup_elem(buffers, &skb);

	if (!at)
		return 0;
	powers_add(powers, (bpf_ktime_get_ns() - *at) / unit);
	bpf_map_delete_elem(buffers, &skb);
	return 0;
}
#endif
