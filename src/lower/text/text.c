/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text: subroutines on characters.
 * Input: a call. Output: text in scratch memory, or a number. Arguments become text in memory (lower/text/str.c);
 * functions of bpf/lib_text.h do the work.
 * Invariant: a NULL string or an unreadable address is a fault of the clause, except where D compares or keeps NULL. */
#include "lower/text/text.h"

#include <linux/bpf.h>
#include <string.h>

#include "lower/expr/expr.h"
#include "lower/site/site.h"
#include "lower/state/state.h"

#define TOKEN_HEAD 64 /* bytes before the text that strtok() splits: text_token() of bpf/lib_text.h */

/* ---- arguments --------------------------------------------------------------------------------------------------- */
/* The bound of a text for a library function: its bytes with the NUL. */
static vreg size_imm(struct clause_ctx *cx, const struct sval *s)
{
	return ir_imm(cx->ir, form_chars(s->form));
}

/* A fault if the string is NULL, as in DTrace, where it is an invalid address. */
void str_need(struct clause_ctx *cx, const struct sval *s)
{
	if (s->rep == REP_TEXT && s->null)
		fault_unless(cx, CC_EQ, s->null, 0, DW_FAULT_BADADDR, 0);
}

/* Copies at most size bytes from an address of the kernel, or of the process. */
static struct sval text_from(struct clause_ctx *cx, int helper, vreg addr, int form)
{
	struct ir *ir = cx->ir;
	struct sval s = text_new(cx, form);
	vreg n = size_imm(cx, &s);
	vreg r = helper == BPF_FUNC_probe_read_user_str ? user_copy(cx, helper, s.mem, n, addr)
							: ir_call(ir, helper, (vreg[]){ s.mem, n, addr }, 3, false);

	fault_unless(cx, CC_SGE, r, 0, DW_FAULT_BADADDR, addr);
	return s;
}

/* Text at an address of the kernel, at most -x strsize bytes. */
struct sval str_at(struct clause_ctx *cx, vreg addr)
{
	return text_from(
		cx, BPF_FUNC_probe_read_kernel_str, addr, form_of_text(cx->lw->ck, checker_strsize(cx->lw->ck)));
}

struct sval str_at_address(struct clause_ctx *cx, const struct expr *e)
{
	return str_at(cx, lower_int(cx, e));
}

/* An argument as text. The caller handles NULL. */
static struct sval text_or_null(struct clause_ctx *cx, const struct expr *e)
{
	struct sval s;

	if (!type_is_string(e->type))
		return str_at_address(cx, e);
	s = lower_str_as(cx, e, expr_form(cx->lw->ck, e) | FORM_TEXT);
	(void)str_text(cx, &s);
	return s;
}

/* An argument that must not be NULL. */
static struct sval text_arg(struct clause_ctx *cx, const struct expr *e, size_t i)
{
	struct sval s = text_or_null(cx, e->args.v[i]);

	str_need(cx, &s);
	return s;
}

/* Memory for numbers that the library functions exchange. */
static vreg work_words(struct clause_ctx *cx, uint32_t size)
{
	return scratch_ptr(cx, scratch_alloc(cx->pg, size));
}

static vreg int_arg(struct clause_ctx *cx, const struct expr *e, size_t i)
{
	return lower_int(cx, e->args.v[i]);
}

/* ---- results that are strings ------------------------------------------------------------------------------------ */
/* Room for the result, as large as the checker found it may become. */
static struct sval new_result(struct clause_ctx *cx, const struct expr *e)
{
	return text_new(cx, expr_form(cx->lw->ck, e));
}

/* Two copies, the second over the NUL of the first; a result longer than -x strsize is cut. */
static struct sval lower_strjoin(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct sval a = text_arg(cx, e, 0), b = text_arg(cx, e, 1);
	uint32_t both = form_chars(a.form) + form_chars(b.form), room = form_chars(expr_form(cx->lw->ck, e));
	vreg p = work_words(cx, both > room ? both : room), n;

	n = ir_call(ir, BPF_FUNC_probe_read_kernel_str, (vreg[]){ p, size_imm(cx, &a), a.mem }, 3, false);
	fault_unless(
		cx, CC_SGT, n, 0, DW_FAULT_BADADDR, 0); /* never: the text is our own. The verifier wants to see it */
	n = ir_alu(ir, ALU_ADD, p, ir_alui(ir, ALU_SUB, n, 1));
	ir_call(ir, BPF_FUNC_probe_read_kernel_str, (vreg[]){ n, size_imm(cx, &b), b.mem }, 3, false);
	if (both - 1 > room)
		ir_sti(ir, p, (int32_t)room - 1, 1, 0);
	return text_at(p, expr_form(cx->lw->ck, e));
}

/* Words for text_substr(): index, length. A missing length is the largest one. */
static struct sval lower_substr(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct sval s = text_arg(cx, e, 0), out;
	vreg index = int_arg(cx, e, 1), n = e->args.n > 2 ? int_arg(cx, e, 2) : ir_imm(ir, INT32_MAX), w;

	out = new_result(cx, e);
	w = work_words(cx, 64);
	ir_st(ir, w, 0, 8, index);
	ir_st(ir, w, 8, 8, n);
	ir_lib(ir, LIB_text_substr, (vreg[]){ out.mem, s.mem, size_imm(cx, &s), w }, 4);
	return out;
}

static struct sval lower_case(struct clause_ctx *cx, const struct expr *e, bool upper)
{
	struct sval s = text_arg(cx, e, 0), out = new_result(cx, e);

	ir_lib(cx->ir, LIB_text_case, (vreg[]){ out.mem, s.mem, size_imm(cx, &s), ir_imm(cx->ir, upper) }, 4);
	return out;
}

/* The word at 0 of the work memory says afterwards whether the character was missing: NULL. */
static struct sval lower_strchr(struct clause_ctx *cx, const struct expr *e, bool last)
{
	struct ir *ir = cx->ir;
	struct sval s = text_arg(cx, e, 0), out;
	vreg c = int_arg(cx, e, 1), w;

	out = new_result(cx, e);
	w = work_words(cx, 64);
	ir_st(ir, w, 16, 8, c);
	ir_lib(ir, LIB_text_chr, (vreg[]){ out.mem, s.mem, size_imm(cx, &s), w, ir_imm(ir, last) }, 5);
	out.null = ir_ld(ir, w, 0, 8, false, false);
	return out;
}

/* The position of b in a. from: where the search starts. */
static vreg find_text(struct clause_ctx *cx, const struct sval *a, const struct sval *b, vreg from, bool last)
{
	struct ir *ir = cx->ir;
	uint64_t n = form_chars(a->form), m = form_chars(b->form);
	vreg w = work_words(cx, 64 + (uint32_t)(n + m + 24) + (uint32_t)m + 24);

	ir_st(ir, w, 0, 8, from);
	ir_lib(ir, LIB_text_index, (vreg[]){ w, a->mem, b->mem, ir_imm(ir, (int64_t)(n | m << 32)), ir_imm(ir, last) },
		5);
	return w;
}

/* The index that find_text() leaves selects the tail; none is NULL. */
static struct sval lower_strstr(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct sval s = text_arg(cx, e, 0), sub = text_arg(cx, e, 1), out = new_result(cx, e);
	vreg w = find_text(cx, &s, &sub, ir_imm(ir, 0), false);

	ir_lib(ir, LIB_text_tail, (vreg[]){ out.mem, s.mem, size_imm(cx, &s), w }, 4);
	out.null = ir_ld(ir, w, 0, 8, false, false);
	return out;
}

/* Both sizes travel in one word: a BPF function takes five arguments. */
static struct sval lower_json(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct sval s = text_arg(cx, e, 0), path = text_arg(cx, e, 1), out = new_result(cx, e);
	vreg w = work_words(cx, 96);
	int64_t sizes = (int64_t)((uint64_t)form_chars(s.form) | (uint64_t)form_chars(path.form) << 32);

	ir_lib(ir, LIB_text_json, (vreg[]){ out.mem, s.mem, path.mem, ir_imm(ir, sizes), w }, 5);
	out.null = ir_ld(ir, w, 0, 8, false, false);
	return out;
}

/* basename() and dirname(). */
static struct sval lower_path(struct clause_ctx *cx, const struct expr *e, bool dir)
{
	struct sval s = text_arg(cx, e, 0), out = new_result(cx, e);
	vreg w = work_words(cx, 64);

	ir_lib(cx->ir, LIB_text_path, (vreg[]){ out.mem, s.mem, size_imm(cx, &s), w, ir_imm(cx->ir, dir) }, 5);
	return out;
}

/* The function works in place, so it gets a copy. */
static struct sval lower_cleanpath(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct sval s = text_arg(cx, e, 0), out = new_result(cx, e);
	vreg copy = work_words(cx, form_chars(s.form) + 8), w = work_words(cx, 64);

	ir_call(ir, BPF_FUNC_probe_read_kernel_str, (vreg[]){ copy, size_imm(cx, &s), s.mem }, 3, false);
	ir_lib(ir, LIB_text_clean, (vreg[]){ out.mem, copy, size_imm(cx, &s), w }, 4);
	return out;
}

/* The base of lltostr() and strtoll(): from 2 to 36. */
static vreg base_arg(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	vreg base;

	if (e->args.n < 2)
		return ir_imm(ir, 10);
	base = ir_ext(ir, int_arg(cx, e, 1), 4, false);
	fault_unless(cx, CC_ULT, ir_alui(ir, ALU_SUB, base, 2), 35, DW_FAULT_ILLOP, 0);
	return base;
}

/* Work memory for 64 digits in base 2, beside the words of every text function. */
static struct sval lower_lltostr(struct clause_ctx *cx, const struct expr *e)
{
	vreg n = int_arg(cx, e, 0), base = base_arg(cx, e), w = work_words(cx, 64 + 88);
	struct sval out = new_result(cx, e);

	ir_lib(cx->ir, LIB_text_digits, (vreg[]){ out.mem, size_imm(cx, &out), w, n, base }, 5);
	return out;
}

/* ---- strtok ------------------------------------------------------------------------------------------------------ */
/* The text that is being split and the position in it are kept for all clauses of the probe, as in DTrace. */
void text_collect(struct prog_ctx *pg, const struct expr *e)
{
	if (e->kind != EX_CALL || !e->sym || e->sym->kind != SYM_FUNC || e->sym->func != FN_strtok || pg->token_off)
		return;
	pg->token_off = scratch_alloc(pg, TOKEN_HEAD + checker_strsize(pg->lw->ck));
	scratch_start_empty(pg, pg->token_off + 8);
}

/* strtok(s, ...) begins anew; strtok(NULL, ...) goes on. A string that is NULL at run time goes on, too. */
static void start_tokens(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	uint32_t end = ir_newlabel(ir), size = checker_strsize(cx->lw->ck);
	struct sval s;
	vreg w;

	if (expr_is_null(cx->lw->ts, e))
		return;
	s = text_or_null(cx, e);
	if (s.null)
		ir_jcci(ir, CC_NE, s.null, 0, end);
	w = scratch_ptr(cx, cx->pg->token_off);
	ir_call(ir, BPF_FUNC_probe_read_kernel_str,
		(vreg[]){ scratch_ptr(cx, cx->pg->token_off + TOKEN_HEAD), ir_imm(ir, size), s.mem }, 3, false);
	ir_sti(ir, w, 0, 8, 0);
	ir_sti(ir, w, 8, 8, 1);
	ir_label(ir, end);
}

/* text_token() keeps the position in the head of the memory. */
static struct sval lower_strtok(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct sval delim, out;
	vreg w;

	start_tokens(cx, e->args.v[0]);
	delim = text_arg(cx, e, 1);
	out = new_result(cx, e);
	w = scratch_ptr(cx, cx->pg->token_off);
	ir_lib(ir, LIB_text_token, (vreg[]){ w, out.mem, delim.mem, size_imm(cx, &out), size_imm(cx, &delim) }, 5);
	out.null = ir_ld(ir, w, 48, 8, false, false);
	return out;
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */
/* size bytes at a pointer, in scratch memory. */
static vreg bytes_at(struct clause_ctx *cx, const struct expr *e, uint32_t size)
{
	struct ir *ir = cx->ir;
	vreg addr = lower_int(cx, e), buf = work_words(cx, size), r;

	r = ir_call(ir, BPF_FUNC_probe_read_kernel, (vreg[]){ buf, ir_imm(ir, size), addr }, 3, false);
	fault_unless(cx, CC_EQ, r, 0, DW_FAULT_BADADDR, addr);
	return buf;
}

/* An address in network order, as it is in memory: it becomes text when it is printed. */
static void set_address(struct clause_ctx *cx, struct sval out, const struct expr *e, bool v6)
{
	struct ir *ir = cx->ir;
	vreg b = bytes_at(cx, e, v6 ? 16 : 4);

	ir_seti(ir, out.tag, v6 ? DW_STR_IP6 : DW_STR_IP4);
	ir_set(ir, out.w[0], ir_ld(ir, b, 0, v6 ? 8 : 4, false, false));
	ir_set(ir, out.w[1], v6 ? ir_ld(ir, b, 8, 8, false, false) : ir_imm(ir, 0));
}

/* inet_ntoa(), inet_ntoa6(): an address stays an address. */
static struct sval lower_ntoa(struct clause_ctx *cx, const struct expr *e, bool v6)
{
	struct sval out = str_vars(cx, FORM_ADDR);
	struct ir *ir = cx->ir;
	uint32_t end = ir_newlabel(ir), plain = ir_newlabel(ir);
	vreg middle, last;

	set_address(cx, out, e->args.v[0], v6);
	if (!v6)
		return out;
	/* ::ffff:a.b.c.d and ::a.b.c.d, but for :: and ::1, are shown as IPv4 addresses. */
	ir_jcci(ir, CC_NE, out.w[0], 0, end);
	middle = ir_ext(ir, out.w[1], 4, false);
	last = ir_alui(ir, ALU_SHR, out.w[1], 32);
	ir_jcc(ir, CC_EQ, middle, ir_imm(ir, 0xffff0000), plain); /* bytes 00 00 ff ff */
	ir_jcci(ir, CC_NE, middle, 0, end);
	ir_jcci(ir, CC_EQ, last, 0, end);
	ir_jcci(ir, CC_EQ, last, 0x01000000, end); /* bytes 00 00 00 01 */
	ir_label(ir, plain);
	ir_seti(ir, out.tag, DW_STR_IP4);
	ir_set(ir, out.w[0], last);
	ir_seti(ir, out.w[1], 0);
	ir_label(ir, end);
	return out;
}

#define FAMILY_IP4 2 /* AF_INET, AF_INET6 of Linux */
#define FAMILY_IP6 10

/* The family decides at run time; another family is an illegal operation, as in DTrace. */
static struct sval lower_ntop(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct sval out = str_vars(cx, FORM_ADDR);
	uint32_t v6 = ir_newlabel(ir), v4 = ir_newlabel(ir), end = ir_newlabel(ir);
	vreg af = int_arg(cx, e, 0);

	ir_jcci(ir, CC_EQ, af, FAMILY_IP6, v6);
	ir_jcci(ir, CC_EQ, af, FAMILY_IP4, v4);
	lower_fault(cx, DW_FAULT_ILLOP, 0);
	ir_label(ir, v4);
	set_address(cx, out, e->args.v[1], false);
	ir_jmp(ir, end);
	ir_label(ir, v6);
	set_address(cx, out, e->args.v[1], true);
	ir_label(ir, end);
	return out;
}

#define LINK_ETHER 1 /* ARPHRD_ETHER, ARPHRD_INFINIBAND of Linux */
#define LINK_INFINIBAND 32

static void store_link(struct clause_ctx *cx, struct sval out, const struct expr *e, uint32_t n)
{
	vreg b = bytes_at(cx, e, n);

	ir_lib(cx->ir, LIB_text_link, (vreg[]){ out.mem, b, ir_imm(cx->ir, n) }, 3);
}

static struct sval lower_link_ntop(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct sval out = new_result(cx, e);
	uint32_t ether = ir_newlabel(ir), ib = ir_newlabel(ir), end = ir_newlabel(ir);
	vreg type = int_arg(cx, e, 0);

	ir_jcci(ir, CC_EQ, type, LINK_ETHER, ether);
	ir_jcci(ir, CC_EQ, type, LINK_INFINIBAND, ib);
	lower_fault(cx, DW_FAULT_ILLOP, 0);
	ir_label(ir, ether);
	store_link(cx, out, e->args.v[1], 6);
	ir_jmp(ir, end);
	ir_label(ir, ib);
	store_link(cx, out, e->args.v[1], 20);
	ir_label(ir, end);
	return out;
}

/* ---- results that are numbers ------------------------------------------------------------------------------------ */
static vreg lower_strlen(struct clause_ctx *cx, const struct expr *e)
{
	const struct expr *literal = e->args.v[0]->kind == EX_STR ? e->args.v[0] : NULL;
	struct ir *ir = cx->ir;
	struct sval s;
	vreg copy, n;

	if (literal) /* strsize bytes are looked at, though only strsize - 1 of them can be kept */
		return ir_imm(ir, (int64_t)strnlen(literal->str, checker_strsize(cx->lw->ck)));
	s = text_arg(cx, e, 0);
	copy = text_new(cx, s.form).mem;
	n = ir_call(ir, BPF_FUNC_probe_read_kernel_str, (vreg[]){ copy, size_imm(cx, &s), s.mem }, 3, false);
	return ir_alui(ir, ALU_SUB, n, 1);
}

static vreg lower_find(struct clause_ctx *cx, const struct expr *e, bool last)
{
	struct ir *ir = cx->ir;
	struct sval s = text_arg(cx, e, 0), sub = text_arg(cx, e, 1);
	vreg from = e->args.n > 2 ? int_arg(cx, e, 2) : ir_imm(ir, last ? INT32_MAX : 0);

	return ir_ld(ir, find_text(cx, &s, &sub, from, last), 0, 4, true, false);
}

static vreg lower_strtoll(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct sval s = text_arg(cx, e, 0);
	vreg base = base_arg(cx, e), w = work_words(cx, 64);

	ir_lib(ir, LIB_text_number, (vreg[]){ w, s.mem, size_imm(cx, &s), base }, 4);
	return ir_ld(ir, w, 0, 8, false, false);
}

/* copyinstr(addr, most): at most so many characters. */
static struct sval lower_copyinstr(struct clause_ctx *cx, const struct expr *e)
{
	struct ir *ir = cx->ir;
	struct sval s = text_from(cx, BPF_FUNC_probe_read_user_str, int_arg(cx, e, 0), expr_form(cx->lw->ck, e));
	uint32_t end = ir_newlabel(ir);
	int64_t n;
	vreg most;

	if (e->args.n < 2 || const_eval(cx->lw->ts, cx->lw->d, e->args.v[1], &n)) /* the size of the result says it */
		return s;
	most = ir_mov(ir, int_arg(cx, e, 1));
	ir_jcci(ir, CC_UGE, most, (int32_t)form_chars(s.form), end);
	ir_sti(ir, ir_alu(ir, ALU_ADD, s.mem, most), 0, 1, 0);
	ir_label(ir, end);
	return s;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */
bool lower_text_number(struct clause_ctx *cx, const struct expr *e, vreg *out)
{
	switch ((int)e->sym->func) {
	case FN_strlen:
		*out = lower_strlen(cx, e);
		return true;
	case FN_index:
	case FN_rindex:
		*out = lower_find(cx, e, e->sym->func == FN_rindex);
		return true;
	case FN_strtoll:
		*out = lower_strtoll(cx, e);
		return true;
	case FN_getmajor:
		*out = ir_alui(cx->ir, ALU_SHR, ir_ext(cx->ir, int_arg(cx, e, 0), 4, false), 20);
		return true;
	case FN_getminor:
		*out = ir_alui(cx->ir, ALU_AND, int_arg(cx, e, 0), (1 << 20) - 1);
		return true;
	default:
		return false;
	}
}

bool lower_text_call(struct clause_ctx *cx, const struct expr *e, struct sval *out)
{
	enum func f = e->sym->func;

	switch ((int)f) {
	case FN_strjoin:
		*out = lower_strjoin(cx, e);
		return true;
	case FN_substr:
		*out = lower_substr(cx, e);
		return true;
	case FN_tolower:
	case FN_toupper:
		*out = lower_case(cx, e, f == FN_toupper);
		return true;
	case FN_strchr:
	case FN_strrchr:
		*out = lower_strchr(cx, e, f == FN_strrchr);
		return true;
	case FN_json:
		*out = lower_json(cx, e);
		return true;
	case FN_strstr:
		*out = lower_strstr(cx, e);
		return true;
	case FN_basename:
	case FN_dirname:
		*out = lower_path(cx, e, f == FN_dirname);
		return true;
	case FN_cleanpath:
		*out = lower_cleanpath(cx, e);
		return true;
	case FN_lltostr:
		*out = lower_lltostr(cx, e);
		return true;
	case FN_strtok:
		*out = lower_strtok(cx, e);
		return true;
	case FN_inet_ntoa:
	case FN_inet_ntoa6:
		*out = lower_ntoa(cx, e, f == FN_inet_ntoa6);
		return true;
	case FN_inet_ntop:
		*out = lower_ntop(cx, e);
		return true;
	case FN_link_ntop:
		*out = lower_link_ntop(cx, e);
		return true;
	case FN_copyinstr:
		*out = lower_copyinstr(cx, e);
		return true;
	default:
		return false;
	}
}
