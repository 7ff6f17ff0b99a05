/* SPDX-License-Identifier: GPL-2.0-or-later */
/* neigh: resolution of the hardware addresses of neighbours (ARP, RFC 826; IPv6 neighbour discovery, RFC 4861), in
 * the hooks tier. Requests are seen when they go to a device, replies at the kernel's table of neighbours. */
#include "prov/provider.h"

static const char *const args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "ifinfo_t *", "neighinfo_t *", NULL };
static const char *const drop_args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "ifinfo_t *", "neighinfo_t *",
	"dropinfo_t *", NULL };

#define ASKING "(P->neigh->nud_state & DW_NUD_INCOMPLETE) != 0"
#define ANSWERED ASKING " && (P->state & DW_NUD_VALID) != 0"
#define GAVE_UP "(P->neigh->nud_state & DW_NUD_FAILED) != 0"
/* Only broadcast and multicast requests count: a request to one address checks a known neighbour. Duplicate address
 * detection is left out. */
#define TO_ALL "(P->mac_dest & 1) != 0"
#define QUESTION                                                                                            \
	"(P->skb->protocol == DW_ETH_P_ARP ? dw_arp_asks[P->nh] :"                                          \
	" P->skb->protocol == DW_ETH_P_IPV6 && ((struct ipv6hdr *)P->nh)->nexthdr == DW_IPPROTO_ICMPV6 && " \
	"dw_ns_asks[P->nh]) &&"                                                                             \
	" " TO_ALL " && dw_first_device[P]"

static const struct site request_sites[] = {
	{ TP("net_dev_queue", 1, "dw_neighq"), .bh_off = true, .when = QUESTION " && P->since == 0",
		.sees = "the first question of a row, as it goes to a device" },
};
static const struct site resolved_sites[] = {
	{ TP("neigh_update", 3, "dw_neighupd"), .when = ANSWERED, .sees = "the address becomes known" },
};
static const struct site failed_sites[] = {
	{ TP("neigh_timer_handler", 1, "dw_neighask"), .when = GAVE_UP,
		.sees = "the last question is not answered: of a new neighbour, or of a known one that does not answer "
			"any more" },
	{ TP("neigh_update", 3, "dw_neighupd"), .when = ASKING " && (P->state & DW_NUD_FAILED) != 0",
		.sees = "the entry is taken away before an answer" },
};

/* Packets wait in the neighbour's queue. The note of one begins when it is put there, and holds its neighbour. A
 * neighbour on this machine may answer before that call returns; such a packet is noted with the answer (bit 0 of the
 * word), and has waited since the last question. */
#define PUT "P->put == 1 && P->skb != 0 && P->waits == 0"
static const struct site enqueue_sites[] = {
	{ TP("neigh_event_send_done", 2, "dw_neighput"), .when = PUT, .sees = "a packet begins to wait" },
	{ TP("neigh_update", 3, "dw_neighhead"), .when = ANSWERED " && P->skb != 0 && P->waits == 0",
		.sees = "a packet whose neighbour answers before the call that sent it returns" },
};
static const struct site dequeue_sites[] = {
	{ TP("net_dev_queue", 1, "dw_neighgo"), .when = "P->waits != 0",
		.sees = "a packet that waited goes to its device" },
};
static const struct site drop_sites[] = {
	{ TP("kfree_skb", 3, "dw_neighdrop"), .when = "P->waits != 0", .sees = "a packet that waited is dropped" },
};

#define KEY .key = "P->asked"
static const struct stamp_event events[] = {
	{ STAMP_FIRST, { TP("net_dev_queue", 1, "dw_neighq"), .bh_off = true, .when = QUESTION }, KEY, NULL },
	{ STAMP_END, { TP("neigh_update", 3, "dw_neighupd"), .when = "(P->state & DW_NUD_INCOMPLETE) == 0" }, KEY,
		NULL },
	{ STAMP_END, { TP("neigh_timer_handler", 1, "dw_neighask"), .when = GAVE_UP }, KEY, NULL },
	{ STAMP_END, { TP("neigh_cleanup_and_release", 1, "dw_neighask") }, KEY, NULL },
};
#define PACKET .key = "(uint64_t)P->skb"
#define GONE                                                              \
	{ STAMP_END, { TP("net_dev_queue", 1, "dw_neighgo") }, PACKET },  \
	{                                                                 \
		STAMP_END, { TP("kfree_skb", 3, "dw_neighdrop") }, PACKET \
	}
static const struct stamp_event wait_events[] = {
	{ STAMP_FIRST, { TP("neigh_event_send_done", 2, "dw_neighput"), .when = PUT }, PACKET, "(uint64_t)P->neigh" },
	{ STAMP_FIRST, { TP("neigh_update", 3, "dw_neighhead"), .when = ANSWERED " && P->skb != 0" }, PACKET,
		"(uint64_t)P->neigh | 1" },
	GONE,
};
static const struct stamp_event asked_events[] = {
	{ STAMP_SET, { TP("net_dev_queue", 1, "dw_neighq"), .bh_off = true, .when = QUESTION }, KEY, NULL },
	{ STAMP_END, { TP("neigh_cleanup_and_release", 1, "dw_neighask") }, KEY, NULL },
};
static const struct stamp stamps[] = {
	{ "ask", TABLE(events) },
	{ "wait", TABLE(wait_events) },
	{ "asked", TABLE(asked_events) },
};

static const struct probe_def probes[] = {
	{ "dequeue", args, TABLE(dequeue_sites), "a packet that waited for a neighbour goes on: args[4]->ne_wait" },
	{ "drop", drop_args, TABLE(drop_sites), "a packet that waited for a neighbour is dropped: args[5] says why" },
	{ "enqueue", args, TABLE(enqueue_sites), "a packet begins to wait for a neighbour's hardware address" },
	{ "failed", args, TABLE(failed_sites), "a neighbour does not answer" },
	{ "request", args, TABLE(request_sites), "a neighbour's hardware address begins to be asked for" },
	{ "resolved", args, TABLE(resolved_sites), "it is known: args[4]->ne_time is how long it took" },
};

const struct provider neigh_provider = { PROVIDER("neigh", "dw_neigh", probes), STAMPED(stamps) };
