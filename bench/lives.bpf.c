/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lives: by hand, what skblife shows: how long packets' buffers live, as powers of two of nanoseconds. */
#include "kern.h"
#include "powers.h"

BUFFERS(born);
POWERS(lives);

static __always_inline bool fits(u32 size, u32 object)
{
	return size >= object && size <= ((object + 63) & ~63u);
}

/* A cache may serve other objects of the size; what is in none of these was not born here. */
static __always_inline bool is_of_buffers(u64 cache)
{
	u32 size = CAST(cache, struct kmem_cache)->object_size;

	return fits(size, bpf_core_type_size(struct sk_buff)) || fits(size, bpf_core_type_size(struct sk_buff_fclones));
}

static __always_inline int ends(u64 skb)
{
	return buffer_ends(&born, &lives, skb, 1);
}

/* Drivers keep buffers: one that is new here comes without having been allocated. */
static __always_inline int seen(u64 skb)
{
	return bpf_map_lookup_elem(&born, &skb) ? 0 : buffer_note(&born, skb);
}

AT_TRACEPOINT(kmem_cache_alloc, is_of_buffers(args[2]) ? buffer_note(&born, args[1]) : 0)
AT_TRACEPOINT(kmem_cache_free, is_of_buffers(args[2]) ? ends(args[1]) : 0)
AT_TRACEPOINT(consume_skb, ends(args[0]))
AT_TRACEPOINT(kfree_skb, ends(args[0]))
AT_TRACEPOINT(napi_gro_receive_entry, seen(args[0]))
AT_TRACEPOINT(netif_receive_skb_entry, seen(args[0]))
AT_TRACEPOINT(netif_rx_entry, seen(args[0]))

char LICENSE[] SEC("license") = "GPL";
