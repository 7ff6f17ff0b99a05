/* SPDX-License-Identifier: GPL-2.0-or-later */
/* headers: a record for each TCP packet by hand: its time and its first bytes, as a packet file has them. */
#include "kern.h"

#define SNAP 82 /* bytes from the IP header on, which tcpdump -s 96 keeps behind 14 of Ethernet */

struct record {
	u64 ns;
	u32 len, kept;
	u8 bytes[SNAP + 6];
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} ring SEC(".maps");

u64 lost;

/* No wake-up: the reader looks by itself, as dwire does. */
static __always_inline int keep(struct __sk_buff *ctx)
{
	const struct sk_buff *skb = bpf_cast_to_kern_ctx(ctx);
	struct record *r;
	u32 n;

	if ((skb->protocol != P_IP && skb->protocol != P_IPV6) || ip_proto(skb) != 6)
		return 1;
	r = bpf_ringbuf_reserve(&ring, sizeof(*r), 0);
	if (!r) {
		__sync_fetch_and_add(&lost, 1);
		return 1;
	}
	r->ns = bpf_ktime_get_ns();
	r->len = ctx->len;
	n = r->len;
	if (n > SNAP)
		n = SNAP;
	r->kept = n;
	if (n)
		bpf_skb_load_bytes(ctx, 0, r->bytes, n);
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
	return 1;
}

SEC("cgroup_skb/egress")
int sent(struct __sk_buff *ctx)
{
	return keep(ctx);
}

SEC("cgroup_skb/ingress")
int received(struct __sk_buff *ctx)
{
	return keep(ctx);
}

char LICENSE[] SEC("license") = "GPL";
