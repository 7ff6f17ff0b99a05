/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sockets: sites and arguments of the sockets provider: what the kernel's iterators show of a socket. Three kinds of
 * objects come: whole sockets, handshakes (struct request_sock), and the small sockets of TIME_WAIT. All three begin with
 * a struct sock_common. Sources: net/ipv4/tcp_diag.c, net/ipv4/inet_diag.c, include/net/udp.h, for what ss(8) shows. */

struct dw_open {
	struct dw_pkt;			/* sk: NULL unless the socket is whole */
	uint64_t at;			/* the object, whatever it is; 0: the end */
};

inline int dw_open_state[uint64_t at] = ((struct sock *)at)->__sk_common.skc_state;
/* Small sockets also stand for FIN_WAIT2 of a connection that its process has closed. */
inline int dw_open_tcp_state[uint64_t at] = dw_open_state[at] == DW_TCP_TIME_WAIT ?
    ((struct inet_timewait_sock *)at)->tw_substate : dw_open_state[at];
/* A number: the verifier does not follow this member of a union. */
inline uint64_t dw_open_listener[uint64_t at] = dw_kword[at + offsetof(struct sock_common, skc_listener)];

struct dw_opentcp {
	uint64_t meta;			/* struct bpf_iter_meta */
	uint64_t at;
	uint32_t uid;
};

/* A handshake belongs to its listener. */
translator struct dw_open < struct dw_opentcp *C > {
	sk = dw_full[C->at] ? (struct sock *)C->at : (struct sock *)0;
	owner = dw_open_state[C->at] == DW_TCP_TIME_WAIT ? dw_ended_owner[(struct sock *)C->at] :
	    __owner(dw_open_state[C->at] == DW_TCP_NEW_SYN_RECV ? dw_open_listener[C->at] : C->at);
	cookie = ((struct sock *)C->at)->__sk_common.skc_cookie.counter;
	proto = DW_IPPROTO_TCP;
	state = dw_open_tcp_state[C->at];
	netns = dw_sk_netns[(struct sock *)C->at];
};

struct dw_openudp {
	uint64_t meta;
	uint64_t at;
	uint32_t uid;
	int32_t bucket;
};

translator struct dw_open < struct dw_openudp *C > {
	sk = (struct sock *)C->at;
	owner = __owner(C->at);
	cookie = ((struct sock *)C->at)->__sk_common.skc_cookie.counter;
	proto = ((struct sock *)C->at)->sk_protocol;
	state = dw_open_state[C->at];
	netns = dw_sk_netns[(struct sock *)C->at];
};

/* ---- arguments -------------------------------------------------------------------------------------------------------- */
typedef struct openinfo {
	uintptr_t os_addr;		/* the socket (struct sock, request_sock or inet_timewait_sock) */
	string os_proto;		/* "tcp", "udp" or "udplite" */
	int os_protocol;		/* IPPROTO_* */
	int os_ipver;			/* 4 or 6, of the socket; an IPv6 socket may talk IPv4: see the addresses */
	int os_whole;			/* 1: a whole socket; 0: a handshake or TIME_WAIT: what follows os_port_last is 0 or "" */
	int os_listens;			/* 1: TCP that listens, UDP that is not connected */
	int32_t os_state;		/* TCP_STATE_*; a handshake is TCP_STATE_SYN_RECEIVED */
	string os_statename;		/* as ss shows it, with _ : "ESTABLISHED"; "UNCONNECTED" of UDP */
	string os_laddr;
	string os_raddr;
	uint16_t os_lport;
	uint16_t os_rport;
	int os_device;			/* the device that it is bound to, by its number; 0: none */
	uint16_t os_port_first;		/* the range from which the namespace takes ports by itself */
	uint16_t os_port_last;
	uint64_t os_inode;		/* in /proc/PID/fd: socket:[inode]; 0: no descriptor */
	uint32_t os_rcvq;		/* bytes not read yet; of a listener: connections not accepted yet */
	uint32_t os_sndq;		/* bytes not acknowledged, or sent, yet; of a listener: how many may wait */
	uint32_t os_rcvbuf;		/* limits, bytes of memory */
	uint32_t os_sndbuf;
	uint32_t os_drops;		/* datagrams and segments that the socket could not take */
	uint64_t os_sent;		/* bytes of TCP, without those sent again */
	uint64_t os_received;
	uint32_t os_retrans;		/* segments sent again so far */
	uint32_t os_srtt;		/* us; 0: none measured */
	uint32_t os_mss;
	uint32_t os_cwnd;		/* segments */
	string os_cc;			/* congestion control; "" of UDP */
	uint64_t os_idle;		/* ms since data came or went, or the connection was made; of UDP 0 */
} openinfo_t;

inline struct tcp_sock *dw_open_tp[struct dw_open *P] = (struct tcp_sock *)P->at;
/* A TCP connection: a whole socket that does not listen. */
inline int dw_open_flows[struct dw_open *P] = P->sk != 0 && P->proto == DW_IPPROTO_TCP && P->state != DW_TCP_LISTEN;
inline int dw_open_v4[uint64_t at] = ((struct sock *)at)->__sk_common.skc_family == DW_AF_INET;
inline uint32_t dw_open_age[uint32_t since] = (uint32_t)`jiffies - since;
inline uint32_t dw_open_less[uint32_t a, uint32_t b] = a < b ? a : b;
inline int dw_open_unconnected[struct dw_open *P] = P->proto != DW_IPPROTO_TCP && P->state != DW_TCP_ESTABLISHED;

/* Since Linux 6.8 the two are halves of a word; before, they are two words behind a lock. */
inline uint64_t dw_open_range[uint64_t net] = (uint64_t)&((struct net *)net)->ipv4.ip_local_ports.range;
inline uint64_t dw_open_net[uint64_t at] = (uint64_t)dw_sk_net[(struct sock *)at];
inline uint32_t dw_open_word[uint64_t at] = ((atomic_t *)at)->counter;

translator openinfo_t < struct dw_open *P > {
	os_addr = (uintptr_t)P->at;
	os_proto = P->proto == DW_IPPROTO_TCP ? "tcp" : P->proto == DW_IPPROTO_UDPLITE ? "udplite" : "udp";
	os_protocol = P->proto;
	os_ipver = dw_open_v4[P->at] ? 4 : 6;
	os_whole = P->sk != 0;
	os_listens = P->state == DW_TCP_LISTEN || dw_open_unconnected[P];
	os_state = P->state == DW_TCP_NEW_SYN_RECV ? DW_TCP_SYN_RECV : P->state;
	os_statename = dw_open_unconnected[P] ? "UNCONNECTED" : tcp_state_name[P->state];
	os_laddr = dw_open_v4[P->at] ? __ip4(((struct sock *)P->at)->__sk_common.skc_rcv_saddr) :
	    dw_sk_near6[(struct sock *)P->at];
	os_raddr = dw_open_v4[P->at] ? __ip4(((struct sock *)P->at)->__sk_common.skc_daddr) :
	    dw_sk_far6[(struct sock *)P->at];
	os_lport = ((struct sock *)P->at)->__sk_common.skc_num != 0 ? ((struct sock *)P->at)->__sk_common.skc_num :
	    P->sk != 0 ? ntohs(((struct inet_sock *)P->at)->inet_sport) : 0;
	os_rport = ntohs(((struct sock *)P->at)->__sk_common.skc_dport);
	os_device = ((struct sock *)P->at)->__sk_common.skc_bound_dev_if;
	os_port_first = dw_open_word[dw_open_range[dw_open_net[P->at]]] & 0xffff;
	os_port_last = __has(((struct local_ports *)0)->lock) ? dw_open_word[dw_open_range[dw_open_net[P->at]] + 4] :
	    dw_open_word[dw_open_range[dw_open_net[P->at]]] >> 16;
	os_inode = P->sk == 0 || P->sk->sk_socket == 0 ? 0 : ((struct socket_alloc *)P->sk->sk_socket)->vfs_inode.i_ino;
	os_rcvq = P->sk == 0 ? 0 : P->proto != DW_IPPROTO_TCP ?
	    P->sk->sk_backlog.rmem_alloc.counter - ((struct udp_sock *)P->at)->forward_deficit :
	    P->state == DW_TCP_LISTEN ? P->sk->sk_ack_backlog :
	    dw_open_tp[P]->rcv_nxt - dw_open_tp[P]->copied_seq;
	os_sndq = P->sk == 0 ? 0 : P->proto != DW_IPPROTO_TCP ? P->sk->sk_wmem_alloc.refs.counter - 1 :
	    P->state == DW_TCP_LISTEN ? P->sk->sk_max_ack_backlog :
	    dw_open_tp[P]->write_seq - dw_open_tp[P]->snd_una;
	os_rcvbuf = P->sk == 0 ? 0 : P->sk->sk_rcvbuf;
	os_sndbuf = P->sk == 0 ? 0 : P->sk->sk_sndbuf;
	os_drops = P->sk == 0 ? 0 : P->sk->sk_drops.counter;
	os_sent = dw_open_flows[P] ? dw_open_tp[P]->bytes_acked : 0;
	os_received = dw_open_flows[P] ? dw_open_tp[P]->bytes_received : 0;
	os_retrans = dw_open_flows[P] ? dw_open_tp[P]->total_retrans : 0;
	os_srtt = dw_open_flows[P] ? dw_open_tp[P]->srtt_us >> 3 : 0;
	os_mss = dw_open_flows[P] ? dw_open_tp[P]->mss_cache : 0;
	os_cwnd = dw_open_flows[P] ? dw_open_tp[P]->snd_cwnd : 0;
	os_cc = dw_open_flows[P] ? stringof(((struct inet_connection_sock *)P->at)->icsk_ca_ops->name) : "";
	os_idle = dw_open_flows[P] ? (uint64_t)dw_open_less[dw_open_age[dw_open_tp[P]->lsndtime],
	    dw_open_age[((struct inet_connection_sock *)P->at)->icsk_ack.lrcvtime]] * 1000 / __hz : 0;
};
