/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysinfo: sites of the sysinfo provider: system calls, switches, requests, ticks, locks. Output: struct dw_stat. The
 * provider's arguments are plain numbers, so that there are no translators of args[]. */
struct dw_stat {
	struct task_struct *task;
	struct task_struct *next;
	struct kernel_siginfo *info;
	int32_t sig;
	int32_t preempt;	/* sched_switch: 1: the thread was preempted */
	uint32_t state;		/* ... its state from then on */
	int64_t nr;		/* system calls */
	int64_t ret;
	int32_t error;
	uint32_t op;		/* of a request: DW_REQ_ */
	uint32_t bytes;
	int32_t kind;		/* whose pages: DW_PAGE_OF_ */
	uint32_t flags;		/* of a lock that is waited for */
	int32_t user;		/* a tick: the CPU was in a program */
	int32_t iowait;		/* threads of the CPU that wait for a disk */
};

translator struct dw_stat < struct dw_sysenter *C > {
	task = curthread;
	nr = __nr_of[C->nr];
};
translator struct dw_stat < struct dw_sysexit *C > {
	task = curthread;
	nr = __nr_of[__sysnr[C->regs]];
	error = dw_sys_errno[C->ret];
};
translator struct dw_stat < struct dw_switchfrom *C > {
	task = C->prev;
};
translator struct dw_stat < struct dw_switchfrom3 *C > {
	task = C->prev;
	state = dw_left_in[C->prev];
};
translator struct dw_stat < struct dw_fork *C > { task = C->child; };
translator struct dw_stat < struct dw_fault *C > { task = curthread; };
translator struct dw_stat < struct dw_signalgen *C > {
	info = (struct kernel_siginfo *)C->info;
};

inline int DW_PAGE_OF_DISK = 0;		/* the file system's own */
inline int DW_PAGE_OF_PROGRAM = 2;
inline int DW_PAGE_OF_SWAP = 3;
/* The kind of a page: one of these, or 1 for a page of a file, as __file_inode says. */
inline int __page_kind[struct page *G] =
    G == 0 || G->mapping == 0 ? DW_PAGE_OF_DISK :
    ((uint64_t)G->mapping & DW_PAGE_MAPPING_FLAGS) != 0 ? DW_PAGE_OF_PROGRAM : __file_inode[G->mapping->host];
translator struct dw_stat < struct dw_bioqueue *C > {
	op = C->bio->bi_opf;
	bytes = C->bio->bi_iter.bi_size;
	kind = __has(__REQ_SWAP) && (C->bio->bi_opf >> __REQ_SWAP & 1) != 0 ? DW_PAGE_OF_SWAP :
	    __page_kind[__bio_page[C->bio]];
};
translator struct dw_stat < struct dw_bioqueue2 *C > {
	op = C->bio->bi_opf;
	bytes = C->bio->bi_iter.bi_size;
	kind = __has(__REQ_SWAP) && (C->bio->bi_opf >> __REQ_SWAP & 1) != 0 ? DW_PAGE_OF_SWAP :
	    __page_kind[__bio_page[C->bio]];
};

/* block_touch_buffer, block_dirty_buffer */
struct dw_buffer {
	struct buffer_head *bh;
};
translator struct dw_stat < struct dw_buffer *C > { task = curthread; };

/* module_load, module_free */
struct dw_module {
	struct module *mod;
};
translator struct dw_stat < struct dw_module *C > { task = curthread; };

/* contention_begin */
struct dw_contention {
	void *lock;
	unsigned int flags;
};
translator struct dw_stat < struct dw_contention *C > { flags = C->flags; };

/* ipi_send_cpu; ipi_send_cpumask below */
struct dw_ipi {
	unsigned int cpu;
};
translator struct dw_stat < struct dw_ipi *C > { task = curthread; };
struct dw_ipimask {
	struct cpumask *mask;
};
translator struct dw_stat < struct dw_ipimask *C > { task = curthread; };

/* A clock event of perf: where the CPU was, in the kernel or in a program. */
struct dw_clock {
	uint64_t kernel_pc;
	uint64_t user_pc;
};
translator struct dw_stat < struct dw_clock *C > {
	task = curthread;
	user = C->user_pc != 0;
	iowait = __has(curthread->se.cfs_rq->rq->nr_iowait) ? curthread->se.cfs_rq->rq->nr_iowait.counter : 0;
};
