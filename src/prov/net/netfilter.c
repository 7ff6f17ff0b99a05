/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netfilter: notes of the chain and the rule in which a packet is, for those who report its drop
 * (dlib/net/netfilter.d). Functions only; they run only if a script reads a member that needs them. nf_tables and
 * iptables are modules on most kernels, and built in on others: each place is listed for both. */
#include "prov/provider.h"

#define PACKET "(uint64_t)P->skb"
#define FUNCTION(op, kind, end, mod, func, n, nat, cond, by, ...) \
	{                                                         \
		op,                                               \
			{ .attach = kind,                         \
				.target = func,                   \
				.module = mod,                    \
				.nargs = n,                       \
				.native = nat,                    \
				.when = cond,                     \
				.entry_args = end },              \
			.key = by, __VA_ARGS__                    \
	}
#define BOTH(op, kind, end, mod, func, n, nat, cond, by, ...)              \
	FUNCTION(op, kind, end, mod, func, n, nat, cond, by, __VA_ARGS__), \
		FUNCTION(op, kind, end, NULL, func, n, nat, cond, by, __VA_ARGS__)
#define ENTRY(mod, func, n, nat, cond, ...) \
	BOTH(STAMP_SET, ATTACH_FENTRY, false, mod, func, n, nat, cond, PACKET, __VA_ARGS__)
#define ENDED(op, mod, func, n, nat, cond, ...) \
	BOTH(op, ATTACH_FEXIT, true, mod, func, n, nat, cond, PACKET, __VA_ARGS__)
#define GONE                                                                                     \
	{                                                                                        \
		STAMP_END, { TP("kfree_skb", 2, "dw_nffreed"), .irqs_off = true }, .key = PACKET \
	}
/* The packet of a verdict but a drop goes on, to other chains. A drop is seen a moment later, before this. */
#define NOT_DROP "(P->nf_verdict & DW_NF_VERDICT) != 0"

static const struct stamp_event chain_events[] = {
	ENTRY("nf_tables", "nft_do_chain", 2, "dw_nfchain", NULL, .word = "P->nf_word"),
	ENDED(STAMP_END, "nf_tables", "nft_do_chain", 2, "dw_nfchained", NOT_DROP, NULL),
	GONE,
};
/* Verdicts that end a chain are not negative. */
#define DECIDES "P->nf_verdict >= 0"
static const struct stamp_event expr_events[] = {
	ENTRY("nf_tables", "nft_immediate_eval", 3, "dw_nfimmediate", DECIDES, .word = "P->nf_word"),
	ENDED(STAMP_SET, "nf_tables", "nft_lookup_eval", 3, "dw_nflookup", DECIDES, .word = "P->nf_word"),
	ENDED(STAMP_SET, "nft_reject_inet", "nft_reject_inet_eval", 3, "dw_nfreject", DECIDES, .word = "P->nf_word"),
	ENDED(STAMP_SET, "nft_reject_ipv4", "nft_reject_ipv4_eval", 3, "dw_nfreject", DECIDES, .word = "P->nf_word"),
	ENDED(STAMP_SET, "nft_reject_ipv6", "nft_reject_ipv6_eval", 3, "dw_nfreject", DECIDES, .word = "P->nf_word"),
	ENDED(STAMP_SET, "nft_reject_netdev", "nft_reject_netdev_eval", 3, "dw_nfreject", DECIDES,
		.word = "P->nf_word"),
	ENDED(STAMP_SET, "nft_compat", "nft_target_eval_xt", 3, "dw_nfreject", DECIDES, .word = "P->nf_word"),
};
#define JUMPS "P->nf_verdict == DW_NFT_JUMP || P->nf_verdict == DW_NFT_GOTO"
static const struct stamp_event jump_events[] = {
	ENTRY("nf_tables", "nft_immediate_eval", 3, "dw_nfimmediate", JUMPS, .word = "P->nf_leads"),
	ENDED(STAMP_SET, "nf_tables", "nft_lookup_eval", 3, "dw_nflookup", JUMPS, .word = "P->nf_leads"),
};
static const struct stamp_event xt_events[] = {
	ENTRY("ip_tables", "ipt_do_table", 3, "dw_nfxt", NULL, .word = "P->nf_word"),
	ENTRY("ip6_tables", "ip6t_do_table", 3, "dw_nfxt", NULL, .word = "P->nf_word"),
	ENDED(STAMP_END, "ip_tables", "ipt_do_table", 3, "dw_nfxted", NOT_DROP, NULL),
	ENDED(STAMP_END, "ip6_tables", "ip6t_do_table", 3, "dw_nfxted", NOT_DROP, NULL),
	GONE,
};
/* What the rules of a table have dropped on this CPU: before its first packet, and after each that it drops. */
#define SUM(mod, func)                                                                                              \
	BOTH(STAMP_SET, ATTACH_FENTRY, false, mod, func, 3, "dw_nfxtsum", "__stamped(\"xtsum\", P->nf_leads) == 0", \
		"P->nf_leads", .word = "P->nf_word")
static const struct stamp_event sum_events[] = {
	SUM("ip_tables", "ipt_do_table"),
	SUM("ip6_tables", "ip6t_do_table"),
};
#define DROPPED(mod, func)                                                                    \
	ENDED(STAMP_SET, mod, func, 3, "dw_nfxtdrop", "(P->nf_verdict & DW_NF_VERDICT) == 0", \
		.word = "P->nf_word - __former(\"xtsum\", P->nf_leads, P->nf_word)")
static const struct stamp_event xt_rule_events[] = {
	DROPPED("ip_tables", "ipt_do_table"),
	DROPPED("ip6_tables", "ip6t_do_table"),
	GONE,
};
/* What tc carried out: the last action, and the BPF program that gave a verdict, until the filters are done. */
#define ACT(name, func) ENDED(STAMP_SET, name, func, 2, "dw_tcact", NULL, .word = "P->nf_word")
/* Linux 5.10 has a function of its own for packets that come in. */
#define CLASSIFIES(op, kind, end, func, n, nat, ...) \
	FUNCTION(op, kind, end, NULL, func, n, nat, NULL, PACKET, __VA_ARGS__)
#define CLASSIFIED                                                                       \
	CLASSIFIES(STAMP_END, ATTACH_FEXIT, true, "tcf_classify", 1, "dw_tcdone", NULL), \
		CLASSIFIES(STAMP_END, ATTACH_FEXIT, true, "tcf_classify_ingress", 1, "dw_tcdone", NULL)
static const struct stamp_event act_events[] = {
	ACT("act_bpf", "tcf_bpf_act"),
	ACT("act_connmark", "tcf_connmark_act"),
	ACT("act_csum", "tcf_csum_act"),
	ACT("act_ct", "tcf_ct_act"),
	ACT("act_ctinfo", "tcf_ctinfo_act"),
	ACT("act_gact", "tcf_gact_act"),
	ACT("act_gate", "tcf_gate_act"),
	ACT("act_ife", "tcf_ife_act"),
	ACT("act_mirred", "tcf_mirred_act"),
	ACT("act_mpls", "tcf_mpls_act"),
	ACT("act_nat", "tcf_nat_act"),
	ACT("act_pedit", "tcf_pedit_act"),
	ACT("act_police", "tcf_police_act"),
	ACT("act_sample", "tcf_sample_act"),
	ACT("act_simple", "tcf_simp_act"),
	ACT("act_skbedit", "tcf_skbedit_act"),
	ACT("act_skbmod", "tcf_skbmod_act"),
	ACT("act_tunnel_key", "tunnel_key_act"),
	ACT("act_vlan", "tcf_vlan_act"),
	CLASSIFIED,
};
static const struct stamp_event prog_events[] = {
	ENDED(STAMP_SET, "act_bpf", "tcf_bpf_act", 2, "dw_tcbpf", NULL, .word = "P->nf_word"),
	ENDED(STAMP_SET, "cls_bpf", "cls_bpf_classify", 3, "dw_tccls", DECIDES, .word = "P->nf_word"),
	CLASSIFIED,
};
/* The first filter, for those who see the packet before the filters are done. */
static const struct stamp_event proto_events[] = {
	CLASSIFIES(STAMP_SET, ATTACH_FENTRY, false, "tcf_classify", 5, "dw_tcbegin", .word = "P->nf_word"),
	CLASSIFIES(STAMP_SET, ATTACH_FENTRY, false, "tcf_classify_ingress", 5, "dw_tcbegin", .word = "P->nf_word"),
	CLASSIFIED,
};
const struct stamp netfilter_stamps[NETFILTER_STAMPS] = {
	{ "nft", TABLE(chain_events) },
	{ "nftexpr", TABLE(expr_events) },
	{ "nftjump", TABLE(jump_events) },
	{ "xt", TABLE(xt_events) },
	{ "xtsum", TABLE(sum_events) },
	{ "xtrule", TABLE(xt_rule_events) },
	{ "tcact", TABLE(act_events) },
	{ "tcprog", TABLE(prog_events) },
	{ "tcproto", TABLE(proto_events) },
};
