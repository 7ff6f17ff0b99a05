/* SPDX-License-Identifier: GPL-2.0-or-later */
/* path: sites and arguments of the path provider. Input: IP packets at the stages of their way. Output: pathinfo_t.
 *
 * A packet is known by the address of the memory of its headers (sk_buff.head), which its clones share, and which stays
 * the same when it crosses a veth pair or the loopback device. It changes when the kernel copies the packet, which then
 * begins as a new one, or cuts it into segments: those of TCP are known by their sequence numbers. Memory is used again,
 * often without a sign that its packet has ended; the order of the stages tells when a new packet begins. */

/* Numbers of the stages, in the order of a packet's way; enum dw_stages has some of them, too. */
inline int DW_PATH_OUTPUT = 1;
inline int DW_PATH_FORWARD = 2;
inline int DW_PATH_POSTROUTING = 3;
inline int DW_PATH_NEIGH_WAIT = 4;
inline int DW_PATH_TC_EGRESS = 5;
inline int DW_PATH_QUEUE = 6;
inline int DW_PATH_ENQUEUE = 7;
inline int DW_PATH_DEQUEUE = 8;
inline int DW_PATH_TRANSMIT = 9;
inline int DW_PATH_DRIVER_IN = 10;
inline int DW_PATH_GRO = 11;
inline int DW_PATH_XDP = 12;
inline int DW_PATH_DEVICE_IN = 13;
inline int DW_PATH_TC_INGRESS = 14;
inline int DW_PATH_PREROUTING = 15;
inline int DW_PATH_ROUTE = 16;
inline int DW_PATH_INPUT = 17;
inline int DW_PATH_SOCKET_IN = 18;
inline int DW_PATH_BACKLOG = 19;
inline int DW_PATH_SOCKET_QUEUE = 20;
inline int DW_PATH_READ = 21;	/* from here on the packet may end */
inline int DW_PATH_SENT = 22;
inline int DW_PATH_DROP = 23;
inline int DW_PATH_FILTER = 24;	/* at any place between the others: it is not kept as the stage before */
inline int DW_PATH_SEND = 25;	/* there is no packet yet */
inline int DW_PATH_TCP_OUT = 26;
inline int DW_PATH_UDP_OUT = 27;
inline int DW_PATH_RULE = 28;	/* likewise beside the others, as the next */
inline int DW_PATH_IPVS = 29;

inline string path_stage_string[int stage] =
    stage == 1 ? "output" : stage == 2 ? "forward" : stage == 3 ? "postrouting" : stage == 4 ? "neigh-wait" :
    stage == 5 ? "tc-egress" : stage == 6 ? "queue" : stage == 7 ? "enqueue" : stage == 8 ? "dequeue" :
    stage == 9 ? "transmit" : stage == 10 ? "driver-in" : stage == 11 ? "gro" : stage == 12 ? "xdp" :
    stage == 13 ? "device-in" : stage == 14 ? "tc-ingress" : stage == 15 ? "prerouting" :
    stage == 16 ? "route" : stage == 17 ? "input" : stage == 18 ? "socket-in" : stage == 19 ? "backlog" :
    stage == 20 ? "socket-queue" : stage == 21 ? "read" : stage == 22 ? "sent" : stage == 23 ? "drop" : stage == 24 ? "filter" :
    stage == 25 ? "send" : stage == 26 ? "tcp-out" : stage == 27 ? "udp-out" :
    stage == 28 ? "rule" : stage == 29 ? "ipvs" : "";

/* A stage and the device; numbers of devices are those of their namespace, so that its address stands for it. */
inline uint64_t dw_path_word[int stage, uint64_t device] = device << 8 | stage;
/* The time at which a packet's identity was made is in it (bpf/lib_packet.h). */
inline int DW_PATH_CPU_BITS = 6;
inline uint64_t dw_path_since[uint64_t ident] = ident >> DW_PATH_CPU_BITS;

/* Does the socket that has the buffer, if any, speak IP? A tap's does not. */
inline int dw_path_inet[struct sk_buff *B] = B->sk == 0 || B->sk->__sk_common.skc_family == DW_AF_INET ||
    B->sk->__sk_common.skc_family == DW_AF_INET6;

/* A packet behind VLAN tags in its data: those that follow the tag beside the data (QinQ), two at most. Then the buffer's
 * protocol is that of the first one, and the network header may be marked before or behind tags; the frame's bytes say it.
 * Of the frame arithmetic, without a branch: the verifier of the kernel would follow each branch to the program's end. */
inline uint64_t dw_equal[uint64_t a, uint64_t b] = 1 - (((a ^ b) | -(a ^ b)) >> 63);
inline uint64_t dw_vlan_type[uint64_t type] = dw_equal[type, DW_ETH_P_8021Q] | dw_equal[type, DW_ETH_P_8021AD];
/* The network header of the frame at `at`: behind the addresses, the VLAN tags (two at most) and the type. */
inline uint64_t dw_frame_nh[uint64_t at] = at + DW_ETH_HLEN + 4 * dw_vlan_type[dw_kword[at + 12] & 0xffff] *
    (1 + dw_vlan_type[dw_kword[at + 12] >> 32 & 0xffff]);
inline int dw_path_tagged[struct sk_buff *B] = B->protocol == DW_ETH_P_8021Q || B->protocol == DW_ETH_P_8021AD;
/* At these stages a packet may have them. */
inline int dw_path_framed[int stage] = (stage >= DW_PATH_TC_EGRESS && stage <= DW_PATH_TC_INGRESS) ||
    stage == DW_PATH_SENT || stage == DW_PATH_DROP;
inline uint64_t dw_path_nh[struct sk_buff *B, int stage, uint64_t nh] =
    dw_path_framed[stage] && dw_path_tagged[B] ? dw_frame_nh[(uint64_t)B->head + B->mac_header] : nh;
inline uint64_t dw_frame_type[uint64_t nh] = dw_kword[nh - 2] & 0xffff;
inline uint64_t dw_path_type[struct sk_buff *B, int stage, uint64_t nh] =
    dw_path_framed[stage] && dw_path_tagged[B] ? dw_frame_type[nh] : B->protocol;
inline int dw_path_ver[uint64_t type] = type == DW_ETH_P_IP ? 4 : type == DW_ETH_P_IPV6 ? 6 : 0;

/* Have several buffers the same data? The lower half counts them (SKB_DATAREF_SHIFT). */
inline int dw_path_shared[struct sk_buff *B] = B->cloned &&
    (((struct skb_shared_info *)((uint64_t)B->head + B->end))->dataref.counter & 0xffff) > 1;
inline int DW_PATH_PART = 35;
inline int DW_PATH_ASIDE = 36;

struct dw_path {
	struct dw_pkt;
	int32_t stage;
	int32_t path_event;	/* what happens: the stage, or another number of bpf/lib_packet.h */
	uint64_t path_device;	/* address of its device; 0: none yet */
	uint64_t path_place;	/* dw_path_word[] of the stage before; 0: none */
	uint64_t path_before;	/* ns: time of the stage before; 0: none */
	uint64_t path_begin;	/* dw_path_word[] of the first stage */
	uint64_t path_flow;	/* TCP on its way out: ports and sequence number, else 0 */
	uint64_t path_bytes;	/* of its data; DW_PATH_GSO: the kernel is to cut it into segments */
	uint64_t into;		/* identity of the packet with which it is merged; 0: none */
	int32_t verdict;	/* of tc or XDP, -1: none; the verdict's own number plus DW_PATH_TC or DW_PATH_XDP_VERDICT */
	struct bpf_prog *prog;	/* that has given it, or NULL */
	struct tcf_proto *filter;
	uint64_t tcx;		/* dropped by tc: struct bpf_mprog_entry of the device; 0: none */
	uint64_t tc_list;	/* ... its first filter; 0: none */
	uint64_t tcx_prog;	/* ... the first program of tcx */
	uint64_t action;	/* the last struct tc_action that was carried out; 0: none, or not known */
	uint64_t ipvs;		/* IPVS: struct ip_vs_conn */
	uint64_t service;	/* ... struct ip_vs_service, without a connection */
	struct netdev_queue *txq;	/* the device's queue that the packet is in, or has been; NULL: none yet */
	uint64_t buffer;	/* beside the stages: address of a packet that the driver has got; it may be freed */
	int32_t frame;		/* 1: a driver's XDP program has seen a frame with an IP packet; there is no buffer yet */
	int32_t nfhook;		/* of a packet that netfilter drops: number of path_hook_string[]; 0: not known, or no such drop */
};

/* In path_bytes. */
inline int DW_PATH_GSO_BIT = 31;
inline int DW_PATH_TC = 16;
inline int DW_PATH_XDP_VERDICT = 64;
inline int DW_PATH_NF_VERDICT = 128;
inline int DW_PATH_VS_VERDICT = 160;	/* IP_VS_CONN_F_..., and two of ours */
inline int DW_PATH_VS_LOCAL = 1;
inline int DW_PATH_VS_REPLY = 8;
inline int DW_PATH_VS_NONE = 9;

/* TCP's data in a packet whose headers are at N and T. */
inline uint32_t dw_path_data[struct sk_buff *B, uint64_t t] =
    B->len + (uint32_t)((uint64_t)B->data - t) - (ntohl(((union tcp_word_hdr *)t)->words[3]) >> 28) * 4;
inline uint64_t dw_path_gso[struct sk_buff *B] =
    ((struct skb_shared_info *)((uint64_t)B->head + B->end))->gso_size != 0 ? 1 << DW_PATH_GSO_BIT : 0;

/* The netfilter hook at which a packet was dropped: that of the chain, where functions note it; else by the packet's last
 * stage: IP sets the device before postrouting, and the route after prerouting. Packets of the loopback device bring their
 * route along. A bridge has hooks of its own, between the stages. */
inline int DW_NF_NETDEV = 5;	/* family, whose hooks are ingress and egress; of others they are prerouting to postrouting, ingress */
inline struct nf_hook_ops *dw_nf_base_ops[uint64_t chain] = &((struct nft_base_chain *)dw_nft_base_of[chain])->ops;
inline int dw_nf_hook_number[uint64_t chain] = dw_nf_base_ops[chain]->hooknum + (dw_nf_base_ops[chain]->pf == DW_NF_NETDEV ? 6 : 1);
inline int dw_nf_hooked[uint64_t skb] = __has(((struct nft_base_chain *)0)->ops.hooknum) ?
    (dw_nft_noted[skb] ? dw_nf_hook_number[__stamped("nft", skb)] : 0) : 0;
inline int dw_path_bridged[uint64_t dev] = (int64_t)dev < 0 &&
    (((struct net_device *)dev)->priv_flags & (DW_IFF_BRIDGE_PORT | DW_IFF_EBRIDGE)) != 0;
inline int dw_path_nfhook[uint64_t last, struct sk_buff *B] = dw_nf_hooked[(uint64_t)B] != 0 ? dw_nf_hooked[(uint64_t)B] :
    dw_path_bridged[(uint64_t)B->dev] ? 0 :
    last == DW_PATH_OUTPUT || last == DW_PATH_FORWARD ?
    ((uint64_t)B->dev != 0 && (uint64_t)B->dev == dw_dst_dev[B] ? 5 : last == DW_PATH_OUTPUT ? 4 : 3) :
    last == DW_PATH_POSTROUTING ? 7 :
    last >= DW_PATH_DRIVER_IN && last <= DW_PATH_TC_INGRESS ? 6 :
    last == DW_PATH_PREROUTING ? (dw_dst_dev[B] == 0 ? 1 : (int64_t)B->dev < 0 && (B->dev->flags & DW_IFF_LOOPBACK) != 0 ? 8 : 2) :
    last == DW_PATH_ROUTE || last == DW_PATH_INPUT ? 2 : 0;

/* The queue of its device (struct netdev_queue) that a packet has been given to. */
inline int dw_path_at_queue[int stage] = stage == DW_PATH_ENQUEUE || stage == DW_PATH_DEQUEUE || stage == DW_PATH_TRANSMIT ||
    stage == DW_PATH_SENT;
inline uint64_t dw_path_txq[struct sk_buff *B] = (int64_t)B->dev < 0 && B->queue_mapping < B->dev->num_tx_queues ?
    (uint64_t)B->dev->_tx + B->queue_mapping * sizeof(struct netdev_queue) : 0;

/* Data leave a socket: which one, and which call wrote them (struct dw_stage). */
inline int dw_path_leaves[int stage] = stage == DW_PATH_OUTPUT || stage == DW_PATH_TCP_OUT || stage == DW_PATH_UDP_OUT;
inline uint64_t dw_path_sender[struct dw_path *P] = dw_full[(uint64_t)P->skb->sk] &&
    (P->proto == DW_IPPROTO_UDP || (P->proto == DW_IPPROTO_TCP && (uint32_t)dw_path_data[P->skb, P->th] != 0)) ?
    (uint64_t)P->skb->sk : 0;
inline uint64_t dw_path_call[struct dw_path *P] = P->proto == DW_IPPROTO_UDP ? (uint64_t)curthread :
    (uint64_t)ntohl(((union tcp_word_hdr *)P->th)->words[1]) << 32 | P->skb->sk->__sk_common.skc_portpair;

/* Is it a fragment of IPv4, or of IPv6? */
inline int dw_path_fragment[struct dw_path *P] = P->ver == 4 ? (((struct iphdr *)P->nh)->frag_off & DW_IP_FRAGMENT) != 0 :
    P->proto == DW_IPPROTO_FRAGMENT;
inline int DW_PATH_FRAGMENT_BIT = 32;
inline uint64_t dw_path_where[struct dw_path *P] = P->stage == DW_PATH_QUEUE ? P->netns :
    (P->stage == DW_PATH_DRIVER_IN || P->stage == DW_PATH_DEVICE_IN || P->stage == DW_PATH_PREROUTING ||
    P->stage == DW_PATH_INPUT) && dw_path_fragment[P] ?
    1 << DW_PATH_FRAGMENT_BIT | P->netns : 0;

translator struct dw_path < struct dw_path *P > {
	sk = dw_full[(uint64_t)P->skb->sk] ? P->skb->sk : (struct sock *)0;
	owner = __owner((uint64_t)P->skb->sk);
	cookie = dw_full[(uint64_t)P->skb->sk] ? P->skb->sk->__sk_common.skc_cookie.counter : 0;
	has_pkt = 1;
	checked = 1;
	nh = dw_path_nh[P->skb, P->stage, dw_nh[P->skb]];
	ver = dw_path_ver[dw_path_type[P->skb, P->stage, P->nh]];
	proto = P->ver == 4 ? ((struct iphdr *)P->nh)->protocol : ((struct ipv6hdr *)P->nh)->nexthdr;
	netns = P->dev != 0 ? dw_dev_netns[P->dev] : 0;
	th = P->ver == 4 ? P->nh + ((struct iphdr *)P->nh)->ihl * 4 : P->nh + DW_IPV6_HLEN;
	path_event = P->stage == DW_PATH_FILTER || P->stage >= DW_PATH_RULE ? DW_PATH_ASIDE : P->stage == DW_PATH_DROP && dw_path_shared[P->skb] ? DW_PATH_PART : P->stage;
	path_device = (uint64_t)P->dev;
	path_flow = dw_path_leaves[P->stage] ? dw_path_sender[P] :
	    P->stage >= DW_PATH_QUEUE && P->stage <= DW_PATH_TRANSMIT && P->ver != 0 &&
	    P->proto == DW_IPPROTO_TCP ?
	    (uint64_t)((union tcp_word_hdr *)P->th)->words[0] << 32 | ntohl(((union tcp_word_hdr *)P->th)->words[1]) : 0;
	path_bytes = P->path_flow == 0 ? dw_path_where[P] : dw_path_leaves[P->stage] ? dw_path_call[P] :
	    dw_path_data[P->skb, P->th] | dw_path_gso[P->skb];
	packet_id = __packet((uint64_t)P->skb, (uint64_t)P->skb->head, dw_path_word[P->path_event, P->path_device], 0,
	    P->path_flow, P->path_bytes);
	path_place = __packet_was(P->packet_id, 0);
	path_before = __packet_was(P->packet_id, 1);
	path_begin = __packet_was(P->packet_id, 2);
	into = 0;
	verdict = -1;
	tcx = P->dropped ? dw_tcx_entry[P->skb, P->reason] : 0;
	tc_list = P->dropped ? dw_tc_list[P->tcx, P->skb, P->reason] : 0;
	tcx_prog = P->dropped ? dw_tcx_prog[P->tcx, 0] : 0;
	filter = (struct tcf_proto *)(P->tc_list != 0 && P->tcx_prog == 0 ? P->tc_list : 0);
	prog = (struct bpf_prog *)(!P->dropped ? 0 : dw_xdp_prog[P->skb, P->reason, P->location] != 0 ? dw_xdp_prog[P->skb, P->reason, P->location] :
	    P->tcx_prog != 0 ? (P->tc_list != 0 || dw_tcx_prog[P->tcx, 1] != 0 ? 0 : P->tcx_prog) :
	    P->tc_list != 0 ? dw_tc_prog[P->tc_list] : 0);
	action = 0;
	ipvs = 0;
	service = 0;
	txq = (struct netdev_queue *)(dw_path_at_queue[P->stage] ? dw_path_txq[P->skb] : 0);
	buffer = 0;
	frame = 0;
	nfhook = __has(SKB_DROP_REASON_NETFILTER_DROP) ? (P->dropped && P->reason == SKB_DROP_REASON_NETFILTER_DROP ?
	    dw_path_nfhook[P->path_place & 0xff, P->skb] : 0) : 0;
};

/* ---- sites ------------------------------------------------------------------------------------------------------------ */

struct dw_paout { struct dw_nf; };
struct dw_pafwd { struct dw_nf; };
struct dw_papost { struct dw_nf; };
struct dw_papre { struct dw_nf; };
struct dw_pain { struct dw_nf; };

translator struct dw_path < struct dw_paout *C > {
	stage = DW_PATH_OUTPUT;
	dev = C->state->out;
	netns = C->state->net->ns.inum;
};
translator struct dw_path < struct dw_pafwd *C > {
	stage = DW_PATH_FORWARD;
	dev = C->state->out;
	netns = C->state->net->ns.inum;
};
translator struct dw_path < struct dw_papost *C > {
	stage = DW_PATH_POSTROUTING;
	dev = C->state->out;
	netns = C->state->net->ns.inum;
};
translator struct dw_path < struct dw_papre *C > {
	stage = DW_PATH_PREROUTING;
	recv = 1;
	dev = C->state->in;
	netns = C->state->net->ns.inum;
};
translator struct dw_path < struct dw_pain *C > {
	stage = DW_PATH_INPUT;
	recv = 1;
	dev = C->state->in;
	netns = C->state->net->ns.inum;
};

/* sys_enter: a process sends. There is no packet: the socket is noted, and the sequence number of the first byte. */
struct dw_pasend {
	struct pt_regs *regs;
	int64_t nr;
};
inline int dw_path_fd[uint64_t regs, int64_t nr] =
    nr == __nr_splice ? (int)__sysarg2[(struct pt_regs *)regs] : (int)__sysarg0[(struct pt_regs *)regs];
inline uint64_t dw_path_guard[struct sock *S] = S->sk_protocol == DW_IPPROTO_UDP ? (uint64_t)curthread :
    S->__sk_common.skc_portpair;
inline int dw_path_sends[struct sock *S] =
    (S->__sk_common.skc_family == DW_AF_INET || S->__sk_common.skc_family == DW_AF_INET6) &&
    (S->sk_protocol == DW_IPPROTO_UDP || (S->sk_protocol == DW_IPPROTO_TCP && S->__sk_common.skc_state != DW_TCP_LISTEN));
inline uint64_t dw_path_written[struct sock *S] = __packet(dw_path_guard[S], (uint64_t)S, DW_PATH_SEND,
    S->sk_protocol == DW_IPPROTO_TCP ? ((struct tcp_sock *)S)->snd_una : 0,
    S->sk_protocol == DW_IPPROTO_TCP ? ((struct tcp_sock *)S)->write_seq : 0, S->sk_protocol == DW_IPPROTO_TCP);
inline int dw_path_calls[int64_t nr] = __is_write[nr] || nr == __nr_sendto || nr == __nr_sendmsg ||
    nr == __nr_sendmmsg || nr == __nr_sendfile || nr == __nr_splice;
inline uint64_t dw_path_from[struct dw_pasend *C] = !dw_path_calls[C->nr] || __sysforeign[C->nr] ? 0 :
    dw_file_sk[dw_fd_file[dw_path_fd[(uint64_t)C->regs, C->nr]]];
translator struct dw_path < struct dw_pasend *C > {
	skb = (struct sk_buff *)0;
	stage = DW_PATH_SEND;
	sk = (struct sock *)dw_path_from[C];
	owner = __owner(dw_path_from[C]);
	cookie = ((struct sock *)dw_path_from[C])->__sk_common.skc_cookie.counter;
	has_pkt = 0;
	synth = 1;
	dev = (struct net_device *)0;
	netns = dw_sk_netns[(struct sock *)dw_path_from[C]];
	ver = dw_v4only[((struct sock *)dw_path_from[C])] ? 4 : 6;
	proto = ((struct sock *)dw_path_from[C])->sk_protocol;
	packet_id = dw_path_written[((struct sock *)dw_path_from[C])];
	path_place = 0;
	path_before = 0;
	path_begin = 0;
};

struct dw_paqueue {
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_paqueue *C > {
	stage = DW_PATH_QUEUE;
};

struct dw_paenq {
	struct Qdisc *qdisc;
	struct netdev_queue *txq;
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_paenq *C > {
	stage = DW_PATH_ENQUEUE;
	txq = C->txq;
};

struct dw_padeq {
	struct Qdisc *qdisc;
	struct netdev_queue *txq;
	int32_t packets;
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_padeq *C > {
	stage = DW_PATH_DEQUEUE;
	txq = C->txq;
};

/* Notes of when a driver's byte limit stopped a queue, as in bql.d: a driver gets a packet, has got it, is asked again. */
struct dw_pagives {
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_pagives *C > {
	stage = DW_PATH_TRANSMIT;
	buffer = (uint64_t)C->skb;
};
struct dw_pagiven {
	uint64_t given;
};
translator struct dw_path < struct dw_pagiven *C > {
	skb = (struct sk_buff *)0;
	stage = DW_PATH_TRANSMIT;
	buffer = C->given;
	txq = (struct netdev_queue *)__stamped("given", C->given ^ (uint64_t)cpu << 48);
};

/* The driver may keep the buffer's socket; the note of the buffer makes its end known. */
struct dw_paxmit {
	struct sk_buff *skb;
	struct net_device *dev;
};
translator struct dw_path < struct dw_paxmit *C > {
	stage = DW_PATH_TRANSMIT;
};

struct dw_pasent {
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_pasent *C > {
	stage = DW_PATH_SENT;
};

/* The data begin at the network header, which is not marked yet. */
struct dw_padrv {
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_padrv *C > {
	stage = DW_PATH_DRIVER_IN;
	recv = 1;
	nh = dw_path_nh[C->skb, DW_PATH_DRIVER_IN, (uint64_t)C->skb->data];
};

struct dw_padev {
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_padev *C > {
	stage = DW_PATH_DEVICE_IN;
	recv = 1;
	nh = dw_path_nh[C->skb, DW_PATH_DEVICE_IN, (uint64_t)C->skb->data];
};

struct dw_pasock {
	struct sock *sk;
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_pasock *C > {
	stage = DW_PATH_SOCKET_IN;
	sk = C->sk;
	owner = __owner((uint64_t)C->sk);
	cookie = C->sk->__sk_common.skc_cookie.counter;
	recv = 1;
	netns = dw_sk_netns[C->sk];
};

/* The datagrams of UDP have no socket here, and lengths instead of a device; the process that reads is the current
 * one. */
struct dw_paread {
	struct sk_buff *skb;
	int32_t len;
};
translator struct dw_path < struct dw_paread *C > {
	stage = DW_PATH_READ;
	recv = 1;
	dev = (struct net_device *)0;
	netns = curthread->nsproxy->net_ns->ns.inum;
};

/* A datagram that is copied without another event is given back by the process that has read it. */
struct dw_padone {
	struct sk_buff *skb;
};
/* Since Linux 6.18 the buffer is given back later, by another CPU. */
inline int dw_path_given_back = __has(((struct skb_defer_node *)0)->defer_count) ? 0 : 1;
inline int DW_PATH_USED = 34;
translator struct dw_path < struct dw_padone *C > {
	stage = DW_PATH_READ;
	path_event = DW_PATH_USED;
	recv = 1;
	dev = (struct net_device *)0;
	netns = curthread->nsproxy->net_ns->ns.inum;
};

struct dw_padrop {
	struct sk_buff *skb;
	uint64_t location;
	uint32_t reason;
	struct sock *rx_sk;
};
translator struct dw_path < struct dw_padrop *C > {
	stage = DW_PATH_DROP;
	sk = dw_full[(uint64_t)C->rx_sk] ? C->rx_sk : (struct sock *)0;
	owner = __owner(C->rx_sk != 0 ? (uint64_t)C->rx_sk : (uint64_t)C->skb->sk);
	recv = C->skb->skb_iif != 0;
	dev = dw_freed_dev[(uint64_t)C->skb];
	netns = C->rx_sk != 0 ? dw_sk_netns[C->rx_sk] :
	    dw_freed_netns[(uint64_t)C->skb, C->reason];
	dropped = 1;
};

/* Before Linux 6.11: without the socket. */
struct dw_padrop3 {
	struct sk_buff *skb;
	uint64_t location;
	uint32_t reason;
};
translator struct dw_path < struct dw_padrop3 *C > {
	stage = DW_PATH_DROP;
	rx_sk = (struct sock *)0;
	recv = C->skb->skb_iif != 0;
	dev = dw_freed_dev[(uint64_t)C->skb];
	netns = dw_freed_netns[(uint64_t)C->skb, C->reason];
	dropped = 1;
};

/* ---- arguments --------------------------------------------------------------------------------------------------------- */

typedef struct pathinfo {
	uint64_t path_id;		/* of the packet; the same at all its stages */
	int path_stage;			/* number of the stage */
	string path_stagestr;		/* its name: "output", "postrouting", ... */
	string path_last;		/* name of the stage before; "": this is the first that was seen */
	uint64_t path_time;		/* ns since the stage before; 0: this is the first */
	uint64_t path_total;		/* ns since the first stage */
	string path_first;		/* name of the first stage that was seen */
	int path_midway;		/* 1: that is neither "output" nor "driver-in": where it comes from is not known */
	uint64_t path_into;		/* gro: path_id of the packet with which it is merged; else 0 */
	string path_verdict;		/* xdp, tc-ingress, tc-egress: "DROP", "SHOT", ...; else "" */
	string path_by;			/* the XDP program that has given it, or the kind of tc's first filter */
	string path_act;		/* tc-ingress, tc-egress: kind of the last action that was carried out; else "" */
	uint32_t path_actindex;		/* ... its index */
	string path_prog;		/* the BPF program of XDP or tc that has given the verdict; "": none, or not known */
	uint32_t path_progid;		/* ... its id */
	string path_vaddr;		/* ipvs: the virtual service; else "" */
	uint16_t path_vport;
	string path_raddr;		/* ... the real server; "": there is none */
	uint16_t path_rport;
	string path_hook;		/* drop by netfilter: "input", "forward", ...; else "" */
	/* of netfilter: of the chain that has let it go on (filter), or that drops it; "" and -1: not known */
	string path_family;		/* "inet", "ip", "ip6", ... */
	string path_table;
	string path_chain;
	int64_t path_rule;		/* the rule's handle; 0: the policy of the chain */
	string path_ct;			/* conntrack: "NEW", "ESTABLISHED", "REPLY", ...; "": the packet has no connection */
	string path_osaddr;		/* addresses before translation, as the packet came; "": not known */
	string path_odaddr;
	uint16_t path_osport;
	uint16_t path_odport;
	string path_rsaddr;		/* likewise, of the packets in the other direction: those that answer this one */
	string path_rdaddr;
	uint16_t path_rsport;
	uint16_t path_rdport;
	string path_nat;		/* what the connection has translated: "SNAT", "DNAT", "SNAT+DNAT"; else "" */
	string path_ctstate;		/* conntrack's state of a TCP connection: "SYN_SENT", ...; else "" */
	int32_t path_txqueue;		/* enqueue, dequeue, transmit, sent: number of the device's queue; else -1 */
	int64_t path_limit;		/* ... bytes that its driver may have (BQL); -1: not known, or it does not count them */
	int64_t path_inflight;		/* ... bytes that it has; -1: likewise */
	uint64_t path_held;		/* dequeue: ns for which that limit had stopped the queue just before; else 0 */
	uint8_t path_proto;		/* transport protocol of the outermost IP header */
	string path_protostr;		/* its name, in capitals; "<unknown>" */
	uint16_t path_sport;		/* ports; 0: the packet shows none (a later fragment, ICMP) */
	uint16_t path_dport;
	uint16_t path_flags;		/* of TCP, as tcp_flags; 0: not TCP */
	uint32_t path_payload;		/* of TCP: bytes of data; 0: none, or not TCP */
} pathinfo_t;

/* TC_ACT_... and XDP_... of the kernel's headers; TC_ACT_UNSPEC is -1. */
inline string path_verdict_string[int v] =
    v == 15 ? "UNSPEC" : v == 16 ? "OK" : v == 17 ? "RECLASSIFY" : v == 18 ? "SHOT" : v == 19 ? "PIPE" :
    v == 20 ? "STOLEN" : v == 21 ? "QUEUED" : v == 22 ? "REPEAT" : v == 23 ? "REDIRECT" : v == 24 ? "TRAP" :
    v == 25 ? "CONSUMED" : v == 64 ? "ABORTED" : v == 65 ? "DROP" : v == 66 ? "PASS" : v == 67 ? "TX" :
    v == 68 ? "REDIRECT" :
    v == DW_PATH_NF_VERDICT ? "DROP" : v == DW_PATH_NF_VERDICT + 1 ? "ACCEPT" :
    v == DW_PATH_NF_VERDICT + 2 ? "STOLEN" : v == DW_PATH_NF_VERDICT + 3 ? "QUEUE" :
    v == DW_PATH_NF_VERDICT + 255 ? "CONTINUE" : v == DW_PATH_NF_VERDICT + 254 ? "BREAK" :
    v == DW_PATH_NF_VERDICT + 253 ? "JUMP" : v == DW_PATH_NF_VERDICT + 252 ? "GOTO" :
    v == DW_PATH_NF_VERDICT + 251 ? "RETURN" :
    v == DW_PATH_VS_VERDICT ? "MASQ" : v == DW_PATH_VS_VERDICT + 1 ? "LOCAL" : v == DW_PATH_VS_VERDICT + 2 ? "TUNNEL" :
    v == DW_PATH_VS_VERDICT + 3 ? "ROUTE" : v == DW_PATH_VS_VERDICT + 4 ? "BYPASS" :
    v == DW_PATH_VS_VERDICT + DW_PATH_VS_REPLY ? "REPLY" : v == DW_PATH_VS_VERDICT + DW_PATH_VS_NONE ? "NO_SERVER" : "";

/* ns from the call that wrote it to its first stage, if the first is that (bpf/lib_packet.h); else 0. */
inline uint64_t dw_path_called[uint64_t begin] = (begin & 0xff) == DW_PATH_SEND ? begin >> 8 : 0;

inline string path_hook_string[int h] = h == 1 ? "prerouting" : h == 2 ? "input" : h == 3 ? "forward" :
    h == 4 ? "output" : h == 5 ? "postrouting" : h == 6 ? "ingress" : h == 7 ? "egress" :
    h == 8 ? "prerouting or input" : "";

/* Conntrack's connection and the packet's direction in it, 1: that of answers (enum ip_conntrack_info). Without a buffer's
 * end: it keeps the connection until it is freed. */
inline int dw_path_bare[struct dw_path *P] = P->stage == DW_PATH_SEND || (P->stage == DW_PATH_XDP && P->skb == 0);
inline uint64_t dw_path_ct[struct dw_path *P] =
    !__has(P->skb->_nfct) ? 0 : dw_path_bare[P] ? 0 : P->skb->_nfct & ~(uint64_t)DW_NFCT_INFOMASK;
inline int dw_path_ctinfo[struct dw_path *P] =
    !__has(P->skb->_nfct) ? 0 : dw_path_bare[P] ? 0 : P->skb->_nfct & DW_NFCT_INFOMASK;
inline int DW_IP_CT_UNTRACKED = 7;
inline string path_ct_string[int info] = info == 0 ? "ESTABLISHED" : info == 1 ? "RELATED" : info == 2 ? "NEW" :
    info == 3 ? "REPLY" : info == 4 ? "RELATED_REPLY" : "UNTRACKED";
inline int dw_path_answers[struct dw_path *P] = dw_path_ctinfo[P] == 3 || dw_path_ctinfo[P] == 4;
inline uint64_t dw_path_tuple_of[struct dw_path *P, int dir] = (uint64_t)&((struct nf_conn *)dw_path_ct[P])->tuplehash[0].tuple +
    (dir ? sizeof(struct nf_conntrack_tuple_hash) : 0);
inline uint64_t dw_path_tuple[struct dw_path *P] = dw_path_tuple_of[P, dw_path_answers[P]];
inline uint64_t dw_path_other[struct dw_path *P] = dw_path_tuple_of[P, !dw_path_answers[P]];
/* Its address family; 0: no connection, or the kernel has no conntrack. */
inline int dw_path_l3[struct dw_path *P] = __has(((struct nf_conn *)0)->tuplehash[0].tuple.src.l3num) ?
    (dw_path_ct[P] == 0 ? 0 : ((struct nf_conntrack_tuple *)dw_path_tuple[P])->src.l3num) : 0;

/* IPS_SRC_NAT and IPS_DST_NAT of the kernel's headers. */
inline int DW_IPS_NAT_SHIFT = 4;
inline string dw_path_nat_string[int bits] = bits == 1 ? "SNAT" : bits == 2 ? "DNAT" : bits == 3 ? "SNAT+DNAT" : "";
inline string dw_path_ctstate_string[int s] = s == 1 ? "SYN_SENT" : s == 2 ? "SYN_RECV" : s == 3 ? "ESTABLISHED" :
    s == 4 ? "FIN_WAIT" : s == 5 ? "CLOSE_WAIT" : s == 6 ? "LAST_ACK" : s == 7 ? "TIME_WAIT" : s == 8 ? "CLOSE" :
    s == 9 ? "SYN_SENT2" : "";

/* Does the transport header follow, and has it ports? It does not in later fragments. */
inline int DW_PATH_FRAG_OFFSET = 0x1fff;
inline int dw_path_ports[struct dw_path *P] = P->stage != DW_PATH_SEND && (P->proto == DW_IPPROTO_TCP || P->proto == DW_IPPROTO_UDP ||
    P->proto == DW_IPPROTO_UDPLITE || P->proto == DW_IPPROTO_SCTP) &&
    (P->synth || P->ver == 6 || (ntohs(((struct iphdr *)P->nh)->frag_off) & DW_PATH_FRAG_OFFSET) == 0);

/* From TCP's header to its data. */
inline uint32_t dw_path_offset[struct dw_path *P] = (ntohl(((union tcp_word_hdr *)P->th)->words[3]) >> 28) * 4;
/* Where a packet leaves, its IP header may not have the length yet, or is still to be made. */
inline uint32_t dw_path_payload[struct dw_path *P] = P->proto != DW_IPPROTO_TCP || !dw_path_ports[P] ? 0 :
    dw_path_leaves[P->stage] ? dw_path_data[P->skb, P->th] :
    dw_ip_plength[P] > dw_path_offset[P] ? dw_ip_plength[P] - dw_path_offset[P] : 0;
/* Is it no segment without data, or are those wanted, too? The data first: what is known then, all that follows uses. */
inline int dw_path_followed[struct dw_path *P] = (__pathdata() ? dw_path_payload[P] : 1) != 0 ||
    P->proto != DW_IPPROTO_TCP || (P->ver != 4 && P->ver != 6);

inline int dw_path_limited[struct dw_path *P] = P->txq != 0 && dw_bql_used[(uint64_t)P->txq];
inline uint64_t dw_path_stopped[struct dw_path *P] = __stamp("stop", (uint64_t)P->txq);

translator pathinfo_t < struct dw_path *P > {
	path_id = P->packet_id;
	path_stage = P->stage;
	path_stagestr = path_stage_string[P->stage];
	path_last = path_stage_string[P->path_place & 0xff];
	path_time = P->path_before == 0 || P->path_before > timestamp ? 0 : timestamp - P->path_before;
	path_total = P->path_before == 0 || dw_path_since[P->packet_id] > timestamp ? 0 :
	    timestamp - dw_path_since[P->packet_id] + dw_path_called[P->path_begin];
	path_first = path_stage_string[(P->path_begin != 0 ? P->path_begin : P->stage) & 0xff];
	path_midway = !dw_path_bare[P] && ((P->path_begin != 0 ? P->path_begin : P->stage) & 0xff) != DW_PATH_OUTPUT &&
	    ((P->path_begin != 0 ? P->path_begin : P->stage) & 0xff) != DW_PATH_DRIVER_IN &&
	    ((P->path_begin != 0 ? P->path_begin : P->stage) & 0xff) < DW_PATH_SEND;
	path_into = P->into;
	path_verdict = path_verdict_string[P->verdict];
	path_by = P->filter != 0 ? P->filter->ops->kind : P->prog != 0 ? P->prog->aux->name : "";
	path_act = __has(((struct tc_action *)P->action)->ops->kind) ?
	    (P->action != 0 ? ((struct tc_action *)P->action)->ops->kind : "") : "";
	path_actindex = __has(((struct tc_action *)P->action)->tcfa_index) ?
	    (P->action != 0 ? ((struct tc_action *)P->action)->tcfa_index : 0) : 0;
	path_prog = P->prog != 0 ? P->prog->aux->name : "";
	path_progid = P->prog != 0 ? P->prog->aux->id : 0;
	path_vaddr = dw_vs_vaddr[P->ipvs, P->service];
	path_vport = dw_vs_vport[P->ipvs, P->service];
	path_raddr = dw_vs_raddr[P->ipvs];
	path_rport = dw_vs_rport[P->ipvs];
	path_hook = path_hook_string[P->nfhook];
	path_family = dw_nf_family[P->nf_table, P->nf_xt];
	path_table = dw_nf_table[P->nf_table, P->nf_xt];
	path_chain = dw_nf_chain[P->nf_chain, P->nf_xt, P->nf_xt_rule];
	path_rule = dw_nf_rule[P->nf_rule, P->nf_xt, P->nf_xt_rule];
	path_ct = dw_path_ct[P] != 0 || dw_path_ctinfo[P] == DW_IP_CT_UNTRACKED ? path_ct_string[dw_path_ctinfo[P]] : "";
	path_osaddr = dw_path_l3[P] == 0 ? "" : dw_inet_text[dw_path_l3[P], (uint64_t)&((struct nf_conntrack_tuple *)dw_path_tuple[P])->src.u3];
	path_odaddr = dw_path_l3[P] == 0 ? "" : dw_inet_text[dw_path_l3[P], (uint64_t)&((struct nf_conntrack_tuple *)dw_path_tuple[P])->dst.u3];
	path_osport = dw_path_l3[P] == 0 ? 0 : ntohs(((struct nf_conntrack_tuple *)dw_path_tuple[P])->src.u.all);
	path_odport = dw_path_l3[P] == 0 ? 0 : ntohs(((struct nf_conntrack_tuple *)dw_path_tuple[P])->dst.u.all);
	path_rsaddr = dw_path_l3[P] == 0 ? "" : dw_inet_text[dw_path_l3[P], (uint64_t)&((struct nf_conntrack_tuple *)dw_path_other[P])->src.u3];
	path_rdaddr = dw_path_l3[P] == 0 ? "" : dw_inet_text[dw_path_l3[P], (uint64_t)&((struct nf_conntrack_tuple *)dw_path_other[P])->dst.u3];
	path_rsport = dw_path_l3[P] == 0 ? 0 : ntohs(((struct nf_conntrack_tuple *)dw_path_other[P])->src.u.all);
	path_rdport = dw_path_l3[P] == 0 ? 0 : ntohs(((struct nf_conntrack_tuple *)dw_path_other[P])->dst.u.all);
	path_nat = dw_path_nat_string[dw_path_l3[P] == 0 ? 0 : ((struct nf_conn *)dw_path_ct[P])->status >> DW_IPS_NAT_SHIFT & 3];
	path_ctstate = dw_path_l3[P] == 0 || ((struct nf_conntrack_tuple *)dw_path_tuple[P])->dst.protonum != DW_IPPROTO_TCP ? "" :
	    dw_path_ctstate_string[((struct nf_conn *)dw_path_ct[P])->proto.tcp.state];
	path_txqueue = P->txq == 0 ? -1 : ((uint64_t)P->txq - (uint64_t)P->txq->dev->_tx) / sizeof(struct netdev_queue);
	path_limit = dw_path_limited[P] ? (int64_t)dw_bql_limit[(uint64_t)P->txq] : -1;
	path_inflight = dw_path_limited[P] ? (int64_t)dw_bql_inflight[(uint64_t)P->txq] : -1;
	path_held = P->stage != DW_PATH_DEQUEUE ? 0 : dw_path_stopped[P] == 0 || dw_path_stopped[P] > timestamp ? 0 :
	    timestamp - dw_path_stopped[P];
	path_proto = P->proto;
	path_protostr = ip_proto_string[P->proto];
	path_sport = P->stage == DW_PATH_SEND ? P->sk->__sk_common.skc_num : dw_path_ports[P] ? ntohs(((struct udphdr *)P->th)->source) : 0;
	path_dport = P->stage == DW_PATH_SEND ? ntohs(P->sk->__sk_common.skc_dport) : dw_path_ports[P] ? ntohs(((struct udphdr *)P->th)->dest) : 0;
	path_flags = P->proto == DW_IPPROTO_TCP && dw_path_ports[P] ?
	    ntohl(((union tcp_word_hdr *)P->th)->words[3]) >> DW_TH_SHIFT & 0xff : 0;
	path_payload = dw_path_payload[P];
};
