/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lockstat: sites of the lockstat provider. Input: the tracepoints contention_begin and contention_end (Linux 5.19),
 * and the returns of functions that take and release locks. Output: struct dw_lock. */
inline int DW_HELD_SHIFT = 8;	/* the word of a stamp: the flags, and above them held */

struct dw_lock {
	void *lock;
	uint32_t flags;		/* at the begin of a wait: the kernel's LCB_F_* */
	uint64_t held;		/* ... the lock's word that shows its holders */
	int32_t ret;
	uint64_t key;		/* of a wait: the lock and the thread */
};

/* The key of a wait. A thread waits for one lock only once at a time, so that lock and thread identify the wait. */
inline uint64_t __lock_key[void *l] = (uint64_t)l ^ ((uint64_t)curthread << 17 | (uint64_t)curthread >> 47);

struct dw_lockbegin {
	void *lock;
	unsigned int flags;
};
translator struct dw_lock < struct dw_lockbegin *C > {
	lock = C->lock;
	flags = C->flags;
	held = (C->flags & DW_LCB_F_SPIN) != 0 ? (uint32_t)((struct qrwlock *)C->lock)->cnts.counter :
	    ((struct rw_semaphore *)C->lock)->count.counter;
	key = __lock_key[C->lock];
};

struct dw_lockend {
	void *lock;
	int ret;
};
translator struct dw_lock < struct dw_lockend *C > {
	lock = C->lock;
	ret = C->ret;
	key = __lock_key[C->lock];
};

/* The return of a function that takes or releases a lock. */
struct dw_lockcall {
	void *lock;
	int retval;
};
translator struct dw_lock < struct dw_lockcall *C > {
	lock = C->lock;
	ret = C->retval;
};
