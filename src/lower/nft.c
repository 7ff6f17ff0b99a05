/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nft: the rule of nf_tables or iptables that decided about a packet.
 * Input: the numbers of __nft() or __xt() in dlib. Output: a call of the library, which walks through rules; the
 * verifier checks it once for a program.
 * Invariant: offsets of members come from the running kernel's BTF; those of what the kernel does not have are 0, and
 * dlib does not ask for it then. The sizes of both structures are multiples of 8. */
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

#define XT(m) (int32_t) offsetof(struct dw_xt, m)
static const struct member xt_members[] = {
	{ XT(size_at), 0, "xt_table_info", { "size" } },
	{ XT(entries_at), 0, "xt_table_info", { "entries" } },
	{ XT(hooks_at), 0, "xt_table_info", { "hook_entry" } },
	{ XT(underflow_at), 0, "xt_table_info", { "underflow" } },
	{ XT(target_at), 0, "xt_target", { "target" } },
	{ XT(name_at), 0, "xt_target", { "name" } },
};

/* A member of the structure that the library gets: an argument of the call. */
struct given {
	int32_t to;
	unsigned size;
};
enum { GIVEN_MAX = 7 };

/* Calls the library with a structure of so many bytes, made of the call's arguments and the kernel's offsets. */
static vreg walk(struct clause_ctx *cx, const struct expr *e, const struct given *given, enum bpflib fn, int32_t size,
	const struct member *v, size_t n)
{
	struct ir *ir = cx->ir;
	vreg arg[GIVEN_MAX], found;
	struct room r;

	for (size_t i = 0; i < e->args.n; i++)
		arg[i] = lower_int(cx, e->args.v[i]);
	r = room_beside(cx, (uint32_t)size);
	for (int32_t i = 0; i < size; i += 8)
		ir_sti(ir, room_ptr(cx, &r), i, 8, 0);
	for (size_t i = 0; i < e->args.n; i++)
		ir_st(ir, room_ptr(cx, &r), given[i].to, given[i].size, arg[i]);
	for (size_t i = 0; i < n; i++) {
		int64_t off = types_offset(cx->lw->ts, v[i].tag, v[i].path);

		if (off >= 0)
			ir_sti(ir, room_ptr(cx, &r), v[i].to, 2, (int32_t)off + v[i].plus);
	}
	found = ir_lib(ir, fn, (vreg[]){ room_ptr(cx, &r) }, 1);
	room_release(cx, &r);
	return found;
}

vreg nft_find(struct clause_ctx *cx, const struct expr *e)
{
	static const struct given given[GIVEN_MAX] = { { AT(want), 1 }, { AT(expr), 8 }, { AT(chain), 8 },
		{ AT(jumped), 8 }, { AT(hooks), 8 }, { AT(mask), 1 }, { AT(gen), 1 } };

	return walk(cx, e, given, LIB_nft_find, sizeof(struct dw_nft), members, sizeof(members) / sizeof(members[0]));
}

vreg xt_walk(struct clause_ctx *cx, const struct expr *e)
{
	static const struct given given[GIVEN_MAX] = { { XT(want), 1 }, { XT(info), 8 }, { XT(is6), 1 },
		{ XT(weight), 8 }, { XT(percpu), 8 } };

	return walk(cx, e, given, LIB_xt_walk, sizeof(struct dw_xt), xt_members,
		sizeof(xt_members) / sizeof(xt_members[0]));
}
