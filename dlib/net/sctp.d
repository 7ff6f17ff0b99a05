/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sctp: sites and arguments of the sctp provider. Input: packets of sockets, and associations at functions of the
 * module sctp. Output: sctpsinfo_t, sctpinfo_t, sctplsinfo_t. Protocol: RFC 9260. */

typedef struct sctphdr sctp_hdr_t;

/* States: the kernel's enum sctp_state, and one for a socket that waits for associations. */
inline int32_t SCTP_STATE_LISTEN = -3;
inline int32_t SCTP_STATE_CLOSED = 0;
inline int32_t SCTP_STATE_COOKIE_WAIT = 1;
inline int32_t SCTP_STATE_COOKIE_ECHOED = 2;
inline int32_t SCTP_STATE_ESTABLISHED = 3;
inline int32_t SCTP_STATE_SHUTDOWN_PENDING = 4;
inline int32_t SCTP_STATE_SHUTDOWN_SENT = 5;
inline int32_t SCTP_STATE_SHUTDOWN_RECEIVED = 6;
inline int32_t SCTP_STATE_SHUTDOWN_ACK_SENT = 7;

inline string sctp_state_string[int32_t state] =
    state == -3 ? "state-listen" : state == 0 ? "state-closed" : state == 1 ? "state-cookie-wait" : state == 2 ? "state-cookie-echoed" :
    state == 3 ? "state-established" : state == 4 ? "state-shutdown-pending" : state == 5 ? "state-shutdown-sent" :
    state == 6 ? "state-shutdown-received" : state == 7 ? "state-shutdown-ack-sent" : "<unknown>";

/* The association of a socket: the first of its list. A packet of a one-to-many socket may belong to another
 * association. Its tag then differs from the one that this association has for the direction, or is 0 (INIT). */
inline uint64_t dw_sctp_list[uint64_t sk] = (uint64_t)&((struct sctp_sock *)sk)->ep->asocs;
inline uint64_t dw_sctp_first[uint64_t sk] = (uint64_t)((struct list_head *)dw_sctp_list[sk])->next;
inline uint64_t dw_sctp_assoc[uint64_t sk] = sk == 0 ? 0 : dw_sctp_first[sk] == dw_sctp_list[sk] ? 0 :
    dw_sctp_first[sk] - offsetof(struct sctp_association, asocs);
inline int dw_sctp_mine[uint64_t asoc, uint64_t sk, uint64_t th, int recv] =
    ((struct sctp_sock *)sk)->type != 0 || ntohl(((struct sctphdr *)th)->vtag) == (recv ?
    ((struct sctp_association *)asoc)->c.my_vtag : ((struct sctp_association *)asoc)->c.peer_vtag);
struct dw_sctp {
	struct dw_pkt;
	uint64_t asoc;		/* struct sctp_association; 0: none yet */
};
inline uint64_t dw_sctp_of[struct dw_sctp *P] = dw_sctp_assoc[(uint64_t)P->sk] == 0 ? 0 :
    P->has_pkt && !dw_sctp_mine[dw_sctp_assoc[(uint64_t)P->sk], (uint64_t)P->sk, P->th, P->recv] ? 0 :
    dw_sctp_assoc[(uint64_t)P->sk];

translator struct dw_sctp < struct dw_sctp *P > {
	asoc = dw_sctp_of[P];
};

/* ---- sites: functions of the module that are given an association ------------------------------------------------------ */

inline int DW_SCTP_ASSOC = 256;

inline uint64_t dw_sctp_cookie[struct sock *sk] =
    sk->__sk_common.skc_cookie.counter != 0 ? sk->__sk_common.skc_cookie.counter : (uint64_t)sk;

inline struct dw_owner *dw_sctp_owner[struct sock *sk] =
    sk->sk_kern_sock ? (struct dw_owner *)0 : __owner((uint64_t)sk, 1);

struct dw_fsctp {	/* sctp_association_hold, sctp_association_free */
	struct sctp_association *asoc;
};

translator struct dw_sctp < struct dw_fsctp *C > {
	asoc = (uint64_t)C->asoc;
	sk = C->asoc->base.sk;
	owner = dw_sctp_owner[C->asoc->base.sk];
	cookie = dw_sctp_cookie[C->asoc->base.sk];
	state = DW_SCTP_ASSOC + C->asoc->state;
	oldstate = __former("state", (uint64_t)C->asoc, DW_SCTP_ASSOC + C->asoc->state);
};

struct dw_fsctpout {	/* sctp_outq_uncork */
	struct sctp_outq *queue;
};

translator struct dw_sctp < struct dw_fsctpout *C > {
	asoc = (uint64_t)C->queue->asoc;
	sk = C->queue->asoc->base.sk;
	owner = dw_sctp_owner[C->queue->asoc->base.sk];
	cookie = dw_sctp_cookie[C->queue->asoc->base.sk];
	state = DW_SCTP_ASSOC + C->queue->asoc->state;
	oldstate = __former("state", (uint64_t)C->queue->asoc, DW_SCTP_ASSOC + C->queue->asoc->state);
};

struct dw_fsctpcall {	/* sctp_primitive_SHUTDOWN, sctp_primitive_ABORT */
	struct net *net;
	struct sctp_association *asoc;
};

translator struct dw_sctp < struct dw_fsctpcall *C > {
	asoc = (uint64_t)C->asoc;
	sk = C->asoc->base.sk;
	owner = dw_sctp_owner[C->asoc->base.sk];
	cookie = dw_sctp_cookie[C->asoc->base.sk];
	state = DW_SCTP_ASSOC + C->asoc->state;
	oldstate = __former("state", (uint64_t)C->asoc, DW_SCTP_ASSOC + C->asoc->state);
};

typedef struct sctpsinfo {
	uintptr_t sctps_addr;		/* the association (struct sctp_association); 0: none yet, or not known */
	int sctps_num_raddrs;		/* addresses of the other side */
	uintptr_t sctps_raddrs;		/* their list (struct list_head of struct sctp_transport) */
	uintptr_t sctps_laddrs;		/* ours (struct list_head of struct sctp_sockaddr_entry) */
	uint16_t sctps_lport;
	uint16_t sctps_rport;
	string sctps_laddr;		/* of the packet; of the socket where there is none */
	string sctps_raddr;
	int32_t sctps_state;		/* SCTP_STATE_*: of the association, of the socket where it has none */
} sctpsinfo_t;

/* A site that sees an association adds DW_SCTP_ASSOC to its state. Other sites give the state of a one-to-one socket,
 * whose numbers are TCP's (include/net/sctp/constants.h, enum sctp_sock_state). */
inline int32_t dw_sctp_state[int32_t state] = state >= DW_SCTP_ASSOC ? state - DW_SCTP_ASSOC :
    state == DW_TCP_LISTEN ? SCTP_STATE_LISTEN : state == DW_TCP_ESTABLISHED ? SCTP_STATE_ESTABLISHED :
    state == DW_TCP_CLOSE_WAIT ? SCTP_STATE_SHUTDOWN_RECEIVED : SCTP_STATE_CLOSED;
inline struct sctp_association *dw_sctp_as[struct dw_sctp *P] = (struct sctp_association *)P->asoc;
inline string dw_sctp_text[uint64_t addr] = ((union sctp_addr *)addr)->sa.sa_family == DW_AF_INET ?
    __ip4(((union sctp_addr *)addr)->v4.sin_addr.s_addr) : __ip6(&((union sctp_addr *)addr)->v6.sin6_addr);

translator sctpsinfo_t < struct dw_sctp *P > {
	sctps_addr = P->asoc;
	sctps_num_raddrs = P->asoc == 0 ? 0 : dw_sctp_as[P]->peer.transport_count;
	sctps_raddrs = P->asoc == 0 ? 0 : (uintptr_t)&dw_sctp_as[P]->peer.transport_addr_list;
	sctps_laddrs = P->asoc == 0 ? 0 : (uintptr_t)&dw_sctp_as[P]->base.bind_addr.address_list;
	sctps_lport = P->has_pkt ? ntohs(P->recv ? ((struct sctphdr *)P->th)->dest : ((struct sctphdr *)P->th)->source) :
	    P->state >= DW_SCTP_ASSOC ? dw_sctp_as[P]->base.bind_addr.port : P->sk->__sk_common.skc_num;
	sctps_rport = P->has_pkt ? ntohs(P->recv ? ((struct sctphdr *)P->th)->source : ((struct sctphdr *)P->th)->dest) :
	    P->state >= DW_SCTP_ASSOC ? dw_sctp_as[P]->peer.port : ntohs(P->sk->__sk_common.skc_dport);
	sctps_laddr = P->has_pkt ? (P->ver == 4 ?
	    __ip4(P->recv ? ((struct iphdr *)P->nh)->daddr : ((struct iphdr *)P->nh)->saddr) :
	    P->recv ? __ip6(&((struct ipv6hdr *)P->nh)->daddr) : __ip6(&((struct ipv6hdr *)P->nh)->saddr)) :
	    P->state >= DW_SCTP_ASSOC ? dw_sctp_text[(uint64_t)&dw_sctp_as[P]->peer.primary_path->saddr] :
	    P->sk->__sk_common.skc_family == DW_AF_INET ? __ip4(P->sk->__sk_common.skc_rcv_saddr) :
	    dw_sk_near6[P->sk];
	sctps_raddr = P->has_pkt ? (P->ver == 4 ?
	    __ip4(P->recv ? ((struct iphdr *)P->nh)->saddr : ((struct iphdr *)P->nh)->daddr) :
	    P->recv ? __ip6(&((struct ipv6hdr *)P->nh)->saddr) : __ip6(&((struct ipv6hdr *)P->nh)->daddr)) :
	    P->state >= DW_SCTP_ASSOC ? dw_sctp_text[(uint64_t)&dw_sctp_as[P]->peer.primary_path->ipaddr] :
	    P->sk->__sk_common.skc_family == DW_AF_INET ? __ip4(P->sk->__sk_common.skc_daddr) :
	    dw_sk_far6[P->sk];
	sctps_state = P->has_pkt && P->asoc != 0 ? dw_sctp_as[P]->state :
	    P->oldstate == DW_TCP_LISTEN ? SCTP_STATE_CLOSED : dw_sctp_state[P->state];
};

typedef struct sctplsinfo {
	int32_t sctps_state;		/* the previous state */
} sctplsinfo_t;

translator sctplsinfo_t < struct dw_sctp *P > {
	sctps_state = dw_sctp_state[P->oldstate];
};

typedef struct sctpinfo {
	uint16_t sctp_sport;
	uint16_t sctp_dport;
	uint32_t sctp_verify;		/* verification tag */
	uint32_t sctp_checksum;
	sctp_hdr_t *sctp_hdr;
} sctpinfo_t;

translator sctpinfo_t < struct dw_sctp *P > {
	sctp_sport = ntohs(((struct sctphdr *)P->th)->source);
	sctp_dport = ntohs(((struct sctphdr *)P->th)->dest);
	sctp_verify = ntohl(((struct sctphdr *)P->th)->vtag);
	sctp_checksum = ntohl(((struct sctphdr *)P->th)->checksum);
	sctp_hdr = (sctp_hdr_t *)P->th;
};
