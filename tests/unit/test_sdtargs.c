/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sdtargs: operands of notes, as gcc and clang write them for both machines, and broken ones. */
#include "symbols/elf/sdtargs.h"
#include "unit.h"

static const struct {
	enum sdt_machine m;
	const char *text, *want; /* a word each: kind, size, sign, registers' offsets, scale, shift, value */
} cases[] = {
	{ SDT_X86_64, "", "" },
	{ SDT_X86_64, "-4@%edi", "reg4s 112" },
	{ SDT_X86_64, "8@%rax 1@%ah 2@%r9w 4@%r15d -1@%sil", "reg8u 80, reg1u 80>>8, reg2u 64, reg4u 0, reg1s 104" },
	{ SDT_X86_64, "4@$5 -4@$-7 8@$0x10 1@$300", "const4u 5, const4s -7, const8u 16, const1u 44" },
	{ SDT_X86_64, "-8@-24(%rbp)", "mem8s 32*0 -24" },
	{ SDT_X86_64, "8@(%rdi,%rax,8) 4@12(,%rbx,4) 8@(%r12)", "mem8u 112+80*8 0, mem4u -1+40*4 12, mem8u 24*0 0" },
	{ SDT_X86_64, "8@counter(%rip) 8f@%xmm0 16@%xmm1 3@%eax 4@%nope", "none, none, none, none, none" },
	{ SDT_X86_64, "%rdi 4@%r7 4@%r16 4@%r100000000000000000000", "reg8u 112, none, none, none" },
	{ SDT_X86_64, "8@( 8@(% 8@$ 8@% 8@ @ 8", "none, none, none, none, none, none, none" },
	{ SDT_X86_64, "8@(%rdi,%rax,3) 8@(%edi) 8@8(%rdi", "none, none, none" },
	{ SDT_X86_64, "4@$1 4@$2 4@$3 4@$4 4@$5 4@$6 4@$7 4@$8 4@$9 4@$10 4@$11 4@$12 4@$13 4@$14",
		"const4u 1, const4u 2, const4u 3, const4u 4, const4u 5, const4u 6, const4u 7, const4u 8, const4u 9, "
		"const4u 10, const4u 11, const4u 12" },
	{ SDT_AARCH64, "-4@w0 8@x30 8@sp", "reg4s 0, reg8u 240, reg8u 248" },
	{ SDT_AARCH64, "8@[sp, 24] -4@[x29, -8] 8@[x1] 8@[x0, x2]",
		"mem8u 248*0 24, mem4s 232*0 -8, mem8u 8*0 0, mem8u 0+16*1 0" },
	{ SDT_AARCH64, "4@5 -4@-3 4@#6 4@x31 8@[w1] 8@[sp, ", "const4u 5, const4s -3, const4u 6, none, none, none" },
};

static void print_args(void *ctx, FILE *out)
{
	static const char *const kinds[] = { "const", "reg", "mem" };
	size_t i = *(const size_t *)ctx;
	struct uarg v[SDT_ARGS_MAX];
	size_t n = sdt_args_parse(cases[i].m, cases[i].text, v);

	for (size_t k = 0; k < n; k++) {
		const struct uarg *a = &v[k];

		fprintf(out, "%s", k ? ", " : "");
		if (a->kind == UARG_NONE) {
			fprintf(out, "none");
			continue;
		}
		fprintf(out, "%s%d%c ", kinds[a->kind], a->size, a->is_signed ? 's' : 'u');
		if (a->kind == UARG_CONST)
			fprintf(out, "%lld", (long long)a->value);
		else if (a->kind == UARG_REG && a->shift)
			fprintf(out, "%d>>%d", a->reg, a->shift);
		else if (a->kind == UARG_REG)
			fprintf(out, "%d", a->reg);
		else if (a->index >= 0)
			fprintf(out, "%d+%d*%d %lld", a->reg, a->index, a->scale, (long long)a->value);
		else
			fprintf(out, "%d*0 %lld", a->reg, (long long)a->value);
	}
}

int main(void)
{
	for (size_t i = 0; i < ROWS(cases); i++) {
		char *got = unit_capture(print_args, &i);

		EXPECT_STR(got, cases[i].want);
		free(got);
	}
	return unit_end();
}
