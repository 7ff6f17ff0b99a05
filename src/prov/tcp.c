/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcp: segments, connections and their states, the hooks tier. Measured on Linux 6.18: each segment that a packet
 * capture shows is seen at exactly one of a probe's sites. */
#include "prov/tcp.h"

#define ACK_SEQ "ntohl(((struct tcphdr *)P->th)->ack_seq)"

static const char *const args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "tcpsinfo_t *", "tcpinfo_t *", NULL };
static const char *const state_args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "tcpsinfo_t *", "tcpinfo_t *",
	"tcplsinfo_t *", NULL };

static const char *const retrans_args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "tcpsinfo_t *", "tcpinfo_t *",
	"tcpretransinfo_t *", NULL };
static const char *const resend_args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "tcpsinfo_t *", "tcpinfo_t *",
	"tcpresendinfo_t *", NULL };
static const char *const drop_args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "tcpsinfo_t *", "tcpinfo_t *",
	"dropinfo_t *", NULL };
static const char *const reset_args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "tcpsinfo_t *", "tcpinfo_t *",
	"tcpresetinfo_t *", NULL };
static const char *const ca_args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "tcpsinfo_t *", "tcpinfo_t *",
	"tcpcainfo_t *", NULL };
static const char *const resize_args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "tcpsinfo_t *", "tcpinfo_t *",
	"int", NULL };
/* FreeBSD's order */
static const char *const debug_args[] = { "tcpsinfo_t *", "tcpinfo_t *", "ipinfo_t *", NULL };
static const char *const user_args[] = { "tcpsinfo_t *", "int", NULL };
static const char *const siftr_args[] = { "siftrinfo_t *", NULL };

static const struct site send_sites[] = {
	{ .attach = ATTACH_CGROUP_EGRESS, .native = "dw_cgout", .when = IS_TCP, .sees = "segments of sockets" },
	{ .attach = ATTACH_TP_BTF,
		.target = "net_dev_queue",
		.nargs = 1,
		.native = "dw_devqueue",
		.when = QUEUED_TCP,
		.sees = "segments from TIME_WAIT and resets, that no socket sends" },
	FUNC_OUT("P->sk != 0 && " IS_TCP, .sees = "segments of sockets"),
	FUNC_OUT_NONE(FUNC_OUT_TCP, .sees = "segments from TIME_WAIT and resets, that no socket sends"),
};

/* tcp_send_reset tells of resets without a socket since it has a third argument, the reason. */
static const struct site receive_sites[] = {
	{ .attach = ATTACH_CGROUP_INGRESS,
		.native = "dw_cgin",
		.when = IS_TCP,
		.bh_off = true,
		.sees = "segments for sockets" },
	{ .attach = ATTACH_TP_BTF,
		.target = "tcp_send_reset",
		.nargs = 3,
		.native = "dw_refused",
		.when = "P->skb != 0 && P->refused_sk == 0",
		.sees = "segments without a socket, that are answered by a reset" },
	{ .attach = ATTACH_TP_BTF,
		.target = "kfree_skb",
		.nargs = 4,
		.native = "dw_freed",
		.when = "(P->rx_sk != 0 ? P->rx_sk->__sk_common.skc_state == DW_TCP_TIME_WAIT : P->reason == "
			"SKB_DROP_REASON_NO_SOCKET) &&"
			" (P->skb->protocol == DW_ETH_P_IP || P->skb->protocol == DW_ETH_P_IPV6) && P->proto == "
			"DW_IPPROTO_TCP &&"
			" (P->rx_sk != 0 || (" FLAGS " & DW_TH_RST) != 0)",
		.sees = "segments for TIME_WAIT (after their answer left), and resets without a socket" },
	FUNC_IN(IS_TCP, .sees = "segments for sockets"),
	FUNC_TIMEWAIT(
		"(" FLAGS " & (DW_TH_SYN | DW_TH_RST | DW_TH_ACK)) != DW_TH_SYN", .sees = "segments for TIME_WAIT"),
	FUNC_ANSWER("dw_refused", " && P->refused_sk == 0",
		.sees = "segments without a socket, that are answered by a reset"),
	FUNC_DROP("P->rx_sk == 0 && P->reason == SKB_DROP_REASON_NO_SOCKET && " IP_FREED
		  " && P->proto == DW_IPPROTO_TCP && (" FLAGS " & 4) != 0",
		.sees = "resets without a socket"),
};

/* Does the kernel report the step of an accepted socket from LISTEN to SYN_RECV after the socket has got its addresses
 * and its cookie? Since 6.15, which BTF shows by a setting of the same age. */
#define ADDRESSED "__has(((struct netns_ipv4 *)0)->sysctl_tcp_rto_max_ms)"

static const struct site state_sites[] = {
	{ .attach = ATTACH_TP_BTF,
		.target = "inet_sock_set_state",
		.nargs = 3,
		.native = "dw_setstate",
		.when = "P->sk->sk_protocol == DW_IPPROTO_TCP && (" ADDRESSED
			" ? 1 : P->oldstate != DW_TCP_LISTEN || P->state != DW_TCP_SYN_RECV)",
		.sees = "all changes but those of TIME_WAIT, which Linux keeps outside of the socket: seen as closed" },
	{ .attach = ATTACH_CGROUP_SOCKOPS,
		.native = "dw_synrecv",
		.sk_only = true,
		.when = "!" ADDRESSED " && P->op == DW_SOCK_OPS_PASSIVE && P->sk->__sk_common.skc_state == "
				      "DW_TCP_SYN_RECV && !(" ACTIVE_SOCK ")",
		.sees = "before Linux 6.15: the step of an accepted socket to syn-received, a moment later" },
	FUNC_SET_STATE("P->sk->sk_protocol == DW_IPPROTO_TCP && (" ADDRESSED
		       " ? 1 : P->oldstate != DW_TCP_LISTEN || P->state != DW_TCP_SYN_RECV)",
		.sees = "all changes but those of TIME_WAIT"),
	FUNC_SITE("tcp_init_transfer", 3, "dw_synrecv",
		.when = "!" ADDRESSED " && P->op == DW_SOCK_OPS_PASSIVE && P->sk->__sk_common.skc_state == "
				      "DW_TCP_SYN_RECV && !(" ACTIVE_SOCK ")",
		.sees = "before Linux 6.15: the step of an accepted socket to syn-received, a moment later"),
};

static const struct site request_sites[] = {
	/* the first SYN is sent before snd_nxt moves over it */
	{ .attach = ATTACH_CGROUP_EGRESS, .native = "dw_cgout", .when = FIRST_SYN, .sees = "the first SYN" },
	FUNC_OUT("P->sk != 0 && " FIRST_SYN, .sees = "the first SYN"),
};

static const struct site established_sites[] = {
	{ .attach = ATTACH_CGROUP_SOCKOPS,
		.native = "dw_sockops",
		.when = "P->op == DW_SOCK_OPS_ACTIVE || (P->op == DW_SOCK_OPS_PASSIVE && " ACTIVE_SOCK ")",
		.sees = "the segment that completes the handshake" },
	FUNC_SITE("tcp_init_transfer", 3, "dw_sockops",
		.when = "P->skb != 0 && (P->op == DW_SOCK_OPS_ACTIVE || (P->op == DW_SOCK_OPS_PASSIVE && " ACTIVE_SOCK
			"))",
		.sees = "the segment that completes the handshake"),
};

static const struct site accepted_sites[] = {
	{ .attach = ATTACH_CGROUP_SOCKOPS,
		.native = "dw_sockops",
		.when = "P->op == DW_SOCK_OPS_PASSIVE && !(" ACTIVE_SOCK ")",
		.sees = "the segment that completes the handshake" },
	FUNC_SITE("tcp_init_transfer", 3, "dw_sockops",
		.when = "P->skb != 0 && P->op == DW_SOCK_OPS_PASSIVE && !(" ACTIVE_SOCK ")",
		.sees = "the segment that completes the handshake"),
};

/* What the kernel accepts as a reset in this state: RFC 9293 3.10.7.3 */
#define REFUSES                                                            \
	IS_TCP " && P->state == DW_TCP_SYN_SENT && (" FLAGS                \
	       " & (DW_TH_RST | DW_TH_ACK)) == (DW_TH_RST | DW_TH_ACK) &&" \
	       " (int32_t)(" ACK_SEQ " - " TCP_SOCK "->snd_una) > 0 &&"    \
	       " (int32_t)(" ACK_SEQ " - " TCP_SOCK "->write_seq) <= 0"

static const struct site refused_sites[] = {
	{ .attach = ATTACH_CGROUP_INGRESS,
		.native = "dw_cgin",
		.bh_off = true,
		.when = REFUSES,
		.sees = "an acceptable reset in SYN_SENT" },
	FUNC_IN(REFUSES, .sees = "an acceptable reset in SYN_SENT"),
};

static const struct site turned_away_sites[] = {
	{ .attach = ATTACH_TP_BTF,
		.target = "tcp_send_reset",
		.nargs = 3,
		.native = "dw_refusal",
		.when = "P->skb != 0 && P->refused_sk == 0 && (" FLAGS " & (DW_TH_SYN | DW_TH_ACK)) == DW_TH_SYN",
		.sees = "a SYN without a listener, as its reset is made" },
	FUNC_ANSWER("dw_refusal", " && P->refused_sk == 0 && (" FLAGS " & (DW_TH_SYN | DW_TH_ACK)) == DW_TH_SYN",
		.sees = "a SYN without a listener, as its reset is made"),
};

static const struct probe_def probes[] = {
	{ "accept-established", args, TABLE(accepted_sites),
		"a passive open succeeded: args[4] is the last ACK of the handshake" },
	{ "accept-refused", args, TABLE(turned_away_sites),
		"a SYN met no listener: args[4] is the reset that answers it" },
	{ "connect-established", args, TABLE(established_sites), "an active open succeeded: args[4] is the SYN-ACK" },
	{ "connect-refused", args, TABLE(refused_sites), "an active open was refused: args[4] is the reset" },
	{ "connect-request", args, TABLE(request_sites), "an active open begins: args[4] is the first SYN" },
	{ "receive", args, TABLE(receive_sites), "TCP receives a segment" },
	{ "send", args, TABLE(send_sites), "TCP hands a segment to IP" },
	{ "state-change", state_args, TABLE(state_sites),
		"a connection changes its state: the new one in args[3], the old in args[5]" },
	{ "congestion-state", ca_args, TABLE(tcp_congestion_sites),
		"the congestion state changes: args[5] is the new and the old; args[2], args[4] are NULL" },
	{ "cwnd-reduced", ca_args, TABLE(tcp_reduced_sites),
		"the connection begins to send less: args[5] tells why; args[2], args[4] are NULL" },
	{ "debug-drop", debug_args, TABLE(tcp_drop_sites), "FreeBSD's: the segment of tcp:::drop" },
	{ "debug-input", debug_args, TABLE(tcp_input_sites), "FreeBSD's: a segment for a socket" },
	{ "debug-output", debug_args, TABLE(tcp_output_sites), "FreeBSD's: a segment of a socket" },
	{ "debug-user", user_args, TABLE(tcp_user_sites),
		"FreeBSD's: a process asks something of a socket: args[1] PRU_*" },
	{ "drop", drop_args, TABLE(tcp_drop_sites), "the kernel throws a segment away: args[5] tells why" },
	{ "listen-drop", args, TABLE(tcp_listen_drop_sites), "a listener throws away a SYN, or a handshake" },
	{ "listen-overflow", args, TABLE(tcp_overflow_sites),
		"... because nobody accepts its connections fast enough" },
	{ "receive-autoresize", resize_args, TABLE(tcp_autoresize_sites),
		"the receive buffer is to grow: args[5] is its size until now; args[2], args[4] are NULL" },
	{ "resend", resend_args, TABLE(tcp_resend_sites),
		"a socket sends again, at the cost of that alone: args[5] tells what; args[2], args[4] are NULL" },
	{ "reset-received", reset_args, TABLE(tcp_reset_received_sites),
		"a reset ends a connection: args[5] is the error; args[2], args[4] are NULL" },
	{ "reset-sent", reset_args, TABLE(tcp_reset_sent_sites), "TCP sends a reset: args[5] tells why" },
	{ "retransmit", retrans_args, TABLE(tcp_retransmit_sites), "a segment is sent again: args[5] tells why" },
	{ "rto", ca_args, TABLE(tcp_rto_sites), "the retransmission timer has fired; args[2], args[4] are NULL" },
	{ "siftr", siftr_args, TABLE(tcp_siftr_sites), "FreeBSD's: a segment comes or goes: the connection's state" },
	{ "write", resize_args, TABLE(tcp_write_sites),
		"a process has written to a connection: args[5] is how many bytes; args[2], args[4] are NULL" },
	{ "zero-window-received", args, TABLE(tcp_zero_received_sites), "the other side's receive window is closed" },
	{ "zero-window-sent", args, TABLE(tcp_zero_sent_sites), "a socket tells that its receive window is closed" },
};

const struct provider tcp_provider = { PROVIDER("tcp", "dw_pkt", probes) };
