/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mib: a probe fires when a counter of TCP, UDP, IP or ICMP changes; arg0 is the increment, args[1] the socket or
 * namespace that the counter belongs to. The hooks tier cannot see the counters: each probe is derived from the
 * packets and state changes that change its counter. Linux's counters were checked against /proc/net/snmp, netstat
 * and snmp6; the others (tcpInData..., tcpOutData...) are Solaris'. Sources: RFC 4022, 4113, 4293 (the MIBs), D
 * manual, mib provider. */
#include "prov/net/tcp.h"

static const char *const args[] = { "int64_t", "csinfo_t *", NULL };

/* clang-format off */
/* Makers of sites. cond: a condition in D over P; val: the increment, in D; what: text for -lv. */
#define EGRESS(cond, val, what) \
	{ .attach = ATTACH_CGROUP_EGRESS, .native = "dw_cgout", .when = cond, .value = val, .sees = what }, \
	STOPPED("dw_sock_stopped[P] && " cond, .value = val, .sees = what ", that netfilter stops")
#define FUNC_SENT(cond, val, what) FUNC_OUT("P->sk != 0 && " cond, .value = val, .sees = what)
#define FUNC(func, n, nat, cond, val, what) FUNC_SITE(func, n, nat, .when = cond, .value = val, .sees = what)
#define INGRESS(cond, val, what) \
	{ .attach = ATTACH_CGROUP_INGRESS, .native = "dw_cgin", .when = cond, .value = val, .bh_off = true, \
	  .sees = what }
/* Sites for all tiers, for probes without other sites. */
#define SENT(cond, val, what) EGRESS(cond, val, what), FUNC_SENT(cond, val, what)
#define TRACE(tp, n, nat, cond, val, what) \
	{ .attach = ATTACH_TP_BTF, .target = tp, .nargs = n, .native = nat, .when = cond, .value = val, .sees = what }
#define OPTIONAL(tp, n, nat, cond, val, what) \
	{ .attach = ATTACH_TP_BTF, .target = tp, .nargs = n, .native = nat, .when = cond, .value = val, .sees = what, \
	  .optional = true }
/* Two names of one counter: Solaris' and illumos'. */
#define PROBE_HC(name, hc, meaning, ...) \
	PROBE(name, meaning, __VA_ARGS__), PROBE(hc, "the same as " name, __VA_ARGS__)
#define PROBE(name, meaning, ...) \
	{ name, args, (const struct site[]){ __VA_ARGS__ }, \
	  sizeof((const struct site[]){ __VA_ARGS__ }) / sizeof(struct site), meaning }

/* ---- conditions and values --------------------------------------------------------------------------------------- */
/* P->skb as TCP's device offloads leave it: one buffer may stand for several segments. */
#define SHINFO "((struct skb_shared_info *)((uint64_t)P->skb->head + P->skb->end))"
#define SEGS "(" SHINFO "->gso_segs > 1 ? " SHINFO "->gso_segs : 1)"
#define PAYLOAD "(P->skb->len - (uint32_t)(P->th - P->nh) - ((struct tcphdr *)P->th)->doff * 4)"

/* A socket's buffer that is sent again; the tracepoint reports failures since Linux 6.17. */
#define RESENT(cond, val) \
	TRACE("tcp_retransmit_skb", 2, "dw_resent", "dw_resent_counted[P] && " cond, val, \
		"segments of sockets")
#define RESENT_SEGS "((struct tcp_skb_cb *)&P->queued->cb)->tcp_gso_segs"

#define NEW_DATA "dw_is_tcp[P] && P->state != DW_TCP_LISTEN && " PAYLOAD " > 0 && !dw_sent_again[P]"

/* Places of a received segment's data in the sequence space. They hold when the socket processes the segment. For a
 * socket that is being closed only the arrival is seen; data that waits for a process may then look out of order. */
#define SEQ "ntohl(((struct tcphdr *)P->th)->seq)"
#define NEXT "((struct tcp_sock *)P->sk)->rcv_nxt"
#define EDGE "(((struct tcp_sock *)P->sk)->rcv_wup + ((struct tcp_sock *)P->sk)->rcv_wnd)"
#define TAKEN "(P->skb->len - ((struct tcphdr *)P->th)->doff * 4)"
#define CLOSING "dw_is_tcp[P] && (P->state == DW_TCP_FIN_WAIT1 || P->state == DW_TCP_FIN_WAIT2) && "
#define AHEAD(len) "(int32_t)(" SEQ " - " NEXT ") > 0 && (int32_t)(" SEQ " - " EDGE ") < 0"
#define BEYOND(len) "(int32_t)(" SEQ " - " EDGE ") >= 0 && " SEQ " != " NEXT
#define INORDER(len) SEQ " == " NEXT
#define BEFORE(len) "(int32_t)(" SEQ " + " len " - " NEXT ") <= 0"
#define PARTLY(len) "(int32_t)(" SEQ " - " NEXT ") < 0 && (int32_t)(" SEQ " + " len " - " NEXT ") > 0"

/* Received data: len is TAKEN where the data begin at the TCP header, PAYLOAD where they begin at the IP header.
 * Functions see received packets without the IP header. */
#define DATA_IN(cond, val_taken, val_closing) \
	TRACE("tcp_probe", 2, "dw_taken", TAKEN " > 0 && " cond(TAKEN), val_taken, \
		"segments of established connections"), \
	INGRESS(CLOSING PAYLOAD " > 0 && " cond(PAYLOAD), val_closing, \
		"segments for sockets that wait for the other's end"), \
	FUNC_SITE("tcp_rcv_established", 2, "dw_taken", .when = TAKEN " > 0 && " cond(TAKEN), .value = val_taken, \
		.sees = "segments of established connections"), \
	FUNC_IN(CLOSING TAKEN " > 0 && " cond(TAKEN), .value = val_taken, \
		.sees = "segments for sockets that wait for the other's end")
#define DATA_SEGS(cond) DATA_IN(cond, SEGS, SEGS)
#define DATA_BYTES(cond) DATA_IN(cond, TAKEN, PAYLOAD)

/* Changes of TCP's state, freed packets, and packets at the borders of IP. */
#define SET_STATE(cond, val, what) \
	TRACE("inet_sock_set_state", 3, "dw_setstate", "P->sk->sk_protocol == DW_IPPROTO_TCP && " cond, val, what), \
	FUNC_SET_STATE("P->sk->sk_protocol == DW_IPPROTO_TCP && " cond, .value = val, .sees = what)
#define FREED_HOOK(cond, what) TRACE("kfree_skb", 4, "dw_drop", cond, "1", what)
#define FREED(cond, what) FREED_HOOK(cond, what), FUNC_DROP(cond, .value = "1", .sees = what)
#define TCP_FREED "dw_ip_freed[P] && P->proto == DW_IPPROTO_TCP && P->recv && "
#define UDP_FREED "dw_ip_freed[P] && P->proto == DW_IPPROTO_UDP && P->recv && "
#define RECEIVED(cond) IP_RECEIVED(" && " cond, "packets that IP receives", .value = "1"), \
	FUNC_RECEIVED(" && " cond, .value = "1", .sees = "packets that IP receives")
#define RECEIVED_OCTETS(cond) \
	{ .attach = ATTACH_NF_PREROUTING, .nargs = 2, .native = "dw_nf", .optional = true, .bh_off = true, \
	  .when = "dw_filtered[P] && dw_nf_prerouting[P] && " cond, .value = "P->skb->len", \
	  .sees = "packets that IP receives from a device with a filter" }, \
	TRACE("netif_receive_skb", 1, "dw_devrecv", "dw_ip_measured[P] && " cond, "P->skb->len", \
		"packets that a device delivers to IP"), \
	FUNC_RECEIVED(" && " cond, .value = "P->skb->len", .sees = "packets that IP receives")
#define FORWARDED(cond) TRACE("net_dev_queue", 1, "dw_devqueue", "dw_ip_forwarded[P] && " cond, "1", \
	"packets that IP has forwarded, as they go to a device"), \
	FUNC_OUT_NONE("dw_ip_routed[P] && " cond, .value = "1", .sees = "packets that IP has forwarded")
#define REQUESTED(cond) EGRESS(cond, "1", "packets of sockets"), \
	TRACE("net_dev_queue", 1, "dw_devqueue", "dw_ip_queued[P] && !(dw_ip_forwarded[P]) && " cond, "1", \
	"packets of this machine that no socket sent"), \
	FUNC_OUT("!(dw_ip_routed[P]) && " cond, .value = "1", .sees = "packets that IP sends, but forwarded ones")
#define SENT_BY(cond, val) EGRESS(cond, val, "packets of sockets"), \
	TRACE("net_dev_queue", 1, "dw_devqueue", "dw_ip_queued[P] && " cond, val, "packets that no socket sent"), \
	FUNC_OUT(cond, .value = val, .sees = "packets that IP sends")
#define OCTETS "P->skb->len - (uint32_t)(P->nh - (uint64_t)P->skb->data)"
#define IPV4 "P->skb->protocol == DW_ETH_P_IP"
#define IPV6 "P->skb->protocol == DW_ETH_P_IPV6"
#define IPV4_OR_6 "(" IPV4 " || " IPV6 ")"
#define ICMP_OUT "P->skb->protocol == DW_ETH_P_IP && P->proto == DW_IPPROTO_ICMP"
#define ICMP_TYPE "((struct icmphdr *)P->th)->type"

#define IPH "((struct iphdr *)P->nh)"
#define CB4 "((struct inet_skb_parm *)&P->skb->cb)"

/* Segments that TCP sends without data. IPv4 marks fragments that it has made itself. */
#define CONTROL "(dw_tcp_flags[P] & (DW_TH_FIN | DW_TH_SYN | DW_TH_RST)) != 0"
#define BARE_ACK "(dw_tcp_flags[P] & (DW_TH_FIN | DW_TH_SYN | DW_TH_RST | DW_TH_ACK)) == DW_TH_ACK"
#define QUEUED(cond) TRACE("net_dev_queue", 1, "dw_devqueue", "dw_tcp_queued[P] && " cond, "1", \
	"segments from TIME_WAIT, and resets"), \
	FUNC_OUT_NONE("dw_tcp_out_unseen[P] && " cond, .value = "1", .sees = "segments from TIME_WAIT, and resets")
#define ASKS "dw_is_tcp[P] && P->state != DW_TCP_LISTEN && " \
	"(dw_tcp_flags[P] & (DW_TH_FIN | DW_TH_SYN | DW_TH_RST)) == 0 && " PAYLOAD " == 0 && " \
	SEQ " == ((struct tcp_sock *)P->sk)->snd_una - 1"
#define FRAGMENT_MADE IPV4 " && (" IPH "->frag_off & DW_IP_FRAGMENT) != 0 && (" CB4 \
	"->flags & DW_IPSKB_FRAG_COMPLETE) != 0"

/* A received fragment that is dropped, but not because the time is over. */
#define FRAGMENT_FREED "dw_ip_header[P] && " IPV4 " && P->recv && P->reason == SKB_DROP_REASON_NOT_SPECIFIED &&" \
	" (" IPH "->frag_off & DW_IP_FRAGMENT) != 0 && P->rx_sk == 0 && P->skb->sk == 0 &&" \
	" (dw_past_ip[P] || (" FOR_US "))"

/* Bytes of headers that fragmentation adds: an IP header for each fragment but the first, and in IPv6 a fragment
 * header of 8 bytes for each. */
#define MORE_HEADERS "(" IPV6 " ? ((struct ipv6hdr *)P->nh)->nexthdr == DW_IPPROTO_FRAGMENT && " \
	"P->skb->skb_iif == 0 : " \
	FRAGMENT_MADE " && (" IPH "->frag_off & DW_IP_OFFSET) != 0)"
#define FIRST_FRAGMENT6 "(((struct frag_hdr *)(P->nh + DW_IPV6_HLEN))->frag_off & DW_IP6_OFFSET) == 0"
#define HEADERS_LEN "(" IPV4 " ? " IPH "->ihl * 4 : " FIRST_FRAGMENT6 " ? 8 : DW_IPV6_HLEN + 8)"

/* Received acknowledgments: of an established connection when the socket processes them, of others when they
 * arrive. */
#define ACKSEQ "ntohl(((struct tcphdr *)P->th)->ack_seq)"
#define HALF_CLOSED "dw_is_tcp[P] && (P->state == DW_TCP_FIN_WAIT1 || P->state == DW_TCP_CLOSE_WAIT || " \
	"P->state == DW_TCP_LAST_ACK || P->state == DW_TCP_CLOSING) &&" \
	" (dw_tcp_flags[P] & (DW_TH_SYN | DW_TH_RST | DW_TH_ACK)) == DW_TH_ACK"
#define ACKS "(int32_t)(" ACKSEQ " - ((struct tcp_sock *)P->sk)->snd_una) > 0 && (int32_t)(" ACKSEQ \
	" - ((struct tcp_sock *)P->sk)->snd_nxt) <= 0"
#define ACK_IN(cond, val) \
	TRACE("tcp_probe", 2, "dw_taken", \
		"(dw_tcp_flags[P] & (DW_TH_SYN | DW_TH_RST | DW_TH_ACK)) == DW_TH_ACK && " cond, val, \
		"segments of established connections"), \
	INGRESS(HALF_CLOSED " && " cond, val, "segments of connections that one side has closed"), \
	FUNC("tcp_rcv_established", 2, "dw_taken", \
		"(dw_tcp_flags[P] & (DW_TH_SYN | DW_TH_RST | DW_TH_ACK)) == DW_TH_ACK && " cond, val, \
		"segments of established connections"), \
	FUNC_IN(HALF_CLOSED " && " cond, .value = val, .sees = "segments of connections that one side has closed")
#define NO_NEWS "(dw_tcp_flags[P] & (DW_TH_FIN | DW_TH_SYN)) == 0 && " ACKSEQ \
	" == ((struct tcp_sock *)P->sk)->snd_una && P->skb->len <= " \
	"((struct tcphdr *)P->th)->doff * 4 + (uint32_t)(P->th - (uint64_t)P->skb->data)"
#define SAME_WINDOW "((uint32_t)ntohs(((struct tcphdr *)P->th)->window) << " \
	"((struct tcp_sock *)P->sk)->rx_opt.snd_wscale) == ((struct tcp_sock *)P->sk)->snd_wnd"

/* Packets for this machine, by the route found for them. ICMP itself consumes its messages; copies for raw sockets
 * have a socket. */
#define FOR_US "P->skb->_skb_refdst != 0 &&" \
	" (((struct rtable *)dw_dst[P->skb])->rt_flags & DW_RTCF_LOCAL) != 0"
#define DELIVERED(cond, what) FUNC("ip_protocol_deliver_rcu", 3, "dw_fdeliver", cond, "1", what)
#define FOR_US6 "(P->skb->_skb_refdst != 0 && (" \
	"((struct ipv6hdr *)P->nh)->daddr.in6_u.u6_addr8[0] == DW_IN6_MULTICAST ||" \
	" (((struct rt6_info *)dw_dst[P->skb])->rt6i_flags & DW_RTCF_LOCAL) != 0))"
#define PROTO6 "(((struct ipv6hdr *)P->nh)->nexthdr == DW_IPPROTO_IP ? *(uint8_t *)(P->nh + DW_IPV6_HLEN) :" \
	" ((struct ipv6hdr *)P->nh)->nexthdr)"
/* Called again for what was in a tunnel or encrypted, with that protocol. Its caller is inlined in Linux 5.10. */
#define DELIVERED6 FUNC("ip6_protocol_deliver_rcu", 3, "dw_fdeliver", "P->op == 0 && " \
	PROTO6 " != DW_IPPROTO_FRAGMENT && *(uint64_t *)((uint64_t)&`inet6_protos + " PROTO6 " * 8) != 0", "1", \
	"packets of IPv6 that a protocol takes"), \
	FUNC_IN(IPV6 " && dw_is_udp[P] && ((struct inet6_skb_parm *)&P->skb->cb)->frag_max_size != 0", .value = "1", \
		.sees = "datagrams of IPv6 that were put together")
#define TAKEN_BY(cond, what) TRACE("consume_skb", 1, "dw_consumed", \
	"dw_ip_header[P] && P->skb->skb_iif != 0 && P->skb->sk == 0 && dw_past_ip[P] && " cond, "1", what)
#define CONSUMED(cond, what) TAKEN_BY(IPV4 " && " FOR_US " && " cond, what)
/* Protocols besides TCP and UDP: in IPv4 any that has a handler; in IPv6, whose headers form a chain, ICMPv6. */
#define OTHER4 "P->reason != SKB_DROP_REASON_IP_NOPROTO"
#define OTHER6 "P->proto == DW_IPPROTO_ICMPV6"
/* Packets that IP delivers. ver: IP versions; other: protocols besides TCP and UDP; us: condition "for this
 * machine". */
#define DELIVERS(ver, other, us) \
	{ .attach = ATTACH_CGROUP_INGRESS, .native = "dw_cgin", .when = ver " && P->sk->sk_type != DW_SOCK_RAW &&" \
		" !(dw_is_tcp[P] && dw_filtered_before[P])", \
		.value = "1", \
	  .bh_off = true, .second = true, .sees = "packets for sockets; of a group a packet each socket" }, \
	TRACE("tcp_send_reset", 3, "dw_refused", "P->skb != 0 && " ver " && P->refused_sk == 0", "1", \
		"segments without a socket, that are answered by a reset"), \
	FREED_HOOK("dw_ip_freed[P] && " ver " && P->recv && (P->proto == DW_IPPROTO_TCP ? (P->rx_sk != 0 ?" \
		" P->rx_sk->__sk_common.skc_state == DW_TCP_TIME_WAIT : P->reason == SKB_DROP_REASON_TCP_CSUM ||" \
		" dw_malformed[P] ||" \
		" (P->reason == SKB_DROP_REASON_NO_SOCKET && (dw_tcp_flags[P] & DW_TH_RST) != 0)) : " \
			"P->proto == DW_IPPROTO_UDP ?" \
		" P->reason == SKB_DROP_REASON_NO_SOCKET || dw_malformed[P] ||" \
		" (P->reason == SKB_DROP_REASON_UDP_CSUM && P->dev != 0) :" \
		" (" other ") && dw_past_ip[P] && P->skb->sk == 0 && P->rx_sk == 0 && " us ")", \
		"packets that the protocol dropped"), \
	TAKEN_BY(ver " && " us " && P->proto != DW_IPPROTO_TCP && P->proto != DW_IPPROTO_UDP", \
		"packets that the protocol itself has taken, ICMP's above all")
#define ICMP_SENT(cond) SENT(ICMP_OUT cond, "1", "messages of sockets, the kernel's own too")
/* The counters give a type to an ICMP message that is dropped only if its checksum and length are right: had is
 * dw_icmp_typed for these. */
#define ICMP_FREED(had, cond) FREED_HOOK("dw_ip_freed[P] && " IPV4 " && P->proto == DW_IPPROTO_ICMP && P->recv && " \
		"P->skb->sk == 0 && P->rx_sk == 0 && " had " && " FOR_US " && " cond, \
		"messages that ICMP dropped")
#define ICMP_TAKEN(cond) CONSUMED("P->proto == DW_IPPROTO_ICMP && " cond, "messages that ICMP has taken"), \
	FUNC("icmp_rcv", 1, "dw_consumed", cond, "1", "messages that ICMP receives")
#define ICMP_MSGS ICMP_TAKEN("1"), ICMP_FREED("dw_past_ip[P]", "1")
#define ICMP_USED(cond) ICMP_TAKEN(cond), ICMP_FREED("dw_icmp_typed[P]", cond)
/* ICMPv6: see dlib/net/icmp.d */
#define ICMP6 IPV6 " && dw_icmp_here[P->nh, DW_ETH_P_IPV6] && "
#define ICMP6_TYPE "dw_icmp6_type[P->nh]"
#define ICMP6_SENT(cond) SENT(ICMP6 cond, "1", "messages of sockets, the kernel's own too")
#define ICMP6_SENT_ALL ICMP6_SENT("1")
#define ICMP6_FREED(had, cond) FREED_HOOK("dw_ip_freed[P] && " ICMP6 "P->recv && P->skb->sk == 0 && P->rx_sk == 0 && " \
		had " && " FOR_US6 " && " cond, \
		"messages that ICMPv6 dropped")
#define ICMP6_TAKEN(cond) TAKEN_BY(ICMP6 FOR_US6 " && " cond, "messages that ICMPv6 has taken"), \
	FUNC("icmpv6_rcv", 1, "dw_consumed", cond, "1", "messages that ICMPv6 receives")
#define ICMP6_USED(cond) ICMP6_TAKEN(cond), ICMP6_FREED("dw_icmp_typed[P]", cond)
#define ICMP6_USED_ALL ICMP6_TAKEN("1"), ICMP6_FREED("dw_past_ip[P]", "1")
#define PROBE_ICMP6(dir, name, macro, type, meaning) \
	PROBE("ipv6IfIcmp" dir name, meaning, macro(ICMP6_TYPE " == " type))
#define PROBES_ICMP6(dir, macro, meaning) \
	PROBE("ipv6IfIcmp" dir "Msgs", meaning, macro##_ALL), \
	PROBE_ICMP6(dir, "DestUnreachs", macro, "DW_ICMPV6_DEST_UNREACH", "... of type destination unreachable"), \
	PROBE_ICMP6(dir, "PktTooBigs", macro, "DW_ICMPV6_PKT_TOOBIG", "... of type packet too big"), \
	PROBE_ICMP6(dir, "TimeExcds", macro, "DW_ICMPV6_TIME_EXCEED", "... of type time exceeded"), \
	PROBE_ICMP6(dir, "Echos", macro, "DW_ICMPV6_ECHO_REQUEST", "... of type echo request"), \
	PROBE_ICMP6(dir, "EchoReplies", macro, "DW_ICMPV6_ECHO_REPLY", "... of type echo reply"), \
	PROBE_ICMP6(dir, "NeighborSolicits", macro, "DW_NDISC_NEIGHBOUR_SOLICITATION", \
		"... of type neighbour solicitation"), \
	PROBE_ICMP6(dir, "NeighborAdvertisements", macro, "DW_NDISC_NEIGHBOUR_ADVERTISEMENT", \
		"... of type neighbour advertisement")
#define FRAGMENT_IN IPV4 " && (" IPH "->frag_off & DW_IP_FRAGMENT) != 0 &&" \
	" (P->dev->ip_ptr->cnf.data[0] == 0 || (P->dev->ip_ptr->ifa_list != 0 &&" \
	" P->dev->ip_ptr->ifa_list->ifa_local == " IPH "->daddr))"
#define WHOLE4 IPV4 " && P->sk->sk_type == DW_SOCK_DGRAM && P->proto == DW_IPPROTO_UDP && " CB4 "->frag_max_size != 0"
#define INCOMPLETE "(((struct inet_frag_queue *)((uint64_t)P->timer -" \
	" offsetof(struct inet_frag_queue, timer)))->flags & DW_INET_FRAG_COMPLETE) == 0"
#define TIMEOUT4 "__has(`ip_expire) ? (uint64_t)P->timer->function == (uint64_t)&`ip_expire && " INCOMPLETE " : 0"
#define KNOWN_PROTOCOL "*(uint64_t *)((uint64_t)&`inet_protos + P->op * 8) != 0"

/* A failed send. A full buffer of a nonblocking socket and a signal do not count. */
#define CANNOT_SEND "P->ret < 0 && P->ret != -DW_EAGAIN && P->ret > -DW_ERESTARTSYS"
/* udpv6_sendmsg() calls udp_sendmsg() for IPv4 addresses: a call of an IPv6 socket counts where the former ends. */
#define BY_IPV4 "(P->sk == 0 || P->sk->__sk_common.skc_family == DW_AF_INET)"
#define UDP_SENT(func, ...) \
	{ .attach = ATTACH_FEXIT, .target = func, .nargs = 1, .native = "dw_fsent", .entry_args = true, \
		.optional = true, .value = "1", __VA_ARGS__ }, \
	{ .attach = ATTACH_KRETPROBE, .target = func, .nargs = 1, .native = "dw_ksent", .irqs_off = true, \
		.optional = true, .value = "1", __VA_ARGS__ }
#define NOT_TCP "P->proto != DW_IPPROTO_TCP"

static const struct probe_def probes[] = {
	PROBE("tcpCurrEstab", "the number of established connections changes: 1 or -1",
		SET_STATE("((P->state == DW_TCP_ESTABLISHED && P->oldstate != DW_TCP_ESTABLISHED) ||"
			" (P->state == DW_TCP_CLOSE_WAIT && P->oldstate == DW_TCP_SYN_RECV) ||"
			" ((P->oldstate == DW_TCP_ESTABLISHED || P->oldstate == DW_TCP_CLOSE_WAIT) && "
				"P->state != DW_TCP_ESTABLISHED && P->state != DW_TCP_CLOSE_WAIT))",
			"P->state == DW_TCP_ESTABLISHED || P->state == DW_TCP_CLOSE_WAIT ? 1 : -1",
				"changes of state")),
	PROBE("tcpOutAck", "TCP sends a pure acknowledgment",
		SENT("dw_is_tcp[P] && " BARE_ACK " && " PAYLOAD " == 0", "1", "segments of sockets"), QUEUED(BARE_ACK)),
	PROBE("tcpOutControl", "TCP sends a SYN, FIN or reset", SENT("dw_is_tcp[P] && " CONTROL, "1",
		"segments of sockets"),
		QUEUED(CONTROL)),
	PROBE("tcpOutUrg", "TCP sends a segment with urgent data",
		SENT("dw_is_tcp[P] && (dw_tcp_flags[P] & DW_TH_URG) != 0", "1", "segments of sockets")),
	PROBE("tcpOutFastRetrans", "TCP retransmits segments before a timeout",
		RESENT("((struct inet_connection_sock *)P->sk)->icsk_ca_state == DW_TCP_CA_RECOVERY", RESENT_SEGS),
		FUNC_SENT("dw_is_tcp[P] && dw_sent_again[P] && "
			"((struct inet_connection_sock *)P->sk)->icsk_ca_state == DW_TCP_CA_RECOVERY", SEGS,
			"segments of sockets")),
	PROBE("tcpOutWinProbe", "TCP probes a closed window",
		SENT(ASKS " && P->sk->sk_write_queue.qlen != 0", "1", "segments of sockets")),
	PROBE("tcpTimKeepaliveProbe", "TCP sends a keepalive probe",
		SENT(ASKS " && P->sk->sk_write_queue.qlen == 0 && ((struct tcp_sock *)P->sk)->packets_out == 0", "1",
			"segments of sockets")),
	PROBE("tcpTimRetransDrop", "TCP gives up a connection after timeouts",
		SET_STATE("P->state == DW_TCP_CLOSE && P->sk->sk_err == DW_ETIMEDOUT", "1",
			"the end of a socket with ETIMEDOUT")),
	PROBE("tcpInAckSegs", "TCP receives segments that acknowledge new data", ACK_IN(ACKS, "1")),
	PROBE("tcpInAckBytes", "... bytes of that data",
		ACK_IN(ACKS, "(uint32_t)(" ACKSEQ " - ((struct tcp_sock *)P->sk)->snd_una)")),
	PROBE("tcpInAckUnsent", "a segment acknowledges data that was not sent",
		ACK_IN("(int32_t)(" ACKSEQ " - ((struct tcp_sock *)P->sk)->snd_nxt) > 0", "1")),
	PROBE("tcpInDupAck", "TCP receives a duplicate acknowledgment",
		ACK_IN(NO_NEWS " && " SAME_WINDOW " && ((struct tcp_sock *)P->sk)->packets_out != 0", "1")),
	PROBE("tcpInWinUpdate", "a segment only updates the window", ACK_IN(NO_NEWS " && !(" SAME_WINDOW ")", "1")),
	PROBE("tcpActiveOpens", "an active open begins", SENT("dw_first_syn[P]", "1", "the first SYN")),
	PROBE("tcpPassiveOpens", "a passive open has created a socket",
		SET_STATE("P->oldstate == DW_TCP_LISTEN && P->state == DW_TCP_SYN_RECV", "1",
			"the step of an accepted socket to syn-received")),
	PROBE("tcpAttemptFails", "an open fails: refused, reset or timed out",
		SET_STATE("(P->oldstate == DW_TCP_SYN_SENT || P->oldstate == DW_TCP_SYN_RECV) && "
			"P->state == DW_TCP_CLOSE && P->sk->sk_err != 0", "1",
			"the end of a socket that was never connected, with an error"),
		FUNC("tcp_check_req", 3, "dw_fcheckreq", "P->op == DW_REQ_ENDS", "1",
			"a reset, or a new SYN, for a handshake"),
		FREED_HOOK(TCP_FREED "P->sk != 0 && P->state == DW_TCP_LISTEN && "
			"P->reason == SKB_DROP_REASON_NOT_SPECIFIED &&"
			" (dw_tcp_flags[P] & (DW_TH_SYN | DW_TH_RST)) != 0", "a reset, or a new SYN, for a handshake")),
	PROBE("tcpEstabResets", "an established connection is reset",
		SET_STATE("(P->oldstate == DW_TCP_ESTABLISHED || P->oldstate == DW_TCP_CLOSE_WAIT) && "
			"P->state == DW_TCP_CLOSE", "1",
			"the step from established to closed")),
	PROBE_HC("tcpInSegs", "tcpHCInSegs", "TCP receives a segment",
		INGRESS("dw_got_tcp[P]", "1", "segments for sockets"),
		TRACE("tcp_send_reset", 3, "dw_refused", "P->skb != 0 && P->refused_sk == 0", "1",
			"segments without a socket, that are answered by a reset"),
		FREED_HOOK("(P->rx_sk != 0 ? P->rx_sk->__sk_common.skc_state == DW_TCP_TIME_WAIT :"
			" P->reason == SKB_DROP_REASON_TCP_CSUM || dw_tcp_malformed[P] ||"
			" (P->reason == SKB_DROP_REASON_NO_SOCKET && (dw_tcp_flags[P] & DW_TH_RST) != 0)) && "
				"dw_ip_freed[P]"
			" && P->proto == DW_IPPROTO_TCP && P->recv",
			"segments for TIME_WAIT, resets without a socket, wrong checksums and lengths"),
		FUNC_IN("dw_got_tcp[P]", .value = "1", .sees = "segments for sockets"),
		FUNC_TIMEWAIT("(dw_tcp_flags[P] & (DW_TH_SYN | DW_TH_RST | DW_TH_ACK)) != DW_TH_SYN", .value = "1",
			.sees = "segments for TIME_WAIT"),
		FUNC_NO_SOCKET(.value = "1", .sees = "segments without a socket"),
		FUNC_DROP("P->rx_sk == 0 && (P->reason == SKB_DROP_REASON_TCP_CSUM || dw_tcp_malformed[P]) &&"
			" dw_ip_freed[P] && P->proto == DW_IPPROTO_TCP && P->recv",
			.value = "1", .sees = "wrong checksums and lengths")),
	PROBE("tcpInErrs", "a segment has a wrong checksum, or too short a header",
		FREED(TCP_FREED "(P->reason == SKB_DROP_REASON_TCP_CSUM ||"
			" (P->reason == SKB_DROP_REASON_PKT_TOO_SMALL && dw_tcp_malformed[P]))",
			"segments with a wrong checksum or header length")),
	PROBE_HC("tcpOutSegs", "tcpHCOutSegs", "TCP sends segments, without retransmissions",
		SENT("dw_is_tcp[P] && !dw_sent_again[P]", SEGS, "segments of sockets"),
		TRACE("net_dev_queue", 1, "dw_devqueue", "dw_tcp_queued[P]", "1",
			"segments from TIME_WAIT, and resets"),
		FUNC_OUT_NONE("dw_tcp_out_unseen[P]", .value = "1", .sees = "segments from TIME_WAIT, and resets")),
	PROBE("tcpOutRsts", "TCP sends a reset",
		TRACE("tcp_send_reset", 3, "dw_rstreply", "P->skb != 0", "1", "resets that answer a segment"),
		TRACE("tcp_send_reset", 3, "dw_rstactive", "P->skb == 0 && P->sk != 0", "1",
			"resets of a socket that gives up"),
		FUNC_ANSWER("dw_rstreply", "", .value = "1", .sees = "resets that answer a segment"),
		FUNC("tcp_send_active_reset", 1, "dw_frstactive", NULL, "1", "resets of a socket that gives up")),
	PROBE("tcpOutDataSegs", "TCP sends segments with new data", SENT(NEW_DATA, SEGS, "segments of sockets")),
	PROBE("tcpOutDataBytes", "... bytes of them", SENT(NEW_DATA, PAYLOAD, "segments of sockets")),
	PROBE("tcpRetransSegs", "TCP retransmits segments",
		RESENT("1", RESENT_SEGS),
		TRACE("tcp_retransmit_synack", 2, "dw_sockev", NULL, "1", "SYN-ACKs"),
		FUNC_SENT("dw_is_tcp[P] && dw_sent_again[P]", SEGS, "segments of sockets"),
		FUNC_OUT("dw_synack_again[P]", .value = "1", .sees = "SYN-ACKs")),
	PROBE("tcpRetransBytes", "... bytes of them",
		RESENT("P->queued->len > 0", "P->queued->len"),
		FUNC_SENT("dw_is_tcp[P] && dw_sent_again[P] && " PAYLOAD " > 0", PAYLOAD, "segments of sockets")),
	PROBE("tcpTimRetrans", "the retransmission timer has fired",
		TRACE("tcp_cong_state_set", 2, "dw_caset", "dw_timed_out[P]", "1", "the step into the loss state"),
		FUNC("tcp_set_ca_state", 2, "dw_caset", "dw_timed_out[P]", "1", "the step into the loss state")),
	PROBE("tcpInDataInorderSegs", "TCP receives segments in order", DATA_SEGS(INORDER)),
	PROBE("tcpInDataInorderBytes", "... bytes of them", DATA_BYTES(INORDER)),
	PROBE("tcpInDataUnorderSegs", "TCP receives segments out of order", DATA_SEGS(AHEAD)),
	PROBE("tcpInDataUnorderBytes", "... bytes of them", DATA_BYTES(AHEAD)),
	PROBE("tcpInDataDupSegs", "TCP receives segments with old data only", DATA_SEGS(BEFORE)),
	PROBE("tcpInDataDupBytes", "... bytes of them", DATA_BYTES(BEFORE)),
	PROBE("tcpInDataPartDupSegs", "TCP receives segments with old and new data", DATA_SEGS(PARTLY)),
	PROBE("tcpInDataPartDupBytes", "... bytes of old data in them",
		DATA_IN(PARTLY, "(uint32_t)(" NEXT " - " SEQ ")", "(uint32_t)(" NEXT " - " SEQ ")")),
	PROBE("tcpInDataPastWinSegs", "TCP receives segments beyond the window", DATA_SEGS(BEYOND)),
	PROBE("tcpInDataPastWinBytes", "... bytes of them", DATA_BYTES(BEYOND)),
	PROBE("tcpListenDrop", "a listener drops a SYN or a handshake",
		INGRESS("dw_syn_overflow[P]", "1", "a SYN that meets a full accept queue"),
		OPTIONAL("kfree_skb", 4, "dw_drop", "dw_ack_overflow[P]", "1",
			"the last ACK of a handshake that meets one"),
		INGRESS("dw_synq_overflow[P]", "1",
			"a SYN that meets a full queue of handshakes, where SYN cookies are off"),
		FUNC_IN("dw_syn_overflow[P]", .value = "1", .sees = "a SYN that meets a full accept queue"),
		FUNC_FULL_QUEUE(.value = "1", .sees = "the last ACK of a handshake that meets one"),
		FUNC_IN("dw_synq_overflow[P]", .value = "1",
			.sees = "a SYN that meets a full queue of handshakes, where SYN cookies are off")),
	PROBE("tcpListenDropQ0", "... for its handshakes are too many",
		INGRESS("dw_synq_overflow[P]", "1",
			"a SYN that meets a full queue of handshakes, where SYN cookies are off"),
		FUNC_IN("dw_synq_overflow[P]", .value = "1",
			.sees = "a SYN that meets a full queue of handshakes, where SYN cookies are off")),

	PROBE_HC("udpInDatagrams", "udpHCInDatagrams", "a process reads a datagram",
		TRACE("sock_recv_length", 3, "dw_sockio", "dw_is_udp[P] && P->ret >= 0 && "
			"(P->flags & DW_MSG_PEEK) == 0", "1",
			"calls that receive"),
		FUNC("skb_consume_udp", 3, "dw_fread", "dw_is_udp[P] && P->ret >= 0 && " FUNC_LAST, "1",
			"datagrams that a process has read")),
	PROBE_HC("udpOutDatagrams", "udpHCOutDatagrams", "UDP sends a datagram", SENT("dw_is_udp[P]", "1",
		"datagrams of UDP sockets")),
	PROBE("udpNoPorts", "UDP receives a datagram for which there is no socket",
		FREED(UDP_FREED "dw_udp_no_port[P]",
			"datagrams to one address that find no socket")),
	PROBE("udpInErrors", "UDP drops a received datagram",
		FREED_HOOK(UDP_FREED "dw_udp_refused[P]", "datagrams that were not queued"),
		FUNC_DROP(UDP_FREED "(dw_udp_bad_sum[P] || dw_udp_malformed[P] || P->reason =="
			" SKB_DROP_REASON_SOCKET_RCVBUFF || P->reason == SKB_DROP_REASON_SOCKET_FILTER ||"
			" P->reason == SKB_DROP_REASON_PROTO_MEM)",
			.value = "1", .sees = "datagrams that were not queued")),
	PROBE("udpInCksumErrs", "... for its checksum is wrong",
		FREED(UDP_FREED "dw_udp_bad_sum[P]", "datagrams with a wrong checksum")),
	PROBE("udpInOverflows", "... for the socket is full",
		FREED(UDP_FREED "P->reason == SKB_DROP_REASON_SOCKET_RCVBUFF", "datagrams for a full socket")),

	PROBE("ipInReceives", "IPv4 receives a packet", RECEIVED(IPV4)),
	PROBE("ipForwDatagrams", "IPv4 forwards a packet", FORWARDED(IPV4)),
	PROBE("ipOutRequests", "IPv4 sends a packet of this machine", REQUESTED(IPV4)),
	PROBE("ipInDelivers", "IPv4 delivers a packet to a protocol", DELIVERS(IPV4, OTHER4, FOR_US),
		DELIVERED(KNOWN_PROTOCOL, "packets that a protocol takes")),
	PROBE("ipv6InDelivers", "IPv6 delivers a packet to a protocol",
		DELIVERS(IPV6, OTHER6, FOR_US6), DELIVERED6),
	PROBE("ipIfStatsHCInDelivers", "IPv4 or IPv6 gives a packet to a protocol",
		DELIVERS(IPV4_OR_6, IPV4 " ? " OTHER4 " : " OTHER6,
			"(" IPV4 " ? " FOR_US " : " FOR_US6 ")"),
		DELIVERED(KNOWN_PROTOCOL, "packets of IPv4 that a protocol takes"), DELIVERED6),
	PROBE("ipReasmReqds", "IPv4 receives a fragment to reassemble",
		IP_RECEIVED(" && " FRAGMENT_IN, "fragments that IP receives for this machine", .value = "1",
			.second = true),
		FUNC("ip_defrag", 3, "dw_fdeliver", NULL, "1", "fragments that are put together")),
	PROBE("ipReasmOKs", "IPv4 has reassembled a packet", INGRESS(WHOLE4, "1", "packets for sockets"),
		CONSUMED("P->proto == DW_IPPROTO_ICMP && " CB4 "->frag_max_size != 0", "ICMP's"),
		DELIVERED(CB4 "->frag_max_size != 0", "packets for a protocol")),
	PROBE("ipReasmFails", "IPv4 gives up a packet of fragments",
		TRACE("timer_expire_entry", 1, "dw_fragtimer", TIMEOUT4, "1",
			"the timer of a packet that is not whole"),
		FREED_HOOK(FRAGMENT_FREED, "fragments that overlap, or do not fit"),
		FUNC_DROPS(FRAGMENT_FREED " && !dw_expired[P]", FRAGMENT_FREED, .value = "1",
			.sees = "fragments that overlap, or do not fit"),
		FUNC("ip_expire", 1, "dw_fragtimer", INCOMPLETE, "1", "the timer of a packet that is not whole")),
	PROBE("ipFragOKs", "IPv4 has fragmented a packet",
		TRACE("net_dev_queue", 1, "dw_devqueue",
			FRAGMENT_MADE " && (" IPH "->frag_off & DW_IP_OFFSET) == 0 && dw_first_device[P]", "1",
			"first fragments that this machine has made"),
		FUNC("ip_finish_output2", 3, "dw_fnone", FRAGMENT_MADE " && (" IPH
			"->frag_off & DW_IP_OFFSET) == 0", "1",
			"first fragments that this machine has made")),
	PROBE("ipFragCreates", "... number of the fragments",
		TRACE("net_dev_queue", 1, "dw_devqueue", FRAGMENT_MADE " && dw_first_device[P]", "1",
			"fragments that this machine has made"),
		FUNC("ip_finish_output2", 3, "dw_fnone", FRAGMENT_MADE, "1", "fragments that this machine has made")),
	PROBE("ipFragFails", "IPv4 may not fragment a packet that is too long",
		FREED("dw_ip_header[P] && " IPV4 " && P->reason == SKB_DROP_REASON_PKT_TOO_BIG",
			"packets that are dropped")),
	PROBE("ipOutNoRoutes", "IPv4 has no route for a packet",
		TRACE("sock_send_length", 3, "dw_sockio",
			"dw_is_udp[P] && P->sk->__sk_common.skc_family == DW_AF_INET && P->ret == -DW_ENETUNREACH", "1",
			"calls that send datagrams"),
		UDP_SENT("udp_sendmsg", .when = "P->ret == -DW_ENETUNREACH", .sees = "calls that send datagrams"),
		FREED("dw_ip_header[P] && " IPV4 " && P->reason == SKB_DROP_REASON_IP_OUTNOROUTES",
			"packets that are dropped")),
	PROBE("rawipInDatagrams", "a process reads a packet from a raw socket",
		TRACE("sock_recv_length", 3, "dw_sockio",
			"P->sk->sk_type == DW_SOCK_RAW && P->ret >= 0 && (P->flags & DW_MSG_PEEK) == 0", "1",
			"calls that receive"),
		FUNC("skb_free_datagram", 2, "dw_fread", "P->sk->sk_type == DW_SOCK_RAW && " FUNC_LAST, "1",
			"packets that a process has read")),
	PROBE("rawipOutDatagrams", "a process sends through a raw socket",
		SENT("P->sk->sk_type == DW_SOCK_RAW && !P->sk->sk_kern_sock", "1", "packets of raw sockets")),
	PROBE("ipInHdrErrors", "an IPv4 header is invalid or its time to live has expired",
		FREED(IPV4 " && P->recv &&"
			" (P->reason == SKB_DROP_REASON_IP_INHDR || P->reason == SKB_DROP_REASON_IP_CSUM)",
			"packets that are dropped")),
	PROBE("ipInCksumErrs", "an IPv4 header has a wrong checksum",
		FREED("dw_ip_header[P] && " IPV4 " && P->recv && P->reason == SKB_DROP_REASON_IP_CSUM",
			"packets that are dropped")),
	PROBE("ipInUnknownProtos", "no protocol handles an IPv4 packet",
		FREED("dw_ip_header[P] && " IPV4 " && P->recv && P->reason == SKB_DROP_REASON_IP_NOPROTO",
			"packets that are dropped")),
	PROBE("ipv6InReceives", "IPv6 receives a packet", RECEIVED(IPV6)),
	PROBE("ipv6OutForwDatagrams", "IPv6 forwards a packet", FORWARDED(IPV6)),
	PROBE("ipv6OutRequests", "IPv6 sends a packet of this machine", REQUESTED(IPV6)),
	PROBE("ipIfStatsHCInReceives", "IPv4 or IPv6 receives a packet", RECEIVED(IPV4_OR_6)),
	PROBE("ipIfStatsHCInOctets", "... bytes of it", RECEIVED_OCTETS(IPV4_OR_6)),
	PROBE("ipIfStatsHCOutOctets", "IPv4 or IPv6 sends or forwards a packet; bytes of it",
		SENT_BY(IPV4_OR_6, OCTETS),
		TRACE("net_dev_queue", 1, "dw_devqueue", IPV4_OR_6 " && " MORE_HEADERS " && dw_first_device[P]",
			HEADERS_LEN,
			"headers of fragments that this machine has made"),
		FUNC("ip_finish_output2", 3, "dw_fnone", IPV4_OR_6 " && " MORE_HEADERS, HEADERS_LEN,
			"headers of fragments that this machine has made"),
		FUNC("ip6_finish_output2", 3, "dw_fnone", IPV4_OR_6 " && " MORE_HEADERS, HEADERS_LEN,
			"headers of fragments that this machine has made")),
	PROBE("ipIfStatsHCOutForwDatagrams", "IPv4 or IPv6 forwards a packet", FORWARDED(IPV4_OR_6)),
	PROBE("ipIfStatsHCOutRequests", "IPv4 or IPv6 sends a packet of this machine", REQUESTED(IPV4_OR_6)),
	PROBE("icmpInMsgs", "ICMP receives a message", ICMP_MSGS),
	PROBE("icmpInDestUnreachs", "... of type destination unreachable", ICMP_USED(ICMP_TYPE
		" == DW_ICMP_DEST_UNREACH")),
	PROBE("icmpInEchos", "... of type echo request", ICMP_USED(ICMP_TYPE " == DW_ICMP_ECHO")),
	PROBE("icmpInEchoReps", "... of type echo reply", ICMP_USED(ICMP_TYPE " == DW_ICMP_ECHOREPLY")),
	PROBE("icmpInTimeExcds", "... of type time exceeded", ICMP_USED(ICMP_TYPE " == DW_ICMP_TIME_EXCEEDED")),
	PROBE("icmpInParmProbs", "... of type parameter problem", ICMP_USED(ICMP_TYPE " == DW_ICMP_PARAMETERPROB")),
	PROBE("icmpInRedirects", "... of type redirect", ICMP_USED(ICMP_TYPE " == DW_ICMP_REDIRECT")),
	PROBE("icmpInSrcQuenchs", "... of type source quench", ICMP_USED(ICMP_TYPE " == DW_ICMP_SOURCE_QUENCH")),
	PROBE("icmpInTimestamps", "... of type timestamp request", ICMP_USED(ICMP_TYPE " == DW_ICMP_TIMESTAMP")),
	PROBE("icmpInTimestampReps", "... of type timestamp reply", ICMP_USED(ICMP_TYPE " == DW_ICMP_TIMESTAMPREPLY")),
	PROBE("icmpOutEchos", "ICMP sends an echo request",
		SENT(ICMP_OUT " && " ICMP_TYPE " == DW_ICMP_ECHO", "1", "messages of sockets")),
	PROBE("icmpOutMsgs", "ICMP sends a message",
		ICMP_SENT("")),
	PROBE("icmpOutDestUnreachs", "... of type destination unreachable",
		ICMP_SENT(" && " ICMP_TYPE " == DW_ICMP_DEST_UNREACH")),
	PROBE("icmpOutTimeExcds", "... of type time exceeded",
		ICMP_SENT(" && " ICMP_TYPE " == DW_ICMP_TIME_EXCEEDED")),
	PROBE("icmpOutEchoReps", "... of type echo reply",
		ICMP_SENT(" && " ICMP_TYPE " == DW_ICMP_ECHOREPLY")),
	PROBE("icmpOutParmProbs", "... of type parameter problem",
		ICMP_SENT(" && " ICMP_TYPE " == DW_ICMP_PARAMETERPROB")),
	PROBE("icmpOutRedirects", "... of type redirect",
		ICMP_SENT(" && " ICMP_TYPE " == DW_ICMP_REDIRECT")),
	PROBE("icmpOutTimestamps", "... of type timestamp request",
		ICMP_SENT(" && " ICMP_TYPE " == DW_ICMP_TIMESTAMP")),
	PROBE("icmpOutTimestampReps", "... of type timestamp reply",
		ICMP_SENT(" && " ICMP_TYPE " == DW_ICMP_TIMESTAMPREPLY")),
	PROBE("udpOutErrors", "a process cannot send a datagram",
		TRACE("sock_send_length", 3, "dw_sockio", "dw_is_udp[P] && " CANNOT_SEND, "1", "calls that send"),
		UDP_SENT("udp_sendmsg", .when = CANNOT_SEND " && " BY_IPV4, .sees = "calls that send datagrams"),
		UDP_SENT("udpv6_sendmsg", .when = CANNOT_SEND, .sees = "calls that send datagrams of IPv6")),
	PROBE("ipIfStatsInDiscards", "IPv4 or IPv6 drops a received packet that has no error",
		FREED("dw_ip_header[P] && " IPV4_OR_6 " && P->recv && dw_ip_discards[P]", "packets that are dropped")),
	PROBE("ipIfStatsOutDiscards", "IPv4 or IPv6 drops a packet to send that has no error, except for TCP",
		STOPPED("dw_stopped[P] && " NOT_TCP, .value = "1", .sees = "packets that netfilter stops"),
		FREED("dw_ip_header[P] && " IPV4_OR_6 " && P->recv == 0 && " NOT_TCP " && dw_queue_full[P]",
			"packets that a full queue does not take")),
	PROBE("ipIfStatsInHdrErrors", "an IP header is invalid or its hop limit has expired",
		FREED("dw_ip_header[P] && " IPV4_OR_6 " && P->recv &&"
			" (P->reason == SKB_DROP_REASON_IP_INHDR || P->reason == SKB_DROP_REASON_IP_CSUM)",
			"packets that are dropped")),
	PROBE("ipIfStatsInCksumErrs", "an IP header has a wrong checksum",
		FREED("dw_ip_header[P] && " IPV4_OR_6 " && P->recv && P->reason == SKB_DROP_REASON_IP_CSUM",
			"packets that are dropped")),
	PROBE("ipIfStatsInUnknownProtos", "no protocol handles a packet",
		FREED("dw_ip_header[P] && " IPV4_OR_6 " && P->recv && P->reason == SKB_DROP_REASON_IP_NOPROTO",
			"packets that are dropped")),
	PROBE("ipIfStatsOutNoRoutes", "IP has no route for a packet",
		FREED("dw_ip_header[P] && " IPV4_OR_6 " && P->reason == SKB_DROP_REASON_IP_OUTNOROUTES",
			"packets that are dropped")),
	PROBES_ICMP6("In", ICMP6_USED, "ICMPv6 receives a message"),
	PROBES_ICMP6("Out", ICMP6_SENT, "ICMPv6 sends a message"),
};
/* clang-format on */

/* Counters of Solaris and illumos without an equal in Linux. */
static const struct refusal refused[] = {
	{ "tcpHalfOpenDrop", "Linux does not drop handshakes to make room: see tcpListenDropQ0" },
	{ "tcpInClosed", "Linux counts segments for closed connections with those of no socket: see tcp:::receive" },
	{ "tcpInWinProbe", "Linux does not distinguish probes of a closed window from other segments" },
	{ "tcpOutWinUpdate", "Linux does not distinguish segments that open the window from other acknowledgments" },
	{ "tcpRtt*", "Linux does not count measurements of the round-trip time: see tcps_srtt" },
	{ "tcpTimKeepalive", "Linux does not count keepalive timers: see tcpTimKeepaliveProbe" },
	{ "tcpTimKeepaliveDrop", "Linux does not count them apart: see tcpTimRetransDrop" },
	{ "tcpOutSackRetransSegs", "Linux does not count them apart: see tcpOutFastRetrans" },
	{ "ipReasmDuplicates", "Linux does not count duplicate fragments" },
	{ "ipReasmPartDups", "Linux does not count duplicate fragments" },
	{ "ipRoutingDiscards", "Linux does not discard routes" },
	{ "ipForwProhibits", "Linux counts these with InAddrErrors: see ip:::drop" },
	{ "ipIfStatsForwProhibits", "Linux counts these with InAddrErrors: see ip:::drop" },
	{ "ipsec*", "IPsec's packets are not seen here: see ip:::drop and its reasons" },
	{ "sctp*", "SCTP's counters are not seen: see the provider sctp" },
};

static const char *refuses(const char *name)
{
	return refusal_of(refused, sizeof(refused) / sizeof(refused[0]), name);
}

/* The socket by which a thread sends a datagram, for kretprobes. The note stays until the thread sends again:
 * kretprobes at one function run in any order, so none of them may delete what the others read. */
/* clang-format off */
#define CALL_BEGINS(func) \
	{ STAMP_SET, FUNC_SITE(func, 1, "dw_fsends"), .key = "(uint64_t)curthread", .word = "(uint64_t)P->sk" }
/* clang-format on */
static const struct stamp_event send_events[] = { CALL_BEGINS("udp_sendmsg"), CALL_BEGINS("udpv6_sendmsg") };
static const struct stamp stamps[] = { { "sends", TABLE(send_events) } };

const struct provider mib_provider = { PROVIDER("mib", "dw_counted", probes), STAMPED(stamps), .refuses = refuses };
