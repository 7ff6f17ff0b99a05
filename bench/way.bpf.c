/* SPDX-License-Identifier: GPL-2.0-or-later */
/* way: a program that does nothing, at the places of pktlat and netlat that empty.bpf.c has not: stages of packets, and where
 * threads call, wait and read. */
#include "kern.h"

#define AT_TRACEPOINT(NAME)     \
	SEC("tp_btf/" #NAME)    \
	int NAME(u64 *args)     \
	{                       \
		return 0;       \
	}

AT_TRACEPOINT(sys_enter)
AT_TRACEPOINT(sys_exit)
AT_TRACEPOINT(sched_waking)
AT_TRACEPOINT(sched_switch)
AT_TRACEPOINT(sock_send_length)
AT_TRACEPOINT(sock_recv_length)
AT_TRACEPOINT(net_dev_start_xmit)
AT_TRACEPOINT(netif_receive_skb)
AT_TRACEPOINT(skb_copy_datagram_iovec)

/* load attaches it at the hook of its name. */
#define AT_NETFILTER(NAME)               \
	SEC("netfilter/" #NAME)          \
	int NAME(struct bpf_nf_ctx *ctx) \
	{                                \
		return 1;                \
	}

AT_NETFILTER(output)
AT_NETFILTER(postrouting)
AT_NETFILTER(prerouting)
AT_NETFILTER(input)

char LICENSE[] SEC("license") = "GPL";
