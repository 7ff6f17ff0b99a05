/* net: packets at the border of the kernel and its network devices, the hooks tier: given to a device's queue, to its
 * driver, handed up by a driver, and what the stack gets after packets were merged (GRO). Every device of a stack of
 * them (VLAN, bond, bridge, tunnel) sees the packet itself. */
#include "prov/all.h"

static const char *const args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "ifinfo_t *", "netinfo_t *", NULL };

#define TP(tp, n, nat) .attach = ATTACH_TP_BTF, .target = tp, .nargs = n, .native = nat

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
	{ TP("netif_receive_skb", 1, "dw_ndrecv"), .sees = "packets that a device delivers, after they were merged" },
};

static const struct probe_def probes[] = {
	{ "driver-receive", args, driver_sites, 5, "a driver hands up a packet, before packets are merged" },
	{ "queue", args, queue_sites, 1, "a packet is given to a device, before its queue" },
	{ "receive", args, receive_sites, 1, "the stack gets a packet of a device, after packets were merged" },
	{ "transmit", args, transmit_sites, 1,
		"a packet is given to a device's driver, after it was cut into segments" },
};

const struct provider net_provider = {
	.name = "net",
	.raw = "dw_pkt",
	.module = "vmlinux",
	.probes = probes,
	.nprobes = sizeof(probes) / sizeof(probes[0]),
};
