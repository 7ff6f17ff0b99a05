/* SPDX-License-Identifier: GPL-2.0-or-later */
/* count: tcp:::send { @ = count(); } by hand. */
#include "kern.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} counts SEC(".maps");

/* A process can be interrupted here, and the interrupt can send too. */
static __always_inline void count(void)
{
	u32 key = 0;
	u64 *n = bpf_map_lookup_elem(&counts, &key);

	if (n)
		__sync_fetch_and_add(n, 1);
}

SEC("cgroup_skb/egress")
int hand_egress(struct __sk_buff *ctx)
{
	const struct sk_buff *skb = bpf_cast_to_kern_ctx(ctx);
	const struct sock *sk = skb->sk;

	if (sk && sk->sk_protocol == 6 && sk->sk_type == 1)
		count();
	return 1;
}

/* Is it a segment that the socket's own hook does not see? Of sockets in TIME_WAIT (state 6), resets without a socket
 * (by a socket of the kernel's own), and resets of IPv6. */
static __always_inline bool passes_by(const struct sk_buff *skb, const struct sock *sk)
{
	u8 state;

	if (!sk)
		return true;
	state = sk->__sk_common.skc_state;
	if (state == 6)
		return true;
	if (skb->protocol == P_IP)
		return state == 7 && sk->sk_type == 3 && sk->sk_kern_sock && sk->sk_protocol == 6;
	return skb->protocol == P_IPV6 && state != 12 && ip_proto(skb) == 6 && (tcp_flags(skb) & 0x14) == 4;
}

SEC("tp_btf/net_dev_queue")
int hand_queue(u64 *args)
{
	const struct sk_buff *skb = (const void *)args[0];

	if (skb->skb_iif || !passes_by(skb, skb->sk))
		return 0;
	if ((skb->protocol != P_IP && skb->protocol != P_IPV6) || ip_proto(skb) != 6)
		return 0;
	if (first_device(skb))
		count();
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
