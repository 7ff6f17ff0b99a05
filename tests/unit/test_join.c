/* SPDX-License-Identifier: GPL-2.0-or-later */
/* join: programs at one function beyond what it takes: how many are left, what is in them, where each part's code,
 * functions, maps and lines are. Likewise programs at tracepoints and where packets pass, which may share a look. */
#include <linux/bpf.h>

#include "lower/join.h"
#include "unit.h"

#define PART 3 /* instructions of each: a map, whose load is two, and the end */

/* n programs; maps are numbered as the programs are. */
static void fill(struct arena *a, struct image *im, unsigned n)
{
	memset(im, 0, sizeof(*im));
	for (unsigned i = 0; i < n; i++) {
		struct image_prog *p = vec_push(a, &im->progs);

		*p = (struct image_prog){ .attach = ATTACH_FENTRY, .attach_btf_id = 7, .probe = i };
		p->code.insns = ARENA_ARRAY(a, struct bpf_insn, PART);
		p->code.n = PART;
		p->code.insns[0] = (struct bpf_insn){ .code = BPF_LD | BPF_IMM | BPF_DW, .off = (int16_t)i };
		p->code.insns[2] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
		*vec_push(a, &p->code.maps) = (struct code_mapref){ .insn = 0, .map = i };
		*vec_push(a, &p->code.lines) = (struct code_line){ .insn = 2, .loc.off = i };
	}
}

/* Does the instruction give the part behind it the context? */
static bool gives_context(const struct image_prog *p, uint32_t at)
{
	const struct bpf_insn *in = &p->code.insns[at];

	return in->code == (BPF_LDX | BPF_MEM | BPF_DW) && in->dst_reg == BPF_REG_1 && in->src_reg == BPF_REG_10 &&
		in->off == p->code.insns[0].off;
}

/* Every program's parts come one after the other with the context, and are the probes from *next on. */
static void look(const struct image_prog *p, unsigned *next)
{
	if (!p->nparts) {
		EXPECT_INT(p->probe, *next);
		EXPECT_INT(p->code.n, PART);
		++*next;
		return;
	}
	EXPECT_INT(p->code.n, 3 + (1 + PART) * p->nparts);
	EXPECT_INT(p->code.insns[0].code, BPF_STX | BPF_MEM | BPF_DW);
	EXPECT_INT(p->code.insns[0].off, -8);
	for (size_t i = 0; i < p->nparts; i++, ++*next) {
		uint32_t at = p->parts[i].insn;

		EXPECT_INT(p->parts[i].probe, *next);
		EXPECT_INT(at, 1 + (1 + PART) * i);
		EXPECT(gives_context(p, at));
		EXPECT_INT(p->code.insns[at + 1].off, *next);
		EXPECT_INT(p->code.insns[at + 3].code, BPF_JMP | BPF_JA);
		EXPECT_INT(p->code.insns[at + 3].off, 0);
		EXPECT_INT(p->code.maps.v[i].insn, at + 1);
		EXPECT_INT(p->code.maps.v[i].map, *next);
		EXPECT_INT(p->code.lines.v[i].insn, at + 3);
		EXPECT_INT(p->code.lines.v[i].loc.off, *next);
	}
	EXPECT_INT(p->code.insns[p->code.n - 1].code, BPF_JMP | BPF_EXIT);
}

static void test_counts(struct arena *a)
{
	static const struct {
		unsigned progs, left;
	} rows[] = { { 0, 0 }, { 1, 1 }, { 24, 24 }, { 25, 13 }, { 48, 24 }, { 49, 17 }, { 500, 24 } };

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct image im;
		unsigned next = 0;

		fill(a, &im, rows[i].progs);
		join_programs(a, &im);
		EXPECT_INT(im.progs.n, rows[i].left);
		for (size_t k = 0; k < im.progs.n; k++)
			look(&im.progs.v[k], &next);
		EXPECT_INT(next, rows[i].progs);
	}
}

/* What must stay alone, and what is somewhere else; 31 at the function in all, so pairs. */
static void test_apart(struct arena *a)
{
	struct image im;

	fill(a, &im, 34);
	im.progs.v[0].code.stack = 512;
	im.progs.v[2].code.insns[0] = (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_stack };
	im.progs.v[3].attach = ATTACH_FEXIT;
	im.progs.v[4].flags = BPF_F_SLEEPABLE;
	im.progs.v[5].module = "tun";
	im.progs.v[6].attach_btf_id = 8;
	im.progs.v[7].attach = ATTACH_TP_BTF;
	for (unsigned i = 0; i < 60; i++)
		*vec_push(a, &im.progs.v[8].code.maps) = (struct code_mapref){ .map = i };
	im.progs.v[9].code.insns[0] = (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_stack };
	join_programs(a, &im);
	for (size_t i = 0; i < 10; i++) {
		EXPECT_INT(im.progs.v[i].probe, i);
		EXPECT_INT(im.progs.v[i].nparts, 0);
	}
	EXPECT_INT(im.progs.n, 10 + 12);
	EXPECT_INT(im.progs.v[10].nparts, 2);
}

/* Programs at a tracepoint become one; of more than 256 programs by fours. */
static void test_tracepoints(struct arena *a)
{
	static const struct {
		unsigned places, each, left;
	} rows[] = { { 85, 1, 85 }, { 85, 2, 85 }, { 85, 3, 85 }, { 129, 2, 129 }, { 86, 3, 86 } };
	struct image im;

	for (size_t i = 0; i < ROWS(rows); i++) {
		fill(a, &im, rows[i].places * rows[i].each);
		for (size_t k = 0; k < im.progs.n; k++) {
			im.progs.v[k].attach = ATTACH_TP_BTF;
			im.progs.v[k].attach_btf_id = (uint32_t)k % rows[i].places;
		}
		join_programs(a, &im);
		EXPECT_INT(im.progs.n, rows[i].left);
		EXPECT_INT(im.progs.v[1].probe, 1);
		if (im.progs.v[1].nparts)
			EXPECT_INT(im.progs.v[1].parts[1].probe, rows[i].places + 1);
	}
	fill(a, &im, 307);
	for (size_t k = 0; k < im.progs.n; k++) {
		im.progs.v[k].attach = k < 300 ? ATTACH_CGROUP_RELEASE : ATTACH_TP_BTF;
		im.progs.v[k].attach_btf_id = 0;
	}
	join_programs(a, &im);
	EXPECT_INT(im.progs.n, 302);
	EXPECT_INT(im.progs.v[300].nparts, 4);
	EXPECT_INT(im.progs.v[301].nparts, 3);
}

/* Where packets pass several programs become one that lets the packet pass; the ways in and out are two places. */
static void test_packets(struct arena *a)
{
	struct image im;

	static const enum attach_kind kinds[] = { ATTACH_CGROUP_INGRESS, ATTACH_CGROUP_EGRESS, ATTACH_CGROUP_SOCKOPS };
	unsigned next;

	fill(a, &im, 8);
	for (size_t k = 0; k < im.progs.n; k++) {
		im.progs.v[k].attach = kinds[k % ROWS(kinds)];
		im.progs.v[k].attach_btf_id = 0;
	}
	join_programs(a, &im);
	EXPECT_INT(im.progs.n, 3);
	for (unsigned i = 0; i < im.progs.n; i++) {
		EXPECT_INT(im.progs.v[i].attach, kinds[i]);
		EXPECT_INT(im.progs.v[i].nparts, i < 2 ? 3 : 2);
		EXPECT_INT(im.progs.v[i].code.insns[im.progs.v[i].code.n - 2].imm, 1);
	}
	fill(a, &im, 3);
	for (size_t k = 0; k < im.progs.n; k++)
		im.progs.v[k].attach = ATTACH_CGROUP_INGRESS;
	join_programs(a, &im);
	next = 0;
	look(&im.progs.v[0], &next);
	EXPECT_INT(next, 3);
}

/* Two programs, each with a separate function, one that the library has, and the body of a loop: the second one is
 * there once. Ends jump over what is left of the part; the context is below the largest frame. */
static void test_functions(struct arena *a)
{
	struct bpf_insn code[] = {
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .off = 1 }, /* to the calls */
		{ .code = BPF_JMP | BPF_EXIT },
		{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = 4 }, /* 7 */
		{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = 4 }, /* 8 */
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .src_reg = BPF_PSEUDO_FUNC, .imm = 4 },
		{ .code = 0 }, /* 9 */
		{ .code = BPF_JMP | BPF_EXIT },
		{ .code = BPF_JMP | BPF_EXIT },
		{ .code = BPF_JMP | BPF_EXIT },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const struct bpf_insn *in;
	struct image im;

	fill(a, &im, 2);
	for (size_t k = 0; k < im.progs.n; k++) {
		struct code *c = &im.progs.v[k].code;

		im.progs.v[k].attach = ATTACH_CGROUP_SOCKOPS;
		c->insns = code;
		c->n = ROWS(code);
		c->callbacks = k == 1;
		c->stack = k ? 96 : 256;
		c->frame = k ? 64 : 32;
		*vec_push(a, &c->funcs) = (struct code_func){ 0, -1 };
		*vec_push(a, &c->funcs) = (struct code_func){ 7, -1 };
		*vec_push(a, &c->funcs) = (struct code_func){ 8, 3 };
		*vec_push(a, &c->funcs) = (struct code_func){ 9, -1 };
	}
	join_programs(a, &im);
	EXPECT_INT(im.progs.n, 1);
	EXPECT_INT(im.progs.v[0].nparts, 2);
	EXPECT_INT(im.progs.v[0].code.n, 3 + 2 * 8 + 3 + 2);
	EXPECT_INT(im.progs.v[0].code.callbacks, true);
	EXPECT_INT(im.progs.v[0].code.frame, 96);
	EXPECT_INT(im.progs.v[0].code.stack, 96 + 224);
	in = im.progs.v[0].code.insns;
	EXPECT_INT(in[0].off, -72);
	EXPECT_INT(in[2].off, 1);
	EXPECT_INT(in[3].code, BPF_JMP | BPF_JA);
	EXPECT_INT(3 + 1 + in[3].off, 9);
	EXPECT_INT(4 + 1 + in[4].imm, 19);
	EXPECT_INT(5 + 1 + in[5].imm, 20);
	EXPECT_INT(6 + 1 + in[6].imm, 21);
	EXPECT_INT(12 + 1 + in[12].imm, 22);
	EXPECT_INT(13 + 1 + in[13].imm, 20);
	EXPECT_INT(14 + 1 + in[14].imm, 23);
	EXPECT_INT(in[23].code, BPF_JMP | BPF_EXIT);
	EXPECT_INT(im.progs.v[0].code.funcs.n, 6);
	EXPECT_INT(im.progs.v[0].code.funcs.v[5].insn, 23);
}

/* Of five programs where packets pass the second to the fourth have the same look: it is there once, and its jump
 * leads to the fifth. One alone has none. */
static void test_looks(struct arena *a)
{
	struct image im;
	struct bpf_insn look[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1 }, { .code = BPF_JMP | BPF_EXIT } };
	const struct bpf_insn *insns;

	fill(a, &im, 5);
	for (size_t k = 0; k < im.progs.n; k++) {
		im.progs.v[k].attach = ATTACH_CGROUP_INGRESS;
		im.progs.v[k].attach_btf_id = 0;
		im.progs.v[k].notes = k == 4;
		im.progs.v[k].look = k == 4 ? "P->x" : k ? "P->y" : NULL;
		im.progs.v[k].look_code = (struct code){ .insns = look, .n = ROWS(look) };
	}
	join_programs(a, &im);
	EXPECT_INT(im.progs.n, 1);
	EXPECT_INT(im.progs.v[0].nparts, 5);
	insns = im.progs.v[0].code.insns;
	EXPECT(gives_context(&im.progs.v[0], 5)); /* behind the first part */
	EXPECT_INT(insns[6].imm, 1);
	EXPECT_INT(insns[7].code, BPF_JMP | BPF_JA);
	EXPECT_INT(insns[8].code, BPF_JMP | BPF_JEQ | BPF_K);
	EXPECT_INT(9 + (uint32_t)insns[8].off, im.progs.v[0].parts[4].insn);
	EXPECT_INT(im.progs.v[0].code.n, 3 + 5 * (1 + PART) + 2 + 2);
	EXPECT_INT(im.progs.v[0].code.funcs.n, 1);
	EXPECT_INT(im.progs.v[0].parts[3].notes, false);
	EXPECT_INT(im.progs.v[0].parts[4].notes, true);
}

/* Parts that read the clock, with a jump over that: the first one to read it keeps the time, unless a function of one
 * of them reads it, too. */
static void test_clock(struct arena *a, unsigned readers, bool waits)
{
	struct bpf_insn code[] = {
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .off = 1 }, /* to the end */
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ktime_get_ns }, { .code = BPF_JMP | BPF_EXIT },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ktime_get_ns }, /* a function */
	};
	const bool shared = readers > 1 && !waits;
	const struct bpf_insn *in;
	struct image im;

	fill(a, &im, 2);
	for (size_t k = 0; k < im.progs.n; k++) {
		struct code *c = &im.progs.v[k].code;

		im.progs.v[k].attach = ATTACH_TP_BTF;
		if (k >= readers)
			continue;
		c->insns = code;
		c->n = waits ? 4 : 3;
		c->frame = c->stack = 32;
		*vec_push(a, &c->funcs) = (struct code_func){ 0, -1 };
		if (waits)
			*vec_push(a, &c->funcs) = (struct code_func){ 3, -1 };
	}
	join_programs(a, &im);
	EXPECT_INT(im.progs.n, 1);
	EXPECT_INT(im.progs.v[0].code.n, 3 + 2 * (1 + PART) + (shared ? 3U + 2 * 3 : 0) + (waits ? readers : 0));
	EXPECT_INT(im.progs.v[0].code.frame, readers ? 64 : 32);
	if (!shared)
		return;
	in = &im.progs.v[0].code.insns[im.progs.v[0].parts[1].insn];
	EXPECT_INT(in[-7 - 3].imm, BPF_FUNC_jiffies64);
	EXPECT_INT(in[-7 - 1].off, -32 - 16);
	EXPECT_INT(in[1].off, 4); /* over the four */
	EXPECT_INT(in[2].code, BPF_LDX | BPF_MEM | BPF_DW);
	EXPECT_INT(in[2].off, -32 - 16);
	EXPECT_INT(in[3].code, BPF_JMP | BPF_JNE | BPF_K);
	EXPECT_INT(in[3].off, 2);
	EXPECT_INT(in[4].imm, BPF_FUNC_ktime_get_ns);
	EXPECT_INT(in[5].code, BPF_STX | BPF_MEM | BPF_DW);
	EXPECT_INT(in[5].off, -32 - 16);
	EXPECT_INT(in[6].code, BPF_JMP | BPF_JA);
}

/* Parts beyond 8192 instructions, or 60 different maps, begin another program. */
static void test_large(struct arena *a)
{
	struct image im;

	fill(a, &im, 5);
	for (size_t k = 0; k < im.progs.n; k++) {
		struct code *c = &im.progs.v[k].code;

		im.progs.v[k].attach = ATTACH_CGROUP_INGRESS;
		im.progs.v[k].attach_btf_id = 0;
		if (k < 3) {
			c->insns = ARENA_ARRAY(a, struct bpf_insn, 3000);
			c->n = 3000;
		}
		for (uint32_t i = 0; i < 100; i++) /* one map many times */
			*vec_push(a, &c->maps) = (struct code_mapref){ .map = 1 };
	}
	for (uint32_t i = 0; i < 59; i++)
		*vec_push(a, &im.progs.v[4].code.maps) = (struct code_mapref){ .map = 10 + i };
	join_programs(a, &im);
	EXPECT_INT(im.progs.n, 3);
	EXPECT_INT(im.progs.v[0].nparts, 2);
	EXPECT_INT(im.progs.v[1].nparts, 2);
	EXPECT_INT(im.progs.v[2].nparts, 0);
}

/* At a function, parts that a jump could not lead over begin another program. */
static void test_jumps(struct arena *a)
{
	struct image im;

	fill(a, &im, 100);
	for (size_t k = 0; k < im.progs.n; k++) {
		struct code *c = &im.progs.v[k].code;

		c->insns = ARENA_ARRAY(a, struct bpf_insn, 9000);
		c->n = 9000;
	}
	join_programs(a, &im);
	EXPECT_INT(im.progs.n, 34);
	EXPECT_INT(im.progs.v[0].nparts, 3);
	EXPECT_INT(im.progs.v[33].nparts, 0);
}

int main(void)
{
	struct arena *a = arena_new();

	if (!a)
		return 1;
	test_counts(a);
	test_apart(a);
	test_tracepoints(a);
	test_packets(a);
	test_functions(a);
	test_looks(a);
	for (unsigned readers = 0; readers <= 2; readers++) {
		test_clock(a, readers, false);
		test_clock(a, readers, true);
	}
	test_large(a);
	test_jumps(a);
	arena_free(a);
	return unit_end();
}
