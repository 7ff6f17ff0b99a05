/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcp: arguments of the tcp provider: tcpsinfo_t, tcplsinfo_t, tcpinfo_t; states and flags. Input: struct dw_pkt.
 * Members have the names of DTrace's tcp provider, those of FreeBSD's, and Linux's own. Numbers are in host order;
 * units stand at the members. */

typedef struct tcphdr tcph_t;

inline uint8_t TH_FIN = 0x01;
inline uint8_t TH_SYN = 0x02;
inline uint8_t TH_RST = 0x04;
inline uint8_t TH_PUSH = 0x08;
inline uint8_t TH_ACK = 0x10;
inline uint8_t TH_URG = 0x20;
inline uint8_t TH_ECE = 0x40;
inline uint8_t TH_CWR = 0x80;

/* The kernel's numbers (include/net/tcp_states.h). Linux has no idle or bound state: such a socket is closed. */
inline int32_t TCP_STATE_ESTABLISHED = 1;
inline int32_t TCP_STATE_SYN_SENT = 2;
inline int32_t TCP_STATE_SYN_RECEIVED = 3;
inline int32_t TCP_STATE_FIN_WAIT_1 = 4;
inline int32_t TCP_STATE_FIN_WAIT_2 = 5;
inline int32_t TCP_STATE_TIME_WAIT = 6;
inline int32_t TCP_STATE_CLOSED = 7;
inline int32_t TCP_STATE_CLOSE_WAIT = 8;
inline int32_t TCP_STATE_LAST_ACK = 9;
inline int32_t TCP_STATE_LISTEN = 10;
inline int32_t TCP_STATE_CLOSING = 11;
inline int32_t TCP_STATE_IDLE = 7;
inline int32_t TCP_STATE_BOUND = 7;

inline string tcp_state_string[int32_t state] =
    state == 1 ? "state-established" : state == 2 ? "state-syn-sent" : state == 3 ? "state-syn-received" :
    state == 4 ? "state-fin-wait1" : state == 5 ? "state-fin-wait2" : state == 6 ? "state-time-wait" :
    state == 7 ? "state-closed" : state == 8 ? "state-close-wait" : state == 9 ? "state-last-ack" :
    state == 10 ? "state-listen" : state == 11 ? "state-closing" : state == 12 ? "state-syn-received" : "<unknown>";

/* As netstat and ss call them. */
inline string tcp_state_name[int32_t state] =
    state == 1 ? "ESTABLISHED" : state == 2 ? "SYN_SENT" : state == 3 ? "SYN_RECV" : state == 4 ? "FIN_WAIT1" :
    state == 5 ? "FIN_WAIT2" : state == 6 ? "TIME_WAIT" : state == 7 ? "CLOSE" : state == 8 ? "CLOSE_WAIT" :
    state == 9 ? "LAST_ACK" : state == 10 ? "LISTEN" : state == 11 ? "CLOSING" : state == 12 ? "SYN_RECV" : "UNKNOWN";

/* At state-change: does the socket end? It does as its connection is closed or in TIME_WAIT; or before, in FIN_WAIT2, if nobody
 * has it open: detach. Then the connection's step to TIME_WAIT has no socket. */
inline int tcp_socket_ends[int32_t state, uintptr_t socket] =
    state == TCP_STATE_CLOSED || (state == TCP_STATE_TIME_WAIT && socket != 0);
/* Of the bytes that were sent, those of data that the other side has: what is acknowledged includes SYN and FIN. */
inline uint64_t tcp_delivered[uint64_t sent, uint64_t retrans, uint64_t acked] = sent - retrans < acked ? sent - retrans : acked;

/* tcps_limited */
inline int TCP_LIMITED_BUSY = 1;	/* the network: congestion window, pacing */
inline int TCP_LIMITED_RWND = 2;	/* the other side's window */
inline int TCP_LIMITED_SNDBUF = 3;	/* the send buffer: the process may not write more */
/* tcps_nagle: bits. */
inline int TCP_NAGLE_OFF = 1;		/* TCP_NODELAY */
inline int TCP_NAGLE_CORK = 2;		/* TCP_CORK */
inline int TCP_NAGLE_PUSH = 4;		/* held-back data is to go now */
inline string tcp_nagle_string[int n] =
    n == 0 ? "ON" : n == 1 ? "OFF" : n == 2 ? "CORK" : n == 3 ? "OFF|CORK" : n == 4 ? "PUSH" : n == 5 ? "OFF|PUSH" :
    n == 6 ? "CORK|PUSH" : "OFF|CORK|PUSH";

typedef struct tcpinfo {
	uint16_t tcp_sport;
	uint16_t tcp_dport;
	uint32_t tcp_seq;
	uint32_t tcp_ack;
	uint8_t tcp_offset;		/* of the payload, bytes */
	uint8_t tcp_flags;		/* TH_* */
	uint16_t tcp_window;
	uint16_t tcp_checksum;		/* as in the buffer: a device may still have to complete it */
	uint16_t tcp_urgent;
	tcph_t *tcp_hdr;
} tcpinfo_t;

/* A reset that answers a segment takes its sequence number from the segment's acknowledgment; if there is none, it
 * acknowledges all that arrived (RFC 9293 3.10.7.1). A reset that no segment provokes has the socket's next
 * numbers. */
translator tcpinfo_t < struct dw_pkt *P > {
	tcp_sport = ntohs(P->synth ? ((struct inet_sock *)P->sk)->inet_sport :
	    P->reply ? ((struct tcphdr *)P->th)->dest : ((struct tcphdr *)P->th)->source);
	tcp_dport = ntohs(P->synth ? P->sk->__sk_common.skc_dport :
	    P->reply ? ((struct tcphdr *)P->th)->source : ((struct tcphdr *)P->th)->dest);
	tcp_seq = P->synth ? ((struct tcp_sock *)P->sk)->snd_nxt :
	    P->reply ? ((((union tcp_word_hdr *)P->th)->words[3] & DW_TCP_FLAG_ACK) != 0 ? ntohl(((struct tcphdr *)P->th)->ack_seq) : 0) :
	    ntohl(((struct tcphdr *)P->th)->seq);
	tcp_ack = P->synth ? ((struct tcp_sock *)P->sk)->rcv_nxt :
	    P->reply ? ((((union tcp_word_hdr *)P->th)->words[3] & DW_TCP_FLAG_ACK) != 0 ? 0 :
	    ntohl(((struct tcphdr *)P->th)->seq) + ((((union tcp_word_hdr *)P->th)->words[3] & DW_TCP_FLAG_SYN) != 0) +
	    ((((union tcp_word_hdr *)P->th)->words[3] & DW_TCP_FLAG_FIN) != 0) + P->skb->len - ((struct tcphdr *)P->th)->doff * 4) :
	    ntohl(((struct tcphdr *)P->th)->ack_seq);
	tcp_offset = P->synth ? ((struct tcp_sock *)P->sk)->tcp_header_len : P->reply ? DW_TCP_HLEN : dw_doff[P];
	tcp_flags = P->synth ? DW_TH_RST | DW_TH_ACK : P->reply ? ((((union tcp_word_hdr *)P->th)->words[3] & DW_TCP_FLAG_ACK) != 0 ? DW_TH_RST : DW_TH_RST | DW_TH_ACK) :
	    dw_tcp_flags[P];
	tcp_window = P->synth ? ((struct tcp_sock *)P->sk)->rcv_wnd >> ((struct tcp_sock *)P->sk)->rx_opt.rcv_wscale :
	    P->reply ? 0 : ntohs(((struct tcphdr *)P->th)->window);
	/* of a reset that is being made: not known yet */
	tcp_checksum = P->synth || P->reply ? 0 : ntohs(((struct tcphdr *)P->th)->check);
	tcp_urgent = P->synth || P->reply ? 0 : ntohs(((struct tcphdr *)P->th)->urg_ptr);
	tcp_hdr = (tcph_t *)P->th;
};

typedef struct tcpsinfo {
	uintptr_t tcps_addr;		/* the socket (struct tcp_sock) */
	int tcps_local;			/* 1: the other side is on this machine */
	int tcps_active;		/* 1: opened from here */
	uint16_t tcps_lport;
	uint16_t tcps_rport;
	string tcps_laddr;
	string tcps_raddr;
	int32_t tcps_state;		/* TCP_STATE_* */
	uint32_t tcps_iss;
	uint32_t tcps_suna;
	uint32_t tcps_snxt;
	uint32_t tcps_rack;
	uint32_t tcps_rnxt;
	uint32_t tcps_swnd;		/* as in the header: << tcps_snd_ws gives bytes */
	uint32_t tcps_snd_ws;
	uint32_t tcps_rwnd;
	uint32_t tcps_rcv_ws;
	uint32_t tcps_cwnd;		/* bytes */
	uint32_t tcps_cwnd_ssthresh;	/* bytes */
	uint32_t tcps_sack_fack;
	uint32_t tcps_sack_snxt;
	uint32_t tcps_rto;		/* ms */
	uint32_t tcps_mss;
	int tcps_retransmit;
	/* ---- Linux's own; 0 or "" where there is no socket ---- */
	uint32_t tcps_srtt;		/* smoothed round-trip time, us */
	uint32_t tcps_rttvar;		/* its mean deviation, us */
	uint32_t tcps_min_rtt;		/* the recent minimum, us; 0: none measured */
	uint32_t tcps_delivered;	/* segments that the other side has received */
	uint32_t tcps_delivered_ce;	/* of them, those that came with a congestion mark */
	uint32_t tcps_lost;		/* segments deemed lost so far */
	uint32_t tcps_lost_out;		/* of those in flight now */
	uint32_t tcps_retrans;		/* segments sent again so far */
	uint32_t tcps_retrans_out;	/* of those in flight now */
	uint32_t tcps_sacked_out;
	uint32_t tcps_packets_out;	/* segments in flight */
	uint64_t tcps_bytes_sent;	/* payload, retransmissions too */
	uint64_t tcps_bytes_retrans;
	uint64_t tcps_bytes_acked;
	uint64_t tcps_bytes_received;
	int tcps_fin_received;		/* 1: the peer has sent its FIN, which tcps_bytes_received counts as a byte */
	uint64_t tcps_pacing_rate;	/* bytes a second; all ones: not paced */
	uint64_t tcps_delivery_rate;	/* bytes a second; 0: none measured */
	string tcps_cc;			/* name of the congestion control */
	int32_t tcps_ca_state;		/* TCP_CA_* */
	int32_t tcps_ecn;		/* 1: both sides use ECN (RFC 3168), 2: accurate ECN */
	uint32_t tcps_acceptq;		/* of a listener: connections that wait to be accepted */
	uint32_t tcps_acceptq_max;	/* ... and how many may */
	uint32_t tcps_synq;		/* of a listener: handshakes under way */
	uint32_t tcps_backlog;		/* bytes that wait because a process uses the socket */
	uint32_t tcps_rcvbuf;		/* bytes */
	uint32_t tcps_sndbuf;
	uint32_t tcps_rcvq;		/* bytes received and not read yet */
	uint32_t tcps_sndq;		/* bytes written and not acknowledged yet */
	uint32_t tcps_unsent;		/* bytes written and not sent yet */
	uint32_t tcps_wmem;		/* memory that the send buffer takes, bytes */
	int tcps_nagle;			/* TCP_NAGLE_*: why small segments are, or are not, held back */
	uint32_t tcps_retransmits;	/* timeouts in a row without an answer */
	int tcps_limited;		/* TCP_LIMITED_*: what limited the sending until now; 0: nothing to send */
	/* ---- FreeBSD's ---- */
	int tcps_debug;			/* SO_DEBUG is set */
	uint32_t tcps_smax;		/* highest number sent: Linux's snd_nxt never goes back */
	uint32_t tcps_swl1;		/* number of the segment that last set the send window */
	uint32_t tcps_swl2;		/* Linux keeps none: tcps_suna */
	uint32_t tcps_rup;		/* receive urgent pointer */
} tcpsinfo_t;

inline int32_t TCP_CA_OPEN = 0;
inline int32_t TCP_CA_DISORDER = 1;
inline int32_t TCP_CA_CWR = 2;
inline int32_t TCP_CA_RECOVERY = 3;
inline int32_t TCP_CA_LOSS = 4;

inline string tcp_ca_string[int32_t state] =
    state == 0 ? "open" : state == 1 ? "disorder" : state == 2 ? "cwr" : state == 3 ? "recovery" : state == 4 ? "loss" :
    "<unknown>";

/* Are both ends of an IPv6 socket the same address? */
inline int dw_sk_itself6[struct sock *S] = __has(S->__sk_common.skc_v6_daddr) ?
    S->__sk_common.skc_v6_daddr.in6_u.u6_addr32[3] == S->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[3] &&
    S->__sk_common.skc_v6_daddr.in6_u.u6_addr32[2] == S->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[2] &&
    S->__sk_common.skc_v6_daddr.in6_u.u6_addr32[1] == S->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[1] &&
    S->__sk_common.skc_v6_daddr.in6_u.u6_addr32[0] == S->__sk_common.skc_v6_rcv_saddr.in6_u.u6_addr32[0] : 0;

/* Without a socket (a segment for a closed port), addresses and ports come from the packet, and the state is closed.
 * Addresses and ports also come from the packet for a segment to a listener, whose remote side is empty. */
translator tcpsinfo_t < struct dw_pkt *P > {
	tcps_addr = (uintptr_t)P->sk;
	tcps_local = P->dev != 0 ? (P->dev->flags & DW_IFF_LOOPBACK) != 0 :
	    P->sk->__sk_common.skc_family == DW_AF_INET ?
	    P->sk->__sk_common.skc_daddr == P->sk->__sk_common.skc_rcv_saddr ||
	    (P->sk->__sk_common.skc_daddr & 0xff) == DW_IN_LOOPBACKNET :
	    dw_sk_itself6[P->sk];
	/* an accepted socket keeps the index of the interface on which its connection arrived; other sockets have 0,
	 * and a stream socket cannot set it */
	tcps_active = P->sk == 0 || P->state == DW_TCP_LISTEN || P->oldstate == DW_TCP_LISTEN ? 0 :
	    P->sk->__sk_common.skc_family == DW_AF_INET ? ((struct inet_sock *)P->sk)->mc_index == 0 :
	    dw_mcast_oif6[P->sk] == 0;
	/* a socket that is being closed has released its port, but still knows it */
	tcps_lport = P->sk == 0 ? ntohs(P->recv || P->reply ? ((struct tcphdr *)P->th)->dest : ((struct tcphdr *)P->th)->source) :
	    P->sk->__sk_common.skc_num != 0 ? P->sk->__sk_common.skc_num : ntohs(((struct inet_sock *)P->sk)->inet_sport);
	tcps_rport = ntohs(P->sk == 0 || (P->has_pkt && P->state == DW_TCP_LISTEN) ?
	    P->recv || P->reply ? ((struct tcphdr *)P->th)->source : ((struct tcphdr *)P->th)->dest :
	    P->sk->__sk_common.skc_dport);
	tcps_laddr = P->sk == 0 || (P->has_pkt && P->state == DW_TCP_LISTEN) ?
	    (P->ver == 4 ?
	    __ip4(P->recv || P->reply ? ((struct iphdr *)P->nh)->daddr : ((struct iphdr *)P->nh)->saddr) :
	    P->recv || P->reply ? __ip6(&((struct ipv6hdr *)P->nh)->daddr) : __ip6(&((struct ipv6hdr *)P->nh)->saddr)) :
	    P->sk->__sk_common.skc_family == DW_AF_INET ? __ip4(P->sk->__sk_common.skc_rcv_saddr) :
	    dw_sk_near6[P->sk];
	tcps_raddr = P->sk == 0 || (P->has_pkt && P->state == DW_TCP_LISTEN) ?
	    (P->ver == 4 ?
	    __ip4(P->recv || P->reply ? ((struct iphdr *)P->nh)->saddr : ((struct iphdr *)P->nh)->daddr) :
	    P->recv || P->reply ? __ip6(&((struct ipv6hdr *)P->nh)->saddr) : __ip6(&((struct ipv6hdr *)P->nh)->daddr)) :
	    P->sk->__sk_common.skc_family == DW_AF_INET ? __ip4(P->sk->__sk_common.skc_daddr) :
	    dw_sk_far6[P->sk];
	tcps_state = P->state;
	/* bytes_acked counts the SYN of an active open, not of a passive one */
	tcps_iss = P->sk == 0 ? 0 :
	    (uint32_t)(((struct tcp_sock *)P->sk)->snd_una - (uint32_t)((struct tcp_sock *)P->sk)->bytes_acked) -
	    (P->state == DW_TCP_LISTEN ? 0 : P->sk->__sk_common.skc_family == DW_AF_INET ?
	    ((struct inet_sock *)P->sk)->mc_index != 0 : dw_mcast_oif6[P->sk] != 0);
	tcps_suna = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->snd_una;
	tcps_snxt = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->snd_nxt;
	tcps_rack = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->rcv_wup;
	tcps_rnxt = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->rcv_nxt;
	tcps_swnd = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->snd_wnd >> ((struct tcp_sock *)P->sk)->rx_opt.snd_wscale;
	tcps_snd_ws = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->rx_opt.snd_wscale;
	tcps_rwnd = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->rcv_wnd >> ((struct tcp_sock *)P->sk)->rx_opt.rcv_wscale;
	tcps_rcv_ws = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->rx_opt.rcv_wscale;
	tcps_cwnd = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->snd_cwnd * ((struct tcp_sock *)P->sk)->mss_cache;
	/* infinite: no threshold yet */
	tcps_cwnd_ssthresh = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->snd_ssthresh >= DW_TCP_INFINITE_SSTHRESH ?
	    DW_TCP_INFINITE_SSTHRESH :
	    ((struct tcp_sock *)P->sk)->snd_ssthresh * ((struct tcp_sock *)P->sk)->mss_cache;
	tcps_sack_fack = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->sacked_out == 0 ?
	    ((struct tcp_sock *)P->sk)->snd_una : ((struct tcp_sock *)P->sk)->highest_sack == 0 ?
	    ((struct tcp_sock *)P->sk)->snd_nxt :
	    ((struct tcp_skb_cb *)&((struct tcp_sock *)P->sk)->highest_sack->cb)->seq;
	tcps_sack_snxt = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->retransmit_skb_hint == 0 ?
	    ((struct tcp_sock *)P->sk)->snd_una :
	    ((struct tcp_skb_cb *)&((struct tcp_sock *)P->sk)->retransmit_skb_hint->cb)->seq;
	tcps_rto = P->sk == 0 ? 0 : (uint64_t)((struct inet_connection_sock *)P->sk)->icsk_rto * 1000 / __hz;
	tcps_mss = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->mss_cache;
	tcps_retransmit = P->sk != 0 && P->has_pkt && !P->recv && P->state != DW_TCP_LISTEN &&
	    (int32_t)(ntohl(((struct tcphdr *)P->th)->seq) - ((struct tcp_sock *)P->sk)->snd_nxt) < 0 &&
	    ((dw_tcp_flags[P] & (DW_TH_FIN | DW_TH_SYN)) != 0 ||
	    P->skb->len > P->th - P->nh + ((struct tcphdr *)P->th)->doff * 4);
	tcps_srtt = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->srtt_us >> 3;
	tcps_rttvar = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->mdev_us >> 2;
	tcps_min_rtt = P->sk == 0 || ((struct tcp_sock *)P->sk)->rtt_min.s[0].v == DW_TCP_RTT_UNKNOWN ? 0 :
	    ((struct tcp_sock *)P->sk)->rtt_min.s[0].v;
	tcps_delivered = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->delivered;
	tcps_delivered_ce = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->delivered_ce;
	tcps_lost = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->lost;
	tcps_lost_out = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->lost_out;
	tcps_retrans = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->total_retrans;
	tcps_retrans_out = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->retrans_out;
	tcps_sacked_out = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->sacked_out;
	tcps_packets_out = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->packets_out;
	tcps_bytes_sent = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->bytes_sent;
	tcps_bytes_retrans = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->bytes_retrans;
	tcps_bytes_acked = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->bytes_acked;
	tcps_bytes_received = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->bytes_received;
	tcps_fin_received = P->sk == 0 ? 0 : P->sk->__sk_common.skc_flags >> DW_SOCK_DONE & 1;
	tcps_pacing_rate = P->sk == 0 ? 0 : P->sk->sk_pacing_rate;
	tcps_delivery_rate = P->sk == 0 || ((struct tcp_sock *)P->sk)->rate_delivered == 0 || ((struct tcp_sock *)P->sk)->rate_interval_us == 0 ? 0 :
	    (uint64_t)((struct tcp_sock *)P->sk)->rate_delivered * ((struct tcp_sock *)P->sk)->mss_cache * 1000000 /
	    ((struct tcp_sock *)P->sk)->rate_interval_us;
	tcps_cc = P->sk == 0 ? "" : stringof(((struct inet_connection_sock *)P->sk)->icsk_ca_ops->name);
	tcps_ca_state = P->sk == 0 ? 0 : ((struct inet_connection_sock *)P->sk)->icsk_ca_state;
	tcps_ecn = P->sk == 0 ? 0 : (((struct tcp_sock *)P->sk)->ecn_flags & DW_TCP_ECN_MODE_ACCECN) != 0 ? 2 :
	    ((struct tcp_sock *)P->sk)->ecn_flags & DW_TCP_ECN_MODE_RFC3168;
	tcps_acceptq = P->sk == 0 ? 0 : P->state != DW_TCP_LISTEN ? 0 : P->sk->sk_ack_backlog;
	tcps_acceptq_max = P->sk == 0 ? 0 : P->state != DW_TCP_LISTEN ? 0 : P->sk->sk_max_ack_backlog;
	tcps_synq = P->sk == 0 ? 0 : P->state != DW_TCP_LISTEN ? 0 : ((struct inet_connection_sock *)P->sk)->icsk_accept_queue.qlen.counter;
	tcps_backlog = P->sk == 0 ? 0 : P->sk->sk_backlog.len;
	tcps_rcvbuf = P->sk == 0 ? 0 : P->sk->sk_rcvbuf;
	tcps_sndbuf = P->sk == 0 ? 0 : P->sk->sk_sndbuf;
	tcps_rcvq = P->sk == 0 ? 0 : P->state == DW_TCP_LISTEN ? 0 : ((struct tcp_sock *)P->sk)->rcv_nxt - ((struct tcp_sock *)P->sk)->copied_seq;
	tcps_sndq = P->sk == 0 ? 0 : P->state == DW_TCP_LISTEN ? 0 : ((struct tcp_sock *)P->sk)->write_seq - ((struct tcp_sock *)P->sk)->snd_una;
	tcps_unsent = P->sk == 0 ? 0 : P->state == DW_TCP_LISTEN ? 0 : ((struct tcp_sock *)P->sk)->write_seq - ((struct tcp_sock *)P->sk)->snd_nxt;
	tcps_wmem = P->sk == 0 ? 0 : P->sk->sk_wmem_queued;
	tcps_nagle = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->nonagle;
	tcps_limited = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->chrono_type;
	tcps_retransmits = P->sk == 0 ? 0 : ((struct inet_connection_sock *)P->sk)->icsk_retransmits;
	tcps_debug = P->sk == 0 ? 0 : (P->sk->__sk_common.skc_flags >> SOCK_DBG) & 1;
	tcps_smax = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->snd_nxt;
	tcps_swl1 = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->snd_wl1;
	tcps_swl2 = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->snd_una;
	tcps_rup = P->sk == 0 ? 0 : ((struct tcp_sock *)P->sk)->urg_seq;
};

typedef struct tcplsinfo {
	int32_t tcps_state;		/* the previous state */
} tcplsinfo_t;

translator tcplsinfo_t < struct dw_pkt *P > {
	tcps_state = P->oldstate;
};
