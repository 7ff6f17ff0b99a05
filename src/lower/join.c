/* SPDX-License-Identifier: GPL-2.0-or-later */
/* join: merges programs that are attached to the same place. See join.h.
 * Input: an image with all its programs. Output: the same image with fewer programs.
 * Invariant: the parts run in the same order as before, each with its own stack and registers. */
#include "lower/join.h"

#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#define MOST 24       /* programs at a function; the kernel's limit is everybody's */
#define MOST_EVENT 4  /* of a tracepoint that become one */
#define MOST_PACKET 2 /* where packets pass: to enter a program takes longer than to find that it is not concerned */
#define MOST_LOOKS 8  /* programs there that become one */
#define SMALL 256     /* instructions of such a program: the verifier may refuse several large ones as one */
#define MANY 256      /* programs of a trace; attaching and detaching more takes seconds */
#define MOST_MAPS 60  /* per program; the kernel's limit is 64 */
#define FRAME 32      /* bytes; the kernel counts these even for a program without a stack */
#define STACK 512     /* bytes; the kernel's limit for a chain of calls */

static bool is_fentry(const struct image_prog *p)
{
	return p->attach == ATTACH_FENTRY || p->attach == ATTACH_FEXIT;
}

static bool is_packet(const struct image_prog *p)
{
	return p->attach == ATTACH_CGROUP_INGRESS || p->attach == ATTACH_CGROUP_EGRESS;
}

/* How many programs may be attached to the place of p. 0: p is never merged. */
static size_t limit(const struct image *im, const struct image_prog *p)
{
	if (is_packet(p))
		return MOST_PACKET;
	return is_fentry(p) ? MOST : p->attach == ATTACH_TP_BTF && im->progs.n > MANY ? 1 : 0;
}

/* Does it read a stack? It leaves out its own frames, of which a part of another program has one more. */
static bool reads_stack(const struct code *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->insns[i].code == (BPF_JMP | BPF_CALL) && !c->insns[i].src_reg &&
			c->insns[i].imm == BPF_FUNC_get_stack)
			return true;
	return false;
}

/* A program whose functions must be described to the kernel stays alone, and so does one that needs nearly all of
 * the stack. Functions that the kernel could check alone are checked at each call once they are in a merged program. */
static bool may_join(const struct image_prog *p)
{
	if (is_packet(p) && p->code.n > SMALL)
		return false;
	return !p->code.callbacks && p->code.stack + FRAME <= STACK && !reads_stack(&p->code);
}

/* A map that several parts use counts once for each. */
static bool fits(const struct image_prog *first, const struct image_prog *p, size_t maps)
{
	return may_join(first) && may_join(p) && first->attach == p->attach && first->flags == p->flags &&
		first->notes == p->notes && maps + p->code.maps.n <= MOST_MAPS;
}

static void append_code(struct arena *a, struct code *to, const struct code *part)
{
	uint32_t at = (uint32_t)to->n;

	memcpy(&to->insns[at], part->insns, part->n * sizeof(*part->insns));
	to->n += part->n;
	for (size_t i = 0; i < part->maps.n; i++) {
		struct code_mapref *m = vec_push(a, &to->maps);

		*m = part->maps.v[i];
		m->insn += at;
	}
	for (size_t i = 0; i < part->lines.n; i++) {
		struct code_line *l = vec_push(a, &to->lines);

		*l = part->lines.v[i];
		l->insn += at;
	}
}

/* v[0..n): the parts; v[0] becomes the program that calls them. */
static void join(struct arena *a, struct image_prog **v, size_t n)
{
	size_t head = 1 + 2 * n + 2, size = head;
	struct code code = { .n = head, .stack = FRAME };
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
	/* A program of a cgroup lets the packet pass. */
	*at++ = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = is_packet(v[0]) };
	*at = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	v[0]->code = code;
}

/* Merges the n programs at one place, in their order. Programs that are now part of another one lose their code. */
static void join_at(struct arena *a, struct image_prog **v, size_t n, size_t most)
{
	size_t first = 0, maps = 0;

	for (size_t i = 0; i <= n; i++) {
		size_t have = i - first;

		if (have && (i == n || have == most || !fits(v[first], v[i], maps))) {
			if (have > 1)
				join(a, &v[first], have);
			for (size_t k = first + 1; k < i; k++)
				v[k]->code.n = 0;
			first = i;
			maps = 0;
		}
		if (i < n)
			maps += v[i]->code.maps.n;
	}
}

/* The kinds of programs that are merged with each other. */
static unsigned kind(const struct image_prog *p)
{
	return is_packet(p) ? 2 + (p->attach == ATTACH_CGROUP_EGRESS) : !is_fentry(p);
}

/* Orders by place (function or tracepoint, kernel or module), and within one place by position in the image. */
static int by_place(const void *x, const void *y)
{
	const struct image_prog *a = *(struct image_prog *const *)x, *b = *(struct image_prog *const *)y;
	int res;

	if (kind(a) != kind(b))
		return kind(a) < kind(b) ? -1 : 1;
	if (a->attach_btf_id != b->attach_btf_id)
		return a->attach_btf_id < b->attach_btf_id ? -1 : 1;
	res = strcmp(a->module ? a->module : "", b->module ? b->module : "");
	return res ? res : (a > b) - (a < b);
}

static bool same_place(const struct image_prog *a, const struct image_prog *b)
{
	return kind(a) == kind(b) && a->attach_btf_id == b->attach_btf_id &&
		!strcmp(a->module ? a->module : "", b->module ? b->module : "");
}

/* How many of the n programs at the place of p become one. */
static size_t parts_of(const struct image_prog *p, size_t n)
{
	return is_packet(p) ? MOST_LOOKS : is_fentry(p) ? (n + MOST - 1) / MOST : MOST_EVENT;
}

void join_programs(struct arena *a, struct image *im)
{
	struct image_prog **v = ARENA_ARRAY(a, struct image_prog *, im->progs.n + 1);
	size_t n = 0, left = 0;

	for (size_t i = 0; i < im->progs.n; i++)
		if (limit(im, &im->progs.v[i]))
			v[n++] = &im->progs.v[i];
	qsort(v, n, sizeof(struct image_prog *), by_place);
	for (size_t i = 0, end; i < n; i = end) {
		size_t most = limit(im, v[i]);

		for (end = i + 1; end < n && same_place(v[i], v[end]);)
			end++;
		if (end - i > most)
			join_at(a, &v[i], end - i, parts_of(v[i], end - i));
	}
	for (size_t i = 0; i < im->progs.n; i++)
		if (im->progs.v[i].code.n)
			im->progs.v[left++] = im->progs.v[i];
	im->progs.n = left;
}
