/* SPDX-License-Identifier: GPL-2.0-or-later */
/* path: the stages of an IP packet's way through the kernel, in the hooks tier, each with the packet's identity and the
 * time since the stage before. Programs at netfilter are first at the hooks where a packet arrives (before rules and
 * address translation) and last where it leaves (after them). A packet is followed by the memory of its headers, which
 * its clones share; dlib/net/path.d decides when that memory belongs to a new packet. */
#include "prov/provider.h"

static const char *const args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "ifinfo_t *", "pathinfo_t *", NULL };
static const char *const drop_args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "ifinfo_t *", "pathinfo_t *",
	"dropinfo_t *", NULL };

/* IP packets only. Reading the notes here writes them once and in order, whatever the clauses read. */
#define NOTES "P->path_read != 0 && P->path_note != 0"
#define NOTED "dw_path_ip[P->skb] && " NOTES
#define HOOK(hook, nat, text)                                                                      \
	{                                                                                          \
		.attach = ATTACH_NF_##hook, .nargs = 2, .native = nat, .when = NOTED, .sees = text \
	}
#define STAGE(tp, n, nat, text)                                             \
	{                                                                   \
		TP(tp, n, nat), .bh_off = true, .when = NOTED, .sees = text \
	}

/* Processes send with softirqs on. */
static const struct site output_sites[] = { HOOK(OUTPUT, "dw_paout", "packets of this machine, before netfilter") };
static const struct site forward_sites[] = { HOOK(FORWARD, "dw_pafwd", "packets of others, as they were routed") };
static const struct site postrouting_sites[] = { HOOK(POSTROUTING, "dw_papost", "packets that netfilter lets go") };
static const struct site prerouting_sites[] = { HOOK(PREROUTING, "dw_papre", "packets that IP got from a device") };
static const struct site input_sites[] = { HOOK(INPUT, "dw_pain", "packets that netfilter gives to a protocol") };

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
#define SENT "dw_path_ip[P->skb] && dw_path_sent[P->skb] && " NOTES
static const struct site sent_sites[] = {
	{ TP("consume_skb", 1, "dw_pasent"), .when = SENT, .sees = "packets that the device has sent" },
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
		.when = NOTED,
		.sees = "packets for a socket, before they are queued there" },
};
static const struct site read_sites[] = {
	{ TP("skb_copy_datagram_iovec", 2, "dw_paread"), .when = "dw_path_inet[P->skb] && " NOTED,
		.sees = "packets whose data a process reads" },
};
static const struct site drop_sites[] = {
	{ TP("kfree_skb", 4, "dw_padrop"), .when = NOTED, .sees = "packets that the kernel drops" },
};

/* The notes. Only __former() writes them. All but the first have the address of the headers as their key. */
static const struct stamp stamps[] = {
	{ .name = "buffer" }, /* by the buffer's address: that of its headers */
	{ .name = "id" },     /* time of the packet's first stage */
	{ .name = "time" },   /* time of its last stage */
	{ .name = "place" },  /* dw_path_word[] of its last stage */
	{ .name = "sent" },   /* address of the buffer that a driver got */
};

static const struct probe_def probes[] = {
	{ "dequeue", args, TABLE(dequeue_sites), "a packet leaves a device's queue" },
	{ "device-in", args, TABLE(device_sites), "the stack gets a packet of a device, after packets were merged" },
	{ "driver-in", args, TABLE(driver_sites), "a driver hands up a packet" },
	{ "drop", drop_args, TABLE(drop_sites), "a packet is dropped: args[5] says why and where" },
	{ "enqueue", args, TABLE(enqueue_sites), "a packet is put into a device's queue" },
	{ "forward", args, TABLE(forward_sites), "a packet is to be forwarded, before netfilter's rules for that" },
	{ "input", args, TABLE(input_sites), "a packet for this machine has passed netfilter" },
	{ "output", args, TABLE(output_sites), "this machine sends a packet, before netfilter's rules for that" },
	{ "postrouting", args, TABLE(postrouting_sites), "a packet that leaves has passed netfilter" },
	{ "prerouting", args, TABLE(prerouting_sites), "IP has got a packet, before netfilter's rules" },
	{ "queue", args, TABLE(queue_sites), "a packet is given to a device, before the device's queue" },
	{ "read", args, TABLE(read_sites), "a process reads data of a packet" },
	{ "sent", args, TABLE(sent_sites), "a device has sent a packet" },
	{ "socket-in", args, TABLE(socket_sites), "a packet has found its socket" },
	{ "transmit", args, TABLE(transmit_sites), "a packet is given to a device's driver" },
};

const struct provider path_provider = { PROVIDER("path", "dw_path", probes), STAMPED(stamps) };
