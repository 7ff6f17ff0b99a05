/* btf: the running kernel's type information (/sys/kernel/btf/vmlinux), as types of D and as ids for BPF.
 * Read once; types are made when asked for. */
#ifndef DWIRE_KERNEL_BTF_H
#define DWIRE_KERNEL_BTF_H
#include "lang/types.h"

struct kbtf;

/* Reads the kernel's BTF. 0, or -errno (-ENOENT: the kernel has none). */
int kbtf_open(struct kbtf **out) __attribute__((warn_unused_result));
void kbtf_close(struct kbtf *k);
/* The interface that src/lang/types takes. */
struct ktypes kbtf_ktypes(struct kbtf *k);
/* BTF id of a function, variable or structure; 0 when there is none. */
uint32_t kbtf_func(struct kbtf *k, const char *name);
uint32_t kbtf_var(struct kbtf *k, const char *name);
/* Id of the typedef btf_trace_NAME that a typed tracepoint attaches to, and how many arguments it has (without the
 * data pointer); 0 when the kernel has no such tracepoint. */
uint32_t kbtf_tracepoint(struct kbtf *k, const char *name, unsigned *nargs);
/* Calls each for every typed tracepoint, in the order of BTF; nargs without the data pointer. */
void kbtf_each_tracepoint(struct kbtf *k, void (*each)(void *ctx, const char *name, unsigned nargs), void *ctx);
/* Type of argument i (from 0) as D text in the arena: "struct sk_buff *", "unsigned long". */
const char *kbtf_tracepoint_arg_text(struct kbtf *k, struct arena *a, const char *name, unsigned i);
/* A function of a module (NULL: the kernel itself): its id, 0 when BTF has none of the name. nargs, and whether it
 * returns something; of[i]: the id of the structure that argument i points to, 0: none; of[most]: likewise of the
 * result. An index is made at the first call. */
uint32_t kbtf_function(struct kbtf *k, const char *module, const char *name, unsigned *nargs, bool *returns,
	uint32_t *of, unsigned most);
/* Type of argument i of a function as D text in the arena; i past the last: of its result. */
const char *kbtf_function_arg_text(struct kbtf *k, struct arena *a, const char *module, const char *name, unsigned i);
/* Type of argument i (from 0) of a typed tracepoint; NULL past the end. */
struct type *kbtf_tracepoint_arg(struct kbtf *k, struct types *ts, const char *name, unsigned i);
#endif
