/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qdisc: packets in the queues of devices, in the hooks tier. It covers the root queueing discipline of a device
 * (below mq, that of each queue), not its children. A packet that bypasses an empty queue is not seen. Since the
 * queue hands out lists, a call has up to eight sites. */
#include "prov/provider.h"

static const char *const args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "ifinfo_t *", "qdiscinfo_t *", NULL };
static const char *const drop_args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "ifinfo_t *", "qdiscinfo_t *",
	"dropinfo_t *", NULL };

static const struct site enqueue_sites[] = {
	{ TP("qdisc_enqueue", 3, "dw_qenq"), .sees = "packets that a device's queue takes" },
};
/* Several packets may leave together, as a list. The last site stands for all remaining ones. */
/* clang-format off */
#define LATER_PLACES(X) \
	X("dw_qdeq1", "second") X("dw_qdeq2", "third") X("dw_qdeq3", "fourth") X("dw_qdeq4", "fifth") \
	X("dw_qdeq5", "sixth") X("dw_qdeq6", "seventh") X("dw_qdeq7", "eighth")
#define LATER(nat) TP("qdisc_dequeue", 4, nat), .when = "P->packets != 0 && P->first != 0 && P->skb != 0"
static const struct site dequeue_sites[] = {
	{ TP("qdisc_dequeue", 4, "dw_qdeq0"), .when = "P->skb != 0", .sees = "packets that leave a queue" },
#define X(nat, place) { LATER(nat), .sees = "... the " place " of those that leave together" },
	LATER_PLACES(X)
#undef X
};
/* clang-format on */
static const struct site drop_sites[] = {
	{ TP("kfree_skb", 3, "dw_qdrop"), .when = "dw_qd_dropped[P->reason] && P->dev != 0",
		.sees = "packets that a queue drops, or has no room for" },
};

/* clang-format off */
#define KEY .key = "(uint64_t)P->skb"
static const struct stamp_event queue_events[] = {
	{ STAMP_EACH, { TP("qdisc_enqueue", 3, "dw_qenq") }, KEY },
	{ STAMP_END, { TP("qdisc_dequeue", 4, "dw_qdeq0") }, KEY },
#define X(nat, place) { STAMP_END, { LATER(nat) }, KEY },
	LATER_PLACES(X)
#undef X
	{ STAMP_END, { TP("kfree_skb", 3, "dw_qdrop") }, KEY },
};
/* clang-format on */
static const struct stamp stamps[] = {
	{ "queue", TABLE(queue_events) },
};

static const struct probe_def probes[] = {
	{ "dequeue", args, TABLE(dequeue_sites),
		"a packet leaves a device's queue: args[4]->qd_time is how long it was there" },
	{ "drop", drop_args, TABLE(drop_sites), "a device's queue drops a packet: args[5] says why" },
	{ "enqueue", args, TABLE(enqueue_sites), "a packet is put into a device's queue" },
};

const struct provider qdisc_provider = { PROVIDER("qdisc", "dw_queued", probes), STAMPED(stamps) };
