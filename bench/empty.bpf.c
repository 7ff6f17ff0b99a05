/* SPDX-License-Identifier: GPL-2.0-or-later */
/* empty: a program that does nothing, at every place that the bench measures. Its cost is that of being measured. */
#include "kern.h"

SEC("cgroup_skb/egress")
int egress(struct __sk_buff *ctx)
{
	return 1;
}

SEC("cgroup_skb/ingress")
int ingress(struct __sk_buff *ctx)
{
	return 1;
}

SEC("tp_btf/net_dev_queue")
int net_dev_queue(u64 *args)
{
	return 0;
}

SEC("tp_btf/tcp_send_reset")
int tcp_send_reset(u64 *args)
{
	return 0;
}

SEC("tp_btf/kfree_skb")
int kfree_skb(u64 *args)
{
	return 0;
}

/* where owners of sockets change */
SEC("tp_btf/inet_sock_set_state")
int set_state(u64 *args)
{
	return 0;
}

SEC("cgroup/sock_create")
int sock_create(struct bpf_sock *ctx)
{
	return 1;
}

SEC("cgroup/sock_release")
int sock_release(struct bpf_sock *ctx)
{
	return 1;
}

SEC("tp_btf/tcp_destroy_sock")
int destroy_sock(u64 *args)
{
	return 0;
}

/* memory, and softirqs */
SEC("tp_btf/kmem_cache_alloc")
int mem_alloc(u64 *args)
{
	return 0;
}

SEC("tp_btf/kmem_cache_free")
int mem_free(u64 *args)
{
	return 0;
}

SEC("tp_btf/consume_skb")
int consume(u64 *args)
{
	return 0;
}

SEC("tp_btf/netif_rx_entry")
int rx(u64 *args)
{
	return 0;
}

SEC("tp_btf/softirq_raise")
int softirq_raise(u64 *args)
{
	return 0;
}

SEC("tp_btf/softirq_entry")
int softirq_entry(u64 *args)
{
	return 0;
}

SEC("tp_btf/softirq_exit")
int softirq_exit(u64 *args)
{
	return 0;
}

SEC("tp_btf/napi_poll")
int poll(u64 *args)
{
	return 0;
}

/* bpftrace's kind */
SEC("tracepoint/net/net_dev_queue")
int tp_queue(void *ctx)
{
	return 0;
}

SEC("tracepoint/net/netif_receive_skb")
int tp_receive(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
