/* SPDX-License-Identifier: GPL-2.0-or-later */
/* str: strings in the form in which they arise.
 * Input: strings of any form, and the form that is wanted. Output: registers (the number of a literal, a tagged
 * address, the words of a short array), or text in memory.
 * Invariant: text in memory is made only where a script needs characters: subroutines, comparisons by order,
 * variables that hold more than one kind of string. */
#include <assert.h>
#include <linux/bpf.h>
#include <string.h>

#include "base/inet.h"
#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/state/state.h"
#include "lower/text/text.h"

/* ---- constants --------------------------------------------------------------------------------------------------- */
/* The number of a literal in the image, from 1. The empty string is 0. Equal texts have equal numbers, so literals
 * compare by number. */
int32_t lit_number(struct lowerer *lw, const char *s, size_t len)
{
	const char *key = arena_strndup(lw->arena, s, len);
	uintptr_t n;
	struct lit *l;

	if (!len || !*key)
		return 0;
	n = (uintptr_t)strmap_get(lw->lits, key);
	if (n)
		return (int32_t)n;
	n = lw->im->lits.n;
	if (n == UINT16_MAX + 1)
		lower_error(lw, (struct loc){ 0 }, D_LIMIT, "a trace has %d different texts at most", UINT16_MAX);
	l = vec_push(lw->arena, &lw->im->lits);
	l->s = key;
	l->len = strlen(key);
	strmap_put(lw->lits, key, (void *)n);
	return (int32_t)n;
}

/* A string of n words, without registers yet. */
struct sval new_str(struct lowerer *lw, enum str_rep rep, unsigned n)
{
	struct sval s = { .rep = rep, .lit = -1, .n = n };

	s.w = ARENA_ARRAY(lw->arena, vreg, n);
	return s;
}

/* The characters of a literal as constants, cut to the words with a NUL at the end. */
static struct sval lit_chars(struct clause_ctx *cx, const char *text, size_t len, unsigned words)
{
	struct sval s = new_str(cx->lw, REP_CHARS, words);
	char buf[CHARS_SHORT + 8] = { 0 };

	memcpy(buf, text, len < (size_t)words * 8 ? len : (size_t)words * 8 - 1);
	for (size_t i = 0; i < words; i++) {
		int64_t w;

		memcpy(&w, buf + i * 8, 8);
		s.w[i] = ir_imm(cx->ir, w);
	}
	return s;
}

/* A literal that is an address as it would be printed becomes that address, so that it equals traced ones. */
static struct sval lit_tstr(struct clause_ctx *cx, int32_t lit)
{
	const char *text = cx->lw->im->lits.v[lit].s;
	struct sval s = new_str(cx->lw, REP_TSTR, 2);
	uint8_t bytes[16];
	unsigned size = inet_canonical(text, bytes);
	int64_t w[2];

	if (!size)
		memset(bytes, 0, sizeof(bytes));
	if (!size && lit)
		memcpy(bytes, &lit, 4);
	memcpy(w, bytes, 16);
	s.tag = ir_imm(cx->ir, size == 4 ? DW_STR_IP4 : size ? DW_STR_IP6 : lit ? DW_STR_LIT : DW_STR_NONE);
	s.w[0] = ir_imm(cx->ir, w[0]);
	s.w[1] = ir_imm(cx->ir, w[1]);
	s.lit = lit;
	return s;
}

/* Cuts the text to strsize - 1 bytes, as DTrace does. */
struct sval str_const(struct clause_ctx *cx, const char *text, size_t len)
{
	struct sval s = new_str(cx->lw, REP_LIT, 1);
	size_t most = checker_strsize(cx->lw->ck) - 1;

	if (len > most)
		len = most;
	s.lit = lit_number(cx->lw, text, len);
	s.w[0] = ir_imm(cx->ir, s.lit);
	s.form = FORM_LIT | (int)(len + 1) << FORM_SHIFT;
	return s;
}

/* The empty string in a form. */
struct sval str_zero(struct clause_ctx *cx, int form)
{
	return str_convert(cx, str_const(cx, "", 0), form);
}

struct sval str_null(struct clause_ctx *cx, int form)
{
	struct sval s = str_zero(cx, form);

	if (form & FORM_NULL)
		s.null = ir_imm(cx->ir, 1);
	return s;
}

/* ---- text in memory ---------------------------------------------------------------------------------------------- */
/* Text at an address. */
struct sval text_at(vreg mem, int form)
{
	return (struct sval){ .rep = REP_TEXT, .lit = -1, .form = form, .mem = mem };
}

/* Room in the run's scratch slot, which is not zeroed. */
struct sval text_new(struct clause_ctx *cx, int form)
{
	return text_at(scratch_ptr(cx, scratch_alloc(cx->pg, form_size(form))), form);
}

/* size is in bytes and rounded up to 8. Large blocks are copied from a map of zeroes, which saves instructions. */
void zero_bytes(struct clause_ctx *cx, vreg base, int32_t off, uint32_t size)
{
	struct ir *ir = cx->ir;
	vreg to, zeroes;

	if (size <= 64) {
		for (uint32_t i = 0; i < size; i += 8)
			ir_sti(ir, base, off + (int32_t)i, 8, 0);
		return;
	}
	if (cx->lw->zero_size < size)
		cx->lw->zero_size = size;
	to = off ? ir_alui(ir, ALU_ADD, base, off) : base;
	zeroes = ir_mapval(ir, map_for(cx->lw, MAP_ZERO), 0);
	ir_call(ir, BPF_FUNC_probe_read_kernel, (vreg[]){ to, ir_imm(ir, size), zeroes }, 3, false);
}

/* Copies at most size bytes of the text at from. The last one is a NUL. */
static void copy_text(struct clause_ctx *cx, vreg base, int32_t off, uint32_t size, vreg from)
{
	vreg to = off ? ir_alui(cx->ir, ALU_ADD, base, off) : base;

	ir_call(cx->ir, BPF_FUNC_probe_read_kernel_str, (vreg[]){ to, ir_imm(cx->ir, size), from }, 3, false);
}

/* Stores a literal's characters as immediates, up to the end of the word with its NUL. */
static void store_lit(struct clause_ctx *cx, vreg base, int32_t off, uint32_t size, int32_t lit)
{
	const struct lit *l = &cx->lw->im->lits.v[lit];
	uint32_t len = l->len < size ? (uint32_t)l->len : size - 1;

	for (uint32_t i = 0; i <= len; i += 8) {
		int32_t part[2] = { 0 };

		memcpy(part, l->s + i, len - i < 8 ? len - i : 8);
		if (part[1] == (part[0] < 0 ? -1 : 0)) {
			ir_sti(cx->ir, base, off + (int32_t)i, 8, part[0]);
			continue;
		}
		ir_sti(cx->ir, base, off + (int32_t)i, 4, part[0]);
		ir_sti(cx->ir, base, off + (int32_t)i + 4, 4, part[1]);
	}
}

/* The address of the string's characters. A literal is written to scratch memory at its first use. */
vreg str_text(struct clause_ctx *cx, struct sval *s)
{
	if (!s->mem) {
		s->mem = text_new(cx, s->form).mem;
		store_lit(cx, s->mem, 0, form_chars(s->form), s->lit);
	}
	return s->mem;
}

/* Writes text to memory. */
static void store_text(struct clause_ctx *cx, const struct sval *s, vreg base, int32_t off)
{
	if (s->lit >= 0)
		store_lit(cx, base, off, form_chars(s->form), s->lit);
	else
		copy_text(cx, base, off, form_chars(s->form), s->mem);
}

/* ---- conversion -------------------------------------------------------------------------------------------------- */
/* A literal of which only the number is known becomes characters by a comparison with every literal of the script. */
static struct sval lit_var_to_chars(struct clause_ctx *cx, struct sval s, int form)
{
	struct ir *ir = cx->ir;
	struct sval out = str_vars(cx, form);
	uint32_t end = ir_newlabel(ir);
	vreg number = blur_always(cx, s.w[0]); /* what a comparison shows of it must not outlive the characters */

	str_set(cx, out, str_zero(cx, form));
	for (size_t i = 1; i < cx->lw->im->lits.n; i++) {
		uint32_t next = ir_newlabel(ir);
		struct sval one = s;

		one.lit = (int32_t)i;
		ir_jcci(ir, CC_NE, number, (int32_t)i, next);
		str_set(cx, out, str_convert(cx, one, form));
		ir_jmp(ir, end);
		ir_label(ir, next);
	}
	ir_label(ir, end);
	return out;
}

/* The text of an address or, where the tag says so, of a literal. */
static struct sval tstr_to_text(struct clause_ctx *cx, struct sval s, int form)
{
	struct ir *ir = cx->ir;
	struct sval out = text_new(cx, form);
	int32_t mark = ir_stack_mark(ir);
	vreg src = ir_stack(ir, ir_stack_alloc(ir, sizeof(struct dw_tstr)));
	uint32_t end = ir_newlabel(ir);

	str_store(cx, s, src, 0);
	ir_lib(ir, LIB_tstr_text, (vreg[]){ src, out.mem }, 2);
	if (s.form & FORM_LIT) {
		ir_jcci(ir, CC_NE, s.tag, DW_STR_LIT, end);
		str_set(cx, out, lit_var_to_chars(cx, s, form));
		ir_label(ir, end);
	}
	ir_stack_release(ir, mark);
	return out;
}

static struct sval chars_to_text(struct clause_ctx *cx, struct sval s, int form)
{
	struct sval out = text_new(cx, form);
	uint32_t room = form_size(form) / 8, size = form_chars(form), had = form_chars(s.form);

	for (unsigned i = 0; i < s.n && i < room; i++)
		ir_st(cx->ir, out.mem, (int32_t)i * 8, 8, s.w[i]);
	if (s.n < room)
		ir_sti(cx->ir, out.mem, (int32_t)s.n * 8, 8, 0);
	else if (had >= size)
		ir_sti(cx->ir, out.mem, (int32_t)size - 1, 1, 0);
	return out;
}

/* A literal or a text stays where it is; only its form changes. Other forms are written to new scratch memory. */
static struct sval to_text(struct clause_ctx *cx, struct sval s, int form)
{
	int flags = form & FORM_FLAGS;
	struct sval out = s;

	if (s.lit >= 0) {
		size_t len = cx->lw->im->lits.v[s.lit].len, most = form_chars(form);

		out = text_at(0, flags | (int)(len < most ? len + 1 : most) << FORM_SHIFT);
		out.lit = s.lit;
		out.null = s.null;
	} else if (s.rep == REP_TEXT) {
		out.form = form_chars(form) < form_chars(s.form) ? form : flags | (s.form >> FORM_SHIFT << FORM_SHIFT);
	} else if (s.rep == REP_LIT) {
		out = lit_var_to_chars(cx, s, form);
	} else {
		out = s.rep == REP_TSTR ? tstr_to_text(cx, s, form) : chars_to_text(cx, s, form);
	}
	return out;
}

/* Converts to characters in registers, 8 in a word, zero-padded. */
static struct sval to_words(struct clause_ctx *cx, struct sval s, int form)
{
	unsigned words = form_size(form) / 8;
	struct sval out = new_str(cx->lw, REP_CHARS, words);

	if (s.lit >= 0)
		return lit_chars(cx, cx->lw->im->lits.v[s.lit].s, cx->lw->im->lits.v[s.lit].len, words);
	if (s.rep == REP_LIT)
		return lit_var_to_chars(cx, s, form);
	for (unsigned i = 0; i < words; i++)
		out.w[i] = i < s.n ? s.w[i] : ir_imm(cx->ir, 0);
	return out;
}

static struct sval lit_var_to_tstr(struct clause_ctx *cx, struct sval s)
{
	struct ir *ir = cx->ir;
	struct sval out = str_vars(cx, FORM_ADDR);
	uint32_t end = ir_newlabel(ir);

	assert(out.w);
	str_set(cx, out, lit_tstr(cx, 0));
	ir_jcci(ir, CC_EQ, s.w[0], 0, end);
	ir_seti(ir, out.tag, DW_STR_LIT);
	ir_set(ir, out.w[0], s.w[0]);
	ir_label(ir, end);
	return out;
}

/* The name of a zone is unknown in the kernel, so it cannot become characters: that is reported as an error. */
struct sval str_convert(struct clause_ctx *cx, struct sval s, int form)
{
	enum str_rep rep = form_rep(form);
	struct sval out = s;

	if (rep >= REP_CHARS && (s.form & FORM_BOX))
		lower_error(cx->lw, cx->ir->loc, D_OP_INCOMPAT,
			"the name of a container is known when it is printed, not in the kernel: it cannot be compared "
			"or kept with other text than literals");
	if (rep >= REP_CHARS && (s.form & FORM_ZONE))
		lower_error(cx->lw, cx->ir->loc, D_OP_INCOMPAT,
			"the name of a zone is known when it is printed, not in the kernel: it cannot be compared or "
			"kept with other text than literals");
	if (rep == REP_TEXT)
		return to_text(cx, s, form);
	if (rep == REP_CHARS)
		out = to_words(cx, s, form);
	else if (rep == REP_TSTR && s.rep == REP_LIT)
		out = s.lit >= 0 ? lit_tstr(cx, s.lit) : lit_var_to_tstr(cx, s);
	out.form = form;
	return out;
}

/* ---- variables of strings: registers that can be set several times ----------------------------------------------- */
struct sval tstr_vars(struct clause_ctx *cx, int form)
{
	struct sval s = new_str(cx->lw, REP_TSTR, 2);

	s.form = form;
	s.tag = ir_var(cx->ir);
	s.w[0] = ir_var(cx->ir);
	s.w[1] = ir_var(cx->ir);
	return s;
}

/* Registers, or scratch memory for text, that can be set on several paths. */
struct sval str_vars(struct clause_ctx *cx, int form)
{
	enum str_rep rep = form_rep(form);
	struct sval s;

	if (rep == REP_TEXT) {
		s = text_new(cx, form);
		if (form & FORM_NULL)
			s.null = ir_var(cx->ir);
		return s;
	}
	if (rep == REP_TSTR)
		return tstr_vars(cx, form);
	s = new_str(cx->lw, rep, rep == REP_LIT ? 1 : form_size(form) / 8);
	s.form = form;
	for (unsigned i = 0; i < s.n; i++)
		s.w[i] = ir_var(cx->ir);
	return s;
}

/* vars comes from str_vars(), and s has been converted to its form. */
void str_set(struct clause_ctx *cx, struct sval vars, struct sval s)
{
	if (vars.rep == REP_TEXT) {
		store_text(cx, &s, vars.mem, 0);
		if (vars.null)
			ir_set(cx->ir, vars.null, s.null ? s.null : ir_imm(cx->ir, 0));
		return;
	}
	if (vars.rep == REP_TSTR)
		ir_set(cx->ir, vars.tag, s.tag);
	for (unsigned i = 0; i < vars.n; i++)
		ir_set(cx->ir, vars.w[i], s.w[i]);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */
void str_store(struct clause_ctx *cx, struct sval s, vreg base, int32_t off)
{
	int32_t at = off;

	if (s.rep == REP_TEXT)
		store_text(cx, &s, base, off);
	if (s.rep == REP_TSTR) {
		ir_st(cx->ir, base, off, 8, s.tag); /* tag and the zero behind it */
		at += 8;
	}
	for (unsigned i = 0; i < s.n; i++)
		ir_st(cx->ir, base, at + (int32_t)i * 8, 8, s.w[i]);
}

/* Keys are compared as bytes, so the bytes behind the text must be zero. */
void str_store_key(struct clause_ctx *cx, struct sval s, int form, vreg base, int32_t off)
{
	if (s.rep == REP_TEXT)
		zero_bytes(cx, base, off, form_size(form));
	str_store(cx, s, base, off);
}

/* A string of that form in memory. pure: the memory does not change during the program. */
struct sval str_load(struct clause_ctx *cx, int form, vreg base, int32_t off, bool pure)
{
	enum str_rep rep = form_rep(form);
	struct sval s;

	if (rep == REP_TEXT)
		return text_at(off ? ir_alui(cx->ir, ALU_ADD, base, off) : base, form);
	s = new_str(cx->lw, rep, rep == REP_LIT ? 1 : rep == REP_TSTR ? 2 : form_size(form) / 8);
	s.form = form;
	if (rep == REP_TSTR) {
		s.tag = ir_ld(cx->ir, base, off, 8, false, pure);
		off += 8;
	}
	for (unsigned i = 0; i < s.n; i++)
		s.w[i] = ir_ld(cx->ir, base, off + (int32_t)i * 8, 8, false, pure);
	return s;
}

/* Copies a long array as text. */
static struct sval text_of_array(struct clause_ctx *cx, struct val mem, int form)
{
	struct sval s = text_new(cx, form);

	if (mem.ptr == PTR_OURS)
		copy_text(cx, s.mem, 0, form_chars(form),
			mem.off ? ir_alui(cx->ir, ALU_ADD, mem.r, (int32_t)mem.off) : mem.r);
	else
		copy_text(cx, s.mem, 0, form_chars(form), lower_addr_value(cx, mem));
	return s;
}

/* Clears the characters behind the first NUL: a device that was renamed has the end of its old name there. In a word
 * (w - 1..1) & ~w & 0x80..80 has as its lowest bit that of the first NUL; what is below that stays. */
static void cut_at_nul(struct ir *ir, struct sval s)
{
	vreg ones = ir_imm(ir, 0x0101010101010101), tops = ir_imm(ir, (int64_t)0x8080808080808080), open = 0;

	for (unsigned i = 0; i < s.n; i++) {
		vreg nul = ir_alu(ir, ALU_AND, ir_alu(ir, ALU_SUB, s.w[i], ones), ir_alui(ir, ALU_XOR, s.w[i], -1));
		vreg keep;

		nul = ir_alu(ir, ALU_AND, nul, tops);
		keep = ir_alui(ir, ALU_SUB, ir_alu(ir, ALU_AND, nul, ir_alu(ir, ALU_SUB, ir_imm(ir, 0), nul)), 1);
		s.w[i] = ir_alu(ir, ALU_AND, s.w[i], keep);
		if (open)
			s.w[i] = ir_alu(ir, ALU_AND, s.w[i], open);
		if (i + 1 == s.n)
			break;
		keep = ir_alui(ir, ALU_SAR, keep, 63); /* no NUL: all bits */
		open = open ? ir_alu(ir, ALU_AND, open, keep) : keep;
	}
}

/* Loads the characters of an array: whole words, then smaller loads for the rest. */
struct sval str_of_chars(struct clause_ctx *cx, struct val mem)
{
	uint32_t size = mem.type->nelems;
	int form = form_of_array(cx->lw->ck, size);
	struct ir *ir = cx->ir;
	struct sval s;
	vreg buf = 0;
	bool pure;

	if (form_rep(form) == REP_TEXT)
		return text_of_array(cx, mem, form);
	s = new_str(cx->lw, REP_CHARS, (size + 7) / 8);
	s.form = form;
	if (mem.ptr != PTR_OURS && !mem.btf) {
		buf = ir_stack(ir, ir_stack_alloc(ir, s.n * 8));
		for (unsigned i = 0; i < s.n; i++)
			ir_sti(ir, buf, (int32_t)i * 8, 8, 0);
		ir_call(ir, BPF_FUNC_probe_read_kernel, (vreg[]){ buf, ir_imm(ir, size), lower_addr_value(cx, mem) }, 3,
			false);
		mem.r = buf;
		mem.off = 0;
		size = s.n * 8;
	}
	pure = mem.r != buf && !mem.mut; /* the buffer's bytes change */
	for (unsigned i = 0; i < s.n; i++) {
		uint32_t off = mem.off + i * 8, left = size - i * 8;
		vreg w = 0;

		for (unsigned k = 0; k < left && k < 8;) {
			unsigned step = left - k >= 8 ? 8 : left - k >= 4 ? 4 : left - k >= 2 ? 2 : 1;

			while (mem.mut && (off + k) % step) /* it may be on the stack */
				step /= 2;
			vreg part = ir_ld(ir, mem.r, (int32_t)(off + k), step, false, pure);

			if (k)
				part = ir_alui(ir, ALU_SHL, part, (int32_t)k * 8);
			w = w ? ir_alu(ir, ALU_OR, w, part) : part;
			k += step;
		}
		s.w[i] = w;
	}
	if (!mem.padded && (mem.ptr != PTR_OURS || mem.mut))
		cut_at_nul(ir, s);
	return s;
}
