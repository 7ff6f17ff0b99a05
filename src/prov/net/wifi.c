/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wifi: scans for wireless networks, in the hooks tier: a process requests a scan, the kernel tunes the device to a
 * channel, the scan ends. The tracepoints belong to the modules cfg80211 and mac80211. For devices that scan by
 * themselves (hw_scan) the kernel does not know the channels. */
#include "prov/provider.h"

#define CFG(tp, n, nat) .attach = ATTACH_TP_BTF, .module = "cfg80211", .target = tp, .nargs = n, .native = nat
#define MAC(tp, n, nat) .attach = ATTACH_TP_BTF, .module = "mac80211", .target = tp, .nargs = n, .native = nat

static const char *const args[] = { "wifiinfo_t *", "csinfo_t *", NULL };

static const struct site start_sites[] = {
	{ CFG("rdev_scan", 2, "dw_wfscan"), .sees = "scans that a device is asked for" },
};
static const struct site channel_sites[] = {
	{ MAC("drv_config", 2, "dw_wfconf"), .when = "dw_wf_turns[P->local]",
		.sees = "each channel that the kernel turns the device to" },
	{ MAC("drv_sw_scan_start", 2, "dw_wfstay"), .when = "dw_wf_stays[P->local]",
		.sees = "... the only one, if it is where the device is already" },
};
static const struct site done_sites[] = {
	{ CFG("cfg80211_scan_done", 2, "dw_wfdone"), .sees = "the end of a scan" },
};

#define KEY .key = "P->wiphy"
static const struct stamp_event events[] = {
	{ STAMP_SET, { CFG("rdev_scan", 2, "dw_wfscan") }, KEY, .word = "(uint64_t)pid" },
	{ STAMP_END, { CFG("cfg80211_scan_done", 2, "dw_wfdone") }, KEY, NULL },
};
static const struct stamp stamps[] = { { "scan", events, 2 } };

static const struct probe_def probes[] = {
	{ "scan-channel", args, channel_sites, 2, "the kernel turns a device to a channel, to scan it" },
	{ "scan-done", args, done_sites, 1, "a scan has ended: args[0]->wi_time is how long it took" },
	{ "scan-start", args, start_sites, 1, "a process asks a device to scan for wireless networks" },
};

const struct provider wifi_provider = {
	.name = "wifi",
	.raw = "dw_wifi",
	.module = "cfg80211",
	.probes = probes,
	.nprobes = sizeof(probes) / sizeof(probes[0]),
	.stamps = stamps,
	.nstamps = 1,
};
