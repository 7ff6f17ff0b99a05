/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child_stop: see child_stop.h. The dynamic linker maps all libraries, calls a hook that debuggers know, runs the
 * libraries' constructors and jumps to the entry of the program, whose address is in the auxiliary vector. There
 * __libc_start_main() gets the address of main() as its first argument, runs the program's own constructors, and calls
 * it. So breakpoints at these places, one after the other, find main() in a stripped program, too. A static program has
 * main() among its symbols, or not at all.
 * Input: a process that waits for its exec. Output: the same process, stopped.
 * Invariant: no breakpoint is left when the program runs on. What is read of the process may be anything. */
#include "process/child_stop.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

#define MOST_SYMBOLS 65536u /* of a library or program that are looked through */
#define MOST_HITS 64        /* of the linker's hook */

/* A file of the process. -1: it cannot be opened. */
static int open_of(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static bool read_at(int fd, uint64_t at, void *to, size_t size)
{
	return pread(fd, to, size, (off_t)at) == (ssize_t)size;
}

/* A value of the auxiliary vector of a program of 64 bits. 0: it has none, or is another. */
static uint64_t auxv(pid_t pid, uint64_t type)
{
	unsigned char head[EI_NIDENT] = { 0 };
	int exe = open_of(pid, "exe"), fd;
	uint64_t value = 0;
	Elf64_auxv_t a;

	if (exe >= 0 && !read_at(exe, 0, head, sizeof(head)))
		head[EI_CLASS] = ELFCLASSNONE;
	if (exe >= 0)
		close(exe);
	fd = head[EI_CLASS] == ELFCLASS64 ? open_of(pid, "auxv") : -1;
	while (fd >= 0 && read(fd, &a, sizeof(a)) == (ssize_t)sizeof(a))
		if (a.a_type == type)
			value = a.a_un.a_val;
	if (fd >= 0)
		close(fd);
	return value;
}

/* ---- symbols ----------------------------------------------------------------------------------------------------- */
/* A table of symbols; fd: of a file, or of a process's memory. */
struct table {
	int fd;
	uint64_t symbols, names; /* where they begin */
	uint64_t n;
};

/* The value of a defined symbol. 0: there is none. */
static uint64_t symbol(const struct table *t, const char *name)
{
	size_t len = strlen(name) + 1;
	char found[32];

	for (uint64_t i = 0; len <= sizeof(found) && i < t->n && i < MOST_SYMBOLS; i++) {
		Elf64_Sym s;

		if (!read_at(t->fd, t->symbols + i * sizeof(s), &s, sizeof(s)))
			return 0;
		if (s.st_value && s.st_shndx != SHN_UNDEF && read_at(t->fd, t->names + s.st_name, found, len) &&
			!memcmp(found, name, len))
			return s.st_value;
	}
	return 0;
}

/* The dynamic section's address in an object that is mapped at base. 0: it is no such object. */
static uint64_t dynamic_of(int mem, uint64_t base)
{
	Elf64_Ehdr h;
	Elf64_Phdr p;

	if (!read_at(mem, base, &h, sizeof(h)) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
		h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_type != ET_DYN)
		return 0;
	for (unsigned i = 0; i < h.e_phnum; i++)
		if (read_at(mem, base + h.e_phoff + i * sizeof(p), &p, sizeof(p)) && p.p_type == PT_DYNAMIC)
			return base + p.p_vaddr;
	return 0;
}

/* The address of an exported symbol of the object at base. The table of names stands behind that of the symbols. The
 * dynamic linker may have relocated their addresses already. */
static uint64_t exported(int mem, uint64_t base, const char *name)
{
	struct table t = { .fd = mem };
	uint64_t at = dynamic_of(mem, base), value;
	Elf64_Dyn d;

	for (; at && read_at(mem, at, &d, sizeof(d)) && d.d_tag != DT_NULL; at += sizeof(d)) {
		uint64_t where = d.d_un.d_ptr < base ? base + d.d_un.d_ptr : d.d_un.d_ptr;

		if (d.d_tag == DT_SYMTAB)
			t.symbols = where;
		else if (d.d_tag == DT_STRTAB)
			t.names = where;
	}
	if (!t.symbols || t.names < t.symbols)
		return 0;
	t.n = (t.names - t.symbols) / sizeof(Elf64_Sym);
	value = symbol(&t, name);
	return value ? base + value : 0;
}

/* ... of the first object in the process that has it. */
static uint64_t exported_by_any(pid_t pid, int mem, const char *name)
{
	char path[64], *line = NULL;
	size_t room = 0;
	uint64_t at = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && !at && getline(&line, &room, f) > 0) {
		unsigned long begin, off;

		if (sscanf(line, "%lx-%*x %*s %lx", &begin, &off) == 2 && !off && strstr(line, " /"))
			at = exported(mem, begin, name);
	}
	if (f)
		fclose(f);
	free(line);
	return at;
}

/* main() by the symbols of the program's file. 0: they are stripped. */
static uint64_t main_in_file(pid_t pid)
{
	int fd = open_of(pid, "exe");
	uint64_t value = 0, entry = auxv(pid, AT_ENTRY);
	Elf64_Ehdr h;
	Elf64_Shdr s, names;

	if (fd < 0 || !read_at(fd, 0, &h, sizeof(h)) || h.e_shentsize != sizeof(s))
		h.e_shnum = 0;
	for (unsigned i = 0; fd >= 0 && !value && i < h.e_shnum; i++)
		if (read_at(fd, h.e_shoff + i * sizeof(s), &s, sizeof(s)) && s.sh_type == SHT_SYMTAB &&
			s.sh_link < h.e_shnum && read_at(fd, h.e_shoff + s.sh_link * sizeof(s), &names, sizeof(names)))
			value = symbol(
				&(struct table){ fd, s.sh_offset, names.sh_offset, s.sh_size / sizeof(Elf64_Sym) },
				"main");
	if (fd >= 0)
		close(fd);
	return value ? value + (entry - h.e_entry) : 0;
}

/* ---- breakpoints ------------------------------------------------------------------------------------------------- */
/* The first argument of the function at whose first instruction the process is. 0: it cannot be read. */
static uint64_t first_argument(pid_t pid)
{
	struct user_regs_struct regs;
	struct iovec v = { &regs, sizeof(regs) };

	return ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &v) < 0 ? 0 : regs.ARCH_USER_ARG0;
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

/* One instruction further. */
static int step(pid_t pid)
{
	if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) < 0)
		return -errno;
	return run_until(pid, SIGTRAP);
}

/* To the linker's hook, when all is mapped: it is called before that, too. musl's is called once. */
static int to_mapped(pid_t pid, int mem, bool *found)
{
	uint64_t base = auxv(pid, AT_BASE), hook = exported(mem, base, "_dl_debug_state");
	uint64_t state = exported(mem, base, "_r_debug");
	int err = 0;

	*found = hook != 0;
	for (int i = 0; hook && !err && i < MOST_HITS; i++) {
		uint32_t now = RT_CONSISTENT;

		err = i ? step(pid) : 0;
		if (!err)
			err = break_at(pid, hook);
		if (err || !state || !read_at(mem, state + offsetof(struct r_debug, r_state), &now, sizeof(now)) ||
			now == RT_CONSISTENT)
			return err;
	}
	return err;
}

/* From the entry to main(). */
static int to_main(pid_t pid, int mem, bool *found)
{
	uint64_t start = exported_by_any(pid, mem, "__libc_start_main"), at;
	int err = start ? break_at(pid, start) : 0;

	if (err)
		return err;
	at = start ? first_argument(pid) : main_in_file(pid);
	*found = at != 0;
	return at ? break_at(pid, at) : 0;
}

/* After the exec. */
static int bring_to(pid_t pid, enum evaltime at, enum evaltime *reached)
{
	uint64_t entry = auxv(pid, AT_ENTRY);
	bool found = true;
	int mem = open_of(pid, "mem"), err = 0;

	if (mem < 0)
		return -errno;
	if (!entry)
		found = false;
	else if (at == EVAL_PREINIT && auxv(pid, AT_BASE))
		err = to_mapped(pid, mem, &found);
	if (!err && entry && (at != EVAL_PREINIT || !found))
		err = break_at(pid, entry);
	if (!err && entry && at >= EVAL_POSTINIT)
		err = to_main(pid, mem, &found);
	*reached = found ? at : EVAL_EXEC;
	close(mem);
	return err;
}

int child_bring_to(pid_t pid, enum evaltime at, enum evaltime *reached, bool *ended)
{
	int err = run_until(pid, SIGTRAP | PTRACE_EVENT_EXEC << 8);

	if (!err)
		err = bring_to(pid, at, reached);
	*ended = err == -ESRCH;
	return *ended ? 0 : err;
}
