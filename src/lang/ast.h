/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ast: the tree of a D program. The parser makes it from text alone and resolves no names. The checker fills in the
 * fields marked "check" and may replace a node by a simpler one in place. Every node keeps its place in the source.
 * The compilation's arena owns all memory. */
#ifndef DWIRE_LANG_AST_H
#define DWIRE_LANG_AST_H
#include <stdint.h>
#include <stdio.h>

#include "base/diag/diag.h"
#include "base/vec.h"

struct type;
struct symbol;
struct type_member;
struct expr;
typedef VEC(struct expr *) expr_list;

/* ---- types as written -------------------------------------------------------------------------------------------- */
enum tyx_kind {
	TYX_BASIC,  /* keywords: spec */
	TYX_NAME,   /* a typedef name: name */
	TYX_STRUCT, /* name (may be NULL), members when has_body */
	TYX_UNION,
	TYX_ENUM,  /* name (may be NULL), enumerators when has_body */
	TYX_PTR,   /* of */
	TYX_ARRAY, /* of; size (NULL: []) */
	TYX_ASSOC, /* of; keys: an associative array of D */
	TYX_FUNC,  /* of; params in keys */
};

enum tyx_spec { /* bits of spec, for TYX_BASIC */
	SPEC_VOID = 1 << 0,
	SPEC_CHAR = 1 << 1,
	SPEC_SHORT = 1 << 2,
	SPEC_INT = 1 << 3,
	SPEC_LONG = 1 << 4,
	SPEC_LONGLONG = 1 << 5,
	SPEC_SIGNED = 1 << 6,
	SPEC_UNSIGNED = 1 << 7,
	SPEC_FLOAT = 1 << 8,
	SPEC_DOUBLE = 1 << 9,
	SPEC_STRING = 1 << 10,
	SPEC_USERLAND = 1 << 11,
	SPEC_BOOL = 1 << 12,
};

struct tyx;
struct tyx_member {
	const char *name; /* NULL: anonymous struct or union, or unnamed bit-field */
	struct tyx *type;
	struct expr *bits;  /* bit-field width or NULL */
	struct expr *value; /* enumerators: = value, or NULL */
	struct loc loc;
};

struct tyx {
	enum tyx_kind kind;
	struct loc loc;
	uint32_t spec;
	const char *name;
	const char *scope; /* struct vmlinux`task_struct: "vmlinux"; else NULL */
	bool has_body;
	VEC(struct tyx_member) members;
	struct tyx *of;
	struct expr *size;
	VEC(struct tyx *) keys;
	uint32_t depth; /* height of this type, at most the parser's limit of nesting */
};

/* ---- expressions ------------------------------------------------------------------------------------------------- */
enum expr_kind {
	EX_INT,      /* ival; isuffix */
	EX_STR,      /* str, slen */
	EX_IDENT,    /* name; scope */
	EX_SCOPED,   /* module`name: obj (may be "") and name */
	EX_AGG,      /* @name[args]; name "" for @ */
	EX_UNARY,    /* op, a */
	EX_BINARY,   /* op, a, b */
	EX_ASSIGN,   /* op (OP_ASSIGN, or OP_ADD for += and so on), a, b */
	EX_COND,     /* a ? b : c */
	EX_CALL,     /* name(args) */
	EX_INDEX,    /* a[args] */
	EX_MEMBER,   /* a.name, a->name (arrow) */
	EX_CAST,     /* (tyx) a */
	EX_SIZEOF,   /* sizeof (tyx) or sizeof a (tyx NULL) */
	EX_OFFSETOF, /* offsetof(tyx, name) */
	EX_STRINGOF, /* stringof a */
	EX_XLATE,    /* xlate <tyx> (a) */
	EX_COMMA,    /* a, b */
};

/* Each operator with its spelling. One list makes the enum and the table of spellings. */
/* clang-format off */
#define EXPR_OPS(X)                                                                                       \
	X(OP_NONE, "") X(OP_ASSIGN, "=")                                                                   \
	X(OP_ADD, "+") X(OP_SUB, "-") X(OP_MUL, "*") X(OP_DIV, "/") X(OP_MOD, "%")                          \
	X(OP_SHL, "<<") X(OP_SHR, ">>") X(OP_AND, "&") X(OP_OR, "|") X(OP_XOR, "^")                         \
	X(OP_LAND, "&&") X(OP_LOR, "||") X(OP_LXOR, "^^")                                                  \
	X(OP_EQ, "==") X(OP_NE, "!=") X(OP_LT, "<") X(OP_LE, "<=") X(OP_GT, ">") X(OP_GE, ">=")             \
	X(OP_NEG, "-") X(OP_POS, "+") X(OP_NOT, "!") X(OP_COMPL, "~") X(OP_DEREF, "*") X(OP_ADDR, "&")      \
	X(OP_PREINC, "++") X(OP_PREDEC, "--") X(OP_POSTINC, "++") X(OP_POSTDEC, "--")
/* clang-format on */

enum expr_op {
#define X(e, s) e,
	EXPR_OPS(X)
#undef X
};
const char *expr_op_text(enum expr_op op);

enum var_scope { SCOPE_GLOBAL, SCOPE_SELF, SCOPE_THIS, SCOPE_PKT }; /* x, self->x, this->x, pkt->x */

enum int_suffix { ISUF_U = 1, ISUF_L = 2, ISUF_LL = 4, ISUF_CHAR = 8 /* 'c' */, ISUF_NODEC = 16 /* hex or octal */ };

struct expr {
	enum expr_kind kind;
	struct loc loc; /* of the operator or the name: where the caret points */
	enum expr_op op;
	struct expr *a, *b, *c;
	const char *name;
	const char *obj;
	enum var_scope scope;
	bool arrow;
	bool paren; /* written in parentheses */
	uint64_t ival;
	uint32_t isuffix;
	const char *str; /* escapes decoded; may hold NUL bytes */
	size_t slen;
	expr_list args;
	struct tyx *tyx;
	uint32_t depth; /* height of this tree, at most the parser's limit of nesting */

	/* check */
	struct type *type;
	struct symbol *sym;
	struct xlate_use *xl;       /* for a translated value or member */
	struct type_member *member; /* of a structure, not translated */
	int form;                   /* strings: how they are represented, see lang/check/check.h */
	void *extra;                /* by kind, see lang/check/check.h */
};

/* ---- statements, clauses, declarations --------------------------------------------------------------------------- */
enum stmt_kind { ST_EXPR, ST_IF };

struct stmt {
	enum stmt_kind kind;
	struct loc loc;
	struct expr *expr; /* the expression, or the condition of if */
	VEC(struct stmt *) then, otherwise;
};

/* A probe description: its parts as written, "" if missing; a single number is an id. */
struct pdesc {
	struct loc loc;
	const char *text; /* as written */
	const char *prov, *mod, *func, *name;
	uint32_t id; /* not 0: the description is this probe id */
};

struct clause {
	struct loc loc;
	VEC(struct pdesc) probes;
	struct expr *pred; /* or NULL */
	bool has_body;     /* there is a { ... }, even if empty */
	VEC(struct stmt *) body;
	uint32_t index; /* number in program order, from 0 */
};

struct xlator { /* translator out < in *name > { member = expr; ... } */
	struct loc loc;
	struct tyx *out, *in;
	const char *param;
	struct tyx_member_init *inits;
	size_t ninits;

	/* check */
	struct type *out_type, *in_type;
};

struct tyx_member_init {
	const char *name;
	struct expr *value;
	struct loc loc;
};

struct inline_def {       /* inline T name [ params ] = expr; */
	struct tyx *type; /* for arrays: TYX_ASSOC, keys are the parameters' types */
	const char *name;
	VEC(const char *) params;
	struct expr *value;
	struct loc loc;
};

struct var_decl { /* [self|this] T name; */
	enum var_scope scope;
	bool is_extern;
	struct tyx *type;
	const char *name;
	struct loc loc;
};

/* An argument of a provider's probe. Pointers of any kind are addresses: 8 bytes without a sign. */
struct provider_arg {
	struct tyx *type;

	/* check */
	uint32_t size; /* 1, 2, 4, 8 */
	bool is_signed, is_pointer;
};

struct provider_probe {
	const char *name; /* as in an ELF note: query__start, even if query-start was written */
	struct loc loc;
	VEC(struct provider_arg) args; /* as the program passes them; types after a : are ignored */
};

struct provider_decl { /* provider name { probe name(args); ... }; */
	const char *name;
	struct loc loc;
	VEC(struct provider_probe) probes;
};

struct pragma {           /* #pragma D word args */
	const char *word; /* "option", "attributes", "depends_on", "binding", ... */
	const char *args; /* the rest of the line, trimmed */
	struct loc loc;
};

enum decl_kind { DECL_TYPE, DECL_TYPEDEF, DECL_VAR, DECL_INLINE, DECL_XLATOR, DECL_PRAGMA, DECL_CLAUSE, DECL_PROVIDER };

struct decl {
	enum decl_kind kind;
	struct loc loc;
	union {
		struct tyx *type; /* DECL_TYPE: struct s { ... }; */
		struct {
			struct tyx *type;
			const char *name;
		} typedef_;
		struct var_decl var;
		struct inline_def inl;
		struct xlator xlator;
		struct provider_decl provider;
		struct pragma pragma;
		struct clause clause;
	} u;
};

/* The declarations of one or several source texts, in order. */
struct program {
	VEC(struct decl *) decls;
	uint32_t nclauses;
};

/* --dump=ast: prints the tree, one node a line, indented by two spaces a level. */
void ast_dump(const struct program *p, FILE *out);
/* Does evaluating it change a variable? */
bool expr_has_effects(const struct expr *e);
bool stmt_is_agg(const struct stmt *s); /* does it fill an aggregation: @a[keys] = func(value)? */
/* After the check: are both the same, so that they have one value if neither has effects and nothing changes between
 * them? False where that is not plain to see, as of calls. */
bool expr_same(const struct expr *x, const struct expr *y);
/* The D text of an expression, for messages. */
const char *ast_expr_text(struct arena *a, const struct expr *e);
#endif
