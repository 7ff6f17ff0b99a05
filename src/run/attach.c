/* attach: tracepoints, cgroup2 and perf events.
 * Input: struct loaded. Output: link descriptors. Invariant: nothing is pinned, so nothing outlives the process. */
#include "kernel/sysevents.h"
#include "run/attach.h"
#include "run/attach_kprobe.h"
#include "run/attach_uprobe.h"
#include "run/cgroup_taken.h"
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "kernel/bpfsys.h"

#define CLOCK_HZ 100     /* USER_HZ: the tick that /proc/stat counts in */
#define PERIOD_MIN 10000 /* ns; the kernel's own lower bound for a software clock */

/* One event of a profile probe on one CPU. */
struct sampler {
	int fd;
	uint64_t period; /* 0: not counted */
};

struct attached {
	const struct loaded *loaded; /* borrowed */
	struct features *features;   /* borrowed */
	int *links;
	size_t nlinks;
	struct sampler *samplers;
	size_t nsamplers;
	int stats;         /* keeps the kernel counting the runs of profile programs; -1: off */
	uint64_t due, ran; /* of profile probes, after detaching */
	bool counted;      /* ran is known */
	struct kprobe_links kprobes;
	struct uprobe_links uprobes;
};

/* Returns -err, with the whole sentence in why. */
static int failed(
	struct features *f, const struct loaded *l, size_t prog, const char *where, int err, char *why, size_t why_len)
{
	const struct image *img = l->image;
	const struct image_prog *p = &img->progs.v[prog];
	const struct image_probe *probe = p->probe < img->probes.n ? &img->probes.v[p->probe] : NULL;
	char reason[320];

	features_explain(f, err, reason, sizeof(reason));
	snprintf(why, why_len, "cannot attach %s:%s:%s:%s to %s%s%s: %s%s", probe ? probe->prov : "",
		probe ? probe->mod : "", probe ? probe->func : "", probe ? probe->name : p->name, where,
		p->target ? " " : "", p->target ? p->target : "", reason,
		err == ENOENT ? "; this kernel does not have it" : "");
	return -err;
}

/* ---- profile: perf events ---------------------------------------------------------------------------------------- */

/* The events of the kernel's own counting, by the name that perf has for them. */
static int open_event(unsigned cpu, const char *name, uint64_t period)
{
	static const struct {
		const char *name;
		uint64_t config;
	} events[] = { { "page-faults-maj", PERF_COUNT_SW_PAGE_FAULTS_MAJ }, { "cpu-clock", PERF_COUNT_SW_CPU_CLOCK } };
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	for (size_t i = 0; name && i < sizeof(events) / sizeof(events[0]); i++)
		if (!strcmp(events[i].name, name))
			attr.config = events[i].config;
	attr.sample_period = period;
	attr.disabled = 1;
	return (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Nanoseconds of a clock, else every event. */
static uint64_t period_of(const struct image_prog *p)
{
	if (p->target)
		return strcmp(p->target, "cpu-clock") ? 1 : 1000000000u / CLOCK_HZ;
	return p->period_ns < PERIOD_MIN ? PERIOD_MIN : p->period_ns;
}

/* Links a program to an event and starts it. */
static int link_event(struct attached *a, int prog, int event)
{
	int link = bpfsys_link_event(prog, event, 0);

	if (link >= 0)
		a->links[a->nlinks++] = link;
	/* Such links are there since 5.15. */
	else if (ioctl(event, PERF_EVENT_IOC_SET_BPF, prog) < 0)
		return -errno;
	return ioctl(event, PERF_EVENT_IOC_ENABLE, 0) < 0 ? -errno : 0;
}

static int attach_perf(struct attached *a, size_t prog, char *why, size_t why_len)
{
	const struct image_prog *p = &a->loaded->image->progs.v[prog];
	uint64_t period = period_of(p);
	unsigned cpus = features_cpus(a->features), opened = 0;
	int err = ENODEV;

	if (a->stats < 0)
		a->stats = bpfsys_stats();
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		int fd, r;

		if (!features_cpu_online(a->features, cpu))
			continue;
		fd = open_event(cpu, p->target, period);
		if (fd < 0) {
			err = errno;
			if (err == ENODEV || err == ESRCH) /* the CPU went away meanwhile */
				continue;
			return failed(a->features, a->loaded, prog, "the clock of a CPU", err, why, why_len);
		}
		a->samplers[a->nsamplers++] = (struct sampler){ .fd = fd, .period = p->target ? 0 : period };
		r = link_event(a, a->loaded->progs[prog], fd);
		if (r)
			return failed(a->features, a->loaded, prog, "the clock of a CPU", -r, why, why_len);
		opened++;
	}
	return opened ? 0 : failed(a->features, a->loaded, prog, "the clock of a CPU", err, why, why_len);
}

/* The event counts the nanoseconds it was on: so many periods were due. */
static void count_due(struct attached *a)
{
	for (size_t i = 0; i < a->nsamplers; i++) {
		uint64_t ns = 0;

		(void)ioctl(a->samplers[i].fd, PERF_EVENT_IOC_DISABLE, 0);
		if (a->samplers[i].period && read(a->samplers[i].fd, &ns, sizeof(ns)) == (ssize_t)sizeof(ns))
			a->due += ns / a->samplers[i].period;
	}
}

static void count_ran(struct attached *a)
{
	const struct image *img = a->loaded->image;

	a->counted = a->stats >= 0;
	for (size_t i = 0; i < a->loaded->nprogs; i++) {
		struct bpf_prog_info info;

		if (img->progs.v[i].attach != ATTACH_PERF || img->progs.v[i].target)
			continue;
		memset(&info, 0, sizeof(info));
		if (bpfsys_info(a->loaded->progs[i], &info, sizeof(info)) == 0)
			a->ran += info.run_cnt;
		else
			a->counted = false;
	}
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static void add_text(char *why, size_t why_len, const char *text)
{
	size_t len = strlen(why);

	snprintf(why + len, why_len - len, "%s", text);
}

static int attach_cgroup(struct attached *a, size_t prog, const char *what, char *why, size_t why_len)
{
	int root = features_cgroup2(a->features, why, why_len), fd, err;
	enum bpf_attach_type type = (enum bpf_attach_type)a->loaded->image->progs.v[prog].expected_attach_type;

	if (root < 0)
		return root;
	fd = bpfsys_link(a->loaded->progs[prog], root, type);
	if (fd < 0) {
		err = failed(a->features, a->loaded, prog, what, -fd, why, why_len);
		add_text(why, why_len, cgroup_taken(err, root, type));
		return err;
	}
	a->links[a->nlinks++] = fd;
	return 0;
}

static int attach_tp(struct attached *a, size_t prog, const char *what, char *why, size_t why_len)
{
	/* The tracepoint or function is the one that the program was verified for (attach_btf_id): no name here. */
	int fd = bpfsys_link_raw(a->loaded->progs[prog]), err;

	if (fd < 0) {
		err = failed(a->features, a->loaded, prog, what, -fd, why, why_len);
		if (err == -E2BIG)
			add_text(why, why_len,
				"; Linux lets no more than 38 programs be at a function: end another "
				"trace, or -x tier=kprobes");
		return err;
	}
	a->links[a->nlinks++] = fd;
	return 0;
}

static int attach_user(struct attached *a, size_t prog, char *why, size_t why_len)
{
	return uprobes_attach(
		&a->loaded->image->progs.v[prog], a->loaded->progs[prog], a->features, &a->uprobes, why, why_len);
}

static int attach_kprobe(struct attached *a, size_t prog, char *why, size_t why_len)
{
	const struct image *img = a->loaded->image;
	const struct image_prog *at = &img->progs.v[prog];
	int err = kprobes_attach(at, a->loaded->progs[prog], a->features, &a->kprobes);

	if (err == -EILSEQ) {
		const struct image_probe *p = &img->probes.v[at->probe];

		snprintf(why, why_len, "cannot attach %s:%s:%s:%s: no instruction begins at that offset", p->prov,
			p->mod, p->func, p->name);
		return err;
	}
	return err ? failed(a->features, a->loaded, prog, "a kprobe on the function", -err, why, why_len) : 0;
}

/* A program at each of its system calls' own tracepoints. */
static int attach_syscall(struct attached *a, size_t prog, char *why, size_t why_len)
{
	const struct image_prog *p = &a->loaded->image->progs.v[prog];
	struct sysevents *events = features_sysevents(a->features);

	for (size_t i = 0; i < p->ntargets; i++) {
		int fd = events ? sysevents_take(events, p->target, p->targets[i].func) : -ENOMEM, r = fd;

		if (fd >= 0) {
			a->samplers[a->nsamplers++] = (struct sampler){ .fd = fd };
			r = link_event(a, a->loaded->progs[prog], fd);
		}
		if (r < 0)
			return failed(a->features, a->loaded, prog, p->targets[i].func, -r, why, why_len);
	}
	return 0;
}

/* A program that gets the records of a tracepoint. */
static int attach_event(struct attached *a, size_t prog, char *why, size_t why_len)
{
	int fd = sysevents_open(a->loaded->image->progs.v[prog].target), r = fd;

	if (fd >= 0) {
		a->samplers[a->nsamplers++] = (struct sampler){ .fd = fd };
		r = link_event(a, a->loaded->progs[prog], fd);
	}
	return r < 0 ? failed(a->features, a->loaded, prog, "the tracepoint", -r, why, why_len) : 0;
}

static int attach_one(struct attached *a, size_t prog, char *why, size_t why_len)
{
	switch (a->loaded->image->progs.v[prog].attach) {
	case ATTACH_TEST_RUN:
		return 0;
	case ATTACH_TP_BTF:
		return attach_tp(a, prog, "the tracepoint", why, why_len);
	case ATTACH_CGROUP_INGRESS:
		return attach_cgroup(a, prog, "cgroup2 ingress", why, why_len);
	case ATTACH_CGROUP_EGRESS:
		return attach_cgroup(a, prog, "cgroup2 egress", why, why_len);
	case ATTACH_CGROUP_SOCKOPS:
		return attach_cgroup(a, prog, "cgroup2 sock_ops", why, why_len);
	case ATTACH_CGROUP_RELEASE:
		return attach_cgroup(a, prog, "cgroup2 sock_release", why, why_len);
	case ATTACH_PERF:
		return attach_perf(a, prog, why, why_len);
	case ATTACH_UPROBE:
	case ATTACH_URETPROBE:
		return attach_user(a, prog, why, why_len);
	case ATTACH_FENTRY:
	case ATTACH_FEXIT:
		return attach_tp(a, prog, "the function", why, why_len);
	case ATTACH_KPROBE:
	case ATTACH_KRETPROBE:
		return attach_kprobe(a, prog, why, why_len);
	case ATTACH_SYSCALL:
		return attach_syscall(a, prog, why, why_len);
	case ATTACH_EVENT:
		return attach_event(a, prog, why, why_len);
	}
	return -EINVAL;
}

static bool is_function(const struct loaded *l, size_t prog)
{
	uint32_t a = l->image->progs.v[prog].attach;

	return a == ATTACH_FENTRY || a == ATTACH_FEXIT || a == ATTACH_KPROBE || a == ATTACH_KRETPROBE;
}

/* Programs at one place run in their order in the image. Those of a function the kernel runs the other way round: the
 * last that was attached comes first. */
static int attach_in_order(struct attached *a, char *why, size_t why_len)
{
	const struct loaded *l = a->loaded;
	int err = 0;

	for (size_t i = 0; !err && i < l->nprogs; i++)
		if (!is_function(l, i))
			err = attach_one(a, i, why, why_len);
	for (size_t i = l->nprogs; !err && i > 0; i--)
		if (is_function(l, i - 1))
			err = attach_one(a, i - 1, why, why_len);
	return err;
}

int attach_all(const struct loaded *l, struct features *f, struct attached **out, char *why, size_t why_len)
{
	struct attached *a = calloc(1, sizeof(*a));
	size_t most = l->nprogs * features_cpus(f) + 1;
	int err = -ENOMEM;

	*out = NULL;
	snprintf(why, why_len, "%s", strerror(ENOMEM));
	if (!a)
		return err;
	for (size_t i = 0; i < l->nprogs; i++)
		most += l->image->progs.v[i].attach == ATTACH_SYSCALL ? l->image->progs.v[i].ntargets : 0;
	a->loaded = l;
	a->features = f;
	a->stats = -1;
	a->links = calloc(most, sizeof(*a->links));
	a->samplers = calloc(most, sizeof(*a->samplers));
	if (a->links && a->samplers)
		err = attach_in_order(a, why, why_len);
	if (err) {
		attach_free(a);
		return err;
	}
	*out = a;
	return 0;
}

void attach_detach(struct attached *a, bool wait)
{
	bool any = a->nlinks || a->nsamplers || a->uprobes.fds.n || a->kprobes.fds.n;

	if (!any)
		return;
	count_due(a);
	/* In one go: so a packet's probes stop as near to each other as can be. The last comes first: of two programs
	 * at one tracepoint the kernel lets go of the first only when no CPU can be in it, which takes milliseconds. */
	while (a->nlinks)
		close(a->links[--a->nlinks]);
	uprobes_detach(&a->uprobes);
	kprobes_detach(&a->kprobes);
	for (size_t i = 0; i < a->nsamplers; i++)
		close(a->samplers[i].fd);
	if (wait)
		load_synchronize(a->loaded);
	if (a->nsamplers)
		count_ran(a);
	a->nsamplers = 0;
	if (a->stats >= 0)
		close(a->stats);
	a->stats = -1;
}

size_t attach_refused(const struct attached *a, char *first, size_t size)
{
	uprobes_describe(&a->uprobes, first, size);
	return a->uprobes.refused;
}

void attach_look(struct attached *a, FILE *err)
{
	uprobes_look(&a->uprobes, err);
}

uint64_t attach_missed(const struct attached *a)
{
	return a->counted && a->due > a->ran ? a->due - a->ran : 0;
}

void attach_free(struct attached *a)
{
	if (!a)
		return;
	if (a->links && a->samplers)
		attach_detach(a, false);
	uprobes_free(&a->uprobes);
	free(a->links);
	free(a->samplers);
	free(a);
}
