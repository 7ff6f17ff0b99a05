/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring: the ring of one CPU, mapped.
 * Input: an element of a map of rings (abi/abi.h), or the memory of a BPF_MAP_TYPE_RINGBUF (kernel documentation,
 * bpf/ringbuf.rst): a page with the consumer's position, a page with the producer's, the data twice in a row. In both 8
 * bytes are before each record: its length and two bits, the same ones, and in a ring of ours what it is known by.
 * Output: records. Invariant: no byte is read beyond what the producer's position covers, whatever lengths say. */
#include "consume/ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/abi.h"
#include "kernel/bpfsys.h"

#define HEAD_BYTES 8

_Static_assert(DW_RING_BUSY == BPF_RINGBUF_BUSY_BIT && DW_RING_DISCARD == BPF_RINGBUF_DISCARD_BIT &&
		sizeof(struct dw_ring_head) == HEAD_BYTES,
	"heads of both kinds of rings are read by the same code");

static void ring_clear(struct ring *r)
{
	memset(r, 0, sizeof(*r));
	for (uint8_t i = 0; i < RING_WINDOW; i++)
		r->order[i] = i;
}

/* The consumer's page is writable; the rest is mapped read-only, or the kernel would refuse it. */
int ring_open(struct ring *r, int fd)
{
	struct bpf_map_info info = { 0 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p;
	int err;

	ring_clear(r);
	err = bpfsys_info(fd, &info, sizeof(info));
	if (err)
		return err;
	if (info.type != BPF_MAP_TYPE_RINGBUF)
		return -EINVAL;
	r->size = info.max_entries;
	r->room = 2 * r->size;
	p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	r->maps[0] = p;
	r->map_len[0] = page;
	r->cons = p;
	p = mmap(NULL, page + 2 * r->size, PROT_READ, MAP_SHARED, fd, (off_t)page);
	if (p == MAP_FAILED)
		return -errno;
	r->maps[1] = p;
	r->map_len[1] = page + 2 * r->size;
	r->prod = p;
	r->data = (const uint8_t *)p + page;
	r->pos = r->released = r->limit = __atomic_load_n(r->cons, __ATOMIC_ACQUIRE);
	return 0;
}

/* Tells programs what was released. */
static void store_released(struct ring *r)
{
	__atomic_store_n(r->cons, (unsigned long)(r->released + (r->own ? r->size : 0)), __ATOMIC_RELEASE);
}

/* Where the last consumer, if there was one, has stopped. Programs may go on from here. */
static void begin_own(struct ring *r, uint32_t key)
{
	uint64_t limit = __atomic_load_n(r->cons, __ATOMIC_ACQUIRE);

	r->own = true;
	r->key = key;
	r->pos = r->released = r->limit = limit ? limit - r->size : 0;
	store_released(r);
}

int ring_open_own(struct ring *r, const struct ring_map *m, unsigned cpu)
{
	struct bpf_map_info info = { 0 };
	uint8_t *p;
	int err;

	ring_clear(r);
	err = bpfsys_info(m->fd, &info, sizeof(info));
	if (err)
		return err;
	if (info.type != BPF_MAP_TYPE_ARRAY || cpu >= info.max_entries || info.value_size < DW_RING_DATA + m->size)
		return -EINVAL;
	p = mmap(NULL, info.value_size, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, (off_t)cpu * info.value_size);
	if (p == MAP_FAILED)
		return -errno;
	r->maps[0] = p;
	r->map_len[0] = info.value_size;
	r->prod = (const unsigned long *)(const void *)(p + DW_RING_PRODUCED);
	r->cons = (unsigned long *)(void *)(p + DW_RING_LIMIT);
	r->data = p + DW_RING_DATA;
	r->size = m->size;
	r->room = info.value_size - DW_RING_DATA;
	begin_own(r, m->key);
	return 0;
}

void ring_from_memory(struct ring *r, const struct ring_memory *m)
{
	ring_clear(r);
	r->cons = m->cons;
	r->prod = m->prod;
	r->data = m->data;
	r->size = m->size;
	r->room = m->room ? m->room : 2 * m->size;
	if (m->room)
		begin_own(r, m->key);
	else
		r->pos = r->released = r->limit = *m->cons;
}

void ring_close(struct ring *r)
{
	for (size_t i = 0; i < 2; i++)
		if (r->maps[i])
			munmap(r->maps[i], r->map_len[i]);
	ring_clear(r);
}

void ring_look(struct ring *r)
{
	r->limit = __atomic_load_n(r->prod, __ATOMIC_ACQUIRE);
	r->looked = false;
}

/* Reads the record at pos into a free slot, which stays free if there is nothing to consume in it. */
static void slot_read(struct ring *r, struct ring_slot *s, const uint8_t *p, uint32_t size, bool discarded)
{
	struct dw_rec rec;

	if (discarded)
		return;
	if (size < sizeof(rec)) {
		r->bad++;
		return;
	}
	memcpy(&rec, p, sizeof(rec));
	if (rec.len < sizeof(rec) || rec.len > size) {
		r->bad++;
		return;
	}
	*s = (struct ring_slot){ .rec = p, .len = rec.len, .ts = rec.ts, .start = r->pos, .taken = true };
	if (rec.ts > r->last_ts)
		r->last_ts = rec.ts;
}

/* The first word of the head at p. One of a ring of ours that is not for this position is left from an earlier round:
 * the program that has taken the place has not written its own yet. */
static uint32_t read_head(const struct ring *r, const uint8_t *p)
{
	const uint32_t at = (uint32_t)(r->pos >> 3) ^ r->key;
	uint64_t head;

	if (!r->own)
		return __atomic_load_n((const uint32_t *)(const void *)p, __ATOMIC_ACQUIRE);
	head = __atomic_load_n((const uint64_t *)(const void *)p, __ATOMIC_ACQUIRE);
	return head >> 32 == at ? (uint32_t)head : DW_RING_BUSY;
}

/* Reads the next record into a free slot. False: there is none, or it is still being written; records behind that one
 * wait, because room is given back in the order of the records. */
static bool slot_fill(struct ring *r, struct ring_slot *s)
{
	const size_t off = r->pos & (r->size - 1);
	const uint8_t *p = r->data + off;
	uint32_t head, size;
	uint64_t total;

	if (r->pos >= r->limit || r->limit - r->pos < HEAD_BYTES)
		return false;
	head = read_head(r, p);
	size = head & ~(DW_RING_BUSY | DW_RING_DISCARD);
	total = ((uint64_t)size + HEAD_BYTES + 7) & ~7ull;
	if (head & DW_RING_BUSY) {
		r->busy = true;
		return false;
	}
	if (total > r->size || total > r->limit - r->pos || off + total > r->room) {
		/* The chain of lengths is broken: go on behind all that is there. */
		r->bad++;
		r->pos = r->limit;
		return false;
	}
	slot_read(r, s, p + HEAD_BYTES, size, head & DW_RING_DISCARD);
	r->pos += total;
	return true;
}

/* Of two records of the same time the one that was made first. */
static bool slot_before(const struct ring_slot *a, const struct ring_slot *b)
{
	return a->ts != b->ts ? a->ts < b->ts : a->start < b->start;
}

/* The place in the order of the first free slot, which has a record now. Nearly always that is the latest. */
static void window_add(struct ring *r)
{
	unsigned at = r->held++;
	const uint8_t slot = r->order[at];

	for (; at && slot_before(&r->win[slot], &r->win[r->order[at - 1]]); at--)
		r->order[at] = r->order[at - 1];
	r->order[at] = slot;
}

/* Fills the free slots of the window. A record that stays keeps its slot and its room in the ring, however many behind
 * it go: a program that was held up between making its record and reading the clock has a late time at an early
 * place. */
static __attribute__((noinline)) void window_fill(struct ring *r)
{
	r->busy = false;
	while (r->held < RING_WINDOW && slot_fill(r, &r->win[r->order[r->held]]))
		if (r->win[r->order[r->held]].taken)
			window_add(r);
	r->looked = true;
}

const struct ring_slot *ring_peek(struct ring *r)
{
	if (!r->looked)
		window_fill(r);
	return r->held ? &r->win[r->order[0]] : NULL;
}

const struct ring_slot *ring_peek_second(struct ring *r)
{
	return r->held > 1 ? &r->win[r->order[1]] : NULL;
}

void ring_next(struct ring *r)
{
	uint8_t first;

	if (!ring_peek(r))
		return;
	first = r->order[0];
	r->win[first].taken = false;
	r->held--;
	for (unsigned i = 0; i + 1 < RING_WINDOW; i++)
		r->order[i] = r->order[i + 1];
	r->order[RING_WINDOW - 1] = first;
	r->looked = false;
}

/* Writing the consumer's position makes room. Programs read it at each reservation, so lazy writes it seldom. */
void ring_release(struct ring *r, bool lazy)
{
	const uint64_t least = lazy ? r->size / 8 : 1;
	uint64_t to = r->pos;

	if (to - r->released < least)
		return;
	/* What stands in the window is still read. */
	for (unsigned i = 0; i < RING_WINDOW; i++)
		if (r->win[i].taken && r->win[i].start < to)
			to = r->win[i].start;
	if (to - r->released < least)
		return;
	r->released = to;
	store_released(r);
}

void ring_pass_over(struct ring *r)
{
	struct ring_slot s;

	if (!r->cons)
		return;
	ring_look(r);
	while (slot_fill(r, &s))
		;
	ring_release(r, false);
}

/* The positions grow without end; their difference is what is in use. */
unsigned ring_fill(const struct ring *r)
{
	uint64_t used = __atomic_load_n(r->prod, __ATOMIC_ACQUIRE) - r->released;

	return used >= r->size ? 100 : (unsigned)(used * 100 / r->size);
}
