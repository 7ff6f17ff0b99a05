/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attach: the kinds of places to which a program can be attached, and what each needs: a table that the compiler (for
 * program types), the runtime (for the way to attach) and -lv (for names) read. */
#ifndef DWIRE_IMAGE_ATTACH_H
#define DWIRE_IMAGE_ATTACH_H
#include <stdbool.h>
#include <stdint.h>

/* What a user of struct image_prog must do to attach a program. */
enum attach_way {
	WAY_HAND,      /* nothing: dwire runs the program itself */
	WAY_RAW,       /* a link to the tracepoint that the program was verified for */
	WAY_CGROUP,    /* a link to the root of cgroup2 */
	WAY_PERF,      /* a perf event on each CPU */
	WAY_USER,      /* uprobes */
	WAY_FUNCTION,  /* a link to the function that the program was verified for (fentry, fexit) */
	WAY_KPROBE,    /* kprobes */
	WAY_SYSCALL,   /* the tracepoints of single system calls */
	WAY_EVENT,     /* a tracepoint; the program gets its record */
	WAY_NETFILTER, /* a link to netfilter in each network namespace */
	WAY_WALK,      /* a link to an iterator, which dwire reads in each network namespace */
	WAY_PROGRAM,   /* a copy of the program for each BPF program of a kind, also for those that come later */
	WAY_COUNT
};

#define ATTACH_NETFILTER 45 /* enum bpf_attach_type; headers before Linux 6.4 do not have it */

/* One list makes the enum and the table: kind, name as -lv shows it, the place as messages name it ("": they name the
 * target itself), way, program type and attach type (see linux/bpf.h).
 *   TEST_RUN          BEGIN, END, tick; ERROR, whose clauses are part of other programs
 *   TP_BTF            target: the tracepoint
 *   CGROUP_INGRESS    every packet that the sockets of the machine receive
 *   CGROUP_EGRESS     every packet that they send
 *   CGROUP_SOCKOPS    events of TCP connections
 *   CGROUP_RELEASE    the last descriptor of an Internet socket is closed
 *   PERF              target: EVENT-MODE (kernel/events/counters.h)
 *   UPROBE            places: instructions of programs and libraries
 *   URETPROBE         places: functions, where they return
 *   FENTRY, FEXIT     target: a function of the kernel, as it begins, as it returns
 *   KPROBE, KRETPROBE the same by a kprobe; targets: several functions, which the program distinguishes by its cookie
 *   SYSCALL           target: sys_enter or sys_exit; targets: the system calls
 *   EVENT             target: "GROUP/NAME"
 *   NF_PREROUTING     every packet that IP has received, before any other hook of netfilter
 *   NF_INPUT          every packet that IP gives to a protocol, after all other hooks
 *   NF_FORWARD        every packet that IP forwards, before any other hook
 *   NF_OUTPUT         every packet that this machine sends, before any other hook
 *   NF_POSTROUTING    every packet that leaves, after all other hooks
 *   WALK              target: the iterator's function ("bpf_iter_tcp"); every object that there is, once
 *   XDP_EXIT          each XDP program, as it returns; word 0 is its struct xdp_buff, word 1 its verdict */
/* clang-format off */
#define ATTACH_KINDS(X) \
	X(TEST_RUN,       "by hand",             "",                         HAND,     RAW_TRACEPOINT, 0) \
	X(TP_BTF,         "tp_btf",              "the tracepoint",           RAW,      TRACING, BPF_TRACE_RAW_TP) \
	X(CGROUP_INGRESS, "cgroup_skb/ingress",  "cgroup2 ingress",          CGROUP,   CGROUP_SKB, \
		BPF_CGROUP_INET_INGRESS) \
	X(CGROUP_EGRESS,  "cgroup_skb/egress",   "cgroup2 egress",           CGROUP,   CGROUP_SKB, \
		BPF_CGROUP_INET_EGRESS) \
	X(CGROUP_SOCKOPS, "sock_ops",            "cgroup2 sock_ops",         CGROUP,   SOCK_OPS, BPF_CGROUP_SOCK_OPS) \
	X(CGROUP_RELEASE, "cgroup/sock_release", "cgroup2 sock_release",     CGROUP,   CGROUP_SOCK, \
		BPF_CGROUP_INET_SOCK_RELEASE) \
	X(PERF,           "perf_event",          "the perf event",           PERF,     PERF_EVENT, 0) \
	X(UPROBE,         "uprobe",              "",                         USER,     KPROBE, 0) \
	X(URETPROBE,      "uretprobe",           "",                         USER,     KPROBE, 0) \
	X(FENTRY,         "fentry",              "the function",             FUNCTION, TRACING, BPF_TRACE_FENTRY) \
	X(FEXIT,          "fexit",               "the function",             FUNCTION, TRACING, BPF_TRACE_FEXIT) \
	X(KPROBE,         "kprobe",              "a kprobe on the function", KPROBE,   KPROBE, 0) \
	X(KRETPROBE,      "kretprobe",           "a kprobe on the function", KPROBE,   KPROBE, 0) \
	X(SYSCALL,        "tracepoint",          "",                         SYSCALL,  TRACEPOINT, 0) \
	X(EVENT,          "tracepoint",          "the tracepoint",           EVENT,    TRACEPOINT, 0) \
	X(NF_PREROUTING,  "netfilter/prerouting", "netfilter",               NETFILTER, NETFILTER, ATTACH_NETFILTER) \
	X(NF_INPUT,       "netfilter/input",     "netfilter",                NETFILTER, NETFILTER, ATTACH_NETFILTER) \
	X(NF_FORWARD,     "netfilter/forward",   "netfilter",                NETFILTER, NETFILTER, ATTACH_NETFILTER) \
	X(NF_OUTPUT,      "netfilter/output",    "netfilter",                NETFILTER, NETFILTER, ATTACH_NETFILTER) \
	X(NF_POSTROUTING, "netfilter/postrouting", "netfilter",              NETFILTER, NETFILTER, ATTACH_NETFILTER) \
	X(WALK,           "iterator",            "the iterator",             WALK,     TRACING, BPF_TRACE_ITER) \
	X(XDP_EXIT,       "fexit",               "XDP programs",             PROGRAM,  TRACING, BPF_TRACE_FEXIT)
/* clang-format on */

enum attach_kind {
#define X(kind, name, where, way, type, at) ATTACH_##kind,
	ATTACH_KINDS(X)
#undef X
};

/* A row of the table. */
struct attach_info {
	const char *name;  /* as -lv shows it */
	const char *where; /* the place in messages; "": they name the target */
	enum attach_way way;
	uint32_t prog_type;            /* enum bpf_prog_type */
	uint32_t expected_attach_type; /* enum bpf_attach_type */
};

/* Never NULL: every kind has a row. */
const struct attach_info *attach_info(enum attach_kind kind);
/* A hook of cgroups at which packets of sockets, or segments of TCP, are seen? */
bool attach_sees_packets(enum attach_kind kind);
#endif
