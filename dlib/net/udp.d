/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udp: arguments of the udp and udplite providers: udpsinfo_t, udpinfo_t, udplitesinfo_t, udpliteinfo_t. Input:
 * struct dw_pkt. Numbers are in host order. */

typedef struct udphdr udpha_t;

typedef struct udpsinfo {
	uintptr_t udps_addr;		/* the socket (struct sock) */
	uint16_t udps_lport;
	uint16_t udps_rport;		/* 0 where not connected */
	string udps_laddr;
	string udps_raddr;
} udpsinfo_t;

/* An unconnected socket has no remote side and may not be bound to an address; the members show what the socket has.
 * Without a socket (a datagram for a closed port) they come from the packet. */
translator udpsinfo_t < struct dw_pkt *P > {
	udps_addr = (uintptr_t)P->sk;
	udps_lport = P->sk != 0 ? P->sk->__sk_common.skc_num :
	    ntohs(P->recv ? ((struct udphdr *)P->th)->dest : ((struct udphdr *)P->th)->source);
	udps_rport = ntohs(P->sk != 0 ? P->sk->__sk_common.skc_dport :
	    P->recv ? ((struct udphdr *)P->th)->source : ((struct udphdr *)P->th)->dest);
	udps_laddr = P->sk == 0 ? (P->ver == 4 ? __ip4(P->recv ? ((struct iphdr *)P->nh)->daddr : ((struct iphdr *)P->nh)->saddr) :
	    P->recv ? __ip6(&((struct ipv6hdr *)P->nh)->daddr) : __ip6(&((struct ipv6hdr *)P->nh)->saddr)) :
	    P->sk->__sk_common.skc_family == DW_AF_INET ? __ip4(P->sk->__sk_common.skc_rcv_saddr) :
	    dw_sk_near6[P->sk];
	udps_raddr = P->sk == 0 ? (P->ver == 4 ? __ip4(P->recv ? ((struct iphdr *)P->nh)->saddr : ((struct iphdr *)P->nh)->daddr) :
	    P->recv ? __ip6(&((struct ipv6hdr *)P->nh)->saddr) : __ip6(&((struct ipv6hdr *)P->nh)->daddr)) :
	    P->sk->__sk_common.skc_family == DW_AF_INET ? __ip4(P->sk->__sk_common.skc_daddr) :
	    dw_sk_far6[P->sk];
};

typedef struct udpinfo {
	uint16_t udp_sport;
	uint16_t udp_dport;
	uint16_t udp_length;		/* header and payload, bytes */
	uint16_t udp_checksum;
	udpha_t *udp_hdr;
	uint32_t udp_datagrams;		/* how many: one buffer may hold several (UDP_SEGMENT, UDP_GRO) */
} udpinfo_t;

translator udpinfo_t < struct dw_pkt *P > {
	udp_sport = ntohs(((struct udphdr *)P->th)->source);
	udp_dport = ntohs(((struct udphdr *)P->th)->dest);
	udp_length = ntohs(((struct udphdr *)P->th)->len);
	udp_checksum = ntohs(((struct udphdr *)P->th)->check);
	udp_hdr = (udpha_t *)P->th;
	udp_datagrams = ((struct skb_shared_info *)((uint64_t)P->skb->head + P->skb->end))->gso_segs > 1 ?
	    ((struct skb_shared_info *)((uint64_t)P->skb->head + P->skb->end))->gso_segs : 1;
};

/* For dns: over TCP, ports and checksum are those of the segment. */
translator udpinfo_t < struct dw_dns *P > {
	udp_sport = ntohs(((struct udphdr *)P->th)->source);
	udp_dport = ntohs(((struct udphdr *)P->th)->dest);
	udp_length = P->dnstcp ? 0 : ntohs(((struct udphdr *)P->th)->len);
	udp_checksum = ntohs(P->dnstcp ? ((struct tcphdr *)P->th)->check : ((struct udphdr *)P->th)->check);
	udp_hdr = P->dnstcp ? (udpha_t *)0 : (udpha_t *)P->th;
	udp_datagrams = P->dnstcp ? 0 : 1;
};

/* ---- udplite (RFC 3828), which Linux has until 7.0 -------------------------------------------------------------------- */
typedef struct udplitesinfo {
	uintptr_t udplites_addr;	/* the socket (struct sock) */
	uint16_t udplites_lport;
	uint16_t udplites_rport;
	string udplites_laddr;
	string udplites_raddr;
} udplitesinfo_t;

/* Of the socket, connected or not. */
translator udplitesinfo_t < struct dw_pkt *P > {
	udplites_addr = (uintptr_t)P->sk;
	udplites_lport = P->sk->__sk_common.skc_num;
	udplites_rport = ntohs(P->sk->__sk_common.skc_dport);
	udplites_laddr = P->sk->__sk_common.skc_family == DW_AF_INET ? __ip4(P->sk->__sk_common.skc_rcv_saddr) :
	    dw_sk_near6[P->sk];
	udplites_raddr = P->sk->__sk_common.skc_family == DW_AF_INET ? __ip4(P->sk->__sk_common.skc_daddr) :
	    dw_sk_far6[P->sk];
};

typedef struct udpliteinfo {
	uint16_t udplite_sport;
	uint16_t udplite_dport;
	uint16_t udplite_coverage;	/* bytes that the checksum covers, from the header on; 0: all */
	uint16_t udplite_checksum;
	udpha_t *udplite_hdr;
} udpliteinfo_t;

translator udpliteinfo_t < struct dw_pkt *P > {
	udplite_sport = ntohs(((struct udphdr *)P->th)->source);
	udplite_dport = ntohs(((struct udphdr *)P->th)->dest);
	udplite_coverage = ntohs(((struct udphdr *)P->th)->len);
	udplite_checksum = ntohs(((struct udphdr *)P->th)->check);
	udplite_hdr = (udpha_t *)P->th;
};
