/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib_xt: the rules of iptables' own kernel code (iptables-legacy); part of lib.bpf.c. Input: struct dw_xt: a table.
 * Output: how often its rules have dropped packets on a CPU, or the number and the chain of a rule.
 * A table is one piece of memory: rules, each with its length, a counter for each CPU and a target. The rules of a
 * chain that is not a hook's come behind one whose target ERROR names the chain. A rule's weight is its place in the
 * table, plus XT_ALIGN. Invariant: every walk is bounded; a walk that does not reach the end finds nothing. */
#define XT_RULES 512 /* of a table, at most: each costs some thousand instructions a drop */
#define XT_ALIGN 8
#define XT_HOOKS 5
#define XT_DATA 32          /* of a target: where its own data begin */
#define XT_DROPS 0xffffffff /* verdict of a standard target: -1 - NF_DROP */
#define XT_LENGTH(x) \
	((x)->is6 ? 140 : 88) /* struct ipt_entry, ip6t_entry: where the target is; two bytes further: the next rule */
#define XT_COUNTER(x) ((x)->is6 ? 152 : 96)

typedef volatile struct dw_xt xt;

struct xt_ctx { /* of a loop */
	xt *w;
};

/* Does the rule whose target is at w->tmp drop what it matches? Sets the chain, where the rule names one. */
INLINE u64 xt_drops(xt *w)
{
	u64 target = w->tmp, kind;

	READ((void *)&w->tmp, 8, target + 8); /* struct xt_target */
	kind = w->tmp;
	READ((void *)&w->tmp, 8, kind + w->target_at);
	if (!w->tmp) { /* the standard target: it has no function */
		w->code = 0;
		READ((void *)&w->code, 4, target + XT_DATA);
		return w->code == XT_DROPS;
	}
	READ((void *)&w->tmp, 8, kind + w->name_at);
	if ((w->tmp & FIRST(6)) == 0x524f525245) { /* "ERROR" */
		w->chain = target + XT_DATA;
		w->number = 0;
	}
	return (w->tmp & FIRST(7)) == 0x5443454a4552; /* "REJECT" */
}

/* The rule at w->at. */
long cb_xt_rule(u64 i, struct xt_ctx *c)
{
	xt *w = c->w;
	u64 rule, length, drops, weight;
	(void)i;

	if (w->at >= w->size)
		return 1;
	weight = (u64)w->at + XT_ALIGN;
	rule = w->info + w->entries_at + w->at;
	w->policy = 0;
	w->number++;
	for (int h = 0; h < XT_HOOKS; h++) {
		if (w->at == w->hooks[h]) {
			w->number = 1;
			w->chain = 0;
		}
		w->policy |= w->at == w->underflow[h];
	}
	w->next = 0;
	READ((void *)&w->next, 4, rule + XT_LENGTH(w));
	length = w->next;
	w->tmp = rule + (length & 0xffff);
	drops = xt_drops(w);
	if (weight == w->weight) {
		w->found = drops != 0;
		return 1;
	}
	w->at += (u32)(length >> 16);
	if (drops && !w->weight) {
		READ((void *)&w->tmp, 8, rule + XT_COUNTER(w));
		if (w->percpu)
			READ((void *)&w->tmp, 8, w->tmp + w->percpu);
		w->count += w->tmp;
		w->sum += w->tmp * weight;
	}
	return length >> 16 == 0;
}

/* w->want 0: bit 63, in the bits 32 to 62 how many packets the rules have dropped on this CPU, and in the lower ones
 * the sum of the rules' weights for each packet.
 * 1: the number of the rule w->weight in its chain plus 1, 1 of a policy.
 * 2: the address of its chain's name, or 0 for a hook's chain.
 * 0 for all: not known. */
u64 xt_walk(struct dw_xt *v)
{
	xt *w = v;
	struct xt_ctx c = { .w = w };

	if (!v)
		return 0;
	if (!w->info || (w->want && !w->weight))
		return 0;
	READ((void *)&w->size, 4, w->info + w->size_at);
	READ((void *)w->hooks, sizeof(v->hooks), w->info + w->hooks_at);
	READ((void *)w->underflow, sizeof(v->underflow), w->info + w->underflow_at);
	loop(XT_RULES, cb_xt_rule, &c, 0);
	if (!w->want)
		return w->at < w->size ? 0 : 1ull << 63 | (w->count & 0x7fffffff) << 32 | (w->sum & 0xffffffff);
	if (!w->found)
		return 0;
	return w->want == 2 ? w->chain : w->policy ? 1 : (u64)w->number + 1;
}
