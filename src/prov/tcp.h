/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcp: what the files of the tcp provider share: conditions over P, and the sites that are in tcp_events.c. */
#ifndef DWIRE_PROV_TCP_H
#define DWIRE_PROV_TCP_H
#include "prov/conditions.h"
#include "prov/functions.h"
#include "prov/provider.h"

/* A segment's flags: FIN 1, SYN 2, RST 4, PUSH 8, ACK 16. */
#define FLAGS "((ntohl(((union tcp_word_hdr *)P->th)->words[3]) >> 16) & 0xff)"
#define TCP_SOCK "((struct tcp_sock *)P->sk)"
#define ICSK "((struct inet_connection_sock *)P->sk)"
#define IS_TCP "P->sk->sk_protocol == DW_IPPROTO_TCP && P->sk->sk_type == DW_SOCK_STREAM"

/* A segment of a connection, with payload, SYN or FIN, whose numbers were sent before. */
#define SEGMENT_AGAIN                                                                                                  \
	"(P->state != DW_TCP_LISTEN && (int32_t)(ntohl(((struct tcphdr *)P->th)->seq) - " TCP_SOCK "->snd_nxt) < 0 &&" \
	" ((" FLAGS                                                                                                    \
	" & (DW_TH_FIN | DW_TH_SYN)) != 0 || P->skb->len > P->th - P->nh + ((struct tcphdr *)P->th)->doff * 4))"

/* The first SYN: it is sent before snd_nxt moves over it. */
#define FIRST_SYN                                                                                         \
	IS_TCP " && P->state == DW_TCP_SYN_SENT && (" FLAGS " & (DW_TH_SYN | DW_TH_ACK)) == DW_TH_SYN &&" \
	       " ntohl(((struct tcphdr *)P->th)->seq) == " TCP_SOCK "->snd_nxt"

/* The socket of the kernel's own that IPv4 resets without a socket leave by; a user's raw socket does not count. */
#define RESET_SOCK(sk)                                                                                                \
	sk "->__sk_common.skc_state == DW_TCP_CLOSE && " sk "->sk_type == DW_SOCK_RAW && " sk "->sk_kern_sock && " sk \
	   "->sk_protocol == DW_IPPROTO_TCP"

/* What leaves past the sockets' hook, or without a socket of its own: from TIME_WAIT, resets without a socket, and IPv6
 * resets for a socket that is not to send them itself (an active reset carries ACK too). skb_iif is 0 for what this
 * machine made. */
#define QUEUED_TCP                                                                                                   \
	"P->skb->skb_iif == 0 && (P->skb->sk == 0 || P->skb->sk->__sk_common.skc_state == DW_TCP_TIME_WAIT ||"       \
	" (P->skb->protocol == 0x0008 ? " RESET_SOCK(                                                                \
		"P->skb->sk") " : P->skb->sk->__sk_common.skc_state != DW_TCP_NEW_SYN_RECV)) &&"                     \
			      " (P->skb->protocol == DW_ETH_P_IP || P->skb->protocol == DW_ETH_P_IPV6) && P->proto " \
			      "== DW_IPPROTO_TCP &&"                                                                 \
			      " (P->skb->sk == 0 || P->skb->protocol == DW_ETH_P_IP || "                             \
			      "P->skb->sk->__sk_common.skc_state "                                                   \
			      "== 6 ||"                                                                              \
			      " (" FLAGS " & (DW_TH_RST | DW_TH_ACK)) == DW_TH_RST) && " FIRST_DEVICE

/* The kernel keeps the time of the first one (us), each buffer has its own (ns). */
#define SYNACK_AGAIN                                                                                             \
	"P->skb->skb_iif == 0 && P->skb->sk != 0 && P->skb->sk->__sk_common.skc_state == DW_TCP_NEW_SYN_RECV &&" \
	" ((struct tcp_request_sock *)P->skb->sk)->snt_synack != 0 &&"                                           \
	" ((struct tcp_request_sock *)P->skb->sk)->snt_synack != (uint64_t)P->skb->tstamp / 1000"

/* A listener's queues. Without cookies the last quarter of the handshakes' is for hosts that were heard of before:
 * whether this one was cannot be seen. */
#define LISTENER_SYN                                      \
	IS_TCP " && P->state == DW_TCP_LISTEN && (" FLAGS \
	       " & (DW_TH_FIN | DW_TH_SYN | DW_TH_RST | DW_TH_ACK)) == DW_TH_SYN"
#define ACCEPTQ_FULL "P->sk->sk_ack_backlog > P->sk->sk_max_ack_backlog"
#define NETNS_IPV4 "P->sk->__sk_common.skc_net.net->ipv4"
#define SYNQ_FULL "(uint32_t)" ICSK "->icsk_accept_queue.qlen.counter > P->sk->sk_max_ack_backlog"
#define NO_COOKIES NETNS_IPV4 ".sysctl_tcp_syncookies == 0"
#define SYN_OVERFLOW LISTENER_SYN " && " ACCEPTQ_FULL " && !(" NO_COOKIES " && " SYNQ_FULL ")"
#define SYNQ_OVERFLOW LISTENER_SYN " && " NO_COOKIES " && " SYNQ_FULL
#define ACK_OVERFLOW                                                  \
	"P->sk != 0 && (__has(SKB_DROP_REASON_TCP_LISTEN_OVERFLOW) ?" \
	" P->reason == SKB_DROP_REASON_TCP_LISTEN_OVERFLOW : 0)"

/* At tcp_cong_state_set. The loss state is entered by a timeout at each firing, but also when SACK reneges, and
 * without a loss when the path's MTU has shrunk: then there is nothing to undo. */
#define TIMED_OUT                                                           \
	"P->newca == DW_TCP_CA_LOSS && " TCP_SOCK "->is_sack_reneg == 0 &&" \
	" (" ICSK "->icsk_ca_state == DW_TCP_CA_LOSS || " TCP_SOCK "->undo_marker != 0)"

extern const struct site tcp_retransmit_sites[6];
extern const struct site tcp_resend_sites[5];
extern const struct site tcp_drop_sites[3];
extern const struct site tcp_rto_sites[2];
extern const struct site tcp_congestion_sites[2];
extern const struct site tcp_reduced_sites[2];
extern const struct site tcp_zero_sent_sites[3];
extern const struct site tcp_zero_received_sites[2];
extern const struct site tcp_reset_sent_sites[6];
extern const struct site tcp_reset_received_sites[2];
extern const struct site tcp_overflow_sites[4];
extern const struct site tcp_listen_drop_sites[6];
extern const struct site tcp_autoresize_sites[1];
extern const struct site tcp_siftr_sites[5];
extern const struct site tcp_input_sites[2];
extern const struct site tcp_output_sites[3];
extern const struct site tcp_user_sites[11];
extern const struct site tcp_write_sites[1];
#endif
