/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump: prints IR as text, for --dump=ir.
 * Input: IR. Output: one line per instruction, and a comment with the D position wherever it changes.
 * Invariant: golden tests compare this text, so it depends on the IR alone. */
#include <inttypes.h>

#include "ir/ir.h"
#include "ir/ops.h"

/* By enum ir_op; these tables are made from the lists in ir.h. */
static const char *const op_names[] = {
#define X(o, name, traits) name,
	IR_OPS(X)
#undef X
};
/* By enum ir_alu. */
static const char *const alu_names[] = {
#define X(o, s, commutes) s,
	IR_ALUS(X)
#undef X
};
/* By enum ir_cc. */
static const char *const cc_names[] = {
#define X(o, s, swapped, opposite) s,
	IR_CCS(X)
#undef X
};

/* The arguments of a call: "(v1, v2) pure". */
static void dump_args(const struct ir_insn *in, FILE *out)
{
	fputc('(', out);
	for (unsigned i = 0; i < in->nargs; i++)
		fprintf(out, "%sv%u", i ? ", " : "", in->args[i]);
	fprintf(out, ")%s\n", in->pure ? " pure" : "");
}

/* Instructions whose address is register a plus the constant off: "ld8 [v1 + 16]". */
static void dump_memory(const struct ir_insn *in, FILE *out)
{
	char where[48];
	snprintf(where, sizeof(where), "%u [v%u %c %d]", in->size, in->a, in->off < 0 ? '-' : '+',
		in->off < 0 ? -in->off : in->off);
	fprintf(out, "%s%s%s", op_names[in->op], in->op == IR_LD && in->sx ? "s" : "", where);
	if (in->op == IR_LD)
		fprintf(out, "%s\n", in->pure ? " pure" : "");
	else if (in->op == IR_ST)
		fprintf(out, " = v%u\n", in->b);
	else if (in->op == IR_STI)
		fprintf(out, " = %" PRId64 "\n", in->imm);
	else if (in->op == IR_XADD)
		fprintf(out, " += v%u\n", in->b);
	else if (in->op == IR_XCHG || in->op == IR_FADD)
		fprintf(out, ", v%u\n", in->b);
	else
		fprintf(out, ", v%u -> v%u\n", in->b, in->c);
}

/* What a program is given: constants, maps, its context. */
static void dump_given(const struct ir_insn *in, FILE *out)
{
	if (in->op == IR_IMM)
		fprintf(out, "%" PRId64 "\n", in->imm);
	else if (in->op == IR_MAPVAL)
		fprintf(out, "mapval %" PRId64 " + %d\n", in->imm, in->off);
	else if (in->op == IR_STACK)
		fprintf(out, "stack %d\n", in->off);
	else if (in->op == IR_MAP || in->op == IR_KSYM)
		fprintf(out, "%s %" PRId64 "\n", op_names[in->op], in->imm);
	else
		fprintf(out, "%s\n", op_names[in->op]);
}

static void dump_jump(const struct ir_insn *in, FILE *out)
{
	if (in->op == IR_JCC)
		fprintf(out, "if (v%u %s v%u) ", in->a, cc_names[in->sub], in->b);
	else if (in->op == IR_JCCI)
		fprintf(out, "if (v%u %s %d) ", in->a, cc_names[in->sub], in->imm2);
	fprintf(out, "goto L%" PRId64 "\n", in->imm);
}

/* One instruction. There is no default, so that a new operation must be printed before this compiles. */
static void dump_insn(const struct ir_insn *in, FILE *out)
{
	if (in->d)
		fprintf(out, "v%u = ", in->d);
	switch ((enum ir_op)in->op) {
	case IR_IMM:
	case IR_CTX:
	case IR_PC:
	case IR_MAP:
	case IR_KSYM:
	case IR_MAPVAL:
	case IR_STACK:
		dump_given(in, out);
		break;
	case IR_MOV:
		fprintf(out, "v%u\n", in->a);
		break;
	case IR_LD:
	case IR_ST:
	case IR_STI:
	case IR_XADD:
	case IR_FADD:
	case IR_XCHG:
	case IR_CMPXCHG:
		dump_memory(in, out);
		break;
	case IR_ALU:
		fprintf(out, "v%u %s v%u\n", in->a, alu_names[in->sub], in->b);
		break;
	case IR_ALUI:
		fprintf(out, "v%u %s %" PRId64 "\n", in->a, alu_names[in->sub], in->imm);
		break;
	case IR_NEG:
		fprintf(out, "-v%u\n", in->a);
		break;
	case IR_EXT:
		fprintf(out, "%s%u v%u\n", in->sx ? "sext" : "zext", in->size, in->a);
		break;
	case IR_WRAP:
	case IR_RINGOF:
		fprintf(out, "%s %" PRId64 " v%u\n", op_names[in->op], in->imm, in->a);
		break;
	case IR_BE:
		fprintf(out, "be%u v%u\n", in->size, in->a);
		break;
	case IR_CALL:
	case IR_KFUNC:
		fprintf(out, "%s %" PRId64, op_names[in->op], in->imm);
		dump_args(in, out);
		break;
	case IR_LIB:
		fprintf(out, "lib %s", lib_name((enum bpflib)in->imm));
		dump_args(in, out);
		break;
	case IR_LABEL:
		fprintf(out, "L%" PRId64 ":\n", in->imm);
		break;
	case IR_JMP:
	case IR_JCC:
	case IR_JCCI:
		dump_jump(in, out);
		break;
	case IR_RET:
		fprintf(out, "return v%u\n", in->a);
		break;
	}
}

/* Labels stand in the first column, instructions behind a tab. "; FILE:LINE:COL" precedes the instructions of each
 * place in the source. */
void ir_dump(const struct ir *ir, FILE *out)
{
	unsigned line = 0, col = 0;
	const struct source *src = NULL;
	for (size_t i = 0; i < ir->code.n; i++) {
		const struct ir_insn *in = &ir->code.v[i];
		if (in->loc.src) {
			unsigned l, c;
			loc_position(in->loc, &l, &c);
			if (in->loc.src != src || l != line || c != col)
				fprintf(out, "; %s:%u:%u\n", in->loc.src->name, l, c);
			src = in->loc.src;
			line = l;
			col = c;
		}
		if (in->op != IR_LABEL)
			fputc('\t', out);
		dump_insn(in, out);
	}
}
