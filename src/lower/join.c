/* SPDX-License-Identifier: GPL-2.0-or-later */
/* join: merges programs that are attached to the same place. See join.h.
 * Input: an image with all its programs. Output: the same image with fewer programs.
 * Invariant: the parts run in the same order as before. Each begins with the context in R1, and finds nothing in the
 * stack or another register.
 *
 * The code of a part stands in the program itself, and its ends jump to the next part: a CPU with mitigations takes
 * some 10 ns to return from a function. The parts use the same stack; below it is the context, and the time if it is
 * asked for at several places: the kernel takes 40 ns to read the clock, so that an event has one time. */
#include "lower/join.h"

#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#define MOST 24           /* programs at a function; the kernel's limit is everybody's */
#define MOST_PARTS 16     /* programs at another place that become one */
#define MOST_INSNS 8192   /* ... and their instructions: the verifier may refuse several large ones as one */
#define MOST_JUMPED 30000 /* ... at a function: jumps lead over parts, at most 32,767 instructions */
#define MANY 256          /* programs of a trace; attaching and detaching more takes seconds */
#define MANY_PARTS 4      /* programs of a tracepoint that then become one */
#define MOST_MAPS 60      /* per program; the kernel's limit is 64 */
#define CONTEXT 8         /* bytes of stack */
#define CLOCK 8
#define NO_TIME_INSNS 3
#define CLOCK_INSNS 4 /* that read the clock unless an earlier part has */
#define STACK 512     /* bytes; the kernel's limit for a chain of calls */

static bool is_fentry(const struct image_prog *p)
{
	return p->attach == ATTACH_FENTRY || p->attach == ATTACH_FEXIT;
}

/* Of a cgroup, and entered for each packet. */
static bool is_packet(const struct image_prog *p)
{
	return p->attach == ATTACH_CGROUP_INGRESS || p->attach == ATTACH_CGROUP_EGRESS ||
		p->attach == ATTACH_CGROUP_SOCKOPS;
}

/* How many programs may be attached to the place of p. 0: p is never merged. */
static size_t limit(const struct image_prog *p)
{
	if (is_fentry(p))
		return MOST;
	return p->attach == ATTACH_TP_BTF || is_packet(p);
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

/* At a tracepoint a program with bodies of loops stays alone: the verifier does not see that the next part reads
 * nothing of what a loop leaves on the stack, and walks it several times. Where packets pass a program costs more. */
static bool may_join(const struct image_prog *p)
{
	return !reads_stack(&p->code) && (is_packet(p) || !p->code.callbacks);
}

/* What the parts of a joined program have so far: different maps, and instructions; the largest frame, and the stack
 * of the functions that a part calls. */
struct sums {
	uint32_t maps[MOST_MAPS];
	size_t nmaps, insns;
	int32_t frame, called;
};

static void add_stack(struct sums *s, const struct code *c)
{
	if (c->frame > s->frame)
		s->frame = c->frame;
	if (c->stack - c->frame > s->called)
		s->called = c->stack - c->frame;
}

/* As the kernel counts: in units of 32 bytes. */
static int32_t frame_of(const struct sums *s)
{
	return (s->frame + CONTEXT + CLOCK + 31) & ~31;
}

static int32_t stack_of(const struct sums *s)
{
	return frame_of(s) + s->called;
}

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
	add_stack(s, &p->code);
	if (p->look)
		add_stack(s, &p->look_code);
	return s->insns <= (is_fentry(p) ? MOST_JUMPED : MOST_INSNS) && stack_of(s) <= STACK;
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

/* A program that is being made of parts. */
struct joint {
	struct arena *a;
	struct code code; /* its n is where the next function goes */
	uint32_t at;      /* where the next instruction outside of functions goes */
	int32_t frame;    /* bytes; the context is below, and then the clock */
	bool clock;       /* it is kept there */
};

static uint32_t func_end(const struct code *c, size_t i)
{
	return i + 1 < c->funcs.n ? c->funcs.v[i + 1].insn : (uint32_t)c->n;
}

/* Instructions of a program without its functions. */
static uint32_t own_insns(const struct code *c)
{
	return func_end(c, 0);
}

static bool reads_clock(const struct bpf_insn *in)
{
	return in->code == (BPF_JMP | BPF_CALL) && !in->src_reg && in->imm == BPF_FUNC_ktime_get_ns;
}

/* Of the instructions [from..to). */
static uint32_t clock_reads(const struct code *c, uint32_t from, uint32_t to)
{
	uint32_t n = 0;

	for (uint32_t k = from; k < to; k++)
		n += reads_clock(&c->insns[k]);
	return n;
}

/* Instructions that those of a part become, without its functions. */
static uint32_t joint_insns(const struct joint *j, const struct code *part)
{
	const uint32_t own = own_insns(part);

	return own + (j->clock ? clock_reads(part, 0, own) * (CLOCK_INSNS - 1) : 0);
}

/* The function of the program with a shape, which has the same code in all parts; -1: there is none yet. */
static int64_t known(const struct code *c, int32_t shape)
{
	for (size_t i = 0; i < c->funcs.n; i++)
		if (shape >= 0 && c->funcs.v[i].shape == shape)
			return c->funcs.v[i].insn;
	return -1;
}

/* Places the instructions of a part in the program, and its functions behind that, and declares them. Those of the
 * library that the kernel checks alone are there once: it would check each copy. */
static void place(struct joint *j, const struct code *part, struct moved *m)
{
	struct code *to = &j->code;

	for (uint32_t k = 0; k < own_insns(part); k++) {
		m->kept[k] = true;
		m->to[k] = j->at;
		j->at += j->clock && reads_clock(&part->insns[k]) ? CLOCK_INSNS : 1;
	}
	for (size_t i = 1; i < part->funcs.n; i++) {
		struct code_func f = part->funcs.v[i];
		int64_t twin = known(to, f.shape);

		for (uint32_t k = f.insn; k < func_end(part, i); k++) {
			m->kept[k] = twin < 0;
			m->to[k] = (twin < 0 ? (uint32_t)to->n : (uint32_t)twin) + (k - f.insn);
		}
		if (twin >= 0)
			continue;
		*vec_push(j->a, &to->funcs) = (struct code_func){ (uint32_t)to->n, f.shape };
		to->n += func_end(part, i) - f.insn;
	}
	to->typed |= part->typed;
	to->callbacks |= part->callbacks;
}

/* Is it a jump to another instruction of its function? */
static bool jumps(const struct bpf_insn *in)
{
	const unsigned class = BPF_CLASS(in->code), op = BPF_OP(in->code);

	return (class == BPF_JMP || class == BPF_JMP32) && op != BPF_CALL && op != BPF_EXIT;
}

/* Where the time is kept, below the frame's end. */
static int16_t clock_at(const struct joint *j)
{
	return (int16_t)(-j->frame - CONTEXT - CLOCK);
}

/* The time: from the stack, if an earlier part has read the clock. */
static void copy_clock(const struct joint *j, struct bpf_insn *to)
{
	const int16_t at = clock_at(j);

	to[3] = (struct bpf_insn){
		.code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_0, .off = at
	};
	to[2] = to[0];
	to[1] = (struct bpf_insn){ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_0, .off = 2 };
	to[0] = (struct bpf_insn){
		.code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_10, .off = at
	};
}

/* Jumps stay within a function; a call may go to one that is elsewhere now. Ends of the part jump behind it. */
static void copy_insns(struct joint *j, const struct code *part, const struct moved *m)
{
	for (uint32_t k = 0; k < part->n; k++) {
		struct bpf_insn *in = &j->code.insns[m->to[k]];

		if (!m->kept[k])
			continue;
		*in = part->insns[k];
		if (code_names_function(in))
			in->imm = (int32_t)m->to[(int64_t)k + in->imm + 1] - (int32_t)m->to[k] - 1;
		if (k >= own_insns(part))
			continue;
		if (in->code == (BPF_JMP | BPF_EXIT))
			*in = (struct bpf_insn){ .code = BPF_JMP | BPF_JA, .off = (int16_t)(j->at - m->to[k] - 1) };
		else if (jumps(in))
			in->off = (int16_t)(m->to[(int64_t)k + in->off + 1] - m->to[k] - 1);
		else if (j->clock && reads_clock(in))
			copy_clock(j, in);
	}
}

/* The words of the stack that a part writes in pieces, a bit each. To the verifier such a word may keep what an
 * earlier part has left, so that it would walk this one again for each way in which that ended: they begin as zeroes.
 */
static uint64_t pieces(const struct code *part)
{
	uint64_t words = 0;

	for (uint32_t k = 0; k < own_insns(part); k++) {
		const struct bpf_insn *in = &part->insns[k];
		unsigned class = BPF_CLASS(in->code);

		if ((class == BPF_ST || class == BPF_STX) && BPF_MODE(in->code) == BPF_MEM &&
			BPF_SIZE(in->code) != BPF_DW && in->dst_reg == BPF_REG_10 && in->off < 0 && in->off >= -STACK)
			words |= 1ull << (-in->off - 1) / 8;
	}
	return words;
}

/* Instructions before those of a part. */
static uint32_t part_insns(const struct code *part)
{
	return 1 + (uint32_t)__builtin_popcountll(pieces(part)); /* the context */
}

static void append(struct joint *j, struct bpf_insn in)
{
	j->code.insns[j->at++] = in;
}

/* Appends a part, which begins with the context in R1. */
static void append_code(struct joint *j, const struct code *part)
{
	struct moved m = { ARENA_ARRAY(j->a, uint32_t, part->n + 1), ARENA_ARRAY(j->a, bool, part->n + 1) };
	struct code *to = &j->code;

	for (uint64_t words = pieces(part); words; words &= words - 1)
		append(j,
			(struct bpf_insn){ .code = BPF_ST | BPF_MEM | BPF_DW,
				.dst_reg = BPF_REG_10,
				.off = (int16_t)(-8 * (__builtin_ctzll(words) + 1)) });
	append(j,
		(struct bpf_insn){ .code = BPF_LDX | BPF_MEM | BPF_DW,
			.dst_reg = BPF_REG_1,
			.src_reg = BPF_REG_10,
			.off = (int16_t)(-j->frame - CONTEXT) });
	place(j, part, &m);
	copy_insns(j, part, &m);
	for (size_t i = 0; i < part->maps.n; i++) {
		struct code_mapref *r;

		if (!m.kept[part->maps.v[i].insn])
			continue;
		r = vec_push(j->a, &to->maps);
		*r = part->maps.v[i];
		r->insn = m.to[r->insn];
	}
	for (size_t i = 0; i < part->lines.n; i++) {
		struct code_line *l;

		if (!m.kept[part->lines.v[i].insn])
			continue;
		l = vec_push(j->a, &to->lines);
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

#define ENDS_INSNS 3 /* before and behind the parts */

/* Instructions of the program without its functions, and in *all with them. */
static size_t sizes(const struct joint *j, struct image_prog *const *v, size_t n, size_t *all)
{
	size_t own = ENDS_INSNS + (j->clock ? NO_TIME_INSNS : 0), functions = 0;

	for (size_t i = 0; i < n; i++) {
		const struct code *part = &v[i]->code, *look = &v[i]->look_code;

		own += part_insns(part) + joint_insns(j, part);
		functions += part->n - own_insns(part);
		if (looks(v, n, i)) {
			own += part_insns(look) + 1 + joint_insns(j, look); /* ... and the jump */
			functions += look->n - own_insns(look);
		}
	}
	*all = own + functions;
	return own;
}

static int by_insn(const void *a, const void *b)
{
	uint32_t x = ((const struct code_line *)a)->insn, y = ((const struct code_line *)b)->insn;

	return x < y ? -1 : x > y;
}

/* What the look says decides about this many parts. */
static void append_look(struct joint *j, struct image_prog *const *v, size_t ahead)
{
	size_t skipped = 0;

	for (size_t i = 0; i < ahead; i++)
		skipped += part_insns(&v[i]->code) + joint_insns(j, &v[i]->code);
	append_code(j, &v[0]->look_code);
	append(j,
		(struct bpf_insn){ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .off = (int16_t)skipped });
}

/* No time is known yet: 0, of which the verifier knows no more than that it is 0 or 1. Else it would walk each part
 * twice. The highest bit of jiffies is never set; the kernel has this call inline. */
static void append_clock(struct joint *j)
{
	append(j, (struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_jiffies64 });
	append(j, (struct bpf_insn){ .code = BPF_ALU64 | BPF_RSH | BPF_K, .dst_reg = BPF_REG_0, .imm = 63 });
	append(j,
		(struct bpf_insn){ .code = BPF_STX | BPF_MEM | BPF_DW,
			.dst_reg = BPF_REG_10,
			.src_reg = BPF_REG_0,
			.off = clock_at(j) });
}

/* Is the clock read at several places, by parts or by clauses of one, and does none wait? One that does reads it in a
 * function. A packet seldom is the event of several parts, and the verifier would walk them more often. */
static bool share_clock(struct image_prog *const *v, size_t n)
{
	size_t reads = 0;

	if (is_packet(v[0]))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct code *c = &v[i]->code;

		reads += clock_reads(c, 0, own_insns(c));
		if (clock_reads(c, own_insns(c), (uint32_t)c->n))
			return false;
	}
	return reads > 1;
}

/* v[0..n): the parts; v[0] becomes the program that has them. */
static void join(struct arena *a, struct image_prog **v, size_t n, const struct sums *sums)
{
	struct joint j = { .a = a,
		.code = { .stack = stack_of(sums), .frame = frame_of(sums) },
		.frame = sums->frame,
		.clock = share_clock(v, n) };
	size_t size;

	j.code.n = sizes(&j, v, n, &size);
	j.code.insns = ARENA_ARRAY(a, struct bpf_insn, size);
	*vec_push(a, &j.code.funcs) = (struct code_func){ 0, -1 };
	v[0]->parts = ARENA_ARRAY(a, struct image_part, n);
	v[0]->nparts = n;
	append(&j,
		(struct bpf_insn){ .code = BPF_STX | BPF_MEM | BPF_DW,
			.dst_reg = BPF_REG_10,
			.src_reg = BPF_REG_1,
			.off = (int16_t)(-j.frame - CONTEXT) });
	if (j.clock)
		append_clock(&j);
	for (size_t i = 0; i < n; i++) {
		size_t ahead = looks(v, n, i);

		if (ahead)
			append_look(&j, &v[i], ahead);
		v[0]->chooses |= v[i]->chooses;
		v[0]->parts[i] = (struct image_part){ v[i]->probe, j.at, v[i]->notes };
		append_code(&j, &v[i]->code);
	}
	/* A program of a cgroup lets the packet pass. */
	append(&j,
		(struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = is_packet(v[0]) });
	append(&j, (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT });
	qsort(j.code.lines.v, j.code.lines.n, sizeof(struct code_line), by_insn);
	v[0]->code = j.code;
}

/* Merges the n programs at one place, in their order. Programs that are now part of another one lose their code. */
static void join_at(struct arena *a, struct image_prog **v, size_t n, size_t most)
{
	for (size_t first = 0, end; first < n; first = end) {
		struct sums sums = { 0 }, more;
		bool room = may_join(v[first]) && add(&sums, v[first]);

		for (end = first + 1; room && end < n && end - first < most; end++) {
			more = sums;
			if (!fits(v[first], v[end], &more))
				break;
			sums = more;
		}
		if (end - first > 1)
			join(a, &v[first], end - first, &sums);
		for (size_t k = first + 1; k < end; k++)
			v[k]->code.n = 0;
	}
}

/* The kinds of programs that are merged with each other. */
static unsigned kind(const struct image_prog *p)
{
	return is_packet(p) ? 2 + (unsigned)p->attach : !is_fentry(p);
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
