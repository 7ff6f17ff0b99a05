/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner_listener: the listener that a new connection comes from. Part of owner.bpf.c.
 * Input: a socket that the kernel has just made as a copy of its listener (inet_sock_set_state, LISTEN to SYN_RECV).
 * Output: the listener's address, or 0.
 *
 * The copy still has the listener's links in the list of its port's sockets: the kernel enters it there only later. So
 * the socket before the listener in that list leads to the listener. Other CPUs change the list at the same time: a
 * socket that is entered before the listener leads on to it, and so does one that is removed.
 * Invariant: the listener that is returned has the same successor in the list as the copy. No two sockets of a list
 * have the same. All lists end, however: of sockets without a successor, the state and the port decide.
 *
 * Socket storage, which the kernel copies with the socket, would take a microsecond for each connection. */
#define STEPS 4 /* sockets that came in before the listener in less than a microsecond */

/* The socket with this link. The pointers are read from lists, so to the verifier they are only numbers. */
static __always_inline const struct sock *sock_of_link(DW_U64 link)
{
	const void *sk = (const void *)(link - bpf_core_field_offset(struct sock, __sk_common.skc_bind_node));

#ifdef OWNER_RECV
	return bpf_rdonly_cast(sk, bpf_core_type_id_kernel(struct sock));
#else
	return sk;
#endif
}

#ifdef OWNER_RECV
#define OF_LINK(sk, member) ((sk)->__sk_common.member)
#else
#define OF_LINK(sk, member) BPF_CORE_READ(sk, __sk_common.member)
#endif

static __always_inline DW_U64 listener_of(const struct sock *copy)
{
	DW_U64 next = (DW_U64)copy->__sk_common.skc_bind_node.next, link = 0;
	const struct sock *sk;

	bpf_probe_read_kernel(&link, sizeof(link), copy->__sk_common.skc_bind_node.pprev);
#pragma unroll
	for (int i = 0; i < STEPS; i++) {
		if (!link)
			return 0;
		sk = sock_of_link(link);
		link = (DW_U64)OF_LINK(sk, skc_bind_node.next);
		if (link == next && OF_LINK(sk, skc_state) == TCP_LISTEN &&
			OF_LINK(sk, skc_num) == copy->__sk_common.skc_num)
			return (DW_U64)sk;
	}
	return 0;
}
