/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compile: see compile.h. run_stages() lists the pipeline.
 * Input: the texts and options in struct compilation. Output: an image, or diagnostics.
 * Invariants: everything is allocated in the arena. No stage begins after an error or a lack of memory
 * (has_failed()). */
#include "compile/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compile/builtin.h"
#include "compile/library.h"
#include "compile/pragma.h"
#include "lang/attrs.h"
#include "lang/parse/lex.h"
#include "lower/tiers.h"
#include "probes/stability.h"
#include "prov/providers.h"

/* Has the compilation failed? Each stage checks this at its end, and inside loops over user input. */
static bool has_failed(const struct compilation *c)
{
	return diags_errors(c->diags) || arena_failed(c->arena);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */
/* The description at the head of a -P, -m, -f, -n argument ends at a blank, a predicate or a body. */
static size_t description_length(const char *s)
{
	return strcspn(s, " \t\r\n/{");
}

/* Up to the predicate or the body, blanks included. */
static size_t shown_length(const struct source *src)
{
	uint32_t i = 0, n;

	while (i < src->len && !strchr("{;", src->text[i]) && (src->text[i] != '/' || lex_pdesc_path(src, i))) {
		n = lex_pdesc_path(src, i);
		i += n ? n : 1;
	}
	return i;
}

void compile_add(struct compilation *c, enum text_kind kind, const char *name, const char *text, size_t len)
{
	static const char *const colons[] = {
#define X(kind, text) text,
		TEXT_KINDS(X)
#undef X
	};
	struct text *t = vec_push(c->arena, &c->texts);
	char *copy = arena_try(c->arena, len + 1);
	size_t n;

	if (copy)
		memcpy(copy, text, len);
	else {
		copy = arena_strdup(c->arena, ""); /* compile_run() reports that the arena has failed */
		len = 0;
	}
	n = description_length(copy);

	t->kind = kind;
	t->src.name = arena_strdup(c->arena, name);
	t->src.text = copy;
	t->src.len = len;
	if (*colons[kind]) {
		t->src.text = arena_printf(c->arena, "%.*s%s%s", (int)n, copy, colons[kind], copy + n);
		t->src.len = strlen(t->src.text);
	}
	t->probe_attrs = t->stmt_attrs = STABILITY_STABLE;
	/* As dtrace shows it: up to the predicate or the body, with trailing blanks. */
	t->shown = kind == TEXT_SCRIPT
		? t->src.name
		: arena_strndup(c->arena, copy, shown_length(&(struct source){ .text = copy, .len = len }));
}

/* ---- parsing ----------------------------------------------------------------------------------------------------- */
static bool is_typename(void *ctx, const char *name)
{
	return types_is_name(((struct compilation *)ctx)->types, name);
}

/* Declares what the texts need of the built-in library, then the user's libraries. */
static int parse_libraries(struct compilation *c)
{
	if (builtin_init(c))
		return -EINVAL;
	for (size_t i = 0; i < c->texts.n; i++)
		builtin_use(c, c->texts.v[i].src.text, c->texts.v[i].src.len);
	for (int i = 1; i < c->macros.argc; i++) /* $1 may be a name */
		builtin_use(c, c->macros.argv[i], strlen(c->macros.argv[i]));
	library_leave_out(c);
	for (size_t i = 0; i < c->libraries.n; i++) {
		struct library *lib = &c->libraries.v[i];

		if (lib->left_out)
			continue;
		builtin_use(c, lib->src.text, lib->src.len);
		if (parse_source(&c->penv, &lib->src, &lib->prog))
			return -EINVAL;
	}
	return has_failed(c) ? -EINVAL : 0;
}

/* A probe without a body traces only that it fired. In a script that is an error, as in DTrace: an empty body, { },
 * says that it is meant. A predicate always needs a body. */
static void check_bodies(struct compilation *c, const struct text *t)
{
	for (size_t i = 0; i < t->prog.decls.n; i++) {
		const struct decl *d = t->prog.decls.v[i];

		if (d->kind != DECL_CLAUSE || d->u.clause.has_body)
			continue;
		if (d->u.clause.pred)
			diag_error(c->diags, d->loc, D_SYNTAX, probes_hint_path(c->arena, d->loc),
				"expected actions { } after the predicate");
		else if (t->kind == TEXT_SCRIPT)
			diag_error(c->diags, d->loc, D_SYNTAX, "{ } traces that it fired",
				"expected a predicate or actions after the probe");
	}
}

/* Parses one text. With -i the number is checked first: the parser would take "12x" for a name. */
static void parse_text(struct compilation *c, struct text *t)
{
	struct loc all = { .src = &t->src, .len = (uint32_t)t->src.len };
	size_t digits = strspn(t->src.text, "0123456789");

	if (t->kind == TEXT_ID && (!digits || digits != description_length(t->src.text))) {
		diag_error(c->diags, all, D_PDESC_INVAL, "-l lists the probes and their numbers",
			"the number of a probe is needed");
		return;
	}
	if (!parse_source(&c->penv, &t->src, &t->prog) && !t->prog.decls.n && !c->opts->empty)
		diag_error(c->diags, (struct loc){ 0 }, D_EMPTY, NULL, "%s: the program is empty", t->src.name);
	check_bodies(c, t);
}

/* Makes what all stages share. Needs the options and arguments of the caller, but no kernel. */
static void setup(struct compilation *c)
{
	c->types = types_new(c->arena, c->ktypes);
	c->macros.defaultargs = c->opts->defaultargs;
	c->macros.used = ARENA_ARRAY(c->arena, unsigned char, (size_t)c->macros.argc + 1);
	c->penv = (struct parse_env){
		.arena = c->arena,
		.diags = c->diags,
		.macros = &c->macros,
		.is_typename = is_typename,
		.ctx = c,
		.pragma = pragma_read,
		.typenames = strmap_new(c->arena),
	};
	probes_init(&c->probes, c->arena, providers(), c->lists);
	c->probes.legacy_calls = &c->opts->legacycalls;
}

static int parse_texts(struct compilation *c)
{
	int r;

	c->in_library = true;
	r = parse_libraries(c);
	c->in_library = false;
	if (r)
		return r;
	for (size_t i = 0; i < c->texts.n; i++)
		parse_text(c, &c->texts.v[i]);
	return has_failed(c) ? -EINVAL : 0;
}

/* Returns a stage's result. A lack of memory overrides it, as the findings may be incomplete. */
static int finish(struct compilation *c, int r)
{
	if (!arena_failed(c->arena))
		return r;
	diags_no_memory(c->diags, "compile the program");
	return -ENOMEM;
}

int compile_parse(struct compilation *c)
{
	setup(c);
	return finish(c, parse_texts(c));
}

static int declare_texts(struct compilation *c)
{
	int r = parse_texts(c);

	if (r)
		return r;
	c->checker = checker_new(c->arena, c->diags, c->types, (uint32_t)c->opts->strsize);
	for (size_t i = 0; i < c->texts.n; i++)
		check_decls(c->checker, &c->texts.v[i].prog);
	return has_failed(c) ? -EINVAL : 0;
}

int compile_declare(struct compilation *c)
{
	setup(c);
	return finish(c, declare_texts(c));
}

/* An argument ($1, ...) that no text uses is an error, as in DTrace (see -x argref). */
static int check_arguments(struct compilation *c)
{
	for (int i = 1; i < c->macros.argc && !c->opts->argref; i++)
		if (!c->macros.used[i])
			diag_error(c->diags, (struct loc){ 0 }, D_MACRO_UNUSED,
				strpbrk(c->macros.argv[i], "{/@") ? "a program with blanks stands in quotes: -n '...'"
								  : NULL,
				"extraneous argument '%s' ($%d is not referenced)", c->macros.argv[i], i);
	return has_failed(c) ? -EINVAL : 0;
}

/* ---- matching and checking --------------------------------------------------------------------------------------- */
/* As in DTrace, two descriptions of a clause that both name the probe enable it twice. */
static void enable(struct compilation *c, size_t probe, const struct clause *cl)
{
	enablings *on;

	while (c->by_probe.n <= probe && !arena_failed(c->arena))
		*vec_push(c->arena, &c->by_probe) = (enablings){ 0 };
	if (arena_failed(c->arena))
		return;
	on = &c->by_probe.v[probe];
	if (!on->n)
		*vec_push(c->arena, &c->order) = (uint32_t)probe;
	vec_push(c->arena, on)->clause = cl;
}

/* Signatures of the probes of a clause. */
typedef VEC(const struct probe_sig *) sig_list;

static void add_sig(struct compilation *c, sig_list *sigs, struct probe *p)
{
	struct probe_sig *s = ARENA_NEW(c->arena, struct probe_sig);

	s->prov = p->prov->name;
	s->mod = p->mod;
	s->func = p->func;
	s->name = p->name;
	s->args = probe_args(&c->probes, p);
	s->raw = p->prov->raw;
	*vec_push(c->arena, sigs) = s;
}

/* Prefers the reason that a provider gave (no such process, no such function) to the general message. */
static void report_unmatched(struct compilation *c, const struct pdesc *pd)
{
	const struct probe_fault *f = probes_fault(&c->probes, pd);

	if (f)
		diag_error(c->diags, pd->loc, f->tag, f->hint, "%s", f->message);
	else
		diag_error(c->diags, pd->loc, D_PDESC_ZERO, probes_hint(&c->probes, pd),
			"probe description %s does not match any probes", pd->text);
}

/* Matches the clause's descriptions with the probes, which are made now, and enables the clause on each match. Adds the
 * signature of each to sigs; returns their number. */
static size_t match_clause(struct compilation *c, struct text *t, struct clause *cl, sig_list *sigs)
{
	size_t total = 0;

	for (size_t k = 0; k < cl->probes.n; k++) {
		const struct pdesc *pd = &cl->probes.v[k];
		size_t found = 0;

		probes_make(&c->probes, pd);
		for (size_t i = 0; i < c->probes.all.n && !arena_failed(c->arena); i++)
			if (probe_matches(pd, &c->probes.all.v[i])) {
				if (!found++)
					t->probe_attrs =
						stability_min(t->probe_attrs, pdesc_stability(pd, &c->probes.all.v[i]));
				add_sig(c, sigs, &c->probes.all.v[i]);
				enable(c, i, cl);
			}
		if (!found && !c->opts->zdefs)
			report_unmatched(c, pd);
		total += found;
	}
	return total;
}

/* Enforces -x amin: reports a statement that uses something less stable than the minimum. */
static void check_least(void *ctx, const struct expr *e, const char *what, struct stability s)
{
	struct compilation *c = ctx;
	char buf[64];

	if (c->opts->amin_given && stability_below(s, c->opts->amin))
		diag_error(c->diags, e->loc, D_ATTR_MIN, NULL,
			"attributes for %s %s (%s) are less than predefined minimum", what, e->name ? e->name : "",
			stability_text(s, buf));
}

/* Computes the text's least stability for -v, and enforces -x amin. */
static void check_stability(struct compilation *c, struct text *t, const struct clause *cl, const struct provider *prov)
{
	const struct attrs_env env = {
		.args = provider_stability(prov)->args,
		.named = pragma_attrs,
		.seen = check_least,
		.ctx = c,
	};

	t->stmt_attrs = stability_min(t->stmt_attrs, clause_attrs(cl, &env));
	if (c->opts->amin_given && stability_below(t->probe_attrs, c->opts->amin)) {
		char buf[64];

		diag_error(c->diags, cl->loc, D_ATTR_MIN, NULL,
			"attributes for probe description %s (%s) are less than predefined minimum",
			cl->probes.v[0].text, stability_text(t->probe_attrs, buf));
	}
}

/* Matches and checks the clauses in the order of the program, which is the order in which a probe runs them. */
static void check_text(struct compilation *c, struct text *t, uint32_t *index)
{
	for (size_t k = 0; k < t->prog.decls.n; k++) {
		struct clause *cl = &t->prog.decls.v[k]->u.clause;
		sig_list sigs = { 0 };

		if (t->prog.decls.v[k]->kind != DECL_CLAUSE || arena_failed(c->arena))
			continue;
		cl->index = (*index)++;
		t->matched += match_clause(c, t, cl, &sigs);
		if (sigs.n || c->opts->zdefs)
			check_clause(c->checker, cl, sigs.v, sigs.n);
		else
			checker_forgo(c->checker, cl);
		if (sigs.n && !has_failed(c))
			check_stability(c, t, cl, probes_provider(&c->probes, sigs.v[0]->prov));
	}
}

/* A library that has clauses would trace without being asked to. */
static void check_library(struct compilation *c, struct library *lib)
{
	for (size_t k = 0; k < lib->prog.decls.n; k++)
		if (lib->prog.decls.v[k]->kind == DECL_CLAUSE)
			diag_error(c->diags, lib->prog.decls.v[k]->loc, D_SYNTAX, NULL,
				"a library declares; it has no clauses");
	check_decls(c->checker, &lib->prog);
}

/* For checker_use(): an inline of dlib/ that is expanded may need further declarations. */
static void use_words(void *ctx, const char *text)
{
	builtin_use(ctx, text, text ? strlen(text) : 0);
}

/* Of a process's stack: in pieces that lower/text/sym.c copies, as much as is asked for or 8 KB; a record has
 * bounds. */
static uint32_t copy_size(uint64_t asked)
{
	uint64_t n = asked ? (asked + 511) / 512 * 512 : 8192;

	return n > 32768 ? 32768 : (uint32_t)n;
}

/* Checks declarations before clauses, libraries before texts. What concerns the whole program comes last: unused
 * pragmas, aggregations that are used in different ways, formats. */
static int check_texts(struct compilation *c)
{
	uint32_t index = 0;

	c->checker = checker_new(c->arena, c->diags, c->types, (uint32_t)c->opts->strsize);
	checker_pcapsize(c->checker, c->opts->pcapsize);
	checker_use(c->checker, use_words, c);
	pragma_bind(c);
	checker_frames(
		c->checker, c->opts->stackframes, c->opts->ustackframes, c->opts->jstackframes, c->opts->maxframes);
	checker_ustackcopy(c->checker, !c->opts->dwarf ? 0 : copy_size(c->opts->ustackcopy));
	if (c->ktypes)
		check_decls(c->checker, &c->library);
	for (size_t i = 0; i < c->libraries.n; i++)
		check_library(c, &c->libraries.v[i]);
	if (has_failed(c))
		return -EINVAL;
	for (size_t i = 0; i < c->texts.n; i++)
		check_decls(c->checker, &c->texts.v[i].prog);
	for (size_t i = 0; i < c->texts.n; i++)
		check_text(c, &c->texts.v[i], &index);
	if (!has_failed(c))
		pragma_finish(c);
	for (size_t i = 0; i < c->texts.n && !has_failed(c); i++)
		check_agg_uses(c->checker, &c->texts.v[i].prog);
	for (size_t i = 0; i < c->texts.n && !has_failed(c); i++)
		check_forms(c->checker, &c->texts.v[i].prog);
	return has_failed(c) ? -EINVAL : 0;
}

/* ---- lowering ---------------------------------------------------------------------------------------------------- */
#define NSPEC_MAX 8192u   /* speculations at once: each 64 of them are some instructions */
#define FUNCTIONS_EACH 8u /* so many functions of the kernel have a program each; more share one, by kprobes */

/* Functions of the kernel share a program if they are many, and kprobes are there. */
static bool shares_function(const struct compilation *c, const struct probe *p)
{
	const struct lower_env *env = &c->lenv;
	size_t n = 0;

	for (size_t k = 0; k < c->order.n && n <= FUNCTIONS_EACH; k++)
		n += c->probes.all.v[c->order.v[k]].def == p->def;
	if (env->only_tier ? env->only_tier != TIER_KPROBES + 1u : n <= FUNCTIONS_EACH)
		return false;
	return !env->tier_lacks || !env->tier_lacks(env->ctx, TIER_KPROBES);
}

/* Do all enabled probes with p's definition share its programs? They do if a program learns at run time which of them
 * fired: by the number of a system call, or by the attachment's cookie. */
static bool shares_sites(const struct compilation *c, const struct probe *p)
{
	if (p->def->nsites && p->def->sites[0].by_cookie && c->lenv.no_cookie)
		return false;
	if (p->def->nsites && site_is_function(&p->def->sites[0]))
		return p->def->sites[0].by_cookie && shares_function(c, p);
	return p->def->nsites && (p->def->sites[0].number || p->def->sites[0].by_cookie);
}

/* The clauses of a probe that can ever run, in the arena. All of BEGIN, END and ticks stay: a trace may consist of
 * them. */
static struct enabled clauses_on(struct compilation *c, size_t i)
{
	const struct probe *p = &c->probes.all.v[i];
	const enablings *on = &c->by_probe.v[i];
	struct enabling *kept = ARENA_ARRAY(c->arena, struct enabling, on->n + 1);
	bool by_hand = p->def->nsites && p->def->sites[p->def->nsites - 1].attach == ATTACH_TEST_RUN;
	size_t n = 0;

	for (size_t k = 0; k < on->n; k++)
		if (by_hand || !expr_never(on->v[k].clause->pred))
			kept[n++] = on->v[k];
	c->image.idle |= on->n && !n;
	return (struct enabled){ p, kept, n };
}

/* The probe at i of the order, with all that share its sites: they are lowered at the first of them. */
static void lower_with_others(struct compilation *c, struct lowerer *lw, size_t i)
{
	const struct probe *p = &c->probes.all.v[c->order.v[i]];
	bool shares = shares_sites(c, p);
	VEC(struct enabled) set = { 0 };

	for (size_t k = 0; k < i && shares; k++)
		if (c->probes.all.v[c->order.v[k]].def == p->def)
			return;
	for (size_t k = i; k < c->order.n && (k == i || shares); k++) {
		const struct probe *other = &c->probes.all.v[c->order.v[k]];
		struct enabled on;

		if (k != i && other->def != p->def)
			continue;
		on = clauses_on(c, c->order.v[k]);
		if (on.n)
			*vec_push(c->arena, &set) = on;
	}
	if (set.n)
		lower_probes(lw, set.v, set.n);
}

/* Is a probe of this function enabled that is like p otherwise? */
static bool also_enabled(const struct compilation *c, const struct probe *p, const char *func)
{
	for (size_t i = 0; i < c->order.n; i++) {
		const struct probe *other = &c->probes.all.v[c->order.v[i]];

		if (other->prov == p->prov && !strcmp(other->func, func))
			return true;
	}
	return false;
}

/* Warns of each function that a script traces and that today's programs do not call. */
static void warn_unused(struct compilation *c)
{
	const char *hint = NULL, *now, *last = "";

	for (size_t i = 0; i < c->order.n; i++) {
		const struct probe *p = &c->probes.all.v[c->order.v[i]];
		const struct probe_source *source = p->prov->source;
		const enablings *on = &c->by_probe.v[c->order.v[i]];

		now = source && source->successor ? source->successor(p->func, &hint) : NULL;
		if (!now || !on->n || also_enabled(c, p, now) || !strcmp(last, p->func))
			continue;
		last = p->func;
		diag_warn(c->diags, on->v[0].clause->loc, D_NONE, hint, "C libraries call %s() in place of %s()", now,
			p->func);
	}
}

/* Lowers probe by probe, in the order in which the script first names them: BPF programs of one hook run in the
 * order of attaching. Options are final here, because pragmas have been parsed. */
static int lower_texts(struct compilation *c, const struct lower_dump *dump)
{
	struct lowerer *lw;

	c->image.nspec = c->opts->nspec < NSPEC_MAX ? c->opts->nspec : NSPEC_MAX;
	c->image.specsize = c->opts->specsize;
	c->lenv.nspec = c->image.nspec;
	c->image.secret = c->lenv.secret;
	c->lenv.only_cpu = (uint32_t)(c->opts->cpu + 1);
	c->lenv.only_tier = c->opts->tier;
	c->lenv.dnsports = c->opts->dnsports.v;
	c->lenv.ndnsports = c->opts->dnsports.n;
	c->lenv.aggsize = c->opts->aggsize;
	c->lenv.ringbuf |= c->opts->bufsize > DW_RING_MAX;
	c->lenv.aggpercpu = c->opts->agg.percpu;
	c->lenv.pathdata = c->opts->pathdata;
	c->lenv.sample = options_sample(c->opts);
	c->lenv.samplescale = c->opts->samplescale;
	c->lenv.scratchsize = c->opts->scratchsize;
	c->lenv.dynvarsize = c->opts->dynvarsize;
	lw = lower_new(c->arena, c->diags, c->checker, &c->penv, &c->lenv, &c->image, dump);

	for (size_t i = 0; i < c->order.n && !arena_failed(c->arena); i++)
		lower_with_others(c, lw, i);
	lower_finish(lw);
	if (!c->opts->legacycalls)
		warn_unused(c);
	c->image.strsize = (uint32_t)c->opts->strsize;
	return has_failed(c) ? -EINVAL : 0;
}

static int dump_tokens(struct compilation *c, FILE *out)
{
	for (size_t i = 0; i < c->texts.n; i++)
		if (tokens_dump(&c->penv, &c->texts.v[i].src, out))
			return -EINVAL;
	return 0;
}

static int dump_trees(const struct compilation *c, FILE *out)
{
	for (size_t i = 0; i < c->texts.n; i++)
		ast_dump(&c->texts.v[i].prog, out);
	return 0;
}

/* The pipeline. dump: the stage to stop at, whose result is written to out. Each stage runs only if those before it
 * found no error. */
static int run_stages(struct compilation *c, enum stage dump, FILE *out)
{
	int r;

	setup(c);
	if (dump == STAGE_TOKENS)
		return dump_tokens(c, out);
	r = parse_texts(c);
	if (r)
		return r;
	if (c->opts->tree && c->tree)
		(void)dump_trees(c, c->tree);
	if (dump == STAGE_AST)
		return dump_trees(c, out);
	r = check_texts(c);
	if (!r)
		r = check_arguments(c);
	if (r)
		return r;
	if (dump == STAGE_TYPES)
		return dump_trees(c, out);
	return lower_texts(c,
		&(struct lower_dump){
			.ir = dump == STAGE_IR ? out : NULL,
			.bpf = dump == STAGE_BPF   ? out
				: c->disasm        ? c->disasm
				: c->opts->verbose ? c->tree
						   : NULL,
		});
}

int compile_run(struct compilation *c, enum stage dump, FILE *out)
{
	return finish(c, run_stages(c, dump, out));
}
