/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner_load: the programs and maps of the owner service (src/owner/bpf/owner.bpf.c), loaded into the kernel. */
#ifndef DWIRE_OWNER_OWNER_LOAD_H
#define DWIRE_OWNER_OWNER_LOAD_H
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "load/load.h"

/* Each program: its name, how it is attached, and when: always, or once listeners or datagram sockets are shared, or a
 * connection was passed on. A tracing program (BPF_TRACE_RAW_TP) is loaded for its tracepoint or function, which need
 * not be named again. */
/* clang-format off */
#define OWNER_PROGS(X) \
	X(create, BPF_CGROUP_INET_SOCK_CREATE, ALWAYS) \
	X(egress, BPF_CGROUP_INET_EGRESS, ALWAYS) \
	X(peer4, BPF_CGROUP_INET4_GETPEERNAME, ALWAYS) \
	X(peer6, BPF_CGROUP_INET6_GETPEERNAME, ALWAYS) \
	X(state, BPF_TRACE_RAW_TP, ALWAYS) \
	X(release, BPF_CGROUP_INET_SOCK_RELEASE, ALWAYS) \
	X(destroy, BPF_TRACE_RAW_TP, ALWAYS) \
	X(fork, BPF_TRACE_RAW_TP, ALWAYS) \
	X(exit, BPF_TRACE_RAW_TP, ALWAYS) \
	X(output4, BPF_TRACE_RAW_TP, ALWAYS) \
	X(output4_mc, BPF_TRACE_RAW_TP, ALWAYS) \
	X(output6, BPF_TRACE_RAW_TP, ALWAYS) \
	X(accept, BPF_TRACE_RAW_TP, LISTENER) \
	X(uring, BPF_TRACE_RAW_TP, LISTENER) \
	X(recv, BPF_TRACE_RAW_TP, DATAGRAM) \
	X(recv6, BPF_TRACE_RAW_TP, DATAGRAM) \
	X(send, BPF_TRACE_RAW_TP, STREAM) \
	X(send6, BPF_TRACE_RAW_TP, STREAM)
/* clang-format on */

enum owner_prog {
#define X(name, type, when) PROG_##name,
	OWNER_PROGS(X)
#undef X
		PROG_COUNT
};

enum owner_when { ALWAYS, LISTENER, DATAGRAM, STREAM };

struct owner_prog_def {
	const char *name;
	enum bpf_attach_type type;
	enum owner_when when;
};

extern const struct owner_prog_def owner_progs[PROG_COUNT];

/* Those that a program of the script may follow. */
extern const enum owner_prog owner_followed[OWNER_AFTERS];

enum { OWNER_OLD = 20 };

/* What owner_load.c chooses from; owner_load.c says which. */
enum owner_variant { OWNER_HOOKS, OWNER_FUNCS, OWNER_KPROBES, OWNER_NORECV };

struct kbtf;
struct owner_ahead;
struct service_kernel;

/* Descriptors belong to the service, as do the variables of src/owner/bpf/owner.bpf.c. */
struct owner_kernel {
	struct service_kernel *service; /* NULL before Linux 5.17 */
	void *old_state;                /* NULL since then */
	void (*destroy)(void *old_state);
	int number[PROG_COUNT], iter_number; /* of the service's programs; -1: not in this variant */
	int prog[PROG_COUNT];                /* -1: not in this variant, or not loaded yet */
	int old[OWNER_OLD];                  /* the programs of kernels before 5.17, attached in this order; -1: none */
	const char *at;                      /* the place of the last of those that was loaded; NULL: none was tried */
	int iter;
	struct owner_maps maps;
	struct owner_after after[OWNER_AFTERS]; /* their programs: owner_followed */
	const volatile uint64_t *drops;
	volatile uint64_t *ends_factor;
	volatile uint32_t *listener_suspect, *datagram_suspect, *orphaned, *scan, *marked, *partial, *ended_unread;
	volatile uint32_t *accept_missed, *listener_shared, *by_calls, *datagrams;
	const volatile uint32_t *datagram_shared, *stream_shared, *accepts_seen, *accepts_needed;
};

/* functions: the script sees packets at functions of the kernel, before the cgroup hooks do. kprobes: the service is to
 * see them at kprobes, not at fentry. btf: borrowed for the call. Returns 0 or -errno. */
int owner_load(struct owner_kernel *k, bool functions, bool kprobes, struct kbtf *btf)
	__attribute__((warn_unused_result));
/* Loads a program that the variant has and that is not loaded yet. 0, also if the variant has it not, or -errno. */
int owner_load_needed(struct owner_kernel *k, enum owner_prog p) __attribute__((warn_unused_result));

/* Nothing is loaded yet. */
void owner_kernel_init(struct owner_kernel *k);
/* The number of entries of tables that suits the sockets that there are. */
uint32_t owner_room(void);
/* Waits for the thread. False: it has loaded nothing. */
bool owner_ahead_take(struct owner_ahead *a, struct owner_kernel *k);
/* A variant in two steps: what needs the kernel's types; then maps with `entries` sockets, programs. 0 or -errno. */
int owner_open_variant(struct owner_kernel *k, enum owner_variant v, struct kbtf *btf)
	__attribute__((warn_unused_result));
int owner_make_variant(struct owner_kernel *k, uint32_t entries) __attribute__((warn_unused_result));
/* Both. */
int owner_load_variant(struct owner_kernel *k, enum owner_variant v, struct kbtf *btf, uint32_t entries)
	__attribute__((warn_unused_result));
/* The same for kernels before 5.17: tables of `entries` sockets. */
int owner_old_load(struct owner_kernel *k, struct kbtf *btf, uint32_t entries) __attribute__((warn_unused_result));

/* k: loaded, or all zero. */
void owner_unload(struct owner_kernel *k);
#endif
