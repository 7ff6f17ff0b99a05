/* SPDX-License-Identifier: GPL-2.0-or-later */
/* btf: the running kernel's type information (/sys/kernel/btf/vmlinux), as D types and as ids for BPF. The file is
 * read once; each type is converted when it is first requested. */
#ifndef DWIRE_KERNEL_BTF_BTF_H
#define DWIRE_KERNEL_BTF_BTF_H
#include "kernel/events/tpformat.h"
#include "lang/types.h"

struct kbtf;

/* Reads the kernel's BTF. 0, or -errno (-ENOENT: the kernel has none). */
int kbtf_open(struct kbtf **out) __attribute__((warn_unused_result));
void kbtf_close(struct kbtf *k);
/* The kernel's types as lang/types.h uses them. */
struct ktypes kbtf_ktypes(struct kbtf *k);
/* BTF ids of functions, and of a variable, by name; 0: none. */
void kbtf_funcs(struct kbtf *k, const char *const *names, uint32_t *ids, size_t n);
uint32_t kbtf_var(struct kbtf *k, const char *name);
/* In of[]: a pointer that programs can neither read through nor calculate with. */
#define KBTF_OPAQUE UINT32_MAX
#define KBTF_ARGS 12
/* A typed tracepoint. */
struct ktracepoint {
	uint32_t id;            /* BTF id of the typedef btf_trace_NAME, to which programs attach */
	unsigned nargs;         /* without the data pointer */
	const char *module;     /* NULL: the kernel itself */
	uint32_t of[KBTF_ARGS]; /* by argument: BTF id of the structure it points to; 0: a number; KBTF_OPAQUE */
};
/* Looks for the tracepoint in the kernel itself, then in the module unless that is NULL. */
bool kbtf_tracepoint(struct kbtf *k, const char *module, const char *name, struct ktracepoint *out);
/* May a program at this tracepoint end the kernel? Then the other functions do not find it. */
bool kbtf_deadly_tracepoint(const char *name);
/* Does the kernel or any module have a typed tracepoint of this name? */
bool kbtf_has_tracepoint(struct kbtf *k, const char *name);
/* Calls each for every typed tracepoint: those of the kernel in the order of BTF, then those of modules, sorted by
 * module. */
typedef void kbtf_each_fn(void *ctx, const char *module, const char *name, unsigned nargs);
void kbtf_each_tracepoint(struct kbtf *k, kbtf_each_fn *each, void *ctx);
/* The type of argument i (from 0) as D text in the arena: "struct sk_buff *", "unsigned long". */
const char *kbtf_tracepoint_arg_text(struct kbtf *k, struct arena *a, const char *module, const char *name, unsigned i);
/* The same for a field of a tracepoint's record: "int", "string", "uint8_t [28]". */
const char *kbtf_field_text(struct kbtf *k, struct arena *a, const struct tpfield *f);
struct kfunction {
	uint32_t id;
	unsigned nargs;
	bool returns; /* not void */
	/* fentry may not support it: structures by value, many or variable arguments, such a result. */
	bool unusual;
	uint8_t words[KBTF_ARGS];   /* by argument: how many words it takes */
	uint32_t of[KBTF_ARGS + 1]; /* by argument, as in struct ktracepoint; the last one: of the result */
};
/* A function of a module (NULL: the kernel itself). The first call makes an index. */
bool kbtf_function(struct kbtf *k, const char *module, const char *name, struct kfunction *out);
/* A descriptor of a module's BTF, for bpf(2); or -errno. */
int kbtf_module_fd(const char *module) __attribute__((warn_unused_result));
/* The type of argument i of a function as D text in the arena; i past the last argument: of the result. */
const char *kbtf_function_arg_text(struct kbtf *k, struct arena *a, const char *module, const char *name, unsigned i);
#endif
