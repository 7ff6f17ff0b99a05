/* SPDX-License-Identifier: GPL-2.0-or-later */
/* requests: by hand, what reqlat shows: for each owner, host and port how many answers there were, and how long they took. A
 * lower bound: who sends first is the owner for good, segments that are sent again count, and connections of which the SYN was
 * not seen are taken for those of a server. */
#include "kern.h"
#include "steps.h"


struct connection {
	u64 asked; /* 0: no request has begun */
	struct owner owner;
	bool asks;
};

struct peer {
	struct owner owner;
	u32 asks, addr[4], port;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct connection);
} connections SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 10240);
	__type(key, struct peer);
	__type(value, struct times);
} answers SEC(".maps");

TIMES(none, 1);

static __always_inline void answered(struct connection *c, const struct bpf_sock *sk)
{
	u64 ns = bpf_ktime_get_ns() - c->asked;
	struct peer key = { .owner = c->owner, .asks = c->asks };
	struct times *t, *zero;
	u32 first = 0;

	c->asked = 0;
	key.port = c->asks ? bpf_ntohs(sk->dst_port) : sk->src_port;
	if (sk->family == 2) {
		key.addr[0] = sk->dst_ip4;
	} else {
		key.addr[0] = sk->dst_ip6[0];
		key.addr[1] = sk->dst_ip6[1];
		key.addr[2] = sk->dst_ip6[2];
		key.addr[3] = sk->dst_ip6[3];
	}
	t = bpf_map_lookup_elem(&answers, &key);
	if (!t) {
		zero = bpf_map_lookup_elem(&none, &first);
		if (zero)
			bpf_map_update_elem(&answers, &key, zero, BPF_NOEXIST);
		t = bpf_map_lookup_elem(&answers, &key);
	}
	if (t)
		times_add(t, ns);
}

static __always_inline int segment(struct __sk_buff *ctx, bool leaves)
{
	const struct sk_buff *skb = bpf_cast_to_kern_ctx(ctx);
	struct bpf_sock *sk = ctx->sk ? bpf_sk_fullsock(ctx->sk) : NULL;
	const struct tcphdr *th;
	struct bpf_tcp_sock *tp;
	struct connection *c;
	u32 data;

	if (!sk || sk->protocol != 6 || sk->state == BPF_TCP_LISTEN)
		return 1;
	th = CAST(skb->head + skb->transport_header, struct tcphdr);
	data = ip_plength(skb, ip_header(skb)) - th->doff * 4;
	if (leaves && (tcp_flags(skb) & (TCP_SYN | TCP_ACK)) == TCP_SYN) {
		c = bpf_sk_storage_get(&connections, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
		if (c) {
			c->asks = true;
			owner_now(&c->owner);
		}
		return 1;
	}
	if (!data)
		return 1;
	if (!leaves) {
		tp = bpf_tcp_sock(sk);
		if (!tp || (int)(bpf_ntohl(th->seq) + data - tp->rcv_nxt) <= 0)
			return 1;
	}
	c = bpf_sk_storage_get(&connections, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!c)
		return 1;
	if (leaves && !c->owner.pid)
		owner_now(&c->owner);
	if (leaves != c->asks) {
		if (c->asked)
			answered(c, sk);
	} else if (!c->asked) {
		c->asked = bpf_ktime_get_ns();
	}
	return 1;
}

AT_SEGMENTS(segment)

char LICENSE[] SEC("license") = "GPL";
