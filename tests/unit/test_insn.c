/* SPDX-License-Identifier: GPL-2.0-or-later */
/* insn: lengths of x86-64 instructions, and where probes may go. */
#include <string.h>

#include "symbols/elf/insn.h"
#include "unit.h"

static const struct {
	const char *bytes;
	size_t n, len; /* bytes there, length that is expected; 0: none */
} cases[] = {
	{ "\x55", 1, 1 },                                                              /* push %rbp */
	{ "\xf3\x0f\x1e\xfa", 4, 4 },                                                  /* endbr64 */
	{ "\x48\x89\xe5", 3, 3 },                                                      /* mov %rsp,%rbp */
	{ "\x48\x8b\x05\x01\x02\x03\x04", 7, 7 },                                      /* mov 0x4030201(%rip),%rax */
	{ "\x8b\x44\x24\x08", 4, 4 },                                                  /* mov 8(%rsp),%eax */
	{ "\x8b\x84\x24\x00\x01\x00\x00", 7, 7 },                                      /* mov 0x100(%rsp),%eax */
	{ "\x8b\x04\x25\x00\x01\x00\x00", 7, 7 },                                      /* mov 0x100,%eax */
	{ "\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", 10, 10 },                        /* movabs */
	{ "\xb8\x01\x02\x03\x04", 5, 5 },                                              /* mov $...,%eax */
	{ "\x66\xb8\x01\x02", 4, 4 },                                                  /* mov $...,%ax */
	{ "\x48\xa1\x01\x02\x03\x04\x05\x06\x07\x08", 10, 10 },                        /* movabs ...,%rax */
	{ "\x0f\x1f\x84\x00\x00\x00\x00\x00", 8, 8 },                                  /* nopl */
	{ "\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", 10, 10 },                        /* nopw */
	{ "\xe8\x01\x02\x03\x04", 5, 5 },                                              /* call */
	{ "\x0f\x84\x01\x02\x03\x04", 6, 6 },                                          /* je */
	{ "\xf6\x45\xf8\x01", 4, 4 },                                                  /* testb $1,-8(%rbp) */
	{ "\xf7\xd8", 2, 2 },                                                          /* neg %eax */
	{ "\xf7\xc7\x01\x02\x03\x04", 6, 6 },                                          /* test $...,%edi */
	{ "\x66\xf7\xc7\x01\x02", 5, 5 },                                              /* test $...,%di */
	{ "\xc8\x10\x00\x00", 4, 4 },                                                  /* enter */
	{ "\xc2\x08\x00", 3, 3 },                                                      /* ret $8 */
	{ "\xc3", 1, 1 },                                                              /* ret */
	{ "\x0f\xba\xe0\x05", 4, 4 },                                                  /* bt $5,%eax */
	{ "\x66\x0f\x3a\x0f\xc1\x08", 6, 6 },                                          /* palignr */
	{ "\x66\x0f\x38\x00\xc1", 5, 5 },                                              /* pshufb */
	{ "\xc5\xf8\x77", 3, 3 },                                                      /* vzeroupper */
	{ "\xc5\xfd\x6f\x07", 4, 4 },                                                  /* vmovdqa (%rdi),%ymm0 */
	{ "\xc4\xe3\x7d\x39\xc1\x01", 6, 6 },                                          /* vextracti128 */
	{ "\xc4\xe2\x71\xf7\xc0", 5, 5 },                                              /* shlx */
	{ "\x62\xf1\xfe\x48\x6f\x06", 6, 6 },                                          /* vmovdqu64 (%rsi),%zmm0 */
	{ "\x62\xf3\x7d\x20\x3f\x07\x00", 7, 7 },                                      /* vpcmpub */
	{ "\xf0\x48\x0f\xb1\x17", 5, 5 },                                              /* lock cmpxchg */
	{ "\x65\x48\x8b\x04\x25\x28\x00\x00\x00", 9, 9 },                              /* mov %fs:0x28 */
	{ "\x06", 1, 0 },                                                              /* none in 64-bit mode */
	{ "\x48\x8b\x05\x01\x02", 5, 0 },                                              /* cut off */
	{ "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", 16, 0 }, /* too long */
	{ "", 0, 0 },
};

static void test_lengths(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		EXPECT_INT(insn_length_x86((const uint8_t *)cases[i].bytes, cases[i].n), cases[i].len);
}

/* Any bytes: what is said lies within them. */
static void test_any(void)
{
	uint8_t bytes[20];
	uint32_t seed = 7;
	bool within = true;

	for (int round = 0; round < 200000; round++) {
		size_t n = (size_t)round % sizeof(bytes);

		for (size_t i = 0; i < sizeof(bytes); i++) {
			seed = seed * 1664525 + 1013904223;
			bytes[i] = (uint8_t)(seed >> 24);
		}
		within = within && insn_length_x86(bytes, n) <= n;
	}
	EXPECT(within);
}

#ifdef __x86_64__
static void test_places(void)
{
	static const uint8_t code[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x55, 0x48, 0x89, 0xe5, 0xc3, 0x06, 0x90 };

	EXPECT_INT(insn_at(code, sizeof(code), 0), INSN_START);
	EXPECT_INT(insn_at(code, sizeof(code), 1), INSN_MIDDLE);
	EXPECT_INT(insn_at(code, sizeof(code), 4), INSN_START);
	EXPECT_INT(insn_at(code, sizeof(code), 6), INSN_MIDDLE);
	EXPECT_INT(insn_at(code, sizeof(code), 8), INSN_START);
	EXPECT_INT(insn_at(code, sizeof(code), 10), INSN_UNKNOWN);
	EXPECT_INT(insn_only_return(code, 9), 8);
	EXPECT_INT(insn_only_return(code, sizeof(code)), 0); /* not read to its end */
	EXPECT_INT(insn_only_return((const uint8_t *)"\x90\xc3\x90\xf3\xc3", 5), 0);
	EXPECT_INT(insn_only_return((const uint8_t *)"\x90\x90\xf3\xc3", 4), 2);
	EXPECT(!insn_refused(code, sizeof(code)) && insn_refused(code, 0));
	EXPECT(insn_refused((const uint8_t *)"\xf0\x48\x0f\xb1\x17", 5) && insn_refused((const uint8_t *)"\xcc", 1));
}
#else
static void test_places(void)
{
	/* mov x0, #0; ret; nop */
	static const uint8_t code[12] = { 0x00, 0x00, 0x80, 0xd2, 0xc0, 0x03, 0x5f, 0xd6, 0x1f, 0x20, 0x03, 0xd5 };

	EXPECT_INT(insn_at(code, sizeof(code), 4), INSN_START);
	EXPECT_INT(insn_at(code, sizeof(code), 2), INSN_MIDDLE);
	EXPECT_INT(insn_at(code, sizeof(code), 16), INSN_UNKNOWN);
	EXPECT_INT(insn_only_return(code, sizeof(code)), 4);
	EXPECT_INT(insn_only_return(code, sizeof(code) - 1), 0);
	EXPECT_INT(insn_only_return(code, 4), 0);
}
#endif

int main(void)
{
	test_lengths();
	test_any();
	test_places();
	return unit_end();
}
