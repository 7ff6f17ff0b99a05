/* SPDX-License-Identifier: GPL-2.0-or-later */
/* icmp: sites and arguments of the icmp provider. Input: packets at the places of dlib/net/net.d. Output: icmpinfo_t, for
 * ICMP (RFC 792) and ICMPv6 (RFC 4443, neighbour discovery RFC 4861). */

/* Is the packet at nh a message? protocol is that of Ethernet, in network order. A later fragment is none. The only
 * header that may precede ICMPv6's is the hop-by-hop header with the router alert (MLD). */
inline int dw_icmp_here[uint64_t nh, uint16_t proto] = proto == DW_ETH_P_IP ?
    ((struct iphdr *)nh)->protocol == DW_IPPROTO_ICMP && (((struct iphdr *)nh)->frag_off & DW_IP_OFFSET) == 0 :
    proto == DW_ETH_P_IPV6 && (((struct ipv6hdr *)nh)->nexthdr == DW_IPPROTO_ICMPV6 ||
    (((struct ipv6hdr *)nh)->nexthdr == DW_IPPROTO_IP && *(uint8_t *)(nh + DW_IPV6_HLEN) == DW_IPPROTO_ICMPV6));
/* Address of the message. */
inline uint64_t dw_icmp_at[uint64_t nh, uint32_t ver] = ver == 4 ? nh + ((struct iphdr *)nh)->ihl * 4 :
    ((struct ipv6hdr *)nh)->nexthdr == DW_IPPROTO_IP ? nh + DW_IPV6_HLEN + 8 + *(uint8_t *)(nh + DW_IPV6_HLEN + 1) * 8 :
    nh + DW_IPV6_HLEN;

inline uint8_t dw_icmp6_type[uint64_t nh] = *(uint8_t *)dw_icmp_at[nh, 6];

/* netif_receive_skb: only the IP header is marked yet. */
struct dw_icmprecv {
	struct sk_buff *skb;
};

translator struct dw_pkt < struct dw_icmprecv *C > {
	nh = (uint64_t)C->skb->data;
	has_pkt = 1;
	recv = 1;
	netns = dw_dev_netns[C->skb->dev];
};

/* Names of types and codes: icmp_type_string[version, type]. Codes have names where they say why something is
 * unreachable or took too long. */
inline string icmp4_type_string[uint8_t type] =
    type == 0 ? "echo-reply" : type == 3 ? "unreachable" : type == 4 ? "source-quench" : type == 5 ? "redirect" :
    type == 8 ? "echo-request" : type == 9 ? "router-advertisement" : type == 10 ? "router-solicitation" :
    type == 11 ? "time-exceeded" : type == 12 ? "parameter-problem" : type == 13 ? "timestamp-request" :
    type == 14 ? "timestamp-reply" : type == 17 ? "mask-request" : type == 18 ? "mask-reply" :
    type == 42 ? "extended-echo-request" : type == 43 ? "extended-echo-reply" : "<unknown>";
inline string icmp6_type_string[uint8_t type] =
    type == 1 ? "unreachable" : type == 2 ? "packet-too-big" : type == 3 ? "time-exceeded" :
    type == 4 ? "parameter-problem" : type == 128 ? "echo-request" : type == 129 ? "echo-reply" :
    type == 130 ? "mld-query" : type == 131 ? "mld-report" : type == 132 ? "mld-done" :
    type == 133 ? "router-solicitation" : type == 134 ? "router-advertisement" : type == 135 ? "neighbor-solicitation" :
    type == 136 ? "neighbor-advertisement" : type == 137 ? "redirect" : type == 143 ? "mldv2-report" :
    type == 160 ? "extended-echo-request" : type == 161 ? "extended-echo-reply" : "<unknown>";
inline string icmp_type_string[uint32_t ver, uint8_t type] =
    ver == 4 ? icmp4_type_string[type] : icmp6_type_string[type];
inline string icmp4_code_string[uint8_t type, uint8_t code] =
    type == 3 ? (code == 0 ? "net" : code == 1 ? "host" : code == 2 ? "protocol" : code == 3 ? "port" :
    code == 4 ? "fragmentation-needed" : code == 5 ? "source-route" : code == 6 ? "net-unknown" :
    code == 7 ? "host-unknown" : code == 9 ? "net-prohibited" : code == 10 ? "host-prohibited" :
    code == 11 ? "net-tos" : code == 12 ? "host-tos" : code == 13 ? "filtered" : "<unknown>") :
    type == 5 ? (code == 0 ? "net" : code == 1 ? "host" : "<unknown>") :
    type == 11 ? (code == 0 ? "ttl" : code == 1 ? "reassembly" : "<unknown>") : "";
inline string icmp6_code_string[uint8_t type, uint8_t code] =
    type == 1 ? (code == 0 ? "no-route" : code == 1 ? "prohibited" : code == 2 ? "beyond-scope" :
    code == 3 ? "address" : code == 4 ? "port" : code == 5 ? "source-policy" : code == 6 ? "reject-route" :
    "<unknown>") :
    type == 3 ? (code == 0 ? "hop-limit" : code == 1 ? "reassembly" : "<unknown>") : "";

typedef struct icmpinfo {
	uint8_t icmp_ver;		/* 4 or 6 */
	uint8_t icmp_type;
	uint8_t icmp_code;
	string icmp_typestr;		/* "echo-request", "unreachable", ... the same of both versions */
	string icmp_codestr;		/* "port", "ttl", ... ""; of unreachable, redirect (4), time-exceeded */
	uint16_t icmp_checksum;
	uint16_t icmp_id;		/* of echoes and timestamps; else 0 */
	uint16_t icmp_seq;
	uint32_t icmp_length;		/* of the message, bytes */
	int icmp_error;			/* 1: it is about a packet, whose header the next members show; else 0 and "" */
	uint8_t icmp_iproto;		/* that packet's protocol */
	string icmp_iprotostr;
	string icmp_isaddr;
	string icmp_idaddr;
	uint16_t icmp_isport;		/* TCP, UDP and the like; else 0 */
	uint16_t icmp_idport;
	uint32_t icmp_mtu;		/* fragmentation-needed, packet-too-big; else 0 */
	string icmp_gateway;		/* redirect: the better one; else "" */
	string icmp_target;		/* neighbor-solicitation, -advertisement: whose address it is about; else "" */
} icmpinfo_t;

inline uint8_t dw_icmp_type[uint64_t nh, uint32_t ver] = ((struct icmphdr *)dw_icmp_at[nh, ver])->type;
inline uint8_t dw_icmp_code[uint64_t nh, uint32_t ver] = ((struct icmphdr *)dw_icmp_at[nh, ver])->code;
inline int dw_icmp_echo[uint64_t nh, uint32_t ver] = ver == 4 ?
    dw_icmp_type[nh, ver] == DW_ICMP_ECHOREPLY || dw_icmp_type[nh, ver] == DW_ICMP_ECHO ||
    dw_icmp_type[nh, ver] == DW_ICMP_TIMESTAMP || dw_icmp_type[nh, ver] == DW_ICMP_TIMESTAMPREPLY :
    dw_icmp_type[nh, ver] == DW_ICMPV6_ECHO_REQUEST || dw_icmp_type[nh, ver] == DW_ICMPV6_ECHO_REPLY;
inline int dw_icmp_is_error[uint64_t nh, uint32_t ver] = ver == 4 ?
    dw_icmp_type[nh, ver] == DW_ICMP_DEST_UNREACH || dw_icmp_type[nh, ver] == DW_ICMP_SOURCE_QUENCH ||
    dw_icmp_type[nh, ver] == DW_ICMP_REDIRECT || dw_icmp_type[nh, ver] == DW_ICMP_TIME_EXCEEDED ||
    dw_icmp_type[nh, ver] == DW_ICMP_PARAMETERPROB : dw_icmp_type[nh, ver] < DW_ICMPV6_INFOMSG;
/* The packet that an error is about, with its protocol and ports, as far as the linear part of the buffer holds
 * them. */
inline uint64_t dw_icmp_in[uint64_t nh, uint32_t ver] = dw_icmp_at[nh, ver] + DW_ICMP_HLEN;
inline uint64_t dw_icmp_end[uint64_t skb] = (uint64_t)((struct sk_buff *)skb)->head + ((struct sk_buff *)skb)->tail;
inline int dw_icmp_error[uint64_t nh, uint32_t ver, uint64_t skb] = dw_icmp_is_error[nh, ver] &&
    dw_icmp_in[nh, ver] + (ver == 4 ? DW_IPV4_HLEN : DW_IPV6_HLEN) <= dw_icmp_end[skb];
inline uint8_t dw_icmp_iproto[uint64_t nh, uint32_t ver] = ver == 4 ?
    ((struct iphdr *)dw_icmp_in[nh, ver])->protocol : ((struct ipv6hdr *)dw_icmp_in[nh, ver])->nexthdr;
inline uint64_t dw_icmp_ith[uint64_t nh, uint32_t ver] = dw_icmp_in[nh, ver] +
    (ver == 4 ? ((struct iphdr *)dw_icmp_in[nh, ver])->ihl * 4 : DW_IPV6_HLEN);
inline int dw_icmp_iports[uint64_t nh, uint32_t ver, uint64_t skb] = dw_icmp_error[nh, ver, skb] &&
    (dw_icmp_iproto[nh, ver] == DW_IPPROTO_TCP || dw_icmp_iproto[nh, ver] == DW_IPPROTO_UDP ||
    dw_icmp_iproto[nh, ver] == DW_IPPROTO_SCTP || dw_icmp_iproto[nh, ver] == DW_IPPROTO_UDPLITE) && dw_icmp_ith[nh, ver] + 4 <= dw_icmp_end[skb];

translator icmpinfo_t < struct dw_pkt *P > {
	icmp_ver = P->ver;
	icmp_type = dw_icmp_type[P->nh, P->ver];
	icmp_code = dw_icmp_code[P->nh, P->ver];
	icmp_typestr = icmp_type_string[P->ver, dw_icmp_type[P->nh, P->ver]];
	icmp_codestr = P->ver == 4 ? icmp4_code_string[dw_icmp_type[P->nh, 4], dw_icmp_code[P->nh, 4]] :
	    icmp6_code_string[dw_icmp_type[P->nh, 6], dw_icmp_code[P->nh, 6]];
	icmp_checksum = ntohs(((struct icmphdr *)dw_icmp_at[P->nh, P->ver])->checksum);
	icmp_id = dw_icmp_echo[P->nh, P->ver] ? ntohs(*(uint16_t *)(dw_icmp_at[P->nh, P->ver] + 4)) : 0;
	icmp_seq = dw_icmp_echo[P->nh, P->ver] ? ntohs(*(uint16_t *)(dw_icmp_at[P->nh, P->ver] + 6)) : 0;
	icmp_length = dw_not_less[P->ver == 4 ?
	    ntohs(((struct iphdr *)P->nh)->tot_len) - ((struct iphdr *)P->nh)->ihl * 4 :
	    ntohs(((struct ipv6hdr *)P->nh)->payload_len) + DW_IPV6_HLEN - (dw_icmp_at[P->nh, 6] - P->nh)];
	icmp_error = dw_icmp_error[P->nh, P->ver, (uint64_t)P->skb];
	icmp_iproto = dw_icmp_error[P->nh, P->ver, (uint64_t)P->skb] ? dw_icmp_iproto[P->nh, P->ver] : 0;
	icmp_iprotostr = dw_icmp_error[P->nh, P->ver, (uint64_t)P->skb] ? ip_proto_string[dw_icmp_iproto[P->nh, P->ver]] : "";
	icmp_isaddr = !dw_icmp_error[P->nh, P->ver, (uint64_t)P->skb] ? "" :
	    P->ver == 4 ? __ip4(((struct iphdr *)dw_icmp_in[P->nh, 4])->saddr) :
	    __ip6(&((struct ipv6hdr *)dw_icmp_in[P->nh, 6])->saddr);
	icmp_idaddr = !dw_icmp_error[P->nh, P->ver, (uint64_t)P->skb] ? "" :
	    P->ver == 4 ? __ip4(((struct iphdr *)dw_icmp_in[P->nh, 4])->daddr) :
	    __ip6(&((struct ipv6hdr *)dw_icmp_in[P->nh, 6])->daddr);
	icmp_isport = dw_icmp_iports[P->nh, P->ver, (uint64_t)P->skb] ? ntohs(((struct udphdr *)dw_icmp_ith[P->nh, P->ver])->source) : 0;
	icmp_idport = dw_icmp_iports[P->nh, P->ver, (uint64_t)P->skb] ? ntohs(((struct udphdr *)dw_icmp_ith[P->nh, P->ver])->dest) : 0;
	icmp_mtu = P->ver == 4 ? (dw_icmp_type[P->nh, 4] == DW_ICMP_DEST_UNREACH && dw_icmp_code[P->nh, 4] == DW_ICMP_FRAG_NEEDED ?
	    ntohs(*(uint16_t *)(dw_icmp_at[P->nh, 4] + 6)) : 0) :
	    dw_icmp_type[P->nh, 6] == DW_ICMPV6_PKT_TOOBIG ? ntohl(*(uint32_t *)(dw_icmp_at[P->nh, 6] + 4)) : 0;
	icmp_gateway = P->ver == 4 ?
	    (dw_icmp_type[P->nh, 4] == DW_ICMP_REDIRECT ? __ip4(*(uint32_t *)(dw_icmp_at[P->nh, 4] + 4)) : "") :
	    dw_icmp_type[P->nh, 6] == DW_NDISC_REDIRECT ?
	    __ip6((struct in6_addr *)(dw_icmp_at[P->nh, 6] + DW_ICMP_HLEN)) : "";
	icmp_target = P->ver == 6 && (dw_icmp_type[P->nh, 6] == DW_NDISC_NEIGHBOUR_SOLICITATION ||
	    dw_icmp_type[P->nh, 6] == DW_NDISC_NEIGHBOUR_ADVERTISEMENT) ?
	    __ip6((struct in6_addr *)(dw_icmp_at[P->nh, 6] + DW_ICMP_HLEN)) : "";
};
