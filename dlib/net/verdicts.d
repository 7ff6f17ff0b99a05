/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdicts: who decided about a packet, outside of the rules of netfilter: filters, actions and BPF programs of tc, XDP
 * programs, IPVS. Input: a packet that is dropped; structures of the kernel. Output: members of struct dw_path.
 * src/prov/net/netfilter.c names the functions that note actions and programs of tc. */

/* ---- BPF programs ----------------------------------------------------------------------------------------------------- */

/* The program of a filter of kind bpf, if it has one only and that gives the verdict itself (direct action); 0: it is not
 * known which. plist is a ring through cls_bpf_prog.link. */
inline uint64_t dw_cls_head[uint64_t tp] = (uint64_t)((struct tcf_proto *)tp)->root;
inline uint64_t dw_cls_link[uint64_t tp] = dw_kword[dw_cls_head[tp]];
inline uint64_t dw_cls_only[uint64_t tp] = __has(((struct cls_bpf_prog *)0)->filter) ?
    (dw_cls_head[tp] == 0 || dw_cls_link[tp] == dw_cls_head[tp] || dw_kword[dw_cls_link[tp]] != dw_cls_head[tp] ? 0 :
    (uint64_t)((struct cls_bpf_prog *)(dw_cls_link[tp] - offsetof(struct cls_bpf_prog, link)))->filter) : 0;
inline int DW_CLS_BPF = 0x667062;	/* "bpf" */
inline int dw_cls_is_bpf[uint64_t tp] = (dw_kword[(uint64_t)&((struct tcf_proto *)tp)->ops->kind] & 0xffffffff) == DW_CLS_BPF;

/* Where a device has what tc is to run, by the reason of a drop: programs of tcx since Linux 6.6, and filters. */
inline uint64_t dw_tcx_entry[struct sk_buff *B, uint32_t reason] = __has(((struct net_device *)0)->tcx_ingress) &&
    __has(SKB_DROP_REASON_TC_INGRESS) ? ((int64_t)B->dev >= 0 ? 0 :
    reason == SKB_DROP_REASON_TC_INGRESS ? (uint64_t)B->dev->tcx_ingress :
    reason == SKB_DROP_REASON_TC_EGRESS ? (uint64_t)B->dev->tcx_egress : 0) : 0;
inline uint64_t dw_tcx_prog[uint64_t entry, int nth] = __has(((struct bpf_mprog_entry *)0)->fp_items[0].prog) ?
    (entry == 0 ? 0 : dw_kword[entry + nth * sizeof(struct bpf_mprog_fp)]) : 0;
inline uint64_t dw_tc_first[uint64_t miniq] = miniq == 0 ? 0 : (uint64_t)((struct mini_Qdisc *)miniq)->filter_list;
inline uint64_t dw_tc_list[uint64_t tcx, struct sk_buff *B, uint32_t reason] = __has(((struct tcx_entry *)0)->miniq) ?
    (tcx == 0 ? 0 : dw_tc_first[(uint64_t)((struct tcx_entry *)((uint64_t)((struct bpf_mprog_entry *)tcx)->parent -
    offsetof(struct tcx_entry, bundle)))->miniq]) :
    __has(((struct net_device *)0)->miniq_ingress) && __has(SKB_DROP_REASON_TC_INGRESS) ?
    ((int64_t)B->dev >= 0 ? 0 : reason == SKB_DROP_REASON_TC_INGRESS ? dw_tc_first[(uint64_t)B->dev->miniq_ingress] :
    reason == SKB_DROP_REASON_TC_EGRESS ? dw_tc_first[(uint64_t)B->dev->miniq_egress] : 0) : 0;
/* The BPF program of the filters that begin with one. */
inline uint64_t dw_tc_prog[uint64_t first] = ((struct tcf_proto *)first)->next != 0 || !dw_cls_is_bpf[first] ? 0 : dw_cls_only[first];

/* The XDP program that the stack runs for a device. It drops without a reason of its own, in do_xdp_generic() or what that
 * calls. */
inline int DW_XDP_SIZE = 0x320;		/* bytes of the code, at most */
inline uint64_t dw_do_xdp = __has(&`do_xdp_generic) ? (uint64_t)&`do_xdp_generic : 0;
inline uint64_t dw_do_xdp_part = __has(&`netif_receive_generic_xdp) ? (uint64_t)&`netif_receive_generic_xdp : 0;
inline int dw_by_xdp[uint32_t reason, uint64_t at] = __has(SKB_DROP_REASON_XDP) ?
    (reason == SKB_DROP_REASON_XDP || (reason == SKB_DROP_REASON_NOT_SPECIFIED &&
    ((dw_do_xdp != 0 && at - dw_do_xdp < DW_XDP_SIZE) || (dw_do_xdp_part != 0 && at - dw_do_xdp_part < DW_XDP_SIZE)))) : 0;
inline uint64_t dw_xdp_generic[struct sk_buff *B] = (int64_t)B->dev >= 0 ? 0 : (uint64_t)B->dev->xdp_prog;

/* veth runs its program (native XDP) on packets that the stack of the other end has made, and drops those. */
inline int DW_VETH_XDP_SIZE = 0x800;	/* bytes of the code, at most */
inline uint64_t dw_veth_xdp = __has(&`veth_xdp_rcv_skb) ? (uint64_t)&`veth_xdp_rcv_skb :
    __has(&veth`veth_xdp_rcv_skb) ? (uint64_t)&veth`veth_xdp_rcv_skb : 0;
inline int dw_by_veth[uint32_t reason, uint64_t at] = dw_veth_xdp != 0 && at - dw_veth_xdp < DW_VETH_XDP_SIZE &&
    ((__has(SKB_DROP_REASON_NOT_SPECIFIED) ? reason == SKB_DROP_REASON_NOT_SPECIFIED : 1) ||
    (__has(SKB_DROP_REASON_XDP) ? reason == SKB_DROP_REASON_XDP : 0));
inline int DW_XDP_DRV = 1;	/* enum bpf_xdp_mode */
inline uint64_t dw_xdp_driver[struct net_device *D] = __has(((struct net_device *)0)->xdp_state[DW_XDP_DRV].prog) ?
    (D->xdp_state[DW_XDP_DRV].link != 0 ? (uint64_t)D->xdp_state[DW_XDP_DRV].link->link.prog :
    (uint64_t)D->xdp_state[DW_XDP_DRV].prog) : 0;
inline uint64_t dw_xdp_native[struct sk_buff *B] = (int64_t)B->dev >= 0 ? 0 : dw_xdp_driver[B->dev];
inline uint64_t dw_xdp_prog[struct sk_buff *B, uint32_t reason, uint64_t at] = dw_by_veth[reason, at] ? dw_xdp_native[B] :
    dw_by_xdp[reason, at] ? dw_xdp_generic[B] : 0;

/* ---- notes: functions of tc ------------------------------------------------------------------------------------------- */

/* tcf_gact_act and its like */
struct dw_tcact {
	struct sk_buff *skb;
	uint64_t action;
};
translator struct dw_pkt < struct dw_tcact *C > {
	nf_word = C->action;
};

/* tcf_bpf_act */
struct dw_tcbpf {
	struct sk_buff *skb;
	uint64_t action;
};
translator struct dw_pkt < struct dw_tcbpf *C > {
	nf_word = __has(((struct tcf_bpf *)0)->filter) ? (uint64_t)((struct tcf_bpf *)C->action)->filter : 0;
};

/* cls_bpf_classify ends */
struct dw_tccls {
	struct sk_buff *skb;
	uint64_t tp;
	uint64_t res;
	int32_t retval;
};
translator struct dw_pkt < struct dw_tccls *C > {
	nf_word = dw_cls_only[C->tp];
	nf_verdict = C->retval;
};

/* tcf_classify begins, on Linux 5.10, too, and ends */
struct dw_tcbegin {
	struct sk_buff *skb;
	struct tcf_block *block;
	uint64_t tp;
};
translator struct dw_pkt < struct dw_tcbegin *C > {
	nf_word = C->tp;
};
struct dw_tcdone {
	struct sk_buff *skb;
};
translator struct dw_pkt < struct dw_tcdone *C > {
	nf_word = 0;
};

/* ---- tc: where the packet is at the end --------------------------------------------------------------------------------- */

/* MPLS: is the label at an address, or the one behind it, the last (S)? Then the address behind that; 0: there are more. */
inline int DW_ETH_P_MPLS = 0x4788;
inline uint64_t dw_mpls_inner[uint64_t at] = (dw_kword[at] >> 16 & 1) != 0 ? at + 4 : (dw_kword[at] >> 48 & 1) != 0 ? at + 8 : 0;

/* A verdict of the kernel's own: the packet is somebody else's, and may be gone. */
inline int DW_TC_CONSUMED = 9;
/* Does mirred take the packet itself, not a copy? A redirection at ingress whose verdict ends the packet there, to a device
 * that is up. */
inline int DW_EGRESS_REDIR = 1;
inline int DW_INGRESS_REDIR = 3;
inline int DW_IFF_UP = 1;
inline int DW_NO_CARRIER = 4;	/* of struct net_device, state */
inline int dw_tc_ends[int v] = v == 2 || v == 4 || v == 5 || v == 8;	/* SHOT, STOLEN, QUEUED, TRAP */
inline int dw_tc_up[uint64_t dev] = dev != 0 && (((struct net_device *)dev)->flags & DW_IFF_UP) != 0 &&
    (((struct net_device *)dev)->state & DW_NO_CARRIER) == 0;
inline int dw_mirred_takes[struct sk_buff *B, uint64_t a] = __has(((struct tcf_mirred *)0)->tcfm_dev) ? B->tc_at_ingress &&
    (((struct tcf_mirred *)a)->tcfm_eaction == DW_EGRESS_REDIR || ((struct tcf_mirred *)a)->tcfm_eaction == DW_INGRESS_REDIR) &&
    dw_tc_ends[((struct tc_action *)a)->tcfa_action] && dw_tc_up[(uint64_t)((struct tcf_mirred *)a)->tcfm_dev] : 0;

/* ---- IPVS: struct ip_vs_conn and struct ip_vs_service ------------------------------------------------------------------ */

inline int DW_VS_METHOD = 7;	/* of a connection's flags */
inline int dw_vs_method[uint64_t cp] = __has(((struct ip_vs_conn *)0)->vaddr) ?
    ((struct ip_vs_conn *)cp)->flags & DW_VS_METHOD : 0;
inline string dw_vs_vaddr[uint64_t cp, uint64_t svc] = __has(((struct ip_vs_conn *)0)->vaddr) ?
    (cp != 0 ? dw_inet_text[((struct ip_vs_conn *)cp)->af, (uint64_t)&((struct ip_vs_conn *)cp)->vaddr] :
    svc != 0 ? dw_inet_text[((struct ip_vs_service *)svc)->af, (uint64_t)&((struct ip_vs_service *)svc)->addr] : "") : "";
inline uint16_t dw_vs_vport[uint64_t cp, uint64_t svc] = __has(((struct ip_vs_conn *)0)->vaddr) ?
    (cp != 0 ? ntohs(((struct ip_vs_conn *)cp)->vport) : svc != 0 ? ntohs(((struct ip_vs_service *)svc)->port) : 0) : 0;
inline string dw_vs_raddr[uint64_t cp] = __has(((struct ip_vs_conn *)0)->vaddr) ?
    (cp != 0 ? dw_inet_text[((struct ip_vs_conn *)cp)->daf, (uint64_t)&((struct ip_vs_conn *)cp)->daddr] : "") : "";
inline uint16_t dw_vs_rport[uint64_t cp] = __has(((struct ip_vs_conn *)0)->vaddr) ?
    (cp != 0 ? ntohs(((struct ip_vs_conn *)cp)->dport) : 0) : 0;
