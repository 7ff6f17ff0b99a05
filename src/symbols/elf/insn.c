/* SPDX-License-Identifier: GPL-2.0-or-later */
/* insn: see insn.h. An x86-64 instruction is prefixes, an opcode of one of several maps, perhaps a ModRM byte with an
 * address, perhaps a constant; only lengths matter here. Invariant: no byte beyond those given is read. */
#include "symbols/elf/insn.h"

#include <string.h>

#include "abi/arch.h"

#define LONGEST 15

/* What follows an opcode. */
enum {
	M = 1,   /* a ModRM byte */
	I8 = 2,  /* a byte */
	IZ = 4,  /* 4 bytes, or 2 with the prefix 66 */
	I16 = 8, /* 2 bytes */
	J4 = 16, /* 4 bytes always: a jump */
	BAD = 128
};

/* Opcodes of one byte from 0x40 on; below, every eight are alike. Prefixes are taken before. */
/* clang-format off */
static const uint8_t map0[] = {
	/* 40 */ BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD,
	/* 50 */ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* 60 */ BAD, BAD, BAD, M, BAD, BAD, BAD, BAD, IZ, M | IZ, I8, M | I8, 0, 0, 0, 0,
	/* 70 */ I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8, I8,
	/* 80 */ M | I8, M | IZ, BAD, M | I8, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 90 */ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, BAD, 0, 0, 0, 0, 0,
	/* a0 */ BAD, BAD, BAD, BAD, 0, 0, 0, 0, I8, IZ, 0, 0, 0, 0, 0, 0,
	/* b0 */ I8, I8, I8, I8, I8, I8, I8, I8, BAD, BAD, BAD, BAD, BAD, BAD, BAD, BAD,
	/* c0 */ M | I8, M | I8, I16, 0, BAD, BAD, M | I8, M | IZ, I16 | I8, 0, I16, 0, 0, I8, BAD, 0,
	/* d0 */ M, M, M, M, BAD, BAD, BAD, 0, M, M, M, M, M, M, M, M,
	/* e0 */ I8, I8, I8, I8, I8, I8, I8, I8, J4, J4, BAD, I8, 0, 0, 0, 0,
	/* f0 */ BAD, 0, BAD, BAD, 0, 0, M, M, 0, 0, 0, 0, 0, 0, M, M,
};
/* clang-format on */

struct cursor {
	const uint8_t *p;
	size_t n, at;
	bool short_operand, wide, short_address; /* prefixes 66, REX.W, 67 */
};

static int next(struct cursor *c)
{
	return c->at < c->n && c->at < LONGEST ? c->p[c->at++] : -1;
}

static uint8_t what_map0(int op)
{
	static const uint8_t low[] = { M, M, M, M, I8, IZ, BAD, BAD }; /* add, or, ..., cmp */

	return op < 0x40 ? low[op & 7] : map0[op - 0x40];
}

/* 0f xx */
static uint8_t what_map1(int op)
{
	if ((op >= 0x80 && op <= 0x8f))
		return J4;
	if (op == 0x05 || op == 0x06 || op == 0x07 || op == 0x08 || op == 0x09 || op == 0x0b || op == 0x0e ||
		op == 0x77 || (op >= 0x30 && op <= 0x37) || (op >= 0xa0 && op <= 0xa2) || (op >= 0xa8 && op <= 0xaa) ||
		(op >= 0xc8 && op <= 0xcf))
		return 0;
	if ((op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
		(op >= 0xc4 && op <= 0xc6) || op == 0x0f)
		return M | I8;
	return op == 0x04 || op == 0x0a || op == 0x0c || (op >= 0x24 && op <= 0x27) || op == 0x36 ? BAD : M;
}

/* Opcode of a map: 1: 0f, 2: 0f 38, 3: 0f 3a, 5 and 6: of EVEX alone */
static uint8_t what_map(int map, int op)
{
	return map == 1 ? what_map1(op) : map == 3 ? M | I8 : map == 2 || map == 5 || map == 6 ? M : BAD;
}

/* The opcode itself, its map and its prefixes. BAD: none. */
static uint8_t vector_opcode(struct cursor *c, int first)
{
	int map = 1, b = next(c), op;

	if (first == 0x62) {
		map = b & 7;
		(void)next(c);
		(void)next(c);
	} else if (first == 0xc4) {
		map = b & 0x1f;
		(void)next(c);
	}
	op = next(c);
	if (op < 0)
		return BAD;
	return map == 1 && op == 0x77 ? 0 : (uint8_t)(what_map(map, op) | (map ? 0 : BAD));
}

/* Skips what the ModRM byte asks for; its middle field, or -1. */
static int address(struct cursor *c)
{
	int modrm = next(c), mod = modrm >> 6, rm = modrm & 7, sib;

	if (modrm < 0)
		return -1;
	if (mod != 3 && rm == 4) {
		sib = next(c);
		if (sib < 0)
			return -1;
		if (mod == 0 && (sib & 7) == 5)
			c->at += 4;
	} else if (mod == 0 && rm == 5) {
		c->at += 4;
	}
	c->at += mod == 1 ? 1 : mod == 2 ? 4 : 0;
	return modrm >> 3 & 7;
}

static int take_prefixes(struct cursor *c)
{
	for (;;) {
		int b = next(c);

		if (b == 0x66)
			c->short_operand = true;
		else if (b == 0x67)
			c->short_address = true;
		else if (b != 0xf0 && b != 0xf2 && b != 0xf3 && b != 0x2e && b != 0x36 && b != 0x3e && b != 0x26 &&
			b != 0x64 && b != 0x65)
			return b;
	}
}

static uint8_t take_opcode(struct cursor *c, int *op)
{
	*op = take_prefixes(c);
	if (*op >= 0x40 && *op <= 0x4f) {
		c->wide = *op & 8;
		*op = next(c);
	}
	if (*op < 0)
		return BAD;
	if (*op == 0xc4 || *op == 0xc5 || *op == 0x62)
		return vector_opcode(c, *op);
	if (*op != 0x0f)
		return what_map0(*op);
	*op = next(c);
	if (*op == 0x38 || *op == 0x3a) {
		int map = *op == 0x38 ? 2 : 3;

		*op = next(c);
		return *op < 0 ? BAD : what_map(map, *op);
	}
	return *op < 0 ? BAD : what_map1(*op);
}

/* Opcodes whose constants depend on more. */
static bool special(struct cursor *c, size_t opcode_at, int op, size_t *len)
{
	if (c->p[opcode_at] != op || (opcode_at && c->p[opcode_at - 1] == 0x0f))
		return false;
	if (op >= 0xa0 && op <= 0xa3)
		*len = c->at + (c->short_address ? 4 : 8);
	else if (op >= 0xb8 && op <= 0xbf)
		*len = c->at + (c->wide ? 8 : c->short_operand ? 2 : 4);
	else
		return false;
	return true;
}

size_t insn_length_x86(const uint8_t *p, size_t n)
{
	struct cursor c = { .p = p, .n = n };
	int op, reg = 0;
	uint8_t what = take_opcode(&c, &op);
	bool one_byte = c.at == 1 || (c.at >= 2 && p[c.at - 2] != 0x0f);
	size_t len;

	if (c.at && op >= 0 && special(&c, c.at - 1, op, &len))
		return len <= n && len <= LONGEST ? len : 0;
	if (what & BAD)
		return 0;
	if (what & M)
		reg = address(&c);
	if (reg < 0)
		return 0;
	if (what == M && one_byte && (op == 0xf6 || op == 0xf7) && reg < 2) /* test has a constant */
		what |= op == 0xf6 ? I8 : IZ;
	c.at += (what & I8 ? 1u : 0u) + (what & I16 ? 2u : 0u) + (what & J4 ? 4u : 0u);
	if (what & IZ)
		c.at += c.short_operand && !c.wide ? 2 : 4;
	return c.at <= n && c.at <= LONGEST ? c.at : 0;
}

#if ARCH_INSN_SIZE
size_t insn_length(const uint8_t *p, size_t n)
{
	(void)p;
	return n < ARCH_INSN_SIZE ? 0 : ARCH_INSN_SIZE;
}

bool insn_refused(const uint8_t *p, size_t n)
{
	return !insn_length(p, n);
}

static bool is_return(const uint8_t *p, size_t n)
{
	uint32_t word;

	if (n != sizeof(word))
		return false;
	memcpy(&word, p, sizeof(word));
	return word == ARCH_INSN_RETURN;
}
#else
size_t insn_length(const uint8_t *p, size_t n)
{
	return insn_length_x86(p, n);
}

bool insn_refused(const uint8_t *p, size_t n)
{
	/* lock, segments that mean nothing; vectors (VEX, EVEX); the machine's own: in, out, int, hlt, cli, sti */
	static const uint8_t prefixes[] = { 0xf0, 0x26, 0x2e, 0x36, 0x3e };
	static const uint8_t opcodes[] = { 0x6c, 0x6d, 0x6e, 0x6f, 0xcc, 0xcd, 0xcf, 0xe4, 0xe5, 0xe6, 0xe7, 0xec, 0xed,
		0xee, 0xef, 0xf1, 0xf4, 0xfa, 0xfb, 0xc4, 0xc5, 0x62 };
	struct cursor c = { .p = p, .n = n };
	int op = take_prefixes(&c);

	for (size_t i = 0; i + 1 < c.at; i++)
		if (memchr(prefixes, p[i], sizeof(prefixes)))
			return true;
	return op < 0 || memchr(opcodes, op, sizeof(opcodes));
}

static bool is_return(const uint8_t *p, size_t n)
{
	return (n == 1 && *p == 0xc3) || (n == 3 && *p == 0xc2) ||
		(n == 2 && (*p == 0xf2 || *p == 0xf3) && p[1] == 0xc3);
}
#endif

enum insn_place insn_at(const uint8_t *code, size_t size, size_t off)
{
	size_t at = 0;

	while (at < off) {
		size_t n = insn_length(code + at, size - at);

		if (!n)
			return INSN_UNKNOWN;
		at += n;
	}
	return at == off && off < size ? INSN_START : INSN_MIDDLE;
}

size_t insn_only_return(const uint8_t *code, size_t size)
{
	size_t found = 0, len;

	for (size_t at = 0; at < size; at += len) {
		len = insn_length(code + at, size - at);
		if (!len || (found && is_return(code + at, len)))
			return 0;
		if (is_return(code + at, len))
			found = at;
	}
	return found;
}
