/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bql: byte queue limits, by which the kernel bounds what a driver has (struct dql), in the hooks tier. A queue is
 * stopped while the driver gets a packet; that it goes on is seen when packets are asked of it. */
#include "prov/provider.h"

static const char *const args[] = { "bqlinfo_t *", "ifinfo_t *", "csinfo_t *", NULL };

#define GIVEN "P->txq != 0 && dw_bql_used[(uint64_t)P->txq]"
#define STOPS GIVEN " && dw_bql_off[(uint64_t)P->txq]"
#define GOES_ON "P->since != 0 && !dw_bql_off[(uint64_t)P->txq]"
static const struct site queued_sites[] = {
	{ TP("net_dev_xmit", 4, "dw_bqlgiven"), .bh_off = true, .when = GIVEN,
		.sees = "packets that a driver has got" },
};
static const struct site stop_sites[] = {
	{ TP("net_dev_xmit", 4, "dw_bqlgiven"), .bh_off = true, .when = STOPS " && P->since == 0",
		.sees = "packets with which the limit is reached" },
};
static const struct site start_sites[] = {
	{ TP("qdisc_dequeue", 3, "dw_bqlasked"), .bh_off = true, .when = GOES_ON,
		.sees = "the first look for packets after the driver has freed some" },
};

/* A CPU notes the queue before it gives the driver a packet, and reads that just after. Meanwhile another CPU may free
 * the packet, and give a driver the next one in the same memory; and a driver may give the same packet to another. */
#define BUFFER .key = "P->buffer ^ (uint64_t)cpu << 48"
static const struct stamp_event given_events[] = {
	{ STAMP_EACH, { TP("net_dev_start_xmit", 2, "dw_bqlgives") }, BUFFER, .word = "(uint64_t)P->txq" },
	{ STAMP_END, { TP("net_dev_xmit", 4, "dw_bqlgiven"), .bh_off = true }, BUFFER },
};
#define QUEUE .key = "(uint64_t)P->txq"
static const struct stamp_event stop_events[] = {
	{ STAMP_FIRST, { TP("net_dev_xmit", 4, "dw_bqlgiven"), .when = STOPS }, QUEUE, NULL },
	{ STAMP_END, { TP("qdisc_dequeue", 3, "dw_bqlasked"), .when = GOES_ON }, QUEUE, NULL },
};
static const struct stamp stamps[] = {
	{ "given", TABLE(given_events) }, /* the queue of a packet that a driver gets: it may be freed by then */
	{ "stop", TABLE(stop_events) },
};

static const struct probe_def probes[] = {
	{ "queued", args, TABLE(queued_sites), "a driver has got a packet, and its queue's limit counts it" },
	{ "start", args, TABLE(start_sites), "a queue that was stopped goes on: args[0]->bql_time is how long it was" },
	{ "stop", args, TABLE(stop_sites), "a queue is stopped, as the driver has as much as the limit lets it have" },
};

const struct provider bql_provider = { PROVIDER("bql", "dw_bql", probes), STAMPED(stamps) };
