/* SPDX-License-Identifier: GPL-2.0-or-later */
/* icmp: messages of ICMP and ICMPv6. In the hooks tier cgroup_skb sees the messages that sockets send, those of the
 * kernel's own sockets included. Other messages are seen when they go to a device; forwarded ones are left out. A
 * message is received when IP passes it to ICMP: netfilter shows it, or the device in a namespace where no program is
 * at netfilter. */
#include "prov/net/functions.h"
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
	{ .attach = ATTACH_NF_INPUT,
		.nargs = 2,
		.native = "dw_nf",
		.optional = true,
		.bh_off = true,
		.when = IS_ICMP,
		.sees = "messages that IP gives to ICMP" },
	{ TP("netif_receive_skb", 1, "dw_icmprecv"), .bh_off = true,
		.when = "dw_ip_received[P] && !dw_nf_taken[P] && " IS_ICMP,
		.sees = "messages that a device delivers to IP, in a namespace where no program is at netfilter" },
	FUNC_SITE("icmp_rcv", 1, "dw_consumed", .bh_off = true, .sees = "messages that IP gives to ICMP"),
	FUNC_SITE("icmpv6_rcv", 1, "dw_consumed", .bh_off = true, .sees = "messages that IPv6 gives to ICMPv6"),
};

static const struct probe_def probes[] = {
	{ "receive", args, TABLE(receive_sites), "a message of ICMP or ICMPv6 is received" },
	{ "send", args, TABLE(send_sites), "a message of ICMP or ICMPv6 is sent" },
};

static const struct prov_counter counters[] = {
	{ "send", "Icmp:OutMsgs Icmp6OutMsgs" },
	{ "receive", "Icmp:InMsgs Icmp6InMsgs" },
	{ 0 },
};

const struct provider icmp_provider = { PROVIDER("icmp", "dw_pkt", probes), .counters = counters };
