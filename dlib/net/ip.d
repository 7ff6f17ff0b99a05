/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ip: arguments of the ip provider: ifinfo_t, ipv4info_t, ipv6info_t. Input: struct dw_pkt, whose member ver says
 * which of the two headers the packet has. Members have the names and meanings of DTrace's ip provider; numbers are
 * in host order unless a comment says otherwise. */

/* Solaris' names of the headers and of an IPv6 address. */
typedef struct iphdr ipha_t;
typedef struct ipv6hdr ip6_t;
typedef struct in6_addr in6_addr_t;

typedef struct ifinfo {
	string if_name;
	int8_t if_local;		/* 1: a loopback device */
	uint32_t if_ipstack;		/* inode number of the network namespace */
	uintptr_t if_addr;		/* struct net_device */
	int32_t if_index;
	string if_speed;		/* of its link, Mb/s; "": none, or a device of another namespace than dwire's */
} ifinfo_t;

translator ifinfo_t < struct dw_pkt *P > {
	if_name = P->dev->name;
	if_local = (P->dev->flags & DW_IFF_LOOPBACK) != 0;
	if_ipstack = P->netns;
	if_addr = (uintptr_t)P->dev;
	if_index = P->dev->ifindex;
	if_speed = __linkspeed(P->dev->ifindex, P->netns);
};

typedef struct ipv4info {
	uint8_t ipv4_ver;
	uint8_t ipv4_ihl;		/* header length, bytes */
	uint8_t ipv4_tos;
	uint16_t ipv4_length;		/* of the packet, bytes */
	uint16_t ipv4_ident;
	uint8_t ipv4_flags;		/* the top four bits: IPH_DF (4), IPH_MF (2); also called IPV4_DF, IPV4_MF */
	uint16_t ipv4_offset;		/* fragment offset, bytes */
	uint8_t ipv4_ttl;
	uint8_t ipv4_protocol;
	string ipv4_protostr;
	uint16_t ipv4_checksum;
	ipaddr_t ipv4_src;		/* network order */
	ipaddr_t ipv4_dst;
	string ipv4_saddr;
	string ipv4_daddr;
	ipha_t *ipv4_hdr;
} ipv4info_t;

/* Bits of ipv4_flags: don't fragment, more fragments. Scripts use either name. */
inline uint8_t IPV4_DF = 4;
inline uint8_t IPV4_MF = 2;
inline uint8_t IPH_DF = 4;
inline uint8_t IPH_MF = 2;

inline uint8_t IPPROTO_ICMP = 1;
inline uint8_t IPPROTO_IGMP = 2;
inline uint8_t IPPROTO_TCP = 6;
inline uint8_t IPPROTO_UDP = 17;
inline uint8_t IPPROTO_IPV6 = 41;
inline uint8_t IPPROTO_ESP = 50;
inline uint8_t IPPROTO_AH = 51;
inline uint8_t IPPROTO_ICMPV6 = 58;
inline uint8_t IPPROTO_SCTP = 132;
inline uint8_t IPPROTO_UDPLITE = 136;

/* Names of IP protocols and of IPv6's extension headers. */
inline string ip_proto_string[uint8_t proto] =
    proto == 6 ? "TCP" : proto == 17 ? "UDP" : proto == 1 ? "ICMP" : proto == 58 ? "ICMPV6" :
    proto == 2 ? "IGMP" : proto == 132 ? "SCTP" : proto == 136 ? "UDPLITE" : proto == 47 ? "GRE" :
    proto == 50 ? "ESP" : proto == 51 ? "AH" : proto == 4 ? "IPIP" : proto == 41 ? "IPV6" :
    proto == 0 ? "HOPOPTS" : proto == 43 ? "ROUTING" : proto == 44 ? "FRAGMENT" : proto == 60 ? "DSTOPTS" :
    proto == 89 ? "OSPF" : proto == 112 ? "VRRP" : "<unknown>";

translator ipv4info_t < struct dw_pkt *P > {
	ipv4_ver = ((struct iphdr *)P->nh)->version;
	ipv4_ihl = ((struct iphdr *)P->nh)->ihl * 4;
	ipv4_tos = ((struct iphdr *)P->nh)->tos;
	ipv4_length = ntohs(((struct iphdr *)P->nh)->tot_len);
	ipv4_ident = ntohs(((struct iphdr *)P->nh)->id);
	ipv4_flags = ntohs(((struct iphdr *)P->nh)->frag_off) >> 12;
	ipv4_offset = (ntohs(((struct iphdr *)P->nh)->frag_off) & DW_IP_OFFSET_HOST) * 8;
	ipv4_ttl = ((struct iphdr *)P->nh)->ttl;
	ipv4_protocol = ((struct iphdr *)P->nh)->protocol;
	ipv4_protostr = ip_proto_string[((struct iphdr *)P->nh)->protocol];
	ipv4_checksum = ntohs(((struct iphdr *)P->nh)->check);
	ipv4_src = ((struct iphdr *)P->nh)->saddr;
	ipv4_dst = ((struct iphdr *)P->nh)->daddr;
	ipv4_saddr = __ip4(((struct iphdr *)P->nh)->saddr);
	ipv4_daddr = __ip4(((struct iphdr *)P->nh)->daddr);
	ipv4_hdr = (ipha_t *)P->nh;
};

/* Lengths in bytes; flow label and traffic class as RFC 8200 defines them. */
typedef struct ipv6info {
	uint8_t ipv6_ver;
	uint8_t ipv6_tclass;
	uint32_t ipv6_flow;
	uint16_t ipv6_plen;
	uint8_t ipv6_nexthdr;
	string ipv6_nextstr;
	uint8_t ipv6_hlim;
	struct in6_addr *ipv6_src;
	struct in6_addr *ipv6_dst;
	string ipv6_saddr;
	string ipv6_daddr;
	ip6_t *ipv6_hdr;
} ipv6info_t;

translator ipv6info_t < struct dw_pkt *P > {
	ipv6_ver = ((struct ipv6hdr *)P->nh)->version;
	ipv6_tclass = ((((struct ipv6hdr *)P->nh)->priority << 4) | (((struct ipv6hdr *)P->nh)->flow_lbl[0] >> 4)) & 0xff;
	ipv6_flow = ((((struct ipv6hdr *)P->nh)->flow_lbl[0] & 0xf) << 16) |
	    (((struct ipv6hdr *)P->nh)->flow_lbl[1] << 8) | ((struct ipv6hdr *)P->nh)->flow_lbl[2];
	ipv6_plen = ntohs(((struct ipv6hdr *)P->nh)->payload_len);
	ipv6_nexthdr = ((struct ipv6hdr *)P->nh)->nexthdr;
	ipv6_nextstr = ip_proto_string[((struct ipv6hdr *)P->nh)->nexthdr];
	ipv6_hlim = ((struct ipv6hdr *)P->nh)->hop_limit;
	ipv6_src = &((struct ipv6hdr *)P->nh)->saddr;
	ipv6_dst = &((struct ipv6hdr *)P->nh)->daddr;
	ipv6_saddr = __ip6(&((struct ipv6hdr *)P->nh)->saddr);
	ipv6_daddr = __ip6(&((struct ipv6hdr *)P->nh)->daddr);
	ipv6_hdr = (ip6_t *)P->nh;
};
