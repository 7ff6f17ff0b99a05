/* SPDX-License-Identifier: GPL-2.0-or-later */
/* multi: probes that share their sites, as all system calls share sys_enter.
 * Input: the enabled probes of one definition. Output: one job per clause, and the head of their one program, which
 * finds the firing probe by the number that the site gives. With one probe that is a comparison. With several it is
 * a table indexed by that number; a row has the member, its id, its names as literals, and a bit for each clause
 * that is not on all members.
 * Invariant: every clause is compiled once, however many probes it is on. */
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"
#include "lower/text/text.h"

#define BITS 31u /* of a word of a row: the sign is left alone */

struct row {
	uint32_t member; /* counted from 1; 0: not enabled */
	uint32_t id;
	uint32_t names[4]; /* literals: provider, module, function, name */
	uint32_t narrow;   /* probe.ints, and probe.uints << 8 */
	uint32_t words[];
};

/* All members are in the image, also those that fire nothing: their order gives the indexes. */
static uint32_t add_probe(struct lowerer *lw, const struct probe *p)
{
	struct image_probe *ip = vec_push(lw->arena, &lw->im->probes);

	ip->id = p->id;
	ip->prov = p->prov->name;
	ip->mod = p->mod;
	ip->func = p->func;
	ip->name = p->name;
	return (uint32_t)lw->im->probes.n - 1;
}

/* How many of the first n enablings belong to this clause: one for each description that names the probe. */
static uint32_t times_on(const struct enabled *e, size_t n, const struct clause *c)
{
	uint32_t times = 0;

	for (size_t i = 0; i < n; i++)
		times += e->on[i].clause == c;
	return times;
}

/* Is the member enabled for this copy of the clause? */
static bool is_on(const struct enabled *e, const struct job *job)
{
	return times_on(e, e->n, job->clause) > job->copy;
}

/* Program order; copies of one clause stand side by side. */
static int by_index(const void *a, const void *b)
{
	const struct job *x = a, *y = b;

	if (x->clause != y->clause)
		return x->clause->index < y->clause->index ? -1 : 1;
	return x->copy < y->copy ? -1 : x->copy > y->copy;
}

/* Each clause once, in program order, or as often as some probe has it. */
static void collect_jobs(struct lowerer *lw, const struct enabled *set, size_t n, struct jobs *jobs)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < set[i].n; k++) {
			struct job is = { .clause = set[i].on[k].clause };
			size_t j = 0;

			is.copy = times_on(&set[i], k, is.clause);
			while (j < jobs->v.n && by_index(&jobs->v.v[j], &is))
				j++;
			if (j == jobs->v.n)
				*vec_push(lw->arena, &jobs->v) = is;
		}
	qsort(jobs->v.v, jobs->v.n, sizeof(*jobs->v.v), by_index);
}

/* The enabled-probe ids of a job. A job on several members gets consecutive ids, one per member. */
static void add_epids(struct lowerer *lw, struct job *job, uint32_t first_probe, uint32_t n)
{
	struct epid like = { .probe = first_probe, .clause = job->clause->index };

	plan_record(lw, job->clause, &like);
	job->epid = (uint32_t)lw->im->epids.n;
	for (uint32_t i = 0; i < n; i++) {
		struct epid *ep = vec_push(lw->arena, &lw->im->epids);

		*ep = like;
		ep->probe = first_probe + i;
	}
}

/* On one member only: the job tests for that member. On all: no test. On some: a bit in each member's row. */
static void plan_job(struct lowerer *lw, const struct enabled *set, struct jobs *jobs, struct job *job, uint32_t probe)
{
	uint32_t on = 0, last = 0;

	for (uint32_t i = 0; i < jobs->nmembers; i++)
		if (is_on(&set[i], job)) {
			on++;
			last = i;
		}
	if (on == 1) {
		job->probe = set[last].probe;
		job->member = last + 1;
		add_epids(lw, job, probe + last, 1);
		return;
	}
	add_epids(lw, job, probe, jobs->nmembers);
	if (on == jobs->nmembers)
		return;
	for (size_t j = 0; &jobs->v.v[j] < job; j++) /* the next free bit */
		job->word += jobs->v.v[j].bit != 0;
	job->bit = 1u << (job->word % BITS);
	job->word /= BITS;
}

/* A multiple of 8, as rows are in one map value. */
static uint32_t row_size(const struct jobs *jobs)
{
	uint32_t words = 1;

	for (size_t j = 0; j < jobs->v.n; j++)
		if (jobs->v.v[j].bit && jobs->v.v[j].word >= words)
			words = jobs->v.v[j].word + 1;
	return ((uint32_t)sizeof(struct row) + 4 * words + 7) / 8 * 8;
}

/* The number by which the site identifies a member, such as a system call's number. */
static uint32_t number_of(const struct enabled *set, size_t i)
{
	return set[i].probe->def->sites[0].by_cookie ? (uint32_t)i : set[i].probe->number;
}

/* Never NULL. */
static const uint16_t *also_of(const struct probe *p)
{
	static const uint16_t none[] = { 0 };

	return p->also ? p->also : none;
}

static uint32_t name_number(struct lowerer *lw, const char *s)
{
	return (uint32_t)lit_number(lw, s, strlen(s));
}

/* Rows are indexed by the site's number, so that a program finds its member by one load: a table of system calls has
 * hundreds of rows, most of them empty (member 0). */
static void make_table(struct lowerer *lw, const struct enabled *set, size_t n, struct jobs *jobs)
{
	unsigned char *data;

	for (size_t i = 0; i < n; i++) {
		const uint16_t *also = also_of(set[i].probe);

		if (number_of(set, i) >= jobs->rows)
			jobs->rows = number_of(set, i) + 1;
		for (; *also; also++)
			if (*also >= jobs->rows)
				jobs->rows = *also + 1u;
	}
	jobs->row_size = row_size(jobs);
	data = ARENA_ARRAY(lw->arena, unsigned char, (size_t)jobs->rows * jobs->row_size);
	for (size_t i = 0; i < n; i++) {
		const struct probe *p = set[i].probe;
		struct row *row = (struct row *)(void *)(data + (size_t)number_of(set, i) * jobs->row_size);

		row->member = (uint32_t)i + 1;
		row->names[0] = name_number(lw, p->prov->name);
		row->names[1] = name_number(lw, p->mod);
		row->names[2] = name_number(lw, p->func);
		row->names[3] = name_number(lw, p->name);
		row->narrow = p->ints | (uint32_t)p->uints << 8;
		row->id = p->id;
		for (size_t j = 0; j < jobs->v.n; j++)
			if (jobs->v.v[j].bit && is_on(&set[i], &jobs->v.v[j]))
				row->words[jobs->v.v[j].word] |= jobs->v.v[j].bit;
		for (const uint16_t *also = also_of(p); *also; also++)
			memcpy(data + (size_t)*also * jobs->row_size, row, jobs->row_size);
	}
	jobs->table = map_add(lw,
		(struct image_map){
			.role = MAP_TABLE,
			.name = "dw_table",
			.type = BPF_MAP_TYPE_ARRAY,
			.key_size = 4,
			.value_size = jobs->rows * jobs->row_size,
			.max_entries = 1,
			.data = data,
		});
}

/* Probes of one definition share a program. Their indexes in image.probes and their epids are consecutive: member
 * plus a constant. */
uint32_t multi_plan(struct lowerer *lw, const struct enabled *set, size_t n, struct jobs *jobs)
{
	uint32_t probe = (uint32_t)lw->im->probes.n;

	*jobs = (struct jobs){
		.nmembers = (uint32_t)n, .first_number = set[0].probe->number, .first_also = also_of(set[0].probe)
	};
	for (size_t i = 0; i < n; i++)
		(void)add_probe(lw, set[i].probe);
	collect_jobs(lw, set, n, jobs);
	for (size_t j = 0; j < jobs->v.n; j++)
		plan_job(lw, set, jobs, &jobs->v.v[j], probe);
	if (n > 1)
		make_table(lw, set, n, jobs);
	return probe;
}

/* With one member the number is compared; with several it selects a row. Numbers beyond the table fire nothing. */
void multi_begin(struct clause_ctx *cx, const struct jobs *jobs)
{
	struct ir *ir = cx->ir;
	struct prog_ctx *pg = cx->pg;
	const struct site_text *f;
	vreg n;

	if (!pg->site->number && !(pg->site->by_cookie && jobs->nmembers > 1))
		return;
	if (pg->site->by_cookie) {
		n = ir_ext(ir, user_cookie(cx), 4, false);
	} else {
		f = lower_site_text(pg, pg->site->number);
		if (!f)
			return;
		n = lower_int(cx, f->expr);
	}
	if (jobs->nmembers == 1) {
		uint32_t is = ir_newlabel(ir);

		for (const uint16_t *also = jobs->first_also; *also; also++)
			ir_jcci(ir, CC_EQ, n, *also, is);
		ir_jcci(ir, CC_NE, n, (int32_t)jobs->first_number, pg->exit_label);
		ir_label(ir, is);
		return;
	}
	ir_jcci(ir, CC_UGE, n, (int32_t)jobs->rows, pg->exit_label);
	n = ir_alui(ir, ALU_MUL, n, (int32_t)jobs->row_size);
	pg->member_row = ir_alu(ir, ALU_ADD, ir_mapval(ir, jobs->table, 0), n);
	pg->member = ir_ld(ir, pg->member_row, offsetof(struct row, member), 4, false, true);
	ir_jcci(ir, CC_EQ, pg->member, 0, pg->exit_label);
}

void multi_clause(struct clause_ctx *cx, const struct job *job)
{
	struct ir *ir = cx->ir;
	vreg w;

	if (job->probe) {
		cx->probe = job->probe;
		cx->prov = job->probe->prov;
		if (cx->member)
			ir_jcci(ir, CC_NE, cx->member, (int32_t)job->member, cx->next_label);
		return;
	}
	cx->entry = cx->pg->member_row;
	if (!job->bit)
		return;
	w = ir_ld(ir, cx->entry, (int32_t)((uint32_t)offsetof(struct row, words) + 4 * job->word), 4, false, true);
	ir_jcci(ir, CC_EQ, ir_alui(ir, ALU_AND, w, (int32_t)job->bit), 0, cx->next_label);
}

/* Up, then down by the same: 32 extends the low half, 0 changes nothing. */
static vreg shift_both(struct clause_ctx *cx, vreg v, vreg by, bool is_signed)
{
	return ir_alu(cx->ir, is_signed ? ALU_SAR : ALU_SHR, ir_alu(cx->ir, ALU_SHL, v, by), by);
}

/* 32 where the bit of the row's word is set, else 0. */
static vreg narrow_shift(struct clause_ctx *cx, vreg word, unsigned bit)
{
	vreg is = ir_alui(cx->ir, ALU_AND, ir_alui(cx->ir, ALU_SHR, word, (int32_t)bit), 1);

	return ir_alui(cx->ir, ALU_SHL, is, 5);
}

/* If all members that the clause is on agree, one instruction does it; else the row says by how much to shift. */
vreg multi_narrow(struct clause_ctx *cx, unsigned n, vreg v)
{
	const unsigned all_ints = 1, all_uints = 2, all_wide = 4;
	unsigned are = 0;
	vreg word;

	if (n >= 8)
		return v;
	for (size_t i = 0; i < cx->pg->nset; i++) {
		const struct probe *p = cx->entry ? cx->pg->set[i].probe : cx->probe;

		if (!cx->entry || times_on(&cx->pg->set[i], cx->pg->set[i].n, cx->clause))
			are |= p->ints >> n & 1 ? all_ints : p->uints >> n & 1 ? all_uints : all_wide;
	}
	if (are == all_ints || are == all_uints)
		return ir_ext(cx->ir, v, 4, are == all_ints);
	if (are == all_wide)
		return v;
	word = ir_ld(cx->ir, cx->entry, offsetof(struct row, narrow), 4, false, true);
	v = shift_both(cx, v, narrow_shift(cx, word, n), true);
	return shift_both(cx, v, narrow_shift(cx, word, n + 8), false);
}

/* Names are literals: the row has their numbers. */
struct sval multi_name(struct clause_ctx *cx, unsigned which)
{
	struct sval s = { .rep = REP_LIT, .lit = -1, .n = 1, .form = FORM_LIT | 128 << FORM_SHIFT };

	s.w = ARENA_ARRAY(cx->lw->arena, vreg, 1);
	s.w[0] = ir_ld(cx->ir, cx->entry, (int32_t)(offsetof(struct row, names) + 4 * (size_t)which), 4, false, true);
	return s;
}

/* The id of the firing probe: a constant if the program has only one. */
vreg multi_id(struct clause_ctx *cx)
{
	if (!cx->entry)
		return ir_imm(cx->ir, cx->probe->id);
	return ir_ld(cx->ir, cx->entry, offsetof(struct row, id), 4, false, true);
}

/* The enabled probe's id, as DTrace's epid. */
vreg multi_epid(struct clause_ctx *cx)
{
	if (!cx->entry)
		return ir_imm(cx->ir, (int64_t)cx->epid + 1);
	return ir_alui(cx->ir, ALU_ADD, cx->member, (int32_t)cx->epid);
}
