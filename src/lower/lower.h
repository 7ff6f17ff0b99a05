/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lower: compiles checked clauses to IR and the image.
 * Input: probes with their clauses, the view of the kernel (struct lower_env). Output: an image (image/image.h), or
 * diagnostics. There is one program for each probe and site; it has all clauses of the probe, in program order. */
#ifndef DWIRE_LOWER_LOWER_H
#define DWIRE_LOWER_LOWER_H
#include <stdio.h>

#include "image/probe.h"
#include "image/tier.h"
#include "ir/ir.h"
#include "lang/check/check.h"
#include "lang/parse/parse.h"

#define KERNEL_FUNC_ARGS 12

/* A pointer that programs can neither read through nor calculate with. */
#define KERNEL_OPAQUE UINT32_MAX

/* BTF's description of a kernel function or tracepoint. */
struct kernel_func {
	unsigned nargs;
	bool returns;                    /* not void */
	bool deadly;                     /* tracepoints only: a program there may end the kernel; it is not found */
	bool unusual;                    /* fentry may not support the function's arguments or result */
	uint8_t words[KERNEL_FUNC_ARGS]; /* functions only: how many words the argument takes */
	uint32_t of[KERNEL_FUNC_ARGS];   /* pointers to a structure: its id in vmlinux BTF; KERNEL_OPAQUE; else 0 */
	uint32_t ret_of;                 /* the same for the result */
	const char *module;              /* the tracepoint's module; NULL: the kernel itself */
};

/* A field of the record that a tracepoint writes. */
struct kernel_field {
	const char *name;
	uint32_t off, size;
	bool is_signed;
	bool dynamic;  /* the field is a word that locates the data: length in the upper half, offset in the lower */
	bool relative; /* that offset counts from the field's end; else from the record's start */
};

/* An expression of pcap-filter(7): instructions of classic BPF for a packet that begins at the IP header. Each jump
 * leads forward, to one of them; the last one returns. */
struct packet_insn {
	uint16_t code;
	uint8_t jt, jf;
	uint32_t k;
};
struct packet_filter {
	const struct packet_insn *v;
	size_t n;
};

/* The compiler's view of the running kernel. All zero: no kernel, as in tests. Pointers are borrowed until
 * lower_finish(). */
struct lower_env {
	const char *no_jit;         /* NULL: BPF may call kernel functions; else why it may not (features_no_jit()) */
	uint32_t kfunc_kern_ctx;    /* BTF id of bpf_cast_to_kern_ctx */
	bool netfilter;             /* programs can be attached to netfilter (Linux 6.4) */
	uint32_t kfunc_rdonly_cast; /* BTF id of bpf_rdonly_cast */
	uint32_t kfunc_dynptr;      /* BTF id of bpf_dynptr_from_skb (Linux 6.4) */
	bool dynptr_traced;         /* ... which programs at tracepoints may call (Linux 6.12) */
	bool uprobe_multi;          /* one link may have many uprobes (Linux 6.6) */
	bool no_task;               /* no bpf_get_current_task_btf() (before Linux 5.11) */
	bool no_exchange;           /* no atomic exchanges (before Linux 5.12) */
	bool no_voids;              /* programs cannot read arguments that are const void * (before Linux 6.15) */
	bool ringbuf;               /* records go into BPF ring buffers (before Linux 6.1) */
	bool no_sk_cookie;          /* tracing programs have no bpf_get_socket_cookie() (before Linux 5.12) */
	bool no_cookie;             /* attachments have no cookies (before Linux 5.15) */
	bool no_regs;               /* no bpf_task_pt_regs() (before Linux 5.15) */
	bool preempts_softirqs;     /* the kernel takes the CPU also from programs with softirqs off (PREEMPT_RT) */
	bool faults_kill;           /* a load from a bad address may kill the kernel; see release_faults_kill() */
	enum ir_guard guard;        /* calls that the verifier may get wrong (before Linux 6.5) */
	bool prealloc;              /* programs at perf events use preallocated hashes only (before Linux 6.1) */
	uint32_t nhelpers;          /* the kernel's helpers have smaller numbers; 0: not known */
	uint32_t nspec;             /* number of speculations */
	uint32_t first_netns;       /* inode number of the machine's first network namespace */
	uint32_t page_size;         /* bytes; 0: 4096 */
	uint64_t secret;            /* random bits for hashes that programs compute; 0: none */
	uint32_t (*netns)(void *ctx, const char *name); /* the number of the namespace with this name; 0: none */
	/* Compiles such an expression. NULL: *why says what is wrong, at byte *at of the text. */
	const struct packet_filter *(*filter)(void *ctx, const char *text, const char **why, size_t *at);
	/* The BTF id of a tracepoint of the kernel or, if the kernel has none and module is not NULL, of the module.
	 * 0: none. */
	uint32_t (*tracepoint)(void *ctx, const char *module, const char *name, struct kernel_func *out);
	/* The fields of the records of "GROUP/NAME". NULL: there is no such tracepoint. */
	const struct kernel_field *(*event)(void *ctx, const char *target, size_t *n);
	bool (*counter)(void *ctx, const char *target); /* does the machine count such events? NULL: yes */
	/* The BTF id of a function. 0: not in BTF. module NULL: the kernel itself. */
	uint32_t (*function)(void *ctx, const char *module, const char *name, struct kernel_func *out);
	/* Does this kernel support the tier? NULL: yes. Else what is missing, and behind ", which ..." the reason;
	 * without that, the kernel lacks it. */
	const char *(*tier_lacks)(void *ctx, enum tier tier);
	/* What is missing for BPF programs at cgroups; NULL: nothing. It is found out at the first call. */
	const char *(*cgroup_lacks)(void *ctx);
	/* Is a kprobe better than fentry or, at a return, than fexit, because the kernel would miss firings? See
	 * kernel/preempt.h. NULL: no. */
	bool (*kprobe_better)(void *ctx, bool returns);
	/* Can fentry attach to this function? Called only for unusual ones. */
	bool (*fentry_on)(void *ctx, const char *module, uint32_t id);
	bool (*has_function)(void *ctx, const char *module, const char *name); /* false: only inlined copies, or none */
	/* The places of library functions in all processes, with cookies set. NULL and *n 0: none. */
	const struct uplace *(*functions)(void *ctx, const struct ufunctions *f, size_t *n);
	bool (*syscall_event)(void *ctx, const char *at, const char *call); /* does the call have a tracepoint? */
	/* When a program first reads an owner, so that the owner service can load meanwhile. functions: as in the
	 * image, so far. NULL: nobody wants to know. */
	void (*owners)(void *ctx, bool functions);
	void *ctx;
	uint32_t only_tier;       /* tier + 1: use only sites of this tier; 0: the best tier of each probe */
	uint32_t only_cpu;        /* CPU number + 1: probes fire only there; 0: everywhere */
	const uint16_t *dnsports; /* ports besides 53 that are taken for DNS */
	size_t ndnsports;
	uint64_t aggsize, dynvarsize; /* most bytes of an aggregation, of a dynamic variable; 0: the default */
	bool sample, samplescale;     /* firings may be left out; what remains counts for them */
	bool pathdata;                /* provider path: TCP segments without data are not followed */
	bool aggpercpu;               /* each CPU's part of an aggregation is wanted */
	uint64_t scratchsize;         /* most bytes that a clause may take by alloca() and copyin(); 0: the default */
};

/* A clause enabled on a probe. */
struct enabling {
	const struct clause *clause;
};

/* A probe with all its clauses, in program order. */
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

/* All arguments are borrowed until lower_finish(). Memory comes from the arena a. */
struct lowerer *lower_new(struct arena *a, struct diags *d, struct checker *ck, const struct parse_env *penv,
	const struct lower_env *env, struct image *im, const struct lower_dump *dump);
/* Numbers the clauses of a probe, or of several probes of one definition that share their sites (site.number). set
 * must last until lower_finish(). Errors go to the diagnostics. */
void lower_probes(struct lowerer *lw, const struct enabled *set, size_t n);
/* Call it after all probes. Compiles their clauses for each of their sites, then sets the sizes of maps and the
 * literals. */
void lower_finish(struct lowerer *lw);
#endif
