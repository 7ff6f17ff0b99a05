/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib_nft: the rule of nf_tables that decided about a packet; part of lib.bpf.c. Input: struct dw_nft: an expression of
 * that rule, or the chains that may have decided. Output: the chain and the rule, 0: not known.
 * A chain is one piece of memory: rules, each a head (bit 0: the end, 12 bits: bytes of its expressions, 42 bits: its
 * handle) and its expressions, whose operations say how long they are. Invariant: what is read is a snapshot under RCU,
 * and every walk is bounded; a walk that does not reach the end finds nothing. */
#define NFT_RULES 4096 /* rules of a chain, or its expressions, at most */
#define NFT_HEAD 8
#define NFT_HOOKS 5
#define NFT_AT_HOOK 16 /* functions at a hook, at most */
#define NFT_JUMP (-3)  /* verdicts */
#define NFT_GOTO (-4)
#define NFT_LEN(head) ((head) >> 1 & 0xfff)

typedef volatile struct dw_nft nft;

/* Of a loop. It is no larger than needed: the frames of these functions add up on the stack of 512 bytes. */
struct nft_ctx {
	nft *w;
};

/* One rule. It ends with the rule that has the expression, or with the end, whose place is left in w->at. */
long cb_nft_rule(u64 i, struct nft_ctx *c)
{
	nft *w = c->w;
	(void)i;

	READ((void *)&w->tmp, 8, w->at);
	u64 head = w->tmp, len = NFT_LEN(head);
	if (head & 1) {
		w->ended = 1;
		return 1;
	}
	if (w->expr - w->at - NFT_HEAD < len) {
		w->rule = w->at;
		return 1;
	}
	w->at += NFT_HEAD + len;
	return 0;
}

/* Looks for the rule in the chain. */
PART u64 nft_in_chain(struct dw_nft *v)
{
	nft *w = v;
	struct nft_ctx c = { .w = w };

	if (!v)
		return 0;
	w->rule = 0;
	if (!w->chain)
		return 0;
	READ((void *)&w->at, 8, w->chain + w->blob_at[0]);
	w->at += w->data_at;
	loop(NFT_RULES, cb_nft_rule, &c, 0);
	if (w->rule)
		return w->rule;
	READ((void *)&w->at, 8, w->chain + w->blob_at[1]);
	w->at += w->data_at;
	loop(NFT_RULES, cb_nft_rule, &c, 0);
	return w->rule;
}

/* The chain of the expression w->expr, which is the last one of its rule: the end of the chain names it. */
INLINE void nft_forward(nft *w, struct nft_ctx *c)
{
	u64 expr = w->expr;

	w->code = w->ended = 0;
	READ((void *)&w->at, 8, expr);
	READ((void *)&w->code, 4, w->at + w->size_at);
	w->at = expr + w->code;
	w->expr = 0;
	w->chain = 0;
	loop(NFT_RULES, cb_nft_rule, c, 0);
	w->expr = expr;
	if (w->ended)
		READ((void *)&w->chain, 8, w->at + w->last_at);
}

/* A rule, or the policy of w->chain (rule 0), may have dropped the packet; sure: it does if it is reached. */
INLINE void nft_may(nft *w, u64 rule, u64 sure)
{
	u64 chain = w->chain, found = w->found;

	w->many |= found != 0;
	w->other |= found && found != chain;
	w->found = chain;
	w->rule = rule;
	w->unsure |= !sure;
}

/* Do the first characters of an expression's name say that it may drop, but not whether? */
INLINE u64 nft_is_other(u64 name)
{
	return (name & FIRST(7)) == 0x746567726174 /* "target", of iptables */ ||
		name == 0x79786f72706e7973 /* "synproxy" */ || (name & FIRST(4)) == 0x74616e /* "nat" */ ||
		(name & FIRST(4)) == 0x7173616d /* "masq" */ || (name & FIRST(5)) == 0x7269646572 /* "redir" */ ||
		(name & FIRST(6)) == 0x79786f727074 /* "tproxy" */;
}

/* What the expression at w->at does to the packet. */
INLINE void nft_judge(nft *w, u64 name)
{
	if (name == 0x74616964656d6d69) { /* "immedia(te)": a value for a register, 0: the verdict */
		w->small = 1;
		READ((void *)&w->small, 1, w->at + w->dreg_at);
		READ((void *)&w->code, 4, w->at + NFT_HEAD);
		u32 code = w->code;
		if (w->small)
			return;
		if (!code)
			nft_may(w, w->head, 1);
		w->jumps |= code == (u32)NFT_JUMP || code == (u32)NFT_GOTO;
	} else if ((name & FIRST(7)) == 0x70756b6f6f6c) { /* "lookup": its map may hold verdicts */
		w->small = 0;
		READ((void *)&w->small, 2, w->at + w->lookup_at);
		w->jumps |= w->small == 0x100;
	} else if ((name & FIRST(7)) == 0x7463656a6572) { /* "reject" */
		nft_may(w, w->head, 1);
	} else if (nft_is_other(name)) {
		nft_may(w, w->head, 0);
	}
}

/* One expression of the chain w->chain, or the head of a rule: w->left counts the bytes up to the next head. */
long cb_nft_expr(u64 i, struct nft_ctx *c)
{
	nft *w = c->w;
	u64 word, left = w->left, size;
	(void)i;

	READ((void *)&w->tmp, 8, w->at);
	word = w->tmp;
	if (!left) { /* a head */
		w->ended = word & 1;
		w->head = w->at;
		w->left = (u32)NFT_LEN(word);
		w->at += NFT_HEAD;
		return word & 1;
	}
	w->code = 0;
	READ((void *)&w->code, 4, word + w->size_at);
	size = w->code;
	if (!size || size > left)
		return 1;
	READ((void *)&w->tmp, 8, word + w->type_at);
	READ((void *)&w->tmp, 8, w->tmp + w->type_name_at);
	READ((void *)&w->tmp, 8, w->tmp);
	nft_judge(w, w->tmp);
	w->at += size;
	w->left = (u32)(left - size);
	return 0;
}

/* What may drop in a base chain. */
INLINE void nft_look(nft *w)
{
	struct nft_ctx c = { .w = w };
	u64 policy;

	w->small = 1;
	READ((void *)&w->small, 1, w->chain - w->base_at + w->policy_at);
	policy = !w->small;
	READ((void *)&w->at, 8, w->chain + (w->gen ? w->blob_at[1] : w->blob_at[0]));
	w->at += w->data_at;
	w->left = w->ended = w->jumps = 0;
	loop(NFT_RULES, cb_nft_expr, &c, 0);
	if (policy)
		nft_may(w, 0, 1);
	if (w->jumps || !w->ended)
		nft_may(w, 0, 0);
}

/* One function at a hook of netfilter: i counts those of all hooks. */
long cb_nft_hook(u64 i, struct nft_ctx *c)
{
	nft *w = c->w;
	u64 hook = i / NFT_AT_HOOK, k = i % NFT_AT_HOOK, n, entries;

	if (!(w->mask >> hook & 1))
		return 0;
	w->tmp = w->small = 0;
	READ((void *)&w->tmp, 8, w->hooks + 8 * hook);
	entries = w->tmp;
	READ((void *)&w->small, 2, entries);
	n = w->small;
	if (!entries || k >= n)
		return 0;
	w->other |= n > NFT_AT_HOOK;
	READ((void *)&w->tmp, 8, entries + 8 + 16 * n + 8 * k); /* behind the functions: struct nf_hook_ops * */
	w->small = 0;
	READ((void *)&w->small, 1, w->tmp + w->kind_at);
	if (w->small != 1) /* NF_HOOK_OP_NF_TABLES */
		return 0;
	READ((void *)&w->chain, 8, entries + 8 + 16 * k + 8);
	nft_look(w);
	return 0;
}

/* The rule with w->expr is in w->chain, in w->jumped, or in the chain at whose end the rule's last expression leads. */
INLINE u64 nft_known(struct dw_nft *v, struct nft_ctx *c)
{
	nft *w = v;

	if (nft_in_chain(v))
		return 1;
	if (w->last_at)
		nft_forward(w, c);
	else
		w->chain = w->jumped;
	return nft_in_chain(v) != 0;
}

/* w->expr: the rule that has it. Otherwise: the only one that can have dropped the packet at the hooks w->mask. Returns
 * what w->want says: 0: the chain; 1: the rule's head, or 1 for the policy of the chain; 2: the chain, or the one from
 * which it was reached, which is of the same table; 3: the chain of the rule whose head w->expr is. */
u64 nft_find(struct dw_nft *v)
{
	nft *w = v;
	struct nft_ctx c = { .w = w };

	if (!v)
		return 0;
	w->found = w->rule = 0;
	w->many = w->other = w->unsure = 0;
	if (w->want == 3) {
		w->at = w->expr;
		w->expr = w->ended = w->chain = 0;
		if (w->last_at)
			loop(NFT_RULES, cb_nft_rule, &c, 0);
		if (w->ended)
			READ((void *)&w->chain, 8, w->at + w->last_at);
		return w->chain;
	}
	if (w->expr)
		return !nft_known(v, &c) ? 0 : w->want == 1 ? w->rule : w->chain;
	loop(NFT_HOOKS * NFT_AT_HOOK, cb_nft_hook, &c, 0);
	if (w->other || (w->want != 2 && w->unsure))
		return 0;
	if (w->want == 1)
		return w->many || !w->found ? 0 : w->rule + !w->rule;
	return w->found;
}
