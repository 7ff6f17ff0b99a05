/* SPDX-License-Identifier: GPL-2.0-or-later */
/* features: reports what the running kernel supports. An answer is found on the first question and then remembered. */
#ifndef DWIRE_KERNEL_FEATURES_H
#define DWIRE_KERNEL_FEATURES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct features;
struct reporter;
struct sysevents;

/* NULL: no memory. */
struct features *features_new(void);
/* Closes the cgroup2 descriptor too; NULL is fine. */
void features_free(struct features *f);

/* Whether this process can trace: 0, or -errno. Reports what is missing: bpf(), capabilities, type information. Costs
 * some microseconds. */
int features_require(struct features *f, const struct reporter *to) __attribute__((warn_unused_result));

/* A descriptor of the root of the cgroup2 hierarchy, owned by f; a detached mount that we make if none is mounted.
 * Reports what fails, and returns -errno. */
int features_cgroup2(struct features *f, const struct reporter *to) __attribute__((warn_unused_result));
/* Whether that root is the machine's (true) or only that of our cgroup namespace: then other containers' packets are
 * not seen. Meaningful after features_cgroup2() succeeded. */
bool features_cgroup2_whole(const struct features *f);

/* Are fentry and fexit supported? Tried on a function that the kernel has for tests; its BTF id, 0: unsupported. */
bool features_fentry(struct features *f, uint32_t test_func);
int features_fentry_error(const struct features *f); /* why not: -errno, after features_fentry(); 0: not tried */
/* ... on the function of this BTF id; types: a descriptor of its module's BTF; 0: the kernel itself. */
bool features_fentry_on(int types, uint32_t func);
bool features_kprobes(struct features *f);
/* One link for many kprobes (Linux 5.18, CONFIG_FPROBE). */
bool features_kprobe_multi(struct features *f);

/* Number of CPU slots, as bpf_get_smp_processor_id() < slots; at least 1. */
unsigned features_possible_cpus(void); /* 1 at least, as of features_cpus() */
unsigned features_cpus(struct features *f);
bool features_cpu_online(struct features *f, unsigned cpu);
/* Whether this process has CAP_SYS_PTRACE, which looking into the processes of other users takes. */
bool features_may_ptrace(void);
/* Looks again which are online. */
void features_read_cpus(struct features *f);

/* The tracepoints of single system calls; NULL: no memory. Owned by f. */
struct sysevents *features_sysevents(struct features *f);

/* Why a bpf() or perf_event_open() call failed with err (-errno) and what to do, for the end of a message:
 * "Operation not permitted: this process lacks CAP_BPF; run as root". */
void features_explain(struct features *f, int err, char *buf, size_t len);

/* CLOCK_REALTIME - CLOCK_MONOTONIC in ns, now: added to a record's time it gives walltimestamp. */
int64_t features_walltime_offset(void);
/* Inode number of the machine's first network namespace (process 1's; our own if that cannot be read). */
uint32_t features_global_netns(struct features *f);
/* ... which is known better; 0: it is not. */
void features_set_netns(struct features *f, uint32_t netns);
#endif
