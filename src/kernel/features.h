/* SPDX-License-Identifier: GPL-2.0-or-later */
/* features: what the running kernel supports. Each feature is tested when it is first asked for; the answer is kept. */
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

/* Can this process trace? 0, or -errno. Reports what is missing: bpf(2), capabilities, type information. Takes some
 * microseconds. */
int features_require(struct features *f, const struct reporter *to) __attribute__((warn_unused_result));

/* A descriptor of the root of the cgroup2 hierarchy, owned by f. If none is mounted, we make a detached mount. Reports
 * an error and returns -errno. */
int features_cgroup2(struct features *f, const struct reporter *to) __attribute__((warn_unused_result));
/* Is that root the machine's? False: it is the root of our cgroup namespace, so packets of other containers are not
 * seen. Call it after features_cgroup2() succeeded. */
bool features_cgroup2_whole(const struct features *f);

/* Are fentry and fexit supported? test_func: the BTF id of a function that the kernel has for such tests; 0: no. */
bool features_fentry(struct features *f, uint32_t test_func);
int features_fentry_error(const struct features *f); /* -errno of features_fentry(); 0: not tested */
/* Can fentry attach to the function of this BTF id? types: a descriptor of its module's BTF; 0: the kernel itself. */
bool features_fentry_on(int types, uint32_t func);
bool features_kprobes(struct features *f);
/* Does the kernel preempt threads in BPF programs? See preempt.h. */
bool features_preempts(struct features *f);
/* One link for many kprobes (Linux 5.18, CONFIG_FPROBE). */
bool features_kprobe_multi(struct features *f);

/* NULL: the kernel compiles BPF programs to machine code (JIT). Else what is missing, for the end of "this needs ...":
 * without the JIT a program cannot call kernel functions, nor pass one of its functions to a helper. */
const char *features_no_jit(struct features *f);

/* Can BPF programs be attached to cgroups? Without that hooks see no packets, and owners cannot be found. */
#define FEATURES_CGROUP_BPF "BPF programs at cgroups (CONFIG_CGROUP_BPF)"
bool features_cgroup_bpf(struct features *f);

/* Number of CPU slots: bpf_get_smp_processor_id() is below it. At least 1. */
unsigned features_possible_cpus(void);
/* The same number, kept. */
unsigned features_cpus(struct features *f);
bool features_cpu_online(struct features *f, unsigned cpu);
/* Reads again which CPUs are online. */
void features_read_cpus(struct features *f);
/* Does this process have CAP_SYS_PTRACE? It is needed to look into processes of other users. */
bool features_may_ptrace(void);

/* The tracepoints of single system calls; NULL: no memory. Owned by f. */
struct sysevents *features_sysevents(struct features *f);

/* Why a bpf() or perf_event_open() call failed with err (-errno) and what to do, for the end of a message:
 * "Operation not permitted: this process lacks CAP_BPF; run as root". */
void features_explain(struct features *f, int err, char *buf, size_t len);

/* CLOCK_REALTIME - CLOCK_MONOTONIC in ns, now: added to a record's time it gives walltimestamp. */
int64_t features_walltime_offset(void);
/* Inode number of the machine's first network namespace: process 1's, or our own if that cannot be read. */
uint32_t features_global_netns(struct features *f);
/* Sets that number, for a caller that knows it better; 0: it is read from /proc when it is next needed. */
void features_set_netns(struct features *f, uint32_t netns);
#endif
