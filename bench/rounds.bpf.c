/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rounds: by hand, what netlat shows: how many requests and answers passed each stage, and how long they took there, as
 * a sum, a most and a distribution. A lower bound: TCP over IPv4 in one namespace that has both ends; no segment that is
 * sent again or cut, no wait for a window or a pace, no filters, no names. A segment is known by the address of its
 * buffer, until it comes to its socket. */
#include "kern.h"
#include "steps.h"
#ifdef __TARGET_ARCH_x86
#include <asm/unistd_64.h>
#else
#include <asm-generic/unistd.h>
#endif

enum part { QUEUE, TRANSMIT, DRIVER, LAND, NPARTS }; /* of a segment's way, by where it ends */
enum stage { SENDQ, IP, QDISC, IN_DRIVER, RECEIVE, SOCKET, WAKEUP, READ, NSTAGES };

#define PEEK 2               /* MSG_PEEK */
#define SERVER (2 * NSTAGES) /* after those of a request, then those of an answer */
#define WHOLE (SERVER + 1)
#define UNKNOWN (SERVER + 2)

struct thread {
	u64 sending; /* when its call began; 0: none now */
	u64 receiving;
	u64 woken; /* 0: it has run since */
	u64 woke;
	u64 ran;
};

/* Of a request, or of its answer. */
struct way {
	u64 called; /* its first call began; 0: not yet */
	u64 left;   /* its segment left TCP */
	u64 at;     /* that segment came to its socket */
	u64 parts[NPARTS];
	u64 queued, waking, reading, done;
	u32 first; /* its first byte's sequence number */
	bool sent, here, landed;
};

/* A socket. Never freed: sockets use the memory of others again. */
struct peer {
	u64 asker;                  /* of one that serves: the one that asks */
	struct way request, answer; /* of one that asks: its round */
};

struct packet {
	u64 left;  /* 0: on no way */
	u64 asker; /* 0: not known yet */
	u64 at;
	u64 parts[NPARTS];
	bool answers;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__type(key, u64); /* the address of a socket */
	__type(value, struct peer);
} peers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__type(key, u64); /* the address of a packet's headers */
	__type(value, struct packet);
} packets SEC(".maps");

TIMES(stages, UNKNOWN + 1);

static const struct peer new_peer;

/* ---- what threads do */

static __always_inline struct thread *thread(struct task_struct *task, u64 flags)
{
	return bpf_task_storage_get(&threads, task, NULL, flags);
}

static __always_inline bool is_write(u64 call)
{
	return call == __NR_write || call == __NR_writev || call == __NR_sendto || call == __NR_sendmsg ||
		call == __NR_sendmmsg || call == __NR_sendfile || call == __NR_splice;
}

static __always_inline bool is_read(u64 call)
{
	return call == __NR_read || call == __NR_readv || call == __NR_recvfrom || call == __NR_recvmsg ||
		call == __NR_recvmmsg;
}

SEC("tp_btf/sys_enter")
int sys_enter(u64 *args)
{
	bool reads = is_read(args[1]);
	struct thread *t;

	if (!reads && !is_write(args[1]))
		return 0;
	t = thread(bpf_get_current_task_btf(), BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (t)
		*(reads ? &t->receiving : &t->sending) = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/sys_exit")
int sys_exit(u64 *args)
{
	struct thread *t = thread(bpf_get_current_task_btf(), 0);

	if (t)
		t->sending = 0;
	return 0;
}

SEC("tp_btf/sched_waking")
int sched_waking(u64 *args)
{
	struct thread *t = thread((struct task_struct *)args[0], BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (t)
		t->woken = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/sched_switch")
int sched_switch(u64 *args)
{
	struct thread *t = thread((struct task_struct *)args[2], 0);

	if (!t || !t->woken)
		return 0;
	t->woke = t->woken;
	t->ran = bpf_ktime_get_ns();
	t->woken = 0;
	return 0;
}

/* ---- segments leave */

static __always_inline const struct tcphdr *tcp_header(const struct sk_buff *skb)
{
	return CAST(skb->head + skb->transport_header, struct tcphdr);
}

/* Of TCP: whether it has data, wherever it is on its way. */
static __always_inline bool has_data(const struct sk_buff *skb)
{
	return (u32)(skb->data - skb->head) + skb->len > skb->transport_header + tcp_header(skb)->doff * 4;
}

static __always_inline struct packet *packet(const struct sk_buff *skb)
{
	u64 key = (u64)skb->head;

	return has_data(skb) ? bpf_map_lookup_elem(&packets, &key) : NULL;
}

static __always_inline struct peer *peer(u64 sk)
{
	return bpf_map_lookup_elem(&peers, &sk);
}

static __always_inline struct peer *peer_or_new(u64 sk)
{
	struct peer *p = peer(sk);

	if (p)
		return p;
	bpf_map_update_elem(&peers, &sk, &new_peer, BPF_NOEXIST);
	return peer(sk);
}

SEC("netfilter/output")
int output(struct bpf_nf_ctx *ctx)
{
	const struct sk_buff *skb = ctx->skb;
	struct packet *p, new = {};
	u64 key = (u64)skb->head;

	if (CAST(ip_header(skb), struct iphdr)->protocol != IPPROTO_TCP || !has_data(skb))
		return 1;
	p = bpf_map_lookup_elem(&packets, &key);
	if (p) {
		p->left = bpf_ktime_get_ns();
		p->asker = 0;
		return 1;
	}
	new.left = bpf_ktime_get_ns();
	bpf_map_update_elem(&packets, &key, &new, BPF_ANY);
	return 1;
}

/* A request begins; or the answer, when the request has come. left: 0: TCP keeps what a process writes, or has sent it.
 * A call that began before is that of the answer before. The thread's call sends the segment if a call has the socket's
 * lock. */
static __always_inline void begins(struct peer *round, bool asks, bool own, u64 left)
{
	struct thread *t = thread(bpf_get_current_task_btf(), 0);
	u64 call = t ? t->sending : 0;

	if (!left && !call)
		return;
	if (!asks) {
		if (round->request.called && round->request.here && (!call || call >= round->request.at || !own))
			round->answer.called = call && own ? call : left;
		return;
	}
	if (!left && call <= round->answer.done)
		return;
	round->request.called = call && own ? call : left;
	round->request.left = 0;
	round->request.done = 0;
	round->request.sent = round->request.here = round->request.landed = false;
	round->answer.called = 0;
	round->answer.left = 0;
	round->answer.sent = round->answer.here = round->answer.landed = false;
}

static __always_inline bool is_active(u64 sk)
{
	return CAST(sk, struct inet_sock)->mc_index == 0;
}

/* The round of a socket that sends, or NULL. */
static __always_inline struct peer *round_of_sender(u64 sk, bool asks, u64 *asker)
{
	struct peer *s;

	*asker = sk;
	if (asks)
		return peer_or_new(sk);
	s = peer(sk);
	if (!s || !s->asker)
		return NULL;
	*asker = s->asker;
	return peer(s->asker);
}

/* A request's last segment counts, an answer's first one: what comes of it first ends the round. */
SEC("cgroup_skb/egress")
int egress(struct __sk_buff *ctx)
{
	const struct sk_buff *skb = bpf_cast_to_kern_ctx(ctx);
	u64 sk = (u64)skb->sk, asker;
	struct packet *p = sk && CAST(sk, struct sock)->sk_protocol == IPPROTO_TCP ? packet(skb) : NULL;
	bool asks;
	struct peer *round;
	struct way *w;

	if (!p || !p->left)
		return 1;
	asks = is_active(sk);
	round = round_of_sender(sk, asks, &asker);
	if (!round)
		return 1;
	w = asks ? &round->request : &round->answer;
	if (!w->called)
		begins(round, asks, CAST(sk, struct sock)->sk_lock.owned, p->left);
	if (!w->called || round->answer.here || (!asks && w->sent))
		return 1;
	if (!w->sent)
		w->first = bpf_ntohl(tcp_header(skb)->seq);
	w->sent = true;
	w->landed = false;
	w->left = p->left;
	p->asker = asker;
	p->answers = !asks;
	p->at = p->left;
	return 1;
}

SEC("tp_btf/sock_send_length")
int sock_send_length(u64 *args)
{
	u64 sk = args[0], asker;
	struct peer *round;
	bool asks;

	if (CAST(sk, struct sock)->sk_protocol != IPPROTO_TCP || (int)args[1] <= 0)
		return 0;
	asks = is_active(sk);
	round = round_of_sender(sk, asks, &asker);
	if (round && !(asks ? round->request.called : round->answer.called))
		begins(round, asks, true, 0);
	return 0;
}

/* ---- segments on their way */

static __always_inline void passes(struct packet *p, enum part part)
{
	u64 now = bpf_ktime_get_ns();

	p->parts[part] = now - p->at;
	p->at = now;
}

static __always_inline int traced(const u64 *args, enum part part)
{
	struct packet *p = packet((const struct sk_buff *)args[0]);

	if (p && p->asker)
		passes(p, part);
	return 0;
}

AT_TRACEPOINT(net_dev_queue, traced(args, QUEUE))
AT_TRACEPOINT(net_dev_start_xmit, traced(args, TRANSMIT))
AT_TRACEPOINT(netif_rx_entry, traced(args, DRIVER))

SEC("cgroup_skb/ingress")
int ingress(struct __sk_buff *ctx)
{
	const struct sk_buff *skb = bpf_cast_to_kern_ctx(ctx);
	struct packet *p = packet(skb);
	struct peer *round, *s;
	struct way *w;

	if (!p || !p->asker)
		return 1;
	round = peer(p->asker);
	if (round) {
		w = p->answers ? &round->answer : &round->request;
		w->here = true;
		if (w->left == p->left) {
			passes(p, LAND);
			w->at = p->at;
			for (int i = 0; i < NPARTS; i++)
				w->parts[i] = p->parts[i];
			w->landed = true;
		}
		s = p->answers ? NULL : peer_or_new((u64)skb->sk);
		if (s)
			s->asker = p->asker;
	}
	p->left = p->asker = 0;
	return 1;
}

SEC("tp_btf/inet_sock_set_state")
int set_state(u64 *args)
{
	struct peer *s = (u32)args[2] == TCP_CLOSE ? peer(args[0]) : NULL;

	if (s)
		s->asker = s->request.called = s->answer.called = 0;
	return 0;
}

/* ---- reading, and the end of a round */

static __always_inline void spent(u32 stage, u64 ns)
{
	if (ns)
		times_add_at(&stages, stage, ns);
}

static __always_inline void way_ends(const struct way *w, u32 of)
{
	spent(of + SENDQ, w->left - w->called);
	spent(of + IP, w->parts[QUEUE]);
	spent(of + QDISC, w->parts[TRANSMIT]);
	spent(of + IN_DRIVER, w->parts[DRIVER]);
	spent(of + RECEIVE, w->parts[LAND]);
	spent(of + SOCKET, w->queued);
	spent(of + WAKEUP, w->waking);
	spent(of + READ, w->reading);
}

static __always_inline void round_ends(struct peer *round)
{
	const struct way *request = &round->request, *answer = &round->answer;
	u64 whole = answer->done - request->called;

	if (request->landed && request->done >= request->at && answer->called >= request->done &&
		answer->left >= answer->called) {
		way_ends(request, 0);
		way_ends(answer, NSTAGES);
		spent(SERVER, answer->called - request->done);
	} else {
		spent(UNKNOWN, whole);
	}
	spent(WHOLE, whole);
	round->request.called = 0;
}

static __always_inline void is_read_by(const struct thread *t, struct way *w)
{
	u64 woke = w->at, ran;

	if (t && t->woke > w->at) {
		woke = t->woke;
		ran = t->ran;
	} else {
		if (t && t->receiving > w->at)
			woke = t->receiving;
		ran = woke;
	}
	w->done = bpf_ktime_get_ns();
	w->queued = woke - w->at;
	w->waking = ran - woke;
	w->reading = w->done - ran;
}

SEC("tp_btf/sock_recv_length")
int sock_recv_length(u64 *args)
{
	struct peer *s = (int)args[1] > 0 && !((int)args[2] & PEEK) ? peer(args[0]) : NULL;
	struct peer *round = s && s->asker ? peer(s->asker) : s;
	struct way *w;

	if (!round || !round->request.called)
		return 0;
	w = round == s ? &round->answer : &round->request;
	if (!w->here || (round != s && round->answer.called) ||
		(s32)(CAST(args[0], struct tcp_sock)->copied_seq - w->first) <= 0)
		return 0;
	is_read_by(thread(bpf_get_current_task_btf(), 0), w);
	if (round == s)
		round_ends(round);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
