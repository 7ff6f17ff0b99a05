/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wifi: sites and arguments of the wifi provider. Input: tracepoints of the modules cfg80211 and mac80211. Output:
 * wifiinfo_t. */

struct dw_wifi {
	uint64_t wiphy;			/* the device (struct wiphy) */
	uint64_t phy;			/* address of its name */
	struct net_device *dev;		/* the interface; NULL: it has none */
	uint64_t local;			/* mac80211's structure of the device (struct ieee80211_local) */
	uint64_t req;			/* the request (struct cfg80211_scan_request) */
	uint64_t channel;		/* struct ieee80211_channel; 0: none is known */
	uint32_t channels;
	uint32_t ssids;
	uint32_t freq;
	uint32_t band;
	int32_t beacon;
	uint32_t index;
	int32_t aborted;
	int32_t asks;			/* 1: the current process asks */
	uint64_t since;			/* ns: when the scan began; 0: not seen */
	uint64_t asker;
};

/* ---- the modules' structures, in numbers: their types are there only where the modules are --------------------------------- */
/* The request that drivers get. Since Linux 6.17 it is part of cfg80211's own structure. */
inline uint64_t dw_wf_req[uint64_t req] = __has(sizeof(struct cfg80211`cfg80211_scan_request_int)) ?
    (uint64_t)&((struct cfg80211`cfg80211_scan_request_int *)req)->req : req;
inline uint64_t dw_wf_dev[uint64_t req] = (uint64_t)((struct cfg80211`cfg80211_scan_request *)req)->wdev->netdev;
inline uint64_t dw_wf_wiphy[uint64_t req] = (uint64_t)((struct cfg80211`cfg80211_scan_request *)req)->wiphy;
inline uint64_t dw_wf_phy[uint64_t wiphy] = (uint64_t)((struct cfg80211`wiphy *)wiphy)->dev.kobj.name;
inline uint32_t dw_wf_channels[uint64_t req] = ((struct cfg80211`cfg80211_scan_request *)req)->n_channels;
inline uint32_t dw_wf_ssids[uint64_t req] = ((struct cfg80211`cfg80211_scan_request *)req)->n_ssids;
inline uint64_t dw_wf_nth[uint64_t req, int i] = *(uint64_t *)((uint64_t)&((struct cfg80211`cfg80211_scan_request *)req)->channels + i * 8);

inline uint64_t dw_wf_lreq[uint64_t local] = (uint64_t)((struct mac80211`ieee80211_local *)local)->scan_req;
inline uint64_t dw_wf_lwiphy[uint64_t local] = (uint64_t)((struct mac80211`ieee80211_local *)local)->hw.wiphy;
inline int dw_wf_index[uint64_t local] = ((struct mac80211`ieee80211_local *)local)->scan_channel_idx;
inline uint64_t dw_wf_tuned[uint64_t local] = (uint64_t)((struct mac80211`ieee80211_local *)local)->scan_chandef.chan;
inline uint64_t dw_wf_scanning[uint64_t local] = ((struct mac80211`ieee80211_local *)local)->scanning;
inline uint32_t dw_wf_freq[uint64_t channel] = ((struct mac80211`ieee80211_channel *)channel)->center_freq;
inline uint32_t dw_wf_band[uint64_t channel] = ((struct mac80211`ieee80211_channel *)channel)->band;
inline int dw_wf_beacon[uint64_t channel] = ((struct mac80211`ieee80211_channel *)channel)->beacon_found;

/* Bits of scanning: the kernel scans, not the device; the device scans only the channel that it is on. */
inline int DW_SCAN_SW_SCANNING = 1 << 0;
inline int DW_SCAN_ONCHANNEL_SCANNING = 1 << 2;
/* The kernel scans by itself and has tuned the device to the next channel of the request. */
inline int dw_wf_turns[uint64_t local] = (dw_wf_scanning[local] & DW_SCAN_SW_SCANNING) != 0 && dw_wf_tuned[local] != 0 &&
    dw_wf_lreq[local] != 0 && dw_wf_index[local] < dw_wf_channels[dw_wf_lreq[local]] &&
    dw_wf_nth[dw_wf_lreq[local], dw_wf_index[local]] == dw_wf_tuned[local];
inline int dw_wf_stays[uint64_t local] = (dw_wf_scanning[local] & DW_SCAN_ONCHANNEL_SCANNING) != 0 && dw_wf_lreq[local] != 0;

/* Defaults: no channel, not aborted, requested earlier. */
translator struct dw_wifi < struct dw_wifi *P > {
	phy = dw_wf_phy[P->wiphy];
	dev = (struct net_device *)dw_wf_dev[P->req];
	channels = dw_wf_channels[P->req];
	ssids = dw_wf_ssids[P->req];
	channel = 0;
	freq = P->channel != 0 ? dw_wf_freq[P->channel] : 0;
	band = P->channel != 0 ? dw_wf_band[P->channel] : 0;
	beacon = P->channel != 0 ? dw_wf_beacon[P->channel] : 0;
	index = 0;
	aborted = 0;
	asks = 0;
	since = __stamp("scan", P->wiphy);
	asker = __stamped("scan", P->wiphy);
};

/* ---- sites ------------------------------------------------------------------------------------------------------------ */

/* rdev_scan */
struct dw_wfscan {
	uint64_t wiphy;
	uint64_t request;
};

translator struct dw_wifi < struct dw_wfscan *C > {
	wiphy = dw_wf_wiphy[dw_wf_req[C->request]];
	req = dw_wf_req[C->request];
	asks = 1;
	since = 0;
	asker = pid;
};

/* cfg80211_scan_done */
struct dw_wfdone {
	uint64_t request;
	uint64_t info;
};

translator struct dw_wifi < struct dw_wfdone *C > {
	wiphy = dw_wf_wiphy[dw_wf_req[C->request]];
	req = dw_wf_req[C->request];
	aborted = ((struct cfg80211`cfg80211_scan_info *)C->info)->aborted;
};

/* drv_config */
struct dw_wfconf {
	uint64_t local;
	uint64_t changed;
};

translator struct dw_wifi < struct dw_wfconf *C > {
	wiphy = dw_wf_lwiphy[C->local];
	local = C->local;
	req = dw_wf_lreq[C->local];
	channel = dw_wf_tuned[C->local];
	index = dw_wf_index[C->local] + 1;
};

/* drv_sw_scan_start */
struct dw_wfstay {
	uint64_t local;
	uint64_t sdata;
};

translator struct dw_wifi < struct dw_wfstay *C > {
	wiphy = dw_wf_lwiphy[C->local];
	local = C->local;
	req = dw_wf_lreq[C->local];
	channel = dw_wf_nth[dw_wf_lreq[C->local], 0];
	index = 1;
};

/* ---- arguments --------------------------------------------------------------------------------------------------------- */

inline string wifi_band_string[uint32_t band] =
    band == 0 ? "2GHZ" : band == 1 ? "5GHZ" : band == 2 ? "60GHZ" : band == 3 ? "6GHZ" : band == 4 ? "S1GHZ" :
    band == 5 ? "LC" : "<unknown>";

typedef struct wifiinfo {
	string wi_phy;			/* the device: "phy0" */
	string wi_ifname;		/* its interface: "wlan0"; "": none */
	uint32_t wi_ifindex;
	uint32_t wi_channels;		/* channels to be scanned */
	uint32_t wi_ssids;		/* network names asked for; 0: the device only listens */
	/* scan-channel; else 0 and "" */
	uint32_t wi_index;		/* of the channel among them, from 1 */
	uint32_t wi_freq;		/* MHz */
	string wi_band;			/* "2GHZ", "5GHZ", "6GHZ", ... */
	int wi_beacon;			/* 1: networks were heard there before */
	/* scan-done */
	int wi_aborted;			/* 1: it was given up */
	uint64_t wi_time;		/* scan-channel too: ns since scan-start; 0: not seen */
} wifiinfo_t;

translator wifiinfo_t < struct dw_wifi *P > {
	wi_phy = ((struct dw_name96 *)P->phy)->c;
	wi_ifname = P->dev != 0 ? P->dev->name : "";
	wi_ifindex = P->dev != 0 ? P->dev->ifindex : 0;
	wi_channels = P->channels;
	wi_ssids = P->ssids;
	wi_index = P->index;
	wi_freq = P->freq;
	wi_band = P->freq != 0 ? wifi_band_string[P->band] : "";
	wi_beacon = P->beacon;
	wi_aborted = P->aborted;
	wi_time = P->since != 0 ? timestamp - P->since : 0;
};

/* The process that requested the scan. Only its number is known after the request. */
translator csinfo_t < struct dw_wifi *P > {
	cs_addr = 0;
	cs_cid = 0;
	cs_pid = P->asks ? pid : P->since != 0 ? (pid_t)P->asker : -1;
	cs_zoneid = P->dev != 0 ? __zoneid(dw_dev_netns[P->dev]) : -1;
	cs_tid = P->asks ? tid : -1;
	cs_uid = P->asks ? uid : 0;
	cs_execname = P->asks ? curthread->group_leader->comm : "";
	cs_netns = P->dev != 0 ? dw_dev_netns[P->dev] : 0;
	cs_cgroup = P->asks ? curthread->cgroups->dfl_cgrp->kn->id : 0;
	cs_zonename = P->dev != 0 ? __zone(dw_dev_netns[P->dev]) : "";
	cs_nspid = P->asks ? dw_my_nspid[curthread->group_leader->thread_pid->level] : -1;
	cs_runtime = "";
	cs_container = "";
	cs_parent = 0;
	cs_token = 0;
	cs_orig_saddr = "";
	cs_orig_daddr = "";
	cs_orig_sport = 0;
	cs_orig_dport = 0;
	cs_cgroupname = "";
	cs_containername = "";
	cs_podname = "";
	cs_podnamespace = "";
};
