/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ip: packets that IP sends and receives. In the hooks tier cgroup_skb sees the packets that sockets send, and
 * kfree_skb those that netfilter stops before that hook. Other packets (forwarded, or sent by the kernel without a
 * socket) are seen when they go to a device. A packet is received when IP has counted it (IP_RECEIVED). A packet that
 * crosses a bridge, a bond, a VLAN or a veth pair counts once in each direction and namespace. */
#include "prov/net/functions.h"
#include "prov/provider.h"

/* args[0] to args[5] of the probes of packets. */
#define PACKET "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "ifinfo_t *", "ipv4info_t *", "ipv6info_t *"
static const char *const args[] = { PACKET, NULL };

static const char *const drop_args[] = { PACKET, "dropinfo_t *", NULL };

static const struct site send_sites[] = {
	{ .attach = ATTACH_CGROUP_EGRESS, .native = "dw_cgout", .sees = "packets of sockets" },
	{ TP("net_dev_queue", 1, "dw_devqueue"), .bh_off = true, .when = "dw_ip_queued[P]",
		.sees = "packets that no socket sent: forwarded ones, resets, TIME_WAIT, the outer ones of tunnels" },
	STOPPED("dw_stopped[P]", .sees = "packets that netfilter stops"),
	FUNC_OUT(NULL, .sees = "packets that IP sends or forwards"),
};
static const struct site receive_sites[] = {
	IP_RECEIVED("", "packets that IP receives"),
	FUNC_RECEIVED("", .sees = "packets that a device delivers to IP"),
};

static const struct site forward_sites[] = {
	{ TP("net_dev_queue", 1, "dw_devqueue"), .bh_off = true, .when = "dw_ip_forwarded[P]",
		.sees = "packets that IP has forwarded, as they go to a device" },
	FUNC_OUT_NONE("dw_ip_routed[P]", .sees = "packets that IP has forwarded"),
};
static const struct site drop_sites[] = {
	{ TP("kfree_skb", 4, "dw_drop"),
		.when = "dw_ip_header[P] && !dw_stopped[P] &&"
			" (P->rx_sk == 0 || P->reason != SKB_DROP_REASON_NOT_SPECIFIED ||"
			" P->rx_sk->__sk_common.skc_state != DW_TCP_TIME_WAIT)",
		.sees = "IP packets that the kernel drops, at whatever layer" },
	STOPPED("dw_stopped[P]", .sees = "packets that netfilter stops on their way out"),
	FUNC_DROP("dw_ip_header[P] && !dw_stopped[P] &&"
		  " (P->proto != DW_IPPROTO_TCP || P->reason != SKB_DROP_REASON_NOT_SPECIFIED)",
		.sees = "IP packets that the kernel drops, at whatever layer"),
};

static const struct probe_def probes[] = {
	{ "send", args, TABLE(send_sites), "IP sends a packet" },
	{ "receive", args, TABLE(receive_sites), "IP receives a packet" },
	{ "forward", args, TABLE(forward_sites), "IP forwards a packet: args[3] is where it goes to" },
	{ "drop", drop_args, TABLE(drop_sites), "the kernel drops an IP packet: args[6] says why" },
};

static const struct prov_counter counters[] = {
	{ "send", "Ip:OutRequests Ip6OutRequests" },
	{ "receive", "Ip:InReceives Ip6InReceives" },
	{ 0 },
};

const struct provider ip_provider = { PROVIDER("ip", "dw_pkt", probes), .counters = counters };
