/* attach_kprobe: see attach_kprobe.h. Many functions have one link where the kernel can (Linux 5.18, CONFIG_FPROBE);
 * else each is a perf event. Invariant: what is attached is held by descriptors in the list. */
#include "run/attach_kprobe.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CLOSERS 32 /* threads */

static int keep(struct kprobe_links *l, int fd)
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

/* ---- detaching --------------------------------------------------------------------------------------------------- */

/* The kernel takes one probe away at a time, and waits each time until no CPU can be in it; it waits for many at once
 * when many ask. */
struct closer {
	const struct kprobe_links *links;
	size_t first;
};

static void *close_some(void *arg)
{
	const struct closer *c = arg;

	for (size_t i = c->first; i < c->links->n; i += CLOSERS)
		close(c->links->v[i]);
	return NULL;
}

void kprobes_detach(struct kprobe_links *l)
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

/* ---- one link ---------------------------------------------------------------------------------------------------- */
bool kprobes_multi(const struct image_prog *p, struct features *f)
{
	return (p->attach == ATTACH_KPROBE || p->attach == ATTACH_KRETPROBE) && p->ntargets > 1 &&
		features_kprobe_multi(f);
}

static int link_multi(int prog, const struct image_target *v, size_t n, bool returns)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .kprobe_multi.flags = returns ? BPF_F_KPROBE_MULTI_RETURN : 0);
	const char **syms = calloc(n, sizeof(*syms));
	uint64_t *cookies = calloc(n, sizeof(*cookies));
	int fd = -ENOMEM;

	for (size_t i = 0; syms && cookies && i < n; i++) {
		syms[i] = v[i].func;
		cookies[i] = v[i].cookie;
	}
	opts.kprobe_multi.syms = syms;
	opts.kprobe_multi.cookies = (__u64 *)cookies;
	opts.kprobe_multi.cnt = (uint32_t)n;
	if (syms && cookies) {
		fd = bpf_link_create(prog, 0, BPF_TRACE_KPROBE_MULTI, &opts);
		fd = fd < 0 ? -errno : fd;
	}
	free(syms);
	free(cookies);
	return fd;
}

/* ---- a perf event each ------------------------------------------------------------------------------------------- */

/* The number in a file of /sys, "8" or "config:0"; -1: none. */
static int read_number(const char *path)
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

struct kinds {
	int type, retbit;
};

static int open_event(const struct kinds *k, const struct image_target *t, bool returns)
{
	struct perf_event_attr attr;
	char buf[192];
	long fd;

	if (k->type < 0 || k->retbit < 0 || k->retbit > 63)
		return -ENOENT;
	snprintf(buf, sizeof(buf), "%s%s%s", t->module ? t->module : "", t->module ? ":" : "", t->func);
	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = (uint32_t)k->type;
	attr.config = returns ? 1ull << k->retbit : 0;
	attr.kprobe_func = (uintptr_t)buf;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

static int link_event(int prog, const struct kinds *k, const struct image_target *t, bool returns)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = t->cookie);
	int event = open_event(k, t, returns), link;

	if (event < 0)
		return event;
	link = bpf_link_create(prog, event, BPF_PERF_EVENT, &opts);
	if (link < 0)
		link = -errno;
	close(event); /* the link holds it */
	return link;
}

static void more_files(void)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_NOFILE, &most) == 0 && most.rlim_cur < most.rlim_max) {
		most.rlim_cur = most.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &most);
	}
}

/* Is it about the function rather than about us? */
static bool is_refusal(int err)
{
	return err == EINVAL || err == EOPNOTSUPP || err == ENOENT || err == EADDRNOTAVAIL || err == EILSEQ;
}

static int attach_events(const struct image_prog *p, int prog, struct kprobe_links *links)
{
	const struct kinds k = {
		read_number("/sys/bus/event_source/devices/kprobe/type"),
		read_number("/sys/bus/event_source/devices/kprobe/format/retprobe"),
	};
	size_t before = links->refused;

	if (p->ntargets > 64)
		more_files();
	for (size_t i = 0; i < p->ntargets; i++) {
		int fd = link_event(prog, &k, &p->targets[i], p->attach == ATTACH_KRETPROBE), err;

		if (fd < 0 && !is_refusal(-fd))
			return fd;
		if (fd < 0 && !links->refused++) {
			links->first = &p->targets[i];
			links->error = -fd;
		}
		err = fd < 0 ? 0 : keep(links, fd);
		if (err)
			return err;
	}
	return links->refused - before == p->ntargets ? -links->error : 0;
}

int kprobes_attach(const struct image_prog *p, int prog, struct features *f, struct kprobe_links *links)
{
	int fd;

	if (!kprobes_multi(p, f))
		return attach_events(p, prog, links);
	fd = link_multi(prog, p->targets, p->ntargets, p->attach == ATTACH_KRETPROBE);
	return fd < 0 ? fd : keep(links, fd);
}
