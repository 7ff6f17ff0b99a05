/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mapwatch: see mapwatch.h.
 * Input: a ring of records for each CPU. Output: events.
 * Invariant: nothing beyond the length of a record is read. */
#include "symbols/mapwatch.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING_PAGES 32 /* of each CPU: holds the start of some eighty programs between two reads */

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
};

struct mapwatch {
	struct ring *rings;
	size_t n;
	size_t page_size, ring_size;
	struct map_event *v; /* those of one mapwatch_read() */
	size_t nv, cap;
};

/* The records, as perf_event_open(2) has them, each followed by struct tail. */
struct tail {
	uint64_t time;
};
struct record_mmap2 {
	struct perf_event_header h;
	uint32_t pid, tid;
	uint64_t addr, len, off;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t prot, flags;
	char path[];
};
struct record_task { /* fork, exit */
	struct perf_event_header h;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};
struct record_comm {
	struct perf_event_header h;
	uint32_t pid, tid;
};

/* Opens an event on a CPU for all processes (pid -1). It counts nothing (PERF_COUNT_SW_DUMMY): only its side records
 * are wanted. It wakes no reader, since mapwatch_read() is called often. comm_exec: Linux 3.16. */
static int open_ring(struct mapwatch *w, unsigned cpu)
{
	struct ring *r = &w->rings[w->n];
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.task = 1,
		.comm = 1,
		.comm_exec = 1,
		.watermark = 1,
		.wakeup_watermark = 1u << 30,
	};

	r->fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (r->fd < 0)
		return -errno;
	r->page = mmap(NULL, w->page_size + w->ring_size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (r->page == MAP_FAILED) {
		int err = -errno;

		close(r->fd);
		return err;
	}
	w->n++;
	return 0;
}

int mapwatch_open(struct features *f, struct mapwatch **out)
{
	struct mapwatch *w = calloc(1, sizeof(*w));
	unsigned cpus = features_cpus(f);
	int err = 0;

	*out = NULL;
	if (!w)
		return -ENOMEM;
	w->page_size = (size_t)sysconf(_SC_PAGESIZE);
	w->ring_size = w->page_size * RING_PAGES;
	w->rings = calloc(cpus, sizeof(*w->rings));
	if (!w->rings)
		err = -ENOMEM;
	for (unsigned cpu = 0; !err && cpu < cpus; cpu++)
		if (features_cpu_online(f, cpu))
			err = open_ring(w, cpu);
	if (err) {
		mapwatch_close(w);
		return err;
	}
	*out = w;
	return 0;
}

void mapwatch_close(struct mapwatch *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n; i++) {
		munmap(w->rings[i].page, w->page_size + w->ring_size);
		close(w->rings[i].fd);
	}
	free(w->rings);
	free(w->v);
	free(w);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */
/* A mapping of code. Anonymous memory has no path and is left out. */
static bool parse_mmap(const struct record_mmap2 *r, size_t len, struct map_event *e)
{
	if (len <= sizeof(*r) + sizeof(struct tail) || !memchr(r->path, '\0', len - sizeof(*r) - sizeof(struct tail)))
		return false;
	*e = (struct map_event){ .kind = MAP_ADDED,
		.pid = (pid_t)r->pid,
		.start = r->addr,
		.end = r->addr + r->len,
		.off = r->off,
		.dev = (uint64_t)r->major << 32 | r->minor,
		.inode = r->inode };
	e->path = r->path[0] == '/' || strcmp(r->path, "[vdso]") == 0 ? strdup(r->path) : NULL;
	return e->path != NULL;
}

/* Records about threads are left out. */
static bool parse_record(const struct perf_event_header *h, struct map_event *e)
{
	const struct record_task *t = (const void *)h;
	const struct record_comm *c = (const void *)h;

	switch (h->type) {
	case PERF_RECORD_MMAP2:
		return parse_mmap((const void *)h, h->size, e);
	case PERF_RECORD_COMM:
		*e = (struct map_event){ .kind = MAP_EXEC, .pid = (pid_t)c->pid };
		return h->size > sizeof(*c) && (h->misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		if (h->size < sizeof(*t) || t->pid != t->tid)
			return false;
		*e = (struct map_event){ .kind = h->type == PERF_RECORD_FORK ? MAP_FORK : MAP_EXIT,
			.pid = (pid_t)t->pid,
			.parent = (pid_t)t->ppid };
		return h->type == PERF_RECORD_EXIT || t->pid != t->ppid;
	default:
		return false;
	}
}

/* Without memory the event is lost, as if the ring had been full. */
static void add_event(struct mapwatch *w, const struct perf_event_header *h)
{
	struct map_event e;

	if (w->nv == w->cap) {
		size_t cap = w->cap ? 2 * w->cap : 256;
		struct map_event *v = reallocarray(w->v, cap, sizeof(*v));

		if (!v)
			return;
		w->v = v;
		w->cap = cap;
	}
	if (!parse_record(h, &e))
		return;
	memcpy(&e.time, (const char *)h + h->size - sizeof(e.time), sizeof(e.time));
	w->v[w->nv++] = e;
}

/* The kernel writes up to data_head; what we have read ends at data_tail, behind which it may write again. A record may
 * wrap around the end of the ring, so each is copied before it is parsed. */
static void read_ring(struct mapwatch *w, const struct ring *r)
{
	const char *data = (const char *)r->page + w->page_size;
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE), tail = r->page->data_tail;
	union {
		struct perf_event_header h;
		char bytes[1 << 16];
	} rec;

	while (head - tail >= sizeof(rec.h) && head - tail <= w->ring_size) {
		size_t at = tail % w->ring_size, room = w->ring_size - at, len;

		memcpy(&rec.h, data + at, sizeof(rec.h)); /* never wraps: records are multiples of 8 bytes */
		len = rec.h.size;
		if (len < sizeof(rec.h) + sizeof(struct tail) || len > head - tail)
			break;
		memcpy(rec.bytes, data + at, len < room ? len : room);
		if (len > room)
			memcpy(rec.bytes + room, data, len - room);
		add_event(w, &rec.h);
		tail += len;
	}
	__atomic_store_n(&r->page->data_tail, head, __ATOMIC_RELEASE);
}

/* Each CPU has a ring, so events are sorted by time. */
static int by_time(const void *a, const void *b)
{
	const struct map_event *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

void mapwatch_read(struct mapwatch *w, void (*each)(void *ctx, const struct map_event *e), void *ctx)
{
	for (size_t i = 0; i < w->n; i++)
		read_ring(w, &w->rings[i]);
	if (w->nv)
		qsort(w->v, w->nv, sizeof(*w->v), by_time);
	for (size_t i = 0; i < w->nv; i++) {
		each(ctx, &w->v[i]);
		free((char *)(uintptr_t)w->v[i].path);
	}
	w->nv = 0;
}
