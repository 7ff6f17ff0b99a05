/* SPDX-License-Identifier: GPL-2.0-or-later */
/* links: closing many of them is left to another process, even where they are all the descriptors that there can be. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attach/links.h"
#include "unit.h"

#define LIMIT 64

static int forks;

static void count_fork(void)
{
	forks++;
}

/* Fills l with n descriptors, 0: with as many as there can be. Returns how many these are. */
static size_t fill(struct links *l, size_t n)
{
	int fd;

	while ((!n || l->n < n) && (fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
		if (links_keep(l, fd))
			abort();
	return l->n;
}

static void test_close(void)
{
	static const struct {
		size_t links;
		int forks;
	} rows[] = { { 1, 0 }, { 3, 0 }, { 4, 1 }, { 20, 1 }, { 0, 1 } };

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct links l = { 0 };
		size_t n = fill(&l, rows[i].links), left = 0;
		int fds[LIMIT];

		for (size_t k = 0; k < n; k++)
			fds[k] = l.v[k];
		forks = 0;
		links_close(&l);
		for (size_t k = 0; k < n; k++)
			left += fcntl(fds[k], F_GETFD) >= 0;
		CHECK(rows[i].links ? n == rows[i].links : n > LIMIT / 2, "row %zu: %zu links", i, n);
		CHECK(forks == rows[i].forks, "row %zu: %d processes", i, forks);
		CHECK(left == 0 && !l.v && !l.n, "row %zu: %zu descriptors left", i, left);
	}
}

int main(void)
{
	struct rlimit few = { LIMIT, LIMIT };

	if (pthread_atfork(count_fork, NULL, NULL) || setrlimit(RLIMIT_NOFILE, &few))
		return 2;
	test_close();
	return unit_end();
}
