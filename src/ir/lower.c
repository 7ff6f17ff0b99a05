/* lower: programs and clauses. Input: checked clauses and the probe's sites; output: programs, maps, record layouts in
 * the image. Invariant: a program leaves every clause by its next label, with the record submitted or discarded. */
#include "ir/lower.h"

#include <linux/bpf.h>
#include <stdarg.h>
#include <string.h>

#include "ir/lower_priv.h"

#define BLUR_FROM 40 /* branches of a program; fewer the verifier can walk one by one */

void lower_error(struct lowerer *lw, struct loc at, enum dtag tag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_error(lw->d, at, tag, NULL, "%s", arena_vprintf(lw->arena, fmt, ap));
	va_end(ap);
	lw->failed = true;
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */
uint32_t map_add(struct lowerer *lw, struct image_map m)
{
	*vec_push(lw->arena, &lw->im->maps) = m;
	return (uint32_t)lw->im->maps.n - 1;
}

#define OWN_MAPS 16u /* of aggregations, and as many of associative arrays: a program may use 64 maps */

/* Those that come late share maps: their keys end in their number. True: this one does. */
bool map_share(struct lowerer *lw, struct symbol *s, enum map_role role)
{
	if (s->number || s->shared)
		return s->shared;
	if (lw->own_maps[role == MAP_AGG] < OWN_MAPS)
		lw->own_maps[role == MAP_AGG]++;
	else
		s->shared = ++lw->nshared;
	return s->shared;
}

/* The map with such keys and values for all that share. */
uint32_t map_shared(struct lowerer *lw, struct image_map m)
{
	m.name = m.role == MAP_AGG ? "aggs" : "dw_dyn";
	for (uint32_t i = 0; i < lw->im->maps.n; i++) {
		const struct image_map *old = &lw->im->maps.v[i];

		if (old->role == m.role && !strcmp(old->name, m.name) && old->key_size == m.key_size &&
			old->value_size == m.value_size)
			return i;
	}
	return map_add(lw, m);
}

uint32_t map_for(struct lowerer *lw, enum map_role role)
{
	static const struct image_map shared[] = {
		[MAP_RINGS] = { MAP_RINGS, "dw_rings", 0, 4, 4, 0, 0, NULL },
		[MAP_ERRORS] = { MAP_ERRORS, "dw_errors", BPF_MAP_TYPE_RINGBUF, 0, 0, ERRORS_RING, 0, NULL },
		[MAP_DROPS] = { MAP_DROPS, "dw_drops", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, DW_DROP_COUNT, 0, NULL },
		[MAP_OWNER] = { MAP_OWNER, "dw_owner", 0, 8, sizeof(struct dw_owner), 0, 0, NULL },
		[MAP_LAST_USERS] = { MAP_LAST_USERS, "dw_last_users", 0, 8, sizeof(struct dw_owner), 0, 0, NULL },
		[MAP_MACHINE] = { MAP_MACHINE, "dw_machine", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct dw_machine), 1, 0,
			NULL },
		[MAP_SENDERS] = { MAP_SENDERS, "dw_senders", 0, 4, sizeof(struct dw_sender), DW_SENDERS, 0, NULL },
		[MAP_GLOBALS] = { MAP_GLOBALS, "dw_globals", BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0, NULL },
		[MAP_SCRATCH] = { MAP_SCRATCH, "dw_scratch", BPF_MAP_TYPE_ARRAY, 4, 64, SCRATCH_SLOTS, 0, NULL },
		[MAP_SPECS] = { MAP_SPECS, "dw_specs", BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0, NULL },
		[MAP_VTIME] = { MAP_VTIME, "dw_vtime", BPF_MAP_TYPE_PERCPU_ARRAY, 4, 24, 1, 0, NULL },
		[MAP_CALLS] = { MAP_CALLS, "dw_calls", BPF_MAP_TYPE_LRU_HASH, 8, 72, 16384, 0, NULL },
		[MAP_ZERO] = { MAP_ZERO, "dw_zero", BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0, NULL },
	};

	if (!lw->maps[role])
		lw->maps[role] = map_add(lw, shared[role]) + 1;
	return lw->maps[role] - 1;
}

struct lowerer *lower_new(struct arena *a, struct diags *d, struct checker *ck, const struct parse_env *penv,
	const struct lower_env *env, struct image *im)
{
	struct lowerer *lw = ARENA_NEW(a, struct lowerer);
	struct lit *empty;

	lw->arena = a;
	lw->d = d;
	lw->ck = ck;
	lw->ts = checker_types(ck);
	lw->penv = penv;
	lw->env = env;
	lw->im = im;
	lw->lits = strmap_new(a);
	lw->filters = strmap_new(a);
	empty = vec_push(a, &im->lits);
	empty->s = "";
	(void)map_for(lw, MAP_RINGS); /* always there: the runtime reports drops and faults through them */
	(void)map_for(lw, MAP_DROPS);
	aggs_begin(lw);
	return lw;
}

/* ---- clauses ----------------------------------------------------------------------------------------------------- */
static void lower_stmts(struct lowerer *lw, struct stmt *const *v, size_t n, bool count);

static bool is_step(const struct expr *e)
{
	return e->kind == EX_UNARY && e->op >= OP_PREINC;
}

/* x++, x += n as statements: one atomic addition where the variable allows it. */
static bool atomic_step(struct lowerer *lw, const struct expr *e)
{
	bool dec = e->op == OP_PREDEC || e->op == OP_POSTDEC || e->op == OP_SUB;
	vreg d;

	if (is_step(e) && e->type->kind == T_INT) {
		return var_add(lw, e->a, ir_imm(lw->ir, dec ? -1 : 1), dec);
	}
	if (e->kind != EX_ASSIGN || (e->op != OP_ADD && e->op != OP_SUB) || e->type->kind != T_INT ||
		e->type->size < 4 || (is_plain_var(e->a) && e->a->sym->scope == SCOPE_THIS))
		return false;
	if (!is_plain_var(e->a) && (e->a->kind != EX_MEMBER || e->a->isuffix))
		return false;
	d = lower_int(lw, e->b);
	return var_add(lw, e->a, dec ? ir_neg(lw->ir, d) : d, dec);
}

static void lower_stmt_expr(struct lowerer *lw, const struct expr *e)
{
	lw->ir->loc = e->loc;
	if (e->kind == EX_ASSIGN && e->a->kind == EX_AGG)
		lower_agg(lw, e);
	else if (e->kind == EX_CALL && e->sym &&
		(func_class(e->sym->func) == FC_ACTION || func_class(e->sym->func) == FC_SYM))
		lower_action(lw, e);
	else if (!atomic_step(lw, e))
		(void)lower_load(lw, lower_expr(lw, e), e);
}

static void lower_if(struct lowerer *lw, const struct stmt *s)
{
	struct ir *ir = lw->ir;
	uint32_t no = ir_newlabel(ir), end = ir_newlabel(ir);
	size_t mark = memo_mark(lw);

	lower_jump(lw, s->expr, no, false);
	lower_stmts(lw, s->then.v, s->then.n, false);
	ir_jmp(ir, end);
	memo_release(lw, mark);
	ir_label(ir, no);
	lower_stmts(lw, s->otherwise.v, s->otherwise.n, false);
	ir_label(ir, end);
	memo_release(lw, mark);
}

static void lower_stmts(struct lowerer *lw, struct stmt *const *v, size_t n, bool count)
{
	for (size_t i = 0; i < n; i++) {
		int32_t mark = ir_stack_mark(lw->ir), held = scratch_mark(lw);

		if (count)
			lw->stmt_no++;
		if (v[i]->kind == ST_IF)
			lower_if(lw, v[i]);
		else
			lower_stmt_expr(lw, v[i]->expr);
		ir_stack_release(lw->ir, mark);
		scratch_release(lw, held);
	}
}

/* A record of the fault instead of the clause's own. */
static void lower_fault_exit(struct lowerer *lw)
{
	struct ir *ir = lw->ir;
	vreg r;

	ir_label(ir, lw->fault_label);
	if (lw->rec)
		ir_call(ir, BPF_FUNC_ringbuf_discard, (vreg[]){ lw->rec, ir_imm(ir, BPF_RB_NO_WAKEUP) }, 2, false);
	ir_label(ir, lw->early_label);
	r = ring_reserve(lw, sizeof(struct dw_err), lw->next_label);
	ir_st(ir, r, offsetof(struct dw_err, rec.ts), 8, ktime(lw));
	ir_sti(ir, r, offsetof(struct dw_err, rec.epid), 4, -1);
	ir_sti(ir, r, offsetof(struct dw_err, rec.len), 4, sizeof(struct dw_err));
	ir_st(ir, r, offsetof(struct dw_err, epid), 4, multi_epid(lw));
	ir_st(ir, r, offsetof(struct dw_err, action), 4, lw->fault_action);
	ir_st(ir, r, offsetof(struct dw_err, fault), 4, lw->fault_code);
	ir_st(ir, r, offsetof(struct dw_err, pc), 4, lw->fault_pc);
	ir_st(ir, r, offsetof(struct dw_err, value), 8, lw->fault_value);
	ring_submit(lw, r, true);
}

static bool has_exit(const struct epid *ep)
{
	for (size_t i = 0; i < ep->nactions; i++)
		if (ep->actions[i].kind == ACT_EXIT)
			return true;
	return false;
}

static void begin_record(struct lowerer *lw, const struct epid *ep)
{
	struct ir *ir = lw->ir;

	lw->rec = ring_reserve(lw, ep->rec_size, lw->next_label);
	ir_st(ir, lw->rec, offsetof(struct dw_rec, ts), 8, ktime(lw));
	ir_st(ir, lw->rec, offsetof(struct dw_rec, epid), 8,
		ir_alu(ir, ALU_OR, multi_epid(lw), ir_imm(ir, (int64_t)((uint64_t)ep->rec_size << 32))));
	if (ep->spec_off)
		ir_sti(ir, lw->rec, (int32_t)ep->spec_off, 8, 0);
	for (size_t i = 0; i < ep->nactions; i++)
		if (ep->actions[i].guard_off)
			ir_sti(ir, lw->rec, (int32_t)ep->actions[i].guard_off, 8, 0);
}

/* The predicate of a clause. With only one in the program, and if neither it nor what stands before it wants scratch
 * memory, that is not taken unless the predicate holds. */
static void lower_predicate(struct lowerer *lw, const struct expr *pred)
{
	size_t faults = lw->faults;

	if (!lw->unused_label) {
		lower_jump(lw, pred, lw->next_label, false);
		return;
	}
	lower_jump(lw, pred, lw->unused_label, false);
	if (lw->scratch || lw->faults != faults)
		return;
	lw->scratch_at = lw->ir->code.n;
	lw->taken_late = true;
}

static void lower_clause(struct lowerer *lw, const struct job *job)
{
	struct ir *ir = lw->ir;
	const struct clause *c = job->clause;
	struct epid *ep = &lw->im->epids.v[job->epid];
	int32_t stack = ir_stack_mark(ir), held = scratch_mark(lw);
	size_t memo = memo_mark(lw);

	lw->clause = c;
	lw->epid = job->epid;
	lw->rec = 0;
	lw->stmt_no = 0;
	lw->action_no = 0;
	lw->actions = ep->actions;
	lw->fault_code = ir_var(ir);
	lw->fault_value = ir_var(ir);
	lw->fault_action = ir_var(ir);
	lw->fault_pc = ir_var(ir);
	lw->next_label = ir_newlabel(ir);
	lw->fault_label = lw->early_label = ir_newlabel(ir); /* faults of the predicate: no record yet */
	multi_clause(lw, job, lw->next_label);
	if (c->pred)
		lower_predicate(lw, c->pred);
	scratch_release(lw, held);
	lw->fault_label = ir_newlabel(ir);
	if (ep->rec_size)
		begin_record(lw, ep);
	lower_stmts(lw, c->body.v, c->body.n, true);
	if (lw->rec)
		ring_submit(lw, lw->rec, has_exit(ep));
	ir_jmp(ir, lw->next_label);
	lower_fault_exit(lw);
	ir_label(ir, lw->next_label);
	memo_release(lw, memo);
	ir_stack_release(ir, stack);
	lw->clause = NULL;
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */
/* A D text of the site (its condition, its value), parsed and checked once for all its programs. */
const struct site_text *lower_site_text(struct lowerer *lw, const char *text)
{
	struct site_text *f = strmap_get(lw->filters, text);
	struct source *src;

	if (f)
		return f;
	f = ARENA_NEW(lw->arena, struct site_text);
	src = ARENA_NEW(lw->arena, struct source);
	check_use(lw->ck, text);
	*src = (struct source){ .name = "provider", .text = text, .len = strlen(text), .library = true };
	f->expr = parse_expr_text(lw->penv, src);
	if (!f->expr || !check_site_expr(lw->ck, f->expr, lw->prov->raw, &f->param)) {
		lw->failed = true;
		return NULL;
	}
	strmap_put(lw->filters, text, f);
	return f;
}

void site_prog_type(const struct lowerer *lw, struct image_prog *p)
{
	switch (lw->site->attach) {
	case ATTACH_TEST_RUN:
		p->prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
		break;
	case ATTACH_TP_BTF:
		p->prog_type = BPF_PROG_TYPE_TRACING;
		p->expected_attach_type = BPF_TRACE_RAW_TP;
		break;
	case ATTACH_CGROUP_INGRESS:
		p->prog_type = BPF_PROG_TYPE_CGROUP_SKB;
		p->expected_attach_type = BPF_CGROUP_INET_INGRESS;
		break;
	case ATTACH_CGROUP_EGRESS:
		p->prog_type = BPF_PROG_TYPE_CGROUP_SKB;
		p->expected_attach_type = BPF_CGROUP_INET_EGRESS;
		break;
	case ATTACH_CGROUP_SOCKOPS:
		p->prog_type = BPF_PROG_TYPE_SOCK_OPS;
		p->expected_attach_type = BPF_CGROUP_SOCK_OPS;
		break;
	case ATTACH_CGROUP_RELEASE:
		p->prog_type = BPF_PROG_TYPE_CGROUP_SOCK;
		p->expected_attach_type = BPF_CGROUP_INET_SOCK_RELEASE;
		break;
	case ATTACH_PERF:
		p->prog_type = BPF_PROG_TYPE_PERF_EVENT;
		break;
	case ATTACH_UPROBE:
	case ATTACH_URETPROBE:
		p->prog_type = BPF_PROG_TYPE_KPROBE;
		if (lw->env->uprobe_multi)
			p->expected_attach_type = TRACE_UPROBE_MULTI;
		break;
	case ATTACH_FENTRY:
		p->prog_type = BPF_PROG_TYPE_TRACING;
		p->expected_attach_type = BPF_TRACE_FENTRY;
		break;
	case ATTACH_FEXIT:
		p->prog_type = BPF_PROG_TYPE_TRACING;
		p->expected_attach_type = BPF_TRACE_FEXIT;
		break;
	case ATTACH_KPROBE:
	case ATTACH_KRETPROBE:
		p->prog_type = BPF_PROG_TYPE_KPROBE;
		break;
	}
}

static bool is_cgroup(const struct site *s)
{
	return s->attach == ATTACH_CGROUP_INGRESS || s->attach == ATTACH_CGROUP_EGRESS ||
		s->attach == ATTACH_CGROUP_SOCKOPS || s->attach == ATTACH_CGROUP_RELEASE;
}

/* Helpers that only read, or write to memory of the program's own. */
static bool is_harmless(int64_t helper)
{
	return helper == BPF_FUNC_map_lookup_elem || helper == BPF_FUNC_probe_read_kernel ||
		helper == BPF_FUNC_probe_read_kernel_str || helper == BPF_FUNC_copy_from_user ||
		helper == BPF_FUNC_sk_storage_get;
}

/* Registers that point to the stack or to scratch memory; a variable may be set to something else too. */
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

/* Can a run of the program be noticed by anybody? What remains of a clause whose predicate is false at this site
 * (cs_pid != -1 where there is never an owner) cannot: such a program is not worth its time. */
static bool has_effect(struct lowerer *lw)
{
	struct private_regs p = { ARENA_ARRAY(lw->arena, bool, lw->ir->nvregs + 1u),
		ARENA_ARRAY(lw->arena, bool, lw->ir->nvregs + 1u) };

	for (size_t i = 0; i < lw->ir->code.n; i++) {
		const struct ir_insn *in = &lw->ir->code.v[i];

		if (in->d)
			note_private(&p, in, lw->scratch);
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
			if (in->imm == LIB_chill)
				return true;
			break;
		case IR_XADD:
		case IR_XCHG:
		case IR_CMPXCHG:
			return true;
		default:
			break;
		}
	}
	return false;
}

/* The verifier follows 8192 open branches on one path; past that Linux 6.18 may crash rather than refuse. */
#define MAX_BRANCHES 8000

/* Of one call of a library function, as measured, with room to spare: bodies of loops are looked at once. */
static size_t lib_branches(int64_t fn)
{
	switch (fn) {
	case LIB_text_json:
		return 16;
	case LIB_path_text:
	case LIB_walk_kernel:
	case LIB_walk_user:
		return 8;
	default:
		return 5;
	}
}

/* Loops that the verifier walks: what is open in the longest is open once. */
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

/* The function of the site; by kprobes, those of all probes that share it, with their numbers as cookies. */
void lower_site_targets(struct lowerer *lw, struct image_prog *p)
{
	bool shared = lw->site->by_cookie;

	p->target = site_function(lw->site, lw->probe);
	p->module = site_module(lw->site, lw->probe);
	p->ntargets = shared ? lw->nset : 1;
	p->targets = ARENA_ARRAY(lw->arena, struct image_target, p->ntargets);
	for (size_t i = 0; i < p->ntargets; i++) {
		const struct probe *pr = shared ? lw->set[i].probe : lw->probe;

		p->targets[i].func = site_function(lw->site, pr);
		p->targets[i].module = site_module(lw->site, pr);
		p->targets[i].cookie = i;
	}
}

static void emit_program(struct lowerer *lw, struct loc at, FILE *dump_ir, FILE *dump_bpf)
{
	struct image_prog p = { .attach = lw->site->attach, .target = lw->site->target, .probe = lw->probe_index };
	struct kernel_func func;
	const char *why = "";

	ir_optimise(lw->ir);
	if (!has_effect(lw))
		return;
	if (dump_ir) {
		fprintf(dump_ir, "; %s:::%s at %s\n", lw->prov->name, lw->probe->name,
			lw->site->target ? lw->site->target : "its site");
		ir_dump(lw->ir, dump_ir);
	}
	if (too_many_branches(lw->ir))
		why = "more than 8000 conditions";
	if (*why || ir_emit(lw->ir, &p.code, &why)) {
		diag_error(lw->d, at, D_LIMIT, "trace in several runs, or with fewer clauses on this probe",
			"the clauses of %s:::%s make too large a program: %s", lw->prov->name, lw->probe->name, why);
		lw->failed = true;
		return;
	}
	if (dump_bpf) {
		fprintf(dump_bpf, "; %s:::%s at %s\n", lw->prov->name, lw->probe->name,
			lw->site->target ? lw->site->target : "its site");
		bpf_disasm(p.code.insns, p.code.n, dump_bpf);
	}
	site_prog_type(lw, &p);
	p.flags = lw->sleeps ? BPF_F_SLEEPABLE : 0;
	if (is_user_site(lw->site))
		user_places(lw, lw->set, lw->nset, &p);
	if (site_is_function(lw->site) || lw->site->attach == ATTACH_KPROBE || lw->site->attach == ATTACH_KRETPROBE)
		lower_site_targets(lw, &p);
	p.period_ns = lw->probe->period_ns;
	if (lw->site->attach == ATTACH_TP_BTF) {
		p.attach_btf_id = lw->env->tracepoint(lw->env->ctx, lw->site->module, lw->site->target, &func);
		p.module = func.module;
	}
	if (site_is_function(lw->site))
		p.attach_btf_id = lw->env->function(lw->env->ctx, p.module, p.target, &func);
	p.name = arena_printf(lw->arena, "dw_%.6s_%.5s", lw->prov->name, lw->probe->name);
	for (char *c = (char *)(uintptr_t)p.name; *c; c++)
		if (*c == '-')
			*c = '_';
	*vec_push(lw->arena, &lw->im->progs) = p;
}

/* Places where paths meet again with different values. */
static size_t expr_branches(const struct expr *e)
{
	size_t n;

	if (!e)
		return 0;
	n = e->kind == EX_COND || (e->kind == EX_UNARY && e->op == OP_NOT) ||
		(e->kind == EX_BINARY && e->op >= OP_LAND) || e->kind == EX_ASSIGN ||
		(e->sym && (e->sym->kind == SYM_ASSOC || e->sym->scope == SCOPE_SELF));
	for (size_t i = 0; i < e->args.n; i++)
		n += expr_branches(e->args.v[i]);
	return n + expr_branches(e->a) + expr_branches(e->b) + expr_branches(e->c);
}

static size_t stmt_branches(struct stmt *const *v, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += expr_branches(v[i]->expr) + (v[i]->kind == ST_IF) + stmt_branches(v[i]->then.v, v[i]->then.n) +
			stmt_branches(v[i]->otherwise.v, v[i]->otherwise.n);
	return sum;
}

static size_t count_branches(const struct jobs *jobs)
{
	size_t sum = 0;

	for (size_t i = 0; i < jobs->v.n; i++) {
		const struct clause *c = jobs->v.v[i].clause;

		sum += expr_branches(c->pred) + stmt_branches(c->body.v, c->body.n);
	}
	return sum;
}

static void lower_site(
	struct lowerer *lw, const struct site *site, const struct jobs *jobs, FILE *dump_ir, FILE *dump_bpf)
{
	const struct site_text *f;
	vreg ret;

	lw->ir = ir_new(lw->arena);
	lw->site = site;
	lw->clause = NULL;
	lw->sleeps = false;
	lw->exit_label = ir_newlabel(lw->ir);
	lw->blurs = count_branches(jobs) > BLUR_FROM;
	vars_begin(lw);
	site_begin(lw);
	if (lw->env->only_cpu)
		ir_jcci(lw->ir, CC_NE, ir_call(lw->ir, BPF_FUNC_get_smp_processor_id, NULL, 0, true),
			(int32_t)lw->env->only_cpu - 1, lw->exit_label);
	multi_begin(lw, jobs);
	call_begin(lw);
	if (site->when) {
		f = lower_site_text(lw, site->when);
		if (!f)
			return;
		lower_jump(lw, f->expr, lw->exit_label, false);
	}
	scratch_begin(lw);
	for (size_t i = 0; i < jobs->v.n; i++)
		vars_collect(lw, jobs->v.v[i].clause);
	heap_place(lw);
	lw->taken_late = false;
	lw->unused_label = jobs->v.n == 1 && jobs->v.v[0].clause->pred ? ir_newlabel(lw->ir) : 0;
	for (size_t i = 0; i < jobs->v.n && !lw->failed; i++)
		lower_clause(lw, &jobs->v.v[i]);
	if (lw->unused_label && !lw->taken_late)
		ir_label(lw->ir, lw->unused_label);
	scratch_end(lw, lw->exit_label);
	if (lw->taken_late)
		ir_label(lw->ir, lw->unused_label);
	ir_label(lw->ir, lw->exit_label);
	ret = ir_imm(lw->ir, is_cgroup(site)); /* 1: the packet may pass */
	ir_ret(lw->ir, ret);
	if (!lw->failed)
		emit_program(lw, jobs->v.n ? jobs->v.v[0].clause->loc : (struct loc){ 0 }, dump_ir, dump_bpf);
}

/* The sites of the kprobes tier are those of the functions, reached otherwise. */
const struct site *lower_site_reached(struct lowerer *lw, const struct site *s, enum tier t)
{
	struct site *by;

	if (!site_is_function(s) || t != TIER_KPROBES)
		return s;
	by = ARENA_NEW(lw->arena, struct site);
	*by = *s;
	by->attach = s->attach == ATTACH_FENTRY ? ATTACH_KPROBE : ATTACH_KRETPROBE;
	return by;
}

static const char *probe_text(struct lowerer *lw, const struct probe *p)
{
	return arena_printf(lw->arena, "%s:%s:%s:%s", p->prov->name, *p->func ? p->mod : "", p->func, p->name);
}

static void site_missing(struct lowerer *lw, const struct probe_left *m)
{
	uint32_t only = lw->env->only_tier;
	const char *tier = only ? tier_name((enum tier)(only - 1)) : "", *hint = "dwire -lv tells what this kernel has";

	if (only)
		hint = arena_printf(lw->arena, "leave out -x tier=%s; dwire -lv tells what this kernel has", tier);
	else if (m->site && m->site->attach == ATTACH_TP_BTF)
		hint = "a later kernel has it; dwire -lv tells what this kernel has";
	else if (m->site && !site_is_function(m->site))
		hint = "Linux 6.2 and later have it; dwire -lv tells what this kernel has";
	if (m->site && m->site->functions)
		diag_error(lw->d, m->at, D_KERNEL, NULL,
			"%s cannot be traced: no process has mapped %s, and it is not where libraries are",
			probe_text(lw, m->probe), m->lacks);
	else if (!m->site)
		diag_error(lw->d, m->at, D_KERNEL, hint, "%s cannot be traced in the tier %s: it is not seen there",
			probe_text(lw, m->probe), tier);
	else
		diag_error(lw->d, m->at, D_KERNEL, hint,
			"%s cannot be traced%s%s: it needs the %s, which this kernel does not have",
			probe_text(lw, m->probe), only ? " in the tier " : "", tier, m->lacks);
	lw->failed = true;
}

/* Does some description name these probes, and not only a pattern? */
static bool is_named(const struct enabled *set, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < set[i].n; k++) {
			const struct clause *c = set[i].on[k].clause;

			for (size_t d = 0; d < c->probes.n; d++)
				if (c->probes.v[d].id || !strcmp(c->probes.v[d].name, set[i].probe->name))
					return true;
		}
	return false;
}

void lower_bare_site(struct lowerer *lw, const struct site *site)
{
	static const struct jobs none = { .nmembers = 0 };

	lower_site(lw, site, &none, NULL, NULL);
}

void lower_probes(struct lowerer *lw, const struct enabled *set, size_t n, FILE *dump_ir, FILE *dump_bpf)
{
	const struct probe *p = set[0].probe;
	struct jobs jobs = { .nmembers = 0 };
	struct tier_choice c = tier_choose(lw->env, lw->arena, p, n);
	struct probe_left m = { .probe = p, .at = set[0].on[0].clause->loc, .site = c.site, .lacks = c.lacks };
	enum tier t = (enum tier)c.tier;

	lw->failed = false;
	lw->prov = p->prov;
	lw->probe = p;
	if (c.tier < 0 && !is_named(set, n)) {
		lw->left = m;
		return;
	}
	lw->any_site = true;
	if (c.tier < 0) {
		site_missing(lw, &m);
		return;
	}
	lw->tier = t;
	lw->set = set;
	lw->nset = n;
	multi_plan(lw, set, n, &jobs);
	for (size_t i = 0; i < p->def->nsites && !lw->failed; i++) {
		const struct site *s = &p->def->sites[i];

		if (site_in_tier(s, t) && !site_lacks(lw->env, lw->arena, p, s, t))
			lower_site(lw, lower_site_reached(lw, s, t), &jobs, dump_ir, dump_bpf);
	}
}

void lower_finish(struct lowerer *lw)
{
	if (lw->left.probe && !lw->any_site)
		site_missing(lw, &lw->left);
	vtime_finish(lw);
	stamps_finish(lw);
	calls_finish(lw);
	scratch_finish(lw);
	if (lw->maps[MAP_GLOBALS])
		lw->im->maps.v[lw->maps[MAP_GLOBALS] - 1].value_size = lw->im->globals_size ? lw->im->globals_size : 8;
	if (lw->maps[MAP_ZERO])
		lw->im->maps.v[lw->maps[MAP_ZERO] - 1].value_size = lw->zero_size ? lw->zero_size : 8;
}
