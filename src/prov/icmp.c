/* SPDX-License-Identifier: GPL-2.0-or-later */
/* icmp: messages of ICMP and ICMPv6. In the hooks tier, sent: those of sockets, the kernel's own too, by cgroup_skb;
 * the rest when they go to a device, but none that are only forwarded. Received: when a device delivers them to IP. */
#include "prov/conditions.h"
#include "prov/functions.h"
#include "prov/provider.h"

static const char *const args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "ifinfo_t *", "icmpinfo_t *", NULL };

#define IS_ICMP "dw_icmp_here[P->nh, P->skb->protocol]"

static const struct site send_sites[] = {
	{ .attach = ATTACH_CGROUP_EGRESS, .native = "dw_cgout", .when = IS_ICMP, .sees = "messages of sockets" },
	{ .attach = ATTACH_TP_BTF,
		.target = "net_dev_queue",
		.nargs = 1,
		.native = "dw_devqueue",
		.bh_off = true,
		.when = IP_QUEUED " && !(" IP_FORWARDED ") && " IS_ICMP,
		.sees = "messages that no socket sent" },
	FUNC_OUT("!(" FUNC_FORWARDED ") && " IS_ICMP, .sees = "messages that IP sends"),
};
static const struct site receive_sites[] = {
	{ .attach = ATTACH_TP_BTF,
		.target = "netif_receive_skb",
		.nargs = 1,
		.native = "dw_icmprecv",
		.bh_off = true,
		.when = IP_RECEIVED " && " IS_ICMP,
		.sees = "messages that a device delivers to IP" },
	FUNC_RECEIVED(" && " IS_ICMP, .sees = "messages that a device delivers to IP"),
};

static const struct probe_def probes[] = {
	{ "receive", args, TABLE(receive_sites), "a message of ICMP or ICMPv6 is received" },
	{ "send", args, TABLE(send_sites), "a message of ICMP or ICMPv6 is sent" },
};

const struct provider icmp_provider = { PROVIDER("icmp", "dw_pkt", probes) };
