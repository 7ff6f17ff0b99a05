/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcp: segments, connections and their states. In the hooks tier each segment that a packet capture shows is seen at
 * exactly one site of a probe (measured on Linux 6.18); kfree_skb sees those that netfilter stops earlier. */
#include "prov/net/tcp.h"

/* args[0] to args[4] of the probes of segments and connections. */
#define SEGMENT "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "tcpsinfo_t *", "tcpinfo_t *"
static const char *const args[] = { SEGMENT, NULL };
static const char *const state_args[] = { SEGMENT, "tcplsinfo_t *", NULL };

static const char *const retrans_args[] = { SEGMENT, "tcpretransinfo_t *", NULL };
static const char *const resend_args[] = { SEGMENT, "tcpresendinfo_t *", NULL };
static const char *const drop_args[] = { SEGMENT, "dropinfo_t *", NULL };
static const char *const reset_args[] = { SEGMENT, "tcpresetinfo_t *", NULL };
static const char *const ca_args[] = { SEGMENT, "tcpcainfo_t *", NULL };
static const char *const pace_args[] = { SEGMENT, "uint64_t", NULL };
static const char *const resize_args[] = { SEGMENT, "int", NULL };
/* Arguments of FreeBSD's probes, in FreeBSD's order */
static const char *const debug_args[] = { "tcpsinfo_t *", "tcpinfo_t *", "ipinfo_t *", NULL };
static const char *const user_args[] = { "tcpsinfo_t *", "int", NULL };
static const char *const siftr_args[] = { "siftrinfo_t *", NULL };

/* A socket's segments have their owner at cgroup_skb. Those of no socket are seen at the device, where all packets
 * pass. */
static const struct site send_sites[] = {
	SOCKET_PASSED("dw_is_tcp[P]", "segments of sockets"),
	{ TP("net_dev_queue", 1, "dw_tcpqueue"), .when = "dw_tcp_queued[P]",
		.sees = "segments from TIME_WAIT and resets, that no socket sends" },
	STOPPED("dw_tcp_stopped[P]", .sees = "segments of either kind, that netfilter stops"),
	FUNC_OUT_NONE("dw_tcp_out_unseen[P]", .sees = "segments from TIME_WAIT and resets, that no socket sends"),
};

/* tcp_send_reset reports resets without a socket since it has a third argument, the reason. */
static const struct site receive_sites[] = {
	SOCKET_GOT("dw_got_tcp[P]", "segments for sockets"),
	{ TP("tcp_send_reset", 3, "dw_refused"), .when = "P->skb != 0 && P->refused_sk == 0",
		.sees = "segments without a socket, that are answered by a reset" },
	{ TP("kfree_skb", 4, "dw_freed"), .when = "dw_unanswered[P]",
		.sees = "segments for TIME_WAIT (after their answer left), and resets without a socket" },
	FUNC_TIMEWAIT("!dw_is_syn[P]", .sees = "segments for TIME_WAIT"),
	FUNC_NO_SOCKET(.sees = "segments without a socket"),
};

/* State changes of sockets, and the one change that a small socket (in FIN_WAIT2) makes. */
static const struct site state_sites[] = {
	{ TP("inet_sock_set_state", 3, "dw_setstate"), .step = true, .when = "dw_tcp_step[P]",
		.sees = "all changes but the last of TIME_WAIT, and of FIN_WAIT2 without a process: they end "
			"silently" },
	{ .attach = ATTACH_CGROUP_SOCKOPS,
		.native = "dw_synrecv",
		.sk_only = true,
		.step = true,
		.when = "dw_late_step[P]",
		.sees = "before Linux 6.15: the step of an accepted socket to syn-received, a moment later" },
	{ TP("kfree_skb", 4, "dw_twfin"), .step = true,
		.when = "dw_tw_entered[P] && __stamp(\"orphan\", dw_tw_key_of[P->rx_sk]) != 0",
		.sees = "since Linux 6.11: the step to TIME_WAIT of a connection that no process has any more, if it "
			"lost its "
			"process after the trace began" },
	FUNC_SET_STATE("dw_fstep[P]",
		.sees = "all changes but the last of TIME_WAIT, and of FIN_WAIT2 without a process: they end silently"),
	FUNC_SITE("tcp_init_transfer", 3, "dw_synrecv", .when = "dw_passive_step[P]",
		.sees = "the step of an accepted socket to syn-received, a moment later"),
	FUNC_SITE("tcp_timewait_state_process", 2, "dw_ftwfin", .when = "dw_tw_enters[P->rx_sk, P]",
		.sees = "the step to TIME_WAIT of a connection that no process has any more"),
};
static const struct site detach_sites[] = {
	{ TP("inet_sock_set_state", 3, "dw_setstate"), .step = true, .when = "dw_tcp_detach[P]",
		.sees = "the end of a socket that has sent its FIN, and whose other side has not" },
	FUNC_SET_STATE(
		"dw_tcp_detach[P]", .sees = "the end of a socket that has sent its FIN, and whose other side has not"),
};
/* A small socket in FIN_WAIT2 is noted when its full socket ends; kfree_skb then shows the FIN that it takes. */
static const struct stamp_event orphan_events[] = {
	{ .op = STAMP_SET,
		.key = "dw_tw_key[P->sk]",
		.site = { TP("inet_sock_set_state", 3, "dw_setstate"), .when = "dw_tcp_detach[P]" } },
	{ .op = STAMP_END,
		.key = "dw_tw_key_of[P->rx_sk]",
		.site = { TP("kfree_skb", 4, "dw_twfin"), .when = "dw_tw_entered[P]" } },
};
/* The kernel resets a closed socket that gets data as if it had received a reset. One that comes is noted. */
static const struct stamp_event reset_events[] = {
	{ .op = STAMP_SET, .key = "(uint64_t)P->sk", .site = TCP_RESET_COMES },
	{ .op = STAMP_SET, .key = "(uint64_t)P->sk", .site = FUNC_IN("dw_reset_comes[P]"), .instead = true },
	{ .op = STAMP_END, .key = "(uint64_t)P->sk", .site = { TP("tcp_receive_reset", 1, "dw_rstrecv") } },
	{ .op = STAMP_END, .key = "(uint64_t)P->sk", .site = FUNC_SITE("tcp_reset", 1, "dw_rstrecv"), .instead = true },
};
static const struct stamp stamps[] = { { "orphan", TABLE(orphan_events) }, { "reset", TABLE(reset_events) } };

static const struct site request_sites[] = {
	/* the first SYN is sent before snd_nxt passes it */
	SOCKET_SENT("dw_first_syn[P]", "the first SYN"),
};

/* sock_ops has the segment that completes the handshake; inet_sock_set_state does not. Nor does it see when TCP Fast
 * Open accepts a connection with its SYN: the step to ESTABLISHED comes later. */
static const struct site established_sites[] = {
	{ .attach = ATTACH_CGROUP_SOCKOPS,
		.native = "dw_sockops",
		.step = true,
		.when = "dw_connected[P]",
		.sees = "the segment that completes the handshake" },
	FUNC_SITE("tcp_init_transfer", 3, "dw_sockops", .when = "P->skb != 0 && dw_connected[P]",
		.sees = "the segment that completes the handshake"),
};

/* The same for a passive open. */
static const struct site accepted_sites[] = {
	{ .attach = ATTACH_CGROUP_SOCKOPS,
		.native = "dw_sockops",
		.step = true,
		.when = "dw_accepted[P]",
		.sees = "the segment that completes the handshake" },
	FUNC_SITE("tcp_init_transfer", 3, "dw_sockops", .when = "P->skb != 0 && dw_accepted[P]",
		.sees = "the segment that completes the handshake"),
};

static const struct site refused_sites[] = {
	SOCKET_GOT("dw_refuses[P]", "an acceptable reset in SYN_SENT"),
};

/* args[4] is the reset, whose header is made of the SYN. */
static const struct site turned_away_sites[] = {
	{ TP("tcp_send_reset", 3, "dw_refusal"), .when = "P->skb != 0 && P->refused_sk == 0 && dw_opens[P]",
		.sees = "a SYN without a listener, as its reset is made" },
	FUNC_ANSWER("dw_refusal", " && P->refused_sk == 0 && dw_opens[P]",
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
		"the connection begins to send less: args[5] says why; args[2], args[4] are NULL" },
	{ "debug-drop", debug_args, TABLE(tcp_drop_sites), "FreeBSD's: the segment of tcp:::drop" },
	{ "debug-input", debug_args, TABLE(tcp_input_sites), "FreeBSD's: a segment for a socket" },
	{ "debug-output", debug_args, TABLE(tcp_output_sites), "FreeBSD's: a segment of a socket" },
	{ "debug-user", user_args, TABLE(tcp_user_sites),
		"FreeBSD's: a process asks something of a socket: args[1] PRU_*" },
	{ "drop", drop_args, TABLE(tcp_drop_sites), "the kernel drops a segment: args[5] says why" },
	{ "detach", args, TABLE(detach_sites),
		"the kernel frees a socket whose connection waits in FIN_WAIT2; args[2], args[4] are NULL" },
	{ "listen-drop", args, TABLE(tcp_listen_drop_sites), "a listener drops a SYN, or a handshake" },
	{ "listen-overflow", args, TABLE(tcp_overflow_sites),
		"... because its connections are not accepted fast enough" },
	{ "pace", pace_args, TABLE(tcp_pace_sites),
		"TCP begins to wait because it paces: args[5] is how long, ns; args[2], args[4] are NULL" },
	{ "receive-autoresize", resize_args, TABLE(tcp_autoresize_sites),
		"the receive buffer is to grow: args[5] is its size until now; args[2], args[4] are NULL" },
	{ "resend", resend_args, TABLE(tcp_resend_sites),
		"a socket sends again, at the cost of that alone: args[5] says what; args[2], args[4] are NULL" },
	{ "reset-received", reset_args, TABLE(tcp_reset_received_sites),
		"a reset ends a connection: args[5] is the error; args[2], args[4] are NULL" },
	{ "reset-sent", reset_args, TABLE(tcp_reset_sent_sites), "TCP sends a reset: args[5] says why" },
	{ "retransmit", retrans_args, TABLE(tcp_retransmit_sites), "a segment is sent again: args[5] says why" },
	{ "rto", ca_args, TABLE(tcp_rto_sites), "the retransmission timer has fired; args[2], args[4] are NULL" },
	{ "siftr", siftr_args, TABLE(tcp_siftr_sites), "FreeBSD's: a segment comes or goes: the connection's state" },
	{ "write", resize_args, TABLE(tcp_write_sites),
		"a process has written to a connection: args[5] is how many bytes; args[2], args[4] are NULL" },
	{ "zero-window-received", args, TABLE(tcp_zero_received_sites), "the other side's receive window is closed" },
	{ "zero-window-sent", args, TABLE(tcp_zero_sent_sites), "a socket announces a closed receive window" },
};

static const struct prov_counter counters[] = {
	{ "send", "Tcp:OutSegs Tcp:RetransSegs" },
	{ "receive", "Tcp:InSegs" },
	{ 0 },
};

const struct provider tcp_provider = { PROVIDER("tcp", "dw_tcp", probes), STAMPED(stamps),
	/* as with FreeBSD's struct tcpcb: equal in all events of a connection */
	.arg0 = "(uint64_t)P->sk", .counters = counters };
