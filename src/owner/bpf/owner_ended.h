/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner_ended: owners of connections whose socket is gone. Part of owner.bpf.c.
 * Input: a connection that this side closes first. Output: an entry of `ended_owners` under a key made of the
 * connection's ends and namespace. The kernel replaces the socket by a small one (struct inet_timewait_sock), in
 * FIN_WAIT2 or TIME_WAIT, which no event announces; before Linux 6.13 it sends by another socket. The ends stay the
 * same.
 * Invariants:
 * - There are at most DW_ENDED such entries. The oldest is overwritten first, since the end of TIME_WAIT is not seen
 *   either. Of two connections with the same ends the later one is found first.
 * - The key is a hash of 63 bits with a secret: the chance that two of DW_ENDED connections share one is 4 in 10^12,
 *   and no peer can choose addresses and ports that do.
 * A hash of the kernel would take ten times as long: it allocates an entry and frees another for each connection. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, DW_U32);
	__type(value, struct dw_ended);
} ended_owners SEC(".maps");

/* Without CONFIG_IPV6 a socket has no such addresses. */
static __always_inline bool is_ipv4(const struct sock_common *c)
{
	const DW_U32 *far;

	if (!bpf_core_field_exists(c->skc_v6_daddr))
		return true;
	far = c->skc_v6_daddr.in6_u.u6_addr32;
	return c->skc_family == AF_INET || (far[0] == 0 && far[1] == 0 && far[2] == IN6_MAPPED);
}

static __always_inline DW_U64 key_add_ipv6(DW_U64 key, const DW_U32 *a)
{
	key = dw_mix(ends_factor, key, (DW_U64)a[1] << 32 | a[0]);
	return dw_mix(ends_factor, key, (DW_U64)a[3] << 32 | a[2]);
}

/* Without CONFIG_NET_NS there is one namespace, whose number is 0. */
static __always_inline DW_U32 netns_of(const struct sock_common *c)
{
	return bpf_core_field_exists(c->skc_net.net) ? c->skc_net.net->ns.inum : 0;
}

/* dlib/net.d makes the same key (dw_ends_of, dw_ends_sent). */
static __always_inline DW_U64 ends_key(const struct sock *sk)
{
	const struct sock_common *c = &sk->__sk_common;
	DW_U64 key = 0;

	if (is_ipv4(c)) {
		key = dw_mix(ends_factor, key, (DW_U64)c->skc_rcv_saddr << 32 | c->skc_daddr);
	} else {
		key = key_add_ipv6(key, c->skc_v6_rcv_saddr.in6_u.u6_addr32);
		key = key_add_ipv6(key, c->skc_v6_daddr.in6_u.u6_addr32);
	}
	key = dw_mix(ends_factor, key, (DW_U64)netns_of(c) << 32 | (DW_U32)c->skc_num << 16 | c->skc_dport);
	return key & 0x7fffffffffffffff;
}

/* The other side has acknowledged our FIN, or has sent its own before it did: from now on the socket may become a
 * small one. An earlier connection with the same ends may have left an entry, which one without an owner hides. */
static __always_inline void may_end(const struct sock *sk)
{
	const struct dw_owner *o = lookup((DW_U64)sk);
	struct dw_ended_one *one;
	struct dw_ended *all;
	DW_U32 zero = 0;
	DW_U64 n;

	all = bpf_map_lookup_elem(&ended_owners, &zero);
	if (!all)
		return;
	n = __sync_fetch_and_add(&all->n, 1) + 1;
	one = &all->ring[n % DW_ENDED];
	*(volatile DW_U64 *)&one->owner.ended = 0;
	barrier();
	if (o)
		one->owner = *o;
	*(volatile DW_U64 *)&one->owner.ended = 0; /* it is 0 in *o */
	if (!o)
		one->owner.process = 0;
	one->owner.how = DW_OWNER_USE;
	one->owner.sk = (DW_U64)sk;
	one->key = ends_key(sk);
	one->older = 0;
	barrier();
	*(volatile DW_U64 *)&one->owner.ended = n;
	one->older = __sync_lock_test_and_set(&all->newest[DW_ENDED_HEAD(one->key)], n);
}
