/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dns: sites, conditions and arguments of the dns provider. Input: packets of sockets, whose content other hosts
 * choose. Output: dnsinfo_t. Offsets in a message count from the IP header; 0 means not known. The numbers of
 * messages are in RFC 1035, section 4. */

/* The header of a message (RFC 1035, 4.1.1): id, flags, four counts of 16 bits each. */
inline int DW_DNS_PORT = 0x3500;	/* 53, in network order */
inline int DW_DNS_HLEN = 12;
inline int DW_DNS_QR = 0x8000;		/* flags: a response */
inline int DW_DNS_AA = 0x0400;
inline int DW_DNS_TC = 0x0200;
inline int DW_DNS_RD = 0x0100;
inline int DW_DNS_Z = 0x0040;		/* reserved: 0 */
inline int DW_DNS_RCODE = 0x000f;
inline int DW_DNS_NOERROR = 0;
inline int DW_DNS_NXDOMAIN = 3;

/* The offset behind the name that begins at this offset; 0: the name does not end within bounds. */
inline uint32_t dw_dns_plus[uint32_t at, uint32_t n] = n != 0 ? at + n : 0;
inline uint32_t dw_dns_behind[uint32_t at] = dw_dns_plus[at, __dnswire(at)];
inline uint32_t dw_dns_flags[uint32_t at] = __pkt(at + 2, 2);
/* Does the server send this packet? The flag decides, not the port: a query may leave from port 53, too. */
inline int dw_dns_back[uint32_t at] = (dw_dns_flags[at] & DW_DNS_QR) != 0;
/* Does the message have a question? Without one, the bytes behind the header are not a name that is asked for. */
inline int dw_dns_asks[uint32_t at] = __pkt(at + 4, 2) != 0;

/* The key that a query and its response share: the socket, the other side, the client's port, the id. The client is
 * the sender of the query; recv: this packet came in. */
inline uint32_t dw_dns_peer[uint64_t nh, int recv] = ((struct iphdr *)nh)->version == 4 ?
    (recv ? ((struct iphdr *)nh)->saddr : ((struct iphdr *)nh)->daddr) :
    recv ? ((struct ipv6hdr *)nh)->saddr.in6_u.u6_addr32[3] : ((struct ipv6hdr *)nh)->daddr.in6_u.u6_addr32[3];
inline uint64_t dw_dns_key[uint64_t sockkey, uint64_t nh, uint64_t th, int recv, uint32_t at] =
    sockkey * 0x9e3779b97f4a7c15 + dw_dns_peer[nh, recv] * 0xc2b2ae3d27d4eb4f +
    (dw_dns_back[at] ? ((struct udphdr *)th)->dest : ((struct udphdr *)th)->source) * 65536 + __pkt(at, 2);

struct dw_dns {
	struct dw_pkt;
	uint32_t dns;		/* offset of the message from the IP header */
	uint64_t sockkey;	/* names the socket, for as long as it lives */
	uint64_t dnskey;
	uint64_t dnssince;	/* ns: when the query was; 0: not known */
	uint32_t dnstype;	/* offset of the question's type; 0: its name does not end */
	int32_t dnstcp;		/* 1: over TCP */
	uint64_t lookup;	/* a process's lookup: who asks for what */
	uint64_t asked;		/* ns: when the process asked for it first; 0: not known */
};

/* Over TCP two bytes with the length precede a message. */
inline int DW_DNS_PREFIX = 2;
inline uint32_t dw_dns_at[struct dw_dns *P] = P->skb->transport_header - P->skb->network_header +
    (P->dnstcp ? ((struct tcphdr *)P->th)->doff * 4 + DW_DNS_PREFIX : DW_UDP_HLEN);

translator struct dw_dns < struct dw_dns *P > {
	dns = dw_dns_at[P];
	dnstype = dw_dns_behind[P->dns + DW_DNS_HLEN];
	dnskey = dw_dns_key[P->sockkey, P->nh, P->th, P->recv, P->dns];
	dnssince = __stamp("query", P->dnskey);
	lookup = dw_dns_lookup[P];
	asked = dw_dns_asked[P->lookup];
};

/* ---- sites ------------------------------------------------------------------------------------------------------------ */

/* The places of dlib/net/net.d and dlib/net/functions.d, one for each protocol. dnstcp is then a constant, and each program
 * contains the code for one protocol. */
translator struct dw_dns < struct dw_cgin *C > {
	proto = DW_IPPROTO_UDP;
	has_pkt = 1;
	recv = 1;
	checked = 1;
	dnstcp = 0;
};
translator struct dw_dns < struct dw_cgout *C > {
	proto = DW_IPPROTO_UDP;
	has_pkt = 1;
	checked = 1;
	dnstcp = 0;
};
translator struct dw_dns < struct dw_fout *C > {
	sk = C->full;
	proto = DW_IPPROTO_UDP;
	has_pkt = 1;
	netns = C->net->ns.inum;
	checked = 1;
	dnstcp = 0;
};

struct dw_tcpin { struct dw_cgin; };
translator struct dw_dns < struct dw_tcpin *C > {
	proto = DW_IPPROTO_TCP;
	has_pkt = 1;
	recv = 1;
	checked = 1;
	dnstcp = 1;
};
struct dw_tcpout { struct dw_cgout; };
translator struct dw_dns < struct dw_tcpout *C > {
	proto = DW_IPPROTO_TCP;
	has_pkt = 1;
	checked = 1;
	dnstcp = 1;
};
struct dw_ftcpout {
	struct net *net;
	struct sock *by;
	struct sk_buff *skb;
	struct sock *full;
	struct dw_owner *owner;
	uint64_t cookie;
	uint64_t sockkey;
};
translator struct dw_dns < struct dw_ftcpout *C > {
	sk = C->full;
	proto = DW_IPPROTO_TCP;
	has_pkt = 1;
	netns = C->net->ns.inum;
	checked = 1;
	dnstcp = 1;
};

/* ---- conditions ------------------------------------------------------------------------------------------------------- */

inline int dw_dns_port[uint16_t port] = port == DW_DNS_PORT || __dnsport(port);
/* Most packets are none of DNS: this is all that they cost. Ports are at the same place in UDP and TCP. */
inline int dw_dns_look[struct dw_dns *P] = dw_dns_port[((struct udphdr *)P->th)->dest] ||
    dw_dns_port[((struct udphdr *)P->th)->source];
/* Other hosts may send anything to a port: a message is at least as long as its header. */
inline int dw_dns_udp[struct dw_dns *P] = P->sk->sk_protocol == DW_IPPROTO_UDP && P->sk->sk_type == DW_SOCK_DGRAM &&
    ntohs(((struct udphdr *)P->th)->len) >= DW_UDP_HLEN + DW_DNS_HLEN;
/* A segment that begins with a message. Segments in the middle of a message are unlikely to have a length, no
 * reserved flag and one question at that place. A segment that is sent or received again does not count. */
inline uint32_t dw_tcp_length[struct dw_pkt *P] = dw_ip_plength[P] - ((struct tcphdr *)P->th)->doff * 4;
inline int dw_came_again[struct dw_pkt *P] = P->recv ?
    (int32_t)(dw_tcp_seq[P] - ((struct tcp_sock *)P->sk)->rcv_nxt) < 0 : dw_sent_again[P];
inline int dw_dns_tcp[struct dw_dns *P] = dw_is_tcp[P] && P->state != DW_TCP_LISTEN &&
    (int32_t)dw_tcp_length[P] >= DW_DNS_PREFIX + DW_DNS_HLEN && __pkt(P->dns - DW_DNS_PREFIX, 2) >= DW_DNS_HLEN &&
    (dw_dns_flags[P->dns] & DW_DNS_Z) == 0 && __pkt(P->dns + 4, 2) == 1 && !dw_came_again[P];
/* A message to a server's port, or from it. */
inline int dw_dns_query[struct dw_dns *P] = dw_dns_port[((struct udphdr *)P->th)->dest] &&
    (P->dnstcp ? dw_dns_tcp[P] : dw_dns_udp[P]) && !dw_dns_back[P->dns];
inline int dw_dns_response[struct dw_dns *P] = dw_dns_port[((struct udphdr *)P->th)->source] &&
    (P->dnstcp ? dw_dns_tcp[P] : dw_dns_udp[P]) && dw_dns_back[P->dns];

/* ---- lookups ---------------------------------------------------------------------------------------------------------- */

/* A process repeats a question if no usable answer comes: from another socket, at another server, over TCP. All tries
 * are one lookup, identified by process, name and type. A try after a longer pause begins a new one (RES_MAXRETRANS
 * of the C library). */
inline uint64_t DW_DNS_PAUSE = 30000000000;
inline uint64_t dw_dns_who[struct dw_dns *P] = P->owner != 0 ? P->owner->pid : 0;
inline uint64_t dw_dns_lookup[struct dw_dns *P] = P->recv != dw_dns_back[P->dns] || dw_dns_who[P] == 0 ? 0 :
    dw_dns_who[P] * 0x9e3779b97f4a7c15 + __dnshash(P->dns + DW_DNS_HLEN);
/* The word of a stamp is the time of the first try; the time of the stamp is that of the last one. */
inline uint64_t dw_dns_asked[uint64_t lookup] = lookup == 0 || __stamp("lookup", lookup) == 0 ||
    timestamp - __stamp("lookup", lookup) > DW_DNS_PAUSE ? 0 : __stamped("lookup", lookup);
/* A response that ends the lookup: the name was found or does not exist, and the message is not truncated. */
inline int dw_dns_ends[struct dw_dns *P] = dw_dns_response[P] && P->lookup != 0 && (dw_dns_flags[P->dns] & DW_DNS_TC) == 0 &&
    ((dw_dns_flags[P->dns] & DW_DNS_RCODE) == DW_DNS_NOERROR || (dw_dns_flags[P->dns] & DW_DNS_RCODE) == DW_DNS_NXDOMAIN);

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
	string dns_name;		/* the name asked for, lower case; "": no question */
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
	uint64_t dns_waited;		/* ns since the process's first try, at any server; 0: not known */
	int dns_tcp;			/* 1: over TCP, 0: over UDP */
} dnsinfo_t;

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
	dns_length = P->dnstcp ? __pkt(P->dns - DW_DNS_PREFIX, 2) : ntohs(((struct udphdr *)P->th)->len) - DW_UDP_HLEN;
	dns_server = P->ver == 4 ? __ip4(dw_dns_back[P->dns] ? ((struct iphdr *)P->nh)->saddr : ((struct iphdr *)P->nh)->daddr) :
	    dw_dns_back[P->dns] ? __ip6(&((struct ipv6hdr *)P->nh)->saddr) : __ip6(&((struct ipv6hdr *)P->nh)->daddr);
	dns_client = P->ver == 4 ? __ip4(dw_dns_back[P->dns] ? ((struct iphdr *)P->nh)->daddr : ((struct iphdr *)P->nh)->saddr) :
	    dw_dns_back[P->dns] ? __ip6(&((struct ipv6hdr *)P->nh)->daddr) : __ip6(&((struct ipv6hdr *)P->nh)->saddr);
	dns_time = P->dnssince != 0 ? timestamp - P->dnssince : 0;
	dns_waited = P->asked != 0 ? timestamp - P->asked : 0;
	dns_tcp = P->dnstcp;
};
