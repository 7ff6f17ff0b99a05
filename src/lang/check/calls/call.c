/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call: checks calls in expressions: subroutines, and functions of the D library.
 * Input: a call. Output: the type of its value, or NULL after an error.
 * Invariant: a call that passes names a function with as many arguments as it takes. */
#include <string.h>

#include "base/diag/nearest.h"
#include "base/inet.h"
#include "lang/check/calls/calls.h"

/* By enum func: how many arguments it takes, from lo to hi. */
static const struct {
	unsigned lo, hi;
} nargs_of[] = {
#define X(n, c, lo, hi, ...) { lo, hi },
	FUNCS(X)
#undef X
};

/* For strmap_each(): collects what a script may call. */
static void collect_name(void *ctx, const char *key, void *value)
{
	const char ***p = ctx;

	(void)value;
	if (strncmp(key, "__", 2))
		*(*p)++ = key;
}

/* "did you mean strlen()?", or NULL. Functions of the library (__x) are no help to a script. */
static const char *nearest_func(struct checker *ck, const char *name)
{
	const char **names = ARENA_ARRAY(ck->arena, const char *, FN_COUNT + 1), **end = names, *near;

	strmap_each(ck->funcs, collect_name, &end);
	near = nearest_name(name, names);
	return near ? arena_printf(ck->arena, "did you mean %s()?", near) : NULL;
}

/* The tag for a wrong number of arguments: DTrace has a tag for some functions, and a common one for the rest. */
static enum dtag proto_tag(enum func f)
{
	static const enum dtag tags[FN_COUNT] = {
		[FN_clear] = D_CLEAR_PROTO,
		[FN_trunc] = D_TRUNC_PROTO,
		[FN_normalize] = D_NORMALIZE_PROTO,
		[FN_denormalize] = D_NORMALIZE_PROTO,
		[FN_printa] = D_PRINTA_PROTO,
	};

	return tags[f] ? tags[f] : D_PROTO_LEN;
}

/* The function that is called, with its number of arguments checked. NULL after an error. */
struct symbol *func_find(struct checker *ck, struct expr *e)
{
	struct symbol *s = strmap_get(ck->funcs, e->name);

	if (!s && sym_find(ck, e->name, SCOPE_GLOBAL)) {
		err(ck, e->loc, D_FUNC_IDKIND, NULL, "%s is a variable, not a function", e->name);
		return NULL;
	}
	if (!s || (func_class(s->func) == FC_DLIB && !ck->library)) {
		const char *hint = elsewhere_func(e->name);

		err(ck, e->loc, D_FUNC_UNDEF, hint ? hint : nearest_func(ck, e->name), "there is no function %s()",
			e->name);
		return NULL;
	}
	if (e->args.n < nargs_of[s->func].lo || e->args.n > nargs_of[s->func].hi) {
		unsigned lo = nargs_of[s->func].lo, hi = nargs_of[s->func].hi;
		enum dtag tag = proto_tag(s->func);

		if (lo == hi)
			err(ck, e->loc, tag, NULL, "%s() takes %u argument%s, not %zu", e->name, lo, lo == 1 ? "" : "s",
				e->args.n);
		else
			err(ck, e->loc, tag, NULL, "%s() takes %u to %u arguments, not %zu", e->name, lo, hi,
				e->args.n);
		return NULL;
	}
	e->sym = s;
	return s;
}

/* ---- subroutines ------------------------------------------------------------------------------------------------- */
/* __has(expr) becomes 1 if the expression is valid on this kernel, else 0. Its errors go to a list that is dropped. */
static struct type *check_has(struct checker *ck, struct expr *e)
{
	struct diags *keep = ck->d;
	bool ok;

	ck->d = diags_new(ck->arena);
	ok = check_expr(ck, e->args.v[0]) != NULL;
	ck->d = keep;
	e->kind = EX_INT;
	e->ival = ok;
	return ck->ts->int32;
}

/* The type of __regs(): the registers of a process, struct pt_regs on x86_64, struct user_pt_regs on arm64. */
static struct type *regs_type(struct types *ts)
{
	struct type *t = types_tagged(ts, T_STRUCT, "user_pt_regs"), *regs = types_tagged(ts, T_STRUCT, "pt_regs");

	return type_ptr(ts, regs ? regs : t ? t : ts->void_);
}

/* d_path() takes a struct path *. __path() and __psargs() are called by dlib only, so their types are not checked. */
static struct type *check_path_args(struct checker *ck, struct expr *e)
{
	struct type *t = check_expr(ck, e->args.v[0]);

	if (!t || (e->args.n > 1 && !check_expr(ck, e->args.v[1])))
		return NULL;
	if (e->sym->func == FN_d_path &&
		(t->kind != T_PTR || is_xlated(e->args.v[0]) ||
			(t->of->kind != T_VOID && strcmp(t->of->name, "path") != 0)))
		return err(ck, e->args.v[0]->loc, D_PROTO_ARG, NULL, "d_path() takes a struct path *, not %s",
			type_name(ck->ts, t));
	return ck->ts->string;
}

/* inet_in(address, "network") compares the bytes of addresses, not their text. The network is a literal, because it is
 * parsed here. */
static struct type *check_inet_in(struct checker *ck, struct expr *e)
{
	struct type *t = check_expr(ck, e->args.v[0]);
	const struct expr *net = e->args.v[1];
	struct inet_net n;

	if (!t)
		return NULL;
	if (!type_is_string(t))
		return err(ck, e->args.v[0]->loc, D_PROTO_ARG, NULL, "inet_in() takes an address, not %s",
			type_name(ck->ts, t));
	if (net->kind != EX_STR || !inet_net_parse(net->str, &n))
		return err(ck, net->loc, D_PROTO_ARG, "as in \"10.0.0.0/8\" or \"2001:db8::/32\"",
			"inet_in() takes a network as a literal");
	e->args.v[1]->type = ck->ts->string;
	return ck->ts->int32;
}

/* netcounter("name") and netcounter_moved("name"): the name is a literal, because the runtime gets a list of them. */
static struct type *check_netcounter(struct checker *ck, struct expr *e)
{
	struct expr *name = e->args.v[0];

	if (name->kind != EX_STR || !name->str[0] || strlen(name->str) >= DW_READING_NAME)
		return err(ck, name->loc, D_PROTO_ARG, "as in \"TcpExtListenDrops\"",
			"%s() takes the name of a counter as a literal", e->name);
	name->type = ck->ts->string;
	return ck->ts->int64;
}

/* __stamp("name", key), __stamped(), __former(): only dlib calls these, so NULL without a message is a bug in dlib. */
static struct type *check_stamp(struct checker *ck, struct expr *e)
{
	struct type *t = check_expr(ck, e->args.v[1]);

	if (e->args.n > 2 && !check_expr(ck, e->args.v[2]))
		return NULL;
	return t && type_is_int(t) && e->args.v[0]->kind == EX_STR ? ck->ts->uint64 : NULL;
}

/* __packet(), __packet_was(), __box(), __nft(), __xt(): only dlib calls these, with numbers. */
static struct type *check_numbers(struct checker *ck, struct expr *e)
{
	for (size_t i = 0; i < e->args.n; i++) {
		struct type *t = check_expr(ck, e->args.v[i]);

		if (!t || !type_is_int(t))
			return NULL;
	}
	return ck->ts->uint64;
}

/* __pkt(offset, size), __dnsname(offset), __dnswire(offset), __dnshash(offset): only dlib calls these, at sites that
 * have a packet. */
static struct type *check_packet(struct checker *ck, struct expr *e)
{
	struct type *t = check_expr(ck, e->args.v[0]);

	if (!t || !type_is_int(t) || (e->args.n > 1 && !check_expr(ck, e->args.v[1])))
		return NULL;
	return e->sym->func == FN___dnsname ? ck->ts->string : ck->ts->uint32;
}

/* A subroutine that dlib writes in D: f(x) stands for the inline __fn_f[x], and becomes that. */
bool check_dlib_call(struct checker *ck, struct expr *e)
{
	const char *name = arena_printf(ck->arena, "__fn_%s", e->name);
	const struct symbol *s = strmap_get(ck->globals, name);
	struct expr *id;

	if (!s || s->kind != SYM_INLINE || e->name[0] == '_')
		return false;
	id = ARENA_NEW(ck->arena, struct expr);
	id->kind = EX_IDENT;
	id->loc = e->loc;
	id->name = name;
	e->kind = EX_INDEX;
	e->a = id;
	return true;
}

/* e becomes the inline of that name, if dlib has it. obj: the module that the script names. */
static bool become_inline(struct checker *ck, struct expr *e, const char *obj, const char *name)
{
	static const char *const kernels[] = { "", "unix", "genunix", "kernel" };
	const struct symbol *s = strmap_get(ck->globals, name);
	bool ours = !obj;

	for (size_t i = 0; !ours && i < sizeof(kernels) / sizeof(kernels[0]); i++)
		ours = !strcmp(obj, kernels[i]);
	if (!ours || !s || s->kind != SYM_INLINE)
		return false;
	e->kind = EX_IDENT;
	e->name = name;
	return true;
}

/* A variable of another system's kernel that dlib writes in D: `v stands for the inline __sym_v, and becomes that. */
bool check_dlib_symbol(struct checker *ck, struct expr *e)
{
	return become_inline(ck, e, e->obj, arena_printf(ck->arena, "__sym_%s", e->name));
}

/* `symbol.member of another system's kernel: the inline __sym_symbol_member. */
bool check_dlib_member(struct checker *ck, struct expr *e)
{
	const char *name;

	if (e->kind != EX_MEMBER || e->arrow || e->a->kind != EX_SCOPED)
		return false;
	name = arena_printf(ck->arena, "__sym_%s_%s", e->a->name, e->name);
	check_use(ck, name);
	return become_inline(ck, e, e->a->obj, name);
}

/* Has the function a value? False after an error. */
static bool has_value(struct checker *ck, const struct expr *e, enum func_class class)
{
	if (class == FC_ACTION)
		err(ck, e->loc, D_OP_ACT, "write it as a separate statement", "%s() has no value", e->name);
	else if (class == FC_AGG)
		err(ck, e->loc, D_AGG_FUNC, arena_printf(ck->arena, "@name = %s(...);", e->name),
			"%s() is an aggregating function: its result goes to an aggregation", e->name);
	else if (class == FC_SYM)
		err(ck, e->loc, D_CG_EXPR, "record it: as a statement, an argument of printf() or a key",
			"%s() may not be called from a D expression", e->name);
	return class != FC_ACTION && class != FC_AGG && class != FC_SYM;
}

/* A call as a value. subr.c has a table of prototypes; functions that do not fit it are checked here. */
struct type *check_call(struct checker *ck, struct expr *e)
{
	struct types *ts = ck->ts;
	struct symbol *s;
	struct type *t;

	if (check_dlib_call(ck, e))
		return check_expr(ck, e);
	s = func_find(ck, e);
	if (!s || !has_value(ck, e, func_class(s->func)))
		return NULL;
	if (check_subr(ck, e, &t))
		return t;
	if (s->func == FN___has)
		return check_has(ck, e);
	if (s->func == FN___enum)
		return check_enum(ck, e);
	if (s->func == FN___stamp || s->func == FN___stamped || s->func == FN___former)
		return check_stamp(ck, e);
	if (s->func == FN___packet || s->func == FN___packet_was || s->func == FN___box || s->func == FN___nft ||
		s->func == FN___xt)
		return check_numbers(ck, e);
	if (s->func == FN___pkt || s->func == FN___dnsname || s->func == FN___dnswire)
		return check_packet(ck, e);
	if (s->func == FN___loadavg || s->func == FN___moved)
		return ts->string;
	if (s->func == FN___linkspeed)
		return check_expr(ck, e->args.v[0]) && check_expr(ck, e->args.v[1]) ? ts->string : NULL;
	if (s->func == FN_d_path || s->func == FN___path || s->func == FN___psargs)
		return check_path_args(ck, e);
	if (s->func == FN_netcounter || s->func == FN_netcounter_moved)
		return check_netcounter(ck, e);
	if (s->func == FN_inet_in)
		return check_inet_in(ck, e);
	if (s->func == FN_pcap_match)
		return check_pcap_match(ck, e);
	if (s->func == FN_rand || s->func == FN___numa || s->func == FN___pagesize || s->func == FN___pathdata ||
		s->func == FN_speculation)
		return ts->int32;
	if (s->func == FN___regs)
		return regs_type(ts);
	t = check_expr(ck, e->args.v[0]);
	if (!t)
		return NULL;
	if (e->args.n > 1 && !check_expr(ck, e->args.v[1]))
		return NULL;
	if (s->func == FN___ip6 && e->args.n == 1 ? t->kind != T_PTR : !type_is_int(t))
		return err(ck, e->args.v[0]->loc, D_PROTO_ARG, NULL, "%s() takes %s, not %s", e->name,
			s->func == FN___ip6 && e->args.n == 1 ? "a pointer" : "an integer", type_name(ts, t));
	if (s->func == FN___ip4 || s->func == FN___ip6 || s->func == FN___zone || s->func == FN___container)
		return ts->string;
	if (s->func == FN_ntohs || s->func == FN_htons)
		return ts->uint16;
	if (s->func == FN_progenyof)
		return ts->int32;
	if (s->func == FN___owner)
		return type_ptr(ts, types_tagged(ts, T_STRUCT, "dw_owner"));
	if (s->func == FN___user || s->func == FN___dnshash)
		return ts->uint64;
	return s->func == FN_ntohll || s->func == FN_htonll || s->func == FN___machine || s->func == FN___mix
		? ts->uint64
		: ts->uint32;
}
