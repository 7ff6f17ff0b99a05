/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcp_events: sites and arguments of the tcp provider's probes of losses, resets, listeners, congestion and FreeBSD's
 * debugging. Output: dropinfo_t, tcpresetinfo_t, tcpretransinfo_t, tcpresendinfo_t, tcpcainfo_t, siftrinfo_t. */

/* ---- sites ------------------------------------------------------------------------------------------------------------ */

/* Places that have a socket and no packet: tcp_receive_reset, tcp_destroy_sock, tcp_rcvbuf_grow; tcp_sendmsg,
 * tcp_recvmsg, ... */
struct dw_sockev {
	struct sock *sk;
};

translator struct dw_pkt < struct dw_sockev *C > {
	ver = C->sk->__sk_common.skc_family == DW_AF_INET ? 4 : 6;
	proto = C->sk->sk_protocol;
};

/* net_dev_queue, for a SYN-ACK: its socket is the request, a small structure that points to its listener. */
inline struct sock *dw_listener[struct sk_buff *B] =
    (struct sock *)B->sk->__sk_common.skc_flags;	/* a union with skc_listener; the verifier sees a number */
/* kfree_skb: the address of the socket that sent the packet; for a SYN-ACK, of the listener; 0: none. */
inline uint64_t dw_sender[struct sk_buff *B] = B->skb_iif != 0 || B->sk == 0 ? 0 :
    dw_full[(uint64_t)B->sk] ? (uint64_t)B->sk :
    B->sk->__sk_common.skc_state == DW_TCP_NEW_SYN_RECV ? (uint64_t)dw_listener[B] : 0;
/* The addresses of the packet's route and of the route's device; 0: none. */
inline uint64_t dw_dst[struct sk_buff *B] = B->_skb_refdst & ~(uint64_t)DW_SKB_DST_NOREF;
inline uint64_t dw_dst_dev[struct sk_buff *B] = dw_dst[B] == 0 ? 0 : (uint64_t)((struct dst_entry *)dw_dst[B])->dev;
/* What a packet that netfilter stops has of its sender. Without one the namespace is that of the device of its route. */
inline struct dw_owner *dw_sender_owner[struct sk_buff *B] =
    dw_sender[B] != 0 ? __owner(dw_sender[B]) : (struct dw_owner *)0;
inline uint64_t dw_sender_cookie[struct sk_buff *B] =
    dw_sender[B] != 0 ? ((struct sock *)dw_sender[B])->__sk_common.skc_cookie.counter : 0;
inline uint32_t dw_sender_netns[struct sk_buff *B] =
    dw_sender[B] != 0 ? dw_sk_netns[(struct sock *)dw_sender[B]] :
    dw_dev_netns[(struct net_device *)dw_dst_dev[B]];

struct dw_synack {
	struct sk_buff *skb;
};

translator struct dw_pkt < struct dw_synack *C > {
	sk = dw_listener[C->skb];
	owner = __owner((uint64_t)dw_listener[C->skb]);
	cookie = dw_listener[C->skb]->__sk_common.skc_cookie.counter;
	proto = DW_IPPROTO_TCP;
	has_pkt = 1;
	state = DW_TCP_LISTEN;
	netns = dw_dev_netns[C->skb->dev];
	cgroup = dw_sk_cgroup_id[dw_listener[C->skb]];
	mac_source = dw_mac[(uint64_t)C->skb->head + C->skb->mac_header + DW_ETH_ALEN];
	mac_device = dw_mac[(uint64_t)C->skb->dev->dev_addr];
	checked = 1;
};

/* tcp_receive_reset, tcp_reset: the same, for a received reset. */
struct dw_rstrecv {
	struct sock *sk;
};

translator struct dw_pkt < struct dw_rstrecv *C > {
	recv = 1;
};

/* tcp_cong_state_set, tcp_set_ca_state: before the socket has the new state */
struct dw_caset {
	struct sock *sk;
	uint8_t newstate;
};

translator struct dw_tcp < struct dw_caset *C > {
	newca = C->newstate;
};

/* tcp_retransmit_skb, the end of __tcp_retransmit_skb: a buffer of the socket's queue, without headers. The
 * tracepoint reports failures too since Linux 6.17. */
struct dw_resent {
	struct sock *sk;
	struct sk_buff *queued;
	int32_t retval;
};

translator struct dw_tcp < struct dw_resent *C > {
	ret = C->retval;
	ver = dw_v4only[C->sk] ? 4 : 6;
	proto = DW_IPPROTO_TCP;
	ends = (struct sock_common *)C->sk;
};

/* tcp_retransmit_synack, the end of tcp_rtx_synack: the listener, and the handshake */
struct dw_resynack {
	struct sock *sk;
	struct request_sock *req;
	int32_t retval;
};

translator struct dw_tcp < struct dw_resynack *C > {
	ret = C->retval;
	ver = dw_v4only[(struct sock *)C->req] ? 4 : 6;
	proto = DW_IPPROTO_TCP;
	state = DW_TCP_LISTEN;
	ends = (struct sock_common *)C->req;
	queued = (struct sk_buff *)0;
};

/* sock_send_length, sock_recv_length: the end of a call that sends or receives */
struct dw_sockio {
	struct sock *sk;
	int32_t ret;
	int32_t flags;
};

translator struct dw_tcp < struct dw_sockio *C > {
	ver = C->sk->__sk_common.skc_family == DW_AF_INET ? 4 : 6;
};

/* hrtimer_start: op: the timer is that of a socket which paces; since: when it is to end */
struct dw_pace {
	struct hrtimer *timer;
};
inline uint64_t dw_paced[uint64_t timer] = __has(((struct tcp_sock *)0)->pacing_timer) ?
    timer - offsetof(struct tcp_sock, pacing_timer) : 0;

translator struct dw_tcp < struct dw_pace *C > {
	sk = (struct sock *)dw_paced[(uint64_t)C->timer];
	owner = __owner(dw_paced[(uint64_t)C->timer]);
	cookie = ((struct sock *)dw_paced[(uint64_t)C->timer])->__sk_common.skc_cookie.counter;
	op = __has(&`tcp_pace_kick) && __has(((struct tcp_sock *)0)->pacing_timer) ?
	    (uint64_t)C->timer->function == (uint64_t)&`tcp_pace_kick : 0;
	since = C->timer->node.expires;
	ver = ((struct sock *)dw_paced[(uint64_t)C->timer])->__sk_common.skc_family == DW_AF_INET ? 4 : 6;
	proto = DW_IPPROTO_TCP;
};

/* tcp_send_reset, tcp_v4_send_reset, tcp_v6_send_reset: a reset that a segment provoked. The socket may be a small
 * one (TIME_WAIT, a request), or NULL. */
struct dw_rstreply {
	struct sock *sk;
	struct sk_buff *skb;
	uint32_t reason;	/* of the functions since Linux 6.10 */
	struct dw_owner *owner;
	uint64_t cookie;
};

translator struct dw_tcp < struct dw_rstreply *C > {
	sk = dw_full[(uint64_t)C->sk] ? C->sk : (struct sock *)0;
	proto = DW_IPPROTO_TCP;
	has_pkt = 1;
	reply = 1;
	state = C->sk != 0 ? C->sk->__sk_common.skc_state : DW_TCP_CLOSE;
	netns = C->sk != 0 ? dw_sk_netns[C->sk] :
	    C->skb->dev != 0 ? dw_dev_netns[C->skb->dev] : 0;
	cgroup = dw_full[(uint64_t)C->sk] ?
	    dw_sk_cgroup_id[C->sk] : 0;
	checked = 1;
};

/* tcp_send_reset: a reset by which the socket gives up: close with unread data, linger, abort. */
struct dw_rstactive {
	struct sock *sk;
	struct sk_buff *provoked;
	uint32_t reason;
	struct dw_owner *owner;
	uint64_t cookie;
};

translator struct dw_pkt < struct dw_rstactive *C > {
	sk = C->sk;	/* NULL elsewhere */
	skb = C->provoked;
	ver = dw_v4only[C->sk] ? 4 : 6;
	proto = DW_IPPROTO_TCP;
	synth = 1;
};

/* The transport protocol of a packet. IPv6's header may name an extension; a full socket then knows the protocol. */
inline uint32_t dw_full_proto[struct sk_buff *B, struct sock *S] = B->protocol == DW_ETH_P_IP ?
    ((struct iphdr *)dw_nh[B])->protocol : S != 0 ? S->sk_protocol : ((struct ipv6hdr *)dw_nh[B])->nexthdr;
inline uint32_t dw_drop_proto[struct sk_buff *B, struct sock *S] = B->protocol == DW_ETH_P_IP ?
    ((struct iphdr *)dw_nh[B])->protocol : dw_full[(uint64_t)S] ? S->sk_protocol : ((struct ipv6hdr *)dw_nh[B])->nexthdr;
/* The state of the socket that drops a packet: a request is a connection in SYN_RECV. */
inline int32_t dw_drop_state[struct sock *S] = S != 0 ?
    S->__sk_common.skc_state == DW_TCP_NEW_SYN_RECV ? DW_TCP_SYN_RECV : S->__sk_common.skc_state : DW_TCP_CLOSE;

/* kfree_skb: the end of a packet, with the reason. sk: the socket that dropped it, or NULL; a small socket is not
 * shown. A received packet has the index of its interface; the socket of any other packet is the sender. */
struct dw_drop {
	struct sk_buff *skb;
	uint64_t location;
	uint32_t reason;
	struct sock *sk;
	struct dw_owner *owner;
	uint64_t cookie;
};

/* The owner is that of the socket that dropped the packet, else of the sender. All other members are of the former
 * alone: each further choice doubles the paths that the verifier follows, and the filters of the tools need most of
 * what it allows. */
translator struct dw_pkt < struct dw_drop *C > {
	rx_sk = C->sk;
	sk = dw_full[(uint64_t)C->sk] ? C->sk : (struct sock *)0;
	owner = __owner(C->sk != 0 ? (uint64_t)C->sk : C->skb->skb_iif == 0 ? (uint64_t)C->skb->sk : 0);
	th = dw_freed_th[(uint64_t)C->skb];
	proto = dw_drop_proto[C->skb, C->sk];
	has_pkt = 1;
	recv = C->skb->skb_iif != 0;
	state = dw_drop_state[C->sk];
	dev = dw_freed_dev[(uint64_t)C->skb];
	netns = C->sk != 0 ? dw_sk_netns[C->sk] :
	    C->skb->skb_iif == 0 && C->skb->sk != 0 ? dw_sk_netns[C->skb->sk] :
	    dw_freed_netns[(uint64_t)C->skb, C->reason];
	cgroup = dw_full[(uint64_t)C->sk] ? dw_sk_cgroup_id[C->sk] : 0;
	dropped = 1;
};

/* kfree_skb: a packet that netfilter stops (functions.d). */
struct dw_tstopped {
	struct dw_stopped;
	uint64_t location;
	uint32_t reason;
};

/* ---- arguments --------------------------------------------------------------------------------------------------------- */

/* Why the kernel dropped a packet: the names of its enum skb_drop_reason, without the prefix. */
typedef struct dropinfo {
	string drop_reason;		/* "NO_SOCKET", "SOCKET_RCVBUFF", ...; before Linux 5.17 "" */
	uint32_t drop_code;
	uintptr_t drop_location;	/* address of the code that did it */
	int drop_in;			/* 1: received; 0: to be sent */
	/* by netfilter; "" and -1: not known */
	string drop_family;		/* of the table: "ip", "ip6", "inet", "bridge", "netdev" */
	string drop_table;
	string drop_chain;
	int64_t drop_rule;		/* the rule's handle; 0: the policy of the chain */
} dropinfo_t;

translator dropinfo_t < struct dw_pkt *P > {
	drop_reason = __has(SKB_DROP_REASON_NOT_SPECIFIED) ?
	    __enum("skb_drop_reason", "SKB_DROP_REASON_", P->reason) : "";
	drop_code = P->reason;
	drop_location = P->location;
	drop_in = P->recv;
	drop_family = dw_nf_family[P->nf_table, P->nf_xt];
	drop_table = dw_nf_table[P->nf_table, P->nf_xt];
	drop_chain = dw_nf_chain[P->nf_chain, P->nf_xt, P->nf_xt_rule];
	drop_rule = dw_nf_rule[P->nf_rule, P->nf_xt, P->nf_xt_rule];
};

/* tcp:::reset-sent, tcp:::reset-received */
typedef struct tcpresetinfo {
	string reset_reason;		/* sent: the names of enum sk_rst_reason without the prefix; received: the error */
	uint32_t reset_code;		/* sent: its number; received: the errno for the process */
	int reset_active;		/* 1: the socket gave up; 0: it answers a segment */
} tcpresetinfo_t;

/* tcp_receive_reset: the error depends on the connection's state (RFC 9293 3.10.7). */
translator tcpresetinfo_t < struct dw_pkt *P > {
	reset_reason = P->recv ? (P->state == DW_TCP_SYN_SENT ? "ECONNREFUSED" : P->state == DW_TCP_CLOSE_WAIT ? "EPIPE" :
	    P->state == DW_TCP_CLOSE ? "" : "ECONNRESET") :
	    __enum("sk_rst_reason", "SK_RST_REASON_", P->reason);
	reset_code = P->recv ? (P->state == DW_TCP_SYN_SENT ? DW_ECONNREFUSED : P->state == DW_TCP_CLOSE_WAIT ? DW_EPIPE :
	    P->state == DW_TCP_CLOSE ? 0 : DW_ECONNRESET) : P->reason;
	reset_active = P->synth;
};

/* tcp:::retransmit */
typedef struct tcpretransinfo {
	string rt_kind;			/* "rto", "fast", "tlp", "syn", "syn-ack" */
	uint32_t rt_segs;		/* segments, after the device has cut them */
	uint32_t rt_bytes;		/* payload */
} tcpretransinfo_t;

/* The congestion state shows why data is sent again. */
inline string dw_resent_by[struct sock *S] =
    ((struct inet_connection_sock *)S)->icsk_ca_state == DW_TCP_CA_LOSS ? "rto" :
    ((struct inet_connection_sock *)S)->icsk_ca_state == DW_TCP_CA_RECOVERY ? "fast" : "tlp";

translator tcpretransinfo_t < struct dw_pkt *P > {
	rt_kind = P->state == DW_TCP_SYN_SENT ? "syn" :
	    (((union tcp_word_hdr *)P->th)->words[3] & DW_TCP_FLAG_SYN) != 0 ? "syn-ack" : dw_resent_by[P->sk];
	rt_segs = ((struct skb_shared_info *)((uint64_t)P->skb->head + P->skb->end))->gso_segs > 1 ?
	    ((struct skb_shared_info *)((uint64_t)P->skb->head + P->skb->end))->gso_segs : 1;
	rt_bytes = P->skb->len - (uint32_t)(P->th - P->nh) - ((struct tcphdr *)P->th)->doff * 4;
};

/* tcp:::resend */
typedef struct tcpresendinfo {
	string re_kind;			/* as rt_kind */
	int re_ver;			/* of IP: 4 or 6 */
	string re_laddr;
	string re_raddr;
	uint16_t re_lport;
	uint16_t re_rport;
	uint32_t re_seq;		/* sequence number */
	uint32_t re_segs;		/* segments */
	uint32_t re_bytes;		/* payload */
} tcpresendinfo_t;

translator tcpresendinfo_t < struct dw_tcp *P > {
	re_kind = P->state == DW_TCP_LISTEN ? "syn-ack" : P->state == DW_TCP_SYN_SENT ? "syn" : dw_resent_by[P->sk];
	re_ver = P->ver;
	re_laddr = P->ends->skc_family == DW_AF_INET ? __ip4(P->ends->skc_rcv_saddr) : dw_sk_near6[(struct sock *)P->ends];
	re_raddr = P->ends->skc_family == DW_AF_INET ? __ip4(P->ends->skc_daddr) : dw_sk_far6[(struct sock *)P->ends];
	re_lport = P->ends->skc_num;
	re_rport = ntohs(P->ends->skc_dport);
	re_seq = P->state == DW_TCP_LISTEN ? ((struct tcp_request_sock *)P->ends)->snt_isn : ((struct tcp_skb_cb *)&P->queued->cb)->seq;
	re_segs = P->state == DW_TCP_LISTEN ? 1 : ((struct tcp_skb_cb *)&P->queued->cb)->tcp_gso_segs;
	re_bytes = P->state == DW_TCP_LISTEN ? 0 : P->queued->len;
};

/* tcp:::congestion-state, tcp:::cwnd-reduced, tcp:::rto */
typedef struct tcpcainfo {
	int32_t ca_state;		/* TCP_CA_*: the new state; tcps_ca_state is the old one */
	int32_t ca_oldstate;
	string ca_name;			/* tcp_ca_string[] of them */
	string ca_oldname;
} tcpcainfo_t;

translator tcpcainfo_t < struct dw_tcp *P > {
	ca_state = P->newca;
	ca_oldstate = ((struct inet_connection_sock *)P->sk)->icsk_ca_state;
	ca_name = tcp_ca_string[P->newca];
	ca_oldname = tcp_ca_string[((struct inet_connection_sock *)P->sk)->icsk_ca_state];
};

/* FreeBSD's tcp:::siftr; members that Linux has no equal of are 0: t_flags, t_flags2. */
typedef struct siftrinfo {
	uint8_t direction;		/* 0: in, 1: out */
	uint8_t ipver;			/* 1: IPv4, 2: IPv6 */
	uint16_t lport;
	uint16_t rport;
	string laddr;
	string raddr;
	uint32_t snd_cwnd;		/* bytes */
	uint32_t snd_wnd;
	uint32_t rcv_wnd;
	uint32_t t_flags2;
	uint32_t snd_ssthresh;
	int conn_state;			/* TCP_STATE_* */
	uint32_t mss;
	uint32_t srtt;			/* us */
	unsigned char sack_enabled;
	unsigned char snd_scale;
	unsigned char rcv_scale;
	uint32_t t_flags;
	uint32_t rto;			/* us */
	unsigned int snd_buf_hiwater;		/* bytes */
	unsigned int snd_buf_cc;
	unsigned int rcv_buf_hiwater;
	unsigned int rcv_buf_cc;
	unsigned int sent_inflight_bytes;
	int t_segqlen;			/* segments received out of order, so far */
	unsigned int flowid;			/* hash of the connection */
	unsigned int flowtype;
	/* ---- their names in earlier releases ---- */
	uint16_t tcp_localport;
	uint16_t tcp_foreignport;
	uint32_t snd_bwnd;		/* 0: no window by bandwidth, there as here */
	uint32_t max_seg_size;
	uint32_t smoothed_rtt;		/* us */
	uint32_t flags;			/* t_flags */
	uint32_t rxt_length;		/* us: rto */
} siftrinfo_t;

inline string siftr_dir_string[uint8_t direction] = direction == 0 ? "in" : direction == 1 ? "out" : "unknown";

translator siftrinfo_t < struct dw_pkt *P > {
	direction = !P->recv;
	ipver = P->ver == 4 ? 1 : 2;
	lport = P->sk->__sk_common.skc_num != 0 ? P->sk->__sk_common.skc_num :
	    ntohs(((struct inet_sock *)P->sk)->inet_sport);
	rport = ntohs(P->state == DW_TCP_LISTEN ? P->recv ? ((struct tcphdr *)P->th)->source : ((struct tcphdr *)P->th)->dest :
	    P->sk->__sk_common.skc_dport);
	laddr = P->ver == 4 ? __ip4(P->recv ? ((struct iphdr *)P->nh)->daddr : ((struct iphdr *)P->nh)->saddr) :
	    P->recv ? __ip6(&((struct ipv6hdr *)P->nh)->daddr) : __ip6(&((struct ipv6hdr *)P->nh)->saddr);
	raddr = P->ver == 4 ? __ip4(P->recv ? ((struct iphdr *)P->nh)->saddr : ((struct iphdr *)P->nh)->daddr) :
	    P->recv ? __ip6(&((struct ipv6hdr *)P->nh)->saddr) : __ip6(&((struct ipv6hdr *)P->nh)->daddr);
	snd_cwnd = ((struct tcp_sock *)P->sk)->snd_cwnd * ((struct tcp_sock *)P->sk)->mss_cache;
	snd_wnd = ((struct tcp_sock *)P->sk)->snd_wnd;
	rcv_wnd = ((struct tcp_sock *)P->sk)->rcv_wnd;
	t_flags2 = 0;
	snd_ssthresh = ((struct tcp_sock *)P->sk)->snd_ssthresh >= DW_TCP_INFINITE_SSTHRESH ? DW_TCP_INFINITE_SSTHRESH :
	    ((struct tcp_sock *)P->sk)->snd_ssthresh * ((struct tcp_sock *)P->sk)->mss_cache;
	conn_state = P->state;
	mss = ((struct tcp_sock *)P->sk)->mss_cache;
	srtt = ((struct tcp_sock *)P->sk)->srtt_us >> 3;
	sack_enabled = ((struct tcp_sock *)P->sk)->rx_opt.sack_ok != 0;
	snd_scale = ((struct tcp_sock *)P->sk)->rx_opt.snd_wscale;
	rcv_scale = ((struct tcp_sock *)P->sk)->rx_opt.rcv_wscale;
	t_flags = 0;
	rto = (uint64_t)((struct inet_connection_sock *)P->sk)->icsk_rto * 1000000 / __hz;
	snd_buf_hiwater = P->sk->sk_sndbuf;
	snd_buf_cc = P->state == DW_TCP_LISTEN ? 0 : ((struct tcp_sock *)P->sk)->write_seq - ((struct tcp_sock *)P->sk)->snd_una;
	rcv_buf_hiwater = P->sk->sk_rcvbuf;
	rcv_buf_cc = P->state == DW_TCP_LISTEN ? 0 : ((struct tcp_sock *)P->sk)->rcv_nxt - ((struct tcp_sock *)P->sk)->copied_seq;
	sent_inflight_bytes = P->state == DW_TCP_LISTEN ? 0 : ((struct tcp_sock *)P->sk)->snd_nxt - ((struct tcp_sock *)P->sk)->snd_una;
	t_segqlen = ((struct tcp_sock *)P->sk)->rcv_ooopack;
	flowid = P->sk->__sk_common.skc_hash;
	flowtype = 0;
	tcp_localport = P->sk->__sk_common.skc_num != 0 ? P->sk->__sk_common.skc_num :
	    ntohs(((struct inet_sock *)P->sk)->inet_sport);
	tcp_foreignport = ntohs(P->state == DW_TCP_LISTEN ? P->recv ? ((struct tcphdr *)P->th)->source : ((struct tcphdr *)P->th)->dest :
	    P->sk->__sk_common.skc_dport);
	snd_bwnd = 0;
	max_seg_size = ((struct tcp_sock *)P->sk)->mss_cache;
	smoothed_rtt = ((struct tcp_sock *)P->sk)->srtt_us >> 3;
	flags = 0;
	rxt_length = (uint64_t)((struct inet_connection_sock *)P->sk)->icsk_rto * 1000000 / __hz;
};

/* FreeBSD's requests of users to a protocol, for tcp:::debug-user: those that Linux can show. */
inline int DW_PRU_DETACH = 1;
inline int DW_PRU_LISTEN = 3;
inline int DW_PRU_CONNECT = 4;
inline int DW_PRU_RCVD = 8;
inline int DW_PRU_SEND = 9;
inline int PRU_DETACH = DW_PRU_DETACH;
inline int PRU_LISTEN = DW_PRU_LISTEN;
inline int PRU_CONNECT = DW_PRU_CONNECT;
inline int PRU_RCVD = DW_PRU_RCVD;
inline int PRU_SEND = DW_PRU_SEND;
inline string prureq_string[int req] =
    req == DW_PRU_DETACH ? "DETACH" : req == DW_PRU_LISTEN ? "LISTEN" : req == DW_PRU_CONNECT ? "CONNECT" :
    req == DW_PRU_RCVD ? "RCVD" : req == DW_PRU_SEND ? "SEND" : "<unknown>";
