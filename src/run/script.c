/* script: the library's front: texts in, image out, session run. compile() reads as the pipeline: parse, check, match
 * probes, lower. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dwire.h"
#include "ir/lower.h"
#include "kernel/btf.h"
#include "kernel/features.h"
#include "lang/dlib.h"
#include "lang/parse.h"
#include "run/options.h"
#include "run/session.h"

#define MAX_CHILDREN 16

struct text {
	enum dwire_kind kind;
	struct source src;
	const char *shown; /* the description or file, for "matched" */
	size_t matched;
	struct program prog;
};

typedef VEC(struct enabling) enablings;

struct dwire {
	struct arena *arena;
	struct diags *diags;
	struct options opts;
	struct features *features;
	struct kbtf *btf;
	struct ktypes ktypes;
	struct types *types;
	struct checker *checker;
	struct parse_env penv;
	struct macros macros;
	struct lower_env lenv;
	struct image image;
	VEC(struct text) texts;
	VEC(struct probe) probes;
	VEC(enablings) by_probe; /* by index in probes */
	VEC(uint32_t) order;     /* probes in the order of their first clause */
	struct child *children[MAX_CHILDREN];
	size_t nchildren;
	pid_t target;
};

/* ---- life ------------------------------------------------------------------------------------------------------------- */
int dwire_new(struct dwire **out)
{
	struct arena *a = arena_new();
	struct dwire *d;

	*out = NULL;
	if (!a)
		return -ENOMEM;
	d = ARENA_NEW(a, struct dwire);
	d->arena = a;
	d->diags = diags_new(a);
	d->features = features_new();
	if (!d->features) {
		arena_free(a);
		return -ENOMEM;
	}
	options_init(&d->opts);
	*out = d;
	return 0;
}

void dwire_free(struct dwire *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->nchildren; i++)
		child_free(d->children[i]);
	kbtf_close(d->btf);
	features_free(d->features);
	arena_free(d->arena);
}

int dwire_set(struct dwire *d, const char *option, FILE *err)
{
	const char *eq = strchr(option, '='), *hint = NULL;
	char *name = arena_strndup(d->arena, option, eq ? (size_t)(eq - option) : strlen(option));
	int r = option_set(&d->opts, name, eq ? eq + 1 : NULL, &hint);

	if (r == -ENOENT)
		fprintf(err, "dwire: no option %s%s%s%s\n", name, hint ? ": did you mean " : "", hint ? hint : "",
			hint ? "?" : "");
	else if (r)
		fprintf(err, "dwire: bad value for option %s: %s\n", name, eq ? eq + 1 : "none");
	return r;
}

bool dwire_quiet(const struct dwire *d)
{
	return d->opts.quiet;
}

bool dwire_destructive(const struct dwire *d)
{
	return d->opts.destructive;
}

void dwire_args(struct dwire *d, int argc, const char *const *argv)
{
	d->macros.argc = argc;
	d->macros.argv = argv;
}

void dwire_target(struct dwire *d, pid_t pid)
{
	d->target = pid;
}

/* The description at the head of a -P, -m, -f, -n argument ends at a blank, a predicate or a body. */
static size_t description_length(const char *s)
{
	return strcspn(s, " \t\n/{");
}

void dwire_add(struct dwire *d, enum dwire_kind kind, const char *name, const char *text, size_t len)
{
	static const char *const colons[] = { "", ":::", "::", ":", "", "" };
	struct text *t = vec_push(d->arena, &d->texts);
	size_t n = description_length(text);

	t->kind = kind;
	t->src.name = arena_strdup(d->arena, name);
	if (kind == DWIRE_SCRIPT || kind == DWIRE_NAME || kind == DWIRE_ID) {
		t->src.text = arena_strndup(d->arena, text, len);
		t->src.len = len;
	} else {
		t->src.text = arena_printf(d->arena, "%.*s%s%s", (int)n, text, colons[kind], text + n);
		t->src.len = strlen(t->src.text);
	}
	t->shown = kind == DWIRE_SCRIPT ? t->src.name : arena_strndup(d->arena, text, n);
}

static int add_child(struct dwire *d, struct child *c)
{
	d->children[d->nchildren++] = c;
	if (!d->target)
		d->target = child_pid(c);
	return 0;
}

static int too_many(FILE *err)
{
	fprintf(err, "dwire: more than %d processes given with -c and -p\n", MAX_CHILDREN);
	return -E2BIG;
}

int dwire_command(struct dwire *d, const char *command, FILE *err)
{
	char why[256];
	struct child *c;
	int r;

	if (d->nchildren == MAX_CHILDREN)
		return too_many(err);
	r = child_start(command, &c, why, sizeof(why));
	if (r) {
		fprintf(err, "dwire: %s\n", why);
		return r;
	}
	return add_child(d, c);
}

int dwire_grab(struct dwire *d, pid_t pid, FILE *err)
{
	char why[256];
	struct child *c;
	int r;

	if (d->nchildren == MAX_CHILDREN)
		return too_many(err);
	r = child_grab(pid, &c, why, sizeof(why));
	if (r) {
		fprintf(err, "dwire: %s\n", why);
		return r;
	}
	return add_child(d, c);
}

/* ---- what the compiler asks -------------------------------------------------------------------------------------------- */
static bool is_typename(void *ctx, const char *name)
{
	return types_is_name(((struct dwire *)ctx)->types, name);
}

static int64_t macro_number(void *ctx, const char *name, bool *known)
{
	const struct dwire *d = ctx;

	*known = true;
	if (!strcmp(name, "target"))
		return d->target;
	if (!strcmp(name, "pid"))
		return getpid();
	if (!strcmp(name, "ppid"))
		return getppid();
	if (!strcmp(name, "uid"))
		return getuid();
	if (!strcmp(name, "euid"))
		return geteuid();
	if (!strcmp(name, "gid"))
		return getgid();
	if (!strcmp(name, "egid"))
		return getegid();
	if (!strcmp(name, "pgid"))
		return getpgrp();
	if (!strcmp(name, "sid"))
		return getsid(0);
	*known = false;
	return 0;
}

static uint32_t find_tracepoint(void *ctx, const char *name, unsigned *nargs)
{
	return kbtf_tracepoint(((struct dwire *)ctx)->btf, name, nargs);
}

/* ---- compiling --------------------------------------------------------------------------------------------------------- */
static int open_kernel(struct dwire *d, FILE *err)
{
	char why[512];
	int r = features_require(d->features, why, sizeof(why));

	if (r) {
		fprintf(err, "dwire: %s\n", why);
		return r;
	}
	r = kbtf_open(&d->btf);
	if (r) {
		fprintf(err, "dwire: cannot read the kernel's types (/sys/kernel/btf/vmlinux): %s\n", strerror(-r));
		return r;
	}
	d->ktypes = kbtf_ktypes(d->btf);
	d->lenv.kfunc_kern_ctx = kbtf_func(d->btf, "bpf_cast_to_kern_ctx");
	d->lenv.kfunc_rdonly_cast = kbtf_func(d->btf, "bpf_rdonly_cast");
	d->lenv.wall_offset = features_walltime_offset();
	d->lenv.first_netns = features_global_netns(d->features);
	d->lenv.tracepoint = find_tracepoint;
	d->lenv.ctx = d;
	return 0;
}

/* What dlib/ must know and BTF does not say: the rate of jiffies, from the resolution of the coarse clock. */
static const char *kernel_inlines(struct dwire *d)
{
	struct timespec res = { 0, 4000000 };
	long hz = 250;

	if (!clock_getres(CLOCK_MONOTONIC_COARSE, &res) && res.tv_nsec > 0)
		hz = (1000000000 + res.tv_nsec / 2) / res.tv_nsec;
	return arena_printf(d->arena, "inline int __hz = %ld;\n", hz);
}

static int parse_libraries(struct dwire *d)
{
	struct program *p = ARENA_NEW(d->arena, struct program);
	struct source *s = ARENA_ARRAY(d->arena, struct source, dlib_nfiles + 1);

	s[0] = (struct source){ .name = "kernel", .text = kernel_inlines(d), .library = true };
	for (size_t i = 0; i < dlib_nfiles; i++) /* net.d first: the others need its types */
		s[i + 1] = (struct source){ .name = dlib_files[i].name, .text = dlib_files[i].text, .library = true };
	for (size_t i = 1; i <= dlib_nfiles; i++)
		if (!strcmp(s[i].name, "net.d")) {
			struct source net = s[i];

			s[i] = s[1];
			s[1] = net;
		}
	for (size_t i = 0; i <= dlib_nfiles; i++) {
		s[i].len = strlen(s[i].text);
		if (parse_source(&d->penv, &s[i], p))
			return -EINVAL;
	}
	check_decls(d->checker, p);
	return diags_errors(d->diags) ? -EINVAL : 0;
}

static void set_pragma(struct dwire *d, const struct pragma *p)
{
	const char *eq = strchr(p->args, '='), *hint = NULL;
	size_t n = eq ? (size_t)(eq - p->args) : strlen(p->args);
	char *name = arena_strndup(d->arena, p->args, n);
	int r;

	if (strcmp(p->word, "option"))
		return; /* attributes, binding, depends_on: nothing for us to do */
	r = option_set(&d->opts, name, eq ? eq + 1 : NULL, &hint);
	if (r == -ENOENT)
		diag_error(d->diags, p->loc, D_PRAGMA_OPTSET,
			hint ? arena_printf(d->arena, "did you mean %s?", hint) : NULL, "no option %s", name);
	else if (r)
		diag_error(d->diags, p->loc, D_PRAGMA_OPTSET, NULL, "bad value for option %s", name);
}

static int parse_texts(struct dwire *d)
{
	uint32_t index = 0;

	d->macros.number = macro_number;
	d->macros.ctx = d;
	d->macros.defaultargs = d->opts.defaultargs;
	d->macros.used = ARENA_ARRAY(d->arena, unsigned char, (size_t)d->macros.argc + 1);
	for (size_t i = 0; i < d->texts.n; i++) {
		struct text *t = &d->texts.v[i];
		int r = parse_source(&d->penv, &t->src, &t->prog);

		for (size_t k = 0; k < t->prog.decls.n; k++) {
			struct decl *decl = t->prog.decls.v[k];

			if (decl->kind == DECL_PRAGMA)
				set_pragma(d, &decl->u.pragma);
			else if (decl->kind == DECL_CLAUSE)
				decl->u.clause.index = index++;
		}
		if (r)
			continue;
		if (!t->prog.decls.n)
			diag_error(d->diags, (struct loc){ .src = &t->src }, D_EMPTY, NULL, "the program is empty");
	}
	return diags_errors(d->diags) ? -EINVAL : 0;
}

/* ---- probes ---------------------------------------------------------------------------------------------------------------- */
static void add_probe(struct dwire *d, const struct provider *p, const struct probe_def *def, const char *name,
	uint64_t period)
{
	struct probe *pr = vec_push(d->arena, &d->probes);

	*vec_push(d->arena, &d->by_probe) = (enablings){ 0 };
	pr->id = (uint32_t)d->probes.n;
	pr->prov = p;
	pr->def = def;
	pr->name = name;
	pr->period_ns = period;
}

static void list_probes(struct dwire *d)
{
	for (const struct provider *const *p = providers(); *p; p++)
		for (size_t i = 0; i < (*p)->nprobes; i++) {
			uint64_t period = 0;

			if ((*p)->by_name)
				(void)!(*p)->by_name((*p)->probes[i].name, &period);
			add_probe(d, *p, &(*p)->probes[i], (*p)->probes[i].name, period);
		}
}

static bool glob_match(const char *pattern, const char *s)
{
	return !*pattern || !fnmatch(pattern, s, 0);
}

static bool probe_match(const struct pdesc *pd, const struct probe *p)
{
	if (pd->id)
		return p->id == pd->id;
	return glob_match(pd->prov, p->prov->name) && glob_match(pd->name, p->name) &&
	       glob_match(pd->mod, p->prov->module ? p->prov->module : "") && glob_match(pd->func, "");
}

/* tick-7s and the like come to be when they are named. */
static void make_by_name(struct dwire *d, const struct pdesc *pd)
{
	uint64_t period;

	if (pd->id || !*pd->name || strpbrk(pd->name, "*?["))
		return;
	for (const struct provider *const *p = providers(); *p; p++) {
		if (!(*p)->by_name || !glob_match(pd->prov, (*p)->name) || (*p)->by_name(pd->name, &period))
			continue;
		for (size_t i = 0; i < d->probes.n; i++)
			if (d->probes.v[i].prov == *p && !strcmp(d->probes.v[i].name, pd->name))
				return;
		for (size_t i = 0; i < (*p)->nprobes; i++) { /* the definition with the same word before the dash */
			size_t word = strcspn(pd->name, "-") + 1;

			if (!strncmp((*p)->probes[i].name, pd->name, word)) {
				add_probe(d, *p, &(*p)->probes[i], arena_strdup(d->arena, pd->name), period);
				return;
			}
		}
	}
}

static const char *nearest_probe(struct dwire *d, const struct pdesc *pd)
{
	const char **names = ARENA_ARRAY(d->arena, const char *, d->probes.n * 2 + 1);
	size_t n = 0;
	const char *near;

	for (const struct provider *const *p = providers(); *p && *pd->prov; p++)
		names[n++] = (*p)->name;
	near = nearest_name(pd->prov, names);
	if (near && strcmp(near, pd->prov))
		return arena_printf(d->arena, "did you mean %s:%s:%s:%s?", near, pd->mod, pd->func, pd->name);
	n = 0;
	for (size_t i = 0; i < d->probes.n; i++)
		if (glob_match(pd->prov, d->probes.v[i].prov->name))
			names[n++] = d->probes.v[i].name;
	names[n] = NULL;
	near = nearest_name(pd->name, names);
	return near ? arena_printf(d->arena, "did you mean %s:%s:%s:%s?", pd->prov, pd->mod, pd->func, near) : NULL;
}

static void enable(struct dwire *d, size_t probe, const struct clause *c)
{
	struct enabling *en;

	for (size_t i = 0; i < d->by_probe.v[probe].n; i++)
		if (d->by_probe.v[probe].v[i].clause == c)
			return; /* two descriptions of one clause name it: once */
	if (!d->by_probe.v[probe].n)
		*vec_push(d->arena, &d->order) = (uint32_t)probe;
	en = vec_push(d->arena, &d->by_probe.v[probe]);
	en->clause = c;
}

/* Signatures of the probes of a clause. */
typedef VEC(const struct probe_sig *) sig_list;

static void add_sig(struct dwire *d, sig_list *sigs, const struct probe *p)
{
	struct probe_sig *s = ARENA_NEW(d->arena, struct probe_sig);

	s->prov = p->prov->name;
	s->mod = p->prov->module ? p->prov->module : "";
	s->func = "";
	s->name = p->name;
	s->args = p->def->args;
	s->raw = p->prov->raw;
	*vec_push(d->arena, sigs) = s;
}

static size_t match_clause(struct dwire *d, struct clause *c, sig_list *sigs)
{
	size_t total = 0;

	for (size_t k = 0; k < c->probes.n; k++) {
		const struct pdesc *pd = &c->probes.v[k];
		size_t found = 0;

		make_by_name(d, pd);
		for (size_t i = 0; i < d->probes.n; i++)
			if (probe_match(pd, &d->probes.v[i])) {
				found++;
				add_sig(d, sigs, &d->probes.v[i]);
				enable(d, i, c);
			}
		if (!found && !d->opts.zdefs)
			diag_error(d->diags, pd->loc, D_PDESC_ZERO, nearest_probe(d, pd),
				"probe description %s does not match any probes", pd->text);
		total += found;
	}
	return total;
}

static int check_texts(struct dwire *d)
{
	for (size_t i = 0; i < d->texts.n; i++)
		check_decls(d->checker, &d->texts.v[i].prog);
	for (size_t i = 0; i < d->texts.n; i++) {
		struct text *t = &d->texts.v[i];

		for (size_t k = 0; k < t->prog.decls.n; k++) {
			struct clause *c = &t->prog.decls.v[k]->u.clause;
			sig_list sigs = { 0 };

			if (t->prog.decls.v[k]->kind != DECL_CLAUSE)
				continue;
			t->matched += match_clause(d, c, &sigs);
			if (sigs.n)
				check_clause(d->checker, c, sigs.v, sigs.n);
		}
	}
	for (size_t i = 0; i < d->texts.n && !diags_errors(d->diags); i++)
		check_forms(d->checker, &d->texts.v[i].prog);
	return diags_errors(d->diags) ? -EINVAL : 0;
}

static int lower_texts(struct dwire *d, FILE *dump_ir, FILE *dump_bpf)
{
	struct lowerer *lw = lower_new(d->arena, d->diags, d->checker, &d->penv, &d->lenv, &d->image);

	for (size_t i = 0; i < d->order.n; i++) {
		enablings *en = &d->by_probe.v[d->order.v[i]];

		for (size_t k = 0; k < en->n; k++)
			en->v[k].probe = &d->probes.v[d->order.v[i]];
		lower_probe(lw, en->v, en->n, dump_ir, dump_bpf);
	}
	lower_finish(lw);
	d->image.strsize = (uint32_t)d->opts.strsize;
	return diags_errors(d->diags) ? -EINVAL : 0;
}

static int dump_front(struct dwire *d, enum dwire_dump dump, FILE *out)
{
	for (size_t i = 0; i < d->texts.n; i++) {
		if (dump == DWIRE_DUMP_AST)
			ast_dump(&d->texts.v[i].prog, out);
		else if (tokens_dump(&d->penv, &d->texts.v[i].src, out))
			return -EINVAL;
	}
	return 0;
}

static void begin(struct dwire *d)
{
	d->types = types_new(d->arena, d->btf ? &d->ktypes : NULL);
	d->checker = checker_new(d->arena, d->diags, d->types, (uint32_t)d->opts.strsize);
	d->penv = (struct parse_env){
		.arena = d->arena, .diags = d->diags, .macros = &d->macros, .is_typename = is_typename, .ctx = d,
		.typenames = strmap_new(d->arena),
	};
	list_probes(d);
}

static int compile(struct dwire *d, enum dwire_dump dump, FILE *out, FILE *err)
{
	int r;

	if (dump != DWIRE_DUMP_TOKENS && dump != DWIRE_DUMP_AST) {
		r = open_kernel(d, err);
		if (r)
			return r;
	}
	begin(d);
	if (dump == DWIRE_DUMP_TOKENS)
		return dump_front(d, dump, out);
	r = d->btf ? parse_libraries(d) : 0;
	if (!r)
		r = parse_texts(d);
	if (!r && dump == DWIRE_DUMP_AST)
		return dump_front(d, dump, out);
	if (!r)
		r = check_texts(d);
	if (!r && dump == DWIRE_DUMP_TYPES) {
		for (size_t i = 0; i < d->texts.n; i++)
			ast_dump(&d->texts.v[i].prog, out);
		return 0;
	}
	if (!r)
		r = lower_texts(d, dump == DWIRE_DUMP_IR ? out : NULL, dump == DWIRE_DUMP_BPF ? out : NULL);
	return r;
}

int dwire_compile(struct dwire *d, enum dwire_dump dump, FILE *out, FILE *err)
{
	int r = compile(d, dump, out, err);

	diags_print(d->diags, err);
	return r;
}

bool dwire_matched(const struct dwire *d, size_t i, enum dwire_kind *kind, const char **text, size_t *probes)
{
	if (i >= d->texts.n)
		return false;
	*kind = d->texts.v[i].kind;
	*text = d->texts.v[i].shown;
	*probes = d->texts.v[i].matched;
	return true;
}

/* ---- listing ---------------------------------------------------------------------------------------------------------------- */
static bool wanted(const struct dwire *d, const struct probe *p)
{
	for (size_t i = 0; i < d->texts.n; i++)
		for (size_t k = 0; k < d->texts.v[i].prog.decls.n; k++) {
			const struct decl *decl = d->texts.v[i].prog.decls.v[k];

			for (size_t n = 0; decl->kind == DECL_CLAUSE && n < decl->u.clause.probes.n; n++)
				if (probe_match(&decl->u.clause.probes.v[n], p))
					return true;
		}
	return !d->texts.n;
}

static const char *site_name(const struct site *s)
{
	switch (s->attach) {
	case ATTACH_TEST_RUN:
		return "by hand";
	case ATTACH_TP_BTF:
		return "tp_btf";
	case ATTACH_CGROUP_INGRESS:
		return "cgroup_skb/ingress";
	case ATTACH_CGROUP_EGRESS:
		return "cgroup_skb/egress";
	case ATTACH_CGROUP_SOCKOPS:
		return "sock_ops";
	case ATTACH_PERF:
		return "perf_event";
	}
	return "";
}

static void list_details(const struct dwire *d, const struct probe *p, FILE *out)
{
	fprintf(out, "\n\t%s\n", p->def->meaning);
	for (size_t i = 0; i < p->def->nsites; i++) {
		const struct site *s = &p->def->sites[i];
		unsigned n = 0;
		bool there = s->attach != ATTACH_TP_BTF || !d->btf ||
			     (kbtf_tracepoint(d->btf, s->target, &n) && n >= s->nargs);

		fprintf(out, "\tsite: hooks, %s%s%s%s\n", site_name(s), s->target ? " " : "",
			s->target ? s->target : "", there ? "" : " (not on this kernel)");
		fprintf(out, "\t\t%s\n", s->sees);
	}
	fprintf(out, "\n\tArgument Types\n");
	for (unsigned i = 0; p->def->args && p->def->args[i]; i++)
		fprintf(out, "\t\targs[%u]: %s\n", i, p->def->args[i]);
	fprintf(out, "%s\n", p->def->args ? "" : "\t\tNone\n");
}

int dwire_list(struct dwire *d, bool verbose, FILE *out, FILE *err)
{
	size_t shown = 0;
	int r;

	if (verbose && kbtf_open(&d->btf) == 0)
		d->ktypes = kbtf_ktypes(d->btf);
	begin(d);
	r = d->texts.n ? parse_texts(d) : 0;
	for (size_t i = 0; !r && i < d->texts.n; i++)
		for (size_t k = 0; k < d->texts.v[i].prog.decls.n; k++) {
			struct decl *decl = d->texts.v[i].prog.decls.v[k];

			for (size_t n = 0; decl->kind == DECL_CLAUSE && n < decl->u.clause.probes.n; n++)
				make_by_name(d, &decl->u.clause.probes.v[n]);
		}
	diags_print(d->diags, err);
	if (r)
		return r;
	fprintf(out, "%5s %10s %17s %33s %s\n", "ID", "PROVIDER", "MODULE", "FUNCTION", "NAME");
	for (size_t i = 0; i < d->probes.n; i++) {
		const struct probe *p = &d->probes.v[i];

		if (!wanted(d, p))
			continue;
		shown++;
		fprintf(out, "%5u %10s %17s %33s %s\n", p->id, p->prov->name, p->prov->module ? p->prov->module : "",
			"", p->name);
		if (verbose)
			list_details(d, p, out);
	}
	for (size_t i = 0; !shown && i < d->texts.n; i++)
		fprintf(err, "dwire: failed to match %s: No probe matches description\n", d->texts.v[i].shown);
	return shown ? 0 : -ENOENT;
}

/* ---- running ------------------------------------------------------------------------------------------------------------------- */
int dwire_run(struct dwire *d, FILE *out, FILE *err, int *status)
{
	struct session_options so = {
		.features = d->features,
		.out = out,
		.err = err,
		.quiet = d->opts.quiet,
		.bufsize = d->opts.bufsize,
		.switchrate_ns = d->opts.switchrate_ns,
		.agg = d->opts.agg,
		.children = d->children,
		.nchildren = d->nchildren,
	};
	struct session *s = session_new(&d->image, &so);
	char why[SESSION_WHY_LEN];
	int r, e;

	if (!s)
		return -ENOMEM;
	r = session_arm(s, why, sizeof(why));
	if (r) {
		fprintf(err, "dwire: %s\n", why);
		goto out;
	}
	r = session_loop(s, why, sizeof(why));
	if (r)
		fprintf(err, "dwire: %s\n", why);
	e = session_end(s, why, sizeof(why));
	if (e)
		fprintf(err, "dwire: %s\n", why);
	r = r ? r : e;
	*status = session_status(s);
out:
	session_free(s);
	return r;
}
