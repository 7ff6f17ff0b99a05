/* SPDX-License-Identifier: GPL-2.0-or-later */
/* requests: sites and arguments of the io provider. Input: requests to disks when the block layer passes them to a
 * driver and when the driver completes them. Output: bufinfo_t, devinfo_t, fileinfo_t. */
/* Solaris' flags of a buffer (sys/buf.h), for bufinfo_t. */
inline int B_BUSY = 0x1;
inline int B_DONE = 0x2;
inline int B_ERROR = 0x4;
inline int B_PAGEIO = 0x10;
inline int B_PHYS = 0x20;
inline int B_READ = 0x40;
inline int B_WRITE = 0x100;
inline int B_ASYNC = 0x400;

struct dw_io {
	struct request *rq;	/* 0: a thread waits; the next members are of its last request */
	struct block_device *bdev;
	struct page *page;	/* the first of the request, for the file */
	uint64_t sector;
	uint64_t size;		/* bytes */
	int32_t writes;
	uint32_t error;		/* of the block layer; 0: none */
	uint32_t bytes;		/* that are done */
	int32_t done;
};

/* The partition of a request. Before Linux 5.11 that was a structure of another kind. */
inline struct block_device *__io_part[struct request *R] =
    __has(sizeof(struct hd_struct)) ? (struct block_device *)0 : R->part;

/* block_rq_issue: a request goes to its driver. */
struct dw_rqissue {
	struct request *rq;
};
translator struct dw_io < struct dw_rqissue *C > {
	bdev = __io_part[C->rq];
	page = __io_page[C->rq];
	error = 0;
	bytes = 0;
	done = 0;
};
struct dw_rqissue2 {	/* before Linux 5.11 */
	struct request_queue *q;
	struct request *rq;
};
translator struct dw_io < struct dw_rqissue2 *C > {
	bdev = __io_part[C->rq];
	page = __io_page[C->rq];
	error = 0;
	bytes = 0;
	done = 0;
};

/* block_rq_complete: the request, or a part of it, is done. error is a block status of the kernel. */
struct dw_rqcomplete {
	struct request *rq;
	uint8_t error;
	unsigned int bytes;
};
translator struct dw_io < struct dw_rqcomplete *C > {
	bdev = __io_part[C->rq];
	page = __io_page[C->rq];
	done = 1;
};

struct dw_iobio {	/* block_bio_queue */
	struct bio *bio;
};
translator struct dw_io < struct dw_iobio *C > {
	rq = (struct request *)0;
	bdev = C->bio->bi_bdev;
	page = __bio_page[C->bio];
	sector = C->bio->bi_iter.bi_sector;
	size = C->bio->bi_iter.bi_size;
	writes = C->bio->bi_opf & DW_REQ_OP_WRITE;
};

struct dw_waits {	/* sched_switch: the thread that leaves its CPU; curthread */
	bool preempt;
	struct task_struct *prev;
	struct task_struct *next;
	unsigned int state;
};
translator struct dw_io < struct dw_waits *C > {
	rq = (struct request *)0;
	bdev = (struct block_device *)__stamped("iodev", (uint64_t)curthread);
	page = (struct page *)__stamped("iopage", (uint64_t)curthread);
	sector = __stamped("iosector", (uint64_t)curthread);
	size = __stamped("iosize", (uint64_t)curthread) >> 1;
	writes = __stamped("iosize", (uint64_t)curthread) & 1;
	error = 0;
	bytes = 0;
	done = C->preempt == 0 && C->state != 0 && C->prev->in_iowait;	/* the thread waits for a disk */
};
struct dw_waited {	/* sched_exit_tp */
	bool is_switch;
};
translator struct dw_io < struct dw_waited *C > {
	rq = (struct request *)0;
	bdev = (struct block_device *)__stamped("iodev", (uint64_t)curthread);
	page = (struct page *)__stamped("iopage", (uint64_t)curthread);
	sector = __stamped("iosector", (uint64_t)curthread);
	size = __stamped("iosize", (uint64_t)curthread) >> 1;
	writes = __stamped("iosize", (uint64_t)curthread) & 1;
	error = 0;
	bytes = 0;
	done = C->is_switch && curthread->in_iowait;
};
struct dw_resumes {	/* sched_switch: the thread that gets the CPU; curthread */
	bool preempt;
	struct task_struct *prev;
	struct task_struct *next;
};
translator struct dw_io < struct dw_resumes *C > {
	rq = (struct request *)0;
	bdev = (struct block_device *)__stamped("iodev", (uint64_t)C->next);
	page = (struct page *)__stamped("iopage", (uint64_t)C->next);
	sector = __stamped("iosector", (uint64_t)C->next);
	size = __stamped("iosize", (uint64_t)C->next) >> 1;
	writes = __stamped("iosize", (uint64_t)C->next) & 1;
	error = 0;
	bytes = 0;
	done = !__has(sizeof(btf_trace_sched_exit_tp)) && C->next->in_iowait;
};

inline dev_t __io_dev[struct request *R, struct block_device *B] = B != 0 ? B->bd_dev : R == 0 ? 0 :
    __has(sizeof(struct hd_struct)) ? (R->part != 0 ? R->part->__dev.devt : 0) : 0;

typedef struct bufinfo {
	int b_flags;		/* B_READ or B_WRITE, B_ASYNC, B_DONE, B_ERROR */
	size_t b_bcount;	/* bytes to transfer */
	caddr_t b_addr;		/* 0: Linux has pages, not addresses */
	uint64_t b_lblkno;	/* sector of 512 bytes on the disk */
	uint64_t b_blkno;
	size_t b_resid;		/* bytes not transferred */
	size_t b_bufsize;
	caddr_t b_iodone;	/* function of the kernel that is called at the end */
	int b_error;		/* EIO: the request failed */
	dev_t b_edev;		/* of the partition */
} bufinfo_t;

translator bufinfo_t < struct dw_io *P > {
	b_flags = P->rq == 0 ? B_BUSY | (P->writes ? B_WRITE : B_READ) :
	    B_BUSY | ((P->rq->cmd_flags & DW_REQ_OP_WRITE) != 0 ? B_WRITE : B_READ) |
	    ((P->rq->cmd_flags & DW_REQ_OP_MASK) != DW_REQ_OP_READ && (P->rq->cmd_flags & DW_REQ_SYNC) == 0 ? B_ASYNC : 0) |
	    (P->done ? B_DONE : 0) | (P->error != 0 ? B_ERROR : 0);
	b_bcount = P->rq == 0 ? P->size : P->rq->__data_len;
	b_addr = (caddr_t)0;
	b_lblkno = P->rq == 0 ? P->sector : P->rq->__sector;
	b_blkno = P->rq == 0 ? P->sector : P->rq->__sector;
	b_resid = P->rq == 0 ? 0 : P->done ? P->rq->__data_len - P->bytes : P->rq->__data_len;
	b_bufsize = P->rq == 0 ? P->size : P->rq->__data_len;
	b_iodone = P->rq == 0 || P->rq->bio == 0 ? (caddr_t)0 : (caddr_t)P->rq->bio->bi_end_io;
	b_error = P->error != 0 ? DW_EIO : 0;
	b_edev = __io_dev[P->rq, P->bdev];
};

typedef struct devinfo {
	int dev_major;
	int dev_minor;
	int dev_instance;	/* the minor number */
	string dev_name;	/* of the disk, "sda" */
	string dev_statname;	/* the same */
	string dev_pathname;	/* "/dev/sda" */
	/* FreeBSD's names: of the disk, and the minor number */
	string device_name;
	int unit_number;
} devinfo_t;

inline struct gendisk *__rq_disk[struct request *R] = __has(R->q->disk) ? R->q->disk : R->rq_disk;	/* before 5.16 */
inline struct gendisk *__io_disk[struct request *R, struct block_device *B] =
    R != 0 ? __rq_disk[R] : B != 0 ? B->bd_disk : (struct gendisk *)0;
inline int __io_minor[struct request *R, struct block_device *B] = __io_dev[R, B] != 0 ?
    __io_dev[R, B] & DW_MINORMASK : R == 0 ? 0 : __rq_disk[R]->first_minor;
translator devinfo_t < struct dw_io *P > {
	dev_major = __io_dev[P->rq, P->bdev] != 0 ? __io_dev[P->rq, P->bdev] >> DW_MINORBITS :
	    P->rq == 0 ? 0 : __rq_disk[P->rq]->major;
	dev_minor = __io_minor[P->rq, P->bdev];
	dev_instance = __io_minor[P->rq, P->bdev];
	dev_name = __io_disk[P->rq, P->bdev] == 0 ? "<none>" : stringof(__io_disk[P->rq, P->bdev]->disk_name);
	dev_statname = __io_disk[P->rq, P->bdev] == 0 ? "<none>" : stringof(__io_disk[P->rq, P->bdev]->disk_name);
	dev_pathname = __io_disk[P->rq, P->bdev] == 0 ? "<none>" :
	    strjoin("/dev/", stringof(__io_disk[P->rq, P->bdev]->disk_name));
	device_name = __io_disk[P->rq, P->bdev] == 0 ? "<none>" : stringof(__io_disk[P->rq, P->bdev]->disk_name);
	unit_number = __io_minor[P->rq, P->bdev];
};

/* The file of the first page of a request; NULL if the page is not a file's (direct I/O, the file system's own data).
 * A large page keeps the file in its first part. */
inline uint64_t __page_head[struct page *G] = *(uint64_t *)((uint64_t)G + 8);	/* compound_head, in a union */
inline struct page *__bio_page[struct bio *B] =
    B == 0 || B->bi_io_vec == 0 ? (struct page *)0 : __page_head[B->bi_io_vec->bv_page] & DW_PAGE_TAIL ?
    (struct page *)(__page_head[B->bi_io_vec->bv_page] - 1) : B->bi_io_vec->bv_page;
inline struct page *__io_page[struct request *R] = R == 0 ? (struct page *)0 : __bio_page[R->bio];
inline struct inode *__io_inode[struct page *G] =
    G == 0 || G->mapping == 0 || ((uint64_t)G->mapping & DW_PAGE_MAPPING_FLAGS) != 0 ? (struct inode *)0 : G->mapping->host;
/* Is it a file's page? The pages of a disk itself hold the file system's own data. */
inline int __file_inode[struct inode *I] = I != 0 && (I->i_mode & DW_S_IFMT) != DW_S_IFBLK;
inline struct dentry *__io_dentry[struct inode *I] =
    I == 0 || I->i_dentry.first == 0 || (I->i_mode & DW_S_IFMT) == DW_S_IFBLK ? (struct dentry *)0 :
    (struct dentry *)((uint64_t)I->i_dentry.first - (__has(((struct dentry *)0)->d_u) ?
    offsetof(struct dentry, d_u) : offsetof(struct dentry, d_alias)));	/* Linux 7.2 */
inline struct vfsmount *__io_mount[struct super_block *S] = __has(S->s_mounts.next) ?
    (struct vfsmount *)((uint64_t)S->s_mounts.next - offsetof(struct mount, mnt_instance) +
    offsetof(struct mount, mnt)) : (struct vfsmount *)((uint64_t)S->s_mounts + offsetof(struct mount, mnt));

translator fileinfo_t < struct dw_io *P > {
	fi_name = __io_dentry[__io_inode[P->page]] == 0 ? "<none>" :
	    stringof(__io_dentry[__io_inode[P->page]]->d_name.name);
	fi_dirname = __io_dentry[__io_inode[P->page]] == 0 ? "<none>" :
	    dirname(__path(__io_dentry[__io_inode[P->page]], __io_mount[__io_inode[P->page]->i_sb]));
	fi_pathname = __io_dentry[__io_inode[P->page]] == 0 ? "<none>" :
	    __path(__io_dentry[__io_inode[P->page]], __io_mount[__io_inode[P->page]->i_sb]);
	fi_offset = __io_inode[P->page] == 0 ? 0 : __has(P->page->__folio_index) ?
	    P->page->__folio_index * __pagesize() : P->page->index * __pagesize();
	fi_fs = __io_inode[P->page] == 0 ? "<none>" :
	    stringof(__io_inode[P->page]->i_sb->s_type->name);
	fi_mount = __io_inode[P->page] == 0 ? "<none>" :
	    __path(__io_mount[__io_inode[P->page]->i_sb]->mnt_root,
	    __io_mount[__io_inode[P->page]->i_sb]);
	fi_oflags = 0;
};
