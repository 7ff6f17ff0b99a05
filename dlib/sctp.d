/* sctp: arguments of the sctp provider: sctpsinfo_t, sctpinfo_t, sctplsinfo_t. */

typedef struct sctphdr sctp_hdr_t;

/* States: those of the kernel's enum sctp_state, and that of a socket that waits for associations. */
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

/* The association of a socket that has one: the first of its list. */
inline uint64_t dw_sctp_list[uint64_t sk] = (uint64_t)&((struct sctp_sock *)sk)->ep->asocs;
inline uint64_t dw_sctp_first[uint64_t sk] = (uint64_t)((struct list_head *)dw_sctp_list[sk])->next;
inline uint64_t dw_sctp_assoc[uint64_t sk] = sk == 0 ? 0 : dw_sctp_first[sk] == dw_sctp_list[sk] ? 0 :
    dw_sctp_first[sk] - offsetof(struct sctp_association, asocs);

typedef struct sctpsinfo {
	uintptr_t sctps_addr;		/* the association (struct sctp_association); 0: none yet */
	int sctps_num_raddrs;		/* addresses of the other side */
	uintptr_t sctps_raddrs;		/* their list (struct list_head of struct sctp_transport) */
	uintptr_t sctps_laddrs;		/* ours (struct list_head of struct sctp_sockaddr_entry) */
	uint16_t sctps_lport;
	uint16_t sctps_rport;
	string sctps_laddr;		/* of the packet; of the socket where there is none */
	string sctps_raddr;
	int32_t sctps_state;		/* SCTP_STATE_*: of the socket's association, of the socket where it has none */
} sctpsinfo_t;

/* A one-to-one socket's own state follows that of its association: closed 7, listening 10, established 1, the other side
 * has shut down 8. */
inline int32_t dw_sctp_state[int32_t state] = state == 10 ? -3 : state == 1 ? 3 : state == 8 ? 6 : 0;

translator sctpsinfo_t < struct dw_pkt *P > {
	sctps_addr = dw_sctp_assoc[(uint64_t)P->sk];
	sctps_num_raddrs = dw_sctp_assoc[(uint64_t)P->sk] == 0 ? 0 :
	    ((struct sctp_association *)dw_sctp_assoc[(uint64_t)P->sk])->peer.transport_count;
	sctps_raddrs = dw_sctp_assoc[(uint64_t)P->sk] == 0 ? 0 :
	    (uintptr_t)&((struct sctp_association *)dw_sctp_assoc[(uint64_t)P->sk])->peer.transport_addr_list;
	sctps_laddrs = dw_sctp_assoc[(uint64_t)P->sk] == 0 ? 0 :
	    (uintptr_t)&((struct sctp_association *)dw_sctp_assoc[(uint64_t)P->sk])->base.bind_addr.address_list;
	sctps_lport = P->has_pkt ? ntohs(P->recv ? ((struct sctphdr *)P->th)->dest : ((struct sctphdr *)P->th)->source) :
	    P->sk->__sk_common.skc_num;
	sctps_rport = ntohs(P->has_pkt ? (P->recv ? ((struct sctphdr *)P->th)->source : ((struct sctphdr *)P->th)->dest) :
	    P->sk->__sk_common.skc_dport);
	sctps_laddr = P->has_pkt ? (P->ver == 4 ?
	    __ip4(P->recv ? ((struct iphdr *)P->nh)->daddr : ((struct iphdr *)P->nh)->saddr) :
	    P->recv ? __ip6(&((struct ipv6hdr *)P->nh)->daddr) : __ip6(&((struct ipv6hdr *)P->nh)->saddr)) :
	    P->sk->__sk_common.skc_family == 2 ? __ip4(P->sk->__sk_common.skc_rcv_saddr) :
	    __ip6(&P->sk->__sk_common.skc_v6_rcv_saddr);
	sctps_raddr = P->has_pkt ? (P->ver == 4 ?
	    __ip4(P->recv ? ((struct iphdr *)P->nh)->saddr : ((struct iphdr *)P->nh)->daddr) :
	    P->recv ? __ip6(&((struct ipv6hdr *)P->nh)->saddr) : __ip6(&((struct ipv6hdr *)P->nh)->daddr)) :
	    P->sk->__sk_common.skc_family == 2 ? __ip4(P->sk->__sk_common.skc_daddr) :
	    __ip6(&P->sk->__sk_common.skc_v6_daddr);
	sctps_state = !P->has_pkt ? dw_sctp_state[P->state] : dw_sctp_assoc[(uint64_t)P->sk] == 0 ?
	    dw_sctp_state[P->state] : ((struct sctp_association *)dw_sctp_assoc[(uint64_t)P->sk])->state;
};

typedef struct sctplsinfo {
	int32_t sctps_state;		/* the previous state */
} sctplsinfo_t;

translator sctplsinfo_t < struct dw_pkt *P > {
	sctps_state = dw_sctp_state[P->oldstate];
};

typedef struct sctpinfo {
	uint16_t sctp_sport;
	uint16_t sctp_dport;
	uint32_t sctp_verify;		/* verification tag */
	uint32_t sctp_checksum;
	sctp_hdr_t *sctp_hdr;
} sctpinfo_t;

translator sctpinfo_t < struct dw_pkt *P > {
	sctp_sport = ntohs(((struct sctphdr *)P->th)->source);
	sctp_dport = ntohs(((struct sctphdr *)P->th)->dest);
	sctp_verify = ntohl(((struct sctphdr *)P->th)->vtag);
	sctp_checksum = ntohl(((struct sctphdr *)P->th)->checksum);
	sctp_hdr = (sctp_hdr_t *)P->th;
};
