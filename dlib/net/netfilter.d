/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netfilter: which table, chain and rule decided about a packet. Input: a packet that netfilter drops. Output: members of
 * struct dw_pkt: nf_table, nf_chain, nf_rule.
 * Where functions can be traced, the expression that decided is noted (src/prov/net/netfilter.c). Elsewhere the rules are
 * read: if only one of those that the packet can have met drops packets, it was that one. */

/* The text of a union nf_inet_addr, as conntrack and IPVS have it. */
inline string dw_inet_text[int af, uint64_t at] = af == DW_AF_INET ? __ip4(((union nf_inet_addr *)at)->ip) :
    af == DW_AF_INET6 ? __ip6(&((union nf_inet_addr *)at)->in6) : "";

/* Is the packet dropped by nf_tables? Since Linux 6.9 it frees the packet itself. */
inline int DW_NFT_DO_CHAIN_SIZE = 0xc00;	/* bytes of its code, at most */
inline uint64_t dw_nft_do_chain = __has(&`nft_do_chain) ? (uint64_t)&`nft_do_chain :
    __has(&nf_tables`nft_do_chain) ? (uint64_t)&nf_tables`nft_do_chain : 0;
inline int dw_by_netfilter[struct dw_pkt *P] = __has(SKB_DROP_REASON_NETFILTER_DROP) ?
    P->dropped && P->reason == SKB_DROP_REASON_NETFILTER_DROP : 0;
inline int dw_by_nft[struct dw_pkt *P] = dw_by_netfilter[P] && dw_nft_do_chain != 0 &&
    P->location - dw_nft_do_chain < DW_NFT_DO_CHAIN_SIZE;

/* The hooks at which a packet may be that is dropped, as bits of their numbers, by its route and device; 0: not known. On
 * its way in a packet has no route before PREROUTING; on the loopback device it brings one along. Rules of a bridge or
 * of a device's own hooks may have dropped it, too. */
inline int DW_NF_PREROUTING = 1;
inline int DW_NF_INPUT = 2;
inline int DW_NF_FORWARD = 4;
inline int DW_NF_OUTPUT = 8;
inline int DW_NF_POSTROUTING = 16;
inline int dw_nf_routed[uint64_t input] = __has(&`ip_local_deliver) && __has(&`ip_forward) ?
    (input == (uint64_t)&`ip_local_deliver ? DW_NF_INPUT : input == (uint64_t)&`ip_forward ? DW_NF_FORWARD :
    __has(&`ip6_input) && __has(&`ip6_forward) ? (input == (uint64_t)&`ip6_input ? DW_NF_INPUT :
    input == (uint64_t)&`ip6_forward ? DW_NF_FORWARD : 0) : 0) : 0;
inline int dw_nf_left[struct sk_buff *B] = (int64_t)B->dev < 0 && (uint64_t)B->dev == dw_dst_dev[B] &&
    B->skb_iif != B->dev->ifindex;
inline int dw_nf_plain[uint64_t dev] = ((struct net_device *)dev)->priv_flags & DW_IFF_BRIDGE_PORT ? 0 :
    (__has(((struct net_device *)dev)->nf_hooks_ingress) ? (uint64_t)((struct net_device *)dev)->nf_hooks_ingress == 0 : 1) &&
    (__has(((struct net_device *)dev)->nf_hooks_egress) ? (uint64_t)((struct net_device *)dev)->nf_hooks_egress == 0 : 1);
inline int dw_nf_at[struct sk_buff *B] =
    B->skb_iif == 0 ? (dw_dst_dev[B] == 0 || !dw_nf_plain[dw_dst_dev[B]] ? 0 :
    dw_nf_left[B] ? DW_NF_POSTROUTING : DW_NF_OUTPUT) :
    (int64_t)B->dev >= 0 || !dw_nf_plain[(uint64_t)B->dev] ? 0 :
    dw_dst_dev[B] == 0 ? DW_NF_PREROUTING :
    (B->dev->flags & DW_IFF_LOOPBACK) != 0 ? DW_NF_PREROUTING | DW_NF_INPUT :
    dw_nf_left[B] ? DW_NF_POSTROUTING :
    dw_nf_routed[(uint64_t)((struct dst_entry *)dw_dst[B])->input];
inline struct net_device *dw_nf_dev[struct sk_buff *B] = (struct net_device *)(dw_dst_dev[B] != 0 ? dw_dst_dev[B] : (uint64_t)B->dev);
inline uint64_t dw_nf_tables_of[struct sk_buff *B] = B->protocol == DW_ETH_P_IP ?
    (uint64_t)&dw_dev_net[dw_nf_dev[B]]->nf.hooks_ipv4 :
    B->protocol == DW_ETH_P_IPV6 ? (uint64_t)&dw_dev_net[dw_nf_dev[B]]->nf.hooks_ipv6 : 0;

/* Notes of functions. "nft": the base chain in which the packet is, or was when it was dropped; "nftexpr": the expression
 * that gave a verdict; "nftjump": the chain to which one led; "xt": the table of iptables, with the hook's number. */
inline int dw_nft_noted[uint64_t skb] = __stamp("nft", skb) != 0;
inline uint64_t dw_nft_expr[uint64_t skb] = __stamp("nftexpr", skb) >= __stamp("nft", skb) ? __stamped("nftexpr", skb) : 0;
inline uint64_t dw_nft_jumped[uint64_t skb] = __stamp("nftjump", skb) >= __stamp("nft", skb) ? __stamped("nftjump", skb) : 0;
inline int DW_NFT_BASE = 1;		/* struct nft_chain, flags */
inline uint64_t dw_nft_base_of[uint64_t chain] = chain - offsetof(struct nft_base_chain, chain);
inline int dw_nft_policy[uint64_t chain] = (((struct nft_chain *)chain)->flags & DW_NFT_BASE) != 0 &&
    ((struct nft_base_chain *)dw_nft_base_of[chain])->policy == 0;
/* What __nft() is asked for. */
inline int DW_NFT_CHAIN = 0;
inline int DW_NFT_RULE = 1;
inline int DW_NFT_TABLE = 2;
/* By an expression; without one, by the policy of the base chain if that drops. */
inline uint64_t dw_nft_noted_as[int want, uint64_t skb, uint64_t chain] = dw_nft_expr[skb] != 0 ?
    __nft(want, dw_nft_expr[skb], chain, dw_nft_jumped[skb], 0, 0, 0) :
    dw_nft_policy[chain] ? (want == DW_NFT_RULE ? 1 : chain) : want == DW_NFT_TABLE ? chain : 0;
/* The same where a chain has let a packet go on; without an expression it was the policy of the base chain. */
inline uint64_t dw_nft_accepted[int want, uint64_t skb, uint64_t chain] = dw_nft_expr[skb] != 0 ?
    __nft(want, dw_nft_expr[skb], chain, dw_nft_jumped[skb], 0, 0, 0) : want == DW_NFT_RULE ? 1 : chain;
/* By what the packet can have met. */
inline uint64_t dw_nft_only[int want, struct dw_pkt *P] = dw_nf_at[P->skb] == 0 ? 0 :
    __nft(want, 0, 0, 0, dw_nf_tables_of[P->skb], dw_nf_at[P->skb], dw_dev_net[dw_nf_dev[P->skb]]->nft.gencursor);
inline uint64_t dw_nft_of[int want, struct dw_pkt *P] = __has(((struct nft_chain *)0)->table) && __has(((struct nft_base_chain *)0)->policy) ?
    (!dw_by_netfilter[P] ? 0 : dw_nft_noted[(uint64_t)P->skb] ?
    dw_nft_noted_as[want, (uint64_t)P->skb, __stamped("nft", (uint64_t)P->skb)] :
    dw_by_nft[P] ? dw_nft_only[want, P] : 0) : 0;
inline uint64_t dw_xt_of[struct dw_pkt *P] = __has(((struct xt_table *)0)->name) ?
    (dw_by_netfilter[P] ? __stamped("xt", (uint64_t)P->skb) : 0) : 0;

inline int DW_XT_HOOK = 7;

/* iptables' own code: the rules whose verdict is DROP, REJECT, or a policy that drops, count for each CPU how many packets they have
 * dropped, so that the sum changes by a drop only. "xtsum" has it for a table and a CPU, with the sum of the rules' weights
 * (bpf/lib_xt.h): after a single drop the difference is the weight of the rule. "xtrule" has the difference. If more has
 * changed, such as by two drops at once or counters that were set, the rule is not known. */
inline int DW_XT_SUM = 0;
inline int DW_XT_NUMBER = 1;
inline int DW_XT_CHAIN = 2;
inline int DW_XT_KEY_SHIFT = 48;	/* of a kernel address these bits are set */
inline uint64_t dw_xt_info[uint64_t xt] = (uint64_t)((struct xt_table *)(xt & ~(uint64_t)DW_XT_HOOK))->private;
inline int dw_xt_is6[uint64_t xt] = ((struct xt_table *)(xt & ~(uint64_t)DW_XT_HOOK))->af == DW_AF_INET6;
inline uint64_t dw_xt_key[uint64_t table] = dw_xt_info[table] ^ (uint64_t)cpu << DW_XT_KEY_SHIFT;
inline uint64_t dw_xt_walk[int want, uint64_t xt, uint64_t weight, uint64_t percpu] =
    __has(((struct xt_table_info *)0)->hook_entry) && __has(((struct xt_target *)0)->target) ?
    (xt == 0 ? 0 : __xt(want, dw_xt_info[xt], dw_xt_is6[xt], weight, percpu)) : 0;
inline uint64_t dw_xt_sum[uint64_t table] = __has(&`nr_cpu_ids) && __has(&`__per_cpu_offset) ?
    dw_xt_walk[DW_XT_SUM, table, 0, (dw_kword[(uint64_t)&`nr_cpu_ids] & 0xffffffff) > 1 ?
    dw_kword[(uint64_t)&`__per_cpu_offset + (uint64_t)cpu * 8] : 0] : 0;
inline uint64_t dw_xt_weight[uint64_t moved] = moved >> 32 == 1 ? moved & 0xffffffff : 0;
inline uint64_t dw_xt_rule_of[struct dw_pkt *P] = P->nf_xt == 0 ? 0 : dw_xt_weight[__stamped("xtrule", (uint64_t)P->skb)];

inline string nf_family_string[int f] = f == 1 ? "inet" : f == 2 ? "ip" : f == 3 ? "arp" : f == 5 ? "netdev" :
    f == 7 ? "bridge" : f == 10 ? "ip6" : "";
inline string nf_xt_chain_string[int h] = h == 0 ? "PREROUTING" : h == 1 ? "INPUT" : h == 2 ? "FORWARD" :
    h == 3 ? "OUTPUT" : "POSTROUTING";

/* As members of the arguments, from those of struct dw_pkt. A kernel may have one of the two. */
inline string dw_xt_family[uint64_t xt] = __has(((struct xt_table *)0)->name) ?
    (xt == 0 ? "" : nf_family_string[((struct xt_table *)(xt & ~(uint64_t)DW_XT_HOOK))->af]) : "";
inline string dw_xt_table[uint64_t xt] = __has(((struct xt_table *)0)->name) ?
    (xt == 0 ? "" : ((struct dw_name96 *)(uint64_t)&((struct xt_table *)(xt & ~(uint64_t)DW_XT_HOOK))->name)->c) : "";
inline string dw_nf_family[uint64_t chain, uint64_t xt] = __has(((struct nft_chain *)0)->table) ?
    (chain != 0 ? nf_family_string[((struct nft_chain *)chain)->table->family] : dw_xt_family[xt]) : dw_xt_family[xt];
inline string dw_nf_table[uint64_t chain, uint64_t xt] = __has(((struct nft_chain *)0)->table) ?
    (chain != 0 ? ((struct dw_name96 *)(uint64_t)((struct nft_chain *)chain)->table->name)->c : dw_xt_table[xt]) :
    dw_xt_table[xt];
inline string dw_xt_chain_string[uint64_t xt, uint64_t name] = name != 0 ? ((struct dw_name96 *)name)->c :
    nf_xt_chain_string[xt & DW_XT_HOOK];
inline string dw_xt_chain[uint64_t xt, uint64_t weight] = xt == 0 ? "" : weight == 0 ? nf_xt_chain_string[xt & DW_XT_HOOK] :
    dw_xt_chain_string[xt, dw_xt_walk[DW_XT_CHAIN, xt, weight, 0]];
inline string dw_nf_chain[uint64_t chain, uint64_t xt, uint64_t weight] = __has(((struct nft_chain *)0)->table) ?
    (chain != 0 ? ((struct dw_name96 *)(uint64_t)((struct nft_chain *)chain)->name)->c : dw_xt_chain[xt, weight]) :
    dw_xt_chain[xt, weight];
inline int64_t dw_nf_rule[uint64_t rule, uint64_t xt, uint64_t weight] = xt != 0 ?
    (weight == 0 ? -1 : (int64_t)dw_xt_walk[DW_XT_NUMBER, xt, weight, 0] - 1) : rule == 0 ? -1 : rule == 1 ? 0 : dw_kword[rule] >> 13 & 0x3ffffffffff;

/* ---- notes: functions of nf_tables and iptables ------------------------------------------------------------------------ */

inline int DW_NF_VERDICT = 0xff;	/* of a function's result: the verdict alone, 0: drop */
inline int DW_NFT_CONTINUE = -1;
inline int DW_NFT_JUMP = -3;
inline int DW_NFT_GOTO = -4;
/* The lowest byte of a verdict's code: those of chains are negative, the others have more in their upper bytes. */
inline int dw_nft_code[int code] = code & DW_NF_VERDICT;
inline int DW_NFT_BY_POLICY = 1;	/* enum nft_trace_types */

/* nft_do_chain */
struct dw_nfchain {
	struct nft_pktinfo *pkt;
	uint64_t chain;
};
translator struct dw_pkt < struct dw_nfchain *C > {
	skb = C->pkt->skb;
	nf_word = C->chain;
};

struct dw_nfchained {
	struct nft_pktinfo *pkt;
	uint64_t chain;
	uint32_t retval;
};
translator struct dw_pkt < struct dw_nfchained *C > {
	skb = C->pkt->skb;
	nf_verdict = C->retval;
};

/* nft_immediate_eval: a value for a register; the first one is the verdict. */
struct dw_nfimmediate {
	struct nft_expr *expr;
	struct nft_regs *regs;
	struct nft_pktinfo *pkt;
};
inline struct nft_immediate_expr *dw_nft_immediate[uint64_t expr] = (struct nft_immediate_expr *)(expr + sizeof(struct nft_expr));
translator struct dw_pkt < struct dw_nfimmediate *C > {
	skb = C->pkt->skb;
	nf_word = (uint64_t)C->expr;
	nf_verdict = dw_nft_immediate[(uint64_t)C->expr]->dreg != 0 ? DW_NFT_CONTINUE :
	    dw_nft_immediate[(uint64_t)C->expr]->data.verdict.code;
	nf_leads = (uint64_t)dw_nft_immediate[(uint64_t)C->expr]->data.verdict.chain;
};

/* nft_lookup_eval: a map may hold verdicts. */
struct dw_nflookup {
	struct nft_expr *expr;
	struct nft_regs *regs;
	struct nft_pktinfo *pkt;
};
translator struct dw_pkt < struct dw_nflookup *C > {
	skb = C->pkt->skb;
	nf_word = (uint64_t)C->expr;
	nf_verdict = C->regs->verdict.code;
	nf_leads = (uint64_t)C->regs->verdict.chain;
};

/* reject, and the targets of iptables-nft */
struct dw_nfreject {
	struct nft_expr *expr;
	struct nft_regs *regs;
	struct nft_pktinfo *pkt;
};
translator struct dw_pkt < struct dw_nfreject *C > {
	skb = C->pkt->skb;
	nf_word = (uint64_t)C->expr;
	nf_verdict = C->regs->verdict.code;
};

/* ipt_do_table, ip6t_do_table */
struct dw_nfxt {
	struct xt_table *table;
	struct sk_buff *skb;
	struct nf_hook_state *state;
};
translator struct dw_pkt < struct dw_nfxt *C > {
	nf_word = (uint64_t)C->table | C->state->hook;
};

struct dw_nfxted {
	struct xt_table *table;
	struct sk_buff *skb;
	struct nf_hook_state *state;
	uint32_t retval;
};
translator struct dw_pkt < struct dw_nfxted *C > {
	nf_verdict = C->retval;
};

/* ... and what the table's rules have dropped on this CPU */
struct dw_nfxtsum {
	struct xt_table *table;
};
translator struct dw_pkt < struct dw_nfxtsum *C > {
	nf_word = dw_xt_sum[(uint64_t)C->table];
	nf_leads = dw_xt_key[(uint64_t)C->table];
};
struct dw_nfxtdrop {
	struct xt_table *table;
	struct sk_buff *skb;
	struct nf_hook_state *state;
	uint32_t retval;
};
translator struct dw_pkt < struct dw_nfxtdrop *C > {
	nf_verdict = C->retval;
	nf_word = dw_xt_sum[(uint64_t)C->table];
	nf_leads = dw_xt_key[(uint64_t)C->table];
};

/* kfree_skb */
struct dw_nffreed {
	struct sk_buff *skb;
};
translator struct dw_pkt < struct dw_nffreed *C > {
	nf_word = 0;
};
