/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcp_events: sites of the tcp provider for losses, resets, full listeners, congestion, and FreeBSD's debug probes.
 * Each site was measured on Linux 6.18 against the kernel's own counters or a packet capture. */
#include "prov/net/tcp.h"

/* Data that is sent again. The congestion state gives the reason: a timeout is in the loss state, fast retransmission
 * in recovery; a tail loss probe is sent in neither. */
const struct site tcp_retransmit_sites[] = {
	SOCKET_SENT("dw_is_tcp[P] && dw_sent_again[P]", "segments of sockets that are sent again, SYNs too"),
	{ TP("net_dev_queue", 1, "dw_synack"), .when = "dw_synack_again[P] && dw_first_device[P]",
		.sees = "SYN-ACKs that are sent again" },
	FUNC_OUT("dw_synack_again[P]", .sees = "SYN-ACKs that are sent again"),
};

/* Recovery or loss. A tail loss probe is sent in neither: it calls the inner function directly, which the compiler
 * may have inlined into the outer one. */
#define LOST "((struct inet_connection_sock *)P->sk)->icsk_ca_state >= DW_TCP_CA_RECOVERY"

const struct site tcp_resend_sites[] = {
	{ TP("tcp_retransmit_skb", 2, "dw_resent"), .when = "dw_resent_counted[P]",
		.sees = "what a socket sends again, before it has headers" },
	{ TP("tcp_retransmit_synack", 2, "dw_resynack"), .sees = "SYN-ACKs that are sent again" },
	FUNC_END("tcp_retransmit_skb", 2, "dw_resent", .when = "P->ret == 0 && " LOST,
		.sees = "what a socket sends again, before it has headers"),
	FUNC_END("__tcp_retransmit_skb", 2, "dw_resent", .when = "P->ret == 0 && !(" LOST ")",
		.sees = "the same of tail loss probes"),
	FUNC_END("tcp_rtx_synack", 2, "dw_resynack", .when = "P->ret == 0", .sees = "SYN-ACKs that are sent again"),
};

const struct site tcp_drop_sites[] = {
	{ TP("kfree_skb", 4, "dw_drop"), .when = "!dw_stopped[P] && dw_is_loss[P]",
		.sees = "segments that the kernel drops; the owner where a socket did it" },
	STOPPED("dw_stopped[P] && P->proto == DW_IPPROTO_TCP",
		.sees = "segments that netfilter stops on their way out"),
	FUNC_DROPS("!dw_stopped[P] && dw_ip_freed[P] && P->proto == DW_IPPROTO_TCP &&"
		   " P->reason != SKB_DROP_REASON_NOT_SPECIFIED",
		"!dw_stopped[P] && dw_is_loss[P]",
		.sees = "segments that the kernel drops; before Linux 6.11 those with a reason, without the "
			"owner"),
};

const struct site tcp_rto_sites[] = {
	{ TP("tcp_cong_state_set", 2, "dw_caset"), .when = "dw_timed_out[P]",
		.sees = "the retransmission timer, as it enters the loss state" },
	FUNC_SITE("tcp_set_ca_state", 2, "dw_caset", .when = "dw_timed_out[P]",
		.sees = "the retransmission timer, as it enters the loss state"),
};
const struct site tcp_congestion_sites[] = {
	{ TP("tcp_cong_state_set", 2, "dw_caset"), .when = "dw_ca_changes[P]",
		.sees = "changes of the congestion state" },
	FUNC_SITE("tcp_set_ca_state", 2, "dw_caset", .when = "dw_ca_changes[P]",
		.sees = "changes of the congestion state"),
};
const struct site tcp_reduced_sites[] = {
	{ TP("tcp_cong_state_set", 2, "dw_caset"), .when = "dw_ca_reduces[P]",
		.sees = "the step into cwr, recovery or loss" },
	FUNC_SITE("tcp_set_ca_state", 2, "dw_caset", .when = "dw_ca_reduces[P]",
		.sees = "the step into cwr, recovery or loss"),
};

const struct site tcp_zero_sent_sites[] = {
	SOCKET_SENT("dw_zero_window[P]", "segments of sockets that announce a window of 0"),
};
const struct site tcp_zero_received_sites[] = {
	SOCKET_GOT("dw_zero_window[P]", "segments for sockets that announce a window of 0"),
};

/* ---- resets ------------------------------------------------------------------------------------------------------ */
const struct site tcp_reset_sent_sites[] = {
	{ TP("tcp_send_reset", 3, "dw_rstreply"), .when = "P->skb != 0",
		.sees = "resets that answer a segment: args[4] is the reset's header" },
	{ TP("tcp_send_reset", 3, "dw_rstactive"), .when = "P->skb == 0 && P->sk != 0",
		.sees = "resets of a socket that gives up: args[4] is made of the socket" },
	FUNC_ANSWER("dw_rstreply", "",
		.sees = "resets that answer a segment: args[4] is its header; the reason since Linux 6.10"),
	FUNC_GIVES_UP(.sees = "resets of a socket that gives up: args[4] is made of the socket"),
};
static const struct site reset_comes = TCP_RESET_COMES;
const struct site tcp_reset_received_sites[] = {
	{ TP("tcp_receive_reset", 1, "dw_rstrecv"), .when = "dw_reset_came[P]", .with = &reset_comes,
		.sees = "resets that a socket takes (not those of a handshake that is no socket yet); the segment is "
			"not known" },
	FUNC_SITE("tcp_reset", 1, "dw_rstrecv", .when = "dw_reset_came[P]",
		.sees = "resets that a socket takes; the segment is not known"),
};

/* ---- listeners --------------------------------------------------------------------------------------------------- */
/* SYNs are seen on every kernel; the last ACK has a drop reason since Linux 6.13. */
#define SITE_SYN_OVERFLOW                                                                                           \
	{                                                                                                           \
		.attach = ATTACH_CGROUP_INGRESS, .native = "dw_cgin", .bh_off = true, .when = "dw_syn_overflow[P]", \
		.sees = "a SYN that meets a full accept queue"                                                      \
	}
#define SITE_ACK_OVERFLOW                                                                                      \
	{                                                                                                      \
		TP("kfree_skb", 4, "dw_drop"),                                                                 \
			.optional = true, .when = "dw_ack_overflow[P]",                                        \
			.sees = "since Linux 6.13: the last ACK of a handshake that meets a full accept queue" \
	}

/* clang-format off */
#define SITE_FUNC_OVERFLOW \
	FUNC_IN("dw_syn_overflow[P]", .sees = "a SYN that meets a full accept queue"), \
	FUNC_FULL_QUEUE(.sees = "the last ACK of a handshake that meets a full accept queue")
/* clang-format on */

const struct site tcp_overflow_sites[] = { SITE_SYN_OVERFLOW, SITE_ACK_OVERFLOW, SITE_FUNC_OVERFLOW };
const struct site tcp_listen_drop_sites[] = {
	SITE_SYN_OVERFLOW,
	SITE_ACK_OVERFLOW,
	SOCKET_GOT("dw_synq_overflow[P]", "a SYN that meets a full queue of handshakes, where SYN cookies are off"),
	SITE_FUNC_OVERFLOW,
};

/* ---- FreeBSD's --------------------------------------------------------------------------------------------------- */
const struct site tcp_autoresize_sites[] = {
	{ TP("tcp_rcvbuf_grow", 2, "dw_sockev"), .value = "P->sk->sk_rcvbuf", .when = "dw_rcvbuf_grows[P]",
		.sees = "since Linux 6.16: the kernel finds that the reader needs a larger buffer" },
};
const struct site tcp_siftr_sites[] = {
	SOCKET_SENT("dw_is_tcp[P]", "segments of sockets"),
	SOCKET_GOT("dw_got_tcp[P]", "segments for sockets"),
};
const struct site tcp_input_sites[] = {
	SOCKET_GOT("dw_got_tcp[P]", "segments for sockets"),
};
const struct site tcp_output_sites[] = {
	SOCKET_SENT("dw_is_tcp[P]", "segments of sockets"),
};
const struct site tcp_write_sites[] = {
	{ TP("sock_send_length", 3, "dw_sockio"), .when = "dw_is_tcp[P] && P->ret > 0", .value = "P->ret",
		.sees = "every call that sends, however it is made, with what it left in the send buffer" },
};
/* TCP paces by itself where no fq does it. */
const struct site tcp_pace_sites[] = {
	{ TP("hrtimer_start", 2, "dw_pace"), .irqs_off = true, .when = "P->op != 0",
		.value = "P->since > timestamp ? P->since - timestamp : 0", .sees = "the timer by which TCP paces" },
};
const struct site tcp_user_sites[] = {
	{ TP("sock_send_length", 3, "dw_sockio"), .when = "dw_is_tcp[P] && P->ret >= 0", .value = "DW_PRU_SEND",
		.sees = "a process has sent" },
	{ TP("sock_recv_length", 3, "dw_sockio"), .when = "dw_is_tcp[P] && P->ret >= 0", .value = "DW_PRU_RCVD",
		.sees = "a process has received" },
	{ TP("inet_sock_set_state", 3, "dw_setstate"),
		.when = "P->sk->sk_protocol == DW_IPPROTO_TCP && P->oldstate == DW_TCP_CLOSE && P->state == "
			"DW_TCP_SYN_SENT",
		.value = "DW_PRU_CONNECT", .sees = "connect()" },
	{ TP("inet_sock_set_state", 3, "dw_setstate"),
		.when = "P->sk->sk_protocol == DW_IPPROTO_TCP && P->oldstate == DW_TCP_CLOSE && P->state == "
			"DW_TCP_LISTEN",
		.value = "DW_PRU_LISTEN", .sees = "listen()" },
	{ TP("tcp_destroy_sock", 1, "dw_sockev"), .value = "DW_PRU_DETACH", .sees = "the end of a socket" },
	FUNC_SITE("tcp_sendmsg", 1, "dw_sockev", .value = "DW_PRU_SEND", .sees = "a process sends"),
	FUNC_SITE("tcp_recvmsg", 1, "dw_sockev", .value = "DW_PRU_RCVD", .sees = "a process receives"),
	FUNC_SITE("tcp_v4_connect", 1, "dw_sockev", .value = "DW_PRU_CONNECT", .sees = "connect()"),
	FUNC_SITE("tcp_v6_connect", 1, "dw_sockev", .value = "DW_PRU_CONNECT", .sees = "connect()"),
	FUNC_SITE("inet_csk_listen_start", 1, "dw_sockev", .when = "P->sk->sk_protocol == DW_IPPROTO_TCP",
		.value = "DW_PRU_LISTEN", .sees = "listen()"),
	FUNC_SITE("tcp_v4_destroy_sock", 1, "dw_sockev", .value = "DW_PRU_DETACH", .sees = "the end of a socket"),
};
