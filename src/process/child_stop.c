/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child_stop: see child_stop.h. The dynamic linker has finished when it jumps to the entry of the program. The
 * auxiliary vector of the process has that address, and a breakpoint there stops it.
 * Input: a process that waits for its exec. Output: the same process, stopped at its entry.
 * Invariant: the breakpoint is gone before the program runs on. */
#include "process/child_stop.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/arch.h"

int child_hold(pid_t pid)
{
	return ptrace(PTRACE_SEIZE, pid, NULL, (void *)(PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)) < 0 ? -errno : 0;
}

void child_release(pid_t pid)
{
	(void)ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

/* Waits for the next stop. 0 and what it is: signal, and event above bit 8; -ESRCH: it has ended. */
static int next_stop(pid_t pid, int *what)
{
	siginfo_t si;
	int r;

	do
		r = waitid(P_PID, (id_t)pid, &si, WEXITED | WSTOPPED | WNOWAIT);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	*what = si.si_status;
	return si.si_code == CLD_TRAPPED || si.si_code == CLD_STOPPED ? 0 : -ESRCH;
}

/* Continues until it stops for that reason; signals on the way are delivered to it. */
static int run_until(pid_t pid, int reason)
{
	int what = 0, r = next_stop(pid, &what);

	while (!r && what != reason) {
		int sig = what >> 8 ? 0 : what;

		if (ptrace(PTRACE_CONT, pid, NULL, (void *)(intptr_t)sig) < 0)
			return -errno;
		r = next_stop(pid, &what);
	}
	return r;
}

/* The entry of a program of 64 bits; 0: it is another, or cannot be read. */
static unsigned long entry_of(pid_t pid)
{
	unsigned char head[EI_NIDENT] = { 0 };
	unsigned long entry = 0;
	Elf64_auxv_t a;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	f = fopen(path, "re");
	if (f && fread(head, sizeof(head), 1, f) != 1)
		head[EI_CLASS] = ELFCLASSNONE;
	if (f)
		fclose(f);
	if (head[EI_CLASS] != ELFCLASS64)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	f = fopen(path, "re");
	while (f && fread(&a, sizeof(a), 1, f) == 1)
		if (a.a_type == AT_ENTRY)
			entry = a.a_un.a_val;
	if (f)
		fclose(f);
	return entry;
}

static int set_pc(pid_t pid, unsigned long pc)
{
	struct user_regs_struct regs;
	struct iovec v = { &regs, sizeof(regs) };

	if (ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &v) < 0)
		return -errno;
	regs.ARCH_USER_PC = pc;
	return ptrace(PTRACE_SETREGSET, pid, (void *)NT_PRSTATUS, &v) < 0 ? -errno : 0;
}

static int break_at(pid_t pid, unsigned long addr)
{
	unsigned long old;
	int r;

	errno = 0;
	old = (unsigned long)ptrace(PTRACE_PEEKTEXT, pid, (void *)addr, NULL);
	if (errno)
		return -errno;
	if (ptrace(PTRACE_POKETEXT, pid, (void *)addr, (void *)((old & ~ARCH_BREAK_MASK) | ARCH_BREAKPOINT)) < 0 ||
		ptrace(PTRACE_CONT, pid, NULL, NULL) < 0)
		return -errno;
	r = run_until(pid, SIGTRAP);
	if (r)
		return r;
	if (ptrace(PTRACE_POKETEXT, pid, (void *)addr, (void *)old) < 0)
		return -errno;
	return ARCH_BREAK_SIZE ? set_pc(pid, addr) : 0;
}

int child_to_entry(pid_t pid, bool *ended)
{
	int r = run_until(pid, SIGTRAP | PTRACE_EVENT_EXEC << 8);
	unsigned long entry = r ? 0 : entry_of(pid);

	if (entry)
		r = break_at(pid, entry);
	*ended = r == -ESRCH;
	return *ended ? 0 : r;
}
