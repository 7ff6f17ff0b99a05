/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mib: sites that only the mib provider has. Output: struct dw_pkt, or a structure that extends it. args[1] of its
 * probes is csinfo_t: the owner of the counter. */

/* tcp_probe, tcp_rcv_established: a segment of an established connection when the socket processes it. The segment
 * waits until then if a process is using the socket. The data begin at the TCP header. */
struct dw_taken {
	struct sock *sk;
	struct sk_buff *skb;
};

translator struct dw_pkt < struct dw_taken *C > {
	th = (uint64_t)C->skb->data;
	has_pkt = 1;
	recv = 1;
	ver = C->sk->__sk_common.skc_family == DW_AF_INET ? 4 : 6;
	proto = DW_IPPROTO_TCP;
};

struct dw_counted {
	struct dw_tcp;
	struct timer_list *timer;	/* timer_expire_entry */
};

/* timer_expire_entry: the timer of a packet whose fragments have not all arrived. */
struct dw_fragtimer {
	struct timer_list *timer;
};

translator struct dw_counted < struct dw_fragtimer *C > {
	netns = ((struct inet_frag_queue *)((uint64_t)C->timer - offsetof(struct inet_frag_queue, timer)))->fqdir->net->ns.inum;
};
