/* tcp: what the files of the tcp provider share: conditions over P, and the sites that are in tcp_events.c. */
#ifndef DWIRE_PROV_TCP_H
#define DWIRE_PROV_TCP_H
#include "prov/all.h"

/* A segment's flags: FIN 1, SYN 2, RST 4, PUSH 8, ACK 16. */
#define FLAGS "((ntohl(((union tcp_word_hdr *)P->th)->words[3]) >> 16) & 0xff)"
#define TCP_SOCK "((struct tcp_sock *)P->sk)"
#define ICSK "((struct inet_connection_sock *)P->sk)"
#define IS_TCP "P->sk->sk_protocol == 6 && P->sk->sk_type == 1"

/* A segment of a connection, with payload, SYN or FIN, whose numbers were sent before. */
#define SEGMENT_AGAIN                                                                                       \
	"(P->state != 10 && (int32_t)(ntohl(((struct tcphdr *)P->th)->seq) - " TCP_SOCK "->snd_nxt) < 0 &&" \
	" ((" FLAGS " & 3) != 0 || P->skb->len > P->th - P->nh + ((struct tcphdr *)P->th)->doff * 4))"

extern const struct site tcp_retransmit_sites[2];
extern const struct site tcp_drop_sites[1];
extern const struct site tcp_rto_sites[1];
extern const struct site tcp_congestion_sites[1];
extern const struct site tcp_reduced_sites[1];
extern const struct site tcp_zero_sent_sites[1];
extern const struct site tcp_zero_received_sites[1];
extern const struct site tcp_reset_sent_sites[2];
extern const struct site tcp_reset_received_sites[1];
extern const struct site tcp_overflow_sites[2];
extern const struct site tcp_listen_drop_sites[3];
extern const struct site tcp_autoresize_sites[1];
extern const struct site tcp_siftr_sites[2];
extern const struct site tcp_input_sites[1];
extern const struct site tcp_output_sites[1];
extern const struct site tcp_user_sites[5];
#endif
