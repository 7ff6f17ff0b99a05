/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * io_uring for triggers, without a library: one request at a time.
 *
 * Input: a request (struct io_uring_sqe).  Output: its result, as the kernel gives it.  The ring ends with the process.
 */
#ifndef DWIRE_TESTS_URING_H
#define DWIRE_TESTS_URING_H
#include <linux/io_uring.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trigger.h"

struct uring {
	int fd;
	unsigned *sq_tail, *sq_array, *cq_head, *cq_tail, sq_mask, cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
};

/* False: this kernel or system has no io_uring. */
static inline bool uring_open(struct uring *u)
{
	struct io_uring_params p = { 0 };
	char *sq, *cq;

	u->fd = (int)syscall(SYS_io_uring_setup, 4, &p);
	if (u->fd < 0)
		return false;
	sq = mmap(NULL, p.sq_off.array + p.sq_entries * sizeof(unsigned), PROT_READ | PROT_WRITE, MAP_SHARED, u->fd,
		IORING_OFF_SQ_RING);
	cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE, MAP_SHARED,
		u->fd, IORING_OFF_CQ_RING);
	u->sqes = mmap(NULL, p.sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE, MAP_SHARED, u->fd,
		IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || (void *)u->sqes == MAP_FAILED)
		trig_die("mmap");
	u->sq_tail = (unsigned *)(void *)(sq + p.sq_off.tail);
	u->sq_mask = *(unsigned *)(void *)(sq + p.sq_off.ring_mask);
	u->sq_array = (unsigned *)(void *)(sq + p.sq_off.array);
	u->cq_head = (unsigned *)(void *)(cq + p.cq_off.head);
	u->cq_tail = (unsigned *)(void *)(cq + p.cq_off.tail);
	u->cq_mask = *(unsigned *)(void *)(cq + p.cq_off.ring_mask);
	u->cqes = (struct io_uring_cqe *)(void *)(cq + p.cq_off.cqes);
	return true;
}

/* Submits sqes[0] and waits for that many results. */
static inline void uring_submit(struct uring *u, unsigned wait)
{
	unsigned tail = *u->sq_tail;

	u->sq_array[tail & u->sq_mask] = 0;
	__atomic_store_n(u->sq_tail, tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, u->fd, 1, wait, wait ? IORING_ENTER_GETEVENTS : 0, NULL, 0) != 1)
		trig_die("io_uring_enter");
}

/* The next result. */
static inline int uring_result(struct uring *u)
{
	unsigned head = *u->cq_head;
	int res;

	while (__atomic_load_n(u->cq_tail, __ATOMIC_ACQUIRE) == head)
		if (syscall(SYS_io_uring_enter, u->fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
			trig_die("io_uring_enter");
	res = u->cqes[head & u->cq_mask].res;
	__atomic_store_n(u->cq_head, head + 1, __ATOMIC_RELEASE);
	return res;
}

static inline int uring_call(struct uring *u, struct io_uring_sqe sqe)
{
	u->sqes[0] = sqe;
	uring_submit(u, 1);
	return uring_result(u);
}

#endif
