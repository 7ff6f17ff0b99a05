/* SPDX-License-Identifier: GPL-2.0-or-later */
/* driver: by hand, what nettxlat shows: how long devices have packets, as powers of two of microseconds. */
#include "kern.h"
#include "powers.h"

BUFFERS(given);
POWERS(times);

static __always_inline int done(u64 skb)
{
	u64 *at = bpf_map_lookup_elem(&given, &skb);

	if (!at)
		return 0;
	powers_add(&times, (bpf_ktime_get_ns() - *at) / 1000);
	bpf_map_delete_elem(&given, &skb);
	return 0;
}

SEC("tp_btf/net_dev_start_xmit")
int net_dev_start_xmit(u64 *args)
{
	return buffer_note(&given, args[0]);
}

SEC("tp_btf/consume_skb")
int consume_skb(u64 *args)
{
	return done(args[0]);
}

SEC("tp_btf/kfree_skb")
int kfree_skb(u64 *args)
{
	return done(args[0]);
}

SEC("tp_btf/net_dev_queue")
int net_dev_queue(u64 *args)
{
	return done(args[0]);
}

SEC("tp_btf/netif_rx_entry")
int netif_rx_entry(u64 *args)
{
	return done(args[0]);
}

SEC("tp_btf/netif_receive_skb_entry")
int netif_receive_skb_entry(u64 *args)
{
	return done(args[0]);
}

SEC("tp_btf/napi_gro_receive_entry")
int napi_gro_receive_entry(u64 *args)
{
	return done(args[0]);
}

char LICENSE[] SEC("license") = "GPL";
