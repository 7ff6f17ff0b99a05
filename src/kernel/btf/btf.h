/* SPDX-License-Identifier: GPL-2.0-or-later */
/* btf: the running kernel's type information (/sys/kernel/btf/vmlinux), as D types and as ids for BPF. The file is
 * read once; a type is made when it is first requested. */
#ifndef DWIRE_KERNEL_BTF_BTF_H
#define DWIRE_KERNEL_BTF_BTF_H
#include "kernel/tpformat.h"
#include "lang/types.h"

struct kbtf;

/* Reads the kernel's BTF. 0, or -errno (-ENOENT: the kernel has none). */
int kbtf_open(struct kbtf **out) __attribute__((warn_unused_result));
void kbtf_close(struct kbtf *k);
/* The interface that src/lang/types takes. */
struct ktypes kbtf_ktypes(struct kbtf *k);
/* BTF ids of functions by their names, of a variable; 0 when there is none. */
void kbtf_funcs(struct kbtf *k, const char *const *names, uint32_t *ids, size_t n);
uint32_t kbtf_var(struct kbtf *k, const char *name);
/* Of a pointer to something that programs cannot read through nor calculate with: of[] of functions and tracepoints. */
#define KBTF_OPAQUE UINT32_MAX
#define KBTF_ARGS 12
/* A typed tracepoint. */
struct ktracepoint {
	uint32_t id;            /* of the typedef btf_trace_NAME that programs attach to */
	unsigned nargs;         /* without the data pointer */
	const char *module;     /* that it is in; NULL: the kernel itself */
	uint32_t of[KBTF_ARGS]; /* of arguments that point to a structure: its id; 0: a number; KBTF_OPAQUE */
};
/* One of the kernel itself, else of the module, if that is not NULL. */
bool kbtf_tracepoint(struct kbtf *k, const char *module, const char *name, struct ktracepoint *out);
/* Has the kernel, or any module, one of the name? */
bool kbtf_has_tracepoint(struct kbtf *k, const char *name);
/* Calls each for every typed tracepoint, in the order of BTF, modules after the kernel by their names. */
typedef void kbtf_each_fn(void *ctx, const char *module, const char *name, unsigned nargs);
void kbtf_each_tracepoint(struct kbtf *k, kbtf_each_fn *each, void *ctx);
/* Type of argument i (from 0) as D text in the arena: "struct sk_buff *", "unsigned long". */
const char *kbtf_tracepoint_arg_text(struct kbtf *k, struct arena *a, const char *module, const char *name, unsigned i);
/* ... of a field of a tracepoint's record: "int", "string", "uint8_t [28]". */
const char *kbtf_field_text(struct kbtf *k, struct arena *a, const struct tpfield *f);
struct kfunction {
	uint32_t id;
	unsigned nargs;
	bool returns;             /* not void */
	bool unusual;             /* what fentry may not be able to: arguments by value, many, variable; such results */
	uint8_t words[KBTF_ARGS]; /* that an argument takes */
	uint32_t of[KBTF_ARGS + 1]; /* what arguments point to, as of a tracepoint's; the last: likewise the result */
};
/* One of a module (NULL: the kernel itself). An index is made at the first call. */
bool kbtf_function(struct kbtf *k, const char *module, const char *name, struct kfunction *out);
/* A descriptor of the types of a module, for bpf(); or -errno. */
int kbtf_module_fd(const char *module) __attribute__((warn_unused_result));
/* Type of argument i of a function as D text in the arena; i past the last: of its result. */
const char *kbtf_function_arg_text(struct kbtf *k, struct arena *a, const char *module, const char *name, unsigned i);
#endif
