/* join: see join.h. Input: an image with all its programs. Output: the same with fewer.
 * Invariant: what was at a function runs there in the same order, each part with a stack and registers of its own. */
#include "ir/join.h"

#include <linux/bpf.h>
#include <string.h>

#define MOST 24      /* programs at a function; the kernel's limit is everybody's */
#define MOST_MAPS 60 /* of a program: the kernel takes 64 */
#define FRAME 32     /* that the kernel counts for a program without stack */
#define STACK 512    /* of a chain of calls */

static bool is_fentry(const struct image_prog *p)
{
	return p->attach == ATTACH_FENTRY || p->attach == ATTACH_FEXIT;
}

static bool same_function(const struct image_prog *a, const struct image_prog *b)
{
	return is_fentry(a) && is_fentry(b) && a->attach_btf_id == b->attach_btf_id &&
		(a->module ? b->module && !strcmp(a->module, b->module) : !b->module);
}

/* A program whose functions the kernel wants to be told of stays alone. */
static bool may_join(const struct image_prog *p)
{
	return !p->code.funcs.n && p->code.stack + FRAME <= STACK;
}

/* Maps that the program has more than once count as often. */
static bool fits(const struct image_prog *first, const struct image_prog *p, size_t maps)
{
	return may_join(first) && may_join(p) && first->attach == p->attach && first->flags == p->flags &&
		first->notes == p->notes && maps + p->code.maps.n <= MOST_MAPS;
}

static void append_code(struct arena *a, struct ir_code *to, const struct ir_code *part)
{
	uint32_t at = (uint32_t)to->n;

	memcpy(&to->insns[at], part->insns, part->n * sizeof(*part->insns));
	to->n += part->n;
	for (size_t i = 0; i < part->maps.n; i++) {
		struct ir_mapref *m = vec_push(a, &to->maps);

		*m = part->maps.v[i];
		m->insn += at;
	}
	for (size_t i = 0; i < part->lines.n; i++) {
		struct ir_line *l = vec_push(a, &to->lines);

		*l = part->lines.v[i];
		l->insn += at;
	}
}

/* v[0..n): the parts; v[0] becomes the program that calls them. */
static void join(struct arena *a, struct image_prog **v, size_t n)
{
	size_t head = 1 + 2 * n + 2, size = head;
	struct ir_code code = { .n = head, .stack = FRAME };
	struct bpf_insn *at;

	for (size_t i = 0; i < n; i++)
		size += v[i]->code.n;
	code.insns = ARENA_ARRAY(a, struct bpf_insn, size);
	v[0]->parts = ARENA_ARRAY(a, struct image_part, n);
	v[0]->nparts = n;
	at = code.insns;
	*at++ = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_1 };
	for (size_t i = 0; i < n; i++) {
		struct bpf_insn call = { .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL };

		v[0]->chooses |= v[i]->chooses;
		v[0]->parts[i] = (struct image_part){ .probe = v[i]->probe, .insn = (uint32_t)code.n };
		*at++ = (struct bpf_insn){
			.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_6
		};
		call.imm = (int32_t)(code.n - (size_t)(at - code.insns) - 1);
		*at++ = call;
		append_code(a, &code, &v[i]->code);
	}
	*at++ = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 };
	*at = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	v[0]->code = code;
}

/* The programs at the function of the first of them, n in all, in their order; those that are in another now lose their
 * code. */
static void join_at(struct arena *a, struct image *im, size_t first, size_t n)
{
	struct image_prog **run = ARENA_ARRAY(a, struct image_prog *, n);
	size_t most = (n + MOST - 1) / MOST, have = 0, maps = 0;

	for (size_t i = first; i <= im->progs.n; i++) {
		struct image_prog *p = i < im->progs.n ? &im->progs.v[i] : NULL;

		if (p && !same_function(&im->progs.v[first], p))
			continue;
		if (have && (!p || have == most || !fits(run[0], p, maps))) {
			if (have > 1)
				join(a, run, have);
			for (size_t k = 1; k < have; k++)
				run[k]->code.n = 0;
			have = maps = 0;
		}
		if (p) {
			run[have++] = p;
			maps += p->code.maps.n;
		}
	}
}

static size_t count_at(const struct image *im, size_t first)
{
	size_t n = 0;

	for (size_t i = 0; i < im->progs.n; i++) {
		if (!same_function(&im->progs.v[first], &im->progs.v[i]))
			continue;
		if (i < first) /* counted before */
			return 0;
		n++;
	}
	return n;
}

void join_functions(struct arena *a, struct image *im)
{
	size_t left = 0;

	for (size_t i = 0; i < im->progs.n; i++)
		if (is_fentry(&im->progs.v[i]) && count_at(im, i) > MOST)
			join_at(a, im, i, count_at(im, i));
	for (size_t i = 0; i < im->progs.n; i++)
		if (im->progs.v[i].code.n)
			im->progs.v[left++] = im->progs.v[i];
	im->progs.n = left;
}
