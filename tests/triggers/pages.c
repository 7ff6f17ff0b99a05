/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults on pages of known number. Output: what was touched, and the kernel's own counts of this process.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -n PAGES  of memory that are touched for the first time (default 100)\n"
			    "  -k PAGES  that a child then writes too, so that each is copied (default 0)\n"
			    "  -f FILE   whose pages are mapped and read, after they were thrown out of the cache\n"
			    "Prints: pid touched copied file_pages majflt (of the file's pages).\n";

static char *map_pages(size_t n, int flags, int fd)
{
	char *p = mmap(NULL, n * 4096, fd < 0 ? PROT_READ | PROT_WRITE : PROT_READ, flags, fd, 0);

	if (p == MAP_FAILED)
		trig_die("mmap");
	return p;
}

static void touch(char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile char *)p)[i * 4096] = 1;
}

static void touch_memory(size_t n, size_t copied)
{
	char *p = map_pages(n, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	pid_t pid;

	if (madvise(p, n * 4096, MADV_NOHUGEPAGE) != 0)
		trig_die("madvise");
	touch(p, n);
	trig_kv("touched", "%zu", n);
	trig_kv("copied", "%zu", copied);
	if (!copied)
		return;
	pid = fork();
	if (!pid) {
		touch(p, copied);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		trig_die("fork");
}

static void read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct rusage before, after;
	off_t len = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	size_t n = (size_t)len / 4096;
	char *p;
	int sum = 0;

	if (!n || fdatasync(fd) != 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
		trig_die("%s", path);
	p = map_pages(n, MAP_SHARED, fd);
	if (madvise(p, n * 4096, MADV_RANDOM) != 0)
		trig_die("madvise");
	getrusage(RUSAGE_SELF, &before);
	for (size_t i = 0; i < n; i++)
		sum += ((volatile char *)p)[i * 4096];
	getrusage(RUSAGE_SELF, &after);
	close(fd);
	trig_kv("file_pages", "%zu", n);
	trig_kv("file_sum", "%d", sum);
	trig_kv("majflt", "%ld", after.ru_majflt - before.ru_majflt);
}

int main(int argc, char **argv)
{
	size_t n = 100, copied = 0;
	const char *file = NULL;
	struct trig t;
	int o;

	trig_init(&t, argv[0], usage);
	while ((o = getopt(argc, argv, TRIG_OPTIONS "n:k:f:")) != -1) {
		if (o == 'n')
			n = (size_t)trig_number(optarg, 1, 100000);
		else if (o == 'k')
			copied = (size_t)trig_number(optarg, 0, 100000);
		else if (o == 'f')
			file = optarg;
		else if (!trig_option(&t, o, optarg))
			return 1;
	}
	trig_start(&t);
	trig_wait(&t);
	trig_kv("pid", "%d", (int)getpid());
	touch_memory(n, copied < n ? copied : n);
	if (file)
		read_file(file);
	return 0;
}
