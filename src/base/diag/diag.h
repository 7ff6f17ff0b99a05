/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diag: a diagnostic as data, the places in texts that it points at, and a list that collects them.
 * base/diag/report.h says how one is reported; base/diag/diag_text.h prints one with line and caret. */
#ifndef DWIRE_BASE_DIAG_DIAG_H
#define DWIRE_BASE_DIAG_DIAG_H
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* A D text: a script file, a -n argument or a library file. Borrowed, lives as long as the compilation. */
struct source {
	const char *name; /* as shown: "tcp.d", "-n #1" */
	const char *text;
	size_t len;
	size_t from;  /* where the parser begins; lines are counted from the text's start */
	bool library; /* part of dlib */
};

/* A range of source text. src NULL: no place. */
struct loc {
	const struct source *src;
	uint32_t off, len;
};

/* DTrace's error tags. One list makes the enum and the names. D_NONE: not about a D program. */
/* clang-format off */
#define DIAG_TAGS(X)                                                                                     \
	X(D_NONE) X(D_UNKNOWN) X(D_SYNTAX) X(D_EMPTY) X(D_TYPE_ERR) X(D_TYPE_MEMBER) X(D_CG_EXPR) X(D_ATTR_MIN)    \
	X(D_PDESC_ZERO) X(D_PROC_BADPID) X(D_PROC_GRAB) X(D_PROC_LIB) X(D_PROC_FUNC) X(D_PROC_NAME)    \
	X(D_PROC_OFF) X(D_PROC_ALIGN) X(D_PROC_CREATEFAIL) X(D_PDESC_INVAL)                          \
	X(D_PRED_SCALAR) X(D_FUNC_IDENT) X(D_FUNC_UNDEF)                                                 \
	X(D_FUNC_IDKIND) X(D_OFFSETOF_TYPE) X(D_OFFSETOF_BITFIELD) X(D_SIZEOF_TYPE)                      \
	X(D_SIZEOF_BITFIELD) X(D_STRINGOF_TYPE) X(D_OP_INT) X(D_OP_SCALAR) X(D_OP_ARITH) X(D_OP_WRITE)   \
	X(D_OP_LVAL) X(D_OP_INCOMPAT) X(D_OP_VFPTR) X(D_OP_ARRFUN) X(D_OP_PTR) X(D_OP_SOU)               \
	X(D_OP_INCOMPLETE) X(D_OP_DYN) X(D_OP_ACT) X(D_AGG_REDEF) X(D_AGG_FUNC) X(D_AGG_MDIM)            \
	X(D_ARR_BADREF) X(D_ARR_BOUNDS) X(D_ARR_LOCAL) X(D_DIV_ZERO) X(D_DEREF_NONPTR) X(D_DEREF_VOID) X(D_DEREF_FUNC) \
	X(D_ADDROF_LVAL) X(D_ADDROF_VAR) X(D_ADDROF_BITFIELD) X(D_XLATE_REDECL) X(D_XLATE_NOCONV)        \
	X(D_XLATE_NONE) X(D_XLATE_SOU) X(D_XLATE_INCOMPAT) X(D_XLATE_MEMB) X(D_CAST_INVAL)               \
	X(D_PRAGERR) X(D_PRAGCTL_INVAL) X(D_PRAGMA_INVAL) X(D_PRAGMA_UNUSED) X(D_PRAGMA_MALFORM)         \
	X(D_PRAGMA_OPTSET) X(D_PRAGMA_SCOPE) X(D_PRAGMA_DEPEND) X(D_MACRO_UNDEF) X(D_MACRO_OFLOW)        \
	X(D_MACRO_UNUSED) X(D_INT_OFLOW) X(D_INT_DIGIT) X(D_STR_NL) X(D_CHR_NL) X(D_CHR_NULL)            \
	X(D_CHR_OFLOW) X(D_IDENT_BADREF) X(D_IDENT_UNDEF) X(D_SYM_NOTYPES) X(D_VAR_UNDEF)                \
	X(D_PROTO_LEN) X(D_PROTO_ARG) X(D_ARGS_MULTI) X(D_ARGS_NONE) X(D_ARGS_TYPE) X(D_ARGS_IDX)        \
	X(D_REGS_IDX) X(D_KEY_TYPE) X(D_PRINTF_DYN_PROTO) X(D_PRINTF_DYN_TYPE) X(D_PRINTF_AGG_CONV)      \
	X(D_PRINTF_ARG_PROTO) X(D_PRINTF_ARG_TYPE) X(D_PRINTF_ARG_EXTRA) X(D_PRINTF_ARG_FMT)             \
	X(D_PRINTF_FMT_EMPTY) X(D_DECL_CHARATTR) X(D_DECL_VOIDATTR) X(D_DECL_SIGNINT)                    \
	X(D_DECL_LONGINT) X(D_DECL_CLASS) X(D_DECL_BADCLASS) X(D_DECL_PARMCLASS) X(D_DECL_COMBO)         \
	X(D_DECL_ARRSUB) X(D_DECL_ARRNULL) X(D_DECL_ARRBIG) X(D_DECL_IDRED) X(D_DECL_TYPERED)            \
	X(D_DECL_MNAME) X(D_DECL_SCOPE) X(D_DECL_BFCONST) X(D_DECL_BFSIZE) X(D_DECL_BFTYPE)              \
	X(D_DECL_ENCONST) X(D_DECL_ENOFLOW) X(D_DECL_USELESS) X(D_DECL_LOCASSC) X(D_DECL_VOIDOBJ)        \
	X(D_DECL_INCOMPLETE) X(D_DECL_PROTO_VARARGS) X(D_DECL_PROTO_TYPE) X(D_DECL_PROTO_VOID)           \
	X(D_DECL_PROTO_NAME) X(D_DECL_PROTO_FORM) X(D_COMM_COMM) X(D_COMM_DREC) X(D_SPEC_SPEC)           \
	X(D_SPEC_COMM) X(D_SPEC_DREC) X(D_AGG_COMM) X(D_AGG_SPEC) X(D_AGG_NULL) X(D_AGG_SCALAR)          \
	X(D_ACT_SPEC) X(D_EXIT_SPEC) X(D_DREC_COMM) X(D_EXPR_NULL) X(D_PRINTA_PROTO)                     \
	X(D_PRINTA_AGGARG) X(D_PRINTA_AGGBAD) X(D_PRINTA_AGGKEY) X(D_TRACE_VOID) X(D_TRACE_DYN)          \
	X(D_TRACE_AGG) X(D_PRINT_VOID) X(D_PRINT_DYN) X(D_PRINT_AGG) X(D_TRACEMEM_ADDR)                  \
	X(D_TRACEMEM_SIZE) X(D_TRACEMEM_ARGS) X(D_TRACEMEM_DYNSIZE) X(D_STACK_PROTO) X(D_STACK_SIZE)     \
	X(D_USTACK_FRAMES) X(D_USTACK_STRSIZE) X(D_USTACK_PROTO) X(D_LQUANT_BASETYPE)                    \
	X(D_LQUANT_BASEVAL) X(D_LQUANT_LIMTYPE) X(D_LQUANT_LIMVAL) X(D_LQUANT_MISMATCH)                  \
	X(D_LQUANT_STEPTYPE) X(D_LQUANT_STEPVAL) X(D_LQUANT_STEPLARGE) X(D_LQUANT_STEPSMALL)             \
	X(D_LQUANT_MATCHBASE) X(D_LQUANT_MATCHLIM) X(D_LQUANT_MATCHSTEP) X(D_LLQUANT_FACTORTYPE)         \
	X(D_LLQUANT_FACTORVAL) X(D_LLQUANT_FACTORMATCH) X(D_LLQUANT_LOWTYPE) X(D_LLQUANT_LOWVAL)         \
	X(D_LLQUANT_LOWMATCH) X(D_LLQUANT_HIGHTYPE) X(D_LLQUANT_HIGHVAL) X(D_LLQUANT_HIGHMATCH)          \
	X(D_LLQUANT_NSTEPTYPE) X(D_LLQUANT_NSTEPVAL) X(D_LLQUANT_NSTEPMATCH) X(D_LLQUANT_MAGRANGE)       \
	X(D_LLQUANT_MAGTOOBIG) X(D_LLQUANT_FACTORNSTEPS) X(D_LLQUANT_FACTOREVEN)                         \
	X(D_LLQUANT_FACTORSMALL) X(D_CLEAR_PROTO) X(D_CLEAR_AGGARG) X(D_CLEAR_AGGBAD)                    \
	X(D_NORMALIZE_PROTO) X(D_NORMALIZE_SCALAR) X(D_NORMALIZE_AGGARG) X(D_NORMALIZE_AGGBAD)           \
	X(D_TRUNC_PROTO) X(D_TRUNC_SCALAR) X(D_TRUNC_AGGARG) X(D_TRUNC_AGGBAD) X(D_PROV_BADNAME)         \
	X(D_PROV_PRDUP) X(D_PROV_PRARGLEN) X(D_FREOPEN_INVALID) X(D_KERNEL) X(D_LIMIT)
/* clang-format on */

enum dtag {
#define X(t) t,
	DIAG_TAGS(X)
#undef X
		D_TAG_COUNT
};

enum diag_level {
	DIAG_ERROR,   /* the operation failed */
	DIAG_WARNING, /* the operation continues, with less than was asked for */
	DIAG_NOTE     /* a fact, such as drops */
};

struct diag {
	enum diag_level level;
	enum dtag tag;
	int err; /* -errno, or 0 */
	struct loc loc;
	const char *message; /* one sentence, not escaped */
	const char *detail;  /* whole lines, such as the end of a verifier's log; or NULL */
	const char *hint;    /* the next step, or NULL */
};

struct reporter;
struct diags; /* a growing list, in an arena */

struct diags *diags_new(struct arena *a);

/* The list as a reporter: diagnostics are copied into the list. */
const struct reporter *diags_reporter(const struct diags *d);
/* Adds an error; hint may be NULL. The list keeps a hundred errors and counts the rest; likewise warnings and notes. */
void diag_error(struct diags *d, struct loc at, enum dtag tag, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
void diag_warn(struct diags *d, struct loc at, enum dtag tag, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* Number of errors, kept or not. */
size_t diags_errors(const struct diags *d);
/* The arena has failed: replaces the list, whose errors may be consequences, by that one error. */
void diags_no_memory(struct diags *d, const char *what);
/* Number of errors that were not kept. */
size_t diags_unkept(const struct diags *d);
/* The i-th diagnostic, or NULL past the end. */
const struct diag *diags_get(const struct diags *d, size_t i);
const char *dtag_name(enum dtag t);
/* 1-based line and column of a location, in the file that a line mark (# 5 "x.h" or #line 5 "x.h") names. */
void loc_position(struct loc at, unsigned *line, unsigned *col);
/* Is the location in a system header? The preprocessor marks these by flag 3 after the name. */
bool loc_in_header(struct loc at);
/* Is the line (from its # up to end) a line mark? Sets the number of the next line, and the file's name or NULL. */
bool line_mark(const char *s, const char *end, unsigned *line, const char **file, size_t *len);
/* The name of a location's file, *len bytes, borrowed from the text or the source; NULL: no place. */
const char *loc_file(struct loc at, size_t *len);
/* Start of the line that holds off (which may be the end of the text). */
size_t source_line(const struct source *src, size_t off);
#endif
