/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tables_test: every probe of the providers' tables, in every tier that it has sites in, compiled against the types of
 * the running kernel: a wrong name of a tracepoint's argument, of a member or a type of dlib is an error here. Each
 * clause reads all members of one argument. The tiers are taken to be there whatever this kernel allows; a function
 * must be in its BTF, a tracepoint too. Then the probes of sockets again, as if the kernel were built without
 * CONFIG_IPV6, CONFIG_NET_NS and CONFIG_SOCK_CGROUP_DATA: what dlib says of addresses, namespaces and cgroups must do
 * without. With an argument, the instructions are written to that file.
 * Output: a line a provider, `ok` or `not ok`; 77 if this machine cannot run it.
 * timeout: 120
 * parallel: yes */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "compile/compile.h"
#include "diags.h"
#include "kernel/btf/btf.h"
#include "lang/dlib.h"
#include "lower/tiers.h"
#include "prov/providers.h"

static uint32_t find_tracepoint(void *ctx, const char *module, const char *name, struct kernel_func *out)
{
	struct ktracepoint t;

	*out = (struct kernel_func){ .nargs = 0 };
	if (!kbtf_tracepoint(ctx, module, name, &t))
		return 0;
	out->nargs = t.nargs;
	out->module = t.module;
	memcpy(out->of, t.of, sizeof(out->of));
	return t.id;
}

static uint32_t find_function(void *ctx, const char *module, const char *name, struct kernel_func *out)
{
	struct kfunction f;

	*out = (struct kernel_func){ .nargs = 0 };
	if (!kbtf_function(ctx, module, name, &f))
		return 0;
	out->nargs = f.nargs;
	out->returns = f.returns;
	memcpy(out->words, f.words, sizeof(out->words));
	memcpy(out->of, f.of, sizeof(out->of));
	out->ret_of = f.of[KBTF_ARGS];
	return f.id;
}

static bool has_function(void *ctx, const char *module, const char *name)
{
	struct kernel_func f;

	return find_function(ctx, module, name, &f) != 0;
}

static const struct uplace *everywhere(void *ctx, const struct ufunctions *f, size_t *n)
{
	static const struct uplace place = { .path = "/lib/libc.so.6", .off = 1 };

	(void)ctx;
	(void)f;
	*n = 1;
	return &place;
}

/* Hides what the options CONFIG_IPV6, CONFIG_NET_NS and CONFIG_SOCK_CGROUP_DATA add to structures. */
static bool poor;
static void (*complete_all)(void *ctx, struct types *ts, struct type *t);

static void complete_poor(void *ctx, struct types *ts, struct type *t)
{
	static const char *const extra[] = { "skc_v6_daddr", "skc_v6_rcv_saddr", "pinet6" };

	complete_all(ctx, ts, t);
	for (size_t i = 0; i < t->nmembers; i++) {
		struct type_member *m = &t->members[i];

		for (size_t k = 0; m->name && k < sizeof(extra) / sizeof(extra[0]); k++)
			if (!strcmp(m->name, extra[k]))
				m->name = "hidden";
		if (m->name && !strcmp(m->name, "net") && t->nmembers == 1) /* possible_net_t */
			m->name = "hidden";
		if (m->name && t->name && !strcmp(t->name, "sock_cgroup_data"))
			m->name = "hidden";
	}
}

/* One compilation. */
struct run {
	struct arena *arena;
	struct kbtf *btf;
	struct ktypes types;
	struct options opts;
	struct compilation c;
};

static int run_begin(struct run *r, enum tier tier)
{
	static const char *const names[] = { "bpf_cast_to_kern_ctx", "bpf_rdonly_cast" };
	uint32_t ids[2];

	*r = (struct run){ .arena = arena_new() };
	if (kbtf_open(&r->btf))
		return -1;
	options_init(&r->opts);
	r->opts.tier = (uint32_t)tier + 1;
	r->types = kbtf_ktypes(r->btf);
	complete_all = r->types.complete;
	if (poor)
		r->types.complete = complete_poor;
	r->c = (struct compilation){
		.arena = r->arena, .diags = diags_new(r->arena), .opts = &r->opts, .ktypes = &r->types, .hz = 250
	};
	kbtf_funcs(r->btf, names, ids, 2);
	r->c.lenv = (struct lower_env){
		.kfunc_kern_ctx = ids[0],
		.kfunc_rdonly_cast = ids[1],
		.tracepoint = find_tracepoint,
		.function = find_function,
		.has_function = has_function,
		.functions = everywhere,
		.ctx = r->btf,
	};
	return 0;
}

static void run_end(struct run *r)
{
	kbtf_close(r->btf);
	arena_free(r->arena);
}

static int compiled(struct run *r, const char *text, FILE *code)
{
	compile_add(&r->c, TEXT_SCRIPT, "tables", text, strlen(text));
	return compile_run(&r->c, code ? STAGE_BPF : STAGE_ALL, code);
}

/* A clause that reads all of args[i], a statement a member; or the whole where it is no structure. */
static const char *clause(struct arena *a, const char *probe, const char *type, size_t i)
{
	const char *name = arena_strndup(a, type, strcspn(type, " *"));
	const char *out = arena_printf(a, "%s {", probe);
	struct type *t = NULL;
	struct run r;

	if (!run_begin(&r, TIER_HOOKS) && strchr(type, '*') &&
		!compiled(&r, arena_printf(a, "BEGIN { trace(sizeof(%s)); }", name), NULL))
		t = types_typedef(r.c.types, name);
	if (t && type_is_sou(t)) {
		type_complete(r.c.types, t);
		for (size_t k = 0; k < t->nmembers; k++)
			if (t->members[k].name)
				out = arena_printf(a, "%s trace(args[%zu]->%s);", out, i, t->members[k].name);
	} else {
		out = arena_printf(a, "%s trace(args[%zu]);", out, i);
	}
	run_end(&r);
	return arena_printf(a, "%s }\n", out);
}

/* Must the kernel have all that the tables and dlib name? They were written on Linux 6.18; older ones have less. */
static bool is_complete(void)
{
	unsigned major = 0, minor = 0;
	struct utsname u;

	return !uname(&u) && sscanf(u.release, "%u.%u", &major, &minor) == 2 && major * 100 + minor >= 618;
}

/* Not what lies in a module, nor what belongs to loading one, nor where a program may end the kernel (btf_trace.c). */
static bool is_everywhere(const struct site *s, enum tier tier)
{
	return is_complete() && tier == TIER_HOOKS && s->attach == ATTACH_TP_BTF && !s->module && !s->optional &&
		strncmp(s->target, "module_", 7) != 0 && strcmp(s->target, "sched_set_need_resched_tp") != 0;
}

/* Does a translator of dlib make the member? */
static bool is_made(const char *member, size_t len)
{
	for (size_t i = 0; i < dlib_nfiles; i++)
		for (const char *p = dlib_files[i].text; (p = strchr(p, '\n')); p++)
			if (!strncmp(p + 1, member, len) && !strncmp(p + 1 + len, " = ", 3))
				return true; /* the text has no indentation */
	return false;
}

/* Blanks the statement that the diagnostic is about, where it is right: of Solaris' structures some members are never
 * made, and others are structures. */
static bool forgive(char *text, const struct diag *d)
{
	char *end = strchr(text + d->loc.off, ';');

	if ((d->tag != D_XLATE_MEMB && d->tag != D_TRACE_DYN) || strcmp(d->loc.src->name, "tables") != 0 || !end)
		return false;
	if (d->tag == D_XLATE_MEMB && is_complete() && is_made(text + d->loc.off, d->loc.len))
		return false;
	for (char *p = text + d->loc.off; p > text && p[-1] != '{' && p[-1] != ';'; p--)
		p[-1] = ' ';
	memset(text + d->loc.off, ' ', (size_t)(end + 1 - (text + d->loc.off)));
	return true;
}

enum verdict { COMPILED, LACKING, WRONG };

/* What this kernel does not have, rather than what the table says wrongly: kernels differ in the symbols they name. */
static enum verdict judge(const struct diags *d)
{
	const char *const no_symbol = "the kernel has no symbol";

	for (size_t i = 0; diags_get(d, i); i++)
		if (strncmp(diags_get(d, i)->message, no_symbol, strlen(no_symbol)) != 0)
			return WRONG;
	return LACKING;
}

static bool is_too_large(const struct diags *d)
{
	return diags_get(d, 0) && strstr(diags_get(d, 0)->message, "too large a program");
}

static enum verdict compile_probe(enum tier tier, const char *text, FILE *code);

/* What is too large for a program together must work in two, each with some of the clauses, which are lines. */
static enum verdict compile_halves(enum tier tier, const char *text, FILE *code)
{
	const char *cut = strchr(text + strlen(text) / 2, '\n');
	enum verdict is = WRONG;
	char *first;

	while (cut && !cut[1]) /* the last line holds the middle */
		for (cut--; cut > text && *cut != '\n'; cut--)
			;
	if (!cut || cut == text)
		return WRONG;
	first = strndup(text, (size_t)(cut + 1 - text));
	if (first)
		is = compile_probe(tier, first, code);
	free(first);
	return is == COMPILED ? compile_probe(tier, cut + 1, code) : is;
}

static enum verdict compile_probe(enum tier tier, const char *text, FILE *code)
{
	char *again = strdup(text);
	enum verdict is = COMPILED;
	bool more = true, halves = false;

	while (more && again) {
		struct run r;
		const struct diag *d;

		more = false;
		if (run_begin(&r, tier) || compiled(&r, again, code)) {
			for (size_t i = 0; (d = diags_get(r.c.diags, i)); i++)
				more |= forgive(again, d);
			is = judge(r.c.diags);
			halves = !more && is_too_large(r.c.diags);
			if (!more && !halves)
				diags_print(r.c.diags, stdout);
		} else {
			is = COMPILED;
		}
		run_end(&r);
	}
	if (halves)
		is = compile_halves(tier, again, code);
	free(again);
	return is;
}

/* Is all there that the probe needs in the tier? The first thing that this kernel lacks is shown. */
static enum verdict can(const struct provider *p, const struct probe_def *d, enum tier tier)
{
	const struct probe pr = { .prov = p, .def = d, .mod = p->module ? p->module : "", .func = "", .name = d->name };
	bool any = false, all = true, wrong = false;
	struct run r;

	if (run_begin(&r, tier))
		return WRONG;
	for (size_t i = 0; i < d->nsites; i++) {
		const struct site *s = &d->sites[i];
		const char *lacks;

		if (!site_in_tier(s, tier))
			continue;
		lacks = site_lacks(&r.c.lenv, r.arena, &pr, s, tier);
		if (lacks && all)
			printf("# %s:::%s (%s): this kernel lacks %s\n", p->name, d->name, tier_name(tier), lacks);
		any |= !lacks;
		all &= !lacks || s->optional;
		wrong |= lacks && is_everywhere(s, tier);
	}
	run_end(&r);
	return wrong ? WRONG : any && all ? COMPILED : LACKING;
}

static enum verdict check_probe(const struct provider *p, const struct probe_def *d, enum tier tier, FILE *code)
{
	struct arena *a = arena_new();
	const char *name = arena_printf(a, "%s:::%s", p->name, d->name);
	const char *text = arena_printf(a, "%s { trace(arg0); }\n", name);
	enum verdict is;

	for (size_t i = 0; d->args && d->args[i]; i++)
		text = arena_printf(a, "%s%s", text, clause(a, name, d->args[i], i));
	if (code)
		fprintf(code, "==== %s %s\n", name, tier_name(tier));
	is = can(p, d, tier);
	if (is == COMPILED)
		is = compile_probe(tier, text, code);
	arena_free(a);
	return is;
}

static bool has_tier(const struct probe_def *d, enum tier tier)
{
	for (size_t i = 0; i < d->nsites; i++)
		if (site_in_tier(&d->sites[i], tier))
			return true;
	return false;
}

static bool check_provider(const struct provider *p, FILE *code)
{
	unsigned n[] = { [COMPILED] = 0, [LACKING] = 0, [WRONG] = 0 };

	for (size_t i = 0; i < p->nprobes; i++)
		for (int t = TIER_HOOKS; t < TIER_COUNT; t++)
			if (has_tier(&p->probes[i], (enum tier)t))
				n[check_probe(p, &p->probes[i], (enum tier)t, code)]++;
	printf("%s %s: %u compiled, %u not in this kernel, %u wrong\n", n[WRONG] ? "not ok" : "ok", p->name,
		n[COMPILED], n[LACKING], n[WRONG]);
	return !n[WRONG];
}

int main(int argc, char **argv)
{
	FILE *code = argc > 1 ? fopen(argv[1], "we") : NULL;
	struct arena *a = arena_new();
	struct kbtf *k;
	bool good = true;

	if (kbtf_open(&k)) {
		printf("no types of the kernel\n");
		return 77;
	}
	kbtf_close(k);
	for (const struct provider *const *p = providers(); *p; p++)
		if (!(*p)->source)
			good &= check_provider(*p, code);
	poor = true;
	for (const struct provider *const *p = providers(); *p; p++)
		if (strstr(" tcp udp sock sockets ", arena_printf(a, " %s ", (*p)->name)))
			good &= check_provider(*p, NULL);
	if (code)
		fclose(code);
	arena_free(a);
	return good ? 0 : 1;
}
