/* SPDX-License-Identifier: GPL-2.0-or-later */
/* icmp: messages of ICMP and ICMPv6. In the hooks tier cgroup_skb sees the messages that sockets send, including the
 * kernel's own sockets. Other messages are seen when they go to a device; forwarded ones are left out. A message is
 * received when a device delivers it to IP. */
#include "prov/functions.h"
#include "prov/provider.h"

static const char *const args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "ifinfo_t *", "icmpinfo_t *", NULL };

#define IS_ICMP "dw_icmp_here[P->nh, P->skb->protocol]"

static const struct site send_sites[] = {
	{ .attach = ATTACH_CGROUP_EGRESS, .native = "dw_cgout", .when = IS_ICMP, .sees = "messages of sockets" },
	{ TP("net_dev_queue", 1, "dw_devqueue"), .bh_off = true,
		.when = "dw_ip_queued[P] && !(dw_ip_forwarded[P]) && " IS_ICMP,
		.sees = "messages that no socket sent" },
	STOPPED("dw_stopped[P] && " IS_ICMP, .sees = "messages that netfilter stops"),
	FUNC_OUT("!(dw_ip_routed[P]) && " IS_ICMP, .sees = "messages that IP sends"),
};
static const struct site receive_sites[] = {
	{ TP("netif_receive_skb", 1, "dw_icmprecv"), .bh_off = true, .when = "dw_ip_received[P] && " IS_ICMP,
		.sees = "messages that a device delivers to IP" },
	FUNC_RECEIVED(" && " IS_ICMP, .sees = "messages that a device delivers to IP"),
};

static const struct probe_def probes[] = {
	{ "receive", args, TABLE(receive_sites), "a message of ICMP or ICMPv6 is received" },
	{ "send", args, TABLE(send_sites), "a message of ICMP or ICMPv6 is sent" },
};

const struct provider icmp_provider = { PROVIDER("icmp", "dw_pkt", probes) };
