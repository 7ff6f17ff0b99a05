/* SPDX-License-Identifier: GPL-2.0-or-later */
/* io: requests to disks, in the hooks tier. A request starts when the block layer passes it to the device's driver,
 * and is done when the device has completed it. Requests without data (a SCSI command, a flush) are left out. Source:
 * D manual, io provider. */
#include "prov/provider.h"

static const char *const args[] = { "bufinfo_t *", "devinfo_t *", "fileinfo_t *", NULL };
static const char *const values[] = { "(uint64_t)P->rq", NULL };

#define DATA "P->rq->bio != 0 && (P->rq->cmd_flags & DW_REQ_OP_MASK) < DW_REQ_OP_DRV_IN && P->rq->__data_len != 0"

static const struct site start_site[] = {
	{ TP("block_rq_issue", 1, "dw_rqissue"), .fewer = 2, .optional = true, .irqs_off = true, .values = values,
		.when = DATA, .sees = "a request goes to the driver of its disk" },
	{ TP("block_rq_issue", 2, "dw_rqissue2"), .optional = true, .irqs_off = true, .values = values, .when = DATA,
		.sees = "before Linux 5.11: the same" },
};
static const struct site done_site[] = {
	{ TP("block_rq_complete", 3, "dw_rqcomplete"), .irqs_off = true, .values = values, .when = DATA,
		.sees = "the disk has done a request, or a part of it" },
};

/* The kernel marks threads that wait for a disk (iowait), but not the request that they wait for. The thread's last
 * request is shown. */
static const char *const no_values[] = { "0", NULL };
#define SWITCH(tp, n, nat)                                                                                       \
	.attach = ATTACH_TP_BTF, .target = tp, .nargs = n, .native = nat, .irqs_off = true, .values = no_values, \
	.when = "P->done != 0"
static const struct site wait_site[] = {
	{ SWITCH("sched_switch", 4, "dw_waits"), .sees = "a thread that leaves its CPU to wait for a disk" },
};
static const struct site waited_sites[] = {
	{ SWITCH("sched_exit_tp", 1, "dw_waited"), .optional = true,
		.sees = "since Linux 6.15: that thread, as it goes on" },
	{ SWITCH("sched_switch", 4, "dw_resumes"), .task = "next", .sees = "before that: the same, as it gets a CPU" },
};

/* The thread's last request is noted where it is made, in four stamps: a stamp has one word. */
#define MADE                                           \
	.op = STAMP_SET, .key = "(uint64_t)curthread", \
	.site = { .attach = ATTACH_TP_BTF,             \
		.target = "block_bio_queue",           \
		.nargs = 1,                            \
		.fewer = 2,                            \
		.native = "dw_iobio",                  \
		.when = "P->size != 0",                \
		.irqs_off = true }
static const struct stamp_event dev_made[] = { { MADE, .word = "(uint64_t)P->bdev" } };
static const struct stamp_event page_made[] = { { MADE, .word = "(uint64_t)P->page" } };
static const struct stamp_event sector_made[] = { { MADE, .word = "P->sector" } };
static const struct stamp_event size_made[] = { { MADE, .word = "P->size << 1 | P->writes" } };
static const struct stamp stamps[] = {
	{ "iodev", TABLE(dev_made) },
	{ "iopage", TABLE(page_made) },
	{ "iosector", TABLE(sector_made) },
	{ "iosize", TABLE(size_made) },
};

static const struct probe_def probes[] = {
	{ "done", args, TABLE(done_site), "a disk has done a request" },
	{ "start", args, TABLE(start_site), "a request is about to be made to a disk" },
	{ "wait-done", args, TABLE(waited_sites), "a thread has waited for a disk" },
	{ "wait-start", args, TABLE(wait_site), "a thread is about to wait for a disk" },
};

const struct provider io_provider = { PROVIDER("io", "dw_io", probes), STAMPED(stamps) };
