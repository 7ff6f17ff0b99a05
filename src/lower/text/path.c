/* SPDX-License-Identifier: GPL-2.0-or-later */
/* path: text that the kernel does not keep as one string: the path of a file, the command line of a process.
 * Input: a struct path, or a dentry and a mount; a struct mm_struct. Output: text in scratch memory.
 * Invariant: offsets of members come from the running kernel's BTF. */
#include <linux/bpf.h>
#include <string.h>

#include "lower/expr/expr.h"
#include "lower/state/state.h"
#include "lower/text/text.h"

/* Bytes from the start of the structure. A member that this kernel lacks is an error, and 0. */
static uint32_t offset_of(struct clause_ctx *cx, const char *tag, const char *const *path)
{
	const int64_t off = types_offset(cx->lw->ts, tag, path);

	if (off < 0)
		lower_error(cx->lw, cx->ir->loc, D_KERNEL, "this kernel's struct %s is not as it should be", tag);
	return off < 0 ? 0 : (uint32_t)off;
}

#define OFFSET(tag, ...) offset_of(cx, tag, (const char *const[]){ __VA_ARGS__, NULL })

/* The offsets that path_text() needs, into its structure. */
static void store_offsets(struct clause_ctx *cx, vreg w)
{
	const struct {
		uint32_t at, value;
	} v[] = {
		{ offsetof(struct dw_path, d_parent), OFFSET("dentry", "d_parent") },
		{ offsetof(struct dw_path, d_name), OFFSET("dentry", "d_name", "name") },
		{ offsetof(struct dw_path, d_len), OFFSET("dentry", "d_name", "len") },
		{ offsetof(struct dw_path, mnt_root), OFFSET("vfsmount", "mnt_root") },
		{ offsetof(struct dw_path, mount_mnt), OFFSET("mount", "mnt") },
		{ offsetof(struct dw_path, mount_parent), OFFSET("mount", "mnt_parent") },
		{ offsetof(struct dw_path, mount_point), OFFSET("mount", "mnt_mountpoint") },
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		ir_sti(cx->ir, w, (int32_t)v[i].at, 4, (int32_t)v[i].value);
}

/* Stores the two pointers, from a struct path or from the arguments, into the work area at woff. */
static void store_start(struct clause_ctx *cx, const struct expr *e, int32_t woff)
{
	struct ir *ir = cx->ir;
	vreg dentry, mnt, path;
	uint32_t ok = ir_newlabel(ir);

	if (e->args.n == 2) {
		dentry = lower_int(cx, e->args.v[0]);
		mnt = lower_int(cx, e->args.v[1]);
	} else {
		path = lower_int(cx, e->args.v[0]);
		ir_jcci(ir, CC_EQ,
			ir_call(ir, BPF_FUNC_probe_read_kernel, (vreg[]){ scratch_ptr(cx, woff), ir_imm(ir, 16), path },
				3, false),
			0, ok);
		lower_fault(cx, DW_FAULT_BADADDR, path);
		ir_label(ir, ok);
		dentry = ir_ld(ir, scratch_ptr(cx, woff), (int32_t)OFFSET("path", "dentry"), 8, false, false);
		mnt = ir_ld(ir, scratch_ptr(cx, woff), (int32_t)OFFSET("path", "mnt"), 8, false, false);
	}
	ir_st(ir, scratch_ptr(cx, woff), offsetof(struct dw_path, dentry), 8, dentry);
	ir_st(ir, scratch_ptr(cx, woff), offsetof(struct dw_path, mnt), 8, mnt);
}

/* The library function writes the path backwards into a buffer and returns where it starts; the helper then copies
 * it. */
struct sval path_str(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct sval out = text_new(cx, expr_form(cx->lw->ck, e));
	int32_t mark = scratch_mark(cx->pg), woff = scratch_alloc(cx->pg, sizeof(struct dw_path)),
		boff = scratch_alloc(cx->pg, DW_PATH_BUF);
	vreg w, buf, pos, from;

	store_start(cx, e, woff);
	store_offsets(cx, scratch_ptr(cx, woff));
	w = scratch_ptr(cx, woff);
	buf = scratch_ptr(cx, boff);
	pos = ir_lib(ir, LIB_path_text, (vreg[]){ w, buf }, 2);
	from = ir_alu(ir, ALU_ADD, ir_alui(ir, ALU_ADD, scratch_address(cx), boff), pos);
	ir_call(ir, BPF_FUNC_probe_read_kernel_str, (vreg[]){ out.mem, ir_imm(ir, form_chars(out.form)), from }, 3,
		false);
	scratch_release(cx->pg, mark);
	return out;
}

static vreg mm_number(struct clause_ctx *cx, struct val mm, const char *name)
{
	struct val v = lower_member_of(cx, mm, mm.type->of, name);

	return v.type ? lower_load(cx, v, NULL).r : ir_imm(cx->ir, 0);
}

/* At most size - 1 bytes of the command line, with the NULs between arguments turned into blanks. It is empty for a
 * kernel thread. */
struct sval psargs_str(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct val mm = lower_load(cx, lower_expr(cx, e->args.v[0]), e->args.v[0]);
	uint32_t size = (uint32_t)e->args.v[1]->ival, empty = ir_newlabel(ir), most = ir_newlabel(ir);
	struct sval out = text_new(cx, expr_form(cx->lw->ck, e));
	vreg start, len = ir_var(ir);

	zero_bytes(cx, out.mem, 0, form_size(out.form));
	ir_jcci(ir, CC_EQ, mm.r, 0, empty);
	start = mm_number(cx, mm, "arg_start");
	ir_set(ir, len, ir_alu(ir, ALU_SUB, mm_number(cx, mm, "arg_end"), start));
	ir_jcci(ir, CC_SLE, len, 0, empty);
	ir_jcci(ir, CC_SLT, len, (int32_t)size, most);
	ir_seti(ir, len, (int32_t)size - 1);
	ir_label(ir, most);
	ir_call(ir, BPF_FUNC_probe_read_user, (vreg[]){ out.mem, len, start }, 3, false);
	ir_lib(ir, LIB_args_text, (vreg[]){ out.mem, len, ir_imm(ir, size - 1) }, 3);
	ir_label(ir, empty);
	return out;
}
