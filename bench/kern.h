/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kern.h: what the hand-written programs of the bench share: the kernel's types (of the running kernel, so that clang may
 * treat them as any other) and the packet's headers. They say what the sites of src/prov/net/{tcp,ip}.c and dlib/net/net.d say. */
#ifndef DWIRE_BENCH_KERN_H
#define DWIRE_BENCH_KERN_H
#define BPF_NO_PRESERVE_ACCESS_INDEX
/* The headers of libbpf need the types of the kernel. */
/* clang-format off */
#include "vmlinux.h" /* made by bench */
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
/* clang-format on */

#define P_IP 0x0008 /* ETH_P_IP, ETH_P_IPV6 in network order */
#define P_IPV6 0xdd86

extern void *bpf_cast_to_kern_ctx(void *ctx) __ksym;
extern void *bpf_rdonly_cast(const void *p, u32 btf_id) __ksym;

#define CAST(p, T) ((T *)bpf_rdonly_cast((const void *)(p), bpf_core_type_id_kernel(T)))

static __always_inline const u8 *ip_header(const struct sk_buff *skb)
{
	return skb->head + skb->network_header;
}

/* Bytes after the IP header; where the header has no length (over 64 KiB) the buffer tells. */
static __always_inline u32 ip_plength(const struct sk_buff *skb, const u8 *nh)
{
	if (skb->protocol == P_IP) {
		const struct iphdr *ip = CAST(nh, struct iphdr);
		u32 len = ip->tot_len ? bpf_ntohs(ip->tot_len) : skb->len + (u32)(skb->data - nh);

		return len - ip->ihl * 4;
	}
	const struct ipv6hdr *ip6 = CAST(nh, struct ipv6hdr);

	return ip6->payload_len ? bpf_ntohs(ip6->payload_len) : skb->len + (u32)(skb->data - nh) - 40;
}

static __always_inline u8 ip_proto(const struct sk_buff *skb)
{
	const u8 *nh = ip_header(skb);

	return skb->protocol == P_IP ? CAST(nh, struct iphdr)->protocol : CAST(nh, struct ipv6hdr)->nexthdr;
}

/* Byte 13 of the header. */
#define TCP_SYN 0x02
#define TCP_RST 0x04
#define TCP_ACK 0x10
static __always_inline u8 tcp_flags(const struct sk_buff *skb)
{
	const struct tcphdr *th = CAST(skb->head + skb->transport_header, struct tcphdr);

	return (u8)(*(const u32 *)((const u8 *)&th->ack_seq + 4) >> 8);
}

/* Who runs now. */
struct owner {
	u32 pid;
	char comm[16];
};

static __always_inline void owner_now(struct owner *o)
{
	o->pid = bpf_get_current_pid_tgid() >> 32;
	bpf_get_current_comm(o->comm, sizeof(o->comm));
}

/* When buffers were seen, by their addresses. */
#define BUFFERS(NAME)                            \
	struct {                                 \
		__uint(type, BPF_MAP_TYPE_HASH); \
		__uint(max_entries, 32768);      \
		__type(key, u64);                \
		__type(value, u64);              \
	} NAME SEC(".maps")

static __always_inline int buffer_note(void *buffers, u64 skb)
{
	u64 now = bpf_ktime_get_ns();

	bpf_map_update_elem(buffers, &skb, &now, BPF_ANY);
	return 0;
}

/* A program at a tracepoint; WHAT may use its arguments. */
#define AT_TRACEPOINT(EVENT, WHAT)         \
	SEC("tp_btf/" #EVENT)   \
	int EVENT(u64 *args)    \
	{                       \
		return WHAT;    \
	}

/* Programs where the segments of sockets leave and arrive: segment(ctx, leaves). */
#define AT_SEGMENTS(segment)               \
	SEC("cgroup_skb/egress")           \
	int sent(struct __sk_buff *ctx)    \
	{                                  \
		return segment(ctx, true); \
	}                                  \
	SEC("cgroup_skb/ingress")          \
	int received(struct __sk_buff *ctx) \
	{                                  \
		return segment(ctx, false); \
	}

/* The first device that a packet of this machine goes to: no bridge port, bond slave or VLAN on the way. */
static __always_inline bool first_device(const struct sk_buff *skb)
{
	const struct net_device *dev = skb->dev;
	u64 source = 0, own = 0;

	if ((dev->priv_flags & 0x2200) || (dev->flags & 0x800) || skb->vlan_all)
		return false;
	if (dev->type != 1)
		return true;
	bpf_probe_read_kernel(&source, 6, skb->head + skb->mac_header + 6);
	bpf_probe_read_kernel(&own, 6, dev->dev_addr);
	return source == own;
}
#endif
