/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sum: ip:::send { @[args[2]->ip_daddr] = sum(args[2]->ip_plength); } by hand. */
#include "kern.h"

struct address {
	u32 version, zero;
	u64 w[2];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 262144);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct address);
	__type(value, u64);
} sums SEC(".maps");

u64 drops; /* packets whose sum found no room */

/* The sum of the packet's destination on this CPU, made if it is new. NULL: the map is full. */
static __always_inline u64 *find(const struct sk_buff *skb, const u8 *nh)
{
	struct address key = {0};
	u64 zero = 0, *v;

	if (skb->protocol == P_IP) {
		key.version = 4;
		key.w[0] = CAST(nh, struct iphdr)->daddr;
	} else {
		const struct ipv6hdr *ip6 = CAST(nh, struct ipv6hdr);

		key.version = 6;
		key.w[0] = *(const u64 *)&ip6->daddr;
		key.w[1] = *((const u64 *)&ip6->daddr + 1);
	}
	v = bpf_map_lookup_elem(&sums, &key);
	if (v)
		return v;
	bpf_map_update_elem(&sums, &key, &zero, BPF_NOEXIST);
	v = bpf_map_lookup_elem(&sums, &key);
	if (!v)
		__sync_fetch_and_add(&drops, 1);
	return v;
}

SEC("cgroup_skb/egress")
int hand_egress(struct __sk_buff *ctx)
{
	const struct sk_buff *skb = bpf_cast_to_kern_ctx(ctx);
	const u8 *nh = ip_header(skb);
	u64 *v = find(skb, nh);

	if (v)
		__sync_fetch_and_add(v, ip_plength(skb, nh));
	return 1;
}

/* What no socket sent; softirqs are off here. */
SEC("tp_btf/net_dev_queue")
int hand_queue(u64 *args)
{
	const struct sk_buff *skb = (const void *)args[0];
	const struct sock *sk = skb->sk;
	const u8 *nh;
	u64 *v;

	if (sk && sk->__sk_common.skc_state != 6 &&
		(skb->protocol != P_IPV6 || sk->__sk_common.skc_state == 12 || skb->skb_iif || ip_proto(skb) != 6 ||
			(tcp_flags(skb) & 0x14) != 4))
		return 0;
	if ((skb->protocol != P_IP && skb->protocol != P_IPV6) || !first_device(skb))
		return 0;
	nh = ip_header(skb);
	v = find(skb, nh);
	if (v)
		*v += ip_plength(skb, nh);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
