/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vminfo: sites of the vminfo provider: faults, pages that are read from and written to disks, and pages that are
 * freed. Output: struct dw_vm; the provider's arguments are plain numbers. */
struct dw_vm {
	uint64_t addr;		/* of the fault */
	uint64_t code;		/* ... the processor's error code: DW_X86_PF_* */
	uint32_t op;		/* of a request: DW_REQ_ */
	uint32_t bytes;
	int32_t swap;		/* 1: a request of swap */
	int32_t file;		/* 1: the request has a page of a file */
	uint64_t scanned;	/* pages */
	uint64_t freed;
	int32_t is_file;
	uint32_t order;		/* of an allocation: 2^order pages */
	int32_t zeroed;
};

/* page_fault_user, page_fault_kernel */
struct dw_fault {
	uint64_t addr;
	struct pt_regs *regs;
	uint64_t code;
};
translator struct dw_vm < struct dw_fault *C > {
};

/* block_bio_queue */
struct dw_bioqueue {
	struct bio *bio;
};
translator struct dw_vm < struct dw_bioqueue *C > {
	op = C->bio->bi_opf;
	bytes = C->bio->bi_iter.bi_size;
	swap = __has(__REQ_SWAP) ? (C->bio->bi_opf >> __REQ_SWAP) & 1 : 0;
	file = __file_inode[__io_inode[__bio_page[C->bio]]];
};
/* ... before Linux 5.11 */
struct dw_bioqueue2 {
	struct request_queue *q;
	struct bio *bio;
};
translator struct dw_vm < struct dw_bioqueue2 *C > {
	op = C->bio->bi_opf;
	bytes = C->bio->bi_iter.bi_size;
	swap = __has(__REQ_SWAP) ? (C->bio->bi_opf >> __REQ_SWAP) & 1 : 0;
	file = __file_inode[__io_inode[__bio_page[C->bio]]];
};

/* mm_vmscan_lru_shrink_inactive */
struct dw_shrink {
	int nid;
	unsigned long scanned;
	unsigned long reclaimed;
	struct reclaim_stat *stat;
	int priority;
	int is_file;
};
translator struct dw_vm < struct dw_shrink *C > {
	freed = C->reclaimed;
};

/* mm_vmscan_kswapd_wake */
struct dw_kswapd {
	int nid;
};
translator struct dw_vm < struct dw_kswapd *C > { is_file = 0; };

/* mm_page_alloc */
struct dw_pagealloc {
	struct page *page;
	unsigned int order;
	unsigned int gfp;
	int migratetype;
};
/* Flags of the allocation of a program's own page: zeroed, movable, anywhere in memory. BTF has the bits since Linux
 * 6.9. */
inline uint32_t DW_GFP_HIGHUSER_ZEROED = 0x10a;		/* __GFP_HIGHMEM, __GFP_MOVABLE, __GFP_ZERO */
inline uint32_t __gfp_zeroed = __has(___GFP_ZERO_BIT) ? (1 << ___GFP_ZERO_BIT) | (1 << ___GFP_MOVABLE_BIT) |
    (1 << ___GFP_HIGHMEM_BIT) : DW_GFP_HIGHUSER_ZEROED;
translator struct dw_vm < struct dw_pagealloc *C > {
	zeroed = C->page != 0 && (C->gfp & __gfp_zeroed) == __gfp_zeroed;
};
