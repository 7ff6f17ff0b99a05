/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lower: compiles checked clauses to IR and the image.
 * Input: probes with their clauses, the view of the kernel (struct lower_env). Output: an image (image/image.h), or
 * diagnostics. There is one program for each probe and site; it has all clauses of the probe, in program order. */
#ifndef DWIRE_LOWER_LOWER_H
#define DWIRE_LOWER_LOWER_H
#include <stdio.h>

#include "image/probe.h"
#include "image/tier.h"
#include "lang/check/check.h"
#include "lang/parse/parse.h"

#define KERNEL_FUNC_ARGS 12

/* A pointer that the verifier neither lets programs read through nor calculate with. */
#define KERNEL_OPAQUE UINT32_MAX

/* BTF's description of a kernel function or tracepoint. */
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
	bool dynamic;  /* the word there locates the data: length in the upper half, offset in the lower */
	bool relative; /* ... counted from the field's end; else from the record's start */
};

/* The compiler's view of the running kernel. All zero: no kernel, as in tests. Pointers are borrowed until
 * lower_finish(). */
struct lower_env {
	uint32_t kfunc_kern_ctx;                        /* BTF id of bpf_cast_to_kern_ctx */
	bool netfilter;                                 /* programs can be attached to netfilter (Linux 6.4) */
	uint32_t kfunc_rdonly_cast;                     /* BTF id of bpf_rdonly_cast */
	bool uprobe_multi;                              /* one link may have many uprobes (Linux 6.6) */
	uint32_t nspec;                                 /* speculations at once */
	uint32_t first_netns;                           /* inode number of the machine's first network namespace */
	uint32_t page_size;                             /* of memory; 0: 4096 */
	uint32_t (*netns)(void *ctx, const char *name); /* the number of the namespace that has the name; 0: none */
	/* The BTF id of a tracepoint of the kernel or, if the kernel has none and module is not NULL, of the module.
	 * 0: none. */
	uint32_t (*tracepoint)(void *ctx, const char *module, const char *name, struct kernel_func *out);
	/* The fields of the records of "GROUP/NAME". NULL: there is no such tracepoint. */
	const struct kernel_field *(*event)(void *ctx, const char *target, size_t *n);
	bool (*counter)(void *ctx, const char *target); /* does the machine count such events? NULL: yes */
	/* The BTF id of a function. 0: BTF has none. module NULL: the kernel itself. */
	uint32_t (*function)(void *ctx, const char *module, const char *name, struct kernel_func *out);
	/* Can functions be reached by this tier here? NULL: yes. Else what is missing; ", which ..." gives the
	 * reason, and without it the kernel lacks it. */
	const char *(*tier_lacks)(void *ctx, enum tier tier);
	/* Can fentry attach to this function? Called only for unusual ones. */
	bool (*fentry_on)(void *ctx, const char *module, uint32_t id);
	bool (*has_function)(void *ctx, const char *module, const char *name); /* not only inlined copies */
	/* The places of library functions in all processes, with cookies set. NULL and *n 0: none. */
	const struct uplace *(*functions)(void *ctx, const struct ufunctions *f, size_t *n);
	bool (*syscall_event)(void *ctx, const char *at, const char *call); /* has it a tracepoint? */
	void *ctx;
	uint32_t only_tier;       /* a tier + 1: sites of this one are used; 0: the best of each probe */
	uint32_t only_cpu;        /* a CPU's number + 1: probes fire there only; 0: everywhere */
	const uint16_t *dnsports; /* ports besides 53 that DNS is spoken at */
	size_t ndnsports;
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

/* The streams for the optimised IR and the instructions. NULL: no dump. */
struct lower_dump {
	FILE *ir, *bpf;
};

/* Everything is borrowed until lower_finish(), and allocated in a. */
struct lowerer *lower_new(struct arena *a, struct diags *d, struct checker *ck, const struct parse_env *penv,
	const struct lower_env *env, struct image *im, const struct lower_dump *dump);
/* Numbers the clauses of a probe, or of several probes of one definition that share their sites (site.number). set
 * must last until lower_finish(). Errors go to the diagnostics. */
void lower_probes(struct lowerer *lw, const struct enabled *set, size_t n);
/* Call it after all probes. Compiles their clauses for each of their sites, then sets the sizes of maps and the
 * literals. */
void lower_finish(struct lowerer *lw);
#endif
