/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stages: by hand, what pktlat shows: between each two stages of a packet's way how many packets, and how long they took, as a
 * sum, a most and a distribution. A lower bound: IPv4 in one namespace, no end of a packet, no send calls, no filters, no names. */
#include "kern.h"
#include "steps.h"

enum stage { OUTPUT = 1, POSTROUTING, QUEUE, TRANSMIT, DRIVER, DEVICE, PREROUTING, INPUT, SOCKET, READ, NSTAGES };

struct note {
	u64 ns;
	u32 last;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__type(key, u64); /* the address of a packet's headers */
	__type(value, struct note);
} notes SEC(".maps");

TIMES(spent_between, (NSTAGES * NSTAGES));

static __always_inline void passes(const struct sk_buff *skb, u32 stage)
{
	u64 key = (u64)skb->head, now = bpf_ktime_get_ns(), spent;
	struct note *note, new = {now, stage};
	u32 pair;

	if (stage == OUTPUT) {
		bpf_map_update_elem(&notes, &key, &new, BPF_ANY);
		return;
	}
	note = bpf_map_lookup_elem(&notes, &key);
	if (!note)
		return;
	spent = now - note->ns;
	pair = note->last * NSTAGES + stage;
	note->ns = now;
	note->last = stage;
	times_add_at(&spent_between, pair, spent);
}

static __always_inline int traced(const u64 *args, enum stage stage)
{
	passes((const struct sk_buff *)args[0], stage);
	return 0;
}

AT_TRACEPOINT(net_dev_queue, traced(args, QUEUE))
AT_TRACEPOINT(net_dev_start_xmit, traced(args, TRANSMIT))
AT_TRACEPOINT(netif_rx_entry, traced(args, DRIVER))
AT_TRACEPOINT(netif_receive_skb, traced(args, DEVICE))
AT_TRACEPOINT(skb_copy_datagram_iovec, traced(args, READ))

/* load attaches it at the hook of its name. */
#define AT_NETFILTER(NAME, STAGE)        \
	SEC("netfilter/" #NAME)          \
	int NAME(struct bpf_nf_ctx *ctx) \
	{                                \
		passes(ctx->skb, STAGE); \
		return 1;                \
	}

AT_NETFILTER(output, OUTPUT)
AT_NETFILTER(postrouting, POSTROUTING)
AT_NETFILTER(prerouting, PREROUTING)
AT_NETFILTER(input, INPUT)

SEC("cgroup_skb/ingress")
int socket_in(struct __sk_buff *ctx)
{
	passes(bpf_cast_to_kern_ctx(ctx), SOCKET);
	return 1;
}

char LICENSE[] SEC("license") = "GPL";
