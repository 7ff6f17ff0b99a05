/* SPDX-License-Identifier: GPL-2.0-or-later */
/* softnet: the kernel's network softirqs (NET_RX, NET_TX) and the polls of devices in them, in the hooks tier. A CPU's
 * counters and backlog are known from its first poll of the backlog on: that shows where they are. Measured on Linux
 * 6.18 against /proc/net/softnet_stat. */
#include "prov/provider.h"

static const char *const args[] = { "softnetinfo_t *", NULL };

#define OF_NETWORK "(P->vec == DW_NET_RX || P->vec == DW_NET_TX)"
static const struct site raise_sites[] = {
	{ TP("softirq_raise", 1, "dw_snraise"), .irqs_off = true, .when = OF_NETWORK,
		.sees = "requests for a softirq, also of a CPU that runs it" },
};
static const struct site entry_sites[] = {
	{ TP("softirq_entry", 1, "dw_snentry"), .bh_off = true, .when = OF_NETWORK, .sees = "softirqs that begin" },
};
static const struct site exit_sites[] = {
	{ TP("softirq_exit", 1, "dw_snexit"), .bh_off = true, .when = OF_NETWORK, .sees = "softirqs that end" },
};
static const struct site poll_sites[] = {
	{ TP("napi_poll", 3, "dw_snpoll"), .bh_off = true, .when = "P->work != 0 || P->dev == 0",
		.sees = "polls of a device" },
};

#define SOFTIRQS 16 /* more than there are */
#define KEY .key = "P->vec", .percpu = SOFTIRQS
static const struct stamp_event raise_events[] = {
	{ STAMP_FIRST, { TP("softirq_raise", 1, "dw_snraise"), .irqs_off = true, .when = OF_NETWORK }, KEY },
	{ STAMP_END, { TP("softirq_entry", 1, "dw_snentry"), .when = OF_NETWORK }, KEY },
};
static const struct stamp_event entry_events[] = {
	{ STAMP_SET, { TP("softirq_entry", 1, "dw_snentry"), .when = OF_NETWORK }, KEY },
	{ STAMP_END, { TP("softirq_exit", 1, "dw_snexit"), .when = OF_NETWORK }, KEY },
};
static const struct stamp_event queue_events[] = {
	{ STAMP_SET, { TP("napi_poll", 3, "dw_snpoll"), .when = "P->dev == 0" }, .key = "0", .percpu = 1,
		.word = "dw_softnet_of[(uint64_t)P->napi]" },
};
static const struct stamp stamps[] = {
	{ "raise", TABLE(raise_events) }, /* when a softirq was asked for */
	{ "entry", TABLE(entry_events) }, /* when it began */
	{ "queue", TABLE(queue_events) }, /* the CPU's struct softnet_data */
};

static const struct probe_def probes[] = {
	{ "entry", args, TABLE(entry_sites), "a network softirq begins: args[0]->sn_time is how long it waited" },
	{ "exit", args, TABLE(exit_sites), "it ends: args[0]->sn_time is how long it ran" },
	{ "poll", args, TABLE(poll_sites), "packets were taken from a device, or from a CPU's backlog" },
	{ "raise", args, TABLE(raise_sites), "a network softirq is asked for" },
};

const struct provider softnet_provider = { PROVIDER("softnet", "dw_softnet", probes), STAMPED(stamps) };
