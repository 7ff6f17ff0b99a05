/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib_stack: walks stacks where the kernel has no helper for it; part of lib.bpf.c. Input: registers. Output: return
 * addresses, innermost first. x86_64 kernels mostly lack frame pointers. They have a table instead (ORC,
 * Documentation/arch/x86/orc-unwinder.rst), which gives for each stretch of code the places of the caller's stack
 * pointer and frame pointer. State is in *w, whose contents the verifier does not track, so that it walks the loops
 * once. */

static long (*const read_user)(void *to, u32 size, const void *from) = (void *)112;

/* An entry's registers and types. Linux 7.2 numbers registers differently from Linux 6.18, and both are understood
 * at once. Two numbers have two meanings. The old ORC_SP is the new DI and the reverse, but no function's frame is
 * found by DI. The old ORC_BP_INDIRECT is the new ORC_PREV_SP, but one is only for stack pointers and the other
 * only for frame pointers. */
enum { ORC_PREV_SP = 1, ORC_BP = 4, ORC_SP = 5, ORC_BP_INDIRECT = 8, ORC_SP_INDIRECT = 9 };
enum { ORC_NEW_SP = 3, ORC_NEW_PREV_SP = 8, ORC_NEW_BP_INDIRECT = 10 };
enum { ORC_CALL = 2, ORC_REGS = 3 };
enum { REGS_BP = 32, REGS_IP = 128, REGS_CS = 136, REGS_SP = 152 }; /* struct pt_regs */

#define HOOK_FRAMES 3   /* frames from the hook to the program, at most */
#define HOOK_SIZE 0x800 /* bytes: more than the hook's function has */
#define ORC_BITS 21     /* bits of the number of entries, at most */

/* Puts the number of the last entry at or before the address into w->at. */
INLINE void orc_find(volatile struct dw_unwind *w, u64 place)
{
	w->at = 0;
#pragma clang loop unroll(disable)
	for (int i = ORC_BITS - 1; i >= 0; i--) {
		u64 n = w->at + (1ull << i), addr = w->ips + 4 * n;
		w->tmp[0] = 0;
		READ((void *)&w->tmp[0], 4, addr);
		addr += (u64)(s64)(int)w->tmp[0];
		u64 take = greater(w->count, n) & greater(place - w->from + 1, addr - w->from);
		w->at += take << i;
	}
}

/* Puts the beginning of the caller's frame into w->base. Returns 1, or 0 if it is not known. */
INLINE int orc_base(volatile struct dw_unwind *w, u64 reg, s64 off)
{
	if (reg == ORC_SP || reg == ORC_NEW_SP) {
		w->base = w->sp + (u64)off;
	} else if (reg == ORC_BP) {
		w->base = w->bp + (u64)off;
	} else if (reg == ORC_BP_INDIRECT || reg == ORC_NEW_BP_INDIRECT) {
		READ((void *)&w->base, 8, w->bp + (u64)off);
	} else if (reg == ORC_SP_INDIRECT) {
		READ((void *)&w->word, 8, w->sp);
		w->base = w->word + (u64)off;
	} else {
		return 0;
	}
	return 1;
}

/* One step to the caller. Returns 1, or 0 at the end of the stack. */
INLINE int orc_step(volatile struct dw_unwind *w)
{
	orc_find(w, w->ip - 1);
	w->tmp[0] = 0;
	READ((void *)&w->tmp[0], 6, w->entries + 6 * w->at);
	u64 e = w->tmp[0], type = e >> 40 & 7, bp_reg = e >> 36 & 15;
	s64 sp_off = (short)e, bp_off = (short)(e >> 16);
	if (!orc_base(w, e >> 32 & 15, sp_off))
		return 0;
	if (type == ORC_REGS) {
		READ((void *)&w->word, 8, w->base + REGS_CS);
		if (w->word & 3) /* the kernel was entered from a process */
			return 0;
		READ((void *)&w->ip, 8, w->base + REGS_IP);
		READ((void *)&w->bp, 8, w->base + REGS_BP);
		READ((void *)&w->sp, 8, w->base + REGS_SP);
		return 1;
	}
	if (type != ORC_CALL)
		return 0;
	READ((void *)&w->ip, 8, w->base - 8);
	if (bp_reg == ORC_PREV_SP || bp_reg == ORC_NEW_PREV_SP)
		READ((void *)&w->bp, 8, w->base + (u64)bp_off);
	else if (bp_reg == ORC_BP)
		READ((void *)&w->bp, 8, w->bp + (u64)bp_off);
	w->sp = w->base;
	return 1;
}

/* Arguments of the body of a loop. */
struct walk {
	volatile struct dw_unwind *w;
	u64 *out;
	u64 n;
};

/* Leaves out the frames up to the hook's function (w->hook): these run BPF programs. */
long cb_kernel(u64 round, struct walk *c)
{
	volatile struct dw_unwind *w = c->w;
	u64 i = w->filled;
	(void)round;

	if (w->ip < w->from || w->ip >= w->to || i >= c->n)
		return 1;
	if (!w->hook) {
		c->out[i] = w->ip;
		w->filled = i + 1;
	} else if (w->ip - w->hook < HOOK_SIZE) {
		w->hook = 0;
	}
	if (w->count)
		return !orc_step(w);
	READ((void *)&w->tmp, 16, w->bp);
	w->bp = w->tmp[0];
	w->ip = w->tmp[1];
	return 0;
}

u64 walk_kernel(volatile struct dw_unwind *w, u64 *out, u64 n)
{
	struct walk c = { .w = w, .out = out, .n = n };

	w->filled = 0;
	loop(n + HOOK_FRAMES, cb_kernel, &c, 0);
	return w->filled;
}

/* Walks a process's stack by frame pointers. Without these the walk ends early, as the kernel's own does. */
long cb_user(u64 round, struct walk *c)
{
	volatile struct dw_unwind *w = c->w;
	u64 i = w->filled;
	(void)round;

	if (!w->ip || i >= c->n)
		return 1;
	c->out[i] = w->ip;
	w->filled = i + 1;
	w->ip = 0;
	if (!w->bp || read_user((void *)&w->tmp, 16, (const void *)w->bp))
		return 1;
	w->ip = w->tmp[1];
	w->bp = w->tmp[0] > w->bp ? w->tmp[0] : 0;
	return 0;
}

u64 walk_user(volatile struct dw_unwind *w, u64 *out, u64 n)
{
	struct walk c = { .w = w, .out = out, .n = n };

	w->filled = 0;
	loop(n, cb_user, &c, 0);
	return w->filled;
}
