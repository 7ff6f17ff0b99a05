/* SPDX-License-Identifier: GPL-2.0-or-later */
/* powers.h: when buffers were seen, and distributions over powers of two. */
#ifndef DWIRE_BENCH_POWERS_H
#define DWIRE_BENCH_POWERS_H

/* The time by the address of a buffer. */
#define BUFFERS(NAME)                            \
	struct {                                 \
		__uint(type, BPF_MAP_TYPE_HASH); \
		__uint(max_entries, 32768);      \
		__type(key, u64);                \
		__type(value, u64);              \
	} NAME SEC(".maps")

static __always_inline int buffer_note(void *buffers, u64 skb)
{
	u64 now = bpf_ktime_get_ns();

	bpf_map_update_elem(buffers, &skb, &now, BPF_ANY);
	return 0;
}

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
#endif
