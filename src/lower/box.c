/* SPDX-License-Identifier: GPL-2.0-or-later */
/* box: the container of a cgroup.
 * Input: the address of a cgroup's node (struct kernfs_node). Output: a call of the library, which walks up the tree of
 * cgroups; the verifier checks it once for a program, whatever the number of calls.
 * Invariant: offsets of members come from the running kernel's BTF. */
#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/state/state.h"

/* Linux 6.15 renamed the parent. */
static int32_t above_at(struct lowerer *lw)
{
	int64_t off = types_offset(lw->ts, "kernfs_node", (const char *const[]){ "__parent", NULL });

	return (int32_t)(off >= 0 ? off : types_offset(lw->ts, "kernfs_node", (const char *const[]){ "parent", NULL }));
}

vreg box_find(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct room room = room_take(cx, sizeof(struct dw_box));
	int32_t above = above_at(cx->lw);
	int64_t name = types_offset(cx->lw->ts, "kernfs_node", (const char *const[]){ "name", NULL });
	vreg node = lower_int(cx, e->args.v[0]), io = room_ptr(cx, &room), found;

	if (above < 0 || name < 0)
		lower_error(cx->lw, ir->loc, D_KERNEL, "this kernel's struct kernfs_node is not as it should be");
	ir_st(ir, io, offsetof(struct dw_box, node), 8, node);
	ir_sti(ir, io, offsetof(struct dw_box, above_at), 8, above);
	ir_sti(ir, io, offsetof(struct dw_box, name_at), 8, (int32_t)name);
	for (int32_t i = offsetof(struct dw_box, above); i < (int32_t)sizeof(struct dw_box); i += 8)
		ir_sti(ir, io, i, 8, 0);
	found = ir_lib(ir, LIB_box_find, (vreg[]){ room_ptr(cx, &room) }, 1);
	room_release(cx, &room);
	return found;
}
