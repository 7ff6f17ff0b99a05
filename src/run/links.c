/* links: see links.h. Invariant: a list's descriptors are open. */
#include "run/links.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CLOSERS 32 /* threads */

int links_keep(struct links *l, int fd)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 16;
		int *v = reallocarray(l->v, cap, sizeof(*v));

		if (!v) {
			close(fd);
			return -ENOMEM;
		}
		l->v = v;
		l->cap = cap;
	}
	l->v[l->n++] = fd;
	return 0;
}

void links_more_files(void)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_NOFILE, &most) == 0 && most.rlim_cur < most.rlim_max) {
		most.rlim_cur = most.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &most);
	}
}

int links_sys_number(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[64] = "";
	size_t at;

	if (!f)
		return -1;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	at = strcspn(line, "0123456789");
	return line[at] ? (int)strtol(line + at, NULL, 10) : -1;
}

int links_perf_event(int prog, const struct perf_event_attr *attr, pid_t pid, uint64_t cookie)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);
	long event = syscall(SYS_perf_event_open, attr, pid, pid < 0 ? 0 : -1, -1, PERF_FLAG_FD_CLOEXEC);
	int link;

	if (event < 0)
		return -errno;
	link = bpf_link_create(prog, (int)event, BPF_PERF_EVENT, &opts);
	if (link < 0)
		link = -errno;
	close((int)event); /* the link holds it */
	return link;
}

/* The kernel takes one probe away at a time, and waits each time until no CPU can be in it; it waits for many at once
 * when many ask. */
struct closer {
	const struct links *links;
	size_t first;
};

static void *close_some(void *arg)
{
	const struct closer *c = arg;

	for (size_t i = c->first; i < c->links->n; i += CLOSERS)
		close(c->links->v[i]);
	return NULL;
}

void links_close(struct links *l)
{
	pthread_t threads[CLOSERS];
	struct closer c[CLOSERS];
	bool running[CLOSERS];

	for (size_t i = 0; i < CLOSERS; i++) {
		c[i] = (struct closer){ l, i };
		running[i] = l->n > i + 1 && pthread_create(&threads[i], NULL, close_some, &c[i]) == 0;
		if (!running[i])
			(void)close_some(&c[i]);
	}
	for (size_t i = 0; i < CLOSERS; i++)
		if (running[i])
			pthread_join(threads[i], NULL);
	free(l->v);
	l->v = NULL;
	l->n = l->cap = 0;
}
