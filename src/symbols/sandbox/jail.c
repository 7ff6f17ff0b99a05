/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jail: see jail.h.
 * Input: a process that was just forked. Output: one that can compute, and read the files it is sent.
 * Invariant: each step either holds or ends the process, except those that only root can take.
 * Kernels: close_range() exists since Linux 5.9; all else is older than 5.10. */
#include "symbols/sandbox/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/arch.h"

#define NOBODY 65534
#define SPACE_MOST ((rlim_t)16 << 30) /* of addresses, beyond those inherited: files are mapped */
#define STACK_MOST ((rlim_t)8 << 20)

#ifndef SYS_newfstatat
#define SYS_newfstatat SYS_fstatat64
#endif

/* The socket becomes descriptor 3, and 0 to 2 /dev/null: a pipe that we inherited must see its end when the tracer
 * ends. */
static int close_others(int *keep)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return -errno;
	for (int fd = 0; fd < 3; fd++)
		if (fd != *keep && dup2(null, fd) < 0)
			return -errno;
	if (*keep != 3 && dup2(*keep, 3) < 0)
		return -errno;
	*keep = 3;
	return syscall(SYS_close_range, 4, ~0u, 0) < 0 ? -errno : 0;
}

/* Words of /proc/self/statm: pages of addresses, and of writable data. */
static int sizes(rlim_t *space, rlim_t *data)
{
	unsigned long long v[6] = { 0 };
	rlim_t page = (rlim_t)sysconf(_SC_PAGESIZE);
	FILE *f = fopen("/proc/self/statm", "re");
	int n;

	if (!f)
		return -errno;
	n = fscanf(f, "%llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3], &v[4], &v[5]);
	fclose(f);
	*space = v[0] * page;
	*data = v[5] * page;
	return n == 6 ? 0 : -EIO;
}

/* Lowers a limit for good: the hard one too. */
static int limit(int what, rlim_t most)
{
	struct rlimit now, l = { most, most };

	if (getrlimit((__rlimit_resource_t)what, &now) < 0)
		return -errno;
	if (now.rlim_max < most)
		l = (struct rlimit){ now.rlim_max, now.rlim_max };
	return setrlimit((__rlimit_resource_t)what, &l) < 0 ? -errno : 0;
}

/* RLIMIT_DATA counts what is allocated, RLIMIT_AS mapped files too; both count from what the fork inherited. */
static int set_limits(size_t memory)
{
	rlim_t space = 0, data = 0;
	int err = sizes(&space, &data);

	if (err)
		return err;
	if (!JAIL_SANITIZED && !err)
		err = limit(RLIMIT_AS, space + memory + SPACE_MOST);
	if (!JAIL_SANITIZED && !err)
		err = limit(RLIMIT_DATA, data + memory);
	if (!err)
		err = limit(RLIMIT_STACK, STACK_MOST);
	if (!err)
		err = limit(RLIMIT_CORE, 0);
	if (!err)
		err = limit(RLIMIT_FSIZE, 0);
	return err;
}

/* The signals of our terminal are the tracer's. SIGPROF is the end of a job's time. */
static int set_signals(void)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t blocked;

	for (int sig = 1; sig < NSIG; sig++)
		(void)sigaction(sig, &dfl, NULL);
	sigfillset(&blocked);
	sigdelset(&blocked, SIGPROF);
	return sigprocmask(SIG_SETMASK, &blocked, NULL) < 0 ? -errno : 0;
}

/* A user namespace may not have the user "nobody": then the process stays who it is, without capabilities. */
static int drop_privileges(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { { 0 } };

	if (geteuid() == 0) {
		(void)!setgroups(0, NULL);
		(void)!setresgid(NOBODY, NOBODY, NOBODY);
		(void)!setresuid(NOBODY, NOBODY, NOBODY);
	}
	if (syscall(SYS_capset, &head, none) < 0 || prctl(PR_SET_DUMPABLE, 0) < 0 ||
		prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return -errno;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ? -errno : 0;
}

/* Everything else fails with EPERM. Arguments are not checked. */
static int filter_calls(void)
{
	static const uint16_t allowed[] = { SYS_read, SYS_pread64, SYS_write, SYS_recvmsg, SYS_lseek, SYS_fstat,
		SYS_newfstatat, SYS_fcntl, SYS_close, SYS_mmap, SYS_mprotect, SYS_munmap, SYS_mremap, SYS_madvise,
		SYS_brk, SYS_setitimer, SYS_clock_gettime, SYS_futex, SYS_getrandom, SYS_sysinfo, SYS_getpid,
		SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_restart_syscall, SYS_exit, SYS_exit_group };
	enum { N = sizeof(allowed) / sizeof(allowed[0]), HEAD = 4 };
	struct sock_filter prog[HEAD + 2 * N + 1] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH_AUDIT, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog p = { .len = sizeof(prog) / sizeof(prog[0]), .filter = prog };

	for (unsigned i = 0; i < N; i++) {
		prog[HEAD + 2 * i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], 0, 1);
		prog[HEAD + 2 * i + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	prog[HEAD + 2 * N] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	if (!JAIL_SANITIZED && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) < 0 && errno != EINVAL) /* not built in */
		return -errno;
	return 0;
}

/* The filter comes last, since the other steps need calls that it forbids. */
int jail_enter(int *keep, size_t memory)
{
	int err = set_signals();

	if (!err)
		err = set_limits(memory);
	if (!err)
		err = close_others(keep);
	if (!err)
		err = drop_privileges();
	return err ? err : filter_calls();
}
