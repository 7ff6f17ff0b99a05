/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits of known length for locks of the kernel. A lock is held by a thread whose system call has to read, or write,
 * a page of memory that this program gives only after a while (userfaultfd).
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] =
	"  -m MS   how long a lock is held (default 200)\n"
	"  -n N    rounds (default 3)\n"
	"  -d DIR  of a file system in memory, where a folder is made and removed\n"
	"  -s N    bytes that are written to a pipe and read, by one thread (default 0)\n"
	"Each round: a pipe's mutex is held and another thread wants to write to it; the lock of a folder\n"
	"is held by one that reads it and wanted by one that makes a file in it.\n"
	"Prints: pid rounds held_ms, and the shortest and longest wait for each: mutex_ns_min, ...\n";

enum { PAGE = 4096 };

struct slow_page {
	int fd; /* of userfaultfd */
	char *at;
	long ms;
	pthread_t server;
	int began[2]; /* a byte for each fault */
};

static struct slow_page slow;

static void *serve(void *arg)
{
	static char zeroes[PAGE];
	struct slow_page *s = arg;
	struct uffd_msg msg;

	while (read(s->fd, &msg, sizeof(msg)) == (ssize_t)sizeof(msg)) {
		struct uffdio_copy copy = { .dst = (uintptr_t)s->at, .src = (uintptr_t)zeroes, .len = PAGE };

		if (write(s->began[1], "", 1) != 1)
			trig_die("write");
		trig_sleep((unsigned)s->ms);
		if (ioctl(s->fd, UFFDIO_COPY, &copy) != 0)
			trig_die("UFFDIO_COPY");
	}
	return NULL;
}

static void slow_open(struct slow_page *s, long ms)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	s->fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (s->fd < 0 || ioctl(s->fd, UFFDIO_API, &api) != 0)
		trig_die("userfaultfd");
	s->at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.range.start = (uintptr_t)s->at;
	reg.range.len = PAGE;
	if (s->at == MAP_FAILED || ioctl(s->fd, UFFDIO_REGISTER, &reg) != 0)
		trig_die("UFFDIO_REGISTER");
	s->ms = ms;
	if (pipe2(s->began, O_CLOEXEC) != 0 || pthread_create(&s->server, NULL, serve, s) != 0)
		trig_die("the server of pages");
}

/* The page is missing again. */
static void slow_again(struct slow_page *s)
{
	if (madvise(s->at, PAGE, MADV_DONTNEED) != 0)
		trig_die("madvise");
}

static void slow_wait(struct slow_page *s)
{
	char c;

	if (read(s->began[0], &c, 1) != 1)
		trig_die("read");
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct waits {
	uint64_t min, max;
};

static void note(struct waits *w, uint64_t since)
{
	uint64_t ns = now() - since;

	w->min = !w->min || ns < w->min ? ns : w->min;
	w->max = ns > w->max ? ns : w->max;
}

static void report(const char *name, const struct waits *w)
{
	printf("%s_ns_min=%llu\n%s_ns_max=%llu\n", name, (unsigned long long)w->min, name, (unsigned long long)w->max);
}

/* ---- a mutex: that of a pipe ------------------------------------------------------------------------------------- */
static void *write_slowly(void *arg)
{
	if (write(*(int *)arg, slow.at, 1) != 1)
		trig_die("write");
	return NULL;
}

static void mutex_round(struct waits *w)
{
	int fds[2];
	pthread_t holder;
	uint64_t since;

	slow_again(&slow);
	if (pipe2(fds, O_CLOEXEC) != 0 || pthread_create(&holder, NULL, write_slowly, &fds[1]) != 0)
		trig_die("pipe");
	slow_wait(&slow);
	since = now();
	if (write(fds[1], "", 1) != 1)
		trig_die("write");
	note(w, since);
	pthread_join(holder, NULL);
	close(fds[0]);
	close(fds[1]);
}

/* ---- a readers/writer lock: that of a folder --------------------------------------------------------------------- */
static void *list_slowly(void *arg)
{
	if (syscall(SYS_getdents64, *(int *)arg, slow.at, PAGE) <= 0)
		trig_die("getdents64");
	return NULL;
}

static void rw_round(const char *dir, struct waits *w)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), file;
	pthread_t holder;
	uint64_t since;

	slow_again(&slow);
	if (fd < 0 || pthread_create(&holder, NULL, list_slowly, &fd) != 0)
		trig_die("%s", dir);
	slow_wait(&slow);
	since = now();
	file = openat(fd, "file", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	note(w, since);
	pthread_join(holder, NULL);
	if (file < 0 || unlinkat(fd, "file", 0) != 0)
		trig_die("%s/file", dir);
	close(file);
	close(fd);
}

/* ---- taken when free --------------------------------------------------------------------------------------------- */
static void single(long n)
{
	int fds[2];
	char c = 0;

	if (pipe2(fds, O_CLOEXEC) != 0)
		trig_die("pipe");
	for (long i = 0; i < n; i++)
		if (write(fds[1], &c, 1) != 1 || read(fds[0], &c, 1) != 1)
			trig_die("pipe");
	close(fds[0]);
	close(fds[1]);
}

int main(int argc, char **argv)
{
	long ms = 200, n = 3, bytes = 0;
	const char *dir = NULL;
	struct waits mutex = { 0 }, rw = { 0 };
	struct trig t;
	char folder[256];
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "m:n:d:s:")) != -1) {
		if (c == 'm')
			ms = trig_number(optarg, 1, 10000);
		else if (c == 'n')
			n = trig_number(optarg, 0, 1000);
		else if (c == 's')
			bytes = trig_number(optarg, 0, 1000000);
		else if (c == 'd')
			dir = optarg;
		else if (!trig_option(&t, c, optarg))
			return 1;
	}
	trig_start(&t);
	trig_wait(&t);
	if (n)
		slow_open(&slow, ms);
	snprintf(folder, sizeof(folder), "%s/locks.%d", dir ? dir : "", (int)getpid());
	if (dir && mkdir(folder, 0700) != 0)
		trig_die("%s", folder);
	for (long i = 0; i < n; i++) {
		mutex_round(&mutex);
		if (dir)
			rw_round(folder, &rw);
	}
	if (dir && rmdir(folder) != 0)
		trig_die("%s", folder);
	single(bytes);
	trig_kv("pid", "%d", (int)getpid());
	trig_kv("rounds", "%ld", n);
	trig_kv("held_ms", "%ld", ms);
	report("mutex", &mutex);
	report("rw", &rw);
	return 0;
}
