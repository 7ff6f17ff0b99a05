/* SPDX-License-Identifier: GPL-2.0-or-later */
/* softirqs: by hand, what softnet shows: for each CPU how long softirqs that receive waited and ran, and what they polled; for each
 * reader how long its packets took from the driver to its socket. A lower bound: nobody notes that a socket goes to another
 * process, no counters of the kernel are read, and packets have no identity but the address of their buffer. */
#include "kern.h"
#include "steps.h"

struct softirqs {
	u64 raised, began;
	u64 runs, polled, dropped;
	struct times wait, run;
};

struct reader {
	struct owner owner;
	u32 cpu;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct softirqs);
} cpus SEC(".maps");

BUFFERS(arrivals);

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct owner);
} owners SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct reader);
	__type(value, struct times);
} readers SEC(".maps");

static const struct times none;

static __always_inline struct softirqs *this_cpu(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&cpus, &zero);
}

SEC("tp_btf/softirq_raise")
int softirq_raise(u64 *args)
{
	struct softirqs *c = (u32)args[0] == NET_RX_SOFTIRQ ? this_cpu() : NULL;

	if (c && !c->raised)
		c->raised = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/softirq_entry")
int softirq_entry(u64 *args)
{
	struct softirqs *c = (u32)args[0] == NET_RX_SOFTIRQ ? this_cpu() : NULL;

	if (!c)
		return 0;
	c->began = bpf_ktime_get_ns();
	c->runs++;
	if (c->raised)
		times_add(&c->wait, c->began - c->raised);
	c->raised = 0;
	return 0;
}

SEC("tp_btf/softirq_exit")
int softirq_exit(u64 *args)
{
	struct softirqs *c = (u32)args[0] == NET_RX_SOFTIRQ ? this_cpu() : NULL;

	if (c && c->began)
		times_add(&c->run, bpf_ktime_get_ns() - c->began);
	return 0;
}

SEC("tp_btf/napi_poll")
int poll(u64 *args)
{
	struct softirqs *c = this_cpu();

	if (c)
		c->polled += (u32)args[1];
	return 0;
}

SEC("tp_btf/kfree_skb")
int drop(u64 *args)
{
	struct softirqs *c = (u32)args[2] == SKB_DROP_REASON_CPU_BACKLOG ? this_cpu() : NULL;

	if (c)
		c->dropped++;
	return 0;
}

AT_TRACEPOINT(netif_rx_entry, buffer_note(&arrivals, args[0]))

static __always_inline void own(struct sock *sk)
{
	struct owner *o = bpf_sk_storage_get(&owners, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);

	if (o && !o->pid)
		owner_now(o);
}

SEC("tp_btf/inet_sock_set_state")
int set_state(u64 *args)
{
	if ((u32)args[2] == TCP_SYN_SENT || (u32)args[2] == TCP_ESTABLISHED)
		own((struct sock *)args[0]);
	return 0;
}

SEC("cgroup_skb/ingress")
int socket_in(struct __sk_buff *ctx)
{
	u64 key = (u64)bpf_cast_to_kern_ctx(ctx), *arrived = bpf_map_lookup_elem(&arrivals, &key);
	struct reader r = {.cpu = bpf_get_smp_processor_id()};
	struct bpf_sock *sk = ctx->sk;
	struct owner *o;
	struct times *t;
	u64 spent;

	if (!arrived || !sk)
		return 1;
	spent = bpf_ktime_get_ns() - *arrived;
	bpf_map_delete_elem(&arrivals, &key);
	o = bpf_sk_storage_get(&owners, sk, NULL, 0);
	if (o)
		r.owner = *o;
	t = bpf_map_lookup_elem(&readers, &r);
	if (!t) {
		bpf_map_update_elem(&readers, &r, &none, BPF_NOEXIST);
		t = bpf_map_lookup_elem(&readers, &r);
	}
	if (t)
		times_add(t, spent);
	return 1;
}

char LICENSE[] SEC("license") = "GPL";
