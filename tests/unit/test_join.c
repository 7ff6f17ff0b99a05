/* SPDX-License-Identifier: GPL-2.0-or-later */
/* join: programs at one function beyond what it takes: how many are left, what is in them, where each part's calls,
 * maps and lines are. Likewise programs at tracepoints and where packets pass, which may share a look. */
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

/* Every program's parts are called in turn with the context, and are the probes from *next on. */
static void look(const struct image_prog *p, unsigned *next)
{
	if (!p->nparts) {
		EXPECT_INT(p->probe, *next);
		EXPECT_INT(p->code.n, PART);
		++*next;
		return;
	}
	EXPECT_INT(p->code.n, 3 + 2 * p->nparts + PART * p->nparts);
	EXPECT_INT(p->code.insns[0].dst_reg, BPF_REG_6);
	for (size_t i = 0; i < p->nparts; i++, ++*next) {
		const struct bpf_insn *call = &p->code.insns[2 + 2 * i];
		uint32_t at = p->parts[i].insn;

		EXPECT_INT(p->parts[i].probe, *next);
		EXPECT_INT(call[-1].src_reg, BPF_REG_6);
		EXPECT_INT(call->src_reg, BPF_PSEUDO_CALL);
		EXPECT_INT(3 + 2 * i + (size_t)call->imm, at);
		EXPECT_INT(p->code.insns[at].off, *next);
		EXPECT_INT(p->code.maps.v[i].insn, at);
		EXPECT_INT(p->code.maps.v[i].map, *next);
		EXPECT_INT(p->code.lines.v[i].insn, at + 2);
		EXPECT_INT(p->code.lines.v[i].loc.off, *next);
	}
	EXPECT_INT(p->code.insns[2 * p->nparts + 2].code, BPF_JMP | BPF_EXIT);
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
	im.progs.v[2].code.callbacks = true;
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

/* Where packets pass two programs stay alone, and more become one that lets the packet pass; the ways in and out are
 * two places. */
static void test_packets(struct arena *a)
{
	struct image im;

	fill(a, &im, 5);
	for (size_t k = 0; k < im.progs.n; k++) {
		im.progs.v[k].attach = k & 1 ? ATTACH_CGROUP_EGRESS : ATTACH_CGROUP_INGRESS;
		im.progs.v[k].attach_btf_id = 0;
	}
	join_programs(a, &im);
	EXPECT_INT(im.progs.n, 3);
	EXPECT_INT(im.progs.v[0].nparts, 3);
	EXPECT_INT(im.progs.v[0].code.insns[1 + 2 * 3].imm, 1);
	EXPECT_INT(im.progs.v[1].nparts, 0);
	EXPECT_INT(im.progs.v[2].nparts, 0);
}

/* Of five programs where packets pass the second to the fourth have the same look: it is called once, and its jump
 * leads to the call of the fifth. One alone calls none. */
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
	EXPECT_INT(insns[4].code, BPF_JMP | BPF_CALL);
	EXPECT_INT(insns[5 + insns[4].imm].imm, 1);
	EXPECT_INT(insns[5].code, BPF_JMP | BPF_JEQ | BPF_K);
	EXPECT_INT(6 + (size_t)insns[5].off, 1 + 2 + 3 + 3 * 2);
	EXPECT_INT(im.progs.v[0].code.n, 3 + 5 * 2 + 3 + 2 + 5 * PART);
	EXPECT_INT(im.progs.v[0].code.funcs.n, 1 + 5 + 1);
	EXPECT_INT(im.progs.v[0].parts[3].notes, false);
	EXPECT_INT(im.progs.v[0].parts[4].notes, true);
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

int main(void)
{
	struct arena *a = arena_new();

	if (!a)
		return 1;
	test_counts(a);
	test_apart(a);
	test_tracepoints(a);
	test_packets(a);
	test_looks(a);
	test_large(a);
	arena_free(a);
	return unit_end();
}
