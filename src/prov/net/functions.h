/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functions: sites of the network providers at kernel functions, for the tiers functions and kprobes.
 * dlib/net/functions.d describes the arguments of each site. Invariant: each function exists under one name from Linux
 * 6.1 to 6.18 and is not inlined; the sites of functions that changed are optional. */
#ifndef DWIRE_PROV_NET_FUNCTIONS_H
#define DWIRE_PROV_NET_FUNCTIONS_H

/* clang-format off */
#define FUNC_SITE(func, n, nat, ...) \
	{ .attach = ATTACH_FENTRY, .target = func, .nargs = n, .native = nat, __VA_ARGS__ }
/* The function's return, for sites that also need its arguments. kprobes cannot do this. */
#define FUNC_END(func, n, nat, ...) \
	{ .attach = ATTACH_FEXIT, .target = func, .nargs = n, .native = nat, .entry_args = true, __VA_ARGS__ }

/* The functions around the cgroup_skb hooks, which see the same packets of sockets; FUNC_OUT_NONE sees those of no
 * socket. */
#define FUNC_IN(cond, ...) FUNC_SITE("sk_filter_trim_cap", 2, "dw_cgin", .when = cond, .bh_off = true, __VA_ARGS__)
#define FUNC_OUT(cond, ...) \
	FUNC_SITE("ip_finish_output", 3, "dw_fout", .when = cond, .leaves = true, __VA_ARGS__), \
	FUNC_SITE("ip6_finish_output", 3, "dw_fout", .when = cond, .leaves = true, __VA_ARGS__)
#define FUNC_OUT_NONE(cond, ...) \
	FUNC_SITE("ip_finish_output", 3, "dw_fnone", .when = cond, __VA_ARGS__), \
	FUNC_SITE("ip6_finish_output", 3, "dw_fnone", .when = cond, __VA_ARGS__)
/* The end of a dropped packet: kfree_skb_reason before Linux 6.11, sk_skb_reason_drop since. A buffer with other
 * users is not freed yet. */
#define FUNC_LAST "P->skb->users.refs.counter == 1"
#define FUNC_DROP(cond, ...) FUNC_DROPS(cond, cond, __VA_ARGS__)
#define FUNC_DROPS(old, new, ...) \
	FUNC_SITE("kfree_skb_reason", 2, "dw_fdrop", .optional = true, .when = FUNC_LAST " && " old, __VA_ARGS__), \
	FUNC_SITE("sk_skb_reason_drop", 3, "dw_fskdrop", .optional = true, .when = FUNC_LAST " && " new, __VA_ARGS__)
/* Packets that netfilter stops before a site of the senders sees them, for all tiers. */
#define STOPPED(cond, ...) \
	{ TP("kfree_skb", 3, "dw_tstopped"), .when = cond, .optional = true, __VA_ARGS__ }, \
	FUNC_SITE("kfree_skb_reason", 2, "dw_fstopped", .optional = true, .when = FUNC_LAST " && " cond, __VA_ARGS__), \
	FUNC_SITE("sk_skb_reason_drop", 3, "dw_fskstopped", .optional = true, \
		.when = FUNC_LAST " && " cond, __VA_ARGS__)
/* Packets that a socket sends or receives, for all tiers. SOCKET_PASSED: without those that netfilter stops. */
#define SOCKET_PASSED(cond, text) \
	{ .attach = ATTACH_CGROUP_EGRESS, .native = "dw_cgout", .when = cond, .sees = text }, \
	FUNC_OUT("P->sk != 0 && " cond, .sees = text)
#define SOCKET_SENT(cond, text) \
	SOCKET_PASSED(cond, text), \
	STOPPED("dw_sock_stopped[P] && " cond, .sees = text ", that netfilter stops")
#define SOCKET_GOT(cond, text) \
	{ .attach = ATTACH_CGROUP_INGRESS, .native = "dw_cgin", .when = cond, .bh_off = true, .sees = text }, \
	FUNC_IN(cond, .sees = text)
/* Where IP receives a packet from a device. */
#define FUNC_RECEIVED(cond, ...) \
	FUNC_SITE("ip_rcv_core", 1, "dw_devrecv", .bh_off = true, .when = \
		"P->skb->pkt_type != DW_PACKET_OTHERHOST" cond, __VA_ARGS__), \
	FUNC_SITE("ip6_rcv_core", 1, "dw_devrecv", .bh_off = true, .when = \
		"P->skb->pkt_type != DW_PACKET_OTHERHOST" cond, __VA_ARGS__)
#define FUNC_SET_STATE(cond, ...) \
	FUNC_SITE("inet_sk_set_state", 2, "dw_fsetstate", .when = cond, __VA_ARGS__), \
	FUNC_SITE("inet_sk_state_store", 2, "dw_fsetstate", .when = cond, __VA_ARGS__)
/* clang-format on */

/* clang-format off */
/* The reset that answers a segment. The kernel also enters the function for a segment that is itself a reset, and
 * then sends nothing (RFC 9293, 3.10.7.1). */
#define FUNC_SEND_RESET(nat, cond, ...) \
	FUNC_SITE("tcp_v4_send_reset", 2, nat, .when = cond, __VA_ARGS__), \
	FUNC_SITE("tcp_v6_send_reset", 2, nat, .when = cond, __VA_ARGS__)
#define FUNC_ANSWER(nat, cond, ...) FUNC_SEND_RESET(nat, "(dw_tcp_flags[P] & DW_TH_RST) == 0" cond, __VA_ARGS__)
/* A segment without a socket: also a reset, which has no answer. */
#define FUNC_NO_SOCKET(...) FUNC_SEND_RESET("dw_refused", "P->refused_sk == 0", __VA_ARGS__)
/* Any other reset. The reason is the last argument since Linux 6.10; some kernels are compiled without the argument
 * before it. */
#define FUNC_GIVES_UP(...) \
	FUNC_SITE("tcp_send_active_reset", 3, "dw_frstactive3", .optional = true, __VA_ARGS__), \
	FUNC_SITE("tcp_send_active_reset", 1, "dw_frstactive", .fewer = 3, .optional = true, __VA_ARGS__)
/* The last ACK of a handshake that meets a full accept queue. */
#define FUNC_FULL_QUEUE(...) \
	FUNC_SITE("tcp_check_req", 3, "dw_fcheckreq", .when = "P->op == DW_REQ_COMPLETES && dw_acceptq_full[P]", \
		__VA_ARGS__)
/* clang-format on */

/* A segment for TIME_WAIT. cond leaves out the SYN of a new connection, which is for the listener. */
#define FUNC_TIMEWAIT(cond, ...) FUNC_SITE("tcp_timewait_state_process", 2, "dw_ftimewait", .when = cond, __VA_ARGS__)
#endif
