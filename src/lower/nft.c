/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nft: the rule of nf_tables that decided about a packet.
 * Input: the numbers of __nft() in dlib. Output: a call of the library, which walks through the rules of chains; the
 * verifier checks it once for a program.
 * Invariant: offsets of members come from the running kernel's BTF; those of what the kernel does not have are 0, and
 * dlib does not ask for it then. */
#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/state/state.h"

#define AT(m) (int32_t) offsetof(struct dw_nft, m)

struct member {
	int32_t to;   /* in struct dw_nft */
	int32_t plus; /* bytes that come before the structure */
	const char *tag;
	const char *path[3];
};
static const struct member members[] = {
	{ AT(blob_at[0]), 0, "nft_chain", { "blob_gen_0" } },
	{ AT(blob_at[1]), 0, "nft_chain", { "blob_gen_1" } },
	{ AT(data_at), 0, "nft_rule_blob", { "data" } },
	{ AT(size_at), 0, "nft_expr_ops", { "size" } },
	{ AT(type_at), 0, "nft_expr_ops", { "type" } },
	{ AT(type_name_at), 0, "nft_expr_type", { "name" } },
	{ AT(dreg_at), 8, "nft_immediate_expr", { "dreg" } },
	{ AT(lookup_at), 8, "nft_lookup", { "dreg" } },
	{ AT(base_at), 0, "nft_base_chain", { "chain" } },
	{ AT(policy_at), 0, "nft_base_chain", { "policy" } },
	{ AT(kind_at), 0, "nf_hook_ops", { "hook_ops_type" } },
	{ AT(last_at), 0, "nft_rule_dp_last", { "chain" } },
};

vreg nft_find(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	int32_t mark = scratch_mark(cx->pg), at;
	static const struct {
		int32_t to;
		unsigned size;
	} given[] = { { AT(want), 1 }, { AT(expr), 8 }, { AT(chain), 8 }, { AT(jumped), 8 }, { AT(hooks), 8 },
		{ AT(mask), 1 }, { AT(gen), 1 } };
	vreg v[sizeof(given) / sizeof(given[0])], found;

	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
		v[i] = lower_int(cx, e->args.v[i]);
	at = scratch_alloc(cx->pg, sizeof(struct dw_nft)); /* the stack has no room for it beside a row of a tool */
	for (int32_t i = 0; i < (int32_t)sizeof(struct dw_nft); i += 8)
		ir_sti(ir, scratch_ptr(cx, at), i, 8, 0);
	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
		ir_st(ir, scratch_ptr(cx, at), given[i].to, given[i].size, v[i]);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		int64_t off = types_offset(cx->lw->ts, members[i].tag, members[i].path);

		if (off >= 0)
			ir_sti(ir, scratch_ptr(cx, at), members[i].to, 2, (int32_t)off + members[i].plus);
	}
	found = ir_lib(ir, LIB_nft_find, (vreg[]){ scratch_ptr(cx, at) }, 1);
	scratch_release(cx->pg, mark);
	return found;
}
