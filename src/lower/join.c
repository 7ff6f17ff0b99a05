/* SPDX-License-Identifier: GPL-2.0-or-later */
/* join: merges programs that are attached to the same place. See join.h.
 * Input: an image with all its programs. Output: the same image with fewer programs.
 * Invariant: the parts run in the same order as before, each with its own stack and registers. */
#include "lower/join.h"

#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#define MOST 24         /* programs at a function; the kernel's limit is everybody's */
#define MOST_PACKET 2   /* where packets pass: to enter a program takes longer than to find that it is not concerned */
#define MOST_PARTS 16   /* programs there that become one */
#define MOST_INSNS 8192 /* ... and their instructions: the verifier may refuse several large ones as one */
#define MANY 256        /* programs of a trace; attaching and detaching more takes seconds */
#define MANY_PARTS 4    /* programs of a tracepoint that then become one */
#define MOST_MAPS 60    /* per program; the kernel's limit is 64 */
#define FRAME 32        /* bytes; the kernel counts these even for a program without a stack */
#define STACK 512       /* bytes; the kernel's limit for a chain of calls */

static bool is_fentry(const struct image_prog *p)
{
	return p->attach == ATTACH_FENTRY || p->attach == ATTACH_FEXIT;
}

static bool is_packet(const struct image_prog *p)
{
	return p->attach == ATTACH_CGROUP_INGRESS || p->attach == ATTACH_CGROUP_EGRESS;
}

/* How many programs may be attached to the place of p. 0: p is never merged. */
static size_t limit(const struct image_prog *p)
{
	if (is_fentry(p))
		return MOST;
	if (p->attach == ATTACH_TP_BTF)
		return 1;
	return is_packet(p) ? MOST_PACKET : 0;
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

/* A program with bodies of loops stays alone, and so does one that needs nearly all of the stack. */
static bool may_join(const struct image_prog *p)
{
	return !p->code.callbacks && p->code.stack + FRAME <= STACK && !reads_stack(&p->code);
}

/* What the parts of a joined program have so far: different maps, and instructions. */
struct sums {
	uint32_t maps[MOST_MAPS];
	size_t nmaps, insns;
};

/* Adds those of p. False: they do not fit, and the sums are not valid. */
static bool add(struct sums *s, const struct image_prog *p)
{
	for (size_t i = 0; i < p->code.maps.n; i++) {
		size_t k = 0;

		while (k < s->nmaps && s->maps[k] != p->code.maps.v[i].map)
			k++;
		if (k == MOST_MAPS)
			return false;
		s->maps[k] = p->code.maps.v[i].map;
		s->nmaps += k == s->nmaps;
	}
	s->insns += p->code.n;
	return is_fentry(p) || s->insns <= MOST_INSNS;
}

static bool fits(const struct image_prog *first, const struct image_prog *p, struct sums *s)
{
	return may_join(p) && first->attach == p->attach && first->flags == p->flags && add(s, p);
}

/* Where the instructions of a part go. */
struct moved {
	uint32_t *to; /* of each instruction; of a function that the program has already: where that is */
	bool *kept;
};

static uint32_t func_end(const struct code *c, size_t i)
{
	return i + 1 < c->funcs.n ? c->funcs.v[i + 1].insn : (uint32_t)c->n;
}

/* The function of the program with a shape, which has the same code in all parts; -1: there is none yet. */
static int64_t known(const struct code *c, int32_t shape)
{
	for (size_t i = 0; i < c->funcs.n; i++)
		if (shape >= 0 && c->funcs.v[i].shape == shape)
			return c->funcs.v[i].insn;
	return -1;
}

/* Places the functions of a part behind the program, and declares them. Those of the library that the kernel checks
 * alone are there once: it would check each copy. */
static void place_funcs(struct arena *a, struct code *to, const struct code *part, struct moved *m)
{
	static const struct code_func whole = { 0, -1 };
	size_t n = part->funcs.n ? part->funcs.n : 1;
	uint32_t at = (uint32_t)to->n;

	for (size_t i = 0; i < n; i++) {
		struct code_func f = part->funcs.n ? part->funcs.v[i] : whole;
		uint32_t end = part->funcs.n ? func_end(part, i) : (uint32_t)part->n;
		int64_t twin = known(to, f.shape);

		for (uint32_t k = f.insn; k < end; k++) {
			m->kept[k] = twin < 0;
			m->to[k] = (twin < 0 ? at : (uint32_t)twin) + (k - f.insn);
		}
		if (twin >= 0)
			continue;
		*vec_push(a, &to->funcs) = (struct code_func){ at, f.shape };
		at += end - f.insn;
	}
	to->typed |= part->typed;
}

static bool calls_function(const struct bpf_insn *in)
{
	return in->code == (BPF_JMP | BPF_CALL) && in->src_reg == BPF_PSEUDO_CALL;
}

/* Jumps stay within a function; a call may go to one that is elsewhere now. */
static void append_insns(struct code *to, const struct code *part, const struct moved *m)
{
	for (uint32_t k = 0; k < part->n; k++) {
		struct bpf_insn *in;

		if (!m->kept[k])
			continue;
		in = &to->insns[to->n++];
		*in = part->insns[k];
		if (calls_function(in))
			in->imm = (int32_t)m->to[(int64_t)k + in->imm + 1] - (int32_t)m->to[k] - 1;
	}
}

static void append_code(struct arena *a, struct code *to, const struct code *part)
{
	struct moved m = { ARENA_ARRAY(a, uint32_t, part->n + 1), ARENA_ARRAY(a, bool, part->n + 1) };

	place_funcs(a, to, part, &m);
	append_insns(to, part, &m);
	for (size_t i = 0; i < part->maps.n; i++) {
		struct code_mapref *r;

		if (!m.kept[part->maps.v[i].insn])
			continue;
		r = vec_push(a, &to->maps);
		*r = part->maps.v[i];
		r->insn = m.to[r->insn];
	}
	for (size_t i = 0; i < part->lines.n; i++) {
		struct code_line *l;

		if (!m.kept[part->lines.v[i].insn])
			continue;
		l = vec_push(a, &to->lines);
		*l = part->lines.v[i];
		l->insn = m.to[l->insn];
	}
}

/* Does a look come before part i, and for how many parts? Neighbours with the same look share it. */
static size_t looks(struct image_prog *const *v, size_t n, size_t i)
{
	const char *look = v[i]->look;
	size_t end = i + 1;

	if (!look || (i && v[i - 1]->look && !strcmp(v[i - 1]->look, look)))
		return 0;
	while (end < n && v[end]->look && !strcmp(v[end]->look, look))
		end++;
	return end - i > 1 ? end - i : 0;
}

#define CALL_INSNS 2 /* the context, the call */
#define LOOK_INSNS 3 /* ... and the jump */
#define ENDS_INSNS 3 /* before and behind the calls */

/* Calls what is appended to the code; *at is where the call goes. */
static void append_call(struct arena *a, struct code *code, struct bpf_insn **at, const struct code *part)
{
	struct bpf_insn call = { .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL };

	*(*at)++ = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_6 };
	call.imm = (int32_t)(code->n - (size_t)(*at - code->insns) - 1);
	*(*at)++ = call;
	append_code(a, code, part);
}

/* Instructions of the program that calls the n parts, and in *all with theirs. */
static size_t sizes(struct image_prog *const *v, size_t n, size_t *all)
{
	size_t head = ENDS_INSNS + CALL_INSNS * n;

	*all = 0;
	for (size_t i = 0; i < n; i++) {
		bool look = looks(v, n, i) != 0;

		head += look ? LOOK_INSNS : 0;
		*all += v[i]->code.n + (look ? v[i]->look_code.n : 0);
	}
	*all += head;
	return head;
}

/* v[0..n): the parts; v[0] becomes the program that calls them. */
static void join(struct arena *a, struct image_prog **v, size_t n)
{
	size_t size, head = sizes(v, n, &size);
	struct code code = { .n = head, .stack = FRAME };
	struct bpf_insn *at;

	code.insns = ARENA_ARRAY(a, struct bpf_insn, size);
	*vec_push(a, &code.funcs) = (struct code_func){ 0, -1 };
	v[0]->parts = ARENA_ARRAY(a, struct image_part, n);
	v[0]->nparts = n;
	at = code.insns;
	*at++ = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_1 };
	for (size_t i = 0; i < n; i++) {
		size_t ahead = looks(v, n, i);

		if (ahead) {
			append_call(a, &code, &at, &v[i]->look_code);
			*at++ = (struct bpf_insn){ .code = BPF_JMP | BPF_JEQ | BPF_K,
				.dst_reg = BPF_REG_0,
				.off = (int16_t)(CALL_INSNS * ahead) };
		}
		v[0]->chooses |= v[i]->chooses;
		v[0]->parts[i] = (struct image_part){ v[i]->probe, (uint32_t)code.n, v[i]->notes };
		append_call(a, &code, &at, &v[i]->code);
	}
	/* A program of a cgroup lets the packet pass. */
	*at++ = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = is_packet(v[0]) };
	*at = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	v[0]->code = code;
}

/* Merges the n programs at one place, in their order. Programs that are now part of another one lose their code. */
static void join_at(struct arena *a, struct image_prog **v, size_t n, size_t most)
{
	for (size_t first = 0, end; first < n; first = end) {
		struct sums sums = { 0 };
		bool room = may_join(v[first]) && add(&sums, v[first]);

		for (end = first + 1; room && end < n && end - first < most && fits(v[first], v[end], &sums);)
			end++;
		if (end - first > 1)
			join(a, &v[first], end - first);
		for (size_t k = first + 1; k < end; k++)
			v[k]->code.n = 0;
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
static size_t parts_of(const struct image *im, const struct image_prog *p, size_t n)
{
	if (is_fentry(p))
		return (n + MOST - 1) / MOST;
	return !is_packet(p) && im->progs.n > MANY ? MANY_PARTS : MOST_PARTS;
}

void join_programs(struct arena *a, struct image *im)
{
	struct image_prog **v = ARENA_ARRAY(a, struct image_prog *, im->progs.n + 1);
	size_t n = 0, left = 0;

	for (size_t i = 0; i < im->progs.n; i++)
		if (limit(&im->progs.v[i]))
			v[n++] = &im->progs.v[i];
	qsort(v, n, sizeof(struct image_prog *), by_place);
	for (size_t i = 0, end; i < n; i = end) {
		size_t most = limit(v[i]);

		for (end = i + 1; end < n && same_place(v[i], v[end]);)
			end++;
		if (end - i > most)
			join_at(a, &v[i], end - i, parts_of(im, v[i], end - i));
	}
	for (size_t i = 0; i < im->progs.n; i++)
		if (im->progs.v[i].code.n)
			im->progs.v[left++] = im->progs.v[i];
	im->progs.n = left;
}
