/* SPDX-License-Identifier: GPL-2.0-or-later */
/* net: packets at the boundary between the kernel and its network devices, in the hooks tier: a packet enters a
 * device's queue, goes to the driver, comes from a driver, or reaches the stack after GRO has merged packets. Each
 * device of a stack (VLAN, bond, bridge, tunnel) reports the packet. */
#include "prov/provider.h"

static const char *const args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "ifinfo_t *", "netinfo_t *", NULL };

static const struct site queue_sites[] = {
	{ TP("net_dev_queue", 1, "dw_ndqueue"), .sees = "packets that are given to a device, before its queue" },
};
static const struct site transmit_sites[] = {
	{ TP("net_dev_start_xmit", 2, "dw_ndxmit"), .sees = "packets that are given to a device's driver" },
};
static const struct site driver_sites[] = {
	{ TP("napi_gro_receive_entry", 1, "dw_ndup"), .sees = "packets of drivers that poll" },
	{ TP("napi_gro_frags_entry", 1, "dw_ndup"), .sees = "... that give pages" },
	{ TP("netif_receive_skb_entry", 1, "dw_ndup"), .sees = "packets that are not merged" },
	{ TP("netif_receive_skb_list_entry", 1, "dw_ndup"), .sees = "... that come as a list" },
	{ TP("netif_rx_entry", 1, "dw_ndup"),
		.sees = "packets of devices that are not polled: loopback, veth, tunnels" },
};
static const struct site receive_sites[] = {
	{ TP("netif_receive_skb", 1, "dw_ndup"), .sees = "packets that a device delivers, after they were merged" },
};

/* The transmission of a packet ends when its buffer is freed, or when the buffer is seen again on its way. */
#define SENT "P->since != 0"
static const struct site done_sites[] = {
	{ TP("consume_skb", 1, "dw_nddone"), .when = SENT, .sees = "packets that the device has sent" },
	{ TP("kfree_skb", 2, "dw_nddrop"), .when = SENT, .sees = "... that the driver dropped" },
	{ TP("net_dev_queue", 1, "dw_nddone"), .when = SENT, .sees = "... that it gave to another device" },
	{ TP("netif_rx_entry", 1, "dw_nddone"), .when = SENT, .sees = "... that came back: loopback, veth" },
	{ TP("netif_receive_skb_entry", 1, "dw_nddone"), .when = SENT, .sees = "... likewise: a bridge" },
	{ TP("napi_gro_receive_entry", 1, "dw_nddone"), .when = SENT, .sees = "... likewise: veth that polls" },
};

#define KEY .key = "(uint64_t)P->skb"
static const struct stamp_event transmit_events[] = {
	{ STAMP_EACH, { TP("net_dev_start_xmit", 2, "dw_ndxmit") }, KEY, .word = "(uint64_t)P->dev" },
	{ STAMP_END, { TP("consume_skb", 1, "dw_nddone") }, KEY },
	{ STAMP_END, { TP("kfree_skb", 2, "dw_nddrop") }, KEY },
	{ STAMP_END, { TP("net_dev_queue", 1, "dw_nddone") }, KEY },
	{ STAMP_END, { TP("netif_rx_entry", 1, "dw_nddone") }, KEY },
	{ STAMP_END, { TP("netif_receive_skb_entry", 1, "dw_nddone") }, KEY },
	{ STAMP_END, { TP("napi_gro_receive_entry", 1, "dw_nddone") }, KEY },
};
static const struct stamp stamps[] = { { "transmit", TABLE(transmit_events) } };

static const struct probe_def probes[] = {
	{ "driver-receive", args, TABLE(driver_sites), "a driver hands up a packet, before packets are merged" },
	{ "queue", args, TABLE(queue_sites), "a packet is given to a device, before its queue" },
	{ "receive", args, TABLE(receive_sites), "the stack gets a packet of a device, after packets were merged" },
	{ "transmit", args, TABLE(transmit_sites),
		"a packet is given to a device's driver, after it was cut into segments" },
	{ "transmit-done", args, TABLE(done_sites),
		"the device is done with a packet: args[4]->net_time is how long it took" },
};

const struct provider net_provider = { PROVIDER("net", "dw_pkt", probes), STAMPED(stamps) };
