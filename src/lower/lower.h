/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lower: typed tree -> IR -> image. One program a (probe, site); all clauses of the probe in program order. */
#ifndef DWIRE_LOWER_LOWER_H
#define DWIRE_LOWER_LOWER_H
#include <stdio.h>

#include "image/probe.h"
#include "image/tier.h"
#include "lang/check/check.h"
#include "lang/parse/parse.h"

#define KERNEL_FUNC_ARGS 12

/* A pointer that verifiers let nobody read or calculate with as it is. */
#define KERNEL_OPAQUE UINT32_MAX

/* What BTF says of a function or tracepoint of the kernel. */
struct kernel_func {
	unsigned nargs;
	bool returns;                    /* not void */
	bool unusual;                    /* the function has arguments or a result that fentry may not be able to */
	uint8_t words[KERNEL_FUNC_ARGS]; /* that an argument takes; of functions */
	uint32_t of[KERNEL_FUNC_ARGS];   /* of pointers to a structure: its id in vmlinux BTF; KERNEL_OPAQUE; else 0 */
	uint32_t ret_of;                 /* likewise */
	const char *module;              /* that the tracepoint is in; NULL: the kernel itself */
};

/* A field of the record that a tracepoint writes. */
struct kernel_field {
	const char *name;
	uint32_t off, size;
	bool is_signed;
	bool dynamic;  /* what is there tells where it is: bytes in the upper half, the place in the lower */
	bool relative; /* ... counted from the field's end; else from the record's start */
};

/* What the compiler must know of the running kernel; zeroes for tests without one. */
struct lower_env {
	uint32_t kfunc_kern_ctx;                        /* BTF id of bpf_cast_to_kern_ctx */
	uint32_t kfunc_rdonly_cast;                     /* BTF id of bpf_rdonly_cast */
	bool uprobe_multi;                              /* one link may have many uprobes (Linux 6.6) */
	uint32_t nspec;                                 /* speculations at once */
	uint32_t first_netns;                           /* inode number of the machine's first network namespace */
	uint32_t page_size;                             /* of memory; 0: 4096 */
	uint32_t (*netns)(void *ctx, const char *name); /* the number of the namespace that has the name; 0: none */
	/* A tracepoint of the kernel, or else of the module, if that is not NULL: its BTF id; 0: none. */
	uint32_t (*tracepoint)(void *ctx, const char *module, const char *name, struct kernel_func *out);
	/* The fields of the records of "GROUP/NAME"; NULL: it is not there. */
	const struct kernel_field *(*event)(void *ctx, const char *target, size_t *n);
	/* A function of the kernel: its BTF id, 0: BTF has none such. module NULL: the kernel itself. */
	uint32_t (*function)(void *ctx, const char *module, const char *name, struct kernel_func *out);
	/* Can functions be reached so here? NULL: yes; else what lacks; ", which ..." tells why, else the kernel has it
	 * not. */
	const char *(*tier_lacks)(void *ctx, enum tier tier);
	/* Can fentry be on this one? Asked of those that are unusual. */
	bool (*fentry_on)(void *ctx, const char *module, uint32_t id);
	bool (*has_function)(void *ctx, const char *module, const char *name); /* has it code of its own? */
	/* Where functions of libraries are, in all processes; cookies are set. NULL and *n 0: nowhere. */
	const struct uplace *(*functions)(void *ctx, const struct ufunctions *f, size_t *n);
	bool (*syscall_event)(void *ctx, const char *at, const char *call); /* has it a tracepoint of its own? */
	void *ctx;
	uint32_t only_tier;           /* a tier + 1: sites of this one are used; 0: the best of each probe */
	uint32_t only_cpu;            /* a CPU's number + 1: probes fire there only; 0: everywhere */
	uint64_t aggsize, dynvarsize; /* bytes that an aggregation, a dynamic variable may take; 0: the default */
	uint64_t scratchsize;         /* bytes that a clause may take by alloca(), copyin(); 0: the default */
};

/* A clause enabled on a probe. */
struct enabling {
	const struct clause *clause;
};

/* A probe with all clauses that are on it, in program order. */
struct enabled {
	const struct probe *probe;
	const struct enabling *on;
	size_t n;
};

struct lowerer;

/* Where the optimised IR and the instructions are written; NULL: nowhere. */
struct lower_dump {
	FILE *ir, *bpf;
};

struct lowerer *lower_new(struct arena *a, struct diags *d, struct checker *ck, const struct parse_env *penv,
	const struct lower_env *env, struct image *im, const struct lower_dump *dump);
/* Numbers the clauses of a probe; or of several that share their sites (site.number), all with one definition. set
 * must last until lower_finish(). Errors go to the diagnostics. */
void lower_probes(struct lowerer *lw, const struct enabled *set, size_t n);
/* After all probes: compiles their clauses for each of their sites; sizes of maps, the literals. */
void lower_finish(struct lowerer *lw);
#endif
