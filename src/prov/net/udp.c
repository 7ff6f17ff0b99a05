/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udp, udplite: datagrams between a socket and IP. In the hooks tier cgroup_skb sees each datagram with its socket;
 * kfree_skb sees those that reach no socket or that netfilter stops. Linux has UDP-Lite (RFC 3828) until 7.0. */
#include "prov/net/functions.h"
#include "prov/provider.h"

#define UDP_FREED "dw_ip_freed[P] && P->proto == DW_IPPROTO_UDP && P->recv && "

/* args[0] to args[4] of the probes of UDP. */
#define DATAGRAM "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "udpsinfo_t *", "udpinfo_t *"
static const char *const args[] = { DATAGRAM, NULL };
static const char *const drop_args[] = { DATAGRAM, "dropinfo_t *", NULL };
static const char *const lite_args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "udplitesinfo_t *",
	"udpliteinfo_t *", NULL };

static const struct site send_sites[] = {
	SOCKET_SENT("dw_is_udp[P]", "every datagram that a UDP socket hands to IP, before it is cut into fragments"),
};
static const struct site receive_sites[] = {
	SOCKET_GOT("dw_is_udp[P]", "every datagram for a UDP socket, before it is queued"),
};
static const struct site no_port_sites[] = {
	{ TP("kfree_skb", 4, "dw_drop"), .when = UDP_FREED "dw_udp_no_port[P]",
		.sees = "datagrams to one address that find no socket" },
	FUNC_DROP(UDP_FREED "dw_udp_no_port[P]", .sees = "datagrams to one address that find no socket"),
};
static const struct site receive_drop_sites[] = {
	{ TP("kfree_skb", 4, "dw_drop"), .when = UDP_FREED "dw_udp_refused[P]",
		.sees = "datagrams that a socket could not take, and those with a wrong checksum or length" },
	FUNC_DROP(UDP_FREED "(dw_udp_refused[P] || P->reason == SKB_DROP_REASON_SOCKET_RCVBUFF ||"
			    " P->reason == SKB_DROP_REASON_SOCKET_FILTER)",
		.sees = "datagrams that a socket could not take, and those with a wrong checksum or length"),
};

static const struct probe_def probes[] = {
	{ "send", args, TABLE(send_sites), "UDP hands a datagram to IP" },
	{ "receive", args, TABLE(receive_sites), "UDP receives a datagram for a socket" },
	{ "no-port", drop_args, TABLE(no_port_sites), "a datagram finds no socket: args[5] is the kernel's reason" },
	{ "receive-drop", drop_args, TABLE(receive_drop_sites),
		"UDP drops a received datagram: args[5] says why (full buffer, checksum, filter)" },
};

static const struct prov_counter counters[] = {
	{ "send", "Udp:OutDatagrams Udp6OutDatagrams" },
	{ "receive", "Udp:InDatagrams Udp6InDatagrams" },
	{ 0 },
};

const struct provider udp_provider = { PROVIDER("udp", "dw_pkt", probes), .counters = counters, .datagrams = true };

/* ---- udplite ----------------------------------------------------------------------------------------------------- */
static const struct site lite_send_sites[] = {
	SOCKET_SENT("dw_is_udplite[P]", "every datagram that a UDP-Lite socket hands to IP"),
};
static const struct site lite_receive_sites[] = {
	SOCKET_GOT("dw_is_udplite[P]", "every datagram for a UDP-Lite socket, before it is queued"),
};

static const struct probe_def lite_probes[] = {
	{ "send", lite_args, TABLE(lite_send_sites), "UDP-Lite hands a datagram to IP" },
	{ "receive", lite_args, TABLE(lite_receive_sites), "UDP-Lite receives a datagram for a socket" },
};

const struct provider udplite_provider = { PROVIDER("udplite", "dw_pkt", lite_probes), .datagrams = true };
