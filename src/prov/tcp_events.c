/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcp_events: where the hooks tier sees losses, resets, full listeners, congestion, and FreeBSD's debug probes.
 * Each site was measured on Linux 6.18 against the kernel's own counters or a packet capture. */
#include "prov/tcp.h"

/* What was sent before, as it is sent again. The congestion state tells why: a timeout is in the loss state, fast
 * retransmission in recovery; a tail loss probe is sent outside of both. */
const struct site tcp_retransmit_sites[] = {
	{ .attach = ATTACH_CGROUP_EGRESS,
		.native = "dw_cgout",
		.when = IS_TCP " && " SEGMENT_AGAIN,
		.sees = "segments of sockets that are sent again, SYNs too" },
	{ .attach = ATTACH_TP_BTF,
		.target = "net_dev_queue",
		.nargs = 1,
		.native = "dw_synack",
		.when = SYNACK_AGAIN " && " FIRST_DEVICE,
		.sees = "SYN-ACKs that are sent again" },
	FUNC_OUT("P->sk != 0 && " IS_TCP " && " SEGMENT_AGAIN,
		.sees = "segments of sockets that are sent again, SYNs too"),
	FUNC_OUT(SYNACK_AGAIN, .sees = "SYN-ACKs that are sent again"),
};

/* Recovery or loss, which tail loss probes are outside of: they call the inner function themselves; in the outer it may
 * be inlined or not. */
#define LOST ICSK "->icsk_ca_state >= DW_TCP_CA_RECOVERY"

const struct site tcp_resend_sites[] = {
	{ TP("tcp_retransmit_skb", 2, "dw_resent"), .when = "P->ret == 0",
		.sees = "what a socket sends again, before it has headers" },
	{ TP("tcp_retransmit_synack", 2, "dw_resynack"), .sees = "SYN-ACKs that are sent again" },
	FUNC_END("tcp_retransmit_skb", 2, "dw_resent", .when = "P->ret == 0 && " LOST,
		.sees = "what a socket sends again, before it has headers"),
	FUNC_END("__tcp_retransmit_skb", 2, "dw_resent", .when = "P->ret == 0 && !(" LOST ")",
		.sees = "the same of tail loss probes"),
	FUNC_END("tcp_rtx_synack", 2, "dw_resynack", .when = "P->ret == 0", .sees = "SYN-ACKs that are sent again"),
};

/* What a TIME_WAIT socket answers is freed by the same function without a reason: it is no loss. */
#define IS_LOSS                                                                                                      \
	IP_FREED " && P->proto == DW_IPPROTO_TCP && (P->rx_sk == 0 || P->reason != SKB_DROP_REASON_NOT_SPECIFIED ||" \
		 " P->rx_sk->__sk_common.skc_state != DW_TCP_TIME_WAIT)"

const struct site tcp_drop_sites[] = {
	{ .attach = ATTACH_TP_BTF,
		.target = "kfree_skb",
		.nargs = 4,
		.native = "dw_drop",
		.when = IS_LOSS,
		.sees = "segments that the kernel throws away; the owner where a socket did it" },
	FUNC_DROPS(IP_FREED " && P->proto == DW_IPPROTO_TCP && P->reason != SKB_DROP_REASON_NOT_SPECIFIED", IS_LOSS,
		.sees = "segments that the kernel throws away; before Linux 6.11 those with a reason, without the "
			"owner"),
};

const struct site tcp_rto_sites[] = {
	{ .attach = ATTACH_TP_BTF,
		.target = "tcp_cong_state_set",
		.nargs = 2,
		.native = "dw_caset",
		.when = TIMED_OUT,
		.sees = "the retransmission timer, as it enters the loss state" },
	FUNC_SITE("tcp_set_ca_state", 2, "dw_caset", .when = TIMED_OUT,
		.sees = "the retransmission timer, as it enters the loss state"),
};
const struct site tcp_congestion_sites[] = {
	{ .attach = ATTACH_TP_BTF,
		.target = "tcp_cong_state_set",
		.nargs = 2,
		.native = "dw_caset",
		.when = "P->newca != " ICSK "->icsk_ca_state",
		.sees = "changes of the congestion state" },
	FUNC_SITE("tcp_set_ca_state", 2, "dw_caset", .when = "P->newca != " ICSK "->icsk_ca_state",
		.sees = "changes of the congestion state"),
};
const struct site tcp_reduced_sites[] = {
	{ .attach = ATTACH_TP_BTF,
		.target = "tcp_cong_state_set",
		.nargs = 2,
		.native = "dw_caset",
		.when = "P->newca >= DW_TCP_CA_CWR && " ICSK "->icsk_ca_state < DW_TCP_CA_CWR",
		.sees = "the step into cwr, recovery or loss" },
	FUNC_SITE("tcp_set_ca_state", 2, "dw_caset",
		.when = "P->newca >= DW_TCP_CA_CWR && " ICSK "->icsk_ca_state < DW_TCP_CA_CWR",
		.sees = "the step into cwr, recovery or loss"),
};

#define WINDOW_CLOSED                                                         \
	"P->state != DW_TCP_LISTEN && P->state != DW_TCP_SYN_SENT && (" FLAGS \
	" & (DW_TH_SYN | DW_TH_RST)) == 0 && ((struct tcphdr *)P->th)->window == 0"

const struct site tcp_zero_sent_sites[] = {
	{ .attach = ATTACH_CGROUP_EGRESS,
		.native = "dw_cgout",
		.when = IS_TCP " && " WINDOW_CLOSED,
		.sees = "segments of sockets that tell a window of 0" },
	FUNC_OUT("P->sk != 0 && " IS_TCP " && " WINDOW_CLOSED, .sees = "segments of sockets that tell a window of 0"),
};
const struct site tcp_zero_received_sites[] = {
	{ .attach = ATTACH_CGROUP_INGRESS,
		.native = "dw_cgin",
		.when = IS_TCP " && " WINDOW_CLOSED,
		.bh_off = true,
		.sees = "segments for sockets that tell a window of 0" },
	FUNC_IN(IS_TCP " && " WINDOW_CLOSED, .sees = "segments for sockets that tell a window of 0"),
};

/* ---- resets ------------------------------------------------------------------------------------------------------ */
const struct site tcp_reset_sent_sites[] = {
	{ .attach = ATTACH_TP_BTF,
		.target = "tcp_send_reset",
		.nargs = 3,
		.native = "dw_rstreply",
		.when = "P->skb != 0",
		.sees = "resets that answer a segment: args[4] is the reset's header" },
	{ .attach = ATTACH_TP_BTF,
		.target = "tcp_send_reset",
		.nargs = 3,
		.native = "dw_rstactive",
		.when = "P->skb == 0 && P->sk != 0",
		.sees = "resets of a socket that gives up: args[4] is made of the socket" },
	FUNC_ANSWER("dw_rstreply", "",
		.sees = "resets that answer a segment: args[4] is its header; the reason since Linux 6.10"),
	FUNC_GIVES_UP(.sees = "resets of a socket that gives up: args[4] is made of the socket"),
};
const struct site tcp_reset_received_sites[] = {
	{ .attach = ATTACH_TP_BTF,
		.target = "tcp_receive_reset",
		.nargs = 1,
		.native = "dw_rstrecv",
		.sees = "resets that a socket takes (not those of a handshake that is no socket yet); the segment is "
			"not told" },
	FUNC_SITE("tcp_reset", 1, "dw_rstrecv", .sees = "resets that a socket takes; the segment is not told"),
};

/* ---- listeners --------------------------------------------------------------------------------------------------- */
#define SITE_SYN_OVERFLOW                                                                                   \
	{                                                                                                   \
		.attach = ATTACH_CGROUP_INGRESS, .native = "dw_cgin", .bh_off = true, .when = SYN_OVERFLOW, \
		.sees = "a SYN that meets a full accept queue"                                              \
	}
#define SITE_ACK_OVERFLOW                                                                                          \
	{                                                                                                          \
		.attach = ATTACH_TP_BTF, .target = "kfree_skb", .nargs = 4, .native = "dw_drop", .optional = true, \
		.when = ACK_OVERFLOW,                                                                              \
		.sees = "since Linux 6.13: the last ACK of a handshake that meets a full accept queue"             \
	}

/* clang-format off */
#define SITE_FUNC_OVERFLOW \
	FUNC_IN(SYN_OVERFLOW, .sees = "a SYN that meets a full accept queue"), \
	FUNC_FULL_QUEUE(.sees = "the last ACK of a handshake that meets a full accept queue")
/* clang-format on */

const struct site tcp_overflow_sites[] = { SITE_SYN_OVERFLOW, SITE_ACK_OVERFLOW, SITE_FUNC_OVERFLOW };
const struct site tcp_listen_drop_sites[] = {
	SITE_SYN_OVERFLOW,
	SITE_ACK_OVERFLOW,
	{ .attach = ATTACH_CGROUP_INGRESS,
		.native = "dw_cgin",
		.bh_off = true,
		.when = SYNQ_OVERFLOW,
		.sees = "a SYN that meets a full queue of handshakes, where SYN cookies are off" },
	SITE_FUNC_OVERFLOW,
	FUNC_IN(SYNQ_OVERFLOW, .sees = "a SYN that meets a full queue of handshakes, where SYN cookies are off"),
};

/* ---- FreeBSD's --------------------------------------------------------------------------------------------------- */
const struct site tcp_autoresize_sites[] = {
	{ .attach = ATTACH_TP_BTF,
		.target = "tcp_rcvbuf_grow",
		.nargs = 2,
		.native = "dw_sockev",
		.value = "P->sk->sk_rcvbuf",
		.when = NETNS_IPV4
		".sysctl_tcp_moderate_rcvbuf != 0 && (P->sk->sk_userlocks & DW_SOCK_RCVBUF_LOCK) == 0 &&"
		" P->sk->sk_rcvbuf < " NETNS_IPV4 ".sysctl_tcp_rmem[2]",
		.sees = "since Linux 6.16: the kernel finds that the reader needs a larger buffer" },
};
const struct site tcp_siftr_sites[] = {
	{ .attach = ATTACH_CGROUP_EGRESS, .native = "dw_cgout", .when = IS_TCP, .sees = "segments of sockets" },
	{ .attach = ATTACH_CGROUP_INGRESS,
		.native = "dw_cgin",
		.when = IS_TCP,
		.bh_off = true,
		.sees = "segments for sockets" },
	FUNC_OUT("P->sk != 0 && " IS_TCP, .sees = "segments of sockets"),
	FUNC_IN(IS_TCP, .sees = "segments for sockets"),
};
const struct site tcp_input_sites[] = {
	{ .attach = ATTACH_CGROUP_INGRESS,
		.native = "dw_cgin",
		.when = IS_TCP,
		.bh_off = true,
		.sees = "segments for sockets" },
	FUNC_IN(IS_TCP, .sees = "segments for sockets"),
};
const struct site tcp_output_sites[] = {
	{ .attach = ATTACH_CGROUP_EGRESS, .native = "dw_cgout", .when = IS_TCP, .sees = "segments of sockets" },
	FUNC_OUT("P->sk != 0 && " IS_TCP, .sees = "segments of sockets"),
};
const struct site tcp_write_sites[] = {
	{ .attach = ATTACH_TP_BTF,
		.target = "sock_send_length",
		.nargs = 3,
		.native = "dw_sockio",
		.when = IS_TCP " && P->ret > 0",
		.value = "P->ret",
		.sees = "every call that sends, however it is made, with what it left in the send buffer" },
};
const struct site tcp_user_sites[] = {
	{ .attach = ATTACH_TP_BTF,
		.target = "sock_send_length",
		.nargs = 3,
		.native = "dw_sockio",
		.when = IS_TCP " && P->ret >= 0",
		.value = "9",
		.sees = "a process has sent" },
	{ .attach = ATTACH_TP_BTF,
		.target = "sock_recv_length",
		.nargs = 3,
		.native = "dw_sockio",
		.when = IS_TCP " && P->ret >= 0",
		.value = "8",
		.sees = "a process has received" },
	{ .attach = ATTACH_TP_BTF,
		.target = "inet_sock_set_state",
		.nargs = 3,
		.native = "dw_setstate",
		.when = "P->sk->sk_protocol == DW_IPPROTO_TCP && P->oldstate == DW_TCP_CLOSE && P->state == "
			"DW_TCP_SYN_SENT",
		.value = "4",
		.sees = "connect()" },
	{ .attach = ATTACH_TP_BTF,
		.target = "inet_sock_set_state",
		.nargs = 3,
		.native = "dw_setstate",
		.when = "P->sk->sk_protocol == DW_IPPROTO_TCP && P->oldstate == DW_TCP_CLOSE && P->state == "
			"DW_TCP_LISTEN",
		.value = "3",
		.sees = "listen()" },
	{ .attach = ATTACH_TP_BTF,
		.target = "tcp_destroy_sock",
		.nargs = 1,
		.native = "dw_sockev",
		.value = "1",
		.sees = "the end of a socket" },
	FUNC_SITE("tcp_sendmsg", 1, "dw_sockev", .value = "9", .sees = "a process sends"),
	FUNC_SITE("tcp_recvmsg", 1, "dw_sockev", .value = "8", .sees = "a process receives"),
	FUNC_SITE("tcp_v4_connect", 1, "dw_sockev", .value = "4", .sees = "connect()"),
	FUNC_SITE("tcp_v6_connect", 1, "dw_sockev", .value = "4", .sees = "connect()"),
	FUNC_SITE("inet_csk_listen_start", 1, "dw_sockev", .when = "P->sk->sk_protocol == DW_IPPROTO_TCP", .value = "3",
		.sees = "listen()"),
	FUNC_SITE("tcp_v4_destroy_sock", 1, "dw_sockev", .value = "1", .sees = "the end of a socket"),
};
