/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compile: compiles D texts to an image: parse, match probes, check, lower. It is pure: the caller passes in a view of
 * the kernel, so the command and the fuzzers run the same code. */
#ifndef DWIRE_COMPILE_COMPILE_H
#define DWIRE_COMPILE_COMPILE_H
#include <stdio.h>

#include "lang/parse/parse.h"
#include "lower/lower.h"
#include "options/options.h"
#include "probes/lists.h"

/* What a text is: a whole program, or the description of a probe, optionally with a predicate and actions (-P, -m,
 * -f, -n, -i). One list makes the enum and the suffix that completes the description: -P tcp means tcp:::. */
#define TEXT_KINDS(X) X(SCRIPT, "") X(PROVIDER, ":::") X(MODULE, "::") X(FUNCTION, ":") X(NAME, "") X(ID, "")

enum text_kind {
#define X(kind, colons) TEXT_##kind,
	TEXT_KINDS(X)
#undef X
};

/* The boundaries between stages, in order. A compilation can stop at one and print its state. */
enum stage { STAGE_ALL, STAGE_TOKENS, STAGE_AST, STAGE_TYPES, STAGE_IR, STAGE_BPF };

struct text {
	enum text_kind kind;
	struct source src;
	const char *shown; /* the description or file, for "matched" */
	size_t matched;    /* probes that its clauses are enabled on */
	struct program prog;
	struct stability probe_attrs, stmt_attrs; /* the least of its descriptions, of its statements */
};

/* "#pragma D depends_on kind name" */
struct library_need {
	const char *kind, *name;
};

/* A D library of the user: declarations. */
struct library {
	struct source src;
	VEC(struct library_need) needs;
	bool left_out; /* something that it depends on is missing */
	unsigned mark; /* while they are sorted */
	struct program prog;
};

/* A name that #pragma D attributes or binding is about. */
struct pragma_name {
	const char *name;
	struct loc loc;
	bool has_attrs;
	struct stability attrs;
	uint32_t version; /* of D, from which on the name is known; 0: always */
};

typedef VEC(struct enabling) enablings;

struct compilation {
	/* set by the caller, all borrowed */
	struct arena *arena;
	struct diags *diags;
	struct options *opts;
	struct macros macros;             /* argc, argv, number, ctx */
	const struct kernel_lists *lists; /* NULL: no probes of the kernel's lists */
	const struct ktypes *ktypes;      /* NULL: no kernel, no library; only programs without arguments compile */
	struct lower_env lenv;
	long hz; /* of jiffies */
	/* Does the kernel have a module of that name? NULL: assume so. ctx is penv's. */
	bool (*has_module)(void *ctx, const char *name);
	FILE *tree;   /* -x tree: the syntax tree is shown there; or NULL */
	FILE *disasm; /* -S: the instructions are shown there; or NULL */

	/* made */
	VEC(struct text) texts;
	VEC(struct library) libraries; /* of the user; filled by library_load() */
	struct program library;        /* declarations of the built-in library made before the checker exists */
	unsigned char *builtin;        /* builtin.c: the state of each declaration */
	bool builtin_missing;          /* some are needed and not declared */
	bool in_library;               /* one is being parsed */
	VEC(struct pragma_name) pragma_names;
	struct types *types;
	struct parse_env penv;
	struct probe_list probes;
	struct checker *checker;
	VEC(enablings) by_probe; /* by index in probes */
	VEC(uint32_t) order;     /* probes in the order of their first clause */
	struct image image;
};

/* Adds a text; name and text are copied. */
void compile_add(struct compilation *c, enum text_kind kind, const char *name, const char *text, size_t len);
/* Parses all texts. Afterwards the options that they set and their descriptions are known. 0; -EINVAL or -ENOMEM, with
 * diagnostics. */
int compile_parse(struct compilation *c) __attribute__((warn_unused_result));
/* Parses all texts and checks their declarations, without the kernel. Afterwards their providers are known. 0; -EINVAL
 * or -ENOMEM, with diagnostics. */
int compile_declare(struct compilation *c) __attribute__((warn_unused_result));
/* Compiles up to a stage, which is dumped to out. 0; -EINVAL or -ENOMEM, with diagnostics. */
int compile_run(struct compilation *c, enum stage dump, FILE *out) __attribute__((warn_unused_result));
#endif
