/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fail_alloc: a dwire whose n-th allocation fails, for every n.
 *
 * Input: the environment: FAIL_ALLOC is "once" (only the n-th fails) or "rest" (the n-th and all later ones), FAIL_STEP
 * the distance from one n to the next (1), FAIL_SECONDS when to stop (60), FAIL_ONLY the one n; with FAIL_HERE it fails
 * in this process itself, for a debugger. The arguments are dwire's.
 * Output: a line for each n at which dwire died of a signal, hung, or ended without a message; then "N allocations, M
 * bad, status S" with the exit status of a run in which none fails; "partly" when the time was over first. Exit status
 * 1 if M is not 0.
 *
 * The linker sends every call of malloc, calloc, realloc and mmap here, those in the C library and in libelf included
 * (--wrap). Before main() this process forks for each n; the child goes on to main(). Arenas have chunks of 4 KB. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_reallocarray(void *p, size_t n, size_t size);
void *__real_mmap64(void *p, size_t n, int prot, int flags, int fd, off_t off);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
void *__wrap_mmap64(void *p, size_t n, int prot, int flags, int fd, off_t off);

static unsigned long count, fail_at; /* fail_at 0: none */
static bool rest;
static unsigned long *hit; /* shared: set when one has failed */

static bool fails(void)
{
	unsigned long n = fail_at ? __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) : 0;

	if (!n || (rest ? n < fail_at : n != fail_at))
		return false;
	*hit = 1;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails() ? NULL : __real_realloc(p, n);
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	return fails() ? NULL : __real_reallocarray(p, n, size);
}

void *__wrap_mmap64(void *p, size_t n, int prot, int flags, int fd, off_t off)
{
	return fails() ? MAP_FAILED : __real_mmap64(p, n, prot, flags, fd, off);
}

struct outcome {
	int status;
	char out[65536], err[65536];
};

static void take(int fd, char *buf, size_t size)
{
	ssize_t n = pread(fd, buf, size - 1, 0);

	buf[n > 0 ? n : 0] = 0;
	close(fd);
}

/* Returns in the child, which is to go on to main(). */
static bool is_child(unsigned long n, struct outcome *o)
{
	int out = memfd_create("out", 0), err = memfd_create("err", 0);
	pid_t pid;

	*hit = 0;
	pid = fork();
	if (!pid) {
		dup2(out, 1);
		dup2(err, 2);
		close(out);
		close(err);
		alarm(30); /* a hang is a failure: SIGALRM */
		fail_at = n;
		return true;
	}
	while (waitpid(pid, &o->status, 0) < 0 && errno == EINTR)
		;
	take(out, o->out, sizeof(o->out));
	take(err, o->err, sizeof(o->err));
	return false;
}

/* Either it fails with a message, or it does without and still says all, or says what is missing. */
static bool is_good(const struct outcome *o, const struct outcome *want)
{
	if (!WIFEXITED(o->status))
		return false;
	if (WEXITSTATUS(o->status) == 1)
		return o->err[0] != 0;
	return o->status == want->status && (o->err[0] || !strcmp(o->out, want->out));
}

__attribute__((constructor)) static void drive(void)
{
	static struct outcome want, got;
	const char *mode = getenv("FAIL_ALLOC"), *seconds = getenv("FAIL_SECONDS"), *only = getenv("FAIL_ONLY");
	time_t end = time(NULL) + (seconds ? strtol(seconds, NULL, 10) : 60);
	const char *by = getenv("FAIL_STEP");
	unsigned long step = by ? strtoul(by, NULL, 10) : 1, n = only ? strtoul(only, NULL, 10) : 1, runs = 0, bad = 0;
	bool partly = false;

	if (!mode)
		return;
	setvbuf(stdout, NULL, _IONBF, 0); /* a child must not have lines of ours to write */
	rest = !strcmp(mode, "rest");
	hit = __real_mmap64(NULL, sizeof(*hit), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (hit == MAP_FAILED)
		_exit(2);
	if (only && getenv("FAIL_HERE"))
		fail_at = n;
	if (fail_at || is_child(0, &want))
		return;
	for (;; n += step) {
		if (is_child(n, &got))
			return;
		if (!*hit)
			break;
		runs++;
		if (!is_good(&got, &want)) {
			bad++;
			printf("allocation %lu: status %x, err \"%s\", out \"%s\"\n", n, (unsigned)got.status, got.err,
				got.out);
		}
		partly = time(NULL) >= end;
		if (partly || only)
			break;
	}
	printf("%lu allocations, %lu bad, status %d%s\n", runs, bad, WEXITSTATUS(want.status),
		partly ? ", partly" : "");
	_exit(bad != 0);
}
