/* SPDX-License-Identifier: GPL-2.0-or-later */
/* handmade: what the tests of the run time share: programs written as instructions. */
#ifndef DWIRE_TESTS_HANDMADE_H
#define DWIRE_TESTS_HANDMADE_H
#include <linux/bpf.h>
#include <time.h>

#include "datum.h"
#include "image/image.h"
#include "unit.h"

#define INSN(c, d, s, o, i) ((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })
#define MOVI(d, i) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define MOVR(d, s) INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define ADDI(d, i) INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define LDX(sz, d, s, o) INSN(BPF_LDX | BPF_MEM | (sz), d, s, o, 0)
#define STX(sz, d, s, o) INSN(BPF_STX | BPF_MEM | (sz), d, s, o, 0)
#define STI(sz, d, o, i) INSN(BPF_ST | BPF_MEM | (sz), d, 0, o, i)
#define JEQI(d, i, o) INSN(BPF_JMP | BPF_JEQ | BPF_K, d, 0, o, i)
#define CALL(f) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define LDMAP(d) INSN(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_FD, 0, 0), INSN(0, 0, 0, 0, 0)
#define EXIT() INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

static struct code code_of(struct bpf_insn *insns, size_t n, struct code_mapref *ref)
{
	struct code c = { .insns = insns, .n = n };

	c.maps.v = ref;
	c.maps.n = ref ? 1 : 0;
	return c;
}
#define CODE(insns, ref) code_of(insns, ROWS(insns), ref)

static void pause_ms(long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}
#endif
