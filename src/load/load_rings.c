/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_rings: creates the rings: one map with a ring for each CPU (abi/abi.h) or, for programs that use the kernel's, a
 * BPF ring buffer for each CPU and the map that contains them.
 * Input: the wanted size. Output: l->rings, l->nrings, l->rings_fd, l->ring_size; the size is smaller if memory is
 * short. Invariant: all rings have the same size. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/diag/report.h"
#include "base/parallel.h"
#include "kernel/bpfsys.h"
#include "load/load_priv.h"

#define RING_MIN (64u << 10) /* when memory is short, no ring gets smaller than this */
#define RING_MAX (1u << 30)

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

/* Packets come in bursts, and each takes some 360 bytes, and 240 as a line of tcpsnoop: while other programs take the
 * CPUs of dwire itself, they must wait. All CPUs together take no more than the limit, unless the default of other
 * events does. */
static uint64_t packets_bufsize(unsigned cpus)
{
	uint64_t size = LOAD_BUFSIZE_PACKETS;

	while (size > LOAD_BUFSIZE_DEFAULT && size * cpus > LOAD_BUFSIZE_PACKETS_ALL)
		size /= 2;
	return size;
}

/* Scripts that only summarize need no large buffers. Small ones take half of the memory and a third of the time to
 * start. */
static uint64_t default_bufsize(const struct image *image, unsigned cpus)
{
	uint64_t size = LOAD_BUFSIZE_SUMMARY;

	for (size_t i = 0; i < image->epids.n; i++) {
		if (!records_events(image, &image->epids.v[i]))
			continue;
		if (image->epids.v[i].packets)
			return packets_bufsize(cpus);
		size = LOAD_BUFSIZE_DEFAULT;
	}
	return size;
}

static uint32_t ring_bytes(uint64_t want, const struct image *image, unsigned cpus)
{
	uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);

	if (!want)
		want = default_bufsize(image, cpus);
	while (size < want && size < RING_MAX)
		size *= 2;
	return (uint32_t)size;
}

void load_close_rings(struct loaded *l)
{
	for (size_t i = 0; l->rings && i < l->nrings; i++)
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
		int fd = bpfsys_map_create(BPF_MAP_TYPE_RINGBUF, "dw_ring", 0, 0, size, 0, -1);

		if (fd < 0) {
			load_close_rings(l);
			return fd;
		}
		l->rings[l->nrings++] = fd;
	}
	l->ring_size = size;
	return 0;
}

/* The kernel completes each update of a map of maps by waiting until all running programs have ended: some 10 ms, for
 * every element before Linux 6.8. No program uses the map yet, so a thread does the waiting. */
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
	if (bpfsys_map_update_batch(f->map, f->cpus, f->rings, f->n) == 0)
		return NULL;
	/* No batches for such maps before 5.13. */
	for (uint32_t i = 0; i < f->n && !f->err; i++)
		f->err = bpfsys_map_update(f->map, &f->cpus[i], &f->rings[i], BPF_ANY);
	return NULL;
}

void load_filler_free(struct filler *f)
{
	if (!f)
		return;
	if (f->running)
		pthread_join(f->thread, NULL);
	free(f->cpus);
	free(f->rings);
	free(f);
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
	f->running = parallel_start(&f->thread, fill, f) == 0;
	if (!f->running) /* no thread could be created, so wait here */
		(void)fill(f);
	return 0;
}

/* Returns when every CPU has its ring. The thread sets them in order, which takes microseconds, so polling the last
 * one is enough. The thread itself may still be waiting. */
int load_await_rings(struct loader *ld)
{
	struct filler *f = ld->l->filler;
	const struct timespec moment = { .tv_nsec = 20000 };
	uint32_t last, id;

	if (!f)
		return 0;
	last = f->n - 1;
	while (f->running && bpfsys_map_lookup(f->map, &last, &id) < 0) {
		f->running = pthread_tryjoin_np(f->thread, NULL) != 0;
		nanosleep(&moment, NULL);
	}
	if (!f->running && f->err)
		return load_map_failed(ld, "dw_rings", 4ull * f->n, f->err);
	return 0;
}

/* A ring's element of the map: whole pages, so that each can be mapped alone. */
static uint32_t element_bytes(const struct image *image, uint32_t size)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	const uint64_t bytes = (uint64_t)DW_RING_DATA + size + sizeof(struct dw_ring_head) + image->rec_most;

	return (uint32_t)((bytes + page - 1) / page * page);
}

/* The programs have no limit yet, so they record nothing before ring_open(). */
static int create_own(struct loader *ld, const char *name, uint32_t size)
{
	const unsigned n = count_rings(ld->c->features);
	const uint32_t bytes = element_bytes(ld->c->image, size);
	struct loaded *l = ld->l;

	l->rings_fd = bpfsys_map_create(BPF_MAP_TYPE_ARRAY, name, 4, bytes, n, BPF_F_MMAPABLE, -1);
	if (l->rings_fd < 0)
		return l->rings_fd;
	l->nrings = n;
	l->ring_size = size;
	return 0;
}

static int create_kernels(struct loader *ld, const char *name)
{
	unsigned cpus = features_cpus(ld->c->features);
	struct loaded *l = ld->l;

	l->rings_fd = bpfsys_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, name, 4, 4, cpus, 0, l->rings[0]);
	if (l->rings_fd < 0)
		return load_map_failed(ld, name, 4ull * cpus, l->rings_fd);
	if (start_filling(l, cpus))
		return report_no_memory(ld->to, "create the ring buffers");
	return l->rings_fd;
}

/* Like DTrace's bufresize=auto: too big a buffer is halved until it fits. */
int load_create_rings(struct loader *ld, const struct image_map *m)
{
	const bool own = m->type == BPF_MAP_TYPE_ARRAY;
	uint32_t size = ring_bytes(ld->c->bufsize, ld->c->image, count_rings(ld->c->features));
	struct loaded *l = ld->l;
	int err;

	l->rings = own ? NULL : calloc(features_cpus(ld->c->features), sizeof(*l->rings));
	if (!own && !l->rings)
		return report_no_memory(ld->to, "create the ring buffers");
	while ((err = own ? create_own(ld, m->name, size) : create_rings_of(ld, size)) == -ENOMEM && size > RING_MIN)
		size /= 2;
	if (err)
		return load_map_failed(ld, own ? m->name : "dw_ring", size, err);
	return own ? l->rings_fd : create_kernels(ld, m->name);
}
