/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cost: see cost.h.
 * Input: what the kernel counts of each program (struct bpf_prog_info), rusage, schedstat, fdinfo. Output: a struct
 * cost for the sink; a warning when the limit is passed.
 * Invariant: what could not be read is left out and never counted as 0 runs of a program that ran. */
#include "session/cost.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "kernel/bpfsys.h"
#include "load/load.h"
#include "owner/owner.h"
#include "record/cost.h"
#include "session/session_priv.h"

#define WATCH_NS 1000000000u /* the limit is on what was taken in a second */
#define PPM 1000000u
#define PPM_PERCENT 10000.0 /* parts per million in a percent */

struct meter {
	const struct session_options *opts; /* borrowed */
	int stats;                          /* the kernel counts while it is open; -1: it does not */
	uint64_t armed_at;                  /* 0: not yet */
	struct rusage start;
	uint64_t watch_at;      /* of the limit: next look */
	struct meter_look seen; /* the last one that could read everything */
	struct governor governor;
};

/* ---- this process ------------------------------------------------------------------------------------------------ */
static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

static struct rusage used(void)
{
	struct rusage r;

	memset(&r, 0, sizeof(r));
	(void)getrusage(RUSAGE_SELF, &r);
	return r;
}

static bool is_command(const struct session_options *o, long pid)
{
	for (size_t i = 0; i < o->nchildren; i++)
		if (child_pid(o->children[i]) == pid)
			return true;
	return false;
}

/* Adds the CPU time of a process with one thread, ns; nothing if it is gone. False: not known. */
static bool add_process(long pid, uint64_t *sum)
{
	unsigned long long ns = 0;
	char path[48];
	bool known;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/schedstat", pid);
	f = fopen(path, "re");
	known = f || errno == ENOENT || errno == ESRCH;
	if (f && fscanf(f, "%llu", &ns) == 1)
		*sum += ns;
	if (f)
		(void)fclose(f);
	return known;
}

/* The children of this thread are the commands of -c and the processes that parse files (symbols/sandbox). False: not
 * all are known. A kernel without CONFIG_PROC_CHILDREN names none. */
static bool helpers_cpu(const struct session_options *o, uint64_t *sum)
{
	FILE *f = fopen("/proc/thread-self/children", "re");
	bool known = f || errno == ENOENT;
	long pid;

	*sum = 0;
	while (f && fscanf(f, "%ld", &pid) == 1)
		if (!is_command(o, pid))
			known &= add_process(pid, sum);
	if (f)
		(void)fclose(f);
	return known;
}

/* ---- programs and maps ------------------------------------------------------------------------------------------- */
/* Adds what the kernel has counted of a program. False: not known. */
static bool count_prog(struct cost_row *row, int fd)
{
	struct bpf_prog_info info;

	memset(&info, 0, sizeof(info));
	if (fd < 0)
		return true;
	if (bpfsys_info(fd, &info, sizeof(info)) < 0)
		return false;
	row->runs += info.run_cnt;
	row->ns += info.run_time_ns;
	return true;
}

/* What the kernel says that a map or program takes, bytes; 0: not known. */
static uint64_t locked(int fd)
{
	char path[48], line[128];
	uint64_t bytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fd >= 0 ? fopen(path, "re") : NULL;
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %" SCNu64, &bytes) == 1)
			break;
	if (f)
		(void)fclose(f);
	return bytes;
}

static uint64_t locked_all(const int *fds, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += locked(fds[i]);
	return sum;
}

/* Those of the owner service appear among the image's maps if a program uses them; they count once. */
static uint64_t kernel_memory(const struct session *s)
{
	const struct loaded *l = s->loaded;
	int fds[OWNER_FDS];
	size_t nprogs, n = s->owner ? owner_fds(s->owner, fds, &nprogs) : 0;
	uint64_t sum =
		locked_all(fds, n) + locked_all(l->progs, l->nprogs) + locked_all(l->rings, l->rings ? l->nrings : 0);

	for (size_t i = 0; i < l->nmaps; i++) {
		bool owners = false;

		for (size_t k = 0; k < n; k++)
			owners |= fds[k] == l->maps[i];
		sum += owners ? 0 : locked(l->maps[i]);
	}
	return sum;
}

static bool count_owner(const struct session *s, struct cost_row *row)
{
	int fds[OWNER_FDS];
	size_t nprogs = 0;
	bool known = true;

	if (s->owner)
		(void)owner_fds(s->owner, fds, &nprogs);
	for (size_t i = 0; i < nprogs; i++)
		known &= count_prog(row, fds[i]);
	return known;
}

/* The probe whose row a program counts in. */
static uint32_t row_of(const struct image_prog *p)
{
	return p->nparts ? p->parts[0].probe : p->probe;
}

/* Is it the first probe of a program? Those that share it follow. */
static bool has_program(const struct image *img, uint32_t probe)
{
	for (size_t i = 0; i < img->progs.n; i++)
		if (row_of(&img->progs.v[i]) == probe)
			return true;
	return false;
}

/* Other probes than the first that fire in parts of a joined program. */
static size_t others(const struct image_prog *p)
{
	size_t n = 0;

	for (size_t i = 1; i < p->nparts; i++) {
		bool seen = p->parts[i].notes;

		for (size_t k = 0; k < i && !seen; k++)
			seen = p->parts[k].probe == p->parts[i].probe;
		n += !seen;
	}
	return n;
}

/* Probes that share the program p with its first one. Of many probes at one place, as in *:::entry, a program names
 * only the first (lower/multi.c); BEGIN, END and ERROR share none. */
static size_t shared(const struct image *img, const struct image_prog *p)
{
	uint32_t first = row_of(p), n = first + 1;

	if (p->nparts)
		return others(p);
	while (n < img->probes.n && strcmp(img->probes.v[n].prov, "dtrace") != 0 && !has_program(img, n))
		n++;
	return n - first - 1;
}

static void name_row(const struct image *img, const struct image_prog *p, struct cost_row *row)
{
	const struct image_probe *probe = &img->probes.v[row_of(p)];
	size_t more = shared(img, p), n;

	snprintf(row->name, sizeof(row->name), "%s:%s:%s:%s", probe->prov, probe->mod, probe->func, probe->name);
	n = strlen(row->name);
	if (more)
		snprintf(row->name + n, sizeof(row->name) - n, " and %zu more", more);
}

static int by_time(const void *a, const void *b)
{
	const struct cost_row *x = a, *y = b;

	return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : strcmp(x->name, y->name);
}

/* Sorts, drops the rows of what never ran, and sums. */
static void finish_rows(struct cost *c, struct cost_row *rows, size_t n)
{
	qsort(rows, n, sizeof(*rows), by_time);
	for (size_t i = 0; i < n; i++) {
		if (!rows[i].runs)
			continue;
		c->runs += rows[i].runs;
		c->ns += rows[i].ns;
		rows[c->nrows++] = rows[i];
	}
	c->rows = rows;
}

/* A row a probe, and one for the owner service. NULL: no memory. */
static struct cost_row *count_rows(const struct session *s, struct cost *c)
{
	const struct image *img = s->image;
	size_t n = img->probes.n;
	struct cost_row *rows = calloc(n + 1, sizeof(*rows));

	if (!rows)
		return NULL;
	for (size_t i = 0; i < s->loaded->nprogs; i++) {
		const struct image_prog *p = &img->progs.v[i];

		if (row_of(p) >= n)
			continue;
		if (!rows[row_of(p)].name[0])
			name_row(img, p, &rows[row_of(p)]);
		(void)count_prog(&rows[row_of(p)], s->loaded->progs[i]);
	}
	for (size_t i = 0; i < s->loaded->ncopies; i++) {
		const struct prog_copy *copy = &s->loaded->copies[i];
		uint32_t row = row_of(&img->progs.v[copy->i]);

		if (row < n)
			(void)count_prog(&rows[row], copy->fd);
	}
	snprintf(rows[n].name, sizeof(rows[n].name), "owners of sockets");
	(void)count_owner(s, &rows[n]);
	finish_rows(c, rows, n + 1);
	return rows;
}

/* ---- the meter --------------------------------------------------------------------------------------------------- */
int meter_new(const struct session_options *opts, struct meter **out)
{
	const struct options *o = opts->options;
	struct meter *m;

	*out = NULL;
	if (o->sample && !o->maxcpu)
		return report_error(opts->to, -EINVAL, D_NONE, NULL,
			"-x sample needs a limit, as in -x maxcpu=2%%; -x samplerate=N leaves firings out without one");
	if (!o->cost && !o->maxcpu)
		return 0;
	m = calloc(1, sizeof(*m));
	if (!m)
		return report_no_memory(opts->to, "count the cost of the trace");
	m->opts = opts;
	m->watch_at = UINT64_MAX;
	governor_init(&m->governor, o->samplerate);
	m->stats = bpfsys_stats();
	*out = m;
	if (m->stats >= 0)
		return 0;
	if (o->maxcpu)
		return report_error(opts->to, m->stats, D_NONE, NULL,
			"cannot limit the trace to -x maxcpu: the kernel does not count the time of programs: %s",
			strerror(-m->stats));
	report_warning(opts->to, D_NONE, NULL, "-x cost: the kernel does not count the time of programs: %s",
		strerror(-m->stats));
	return 0;
}

/* What the trace took so far. False: something could not be read. */
static bool look(const struct session *s, struct meter_look *out)
{
	struct rusage mine = used();
	struct cost_row all = { .runs = 0 };
	bool known = count_owner(s, &all);

	for (size_t i = 0; i < s->loaded->nprogs; i++)
		known &= count_prog(&all, s->loaded->progs[i]);
	for (size_t i = 0; i < s->loaded->ncopies; i++)
		known &= count_prog(&all, s->loaded->copies[i].fd);
	known &= helpers_cpu(&s->opts, &out->helpers);
	out->at = clock_now();
	out->programs = all.ns;
	out->self = timeval_ns(mine.ru_utime) + timeval_ns(mine.ru_stime);
	return known;
}

void meter_armed(struct meter *m)
{
	if (!m)
		return;
	m->armed_at = clock_now();
	m->start = used();
	if (m->opts->options->maxcpu)
		m->watch_at = m->armed_at; /* the first look only notes where it begins */
}

uint64_t meter_due(const struct meter *m)
{
	return m ? m->watch_at : UINT64_MAX;
}

uint64_t meter_process(const struct meter_look *before, const struct meter_look *now)
{
	uint64_t helpers = now->helpers > before->helpers ? now->helpers - before->helpers : 0;

	return now->self - before->self + helpers;
}

/* What was taken since the last look. */
struct taken {
	uint64_t programs, process; /* CPU time, ns */
	uint64_t room;              /* a millionth of the machine's CPU time */
};

static bool take(struct meter *m, const struct session *s, struct taken *t)
{
	const uint64_t cpus = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	const struct meter_look before = m->seen;
	struct meter_look now;
	bool known = look(s, &now);

	m->watch_at = now.at + WATCH_NS;
	if (!known)
		return false;
	m->seen = now;
	t->programs = now.programs - before.programs;
	t->process = meter_process(&before, &now);
	t->room = (now.at - before.at) * cpus / PPM;
	return before.at && t->room;
}

/* what: begins the sentence; more: ends it. */
static void report_taken(const struct meter *m, const struct taken *t, const char *what, const char *more)
{
	report_warning(m->opts->to, D_NONE, NULL,
		"%s: it took %.2f%% of the machine in the last second (programs %.2f%%, dwire %.2f%%), "
		"%s maxcpu (%g%%)%s",
		what, (double)(t->programs + t->process) / (double)t->room / PPM_PERCENT,
		(double)t->programs / (double)t->room / PPM_PERCENT, (double)t->process / (double)t->room / PPM_PERCENT,
		(t->programs + t->process) / t->room > m->opts->options->maxcpu ? "more than" : "of",
		(double)m->opts->options->maxcpu / PPM_PERCENT, more);
}

enum meter_verdict meter_judge(struct meter *m, const struct session *s, uint64_t *rate)
{
	const struct options *o = m->opts->options;
	uint64_t before = m->governor.rate, share;
	struct taken t;
	char what[96];
	bool over;

	if (!take(m, s, &t))
		return METER_FINE;
	share = (t.programs + t.process) / t.room;
	over = share > o->maxcpu;
	if (o->sample && s->image->sampled ? !governor_look(&m->governor, share, o->maxcpu) : over) {
		report_taken(m, &t, "the trace ends",
			!o->sample ? ""
				: s->image->sampled
				? ", and leaving out more firings does not help"
				: ", and all its clauses keep variables or act, so none can be left out");
		return METER_OVER;
	}
	*rate = m->governor.rate;
	if (*rate == before)
		return METER_FINE;
	if (*rate == 1)
		snprintf(what, sizeof(what), "from here on no firing of the trace is left out");
	else
		snprintf(what, sizeof(what), "from here on 1 in %" PRIu64 " firings of the trace runs", *rate);
	report_taken(m, &t, what, "");
	return METER_RATE;
}

void meter_report(struct meter *m, const struct session *s)
{
	const struct rusage now = used();
	struct cost c = { .counted = m && m->stats >= 0 };
	struct cost_row *rows;

	if (!m || !m->armed_at || !m->opts->options->cost || !s->opts.sink->ops->cost)
		return;
	rows = count_rows(s, &c);
	if (!rows) {
		(void)!report_no_memory(m->opts->to, "count the cost of the trace");
		return;
	}
	c.wall = clock_now() - m->armed_at;
	c.cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	c.start = timeval_ns(m->start.ru_utime) + timeval_ns(m->start.ru_stime);
	c.user = timeval_ns(now.ru_utime) - timeval_ns(m->start.ru_utime);
	c.system = timeval_ns(now.ru_stime) - timeval_ns(m->start.ru_stime);
	(void)helpers_cpu(m->opts, &c.helpers);
	c.memory = kernel_memory(s);
	s->opts.sink->ops->cost(s->opts.sink, &c);
	free(rows);
}

void meter_free(struct meter *m)
{
	if (!m)
		return;
	if (m->stats >= 0)
		close(m->stats);
	free(m);
}
