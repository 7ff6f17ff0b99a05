/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring: reads the ring of a CPU, records in the order of their time stamps as far as a small window sees.
 * A probe that interrupts another on the same CPU may reserve its record first though its time stamp is later; the
 * window puts such records right. */
#ifndef DWIRE_CONSUME_RING_H
#define DWIRE_CONSUME_RING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RING_WINDOW 4

struct ring_slot {
	const uint8_t *rec; /* in the ring */
	uint32_t len;       /* bytes of it, at least sizeof(struct dw_rec) */
	uint64_t ts;
	uint64_t start; /* its position, head included */
	bool taken;     /* it has a record that is not consumed */
};

struct ring {
	const unsigned long *prod; /* written by the kernel */
	unsigned long *cons;       /* written by us: what is consumed; in a ring of ours how far programs may go */
	const uint8_t *data;       /* size bytes; behind them what a record that begins before their end needs */
	size_t size;               /* a power of two */
	size_t room;               /* bytes that may be read from data on */
	bool own;                  /* an element of a map of rings, not a BPF ring buffer: */
	uint32_t key;              /* ... the trace's (struct dw_ring_head) */
	uint64_t pos;              /* of the next record that is not in the window */
	uint64_t released;         /* what *cons says */
	uint64_t limit;            /* the producer's position as of ring_look() */
	uint64_t bad;              /* malformed records */
	struct ring_slot win[RING_WINDOW];
	uint8_t order[RING_WINDOW]; /* indices of the slots: first those that have a record, by time */
	unsigned held;              /* how many these are */
	bool looked;                /* the window is as full as it can be: ring_peek() need not look */
	uint64_t last_ts;           /* the latest that was read */
	bool busy;                  /* the record at pos is still being written */
	void *maps[2];
	size_t map_len[2];
};

/* A ring in ordinary memory, that no program of the kernel writes; borrowed. */
struct ring_memory {
	unsigned long *cons; /* positions, as in struct ring */
	const unsigned long *prod;
	const uint8_t *data; /* room bytes, or 2 * size bytes, both halves equal */
	size_t size;         /* a power of two */
	size_t room;         /* 0: laid out as a BPF ring buffer */
	uint32_t key;
};

/* A map of rings (abi/abi.h). */
struct ring_map {
	int fd;
	uint32_t size; /* of each ring's data */
	uint32_t key;
};

/* Maps the ring buffer behind fd (borrowed, used only here). 0 or -errno; ring_close() is right in both cases. */
int ring_open(struct ring *r, int fd) __attribute__((warn_unused_result));
/* The same of a CPU's ring in the map. From now on programs may write to it. */
int ring_open_own(struct ring *r, const struct ring_map *m, unsigned cpu) __attribute__((warn_unused_result));
void ring_from_memory(struct ring *r, const struct ring_memory *m);
void ring_close(struct ring *r);

/* Takes note of what was produced up to now. */
void ring_look(struct ring *r);
/* The record to consume next, of those produced before ring_look(); NULL: none, or one that is being written. */
const struct ring_slot *ring_peek(struct ring *r);
/* The one after that, as far as the window sees; NULL: not known. */
const struct ring_slot *ring_peek_second(struct ring *r);
/* Marks the record that ring_peek() gave as consumed. */
void ring_next(struct ring *r);
/* Gives consumed room back to the kernel. Cheap when there is little: lazy leaves up to an eighth of the ring. */
void ring_release(struct ring *r, bool lazy);
/* Gives back the room of all complete records, unread. Nothing if the ring is not open. */
void ring_pass_over(struct ring *r);
/* Percent in use. */
unsigned ring_fill(const struct ring *r);
#endif
