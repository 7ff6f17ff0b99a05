/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dns: sites and arguments of the dns provider. Offsets of the message are from the IP header. */

/* The header of a message (RFC 1035, 4.1.1): id, flags, four counts of 16 bits each. */
inline int DW_DNS_PORT = 0x3500;	/* 53, in network order */
inline int DW_DNS_HLEN = 12;
inline int DW_DNS_QR = 0x8000;		/* flags: a response */
inline int DW_DNS_AA = 0x0400;
inline int DW_DNS_TC = 0x0200;
inline int DW_DNS_RD = 0x0100;
inline int DW_DNS_RCODE = 0x000f;

/* Where the name that begins there ends; 0: it does not. */
inline uint32_t dw_dns_plus[uint32_t at, uint32_t n] = n != 0 ? at + n : 0;
inline uint32_t dw_dns_behind[uint32_t at] = dw_dns_plus[at, __dnswire(at)];
inline uint32_t dw_dns_flags[uint32_t at] = __pkt(at + 2, 2);

/* What a query and its response share: the socket, the other side, the client's port, the id. The client is who sent the
 * query; recv: this packet came in. */
inline uint32_t dw_dns_peer[uint64_t nh, int recv] = ((struct iphdr *)nh)->version == 4 ?
    (recv ? ((struct iphdr *)nh)->saddr : ((struct iphdr *)nh)->daddr) :
    recv ? ((struct ipv6hdr *)nh)->saddr.in6_u.u6_addr32[3] : ((struct ipv6hdr *)nh)->daddr.in6_u.u6_addr32[3];
inline uint64_t dw_dns_key[uint64_t cookie, uint64_t nh, uint64_t th, int recv] = cookie * 0x9e3779b97f4a7c15 +
    dw_dns_peer[nh, recv] * 0xc2b2ae3d27d4eb4f +
    (((struct udphdr *)th)->dest == DW_DNS_PORT ? ((struct udphdr *)th)->source : ((struct udphdr *)th)->dest) * 65536 +
    *(uint16_t *)(th + DW_UDP_HLEN);

struct dw_dns {
	struct dw_pkt;
	uint32_t dns;		/* offset of the message from the IP header */
	uint64_t dnskey;
	uint64_t dnssince;	/* ns: when the query was; 0: not known */
	uint32_t dnstype;	/* offset of the question's type; 0: its name does not end */
};

translator struct dw_dns < struct dw_dns *P > {
	dns = P->skb->transport_header - P->skb->network_header + DW_UDP_HLEN;
	dnstype = dw_dns_behind[P->skb->transport_header - P->skb->network_header + DW_UDP_HLEN + DW_DNS_HLEN];
	dnskey = dw_dns_key[P->cookie, P->nh, P->th, P->recv];
	dnssince = __stamp("query", P->dnskey);
};

/* ---- arguments --------------------------------------------------------------------------------------------------------- */

inline string dns_type_string[uint16_t type] =
    type == 1 ? "A" : type == 28 ? "AAAA" : type == 5 ? "CNAME" : type == 12 ? "PTR" : type == 15 ? "MX" :
    type == 2 ? "NS" : type == 6 ? "SOA" : type == 16 ? "TXT" : type == 33 ? "SRV" : type == 35 ? "NAPTR" :
    type == 65 ? "HTTPS" : type == 64 ? "SVCB" : type == 43 ? "DS" : type == 48 ? "DNSKEY" : type == 46 ? "RRSIG" :
    type == 47 ? "NSEC" : type == 50 ? "NSEC3" : type == 52 ? "TLSA" : type == 44 ? "SSHFP" : type == 257 ? "CAA" :
    type == 13 ? "HINFO" : type == 39 ? "DNAME" : type == 251 ? "IXFR" : type == 252 ? "AXFR" : type == 255 ? "ANY" :
    "<unknown>";
inline string dns_rcode_string[uint8_t rcode] =
    rcode == 0 ? "NOERROR" : rcode == 1 ? "FORMERR" : rcode == 2 ? "SERVFAIL" : rcode == 3 ? "NXDOMAIN" :
    rcode == 4 ? "NOTIMP" : rcode == 5 ? "REFUSED" : rcode == 6 ? "YXDOMAIN" : rcode == 7 ? "YXRRSET" :
    rcode == 8 ? "NXRRSET" : rcode == 9 ? "NOTAUTH" : rcode == 10 ? "NOTZONE" : "<unknown>";

typedef struct dnsinfo {
	uint16_t dns_id;
	int dns_recv;			/* 1: it came in */
	string dns_name;		/* that is asked for, lower case; "": no question */
	uint16_t dns_type;		/* 0: the name does not end, or is too long */
	string dns_typestr;		/* "A", "AAAA", ... */
	uint16_t dns_class;
	uint8_t dns_opcode;		/* 0: query */
	uint8_t dns_rcode;		/* of responses */
	string dns_rcodestr;		/* "NOERROR", "NXDOMAIN", ... */
	int dns_authoritative;		/* flags */
	int dns_truncated;
	int dns_recursion;		/* ... wanted */
	uint16_t dns_questions;		/* how many of each */
	uint16_t dns_answers;
	uint16_t dns_authorities;
	uint16_t dns_additional;
	uint32_t dns_length;		/* of the message, bytes */
	string dns_server;		/* its address */
	string dns_client;
	uint64_t dns_time;		/* response: ns since the query; 0: not known */
} dnsinfo_t;

/* Has it a question? What is behind the header of one without is no name that is asked for. */
inline int dw_dns_asks[uint32_t at] = __pkt(at + 4, 2) != 0;
/* Does the server send this packet? A query may leave from port 53, too. */
inline int dw_dns_back[uint32_t at] = (dw_dns_flags[at] & DW_DNS_QR) != 0;

translator dnsinfo_t < struct dw_dns *P > {
	dns_id = __pkt(P->dns, 2);
	dns_recv = P->recv;
	dns_name = dw_dns_asks[P->dns] ? __dnsname(P->dns + DW_DNS_HLEN) : "";
	dns_type = P->dnstype != 0 && dw_dns_asks[P->dns] ? __pkt(P->dnstype, 2) : 0;
	dns_typestr = P->dnstype != 0 && dw_dns_asks[P->dns] ? dns_type_string[__pkt(P->dnstype, 2)] : "";
	dns_class = P->dnstype != 0 && dw_dns_asks[P->dns] ? __pkt(P->dnstype + 2, 2) : 0;
	dns_opcode = dw_dns_flags[P->dns] >> 11 & 15;
	dns_rcode = dw_dns_flags[P->dns] & DW_DNS_RCODE;
	dns_rcodestr = dns_rcode_string[dw_dns_flags[P->dns] & DW_DNS_RCODE];
	dns_authoritative = (dw_dns_flags[P->dns] & DW_DNS_AA) != 0;
	dns_truncated = (dw_dns_flags[P->dns] & DW_DNS_TC) != 0;
	dns_recursion = (dw_dns_flags[P->dns] & DW_DNS_RD) != 0;
	dns_questions = __pkt(P->dns + 4, 2);
	dns_answers = __pkt(P->dns + 6, 2);
	dns_authorities = __pkt(P->dns + 8, 2);
	dns_additional = __pkt(P->dns + 10, 2);
	dns_length = ntohs(((struct udphdr *)P->th)->len) - DW_UDP_HLEN;
	dns_server = P->ver == 4 ? __ip4(dw_dns_back[P->dns] ? ((struct iphdr *)P->nh)->saddr : ((struct iphdr *)P->nh)->daddr) :
	    dw_dns_back[P->dns] ? __ip6(&((struct ipv6hdr *)P->nh)->saddr) : __ip6(&((struct ipv6hdr *)P->nh)->daddr);
	dns_client = P->ver == 4 ? __ip4(dw_dns_back[P->dns] ? ((struct iphdr *)P->nh)->daddr : ((struct iphdr *)P->nh)->saddr) :
	    dw_dns_back[P->dns] ? __ip6(&((struct ipv6hdr *)P->nh)->daddr) : __ip6(&((struct ipv6hdr *)P->nh)->saddr);
	dns_time = P->dnssince != 0 ? timestamp - P->dnssince : 0;
};
