/* load: makes the maps of an image, links its programs to them and loads them.
 * Input: struct image. Output: struct loaded, descriptors only. Invariants: the image is not changed; no resource
 * limit is touched; what is made is held by descriptors alone. */
#include "run/load.h"
#include "run/attach_kprobe.h"
#include "run/functab.h"
#include <bpf/bpf.h>
#include <ctype.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOG_SIZE ((16u << 20) - 1) /* the largest that every kernel takes */
#define LOG_TAIL 12                /* lines of it that are shown */
#define RING_MIN (64u << 10)       /* when memory is short, no ring gets smaller than this */
#define RING_MAX (1u << 30)

/* Where an error text goes, and what it needs. */
struct loader {
	const struct load_config *c;
	struct loaded *l;
	char *why;
	size_t why_len;
};

/* "cannot create the BPF map agg_0 (4096 bytes): reason". Returns -err. */
static int map_failed(struct loader *ld, const char *name, uint64_t bytes, int err)
{
	char reason[320];

	features_explain(ld->c->features, err, reason, sizeof(reason));
	snprintf(ld->why, ld->why_len, "cannot create the BPF map %s (%llu bytes): %s", name, (unsigned long long)bytes,
		reason);
	return -err;
}

/* The kernel takes letters, digits, _ and . in names, at most 15. */
static void kernel_name(const char *name, char out[BPF_OBJ_NAME_LEN])
{
	size_t i;

	for (i = 0; name && name[i] && i + 1 < BPF_OBJ_NAME_LEN; i++) {
		unsigned char c = (unsigned char)name[i];

		out[i] = isalnum(c) || c == '.' ? (char)c : '_';
	}
	out[i] = 0;
}

/* The system call itself, not libbpf's functions: those raise RLIMIT_MEMLOCK on old kernels, which is for the user to
 * decide, and load programs of their own to find out what the kernel has. A descriptor or -errno. */
static int sys_bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	long fd;
	int tries = 5;

	do /* a signal that arrives while the verifier works makes EAGAIN */
		fd = syscall(SYS_bpf, cmd, attr, sizeof(*attr));
	while (fd < 0 && errno == EAGAIN && --tries);
	return fd < 0 ? -errno : (int)fd;
}

static int create_map(
	uint32_t type, const char *name, uint32_t key, uint32_t value, uint32_t n, uint32_t flags, int inner)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_type = type;
	attr.key_size = key;
	attr.value_size = value;
	attr.max_entries = n;
	attr.map_flags = flags;
	if (inner >= 0)
		attr.inner_map_fd = (uint32_t)inner;
	kernel_name(name, attr.map_name);
	return sys_bpf(BPF_MAP_CREATE, &attr);
}

/* ---- ring buffers ------------------------------------------------------------------------------------------------ */

/* Does a clause record something each time that the kernel fires its probe? exit() is for once, and what dwire fires
 * itself is slow. */
static bool records_events(const struct image *image, const struct epid *e)
{
	const struct image_probe *p = &image->probes.v[e->probe];

	if (!e->rec_size || strcmp(p->prov, "dtrace") == 0 || strncmp(p->name, "tick-", 5) == 0)
		return false;
	for (size_t i = 0; i < e->nactions; i++)
		if (e->actions[i].kind != ACT_EXIT)
			return true;
	return e->nactions == 0;
}

/* Summaries need no large buffers: half of the memory and a third of the time to start. */
static uint64_t default_bufsize(const struct image *image)
{
	for (size_t i = 0; i < image->epids.n; i++)
		if (records_events(image, &image->epids.v[i]))
			return LOAD_BUFSIZE_DEFAULT;
	return LOAD_BUFSIZE_SUMMARY;
}

static uint32_t ring_bytes(uint64_t want, const struct image *image)
{
	uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);

	if (!want)
		want = default_bufsize(image);
	while (size < want && size < RING_MAX)
		size *= 2;
	return (uint32_t)size;
}

static void close_rings(struct loaded *l)
{
	for (size_t i = 0; i < l->nrings; i++)
		close(l->rings[i]);
	l->nrings = 0;
}

/* Slots beyond the last online CPU cost no memory; of those below it few are ever offline. */
static unsigned count_rings(struct features *f)
{
	unsigned n = features_cpus(f);

	while (n > 1 && !features_cpu_online(f, n - 1))
		n--;
	return n;
}

static int create_rings_of(struct loader *ld, uint32_t size)
{
	unsigned n = count_rings(ld->c->features);
	struct loaded *l = ld->l;

	for (unsigned cpu = 0; cpu < n; cpu++) {
		int fd = create_map(BPF_MAP_TYPE_RINGBUF, "dw_ring", 0, 0, size, 0, -1);

		if (fd < 0) {
			close_rings(l);
			return fd;
		}
		l->rings[l->nrings++] = fd;
	}
	l->ring_size = size;
	return 0;
}

/* ---- the map of the ring buffers --------------------------------------------------------------------------------- */

/* The kernel ends a change of a map of maps by waiting until all running programs have ended: some 10 ms, for each
 * element before 6.8. No program uses the map yet, so a thread does the waiting. */
struct filler {
	pthread_t thread;
	bool running;
	int map, err; /* err: -errno, once the thread has ended */
	uint32_t n;
	uint32_t *cpus; /* 0..n-1 */
	int *rings;     /* ring of each */
};

static void *fill(void *arg)
{
	struct filler *f = arg;
	uint32_t count = f->n;

	if (bpf_map_update_batch(f->map, f->cpus, f->rings, &count, NULL) == 0)
		return NULL;
	/* No batches for such maps before 5.13. */
	for (uint32_t i = 0; i < f->n && !f->err; i++)
		if (bpf_map_update_elem(f->map, &f->cpus[i], &f->rings[i], BPF_ANY) < 0)
			f->err = -errno;
	return NULL;
}

static void filler_free(struct filler *f)
{
	if (!f)
		return;
	if (f->running)
		pthread_join(f->thread, NULL);
	free(f->cpus);
	free(f->rings);
	free(f);
}

/* The thread takes no signals: those are the session's. */
static int start_thread(struct filler *f)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	err = pthread_sigmask(SIG_SETMASK, &all, &old);
	if (err)
		return err;
	err = pthread_create(&f->thread, NULL, fill, f);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}

static int start_filling(struct loaded *l, unsigned cpus)
{
	struct filler *f = calloc(1, sizeof(*f));

	l->filler = f;
	if (!f)
		return -ENOMEM;
	f->cpus = calloc(cpus, sizeof(*f->cpus));
	f->rings = calloc(cpus, sizeof(*f->rings));
	if (!f->cpus || !f->rings)
		return -ENOMEM;
	f->map = l->rings_fd;
	f->n = cpus;
	for (uint32_t i = 0; i < cpus; i++) {
		f->cpus[i] = i;
		f->rings[i] = l->rings[i < l->nrings ? i : 0];
	}
	f->running = start_thread(f) == 0;
	if (!f->running) /* no thread to be had: then we wait ourselves */
		(void)fill(f);
	return 0;
}

/* Returns when every CPU has its ring: they are set in order, so the last tells. The thread may wait on; it is looked
 * at often because what it does before waiting takes microseconds. */
static int await_rings(struct loader *ld)
{
	struct filler *f = ld->l->filler;
	const struct timespec moment = { .tv_nsec = 20000 };
	uint32_t last, id;

	if (!f)
		return 0;
	last = f->n - 1;
	while (f->running && bpf_map_lookup_elem(f->map, &last, &id) < 0) {
		f->running = pthread_tryjoin_np(f->thread, NULL) != 0;
		nanosleep(&moment, NULL);
	}
	if (!f->running && f->err)
		return map_failed(ld, "dw_rings", 4ull * f->n, -f->err);
	return 0;
}

/* Like DTrace's bufresize=auto: too big a buffer is halved until it fits. */
static int create_rings(struct loader *ld, const char *name)
{
	unsigned cpus = features_cpus(ld->c->features);
	uint32_t size = ring_bytes(ld->c->bufsize, ld->c->image);
	struct loaded *l = ld->l;
	int err;

	l->rings = calloc(cpus, sizeof(*l->rings));
	if (!l->rings)
		return -ENOMEM;
	while ((err = create_rings_of(ld, size)) == -ENOMEM && size > RING_MIN)
		size /= 2;
	if (err)
		return map_failed(ld, "dw_ring", size, -err);
	l->rings_fd = create_map(BPF_MAP_TYPE_ARRAY_OF_MAPS, name, 4, 4, cpus, 0, l->rings[0]);
	if (l->rings_fd < 0)
		return map_failed(ld, name, 4ull * cpus, -l->rings_fd);
	err = start_filling(l, cpus);
	return err ? err : l->rings_fd;
}

/* ---- maps -------------------------------------------------------------------------------------------------------- */

static int create_plain(struct loader *ld, const struct image_map *m)
{
	unsigned cpus = features_cpus(ld->c->features);
	bool percpu = m->type == BPF_MAP_TYPE_PERCPU_ARRAY || m->type == BPF_MAP_TYPE_PERCPU_HASH;
	uint32_t flags = m->flags | (m->role == MAP_GLOBALS ? (uint32_t)BPF_F_MMAPABLE : 0);
	int fd = create_map(m->type, m->name, m->key_size, m->value_size, m->max_entries, flags, -1);

	if (fd < 0)
		return map_failed(ld, m->name,
			((uint64_t)m->key_size + m->value_size) * m->max_entries * (percpu ? cpus : 1), -fd);
	return fd;
}

static int create_table(struct loader *ld, const struct image_map *m)
{
	static const uint32_t first = 0;
	int fd = create_plain(ld, m), err;

	if (fd < 0 || bpf_map_update_elem(fd, &first, m->data, BPF_ANY) == 0)
		return fd;
	err = errno;
	close(fd);
	return map_failed(ld, m->name, m->value_size, err);
}

static int borrow(struct loader *ld, int fd, const char *name)
{
	if (fd >= 0)
		return fd;
	snprintf(ld->why, ld->why_len,
		"the script needs the owners of sockets (map %s), and their service does not run", name);
	return -EINVAL;
}

/* The map's descriptor, or -errno. */
static int make_map(struct loader *ld, const struct image_map *m)
{
	struct image_map drops, slots;

	switch (m->role) {
	case MAP_RINGS:
		return create_rings(ld, m->name);
	case MAP_OWNER:
		return borrow(ld, ld->c->owner_fd, m->name);
	case MAP_LAST_USERS:
		return borrow(ld, ld->c->last_users_fd, m->name);
	case MAP_SENDERS:
		return borrow(ld, ld->c->senders_fd, m->name);
	case MAP_DROPS:
		drops = *m;
		drops.type = BPF_MAP_TYPE_PERCPU_ARRAY;
		drops.key_size = 4;
		drops.value_size = 8;
		drops.max_entries = DW_DROP_COUNT;
		return ld->l->drops_fd = create_plain(ld, &drops);
	case MAP_ERRORS:
	case MAP_GLOBALS:
	case MAP_DYN:
	case MAP_AGG:
	case MAP_ZERO:
	case MAP_SPECS:
	case MAP_VTIME:
	case MAP_STAMP:
	case MAP_CALLS:
	case MAP_MACHINE:
		return create_plain(ld, m);
	case MAP_TABLE:
		return create_table(ld, m);
	case MAP_SCRATCH:
		slots = *m;
		slots.max_entries *= features_cpus(ld->c->features);
		return create_plain(ld, &slots);
	}
	return -EINVAL;
}

static int make_maps(struct loader *ld)
{
	const struct image *img = ld->c->image;
	struct loaded *l = ld->l;

	l->maps = calloc(img->maps.n + 1, sizeof(*l->maps));
	if (!l->maps)
		return -ENOMEM;
	for (size_t i = 0; i < img->maps.n; i++) {
		int fd = make_map(ld, &img->maps.v[i]);

		if (fd < 0)
			return fd;
		l->maps[l->nmaps++] = fd;
	}
	return 0;
}

/* ---- a refused program ------------------------------------------------------------------------------------------- */

/* Number of the instruction that the verifier looked at last, or -1. Lines are "12: (79) r1 = ..." or speak of
 * "insn 12". */
static long last_insn(const char *log)
{
	long last = -1;

	for (const char *line = log; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		size_t len = strcspn(line, "\n");
		const char *named = memmem(line, len, "insn ", 5);
		char *end;
		long n = strtol(line, &end, 10);

		if (end > line && isdigit((unsigned char)*line) && strncmp(end, ": (", 3) == 0)
			last = n;
		else if (named && isdigit((unsigned char)named[5]))
			last = strtol(named + 5, NULL, 10);
	}
	return last;
}

/* The D that instruction insn came from; src NULL when it is not known. */
static struct loc insn_loc(const struct ir_code *code, long insn)
{
	struct loc at = { 0 };

	for (size_t i = 0; insn >= 0 && i < code->lines.n && code->lines.v[i].insn <= (unsigned long)insn; i++)
		if (code->lines.v[i].loc.src)
			at = code->lines.v[i].loc;
	return at;
}

/* The log closes with statistics, which speak of instructions too. */
static void cut_statistics(char *log)
{
	static const char *const heads[] = { "verification time ", "processed " };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		for (char *p = strstr(log, heads[i]); p; p = strstr(p + 1, heads[i]))
			if (p == log || p[-1] == '\n') {
				*p = 0;
				break;
			}
}

/* The last lines of the log. */
static const char *log_tail(const char *log)
{
	const char *p;
	size_t lines = 0;

	for (p = log + strlen(log); p > log; p--)
		if (p[-1] == '\n' && *p && ++lines == LOG_TAIL)
			break;
	return p;
}

/* "tcp.d:7:22: " and, after the message, the line itself. */
static void add_position(FILE *t, struct loc at)
{
	unsigned line, col;

	if (!at.src)
		return;
	loc_position(at, &line, &col);
	fprintf(t, "%s:%u:%u: ", at.src->name, line, col);
}

static void add_source_line(FILE *t, struct loc at)
{
	size_t from, to;

	if (!at.src || at.off > at.src->len)
		return;
	for (from = at.off; from > 0 && at.src->text[from - 1] != '\n'; from--)
		continue;
	for (to = at.off; to < at.src->len && at.src->text[to] != '\n'; to++)
		continue;
	fprintf(t, "\n    %.*s", (int)(to - from), at.src->text + from);
}

static void add_log(FILE *t, const char *log)
{
	const char *p = log_tail(log);

	fprintf(t, "\n  the end of the verifier's log:");
	while (*p) {
		size_t len = strcspn(p, "\n");

		if (len)
			fprintf(t, "\n    %.*s", (int)len, p);
		p += len + (p[len] == '\n');
	}
}

/* No fault of the program: what this kernel does not let anybody do, by the last words of the log; or NULL. */
static const char *forbidden(const char *log)
{
	static const char *const too_large[] = { "due to 16-bit range", "jumps is too complex", "program is too large",
		"combined stack size of", "Looks like the BPF stack limit", "maps per program has reached the limit" };

	for (size_t i = 0; i < sizeof(too_large) / sizeof(too_large[0]); i++)
		if (strstr(log, too_large[i]))
			return "the clauses of this probe make too large a program; trace in several runs, or with "
			       "fewer "
			       "or shorter clauses on it";
	if (strstr(log, "cannot use helper bpf_probe_write_user"))
		return "copyout() and copyoutstr() are not possible: this kernel is locked down (integrity), which "
		       "forbids tracers to write to the memory of processes";
	return NULL;
}

static void prog_failed(struct loader *ld, const struct image_prog *p, const char *log, int err)
{
	const struct image *img = ld->c->image;
	const struct image_probe *probe = p->probe < img->probes.n ? &img->probes.v[p->probe] : NULL;
	FILE *t = fmemopen(ld->why, ld->why_len - 1, "w");
	struct loc at = insn_loc(&p->code, log[0] ? last_insn(log) : -1);
	char reason[320];

	ld->why[ld->why_len - 1] = 0;
	features_explain(ld->c->features, err, reason, sizeof(reason));
	if (!t) {
		snprintf(ld->why, ld->why_len, "cannot load the program %s: %s", p->name, reason);
		return;
	}
	if (log[0])
		add_position(t, at);
	if (forbidden(log)) {
		fprintf(t, "%s", forbidden(log));
		add_source_line(t, at);
		fclose(t);
		return;
	}
	fprintf(t, log[0] ? "the kernel's verifier refused the program for " : "cannot load the program for ");
	if (probe)
		fprintf(t, "%s:%s:%s:%s", probe->prov, probe->mod, probe->func, probe->name);
	else
		fprintf(t, "%s", p->name);
	/* EACCES and EINVAL are the verifier's own verdicts: the log is the reason. */
	fprintf(t, ": %s", log[0] ? strerror(err) : reason);
	if (log[0]) {
		add_source_line(t, at);
		add_log(t, log);
	}
	fclose(t);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

/* A copy of the instructions with the maps' descriptors in them. */
static struct bpf_insn *link_code(const struct loaded *l, const struct ir_code *code)
{
	struct bpf_insn *insns = malloc((code->n + 1) * sizeof(*insns));

	if (!insns)
		return NULL;
	memcpy(insns, code->insns, code->n * sizeof(*insns));
	for (size_t i = 0; i < code->maps.n; i++) {
		const struct ir_mapref *r = &code->maps.v[i];

		if (r->insn >= code->n || r->map >= l->nmaps) {
			free(insns);
			errno = EINVAL;
			return NULL;
		}
		insns[r->insn].src_reg = r->value ? BPF_PSEUDO_MAP_VALUE : BPF_PSEUDO_MAP_FD;
		insns[r->insn].imm = l->maps[r->map];
	}
	return insns;
}

/* A descriptor of the types of a module, or -errno. */
static int open_types(const char *module)
{
	uint32_t id = 0;

	while (bpf_btf_get_next_id(id, &id) == 0) {
		struct bpf_btf_info info;
		char name[64] = "";
		uint32_t len = sizeof(info);
		int fd = bpf_btf_get_fd_by_id(id);

		memset(&info, 0, sizeof(info));
		info.name = (uintptr_t)name;
		info.name_len = sizeof(name);
		if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &len) == 0 && info.kernel_btf &&
			strcmp(name, module) == 0)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -ENOENT;
}

static int load_once(const struct loader *ld, const struct image_prog *p, const struct bpf_insn *insns,
	const struct func_table *funcs, char *log)
{
	int module = p->module && p->attach_btf_id ? open_types(p->module) : -1, fd;
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = p->prog_type;
	attr.expected_attach_type = p->expected_attach_type;
	if (kprobes_multi(p, ld->c->features))
		attr.expected_attach_type = BPF_TRACE_KPROBE_MULTI;
	attr.attach_btf_id = p->attach_btf_id;
	if (p->module && p->attach_btf_id)
		attr.attach_btf_obj_fd = (uint32_t)module;
	attr.prog_flags = p->flags;
	attr.insns = (uintptr_t)insns;
	attr.insn_cnt = (uint32_t)p->code.n;
	attr.license = (uintptr_t) "GPL";
	if (log) {
		log[0] = 0;
		attr.log_level = 1 | 4; /* the path that failed, and statistics */
		attr.log_buf = (uintptr_t)log;
		attr.log_size = LOG_SIZE;
	}
	if (funcs->n) {
		attr.prog_btf_fd = (uint32_t)funcs->btf;
		attr.func_info_rec_size = sizeof(struct bpf_func_info);
		attr.func_info = (uintptr_t)funcs->v;
		attr.func_info_cnt = funcs->n;
	}
	kernel_name(p->name, attr.prog_name);
	fd = sys_bpf(BPF_PROG_LOAD, &attr);
	if (module >= 0)
		close(module);
	return fd;
}

/* The log is asked for only after a failure: writing it makes loading several times slower. */
static int load_prog(struct loader *ld, const struct image_prog *p)
{
	struct bpf_insn *insns = link_code(ld->l, &p->code);
	struct func_table funcs = { .btf = -1 };
	char *log;
	int fd, err = insns ? func_table_make(&p->code, &funcs) : -errno;

	if (err) {
		free(insns);
		snprintf(ld->why, ld->why_len, "cannot link the program %s: %s", p->name, strerror(-err));
		return err;
	}
	fd = load_once(ld, p, insns, &funcs, NULL);
	if (fd < 0) {
		err = fd;
		log = mmap(NULL, LOG_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		/* ENOSPC: the log itself was too long, the first verdict counts. */
		if (log != MAP_FAILED && (fd = load_once(ld, p, insns, &funcs, log)) < 0 && fd != -ENOSPC)
			err = fd;
		if (fd < 0 && log != MAP_FAILED)
			cut_statistics(log);
		if (fd < 0)
			prog_failed(ld, p, log == MAP_FAILED ? "" : log, -err);
		if (log != MAP_FAILED)
			munmap(log, LOG_SIZE);
		if (fd < 0)
			fd = err;
	}
	free(insns);
	func_table_free(&funcs);
	return fd;
}

static int load_progs(struct loader *ld)
{
	const struct image *img = ld->c->image;
	struct loaded *l = ld->l;

	l->progs = calloc(img->progs.n + 1, sizeof(*l->progs));
	if (!l->progs)
		return -ENOMEM;
	for (size_t i = 0; i < img->progs.n; i++) {
		int fd = load_prog(ld, &img->progs.v[i]);

		if (fd < 0)
			return fd;
		l->progs[l->nprogs++] = fd;
	}
	return 0;
}

int load_image(const struct load_config *c, struct loaded **out, char *why, size_t why_len)
{
	struct loaded *l = calloc(1, sizeof(*l));
	struct loader ld = { .c = c, .l = l, .why = why, .why_len = why_len };
	int err;

	*out = NULL;
	snprintf(why, why_len, "%s", strerror(ENOMEM));
	if (!l)
		return -ENOMEM;
	l->rings_fd = l->drops_fd = -1;
	l->image = c->image;
	err = make_maps(&ld);
	if (!err)
		err = load_progs(&ld);
	if (!err)
		err = await_rings(&ld);
	if (err) {
		load_free(l);
		return err;
	}
	*out = l;
	return 0;
}

void load_free(struct loaded *l)
{
	if (!l)
		return;
	filler_free(l->filler);
	for (size_t i = 0; i < l->nprogs; i++)
		close(l->progs[i]);
	for (size_t i = 0; i < l->nmaps; i++) {
		enum map_role role = l->image->maps.v[i].role;

		if (role != MAP_OWNER && role != MAP_LAST_USERS && role != MAP_SENDERS && role != MAP_RINGS)
			close(l->maps[i]);
	}
	if (l->rings_fd >= 0)
		close(l->rings_fd);
	close_rings(l);
	free(l->progs);
	free(l->maps);
	free(l->rings);
	free(l);
}

uint64_t load_missed(const struct loaded *l, size_t i)
{
	struct bpf_prog_info info;
	uint32_t len = sizeof(info);

	memset(&info, 0, sizeof(info));
	return bpf_obj_get_info_by_fd(l->progs[i], &info, &len) == 0 ? info.recursion_misses : 0;
}

void load_synchronize(const struct loaded *l)
{
	uint32_t cpu = 0;

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == 0)
		return;
	/* Kernels with nohz_full CPUs refuse that. Changing a map of maps waits for running programs too (since
	 * 4.20). */
	if (l->rings_fd >= 0)
		(void)bpf_map_update_elem(l->rings_fd, &cpu, &l->rings[0], BPF_ANY);
}
