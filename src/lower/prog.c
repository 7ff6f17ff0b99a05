/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prog: makes a program of the image from the IR of a site.
 * Input: the lowered site. Output: a struct image_prog in the image, or an error; nothing if the program would have
 * no effect.
 * Invariant: a program in the image is within the verifier's limits as far as they can be computed here. */
#include <errno.h>
#include <linux/bpf.h>

#include "base/diag/report.h"
#include "lower/expr/expr.h"
#include "lower/program.h"
#include "lower/site/site.h"
#include "lower/tiers.h"

/* Helpers that only read, or write only to the program's own memory. */
static bool is_harmless(int64_t helper)
{
	return helper == BPF_FUNC_map_lookup_elem || helper == BPF_FUNC_probe_read_kernel ||
		helper == BPF_FUNC_probe_read_kernel_str || helper == BPF_FUNC_copy_from_user ||
		helper == BPF_FUNC_sk_storage_get || helper == BPF_FUNC_seq_write;
}

/* Registers that point to the stack or to scratch memory. A variable may be set to something else, too, so both are
 * noted. */
struct private_regs {
	bool *in, *out;
};

static bool is_private(const struct private_regs *p, vreg r)
{
	return p->in[r] && !p->out[r];
}

static void note_private(struct private_regs *p, const struct ir_insn *in, vreg slot)
{
	bool own = in->op == IR_STACK || (slot && in->d == slot) ||
		((in->op == IR_MOV || in->op == IR_ALU || in->op == IR_ALUI) &&
			(is_private(p, in->a) || (in->b && is_private(p, in->b))));

	(own ? p->in : p->out)[in->d] = true;
}

/* Does the program do anything observable? If a clause's predicate is false at this site (cs_pid != -1 where there
 * is never an owner), the rest does not, and attaching the program would only cost time. */
static bool has_effect(struct prog_ctx *pg)
{
	struct private_regs p = { ARENA_ARRAY(pg->lw->arena, bool, pg->ir->nvregs + 1u),
		ARENA_ARRAY(pg->lw->arena, bool, pg->ir->nvregs + 1u) };

	for (size_t i = 0; i < pg->ir->code.n; i++) {
		const struct ir_insn *in = &pg->ir->code.v[i];

		if (in->d)
			note_private(&p, in, pg->scratch);
		if (in->quiet)
			continue;
		switch ((int)in->op) {
		case IR_ST:
		case IR_STI:
			if (!is_private(&p, in->a))
				return true;
			break;
		case IR_CALL:
			if (!in->pure && !is_harmless(in->imm))
				return true;
			break;
		case IR_KFUNC:
			if (!in->pure)
				return true;
			break;
		case IR_LIB:
			if (in->imm == LIB_chill || in->imm == LIB_packet_note || in->imm == LIB_packet_note_plain ||
				in->imm == LIB_word_write || in->imm == LIB_word_delete)
				return true;
			break;
		case IR_XADD:
		case IR_FADD:
		case IR_XCHG:
		case IR_CMPXCHG:
			return true;
		default:
			break;
		}
	}
	return false;
}

/* The verifier follows at most 8192 open branches on one path. Beyond that Linux 6.18 may crash instead of refusing. */
#define MAX_BRANCHES 8000

/* Branches of one call of a library function, measured, with a margin. The body of a loop counts once. */
static size_t lib_branches(int64_t fn)
{
	switch (fn) {
	case LIB_text_json:
		return 16;
	case LIB_path_text:
	case LIB_walk_kernel:
	case LIB_walk_user:
		return 8;
	case LIB_word_read:
	case LIB_word_delete:
	case LIB_word_write:
		return 3;
	default:
		return 5;
	}
}

/* Loops that the verifier unrolls. Only the longest one counts, because they are not open at the same time. */
#define WALKED_LOOP 500

static bool too_many_branches(const struct ir *ir)
{
	size_t n = WALKED_LOOP;

	for (size_t i = 0; i < ir->code.n; i++) {
		const struct ir_insn *in = &ir->code.v[i];

		if (in->op == IR_LIB)
			n += lib_branches(in->imm);
		else
			n += in->op == IR_JCC || in->op == IR_JCCI;
	}
	return n > MAX_BRANCHES;
}

static const char *const helpers[] = {
#define X(name) #name
	__BPF_FUNC_MAPPER(X)
#undef X
};

/* Does the program need what came after the running kernel? Reports the first such thing. */
static bool needs_newer(const struct prog_ctx *pg, struct loc at)
{
	const struct lower_env *env = pg->lw->env;

	for (size_t i = 0; i < pg->ir->code.n; i++) {
		const struct ir_insn *in = &pg->ir->code.v[i];
		struct loc here = in->loc.src && !in->loc.src->library ? in->loc : at;
		bool unknown = in->op == IR_CALL && env->nhelpers && in->imm >= env->nhelpers;

		if (unknown && (uint64_t)in->imm < sizeof(helpers) / sizeof(helpers[0]))
			diag_error(pg->lw->d, here, D_KERNEL, "a later kernel has it",
				"this needs the BPF helper bpf_%s(), which this kernel does not have",
				helpers[in->imm]);
		else if (env->no_exchange &&
			(in->op == IR_FADD || in->op == IR_XCHG || in->op == IR_CMPXCHG ||
				(in->op == IR_LIB && in->imm == LIB_packet_age)))
			diag_error(pg->lw->d, here, D_KERNEL, "Linux 5.12 and later have them",
				"this needs atomic exchanges in BPF, which this kernel does not have");
		else
			continue;
		return true;
	}
	return false;
}

/* Functions of the library whose loops call back need bpf_loop(). */
static bool needs_loops(struct lowerer *lw, struct loc at, const struct code *code)
{
	if (!code->callbacks || !lw->env->nhelpers || BPF_FUNC_loop < lw->env->nhelpers)
		return false;
	diag_error(lw->d, at, D_KERNEL, "Linux 5.17 and later have them",
		"this needs loops in BPF (bpf_loop()), which this kernel does not have");
	return true;
}

/* The function to attach to. With kprobes: the functions of all probes that share the program, with their numbers as
 * cookies. */
static void function_targets(struct prog_ctx *pg, struct image_prog *p)
{
	bool shared = pg->site->by_cookie;

	p->target = site_function(pg->site, pg->probe);
	p->module = site_module(pg->site, pg->probe);
	p->ntargets = shared ? pg->nset : 1;
	p->targets = ARENA_ARRAY(pg->lw->arena, struct image_target, p->ntargets);
	for (size_t i = 0; i < p->ntargets; i++) {
		const struct probe *pr = shared ? pg->set[i].probe : pg->probe;

		p->targets[i].func = site_function(pg->site, pr);
		p->targets[i].module = site_module(pg->site, pr);
		p->targets[i].cookie = i;
		p->targets[i].off = pg->site->off;
	}
}

/* Fills in where and how p is attached. The kernel's BTF ids are those of the running kernel. */
void prog_place(struct prog_ctx *pg, struct image_prog *p)
{
	const struct lower_env *env = pg->lw->env;
	const struct site *s = pg->site;
	const struct attach_info *info = attach_info(s->attach);
	struct kernel_func f;

	p->attach = s->attach;
	p->prog_type = info->prog_type;
	p->expected_attach_type = info->expected_attach_type;
	switch (info->way) {
	case WAY_RAW:
		p->attach_btf_id = env->tracepoint(env->ctx, s->module, s->target, &f);
		p->module = f.module;
		break;
	case WAY_FUNCTION:
		function_targets(pg, p);
		p->attach_btf_id = env->function(env->ctx, p->module, p->target, &f);
		break;
	case WAY_KPROBE:
		function_targets(pg, p);
		break;
	case WAY_WALK:
		p->attach_btf_id = env->function(env->ctx, NULL, s->target, &f);
		break;
	case WAY_SYSCALL:
		syscall_targets(pg, p);
		break;
	case WAY_USER:
		if (env->uprobe_multi)
			p->expected_attach_type = TRACE_UPROBE_MULTI;
		user_places(pg, pg->set, pg->nset, p);
		break;
	case WAY_HAND:
	case WAY_CGROUP:
	case WAY_PERF:
	case WAY_EVENT:
	case WAY_NETFILTER:
	case WAY_PROGRAM:
	case WAY_COUNT:
		break;
	}
}

/* The site's look as a program of its own, which returns 1 or 0. Errors are those of the compilation. */
void prog_look(const struct prog_ctx *pg, struct image_prog *p)
{
	struct prog_ctx own = { .lw = pg->lw,
		.site = pg->site,
		.tier = pg->tier,
		.probe = pg->probe,
		.probe_index = pg->probe_index,
		.errors = diags_errors(pg->lw->d) };
	const struct site_text *text = pg->site->look ? lower_site_text(&own, pg->site->look) : NULL;
	struct clause_ctx head;
	struct report_kept kept;

	if (!text)
		return;
	report_keep(&kept);
	own.ir = ir_new(pg->lw->arena);
	own.ir->guard = pg->lw->env->guard;
	own.exit_label = ir_newlabel(own.ir);
	head = prog_head(&own);
	site_begin(&head);
	lower_jump(&head, text->expr, own.exit_label, false);
	ir_ret(own.ir, ir_imm(own.ir, 1));
	ir_label(own.ir, own.exit_label);
	ir_ret(own.ir, ir_imm(own.ir, 0));
	if (prog_failed(&own))
		return;
	ir_optimise(own.ir);
	if (ir_emit(own.ir, pg->lw->arena, &p->look_code, &kept.reporter) == 0)
		p->look = pg->site->look;
}

void prog_add_notes(struct lowerer *lw, const struct image_prog *p)
{
	const struct image_probe *pr = &lw->im->probes.v[p->probe];

	if (lw->dump_bpf) {
		fprintf(lw->dump_bpf, "; notes for %s:::%s at %s\n", pr->prov, pr->name,
			p->target ? p->target : "its site");
		bpf_disasm(p->code.insns, p->code.n, lw->dump_bpf);
	}
	*vec_push(lw->arena, &lw->im->progs) = *p;
}

/* All programs of a trace together. Each clause of ERROR is part of every clause that may fault, so many clauses on
 * many probes, ERROR among them (*:::), grow with the square of their number. The compiler takes ten seconds for 32 MiB
 * of instructions, and the kernel keeps them twice. */
#define MAX_INSNS (4u << 20)

static bool too_much_code(struct lowerer *lw, struct loc at, size_t more)
{
	lw->ninsns += more;
	lw->full = lw->ninsns > MAX_INSNS;
	if (!lw->full)
		return false;
	diag_error(lw->d, at, D_LIMIT, "trace in several runs, with fewer clauses, or without dtrace:::ERROR",
		"the script makes more than %u instructions in %zu programs", MAX_INSNS, lw->im->progs.n + 1);
	return true;
}

/* Optimises, checks and emits. `at` is where an error is reported. The name is at most 15 characters of
 * [A-Za-z0-9_], as the kernel demands. */
void prog_emit(struct prog_ctx *pg, struct loc at)
{
	struct image_prog p = {
		.target = pg->site->target,
		.probe = pg->probe_index,
		.chooses = pg->site->when != NULL,
		.step = pg->site->step,
		.datagrams = pg->probe->prov->datagrams,
	};
	struct report_kept kept;

	report_keep(&kept);
	ir_optimise(pg->ir);
	if (!has_effect(pg))
		return;
	if (!(pg->tick && pg->site->attach == ATTACH_PERF) && needs_newer(pg, at))
		return;
	if (pg->lw->dump_ir) {
		fprintf(pg->lw->dump_ir, "; %s:::%s at %s\n", pg->probe->prov->name, pg->probe->name,
			pg->site->target ? pg->site->target : "its site");
		ir_dump(pg->ir, pg->lw->dump_ir);
	}
	if (too_many_branches(pg->ir))
		report_error(&kept.reporter, -E2BIG, D_LIMIT, NULL, "more than 8000 conditions");
	if (kept.err || ir_emit(pg->ir, pg->lw->arena, &p.code, &kept.reporter)) {
		diag_error(pg->lw->d, at, D_LIMIT, "trace in several runs, or with fewer clauses on this probe",
			"the clauses of %s:::%s make too large a program: %s", pg->probe->prov->name, pg->probe->name,
			kept.message);
		return;
	}
	if (too_much_code(pg->lw, at, p.code.n) || needs_loops(pg->lw, at, &p.code))
		return;
	if (pg->lw->dump_bpf) {
		fprintf(pg->lw->dump_bpf, "; %s:::%s at %s\n", pg->probe->prov->name, pg->probe->name,
			pg->site->target ? pg->site->target : "its site");
		bpf_disasm(p.code.insns, p.code.n, pg->lw->dump_bpf);
	}
	prog_place(pg, &p);
	prog_look(pg, &p);
	p.flags = pg->sleeps ? BPF_F_SLEEPABLE : 0;
	p.period_ns = pg->probe->period_ns;
	p.tick = pg->tick;
	p.name = arena_printf(pg->lw->arena, "dw_%.6s_%.5s", pg->probe->prov->name, pg->probe->name);
	for (char *c = (char *)(uintptr_t)p.name; *c; c++)
		if (*c == '-')
			*c = '_';
	*vec_push(pg->lw->arena, &pg->lw->im->progs) = p;
}
