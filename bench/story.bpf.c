/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story: by hand, what sotrace shows of connections that lose nothing: a record of each request, step and established
 * connection, with the time since its first event; each segment is looked at for a window of 0. A lower bound: who sends first
 * is the owner for good, and no drop, reset, timeout or segment that is sent again is seen. */
#include "kern.h"


enum event { REQUEST, STEP, ESTABLISHED, WINDOW_SENT, WINDOW_RECEIVED };

struct story {
	u64 began; /* 0: nothing was seen */
	struct owner owner;
};

struct event_record {
	u64 ns, since;
	struct owner owner;
	u32 event, detail, more;
	u16 family, lport, rport;
	u8 raddr[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__type(key, u64); /* a socket */
	__type(value, struct story);
} stories SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 << 20);
} events SEC(".maps");

static const struct story none;
u64 lost;

static __always_inline struct story *story_of(u64 sk)
{
	struct story *s = bpf_map_lookup_elem(&stories, &sk);

	if (s)
		return s;
	bpf_map_update_elem(&stories, &sk, &none, BPF_NOEXIST);
	return bpf_map_lookup_elem(&stories, &sk);
}

static __always_inline void tell(struct story *s, const struct sock *sk, enum event event, u32 detail, u32 more)
{
	struct event_record *r = bpf_ringbuf_reserve(&events, sizeof(*r), 0);

	if (!r) {
		__sync_fetch_and_add(&lost, 1);
		return;
	}
	r->ns = bpf_ktime_get_ns();
	if (!s->began)
		s->began = r->ns;
	r->since = r->ns - s->began;
	r->event = event;
	r->owner = s->owner;
	r->detail = detail;
	r->more = more;
	r->family = sk->__sk_common.skc_family;
	r->lport = sk->__sk_common.skc_num;
	r->rport = bpf_ntohs(sk->__sk_common.skc_dport);
	if (r->family == 2)
		*(u32 *)r->raddr = sk->__sk_common.skc_daddr;
	else
		__builtin_memcpy(r->raddr, &sk->__sk_common.skc_v6_daddr, sizeof(r->raddr));
	bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
}

static __always_inline int segment(struct __sk_buff *ctx, bool leaves)
{
	const struct sock *sk = CAST(ctx->sk, struct sock);
	const struct sk_buff *skb = bpf_cast_to_kern_ctx(ctx);
	const struct tcphdr *th;
	struct story *s;
	u8 flags;

	if (!ctx->sk || sk->sk_protocol != 6 || sk->__sk_common.skc_state == BPF_TCP_LISTEN)
		return 1;
	th = CAST(skb->head + skb->transport_header, struct tcphdr);
	flags = tcp_flags(skb);
	if (leaves && (flags & (TCP_SYN | TCP_ACK)) == TCP_SYN) {
		s = story_of((u64)sk);
		if (s) {
			owner_now(&s->owner);
			tell(s, sk, REQUEST, 0, 0);
		}
		return 1;
	}
	if (leaves && sk->sk_lock.owned) {
		s = story_of((u64)sk);
		if (s && !s->owner.pid)
			owner_now(&s->owner);
	}
	if (th->window || flags & (TCP_SYN | TCP_RST))
		return 1;
	s = story_of((u64)sk);
	if (s)
		tell(s, sk, leaves ? WINDOW_SENT : WINDOW_RECEIVED, 0, 0);
	return 1;
}

AT_SEGMENTS(segment)

SEC("tp_btf/inet_sock_set_state")
int set_state(u64 *args)
{
	const struct sock *sk = CAST(args[0], struct sock);
	int old = (int)args[1], new = (int)args[2];
	struct story *s;
	u64 key = args[0];

	if (sk->sk_protocol != 6 || old == BPF_TCP_LISTEN || new == BPF_TCP_LISTEN || new == BPF_TCP_SYN_SENT)
		return 0;
	s = story_of(key);
	if (!s)
		return 0;
	tell(s, sk, STEP, (u32)old, (u32)new);
	if (new == BPF_TCP_ESTABLISHED)
		tell(s, sk, ESTABLISHED, old == BPF_TCP_SYN_SENT, CAST(sk, struct tcp_sock)->srtt_us >> 3);
	return 0;
}

SEC("tp_btf/tcp_destroy_sock")
int destroyed(u64 *args)
{
	u64 key = args[0];

	bpf_map_delete_elem(&stories, &key);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
