/* udp: arguments of the udp provider: udpsinfo_t, udpinfo_t. */

typedef struct udphdr udpha_t;

typedef struct udpsinfo {
	uintptr_t udps_addr;		/* the socket (struct sock) */
	uint16_t udps_lport;
	uint16_t udps_rport;		/* 0 where not connected */
	string udps_laddr;
	string udps_raddr;
} udpsinfo_t;

/* An unconnected socket has no remote side and may be bound to no address: then what the socket knows is shown. */
translator udpsinfo_t < struct dw_pkt *P > {
	udps_addr = (uintptr_t)P->sk;
	udps_lport = P->sk->__sk_common.skc_num;
	udps_rport = ntohs(P->sk->__sk_common.skc_dport);
	udps_laddr = P->sk->__sk_common.skc_family == 2 ? __ip4(P->sk->__sk_common.skc_rcv_saddr) :
	    __ip6(&P->sk->__sk_common.skc_v6_rcv_saddr);
	udps_raddr = P->sk->__sk_common.skc_family == 2 ? __ip4(P->sk->__sk_common.skc_daddr) :
	    __ip6(&P->sk->__sk_common.skc_v6_daddr);
};

typedef struct udpinfo {
	uint16_t udp_sport;
	uint16_t udp_dport;
	uint16_t udp_length;		/* header and payload, bytes */
	uint16_t udp_checksum;
	udpha_t *udp_hdr;
} udpinfo_t;

translator udpinfo_t < struct dw_pkt *P > {
	udp_sport = ntohs(((struct udphdr *)P->th)->source);
	udp_dport = ntohs(((struct udphdr *)P->th)->dest);
	udp_length = ntohs(((struct udphdr *)P->th)->len);
	udp_checksum = ntohs(((struct udphdr *)P->th)->check);
	udp_hdr = (udpha_t *)P->th;
};
