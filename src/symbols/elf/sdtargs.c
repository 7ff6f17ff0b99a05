/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sdtargs: see sdtargs.h. Input: a note's third text. Each argument is SIZE@OPERAND, SIZE negative for signed ones,
 * with an f for floating point ones. Pure. Invariant: registers are named only by their place in struct pt_regs. */
#include "symbols/elf/sdtargs.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "abi/arch.h"

struct reg {
	const char *name;
	int16_t off;
	uint8_t shift; /* bits */
	uint8_t size;  /* bytes that the name means; 0: all */
};

/* struct pt_regs of x86-64. The names of parts mean the same register, %ah and its like its second byte. */
static const struct reg x86[] = {
	{ "rax", 80, 0, 8 },
	{ "eax", 80, 0, 4 },
	{ "ax", 80, 0, 2 },
	{ "al", 80, 0, 1 },
	{ "ah", 80, 8, 1 },
	{ "rbx", 40, 0, 8 },
	{ "ebx", 40, 0, 4 },
	{ "bx", 40, 0, 2 },
	{ "bl", 40, 0, 1 },
	{ "bh", 40, 8, 1 },
	{ "rcx", 88, 0, 8 },
	{ "ecx", 88, 0, 4 },
	{ "cx", 88, 0, 2 },
	{ "cl", 88, 0, 1 },
	{ "ch", 88, 8, 1 },
	{ "rdx", 96, 0, 8 },
	{ "edx", 96, 0, 4 },
	{ "dx", 96, 0, 2 },
	{ "dl", 96, 0, 1 },
	{ "dh", 96, 8, 1 },
	{ "rsi", 104, 0, 8 },
	{ "esi", 104, 0, 4 },
	{ "si", 104, 0, 2 },
	{ "sil", 104, 0, 1 },
	{ "rdi", 112, 0, 8 },
	{ "edi", 112, 0, 4 },
	{ "di", 112, 0, 2 },
	{ "dil", 112, 0, 1 },
	{ "rbp", 32, 0, 8 },
	{ "ebp", 32, 0, 4 },
	{ "bp", 32, 0, 2 },
	{ "bpl", 32, 0, 1 },
	{ "rsp", 152, 0, 8 },
	{ "esp", 152, 0, 4 },
	{ "sp", 152, 0, 2 },
	{ "spl", 152, 0, 1 },
};
static const int16_t x86_numbered[] = { 72, 64, 56, 48, 24, 16, 8, 0 }; /* r8 ... r15 */

static bool is_word(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && !strncmp(s, word, n);
}

/* "r10", "r10d", "r10w", "r10b" */
static bool x86_numbered_reg(const char *s, size_t n, struct reg *out)
{
	static const char sizes[] = "bwd";
	const char *suffix;
	char *end;
	unsigned long k;

	if (n < 2 || *s != 'r' || s[1] < '0' || s[1] > '9')
		return false;
	k = strtoul(s + 1, &end, 10);
	if (k < 8 || k > 15 || end > s + n || (end < s + n - 1))
		return false;
	out->off = x86_numbered[k - 8];
	out->shift = 0;
	out->size = 8;
	if (end == s + n)
		return true;
	suffix = strchr(sizes, *end);
	out->size = suffix ? (uint8_t)(1u << (suffix - sizes)) : 0;
	return suffix != NULL;
}

/* s has n characters, without the %. */
static bool x86_reg(const char *s, size_t n, struct reg *out)
{
	for (size_t i = 0; i < sizeof(x86) / sizeof(x86[0]); i++)
		if (is_word(s, n, x86[i].name)) {
			*out = x86[i];
			return true;
		}
	return x86_numbered_reg(s, n, out);
}

/* x0 ... x30, w0 ... w30, sp, pc; struct user_pt_regs */
static bool arm_reg(const char *s, size_t n, struct reg *out)
{
	unsigned long k;
	char *end;

	*out = (struct reg){ .size = 8 };
	if (is_word(s, n, "sp") || is_word(s, n, "pc")) {
		out->off = *s == 's' ? 248 : 256;
		return true;
	}
	if (n < 2 || (*s != 'x' && *s != 'w') || s[1] < '0' || s[1] > '9')
		return false;
	k = strtoul(s + 1, &end, 10);
	out->off = (int16_t)(k * 8);
	out->size = *s == 'x' ? 8 : 4;
	return end == s + n && k <= 30;
}

/* By C's rules: 0x is hexadecimal. What follows the number is the caller's to check. */
static bool number(const char **s, int64_t *out)
{
	char *end;

	*out = (int64_t)strtoull(*s, &end, 0);
	if (end == *s || **s == ' ')
		return false;
	*s = end;
	return true;
}

/* ---- x86-64: $5, %rdi, 8(%rbp), -4(%rax,%rbx,8), (,%rbx,4) ------------------------------------------------------- */
/* "%rbp" at *s, inside of brackets. */
static bool base_reg(const char **s, int16_t *out)
{
	size_t n = **s == '%' ? strcspn(*s + 1, ",) ") : 0;
	struct reg r;

	if (!n || !x86_reg(*s + 1, n, &r) || r.shift || r.size != 8)
		return false;
	*out = r.off;
	*s += n + 1;
	return true;
}

/* DISPLACEMENT(BASE,INDEX,SCALE), of which all but one may be missing. */
static bool x86_memory(const char *s, struct uarg *a)
{
	int64_t scale;

	a->kind = UARG_MEM;
	a->scale = 1;
	if (*s != '(' && !number(&s, &a->value))
		return false;
	if (*s++ != '(')
		return false; /* an absolute address, or a symbol */
	if (*s == '%' && !base_reg(&s, &a->reg))
		return false;
	if (*s == ',') {
		s++;
		if (!base_reg(&s, &a->index))
			return false;
		if (*s == ',') {
			s++;
			if (!number(&s, &scale) || (scale != 1 && scale != 2 && scale != 4 && scale != 8))
				return false;
			a->scale = (uint8_t)scale;
		}
	}
	return *s == ')' && (s[1] == ' ' || !s[1]);
}

/* True: *a describes it. False: a form that programs cannot read, such as %xmm0 or a symbol. */
static bool x86_operand(const char *s, struct uarg *a)
{
	size_t n = strcspn(s, " ");
	struct reg r;

	if (*s == '$') {
		a->kind = UARG_CONST;
		s++;
		return number(&s, &a->value) && (*s == ' ' || !*s);
	}
	if (*s != '%')
		return x86_memory(s, a);
	if (!x86_reg(s + 1, n - 1, &r))
		return false;
	a->kind = UARG_REG;
	a->reg = r.off;
	a->shift = r.shift;
	return true;
}

/* ---- arm64: 5, x0, [x0], [sp, 16], [x1, x2] ---------------------------------------------------------------------- */
/* Behind the bracket: BASE, or BASE and an offset or an index. */
static bool arm_memory(const char *s, struct uarg *a)
{
	size_t n = strcspn(s, ",] ");
	struct reg r;

	a->kind = UARG_MEM;
	a->scale = 1;
	if (!arm_reg(s, n, &r) || r.size != 8)
		return false;
	a->reg = r.off;
	s += n;
	if (*s == ',') {
		s += 1 + strspn(s + 1, " ");
		n = strcspn(s, ",] ");
		if (arm_reg(s, n, &r) && r.size == 8) {
			a->index = r.off;
			s += n;
		} else {
			s += *s == '#';
			if (!number(&s, &a->value))
				return false;
		}
	}
	return *s == ']';
}

/* A number stands alone or behind a #. */
static bool arm_operand(const char *s, struct uarg *a)
{
	size_t n = strcspn(s, " ");
	struct reg r;

	if (*s == '[')
		return arm_memory(s + 1, a);
	if (arm_reg(s, n, &r)) {
		a->kind = UARG_REG;
		a->reg = r.off;
		return true;
	}
	s += *s == '#';
	a->kind = UARG_CONST;
	return number(&s, &a->value) && (*s == ' ' || !*s);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */
enum sdt_machine sdt_own_machine(void)
{
	return ARCH_ELF_MACHINE == EM_AARCH64 ? SDT_AARCH64 : SDT_X86_64;
}

/* A constant as a value of the argument's size and sign. */
static int64_t cut(int64_t v, const struct uarg *a)
{
	unsigned bits = 64 - 8u * a->size;

	return a->is_signed ? (int64_t)((uint64_t)v << bits) >> bits : (int64_t)((uint64_t)v << bits >> bits);
}

/* SIZE@OPERAND; a memory operand of arm64 has a blank inside. */
static void parse_one(enum sdt_machine m, const char *s, struct uarg *a)
{
	struct uarg got = { .reg = -1, .index = -1 };
	char *end;
	long size = strtol(s, &end, 10);

	*a = (struct uarg){ .kind = UARG_NONE, .size = 8, .reg = -1, .index = -1 };
	if (end == s) { /* without a size: a word */
		size = 8;
		end = (char *)(uintptr_t)s;
	} else if (*end++ != '@') {
		return; /* 8f@%xmm0 */
	}
	got.is_signed = size < 0;
	size = labs(size);
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return;
	got.size = (uint8_t)size;
	if (m == SDT_X86_64 ? !x86_operand(end, &got) : !arm_operand(end, &got))
		return;
	if (got.kind == UARG_CONST)
		got.value = cut(got.value, &got);
	*a = got;
}

/* Operands are separated by blanks; those within brackets belong to an operand. */
size_t sdt_args_parse(enum sdt_machine m, const char *text, struct uarg *v)
{
	size_t n = 0;

	for (text += strspn(text, " "); *text && n < SDT_ARGS_MAX; text += strspn(text, " ")) {
		parse_one(m, text, &v[n++]);
		while (*text && *text != ' ') {
			if (*text == '[')
				text += strcspn(text, "]");
			text += *text != '\0';
		}
	}
	return n;
}

const char *sdt_arg_type(const struct uarg *a)
{
	switch (a->size) {
	case 1:
		return a->is_signed ? "int8_t" : "uint8_t";
	case 2:
		return a->is_signed ? "int16_t" : "uint16_t";
	case 4:
		return a->is_signed ? "int32_t" : "uint32_t";
	default:
		return a->is_signed ? "int64_t" : "uint64_t";
	}
}
