/* SPDX-License-Identifier: GPL-2.0-or-later */
/* features: see features.h. Probes the running kernel.
 * Input: /proc, /sys and a few system calls. Output: plain answers.
 * Invariants: each feature is probed at most once, on the first question. No probe changes the system: even a mount
 * is a detached one, which ends with this process. */
#include "kernel/features.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag/report.h"
#include "base/escape.h"
#include "kernel/bpfsys.h"
#include "kernel/events/sysevents.h"
#include "kernel/lockdown.h"
#include "kernel/memlock.h"
#include "kernel/preempt.h"
#include "kernel/readall.h"
#include "kernel/selinux.h"

#define KERNEL_ENOTSUPP 524 /* the kernel's own number, which strerror() does not know */
#define MAX_CPUS 8192       /* CONFIG_NR_CPUS of the largest kernels */

enum known { UNKNOWN, NO, YES };

struct features {
	enum known bpf, btf, fentry, kprobes, kprobe_multi, preempts, jit, cgroup_bpf;
	bool jit_setting; /* the machine shows its setting of the JIT */
	int fentry_err;   /* -errno of the try */
	int cgroup2;      /* descriptor; -1: not opened yet */
	bool cgroup2_whole;
	unsigned ncpus; /* 0: not read yet */
	bool *online;   /* of ncpus */
	bool caps_read;
	char caps[96];
	char remedy[256];
	uint32_t netns; /* 0: not read yet */
	struct sysevents *sysevents;
};

struct features *features_new(void)
{
	struct features *f = calloc(1, sizeof(*f));

	if (f)
		f->cgroup2 = -1;
	return f;
}

void features_free(struct features *f)
{
	if (!f)
		return;
	if (f->cgroup2 >= 0)
		close(f->cgroup2);
	sysevents_free(f->sysevents);
	free(f->online);
	free(f);
}

struct sysevents *features_sysevents(struct features *f)
{
	if (!f->sysevents)
		f->sysevents = sysevents_new();
	return f->sysevents;
}

/* Is there a bpf() system call? */
static bool features_bpf(struct features *f)
{
	if (f->bpf == UNKNOWN) {
		union bpf_attr attr;
		/* No such command: EINVAL or EPERM from a kernel that has the call, ENOSYS from one that has not. */
		memset(&attr, 0, sizeof(attr));
		f->bpf = bpfsys((enum bpf_cmd)0x7fffffff, &attr) == -ENOSYS ? NO : YES;
	}
	return f->bpf == YES;
}

/* Can /sys/kernel/btf/vmlinux be read? */
static bool features_btf(struct features *f)
{
	if (f->btf == UNKNOWN)
		f->btf = access("/sys/kernel/btf/vmlinux", R_OK) == 0 ? YES : NO;
	return f->btf == YES;
}

/* ---- cgroup2 ----------------------------------------------------------------------------------------------------- */

/* Is it a directory of cgroup2? */
static bool is_cgroup2(int fd)
{
	struct statfs s;

	return fstatfs(fd, &s) == 0 && s.f_type == CGROUP2_SUPER_MAGIC;
}

/* The root of the whole hierarchy has inode number 1; that of a cgroup namespace another. */
static bool is_whole(int fd)
{
	struct stat s;

	return fstat(fd, &s) == 0 && s.st_ino == 1;
}

/* Opens the mount point of one line of mountinfo if it is a cgroup2 root; else -1.
 * "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw" */
static int open_mount_line(char *line)
{
	char *dash = strstr(line, " - "), *save = NULL, *field = NULL, *root = NULL;
	int fd;

	if (!dash || strncmp(dash + 3, "cgroup2 ", 8) != 0)
		return -1;
	*dash = 0;
	for (int i = 0; i < 5; i++) {
		field = strtok_r(i ? NULL : line, " ", &save);
		if (i == 3)
			root = field;
	}
	if (!field || !root || strcmp(root, "/") != 0)
		return -1;
	escape_undo_octal(field);
	fd = open(field, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && !is_cgroup2(fd)) { /* something else is mounted over it */
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Opens the root of a cgroup2 that is mounted, that of the whole hierarchy if there is one. A descriptor, or -1. */
static int open_mounted(void)
{
	FILE *in = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t size = 0;
	int best = -1;

	if (!in)
		return -1;
	while (getline(&line, &size, in) > 0) {
		int fd = open_mount_line(line);

		if (fd < 0)
			continue;
		if (best >= 0)
			close(best);
		best = fd;
		if (is_whole(fd))
			break;
	}
	free(line);
	fclose(in);
	return best;
}

/* A mount that is attached nowhere: no other process sees it and it goes with its last descriptor. */
static int open_detached(void)
{
	int fs = fsopen("cgroup2", FSOPEN_CLOEXEC), mnt = -1, fd = -1, err = 0;

	if (fs < 0)
		return -errno;
	if (fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mnt = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	/* bpf() of kernels before 6.1 refuses the O_PATH descriptor that fsmount() gives. */
	if (mnt >= 0)
		fd = openat(mnt, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		err = -errno;
	if (mnt >= 0)
		close(mnt);
	close(fs);
	return fd >= 0 ? fd : err;
}

/* The descriptor stays open in f. */
int features_cgroup2(struct features *f, const struct reporter *to)
{
	int fd;

	if (f->cgroup2 >= 0)
		return f->cgroup2;
	fd = open_mounted();
	if (fd < 0)
		fd = open_detached();
	if (fd < 0)
		return report_error(to, fd, D_NONE, NULL,
			"cannot open the root of cgroup2: none is mounted, and mounting one for ourselves failed: %s; "
			"mount one: mount -t cgroup2 none /sys/fs/cgroup",
			strerror(-fd));
	f->cgroup2 = fd;
	f->cgroup2_whole = is_whole(fd);
	return fd;
}

bool features_cgroup2_whole(const struct features *f)
{
	return f->cgroup2_whole;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* A program that does nothing. A descriptor, or -errno. */
static int load_nothing(uint32_t type, uint32_t attach, int types, uint32_t func)
{
	const struct bpf_insn insns[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K }, { .code = BPF_JMP | BPF_EXIT } };
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = type;
	attr.expected_attach_type = attach;
	attr.attach_btf_id = func;
	attr.attach_btf_obj_fd = (uint32_t)types;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = sizeof(insns) / sizeof(insns[0]);
	attr.license = (uintptr_t) "GPL";
	return bpfsys(BPF_PROG_LOAD, &attr);
}

/* 0, or -errno. arm64 kernels before 6.0 load such programs but cannot attach them, so attaching is tried too. */
static int try_fentry(int types, uint32_t func)
{
	int prog = load_nothing(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, types, func), link, err;

	if (prog < 0)
		return prog;
	link = bpfsys_link_raw(prog, NULL);
	err = link < 0 ? link : 0;
	if (link >= 0)
		close(link);
	close(prog);
	return err;
}

/* test_func: the BTF id of bpf_fentry_test1(), which exists for tests; 0: the kernel lacks it. */
bool features_fentry(struct features *f, uint32_t test_func)
{
	if (f->fentry != UNKNOWN)
		return f->fentry == YES;
	f->fentry_err = test_func ? try_fentry(0, test_func) : 0;
	f->fentry = test_func && !f->fentry_err ? YES : NO;
	return f->fentry == YES;
}

/* Not cached: each function has its own answer. */
bool features_fentry_on(int types, uint32_t func)
{
	return try_fentry(types, func) == 0;
}

int features_fentry_error(const struct features *f)
{
	return f->fentry_err;
}

bool features_kprobes(struct features *f)
{
	if (f->kprobes == UNKNOWN)
		f->kprobes = access("/sys/bus/event_source/devices/kprobe/type", R_OK) == 0 ? YES : NO;
	return f->kprobes == YES;
}

bool features_preempts(struct features *f)
{
	if (f->preempts == UNKNOWN)
		f->preempts = preempt_read() ? YES : NO;
	return f->preempts == YES;
}

/* A link to no function at all: EINVAL from a kernel that has such links, else EOPNOTSUPP or something of the kind. */
bool features_kprobe_multi(struct features *f)
{
	union bpf_attr attr;
	uint64_t none = 0;
	int prog;

	if (f->kprobe_multi != UNKNOWN)
		return f->kprobe_multi == YES;
	f->kprobe_multi = NO;
	prog = load_nothing(BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI, 0, 0);
	if (prog < 0)
		return false;
	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (uint32_t)prog;
	attr.link_create.attach_type = BPF_TRACE_KPROBE_MULTI;
	attr.link_create.kprobe_multi.addrs = (uintptr_t)&none;
	if (bpfsys(BPF_LINK_CREATE, &attr) == -EINVAL)
		f->kprobe_multi = YES;
	close(prog);
	return f->kprobe_multi == YES;
}

/* Did the kernel compile a program that does nothing? If it cannot be loaded the answer is yes: others report that. */
static bool compiles(void)
{
	int prog = load_nothing(BPF_PROG_TYPE_SOCKET_FILTER, 0, 0, 0), err;
	struct bpf_prog_info info;

	if (prog < 0)
		return true;
	memset(&info, 0, sizeof(info));
	err = bpfsys_info(prog, &info, sizeof(info));
	close(prog);
	return err || info.jited_prog_len;
}

/* The setting is there only in the first network namespace, and not in kernels without JIT. */
const char *features_no_jit(struct features *f)
{
	if (f->jit == UNKNOWN) {
		char line[32];

		read_first_line("/proc/sys/net/core/bpf_jit_enable", line, sizeof(line));
		f->jit = line[0] ? (strcmp(line, "0") ? YES : NO) : (compiles() ? YES : NO);
		f->jit_setting = line[0];
	}
	if (f->jit == YES)
		return NULL;
	return f->jit_setting
		? "the kernel's JIT compiler for BPF, which is switched off; use sysctl net.core.bpf_jit_enable=1"
		: "the kernel's JIT compiler for BPF, which is switched off or which this kernel does not have "
		  "(net.core.bpf_jit_enable, CONFIG_BPF_JIT)";
}

/* A kernel without such programs refuses the type of the program before anything else. */
bool features_cgroup_bpf(struct features *f)
{
	int prog = f->cgroup_bpf == UNKNOWN ? load_nothing(BPF_PROG_TYPE_CGROUP_SKB, BPF_CGROUP_INET_EGRESS, 0, 0) : -1;

	if (f->cgroup_bpf == UNKNOWN)
		f->cgroup_bpf = prog == -EINVAL ? NO : YES;
	if (prog >= 0)
		close(prog);
	return f->cgroup_bpf == YES;
}

/* ---- CPUs -------------------------------------------------------------------------------------------------------- */

/* Calls set(cpu) for each number of a list like "0-3,8". Returns the highest plus one; 0 when it cannot be read. */
static unsigned read_cpu_list(const char *path, bool *set, unsigned nset)
{
	FILE *in = fopen(path, "re");
	unsigned top = 0, lo, hi;

	if (!in)
		return 0;
	while (fscanf(in, "%u", &lo) == 1) {
		int c = fgetc(in);

		hi = lo;
		if (c == '-') {
			if (fscanf(in, "%u", &hi) != 1)
				break;
			c = fgetc(in);
		}
		if (hi >= MAX_CPUS || lo > hi)
			break;
		for (unsigned i = lo; set && i <= hi && i < nset; i++)
			set[i] = true;
		if (hi + 1 > top)
			top = hi + 1;
		if (c != ',')
			break;
	}
	fclose(in);
	return top;
}

/* CPUs that may come online, which is what per-CPU maps have values for. */
unsigned features_possible_cpus(void)
{
	static unsigned known; /* the kernel decides it when it boots */
	unsigned n = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (n)
		return n;
	n = read_cpu_list("/sys/devices/system/cpu/possible", NULL, 0);
	if (!n) {
		long c = sysconf(_SC_NPROCESSORS_CONF);

		n = c > 0 && c <= MAX_CPUS ? (unsigned)c : 1;
	}
	__atomic_store_n(&known, n, __ATOMIC_RELAXED);
	return n;
}

/* Reads the lists of CPUs once. */
static void count_cpus(struct features *f)
{
	if (f->ncpus)
		return;
	f->ncpus = features_possible_cpus();
	f->online = calloc(f->ncpus, sizeof(*f->online));
	features_read_cpus(f);
}

/* Reads again which CPUs are online. If that fails all count as online. */
void features_read_cpus(struct features *f)
{
	size_t size = features_cpus(f) * sizeof(*f->online);

	if (!f->online)
		return;
	memset(f->online, 0, size);
	if (!read_cpu_list("/sys/devices/system/cpu/online", f->online, f->ncpus))
		memset(f->online, 1, size);
}

unsigned features_cpus(struct features *f)
{
	count_cpus(f);
	return f->ncpus;
}

bool features_cpu_online(struct features *f, unsigned cpu)
{
	count_cpus(f);
	return cpu < f->ncpus && (!f->online || f->online[cpu]);
}

/* ---- rights ------------------------------------------------------------------------------------------------------ */

/* The capabilities of this thread as bits; 0 if they cannot be read. */
static uint64_t effective_caps(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	memset(data, 0, sizeof(data));
	if (syscall(SYS_capget, &head, data) < 0)
		return 0;
	return data[0].effective | (uint64_t)data[1].effective << 32;
}

bool features_may_ptrace(void)
{
	return effective_caps() >> CAP_SYS_PTRACE & 1;
}

/* Capabilities that tracing needs and this process lacks: "CAP_BPF, CAP_NET_ADMIN"; "" when none is missing. */
static const char *features_missing_caps(struct features *f)
{
	static const struct {
		unsigned cap;
		bool admin_too; /* CAP_SYS_ADMIN includes it */
		const char *name;
	} need[] = {
		{ CAP_BPF, true, "CAP_BPF" },
		{ CAP_PERFMON, true, "CAP_PERFMON" },
		{ CAP_NET_ADMIN, false, "CAP_NET_ADMIN" },
	};
	uint64_t have;

	if (f->caps_read)
		return f->caps;
	f->caps_read = true;
	have = effective_caps();
	for (size_t i = 0; i < sizeof(need) / sizeof(need[0]); i++) {
		size_t len = strlen(f->caps);

		if (have >> need[i].cap & 1 || (need[i].admin_too && have >> CAP_SYS_ADMIN & 1))
			continue;
		snprintf(f->caps + len, sizeof(f->caps) - len, "%s%s", len ? ", " : "", need[i].name);
	}
	return f->caps;
}

/* Whoever is root already lost them to what confines the process. An AppArmor profile is "NAME (enforce)" there. */
static const char *caps_remedy(struct features *f)
{
	char line[160], *mode;

	if (geteuid() != 0)
		return "run it as root";
	read_first_line("/proc/self/attr/current", line, sizeof(line));
	mode = strstr(line, " (enforce)");
	if (!mode)
		return "root lost them here: grant them to the container or service that this process runs in";
	*mode = '\0';
	for (char *c = line; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	snprintf(f->remedy, sizeof(f->remedy), "the AppArmor profile \"%s\" that confines this process must grant them",
		line);
	return f->remedy;
}

/* Root in a user namespace has all capabilities there, but none over the machine. */
static bool in_user_namespace(void)
{
	char line[80];
	unsigned inside, outside, count;

	read_first_line("/proc/self/uid_map", line, sizeof(line));
	return sscanf(line, "%u %u %u", &inside, &outside, &count) == 3 && (inside || outside || count != 0xffffffffu);
}

/* Does a seccomp filter apply to this process, as in many containers? */
static bool seccomp_filtered(void)
{
	FILE *in = fopen("/proc/self/status", "re");
	char line[256];
	bool filtered = false;

	if (!in)
		return false;
	while (fgets(line, sizeof(line), in))
		if (strncmp(line, "Seccomp:\t2", 10) == 0)
			filtered = true;
	fclose(in);
	return filtered;
}

/* Debian, Ubuntu and Android know values above 2 of kernel.perf_event_paranoid: without CAP_SYS_ADMIN they forbid every
 * event, which is what kprobes, uprobes and profile need. 0: that is not the reason. */
static int paranoid_events(void)
{
	char line[32];
	int level;

	read_first_line("/proc/sys/kernel/perf_event_paranoid", line, sizeof(line));
	level = atoi(line);
	return level > 2 && !(effective_caps() >> CAP_SYS_ADMIN & 1) ? level : 0;
}

/* Writes what the policy of SELinux denies. False: nothing that is known. */
static bool explain_selinux(const char *what, bool events, char *buf, size_t len)
{
	struct selinux s;

	selinux_ask(&s, events);
	if (s.denied[0])
		snprintf(buf, len,
			"%s: SELinux denies %s to the domain %s; allow it in the policy or use another domain", what,
			s.denied, s.domain);
	else if (s.unreadable)
		snprintf(buf, len, "%s: SELinux may deny it to the domain %s, whose policy cannot be read here", what,
			s.domain);
	return s.denied[0] || (s.unreadable && events);
}

/* The most likely reason for EPERM or EACCES, tested from the certain to the possible. */
static void explain_eperm(struct features *f, int err, char *buf, size_t len)
{
	const char *caps = features_missing_caps(f), *what = strerror(-err);
	const int paranoid = err == -EACCES ? paranoid_events() : 0;
	uint64_t limit;

	if (caps[0])
		snprintf(buf, len, "%s: this process lacks %s; %s", what, caps, caps_remedy(f));
	else if (in_user_namespace())
		snprintf(buf, len,
			"%s: root inside a user namespace may not trace the machine; run it outside of the container, "
			"or "
			"in one without user namespace",
			what);
	else if (lockdown_hides())
		snprintf(buf, len, "%s: %s", what, LOCKDOWN_HIDES);
	else if (explain_selinux(what, true, buf, len))
		return;
	else if (paranoid)
		snprintf(buf, len,
			"%s: kernel.perf_event_paranoid is %d, and this kernel forbids all perf events above 2 unless "
			"the process has CAP_SYS_ADMIN; run it as root, or: sysctl kernel.perf_event_paranoid=2",
			what, paranoid);
	else if (memlock_limited(&limit))
		snprintf(buf, len,
			"%s: before Linux 5.11 the memory of BPF counts against the limit of locked memory "
			"(RLIMIT_MEMLOCK): it is %llu KiB, and raising it takes CAP_SYS_RESOURCE; use ulimit -l "
			"unlimited",
			what, (unsigned long long)limit / 1024);
	else if (seccomp_filtered())
		snprintf(buf, len, "%s: a seccomp filter may forbid it; run the container privileged", what);
	else
		snprintf(buf, len, "%s", what);
}

/* Adds to strerror() what the user can do about it. */
void features_explain(struct features *f, int err, char *buf, size_t len)
{
	const char *what = strerror(-err);

	switch (-err) {
	case EPERM:
	case EACCES:
		explain_eperm(f, err, buf, len);
		break;
	case ENOSYS:
		snprintf(buf, len, "%s: this kernel was built without it (CONFIG_BPF_SYSCALL, CONFIG_PERF_EVENTS)",
			what);
		break;
	case KERNEL_ENOTSUPP:
		if (features_no_jit(f))
			snprintf(buf, len, "this needs %s", features_no_jit(f));
		else
			snprintf(buf, len, "this kernel does not support it (ENOTSUPP)");
		break;
	case ENOMEM:
		snprintf(buf, len,
			"%s: not enough kernel memory; use smaller buffers (bufsize, aggsize) or fewer probes", what);
		break;
	case EMFILE:
		snprintf(buf, len, "%s: raise the limit of open files (ulimit -n)", what);
		break;
	default:
		snprintf(buf, len, "%s", what);
	}
}

int features_require(struct features *f, const struct reporter *to)
{
	char reason[320];

	if (!features_bpf(f))
		return report_error(to, -ENOSYS, D_NONE, NULL,
			"this kernel has no bpf() system call; it must be built with CONFIG_BPF_SYSCALL");
	if (features_missing_caps(f)[0])
		return report_error(to, -EPERM, D_NONE, NULL,
			"tracing needs capabilities that this process lacks: %s; %s", features_missing_caps(f),
			caps_remedy(f));
	if (explain_selinux("tracing is not possible", false, reason, sizeof(reason)))
		return report_error(to, -EACCES, D_NONE, NULL, "%s", reason);
	if (!features_btf(f) && access("/sys/kernel/btf/vmlinux", R_OK) < 0)
		return report_error(to, -ENOENT, D_NONE, NULL,
			"cannot read the kernel's types from /sys/kernel/btf/vmlinux: %s; mount sysfs, or use a kernel "
			"built with CONFIG_DEBUG_INFO_BTF",
			strerror(errno));
	return 0;
}

/* ---- time and namespaces ----------------------------------------------------------------------------------------- */
/* The two clocks cannot be read at the same instant. Of several tries the one with the shortest gap is used. */
int64_t features_walltime_offset(void)
{
	int64_t best = INT64_MAX, offset = 0;

	for (int i = 0; i < 5; i++) {
		int64_t before = (int64_t)clock_now();
		int64_t wall = (int64_t)clock_wall();
		int64_t after = (int64_t)clock_now();

		if (after - before < best) {
			best = after - before;
			offset = wall - (before + best / 2);
		}
	}
	return offset;
}

/* Process 1 is in the first namespace, except within containers: features_set_netns() corrects it there. */
uint32_t features_global_netns(struct features *f)
{
	struct stat s;

	if (!f->netns && (stat("/proc/1/ns/net", &s) == 0 || stat("/proc/self/ns/net", &s) == 0))
		f->netns = (uint32_t)s.st_ino;
	return f->netns;
}

void features_set_netns(struct features *f, uint32_t netns)
{
	f->netns = netns;
}
