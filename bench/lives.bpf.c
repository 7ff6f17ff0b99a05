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
	u64 *at = bpf_map_lookup_elem(&born, &skb);

	if (!at)
		return 0;
	powers_add(&lives, bpf_ktime_get_ns() - *at);
	bpf_map_delete_elem(&born, &skb);
	return 0;
}

/* Drivers keep buffers: one that is new here comes without having been allocated. */
static __always_inline int seen(u64 skb)
{
	return bpf_map_lookup_elem(&born, &skb) ? 0 : buffer_note(&born, skb);
}

SEC("tp_btf/kmem_cache_alloc")
int kmem_cache_alloc(u64 *args)
{
	return is_of_buffers(args[2]) ? buffer_note(&born, args[1]) : 0;
}

SEC("tp_btf/kmem_cache_free")
int kmem_cache_free(u64 *args)
{
	return is_of_buffers(args[2]) ? ends(args[1]) : 0;
}

SEC("tp_btf/consume_skb")
int consume_skb(u64 *args)
{
	return ends(args[0]);
}

SEC("tp_btf/kfree_skb")
int kfree_skb(u64 *args)
{
	return ends(args[0]);
}

SEC("tp_btf/napi_gro_receive_entry")
int napi_gro_receive_entry(u64 *args)
{
	return seen(args[0]);
}

SEC("tp_btf/netif_receive_skb_entry")
int netif_receive_skb_entry(u64 *args)
{
	return seen(args[0]);
}

SEC("tp_btf/netif_rx_entry")
int netif_rx_entry(u64 *args)
{
	return seen(args[0]);
}

char LICENSE[] SEC("license") = "GPL";
