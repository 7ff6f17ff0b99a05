/* SPDX-License-Identifier: GPL-2.0-or-later */
/* path: the stages of an IP packet's way through the kernel, each with the packet's identity and the time since the
 * stage before; only functions show some of them. Programs at netfilter are first at the hooks where a packet arrives
 * (before rules and address translation) and last where it leaves (after them). A packet is followed by the memory of
 * its headers, which its clones share; bpf/lib_packet.h decides when that memory belongs to a new packet. */
#include "prov/net/functions.h"
#include "prov/provider.h"

static const char *const args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "ifinfo_t *", "pathinfo_t *", NULL };
static const char *const drop_args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "ifinfo_t *", "pathinfo_t *",
	"dropinfo_t *", NULL };

/* IP packets only. The identity is found here, at each stage, whatever the clauses read; and the IP header, so that the
 * compiler remembers its address: within a branch it would do so for that one only. */
#define MADE "dw_path_followed[P] && P->packet_id != 0"
#define NOTED "P->nh != 0 && P->ver != 0 && " MADE
#define HOOK(hook, nat, text)                                                                      \
	{                                                                                          \
		.attach = ATTACH_NF_##hook, .nargs = 2, .native = nat, .when = NOTED, .sees = text \
	}
#define STAGE(tp, n, nat, text)                                             \
	{                                                                   \
		TP(tp, n, nat), .bh_off = true, .when = NOTED, .sees = text \
	}

/* In the tiers of functions. */
#define FUNC(func, n, nat, text) FUNC_SITE(func, n, nat, .when = NOTED, .sees = text)
#define FUNC_SOFT(func, n, nat, text) FUNC_SITE(func, n, nat, .when = NOTED, .bh_off = true, .sees = text)
#define OUTPUT "packets of this machine, before netfilter"
#define FORWARD "packets of others, as they were routed"
#define POSTROUTING "packets that netfilter lets go"
#define PREROUTING "packets that IP got from a device"
#define INPUT "packets that netfilter gives to a protocol"
#define FOR_US "P->skb->pkt_type != DW_PACKET_OTHERHOST && " NOTED

/* Processes send with softirqs on. */
static const struct site output_sites[] = {
	HOOK(OUTPUT, "dw_paout", OUTPUT),
	FUNC_SITE("__ip_local_out", 3, "dw_pafout4", .when = MADE, .sees = OUTPUT),
	FUNC_SITE("__ip6_local_out", 3, "dw_pafout6", .when = "P->proto != DW_IPPROTO_TCP && " MADE,
		.sees = "... of IPv6 but TCP"),
	FUNC_SITE("ip6_output", 3, "dw_pafout6",
		.when = "P->proto == DW_IPPROTO_TCP && dw_path_local6[P->skb] && " MADE,
		.sees = "... of TCP over IPv6, after netfilter's output rules"),
};
/* The calls by which processes send; io_uring makes none of them. Then a packet exists in the protocol, before IP. */
#define SENDS "P->sk != 0 && dw_path_sends[P->sk] && P->packet_id == 0"
static const struct site send_sites[] = {
	{ TP("sys_enter", 2, "dw_pasend"),
		.calls = (const char *const[]){ "write", "writev", "sendto", "sendmsg", "sendmmsg", "sendfile",
			"splice", NULL },
		.when = SENDS, .sees = "system calls that send on sockets of TCP and UDP" },
	FUNC_SITE("inet_sendmsg", 3, "dw_pafsend", .when = SENDS,
		.sees = "every call that sends on sockets of TCP and UDP"),
	FUNC_SITE("inet6_sendmsg", 3, "dw_pafsend", .when = SENDS, .sees = "... of IPv6"),
};
static const struct site tcp_out_sites[] = {
	FUNC_SITE("ip_queue_xmit", 2, "dw_patcpout4", .when = MADE, .sees = "segments that TCP gives to IP"),
	FUNC_SITE("inet6_csk_xmit", 2, "dw_patcpout6", .when = MADE, .sees = "... of IPv6"),
};
static const struct site udp_out_sites[] = {
	FUNC_SITE("ip_send_skb", 2, "dw_paudpout4", .when = "P->proto == DW_IPPROTO_UDP && " MADE,
		.sees = "datagrams that UDP gives to IP"),
	FUNC_SITE("ip6_send_skb", 1, "dw_paudpout6", .when = "P->proto == DW_IPPROTO_UDP && " MADE,
		.sees = "... of IPv6"),
};
static const struct site forward_sites[] = {
	HOOK(FORWARD, "dw_pafwd", FORWARD),
	FUNC_SOFT("ip_forward", 1, "dw_paffwd", FORWARD),
	FUNC_SOFT("ip6_forward", 1, "dw_paffwd", "... of IPv6"),
};
static const struct site postrouting_sites[] = {
	HOOK(POSTROUTING, "dw_papost", POSTROUTING),
	FUNC("ip_finish_output", 3, "dw_pafpost", POSTROUTING),
	FUNC("ip6_finish_output", 3, "dw_pafpost", "... of IPv6"),
};
static const struct site prerouting_sites[] = {
	{ .attach = ATTACH_NF_PREROUTING,
		.nargs = 2,
		.native = "dw_papre",
		.bh_off = true,
		.when = NOTED,
		.sees = PREROUTING }, /* the first there: no queue of netfilter gives a packet back before */
	FUNC_SITE("ip_rcv_core", 1, "dw_pafpre", .bh_off = true, .when = FOR_US, .sees = PREROUTING),
	FUNC_SITE("ip6_rcv_core", 1, "dw_pafpre", .bh_off = true, .when = FOR_US, .sees = "... of IPv6"),
};
static const struct site input_sites[] = {
	HOOK(INPUT, "dw_pain", INPUT),
	FUNC_SOFT("ip_protocol_deliver_rcu", 2, "dw_pafin", INPUT),
	FUNC_SOFT("ip6_protocol_deliver_rcu", 2, "dw_pafin", "... of IPv6"),
};

/* Stages that only functions show. */
static const struct site neigh_sites[] = {
	FUNC_SITE("__neigh_event_send", 2, "dw_paneigh", .when = "P->has_pkt && " NOTED,
		.sees = "packets that wait for the hardware address of a neighbour"),
};
static const struct site gro_sites[] = {
	FUNC_SOFT("skb_gro_receive", 2, "dw_pagro", "packets that become part of another one"),
	FUNC_SOFT("skb_gro_receive_list", 2, "dw_pagro", "... as a list"),
};
static const struct site xdp_sites[] = {
	FUNC_END("bpf_prog_run_generic_xdp", 3, "dw_paxdp", .when = NOTED, .bh_off = true,
		.sees = "packets that an XDP program in the stack (xdpgeneric) has seen"),
	{ .attach = ATTACH_XDP_EXIT,
		.nargs = 2,
		.hidden = 1,
		.native = "dw_paxdpdrv",
		.when = "P->frame",
		.bh_off = true,
		.optional = true,
		.sees = "frames that an XDP program in a driver (native) has seen" },
};
/* The packet is still there, and is one of IP, or was before it got labels of MPLS. */
#define TC_DONE "P->verdict != DW_PATH_TC + DW_TC_CONSUMED && dw_tc_ip[P->ver] && " MADE
#define CLASSIFIED(cond, text)                                                                                        \
	FUNC_END("tcf_classify", 5, "dw_patc", .when = cond TC_DONE, .bh_off = true, .optional = true, .sees = text), \
		FUNC_END("tcf_classify", 4, "dw_patc4", .fewer = 5, .when = cond TC_DONE, .bh_off = true,             \
			.optional = true, .sees = "on Linux 5.10: likewise")
#define TAKEN(mod, text)                                                                                           \
	FUNC_SITE("tcf_mirred_act", 2, "dw_patake", .module = mod, .when = "P->has_pkt && " NOTED, .bh_off = true, \
		.optional = true, .entry_args = true, .sees = text)
static const struct site tc_in_sites[] = {
	CLASSIFIED("P->recv && ", "packets that tc's ingress filters have seen"),
	FUNC_END("tcf_classify_ingress", 5, "dw_patc", .when = TC_DONE, .bh_off = true, .optional = true,
		.sees = "... of devices"),
	TAKEN(NULL, "packets that mirred takes for another device"),
	TAKEN("act_mirred", "... likewise, where mirred is a module"),
};
static const struct site tc_out_sites[] = {
	CLASSIFIED("!P->recv && ", "packets that tc's egress filters, or those of a queue, have seen"),
};
static const struct site route_sites[] = {
	FUNC_SOFT("ip_route_input_noref", 1, "dw_paroute", "packets whose way is to be decided"),
	FUNC_SOFT("ip6_route_input", 1, "dw_paroute", "... of IPv6"),
};
static const struct site backlog_sites[] = {
	FUNC_SOFT("tcp_add_backlog", 2, "dw_pabacklog", "segments for a socket that a process is using"),
};
static const struct site socket_queue_sites[] = {
	FUNC("tcp_queue_rcv", 2, "dw_pasockq", "segments with data in order"),
	FUNC("__udp_enqueue_schedule_skb", 2, "dw_pasockq", "datagrams"),
};

/* The packet goes on: it is accepted, or queued for a process. One that is dropped may be gone by then. */
#define GOES_ON "((P->verdict - DW_PATH_NF_VERDICT) & 1) != 0 && " NOTED
#define FILTER(func, mod, n, nat, text) \
	FUNC_END(func, n, nat, .module = mod, .when = GOES_ON, .optional = true, .sees = text)
static const struct site filter_sites[] = {
	FILTER("nft_do_chain", NULL, 2, "dw_panft", "packets that a base chain of nf_tables has let go on"),
	FILTER("nft_do_chain", "nf_tables", 2, "dw_panft", "... likewise, where nf_tables is a module"),
	FILTER("ipt_do_table", NULL, 3, "dw_paxt", "packets that a table of iptables has let go on"),
	FILTER("ipt_do_table", "ip_tables", 3, "dw_paxt", "... likewise, where iptables is a module"),
	FILTER("ip6t_do_table", NULL, 3, "dw_paxt", "... of IPv6"),
	FILTER("ip6t_do_table", "ip6_tables", 3, "dw_paxt", "... likewise"),
};

/* Beside the stages: where the script traces none before, the packet has no identity. */
#define SEEN "P->ver != 0"
/* Each rule that a packet meets, as nf_tables' own trace has it. */
#define TRACED(mod, n, nat, text, ...) \
	FUNC_SITE("nft_trace_notify", n, nat, .module = mod, .when = SEEN, .optional = true, .sees = text, __VA_ARGS__)
static const struct site rule_sites[] = {
	TRACED(NULL, 4, "dw_patrace", "packets with `meta nftrace set 1' at each rule"),
	TRACED("nf_tables", 4, "dw_patrace", "... where nf_tables is a module"),
	TRACED(NULL, 1, "dw_patrace1", "... before Linux 6.4", .fewer = 2),
	TRACED("nf_tables", 1, "dw_patrace1", "... likewise", .fewer = 2),
};

/* IPVS is a module on most kernels. */
#define IN_IP_VS(SITE, func, n, nat, cond, text)                                             \
	SITE(func, n, nat, .module = "ip_vs", .when = cond, .optional = true, .sees = text), \
		SITE(func, n, nat, .when = cond, .optional = true, .sees = text)
#define VS(func, n, nat, text) IN_IP_VS(FUNC_SITE, func, n, nat, SEEN, text)
/* A packet whose server is the machine itself goes on through netfilter, and so it is there when the function ends. */
#define VS_STAYS(func, text) IN_IP_VS(FUNC_END, func, 4, "dw_pavslocal", "P->has_pkt && " SEEN, text)
static const struct site ipvs_sites[] = {
	VS_STAYS("ip_vs_nat_xmit", "packets for a server on this machine, after translation"),
	VS_STAYS("ip_vs_nat_xmit_v6", "... of IPv6"),
	VS_STAYS("ip_vs_dr_xmit", "... as they are"),
	VS_STAYS("ip_vs_dr_xmit_v6", "... of IPv6"),
	VS_STAYS("ip_vs_tunnel_xmit", "... of servers with tunnels"),
	VS_STAYS("ip_vs_tunnel_xmit_v6", "... of IPv6"),
	VS("ip_vs_nat_xmit", 4, "dw_pavs", "packets whose address is translated"),
	VS("ip_vs_nat_xmit_v6", 4, "dw_pavs", "... of IPv6"),
	VS("ip_vs_dr_xmit", 4, "dw_pavs", "packets that are sent on as they are"),
	VS("ip_vs_dr_xmit_v6", 4, "dw_pavs", "... of IPv6"),
	VS("ip_vs_tunnel_xmit", 4, "dw_pavs", "packets that are sent on in a tunnel"),
	VS("ip_vs_tunnel_xmit_v6", 4, "dw_pavs", "... of IPv6"),
	VS("ip_vs_bypass_xmit", 4, "dw_pavs", "packets that go on to their address"),
	VS("ip_vs_bypass_xmit_v6", 4, "dw_pavs", "... of IPv6"),
	VS("ip_vs_null_xmit", 4, "dw_pavs", "packets for a server on this machine"),
	VS("handle_response", 6, "dw_pavsreply", "answers of real servers whose address is translated"),
	VS("ip_vs_leave", 4, "dw_pavsnone", "packets for which a virtual service has no server"),
};

static const struct site queue_sites[] = {
	STAGE("net_dev_queue", 1, "dw_paqueue", "packets that are given to a device, before its queue"),
};
static const struct site enqueue_sites[] = {
	STAGE("qdisc_enqueue", 3, "dw_paenq", "packets that a device's queue takes"),
};
static const struct site dequeue_sites[] = {
	{ TP("qdisc_dequeue", 4, "dw_padeq"), .bh_off = true, .when = "P->skb != 0 && " NOTED,
		.sees = "packets that leave a queue: the first of those that leave together" },
};
static const struct site transmit_sites[] = {
	STAGE("net_dev_start_xmit", 2, "dw_paxmit", "packets that are given to a device's driver"),
};
/* The buffer that the driver got, not another one of the same data (a tap's). */
static const struct site sent_sites[] = {
	{ TP("consume_skb", 1, "dw_pasent"), .when = NOTED, .sees = "packets that the device has sent" },
};
static const struct site driver_sites[] = {
	STAGE("napi_gro_receive_entry", 1, "dw_padrv", "packets of drivers that poll"),
	STAGE("napi_gro_frags_entry", 1, "dw_padrv", "... that give pages"),
	STAGE("netif_receive_skb_entry", 1, "dw_padrv", "packets that are not merged"),
	STAGE("netif_receive_skb_list_entry", 1, "dw_padrv", "... that come as a list"),
	STAGE("netif_rx_entry", 1, "dw_padrv", "packets of devices that are not polled: loopback, veth, tunnels"),
};
static const struct site device_sites[] = {
	STAGE("netif_receive_skb", 1, "dw_padev", "packets that a device delivers, after they were merged"),
};
static const struct site socket_sites[] = {
	{ .attach = ATTACH_CGROUP_INGRESS,
		.native = "dw_pasock",
		.bh_off = true,
		.when = NOTED,
		.sees = "packets for a socket, before they are queued there" },
	FUNC_SOFT("sk_filter_trim_cap", 2, "dw_pasock", "packets for a socket, before they are queued there"),
};
static const struct site read_sites[] = {
	{ TP("skb_copy_datagram_iovec", 2, "dw_paread"), .when = "dw_path_inet[P->skb] && " NOTED,
		.sees = "packets whose data a process reads" },
	{ TP("consume_skb", 1, "dw_padone"),
		.when = "dw_path_given_back && P->proto == DW_IPPROTO_UDP && dw_path_inet[P->skb] && " NOTED,
		.sees = "datagrams that are copied at once, when the process has them" },
};
static const struct site drop_sites[] = {
	{ TP("kfree_skb", 4, "dw_padrop"), .optional = true, .when = NOTED, .sees = "packets that the kernel drops" },
	{ TP("kfree_skb", 3, "dw_padrop3"), .fewer = 4, .optional = true, .when = NOTED,
		.sees = "before Linux 6.11: likewise" },
};

/* When the byte limit of a driver stopped a queue, as in bql.c. */
#define HELD "P->txq != 0 && dw_bql_used[(uint64_t)P->txq] && dw_bql_off[(uint64_t)P->txq]"
#define FREED "!dw_bql_off[(uint64_t)P->txq]"
#define GIVEN .key = "P->buffer ^ (uint64_t)cpu << 48"
static const struct stamp_event given_events[] = {
	{ STAMP_EACH, { TP("net_dev_start_xmit", 1, "dw_pagives") }, GIVEN, .word = "(uint64_t)P->txq" },
	{ STAMP_END, { TP("net_dev_xmit", 1, "dw_pagiven") }, GIVEN },
};
#define QUEUE .key = "(uint64_t)P->txq"
static const struct stamp_event stop_events[] = {
	{ STAMP_FIRST, { TP("net_dev_xmit", 1, "dw_pagiven"), .when = HELD }, QUEUE, NULL },
	{ STAMP_END, { TP("qdisc_dequeue", 4, "dw_padeq"), .when = FREED }, QUEUE, NULL },
};
static const struct stamp stamps[] = {
	{ "given", TABLE(given_events) }, /* the queue of a packet that a driver gets: it may be freed by then */
	{ "stop", TABLE(stop_events) },
};

static const struct probe_def probes[] = {
	{ "backlog", args, TABLE(backlog_sites), "a segment waits until a process is done with its socket" },
	{ "dequeue", args, TABLE(dequeue_sites), "a packet leaves a device's queue" },
	{ "device-in", args, TABLE(device_sites), "the stack gets a packet of a device, after packets were merged" },
	{ "driver-in", args, TABLE(driver_sites), "a driver hands up a packet" },
	{ "drop", drop_args, TABLE(drop_sites), "a packet is dropped: args[5] says why and where" },
	{ "enqueue", args, TABLE(enqueue_sites), "a packet is put into a device's queue" },
	{ "filter", args, TABLE(filter_sites), "a chain of netfilter has let a packet go on: args[4]->path_rule" },
	{ "forward", args, TABLE(forward_sites), "a packet is to be forwarded, before netfilter's rules for that" },
	{ "gro", args, TABLE(gro_sites), "a packet is merged with another one: args[4]->path_into" },
	{ "input", args, TABLE(input_sites), "a packet for this machine has passed netfilter" },
	{ "ipvs", args, TABLE(ipvs_sites), "a virtual service takes a packet: args[4]->path_raddr is the real server" },
	{ "neigh-wait", args, TABLE(neigh_sites), "a packet waits for its neighbour's hardware address" },
	{ "output", args, TABLE(output_sites), "this machine sends a packet, before netfilter's rules for that" },
	{ "postrouting", args, TABLE(postrouting_sites), "a packet that leaves has passed netfilter" },
	{ "prerouting", args, TABLE(prerouting_sites), "IP has got a packet, before netfilter's rules" },
	{ "queue", args, TABLE(queue_sites), "a packet is given to a device, before the device's queue" },
	{ "read", args, TABLE(read_sites), "a process reads data of a packet" },
	{ "route", args, TABLE(route_sites), "the way of a packet is to be decided: for this machine, or another" },
	{ "rule", args, TABLE(rule_sites),
		"a rule of nf_tables has seen a packet that is traced (meta nftrace set 1)" },
	{ "send", args, TABLE(send_sites), "a process sends: there is a socket, and no packet yet" },
	{ "sent", args, TABLE(sent_sites), "a device has sent a packet" },
	{ "socket-in", args, TABLE(socket_sites), "a packet has found its socket" },
	{ "socket-queue", args, TABLE(socket_queue_sites), "a packet is put into its socket's queue" },
	{ "tc-egress", args, TABLE(tc_out_sites),
		"tc's filters have seen a packet that leaves: args[4]->path_verdict" },
	{ "tc-ingress", args, TABLE(tc_in_sites), "tc's filters have seen a packet of a device" },
	{ "tcp-out", args, TABLE(tcp_out_sites), "TCP has made a segment for IP" },
	{ "transmit", args, TABLE(transmit_sites), "a packet is given to a device's driver" },
	{ "udp-out", args, TABLE(udp_out_sites), "UDP has made a datagram for IP" },
	{ "xdp", args, TABLE(xdp_sites), "an XDP program has seen a packet: args[4]->path_verdict" },
};

const struct provider path_provider = { PROVIDER("path", "dw_path", probes), STAMPED(stamps) };
