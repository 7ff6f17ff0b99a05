/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functions: sites of the network providers at kernel functions, for the tiers functions and kprobes. Input: the
 * function's arguments, in order, as the members of a structure. Output: struct dw_pkt or struct dw_tcp. The member
 * full is computed: it is the full socket of the packet or argument (the listener for a handshake, none for
 * TIME_WAIT). src/prov/net/functions.h names the functions and their kernel versions. */

/* ip_finish_output, ip6_finish_output: a packet on its way out, at the place where cgroup_skb egress sees packets of
 * sockets. */
struct dw_fout {
	struct net *net;
	struct sock *by;
	struct sk_buff *skb;
	struct sock *full;
	struct dw_owner *owner;
	uint64_t cookie;
	uint64_t sockkey;	/* the same as long as the socket lives, though it gets a cookie */
};

translator struct dw_pkt < struct dw_fout *C > {
	sk = C->full;
	proto = dw_full_proto[C->skb, C->full];
	has_pkt = 1;
	netns = C->net->ns.inum;
	checked = 1;
};

/* The same place, for packets that no socket sends. */
struct dw_fnone {
	struct net *net;
	struct sock *by;
	struct sk_buff *skb;
};

translator struct dw_pkt < struct dw_fnone *C > {
	owner = dw_sent_owner[C->skb];
	cookie = dw_sent_cookie[C->skb];
	has_pkt = 1;
	state = dw_sent_state[C->skb];
	netns = C->net->ns.inum;
	checked = 1;
};

/* tcp_timewait_state_process: a segment for a connection in TIME_WAIT or, without a process, in FIN_WAIT2. */
struct dw_ftimewait {
	struct inet_timewait_sock *tw;
	struct sk_buff *skb;
};

translator struct dw_pkt < struct dw_ftimewait *C > {
	owner = dw_ended_owner[(struct sock *)C->tw];
	cookie = dw_ended_cid[(struct sock *)C->tw];
	proto = DW_IPPROTO_TCP;
	has_pkt = 1;
	recv = 1;
	state = DW_TCP_TIME_WAIT;
	netns = dw_sk_netns[(struct sock *)C->tw];
	checked = 1;
};

/* The same place: the FIN that a small socket in FIN_WAIT2 is about to take. */
struct dw_ftwfin {
	struct inet_timewait_sock *tw;
	struct sk_buff *skb;
};

translator struct dw_pkt < struct dw_ftwfin *C > {
	rx_sk = (struct sock *)C->tw;
	owner = dw_ended_owner[(struct sock *)C->tw];
	cookie = dw_ended_cid[(struct sock *)C->tw];
	proto = DW_IPPROTO_TCP;
	has_pkt = 1;
	recv = 1;
	state = DW_TCP_TIME_WAIT;
	oldstate = DW_TCP_FIN_WAIT2;
	netns = dw_sk_netns[(struct sock *)C->tw];
	checked = 1;
};

/* kfree_skb_reason, before Linux 6.11: the end of a packet. The socket that dropped it is not known. */
struct dw_fdrop {
	struct sk_buff *skb;
	uint32_t reason;
};

translator struct dw_pkt < struct dw_fdrop *C > {
	rx_sk = (struct sock *)0;
	th = dw_freed_th[(uint64_t)C->skb];
	dev = dw_freed_dev[(uint64_t)C->skb];
	netns = dw_freed_netns[(uint64_t)C->skb, C->reason];
	has_pkt = 1;
	recv = C->skb->skb_iif != 0;
	dropped = 1;
};

/* sk_skb_reason_drop, since Linux 6.11: the same, with the socket that dropped it. */
struct dw_fskdrop {
	struct sock *sk;
	struct sk_buff *skb;
	uint32_t reason;
	struct dw_owner *owner;
	uint64_t cookie;
};

translator struct dw_pkt < struct dw_fskdrop *C > {
	rx_sk = C->sk;
	sk = dw_full[(uint64_t)C->sk] ? C->sk : (struct sock *)0;
	th = dw_freed_th[(uint64_t)C->skb];
	dev = dw_freed_dev[(uint64_t)C->skb];
	netns = C->sk != 0 ? dw_sk_netns[C->sk] : dw_freed_netns[(uint64_t)C->skb, C->reason];
	proto = dw_drop_proto[C->skb, C->sk];
	has_pkt = 1;
	recv = C->skb->skb_iif != 0;
	state = dw_drop_state[C->sk];
	dropped = 1;
};

/* The end of a packet that netfilter stops at OUTPUT or POSTROUTING, before the hook of the sockets, at the same two
 * functions and, for the hooks, at a tracepoint (tcp_events.d). The device is that of its route; the buffer has none
 * yet. */
struct dw_stopped {
	struct sk_buff *skb;
};

translator struct dw_pkt < struct dw_stopped *C > {
	sk = (struct sock *)dw_sender[C->skb];
	owner = dw_sender_owner[C->skb];
	cookie = dw_sender_cookie[C->skb];
	proto = dw_full_proto[C->skb, (struct sock *)dw_sender[C->skb]];
	has_pkt = 1;
	checked = 1;
	dev = (struct net_device *)dw_dst_dev[C->skb];
	netns = dw_sender_netns[C->skb];
	dropped = 1;
};

struct dw_fstopped {
	struct dw_stopped;
	uint32_t reason;
};

struct dw_fskstopped {
	struct sock *by;
	struct dw_stopped;
	uint32_t reason;
};

/* inet_sk_set_state, inet_sk_state_store: before the socket has the new state. */
struct dw_fsetstate {
	struct sock *sk;
	int32_t newstate;
};

translator struct dw_pkt < struct dw_fsetstate *C > {
	state = dw_tcp_newstate[C->sk, C->sk->__sk_common.skc_state, C->newstate];
	oldstate = C->sk->__sk_common.skc_state;
};

/* tcp_send_active_reset: a socket aborts its connection. The reason is an argument since Linux 6.10. */
struct dw_frstactive {
	struct sock *sk;
	uint32_t second;	/* flags of the allocation, or the reason in kernels without that argument */
};

struct dw_frstactive3 {
	struct sock *sk;
	uint32_t priority;
	uint32_t reason;
};

translator struct dw_pkt < struct dw_frstactive *C > {
	reason = __has(SK_RST_REASON_NOT_SPECIFIED) ? C->second : 0;
	ver = dw_v4only[C->sk] ? 4 : 6;
	proto = DW_IPPROTO_TCP;
	synth = 1;
};

translator struct dw_pkt < struct dw_frstactive3 *C > {
	ver = dw_v4only[C->sk] ? 4 : 6;
	proto = DW_IPPROTO_TCP;
	synth = 1;
};

/* skb_consume_udp, skb_free_datagram: a process has read a datagram. */
struct dw_fread {
	struct sock *sk;
	struct sk_buff *skb;
	int32_t len;
};

translator struct dw_tcp < struct dw_fread *C > {
	ret = C->len;
	recv = 1;
	proto = C->sk->sk_protocol;
	dev = C->sk->sk_dst_cache != 0 ? C->sk->sk_dst_cache->dev : (struct net_device *)0;
};

/* ip_protocol_deliver_rcu, ip_defrag: an IPv4 packet for this machine. */
struct dw_fdeliver {
	struct net *net;
	struct sk_buff *skb;
	int32_t protocol;	/* of ip_defrag: its user (IP_DEFRAG_*) */
};

translator struct dw_tcp < struct dw_fdeliver *C > {
	op = C->protocol;
	has_pkt = 1;
	recv = 1;
	netns = C->net->ns.inum;
};

/* tcp_check_req: a segment for a handshake, in its window. A reset or a new SYN ends the handshake (RFC 9293
 * 3.10.7.4). An acknowledgment completes it, unless the listener waits for data (TCP_DEFER_ACCEPT). */
struct dw_fcheckreq {
	struct sock *sk;
	struct sk_buff *skb;
	struct request_sock *req;
};

inline uint32_t dw_th_word[struct sk_buff *B, int i] = ntohl(((union tcp_word_hdr *)dw_th[B])->words[i]);
inline uint32_t dw_th_flags[struct sk_buff *B] = dw_th_word[B, 3] >> DW_TH_SHIFT & 0xff;
inline int dw_waits[struct sock *L, struct request_sock *R, struct sk_buff *B] =
    R->num_timeout < ((struct inet_connection_sock *)L)->icsk_accept_queue.rskq_defer_accept &&
    B->len <= (dw_th_word[B, 3] >> 28) * 4;

translator struct dw_tcp < struct dw_fcheckreq *C > {
	op = (uint32_t)(dw_th_word[C->skb, 1] - ((struct tcp_request_sock *)C->req)->rcv_nxt) >
	    C->req->__req_common.skc_rcv_wnd ? 0 :
	    (dw_th_flags[C->skb] & DW_TH_RST) != 0 ? DW_REQ_ENDS :
	    (dw_th_flags[C->skb] & DW_TH_SYN) != 0 &&
	    dw_th_word[C->skb, 1] != ((struct tcp_request_sock *)C->req)->rcv_isn ? DW_REQ_ENDS :
	    (dw_th_flags[C->skb] & DW_TH_ACK) != 0 &&
	    dw_th_word[C->skb, 2] == ((struct tcp_request_sock *)C->req)->snt_isn + 1 &&
	    !dw_waits[C->sk, C->req, C->skb] ? DW_REQ_COMPLETES : 0;
	proto = DW_IPPROTO_TCP;
	has_pkt = 1;
	recv = 1;
	state = DW_TCP_LISTEN;
	checked = 1;
};

/* The end of udp_sendmsg and udpv6_sendmsg. */
struct dw_fsent {
	struct sock *sk;
	int32_t retval;
	struct sock *full;
	struct dw_owner *owner;
	uint64_t cookie;
};

translator struct dw_tcp < struct dw_fsent *C > {
	ret = C->retval;
	sk = C->full;
	owner = C->owner;
	cookie = C->cookie;
	netns = dw_sk_netns[C->full];
};

/* The same by a kretprobe, which does not have the socket: the thread has noted it as the call began (dw_fsends). 0: that
 * was missed. */
struct dw_ksent {
	int32_t retval;
};

inline struct sock *dw_sends = (struct sock *)__stamped("sends", (uint64_t)curthread);
translator struct dw_tcp < struct dw_ksent *C > {
	ret = C->retval;
	sk = dw_sends;
	owner = __owner((uint64_t)dw_sends);
	cookie = dw_sends != 0 && dw_sends->__sk_common.skc_cookie.counter != 0 ? dw_sends->__sk_common.skc_cookie.counter :
	    (uint64_t)dw_sends;
	netns = dw_sends != 0 ? dw_sk_netns[dw_sends] : curthread->nsproxy->net_ns->ns.inum;
};

struct dw_fsends {
	struct sock *sk;
};

translator struct dw_tcp < struct dw_fsends *C > {
	sk = C->sk;
};
