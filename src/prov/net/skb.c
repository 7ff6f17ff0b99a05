/* SPDX-License-Identifier: GPL-2.0-or-later */
/* skb: packet buffers (struct sk_buff), from allocation to release, in the hooks tier. Memory that a driver keeps for
 * reuse (NAPI) is not seen when it is allocated: the life of such a buffer begins when the driver passes it up. */
#include "prov/provider.h"

/* args[0] to args[4] of the probes of buffers. */
#define BUFFER "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "ifinfo_t *", "skbinfo_t *"
static const char *const args[] = { BUFFER, NULL };
static const char *const drop_args[] = { BUFFER, "dropinfo_t *", NULL };

/* An allocation by __alloc_skb(), recognised by the cache or by the code's address: the kernel may merge the cache of
 * pairs (used by TCP) with another one, which changes its name. */
#define SIZED "dw_skb_sized[P->cachesize]"
#define TAKEN SIZED " && dw_skb_taken[P->cache, P->location] && P->skb != 0"
#define NEW "P->since == 0"
#define GIVEN SIZED " && P->since != 0"

static const struct site alloc_sites[] = {
	{ TP("kmem_cache_alloc", 3, "dw_sktake"), .typed = 4, .hidden = 2, .irqs_off = true, .when = TAKEN,
		.sees = "memory for a buffer" },
	{ TP("napi_gro_receive_entry", 1, "dw_skseen"), .when = NEW,
		.sees = "buffers that drivers keep, as they hand them up" },
	{ TP("napi_gro_frags_entry", 1, "dw_skseen"), .when = NEW, .sees = "... likewise" },
	{ TP("netif_receive_skb_entry", 1, "dw_skseen"), .when = NEW, .sees = "... likewise" },
	{ TP("netif_receive_skb_list_entry", 1, "dw_skseen"), .when = NEW, .sees = "... likewise" },
	{ TP("netif_rx_entry", 1, "dw_skseen"), .when = NEW, .sees = "... likewise" },
};
static const struct site clone_sites[] = {
	{ .attach = ATTACH_FEXIT,
		.target = "skb_clone",
		.nargs = 2,
		.native = "dw_skclone",
		.when = "P->skb != 0",
		.sees = "a second buffer for the same data" },
};
static const struct site free_sites[] = {
	{ TP("consume_skb", 1, "dw_skused"), .irqs_off = true, .sees = "buffers that have done their work" },
	{ TP("kfree_skb", 3, "dw_skdrop3"), .optional = true, .irqs_off = true, .sees = "... that are dropped" },
	{ TP("kfree_skb", 2, "dw_skdrop2"), .fewer = 3, .optional = true, .irqs_off = true,
		.sees = "before Linux 5.17: likewise" },
	{ TP("kmem_cache_free", 3, "dw_skgive"), .hidden = 2, .irqs_off = true, .look = SIZED, .when = GIVEN,
		.sees = "... that are given back without a word: TCP's, when a process has read, or the other side "
			"acknowledged" },
};
static const struct site drop_sites[] = {
	{ TP("kfree_skb", 4, "dw_drop"), .optional = true, .irqs_off = true, .when = "P->rx_sk != 0",
		.sees = "packets that a socket drops" },
	{ TP("kfree_skb", 4, "dw_skdrop4"), .optional = true, .irqs_off = true, .when = "P->rx_sk == 0",
		.sees = "... that the rest of the kernel does" },
	{ TP("kfree_skb", 3, "dw_skdrop3"), .fewer = 4, .optional = true, .irqs_off = true,
		.sees = "before Linux 6.11: packets that are dropped" },
	{ TP("kfree_skb", 2, "dw_skdrop2"), .fewer = 3, .optional = true, .irqs_off = true,
		.sees = "before Linux 5.17: likewise, without the reason" },
};

/* The word of a stamp: when the life of a buffer began; its lowest bit: by an allocation, not when the driver first
 * showed it. A driver may reuse the memory of a packet whose end was not seen (merged into another); the life then
 * begins again. */
#define KEY .key = "(uint64_t)P->skb"
#define TAKEN_HERE "dw_skb_taken_now"
#define OF_DRIVER "dw_skb_seen_now"
#define REUSED "(P->since & 1) == 0"
static const struct stamp_event birth_events[] = {
	{ STAMP_EACH, { TP("kmem_cache_alloc", 3, "dw_sktake"), .typed = 4, .hidden = 2, .when = TAKEN }, KEY,
		TAKEN_HERE },
	{ STAMP_EACH, { TP("napi_gro_receive_entry", 1, "dw_skseen"), .when = REUSED }, KEY, OF_DRIVER },
	{ STAMP_EACH, { TP("napi_gro_frags_entry", 1, "dw_skseen"), .when = REUSED }, KEY, OF_DRIVER },
	{ STAMP_EACH, { TP("netif_receive_skb_entry", 1, "dw_skseen"), .when = NEW }, KEY, OF_DRIVER },
	{ STAMP_EACH, { TP("netif_receive_skb_list_entry", 1, "dw_skseen"), .when = NEW }, KEY, OF_DRIVER },
	{ STAMP_EACH, { TP("netif_rx_entry", 1, "dw_skseen"), .when = NEW }, KEY, OF_DRIVER },
	{ STAMP_END, { TP("consume_skb", 1, "dw_skused") }, KEY, NULL },
	{ STAMP_END, { TP("kfree_skb", 2, "dw_skdrop2") }, KEY, NULL },
	{ STAMP_END, { TP("kmem_cache_free", 3, "dw_skgive"), .hidden = 2, .look = SIZED, .when = SIZED }, KEY, NULL },
};
static const struct stamp stamps[] = {
	{ "birth", TABLE(birth_events) },
};

static const struct probe_def probes[] = {
	{ "alloc", args, TABLE(alloc_sites), "a packet's buffer is made" },
	{ "clone", args, TABLE(clone_sites), "a second buffer is made for the same data" },
	{ "drop", drop_args, TABLE(drop_sites), "a packet is dropped: args[5] says why and where" },
	{ "free", args, TABLE(free_sites),
		"a packet's buffer is given back: args[4]->skb_age is how long it was there" },
};

const struct provider skb_provider = { PROVIDER("skb", "dw_skb", probes), STAMPED(stamps) };
