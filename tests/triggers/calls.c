/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls, processes, threads and signals of known number. Output: what was done, and what it gave.
 *
 * Everything is called through syscall(), so that no C library adds, hides or renames a call. The counted calls are
 * ones that neither the library nor the program's start makes.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] =
	"  -n CALLS  of getppid; getpgid and failing writes are fewer (default 25)\n"
	"  -f FORKS  children that exit with their number (default 0)\n"
	"  -e EXECS  children that exec /bin/true, then a file that is not there (default 0)\n"
	"  -l THREADS  (default 0)\n"
	"  -s SIGNALS  SIGHUP, handled; as many SIGUSR2, ignored; SIGRTMIN, waited for (default 0)\n"
	"  -i CALLS  writev as a 32-bit program calls getpid: int 0x80 (default 0)\n"
	"  -r CALLS  kill(-20424, 0) and fchown(-1, -1, -1), failing, with other bits above their int arguments "
	"(default 0)\n"
	"  -o OPENS  of /dev/null by open; twice as many by openat; half as many by openat of . and null (default 0)\n"
	"Prints: pid getppid getpgid write_failed read_bytes int80 rubbish opens forks execs threads signals.\n";

struct counts {
	int calls, forks, execs, threads, signals, int80, rubbish, opens;
};

static volatile sig_atomic_t handled;

static void on_signal(int sig)
{
	(void)sig;
	handled++;
}

static void *idle(void *arg)
{
	return arg;
}

static void make_calls(int n)
{
	char buf[64];
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/zero", O_RDONLY), failed = 0;
	long bytes = 0;

	for (int i = 0; i < n; i++)
		(void)syscall(SYS_getppid);
	for (int i = 0; i < n / 2; i++)
		(void)syscall(SYS_getpgid, 0);
	for (int i = 0; i < n / 5; i++)
		failed += syscall(SYS_write, -1, buf, (size_t)i) < 0 && errno == EBADF;
	for (int i = 1; i <= n; i++)
		bytes += syscall(SYS_read, fd, buf, (size_t)(i % 64));
	close(fd);
	trig_kv("getppid", "%d", n);
	trig_kv("getpgid", "%d", n / 2);
	trig_kv("write_failed", "%d", failed);
	trig_kv("read_bytes", "%ld", bytes);
}

/* 20 is getpid for a 32-bit program and writev for a 64-bit one. */
static void make_int80(int n)
{
	int made = 0;

	for (int i = 0; i < n; i++) {
#if defined(__x86_64__)
		long r = 20;

		__asm__ volatile("int $0x80" : "+a"(r) : : "memory", "r8", "r9", "r10", "r11");
		made += r == getpid();
#endif
	}
	trig_kv("int80", "%d", made);
}

static void make_rubbish(int n)
{
	for (int i = 0; i < n; i++) {
		(void)syscall(SYS_kill, 0x7700000000 | (uint32_t)-20424, 0x3300000000);
		(void)syscall(SYS_fchown, 0xffffffff, -1L, -1L);
	}
	trig_kv("rubbish", "%d", n);
}

static void make_opens(int n)
{
	int dir = (int)syscall(SYS_openat, AT_FDCWD, "/dev", O_RDONLY | O_DIRECTORY);

	for (int i = 0; i < n; i++) {
#ifdef SYS_open
		close((int)syscall(SYS_open, "/dev/null", O_WRONLY));
#endif
		close((int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY));
		close((int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR));
		if (i % 2)
			close((int)syscall(SYS_openat, dir, "null", O_RDONLY));
	}
	close(dir);
	trig_kv("opens", "%d", n);
}

static void make_children(const struct counts *c)
{
	char name[] = "true", one[] = "one", *const argv[] = { name, one, NULL }, *const env[] = { NULL };

	for (int i = 0; i < c->forks + c->execs; i++) {
		pid_t pid = fork();

		if (pid < 0)
			trig_die("fork");
		if (!pid && i < c->forks)
			_exit(i);
		if (!pid) {
			(void)execve("/nowhere/at/all", argv, env);
			(void)execve("/bin/true", argv, env);
			_exit(127);
		}
		if (waitpid(pid, NULL, 0) != pid)
			trig_die("waitpid");
	}
	trig_kv("forks", "%d", c->forks);
	trig_kv("execs", "%d", c->execs);
}

static void make_threads(int n)
{
	for (int i = 0; i < n; i++) {
		pthread_t t;

		if (pthread_create(&t, NULL, idle, NULL) || pthread_join(t, NULL))
			trig_die("a thread");
	}
	trig_kv("threads", "%d", n);
}

static void make_signals(int n)
{
	struct sigaction handle = { .sa_handler = on_signal }, ignore = { .sa_handler = SIG_IGN };
	struct timespec wait = { .tv_sec = 1 };
	int waited = 0;
	sigset_t set;

	if (!n)
		return;
	sigaction(SIGHUP, &handle, NULL);
	sigaction(SIGUSR2, &ignore, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < n; i++) {
		kill(getpid(), SIGHUP);
		kill(getpid(), SIGUSR2);
		kill(getpid(), SIGRTMIN);
		waited += sigtimedwait(&set, NULL, &wait) == SIGRTMIN;
	}
	trig_kv("handled", "%d", (int)handled);
	trig_kv("waited", "%d", waited);
}

int main(int argc, char **argv)
{
	struct counts c = { .calls = 25 };
	struct trig t;
	int o;

	trig_init(&t, argv[0], usage);
	while ((o = getopt(argc, argv, TRIG_OPTIONS "n:f:e:l:s:i:r:o:")) != -1) {
		int *n = o == 'n'  ? &c.calls
			: o == 'f' ? &c.forks
			: o == 'e' ? &c.execs
			: o == 'l' ? &c.threads
			: o == 's' ? &c.signals
			: o == 'i' ? &c.int80
			: o == 'r' ? &c.rubbish
			: o == 'o' ? &c.opens
				   : NULL;

		if (n)
			*n = (int)trig_number(optarg, 0, 10000);
		else if (!trig_option(&t, o, optarg))
			return 1;
	}
	trig_start(&t);
	trig_wait(&t);
	trig_kv("pid", "%d", (int)getpid());
	make_calls(c.calls);
	make_int80(c.int80);
	make_rubbish(c.rubbish);
	make_opens(c.opens);
	make_children(&c);
	make_threads(c.threads);
	make_signals(c.signals);
	return 0;
}
