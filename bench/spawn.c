/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spawn: runs a command; wall time and peak memory, of this command alone (a child of a big process would inherit that
 * one's peak). Input: a command. Output, on descriptor 3: "MILLISECONDS KIB STATUS". */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	struct rusage use = {0};
	double start = now();
	int status = 0;
	pid_t pid;

	if (argc < 2)
		return 2;
	pid = fork();
	if (pid < 0)
		return 1;
	if (pid == 0) {
		close(3);
		execv(argv[1], argv + 1);
		_exit(127);
	}
	if (wait4(pid, &status, 0, &use) != pid)
		return 1;
	dprintf(3, "%.3f %ld %d\n", now() - start, use.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	return 0;
}
