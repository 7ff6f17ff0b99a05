/* SPDX-License-Identifier: GPL-2.0-or-later */
/* path_functions: sites of the path provider at kernel functions. Input: the function's arguments, in order, as the
 * members of a structure; retval is its result. Output: struct dw_path. src/prov/net/path.c names the functions. */

/* __ip_local_out: the buffer has no protocol yet. */
struct dw_pafout4 {
	struct net *net;
	struct sock *by;
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_pafout4 *C > {
	stage = DW_PATH_OUTPUT;
	ver = 4;
	proto = ((struct iphdr *)dw_nh[C->skb])->protocol;
	dev = (struct net_device *)dw_dst_dev[C->skb];
	netns = C->net->ns.inum;
};

/* __ip6_local_out, and ip6_output for TCP, which does not call that. */
struct dw_pafout6 {
	struct net *net;
	struct sock *by;
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_pafout6 *C > {
	stage = DW_PATH_OUTPUT;
	ver = 6;
	proto = ((struct ipv6hdr *)dw_nh[C->skb])->nexthdr;
	dev = (struct net_device *)dw_dst_dev[C->skb];
	netns = C->net->ns.inum;
};
inline int DW_IP6SKB_FORWARDED = 2;
inline int dw_path_local6[struct sk_buff *B] =
    (((struct inet6_skb_parm *)(uint64_t)&B->cb)->flags & DW_IP6SKB_FORWARDED) == 0;

/* inet_sendmsg, inet6_sendmsg: a process sends, however it does so. There is no packet. */
struct dw_pafsend {
	struct socket *sock;
	struct msghdr *msg;
	uint64_t size;
};
translator struct dw_path < struct dw_pafsend *C > {
	skb = (struct sk_buff *)0;
	stage = DW_PATH_SEND;
	sk = C->sock->sk;
	owner = __owner((uint64_t)C->sock->sk);
	cookie = C->sock->sk->__sk_common.skc_cookie.counter;
	has_pkt = 0;
	synth = 1;
	dev = (struct net_device *)0;
	netns = dw_sk_netns[C->sock->sk];
	ver = dw_v4only[C->sock->sk] ? 4 : 6;
	proto = C->sock->sk->sk_protocol;
	packet_id = dw_path_written[C->sock->sk];
	path_place = 0;
	path_before = 0;
	path_begin = 0;
};

/* ip_queue_xmit, inet6_csk_xmit: TCP's header is there, IP's is not. */
struct dw_patcpout4 {
	struct sock *sk;
	struct sk_buff *skb;
};
struct dw_patcpout6 {
	struct sock *sk;
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_patcpout4 *C > {
	stage = DW_PATH_TCP_OUT;
	synth = 1;
	ver = 4;
	proto = DW_IPPROTO_TCP;
	th = (uint64_t)C->skb->data;
	dev = (struct net_device *)0;
	netns = dw_sk_netns[C->sk];
};
translator struct dw_path < struct dw_patcpout6 *C > {
	stage = DW_PATH_TCP_OUT;
	synth = 1;
	ver = 6;
	proto = DW_IPPROTO_TCP;
	th = (uint64_t)C->skb->data;
	dev = (struct net_device *)0;
	netns = dw_sk_netns[C->sk];
};

/* ip_send_skb, ip6_send_skb: the datagram is made, with IP's header. */
struct dw_paudpout4 {
	struct net *net;
	struct sk_buff *skb;
};
struct dw_paudpout6 {
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_paudpout4 *C > {
	stage = DW_PATH_UDP_OUT;
	ver = 4;
	proto = ((struct iphdr *)dw_nh[C->skb])->protocol;
	dev = (struct net_device *)dw_dst_dev[C->skb];
	netns = C->net->ns.inum;
};
translator struct dw_path < struct dw_paudpout6 *C > {
	stage = DW_PATH_UDP_OUT;
	ver = 6;
	proto = ((struct ipv6hdr *)dw_nh[C->skb])->nexthdr;
	dev = (struct net_device *)dw_dst_dev[C->skb];
	netns = dw_full[(uint64_t)C->skb->sk] ? dw_sk_netns[C->skb->sk] : 0;
};

struct dw_paffwd {
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_paffwd *C > {
	stage = DW_PATH_FORWARD;
	dev = (struct net_device *)dw_dst_dev[C->skb];
	netns = dw_dev_netns[C->skb->dev];
};

struct dw_pafpost {
	struct net *net;
	struct sock *by;
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_pafpost *C > {
	stage = DW_PATH_POSTROUTING;
	netns = C->net->ns.inum;
};

struct dw_pafpre {
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_pafpre *C > {
	stage = DW_PATH_PREROUTING;
	recv = 1;
	nh = (uint64_t)C->skb->data;
};

struct dw_pafin {
	struct net *net;
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_pafin *C > {
	stage = DW_PATH_INPUT;
	recv = 1;
	netns = C->net->ns.inum;
};

/* __neigh_event_send: called for each packet whose neighbour was not confirmed of late. */
struct dw_paneigh {
	struct neighbour *neigh;
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_paneigh *C > {
	stage = DW_PATH_NEIGH_WAIT;
	dev = C->neigh->dev;
	/* no valid address: the packet waits */
	has_pkt = (C->neigh->nud_state & DW_NUD_VALID) == 0 && C->skb != 0;
};

/* skb_gro_receive, skb_gro_receive_list */
struct dw_pagro {
	struct sk_buff *with;
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_pagro *C > {
	stage = DW_PATH_GRO;
	recv = 1;
	into = __packet((uint64_t)C->with, (uint64_t)C->with->head, DW_PATH_LOOK, 0, 0, 0);
};

struct dw_paroute {
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_paroute *C > {
	stage = DW_PATH_ROUTE;
	recv = 1;
};

/* tcp_add_backlog */
struct dw_pabacklog {
	struct sock *sk;
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_pabacklog *C > {
	stage = DW_PATH_BACKLOG;
	sk = C->sk;
	owner = __owner((uint64_t)C->sk);
	cookie = C->sk->__sk_common.skc_cookie.counter;
	recv = 1;
	dev = (struct net_device *)0;
	netns = dw_sk_netns[C->sk];
};

/* tcp_queue_rcv, __udp_enqueue_schedule_skb */
struct dw_pasockq {
	struct sock *sk;
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_pasockq *C > {
	stage = DW_PATH_SOCKET_QUEUE;
	sk = C->sk;
	owner = __owner((uint64_t)C->sk);
	cookie = C->sk->__sk_common.skc_cookie.counter;
	recv = 1;
	dev = (struct net_device *)0;
	netns = dw_sk_netns[C->sk];
};

/* bpf_prog_run_generic_xdp ends */
struct dw_paxdp {
	struct sk_buff *skb;
	struct xdp_buff *xdp;
	struct bpf_prog *by;
	uint32_t retval;
};
translator struct dw_path < struct dw_paxdp *C > {
	stage = DW_PATH_XDP;
	recv = 1;
	nh = dw_path_nh[C->skb, DW_PATH_XDP, (uint64_t)C->skb->data];
	verdict = C->retval + DW_PATH_XDP_VERDICT;
	prog = C->by;
};

/* An XDP program that a driver runs ends. Programs of the stack (xdpgeneric), and those that are run for a test, have a
 * queue of the device's own; programs of maps (cpumap, devmap) have a queue that nobody has registered. The verdict is of
 * the program that the device has: one that it calls by bpf_tail_call() ends with it. */
struct dw_paxdpdrv {
	struct xdp_buff *xdp;
	uint32_t retval;
};
inline int DW_XDP_REGISTERED = 1;	/* REG_STATE_REGISTERED */
inline int dw_xdp_of_driver[struct xdp_rxq_info *Q] = Q->reg_state == DW_XDP_REGISTERED &&
    (uint64_t)Q - (uint64_t)Q->dev->_rx >= Q->dev->num_rx_queues * sizeof(struct netdev_rx_queue);
inline uint64_t dw_xdp_nh[struct xdp_buff *X] = dw_frame_nh[(uint64_t)X->data];
inline int dw_xdp_ver[struct xdp_buff *X] = dw_path_ver[dw_frame_type[dw_xdp_nh[X]]];
translator struct dw_path < struct dw_paxdpdrv *C > {
	skb = (struct sk_buff *)0;
	stage = DW_PATH_XDP;
	sk = (struct sock *)0;
	owner = (struct dw_owner *)0;
	cookie = 0;
	has_pkt = 0;
	recv = 1;
	dev = C->xdp->rxq->dev;
	netns = dw_dev_netns[C->xdp->rxq->dev];
	nh = dw_xdp_nh[C->xdp];
	ver = dw_xdp_ver[C->xdp];
	proto = dw_xdp_ver[C->xdp] == 4 ? ((struct iphdr *)dw_xdp_nh[C->xdp])->protocol :
	    ((struct ipv6hdr *)dw_xdp_nh[C->xdp])->nexthdr;
	frame = dw_xdp_of_driver[C->xdp->rxq] && dw_xdp_ver[C->xdp] != 0 && dw_xdp_nh[C->xdp] +
	    (dw_xdp_ver[C->xdp] == 4 ? DW_IPV4_HLEN : DW_IPV6_HLEN) <= (uint64_t)C->xdp->data_end;
	verdict = C->retval + DW_PATH_XDP_VERDICT;
	prog = (struct bpf_prog *)dw_xdp_driver[C->xdp->rxq->dev];
	packet_id = 0;
	path_place = 0;
	path_before = 0;
	path_begin = 0;
};

/* tcf_classify ends. Labels of MPLS before IP's header, such as `mpls push' puts there, are skipped. */
struct dw_patc {
	struct sk_buff *skb;
	struct tcf_block *block;
	struct tcf_proto *tp;
	struct tcf_result *res;
	int32_t compat;
	int32_t retval;
};
inline uint64_t dw_tc_nh[struct sk_buff *B] = B->protocol == DW_ETH_P_MPLS ? dw_mpls_inner[dw_nh[B]] : dw_path_nh[B, DW_PATH_TC_INGRESS, dw_nh[B]];
inline int dw_tc_ver[struct sk_buff *B] = B->protocol != DW_ETH_P_MPLS ? dw_path_ver[dw_path_type[B, DW_PATH_TC_INGRESS, dw_tc_nh[B]]] :
    dw_mpls_inner[dw_nh[B]] != 0 ? dw_kword[dw_mpls_inner[dw_nh[B]]] >> 4 & 15 : 0;
inline int dw_tc_ip[int ver] = ver == 4 || ver == 6;
inline int dw_tc_proto[struct sk_buff *B] = dw_tc_ver[B] == 4 ? ((struct iphdr *)dw_tc_nh[B])->protocol :
    ((struct ipv6hdr *)dw_tc_nh[B])->nexthdr;
translator struct dw_path < struct dw_patc *C > {
	stage = C->skb->tc_at_ingress ? DW_PATH_TC_INGRESS : DW_PATH_TC_EGRESS;
	recv = C->skb->tc_at_ingress;
	verdict = C->retval + DW_PATH_TC;
	filter = C->tp;
	action = __stamped("tcact", (uint64_t)C->skb);
	prog = (struct bpf_prog *)__stamped("tcprog", (uint64_t)C->skb);
	nh = dw_tc_nh[C->skb];
	ver = dw_tc_ver[C->skb];
	proto = dw_tc_proto[C->skb];
};

/* On Linux 5.10 tcf_classify has no block; tcf_classify_ingress is like the later one. */
struct dw_patc4 {
	struct sk_buff *skb;
	struct tcf_proto *tp;
	struct tcf_result *res;
	int32_t compat;
	int32_t retval;
};
translator struct dw_path < struct dw_patc4 *C > {
	stage = C->skb->tc_at_ingress ? DW_PATH_TC_INGRESS : DW_PATH_TC_EGRESS;
	recv = C->skb->tc_at_ingress;
	verdict = C->retval + DW_PATH_TC;
	filter = C->tp;
	action = __stamped("tcact", (uint64_t)C->skb);
	prog = (struct bpf_prog *)__stamped("tcprog", (uint64_t)C->skb);
	nh = dw_tc_nh[C->skb];
	ver = dw_tc_ver[C->skb];
	proto = dw_tc_proto[C->skb];
};

/* tcf_mirred_act begins, at ingress: it gives the packet itself to another device, so that there is none when tcf_classify
 * ends. */
struct dw_patake {
	struct sk_buff *skb;
	uint64_t action;
};
translator struct dw_path < struct dw_patake *C > {
	stage = DW_PATH_TC_INGRESS;
	recv = 1;
	verdict = DW_TC_CONSUMED + DW_PATH_TC;
	filter = (struct tcf_proto *)__stamped("tcproto", (uint64_t)C->skb);
	action = C->action;
	has_pkt = dw_mirred_takes[C->skb, C->action];
};

/* nft_do_chain ends, and lets the packet go on. The notes are those of this chain (netfilter.d). */
struct dw_panft {
	struct nft_pktinfo *pkt;
	uint64_t chain;
	uint32_t retval;
};
translator struct dw_path < struct dw_panft *C > {
	skb = C->pkt->skb;
	stage = DW_PATH_FILTER;
	recv = C->pkt->skb->skb_iif != 0;
	dev = C->pkt->state->out != 0 ? C->pkt->state->out : C->pkt->state->in;
	netns = C->pkt->state->net->ns.inum;
	verdict = (C->retval & DW_NF_VERDICT) + DW_PATH_NF_VERDICT;
	nf_table = C->chain;
	nf_chain = dw_nft_accepted[DW_NFT_CHAIN, (uint64_t)C->pkt->skb, C->chain];
	nf_rule = dw_nft_accepted[DW_NFT_RULE, (uint64_t)C->pkt->skb, C->chain];
	nf_xt = 0;
};

/* ipt_do_table, ip6t_do_table */
struct dw_paxt {
	struct xt_table *table;
	struct sk_buff *skb;
	struct nf_hook_state *state;
	uint32_t retval;
};
translator struct dw_path < struct dw_paxt *C > {
	stage = DW_PATH_FILTER;
	recv = C->skb->skb_iif != 0;
	dev = C->state->out != 0 ? C->state->out : C->state->in;
	netns = C->state->net->ns.inum;
	verdict = (C->retval & DW_NF_VERDICT) + DW_PATH_NF_VERDICT;
	nf_table = 0;
	nf_chain = 0;
	nf_rule = 0;
	nf_xt = (uint64_t)C->table | C->state->hook;
};

/* nft_trace_notify: a rule has seen a packet whose `nftrace' is set, or a policy has decided (rule 0), or a chain has
 * come to its end. The end of the chain's rules names the chain. */
struct dw_patrace {
	struct nft_pktinfo *pkt;
	struct nft_verdict *verdict;
	uint64_t rule;
	struct nft_traceinfo *info;
};
inline int DW_NFT_CHAIN_AFTER = 3;
inline uint64_t dw_nft_base[uint64_t base] = base + offsetof(struct nft_base_chain, chain);
translator struct dw_path < struct dw_patrace *C > {
	skb = C->pkt->skb;
	stage = DW_PATH_RULE;
	recv = C->pkt->skb->skb_iif != 0;
	dev = C->pkt->state->out != 0 ? C->pkt->state->out : C->pkt->state->in;
	netns = C->pkt->state->net->ns.inum;
	verdict = DW_PATH_NF_VERDICT + (C->rule != 0 ? dw_nft_code[C->verdict->code] : C->info->basechain->policy);
	nf_table = dw_nft_base[(uint64_t)C->info->basechain];
	nf_chain = C->rule != 0 ? __nft(DW_NFT_CHAIN_AFTER, C->rule, 0, 0, 0, 0, 0) : dw_nft_base[(uint64_t)C->info->basechain];
	nf_rule = C->rule != 0 ? (dw_kword[C->rule] & 1 ? 0 : C->rule) : 1;
	nf_xt = 0;
};

/* Before Linux 6.4. */
struct dw_patrace1 {
	uint64_t info;
};
inline struct nft_traceinfo *dw_nft_info[uint64_t info] = (struct nft_traceinfo *)info;
translator struct dw_path < struct dw_patrace1 *C > {
	skb = dw_nft_info[C->info]->pkt->skb;
	stage = DW_PATH_RULE;
	recv = dw_nft_info[C->info]->pkt->skb->skb_iif != 0;
	dev = dw_nft_info[C->info]->pkt->state->out != 0 ? dw_nft_info[C->info]->pkt->state->out : dw_nft_info[C->info]->pkt->state->in;
	netns = dw_nft_info[C->info]->pkt->state->net->ns.inum;
	verdict = DW_PATH_NF_VERDICT + (dw_nft_info[C->info]->type == DW_NFT_BY_POLICY ?
	    dw_nft_info[C->info]->basechain->policy : dw_nft_code[dw_nft_info[C->info]->verdict->code]);
	nf_table = (uint64_t)dw_nft_info[C->info]->chain;
	nf_chain = (uint64_t)dw_nft_info[C->info]->chain;
	nf_rule = dw_nft_info[C->info]->type == DW_NFT_BY_POLICY ? 1 :
	    (uint64_t)dw_nft_info[C->info]->rule != 0 && (dw_kword[(uint64_t)dw_nft_info[C->info]->rule] & 1) == 0 ?
	    (uint64_t)dw_nft_info[C->info]->rule : 0;
	nf_xt = 0;
};

/* IPVS: ip_vs_nat_xmit and its like send a packet to the real server of its connection. */
struct dw_pavs {
	struct sk_buff *skb;
	uint64_t cp;
};
translator struct dw_path < struct dw_pavs *C > {
	stage = DW_PATH_IPVS;
	recv = C->skb->skb_iif != 0;
	ipvs = C->cp;
	verdict = DW_PATH_VS_VERDICT + dw_vs_method[C->cp];
};

/* They end: a packet that they have accepted (NF_ACCEPT) stays here. Others are gone. */
struct dw_pavslocal {
	struct sk_buff *skb;
	uint64_t cp;
	uint64_t pp;
	uint64_t iph;
	int32_t retval;
};
inline int DW_NF_ACCEPT = 1;
translator struct dw_path < struct dw_pavslocal *C > {
	stage = DW_PATH_IPVS;
	has_pkt = C->retval == DW_NF_ACCEPT;
	recv = C->skb->skb_iif != 0;
	ipvs = C->cp;
	verdict = DW_PATH_VS_VERDICT + DW_PATH_VS_LOCAL;
};

/* handle_response: a packet of a real server, before it gets the address of the virtual service. */
struct dw_pavsreply {
	int32_t af;
	struct sk_buff *skb;
	uint64_t pd;
	uint64_t cp;
};
translator struct dw_path < struct dw_pavsreply *C > {
	stage = DW_PATH_IPVS;
	recv = C->skb->skb_iif != 0;
	ipvs = C->cp;
	verdict = DW_PATH_VS_VERDICT + DW_PATH_VS_REPLY;
};

/* ip_vs_leave: a virtual service has no real server for a packet. */
struct dw_pavsnone {
	uint64_t svc;
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_pavsnone *C > {
	stage = DW_PATH_IPVS;
	recv = C->skb->skb_iif != 0;
	service = C->svc;
	verdict = DW_PATH_VS_VERDICT + DW_PATH_VS_NONE;
};
