/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quantize: tcp:::receive { @[args[1]->cs_pid] = quantize(args[2]->ip_plength); } by hand. The map owners is that of
 * src/owner/bpf/owner.bpf.c, which the loader loads too. */
#include "kern.h"
#include "abi/abi.h"

#define NO_SOCKET 3 /* SKB_DROP_REASON_NO_SOCKET */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 131072);
	__type(key, u64);
	__type(value, struct dw_owner);
} owners SEC(".maps");

struct histogram {
	u64 n[DW_QUANTIZE_BUCKETS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 262144);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, struct histogram);
} histograms SEC(".maps");

u64 drops; /* packets whose histogram found no room */
const struct histogram zero;

/* The number of the highest bit of v; 0 for 0. Five steps, without a loop. */
static __always_inline u32 log2(u64 v)
{
	u32 r = 0;

	if (v >> 32) {
		r += 32;
		v >>= 32;
	}
	if (v >> 16) {
		r += 16;
		v >>= 16;
	}
	if (v >> 8) {
		r += 8;
		v >>= 8;
	}
	if (v >> 4) {
		r += 4;
		v >>= 4;
	}
	if (v >> 2) {
		r += 2;
		v >>= 2;
	}
	return r + (u32)(v >> 1);
}

static __always_inline u64 *bucket(u64 pid, u64 v)
{
	struct histogram *h = bpf_map_lookup_elem(&histograms, &pid);
	u32 i = v ? 64 + log2(v) : 63;

	if (!h) {
		bpf_map_update_elem(&histograms, &pid, &zero, BPF_NOEXIST);
		h = bpf_map_lookup_elem(&histograms, &pid);
	}
	if (!h) {
		__sync_fetch_and_add(&drops, 1);
		return NULL;
	}
	return i < DW_QUANTIZE_BUCKETS ? &h->n[i] : NULL;
}

static __always_inline int owner_pid(u64 addr)
{
	struct dw_owner *o = bpf_map_lookup_elem(&owners, &addr);

	return o ? o->pid : -1;
}

SEC("cgroup_skb/ingress")
int hand_ingress(struct __sk_buff *ctx)
{
	const struct sk_buff *skb = bpf_cast_to_kern_ctx(ctx);
	const struct sock *sk = skb->sk;
	u64 *n;

	if (!sk || sk->sk_protocol != 6 || sk->sk_type != 1)
		return 1;
	n = bucket((u64)(long long)owner_pid((u64)sk), ip_plength(skb, ip_header(skb)));
	if (n)
		++*n; /* softirqs are off */
	return 1;
}

static __always_inline void count_unowned(const struct sk_buff *skb)
{
	u64 *n = bucket((u64)-1, ip_plength(skb, ip_header(skb)));

	if (n)
		__sync_fetch_and_add(n, 1);
}

SEC("tp_btf/tcp_send_reset")
int hand_refused(u64 *args)
{
	const struct sk_buff *skb = (const void *)args[1];

	if (skb && !args[0])
		count_unowned(skb);
	return 0;
}

SEC("tp_btf/kfree_skb")
int hand_freed(u64 *args)
{
	const struct sk_buff *skb = (const void *)args[0];
	const struct sock *sk = (const void *)args[3];

	if (sk ? sk->__sk_common.skc_state != 6 : (u32)args[2] != NO_SOCKET)
		return 0;
	if ((skb->protocol != P_IP && skb->protocol != P_IPV6) || ip_proto(skb) != 6)
		return 0;
	if (sk || (tcp_flags(skb) & 4))
		count_unowned(skb);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
