/* links: see links.h. Invariant: a list's descriptors are open. */
#include "run/links.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

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
