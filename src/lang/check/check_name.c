/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_name: resolves names: variables, inlines, enumerators, elements of arrays, symbols of the kernel.
 * Input: an expression that names something. Output: its symbol and type, or NULL after an error.
 * Invariant: an inline that is an integer constant is replaced by its value. */
#include <errno.h>
#include <string.h>

#include "lang/check/calls/calls.h"
#include "lang/check/check_priv.h"

/* Checks an inline's value when it is first used. The value sees its own parameters, not those of the inline around the
 * use. */
void check_inline(struct checker *ck, struct symbol *s)
{
	struct symbol **params = ck->params;
	size_t n = ck->nparams;
	bool library = ck->library;

	if (s->ready)
		return;
	s->ready = true; /* before: an inline that names itself ends here */
	ck->params = s->params;
	ck->nparams = s->nkeys;
	ck->library = s->loc.src && s->loc.src->library;
	if (check_expr(ck, s->inl->value) &&
		!(type_fits(ck, s->type, s->inl->value->type) && numbers_fit(ck, NULL, s->type, s->inl->value))) {
		err(ck, s->inl->loc, D_OP_INCOMPAT, NULL, "%s is %s: it cannot take %s", s->name, tname(ck, s->type),
			tname(ck, s->inl->value->type));
		s->inl->value->type = NULL;
	}
	ck->params = params;
	ck->nparams = n;
	ck->library = library;
}

/* The type of an inline without parameters, whose value is checked at its first use. An integer constant replaces
 * the name, so that it can stand where D wants constants. */
static struct type *inline_type(struct checker *ck, struct expr *e, struct symbol *s)
{
	int64_t v;

	check_inline(ck, s);
	if (!s->inl->value->type)
		return NULL;
	e->xl = s->inl->value->xl;
	if (type_is_int(s->type) && const_eval(ck->ts, ck->d, s->inl->value, &v)) {
		e->kind = EX_INT;
		e->ival = (uint64_t)v;
		e->isuffix = 0;
	}
	return s->type;
}

/* Does the probe fire in the process whose socket it is about? Other packets leave or come in interrupts too. */
static bool is_by_caller(const struct probe_sig *s)
{
	return !strcmp(s->name, "connect-request") || (!strncmp(s->prov, "udp", 3) && !strcmp(s->name, "send")) ||
		(!strcmp(s->prov, "path") && !strcmp(s->name, "send")) ||
		(!strcmp(s->prov, "dns") && !strcmp(s->name, "query"));
}

/* The first of the clause's probes that has an owner (csinfo_t) who is often not the running process: args[*at]. NULL:
 * none. */
static const struct probe_sig *owned_elsewhere(const struct checker *ck, unsigned *at)
{
	for (size_t p = 0; p < ck->nsigs && !ck->library; p++) {
		const struct probe_sig *s = ck->sigs[p];

		if (!s->args || !s->args[0] || strcmp(s->args[0], "pktinfo_t *") != 0 || is_by_caller(s))
			continue;
		for (*at = 1; s->args[*at]; (*at)++)
			if (!strcmp(s->args[*at], "csinfo_t *"))
				return s;
	}
	return NULL;
}

/* Warns once of execname in a probe of packets. */
static void warn_running(struct checker *ck, struct loc loc)
{
	unsigned at;
	const struct probe_sig *s = ck->warned_running ? NULL : owned_elsewhere(ck, &at);

	if (!s)
		return;
	ck->warned_running = true;
	diag_warn(ck->d, loc, D_NONE, arena_printf(ck->arena, "args[%u]->cs_execname has the socket's process", at),
		"%s:::%s fires in interrupts too, where execname is any process that happens to run", s->prov, s->name);
}

/* Suggests a near name, then a member of args[] of that name, then quotes if the name stands beside a string. */
static const char *unknown_hint(struct checker *ck, const struct expr *e)
{
	unsigned at;
	const char *near;

	if (e->scope == SCOPE_GLOBAL && !strcmp(e->name, "comm") && owned_elsewhere(ck, &at))
		return arena_printf(ck->arena, "did you mean args[%u]->cs_execname?", at);
	near = sym_nearest(ck, e->name, e->scope);
	if (!near && e->scope == SCOPE_GLOBAL)
		near = args_member_hint(ck, e->name);
	return near || !ck->beside_text ? near : arena_printf(ck->arena, "a text stands in quotes: \"%s\"", e->name);
}

/* Names of the script come first, then enumerators of the script, then those of the kernel's BTF. */
struct type *check_ident(struct checker *ck, struct expr *e)
{
	struct symbol *s = sym_find(ck, e->name, e->scope);
	int64_t v;

	if (!s && e->scope == SCOPE_GLOBAL) {
		const int64_t *en = strmap_get(ck->ts->enumerators, e->name);

		if (en || (ck->ts->kernel && ck->ts->kernel->enumerator(ck->ts->kernel->ctx, e->name, &v))) {
			s = sym_new(ck, SYM_CONST, e->name, e->loc);
			s->type = ck->ts->int32;
			s->value = en ? *en : v;
			if (s->value != (int32_t)s->value)
				s->type = ck->ts->int64;
			strmap_put(ck->globals, e->name, s);
		}
	}
	if (!s && e->scope == SCOPE_GLOBAL && strmap_get(ck->funcs, e->name) && strncmp(e->name, "__", 2))
		return err(ck, e->loc, D_IDENT_BADREF, arena_printf(ck->arena, "its call: %s()", e->name),
			"%s is a function", e->name);
	if (!s && strmap_get(ck->forgone, ast_expr_text(ck->arena, e)))
		return NULL;
	if (!s)
		return err(ck, e->loc, e->scope == SCOPE_GLOBAL ? D_IDENT_UNDEF : D_VAR_UNDEF, unknown_hint(ck, e),
			"there is no variable %s%s: it is read before anything is assigned to it",
			e->scope == SCOPE_SELF           ? "self->"
				: e->scope == SCOPE_THIS ? "this->"
				: e->scope == SCOPE_PKT  ? "pkt->"
							 : "",
			e->name);
	e->sym = s;
	if (s->kind == SYM_ASSOC)
		return err(ck, e->loc, D_IDENT_BADREF, "give it a key in [ ]", "%s is an associative array", e->name);
	if (s->kind == SYM_BUILTIN && s->builtin == BI_args)
		return err(ck, e->loc, D_ARGS_TYPE, "args[0], args[1], ...", "args needs an index");
	if (s->kind == SYM_INLINE) {
		if (s->nkeys)
			return err(ck, e->loc, D_IDENT_BADREF, NULL, "%s needs an index in [ ]", e->name);
		return inline_type(ck, e, s);
	}
	if (s->kind == SYM_BUILTIN && s->builtin == BI_execname)
		warn_running(ck, e->loc);
	if (s->kind == SYM_BUILTIN && s->builtin >= BI_arg0 && s->builtin <= BI_arg9)
		e->ival = (uint64_t)(s->builtin - BI_arg0);
	return s->xl ? check_kept_xlate(ck, e, s) : s->type;
}

/* Checks the number and types of an array's keys, or of the arguments of a subroutine that dlib defines. */
static bool check_keys(struct checker *ck, struct expr *e, struct symbol *s)
{
	bool call = strncmp(s->name, "__fn_", 5) == 0; /* a subroutine of dlib */
	const char *name = s->name + (call ? 5 : 0), *word = call ? "argument" : "key";

	if (e->args.n != s->nkeys) {
		err(ck, e->loc, D_PROTO_LEN, NULL, "%s takes %zu %s%s, not %zu", name, s->nkeys, word,
			s->nkeys == 1 ? "" : "s", e->args.n);
		return false;
	}
	for (size_t i = 0; i < e->args.n; i++) {
		struct type *t = e->args.v[i]->type;

		if (!t || !check_is_value(ck, e->args.v[i]))
			return false;
		if (!type_fits(ck, s->keys[i], t) || !numbers_fit(ck, NULL, s->keys[i], e->args.v[i])) {
			err(ck, e->args.v[i]->loc, D_PROTO_ARG, NULL, "%s %zu of %s is %s, not %s", word, i + 1, name,
				tname(ck, s->keys[i]), tname(ck, t));
			return false;
		}
	}
	return true;
}

/* An element of an array or behind a pointer. Bounds are checked only where they are known: the kernel declares
 * flexible arrays with no element or one. */
static struct type *check_element(struct checker *ck, struct expr *e, struct type *t)
{
	int64_t i;

	if (e->args.n != 1 || !type_is_int(e->args.v[0]->type))
		return err(ck, e->loc, D_ARR_BADREF, NULL, "an array takes one integer as its index");
	if (t->kind == T_ARRAY && (t->nelems > 1 || check_in_variable(e->a)) &&
		const_eval(ck->ts, ck->d, e->args.v[0], &i) && (i < 0 || i >= t->nelems))
		return err(ck, e->args.v[0]->loc, D_ARR_BOUNDS, NULL, "%s has %u elements: there is none at %lld",
			ast_expr_text(ck->arena, e->a), t->nelems, (long long)i);
	if (check_chars_of(ck, &e->a))
		return ck->ts->char_;
	type_complete(ck->ts, t->of);
	if (t->of->kind == T_VOID || t->of->kind == T_FUNC)
		return err(ck, e->loc, D_DEREF_VOID, NULL, "%s has no elements", tname(ck, t));
	return t->of;
}

/* uregs[], regs[]: dlib defines how many the machine has. */
static bool check_register(struct checker *ck, const struct expr *e, const struct symbol *s)
{
	bool is_regs = (!strcmp(s->name, "uregs") || !strcmp(s->name, "regs")) && s->loc.src->library;
	struct symbol *regs;
	int64_t i, n;

	check_use(ck, "__nregs");
	regs = is_regs ? strmap_get(ck->globals, "__nregs") : NULL;
	if (!regs || regs->kind != SYM_INLINE || !const_eval(ck->ts, ck->d, e->args.v[0], &i) ||
		!const_eval(ck->ts, ck->d, regs->inl->value, &n) || (i >= 0 && i < n))
		return true;
	err(ck, e->args.v[0]->loc, D_REGS_IDX, "R_PC, R_SP, ...", "there is no register %lld", (long long)i);
	return false;
}

/* a[1]["x"] of an array of associative arrays is a[1, "x"]. */
static void join_keys(struct checker *ck, struct expr *e)
{
	const struct expr *id;
	const struct symbol *s;
	expr_list all = { 0 };

	if (e->a->kind == EX_INDEX && e->a->a->kind == EX_INDEX)
		join_keys(ck, e->a);
	id = e->a->kind == EX_INDEX ? e->a->a : NULL;
	s = id && id->kind == EX_IDENT ? sym_find(ck, id->name, id->scope) : NULL;
	if (!s || s->kind != SYM_ASSOC || e->a->args.n + e->args.n > s->nkeys)
		return;
	for (size_t i = 0; i < e->a->args.n; i++)
		*vec_push(ck->arena, &all) = e->a->args.v[i];
	for (size_t i = 0; i < e->args.n; i++)
		*vec_push(ck->arena, &all) = e->args.v[i];
	e->a = e->a->a;
	memcpy(&e->args, &all, sizeof(all));
}

/* An element of an associative array, of an inline with parameters, of args, of an array, of memory behind a
 * pointer. */
struct type *check_index(struct checker *ck, struct expr *e)
{
	struct symbol *s;
	struct type *t;
	bool ok = true;

	if (e->a->kind == EX_INDEX)
		join_keys(ck, e);

	if (e->a->kind == EX_IDENT || (e->a->kind == EX_SCOPED && check_dlib_symbol(ck, e->a)) ||
		check_dlib_member(ck, e->a)) {
		s = sym_find(ck, e->a->name, e->a->scope);
		if (s && s->kind == SYM_BUILTIN && s->builtin == BI_args)
			return check_args(ck, e);
	} else {
		s = NULL;
	}
	for (size_t i = 0; i < e->args.n; i++)
		ok &= check_expr(ck, e->args.v[i]) != NULL;
	if (s && (s->kind == SYM_ASSOC || (s->kind == SYM_INLINE && s->nkeys))) {
		e->sym = e->a->sym = s;
		if (s->kind == SYM_INLINE)
			check_inline(ck, s);
		if (!ok || !check_keys(ck, e, s) || (s->kind == SYM_INLINE && !s->inl->value->type) ||
			!check_register(ck, e, s))
			return NULL;
		e->xl = s->kind == SYM_INLINE ? s->inl->value->xl : NULL;
		return s->xl ? check_kept_xlate(ck, e, s) : s->type;
	}
	t = check_expr(ck, e->a);
	if (!t || !ok)
		return NULL;
	if (t->kind != T_PTR && t->kind != T_ARRAY && t->kind != T_STRING)
		return err(ck, e->loc, D_ARR_BADREF, NULL, "%s is neither an array nor a pointer",
			ast_expr_text(ck->arena, e->a));
	return check_element(ck, e, t);
}

/* `name, module`name. address: only its address is wanted, so its type may be unknown. */
struct type *check_scoped(struct checker *ck, struct expr *e, bool address)
{
	const struct ktypes *k = ck->ts->kernel;
	struct ksymbol *s = ARENA_NEW(ck->arena, struct ksymbol);
	bool jiffies = !strcmp(e->name, "jiffies") && (!e->obj || !*e->obj || !strcmp(e->obj, "vmlinux")) && !address;
	int r = jiffies ? 0 : k && k->symbol ? k->symbol(k->ctx, ck->ts, e->obj, e->name, s) : -ENOENT;

	if (jiffies) /* read by a helper: not all kernels export its address */
		return ck->ts->ulong_;
	if (r == -ENODEV)
		return err(ck, e->loc, D_IDENT_UNDEF, NULL, "there is no module %s", e->obj);
	if (r == -ENOENT)
		return err(ck, e->loc, D_IDENT_UNDEF, NULL, "the kernel has no symbol %s", e->name);
	if (r || (!s->addr && !s->by_runqueue))
		return err(ck, e->loc, D_KERNEL,
			r == -ENODATA ? "kernels with CONFIG_KALLSYMS_ALL do" : "see /proc/sys/kernel/kptr_restrict",
			"this kernel does not show the address of %s", e->name);
	e->extra = s;
	if (!s->type && address)
		return ck->ts->void_;
	if (!s->type)
		return err(ck, e->loc, D_SYM_NOTYPES, arena_printf(ck->arena, "give it one: *(int *)&`%s", e->name),
			"the kernel has no type information for its variable %s", e->name);
	return s->type->kind == T_FUNC && !address ? type_ptr(ck->ts, s->type) : s->type;
}
