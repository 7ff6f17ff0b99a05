/* io: requests to disks, the hooks tier: from the moment that the block layer hands a request to the device's driver
 * until the device is done with it. Requests that carry no data for the disk (a SCSI command, a flush) have no bio or
 * no bytes and are left out. */
#include "prov/all.h"

static const char *const args[] = { "bufinfo_t *", "devinfo_t *", "fileinfo_t *", NULL };
static const char *const values[] = { "(uint64_t)P->rq", NULL };

#define DATA "P->rq->bio != 0 && (P->rq->cmd_flags & 0xff) < 34 && P->rq->__data_len != 0"

static const struct site start_site[] = {
	{ .attach = ATTACH_TP_BTF,
		.target = "block_rq_issue",
		.nargs = 1,
		.native = "dw_rqissue",
		.irqs_off = true,
		.values = values,
		.when = DATA,
		.sees = "a request goes to the driver of its disk" },
};
static const struct site done_site[] = {
	{ .attach = ATTACH_TP_BTF,
		.target = "block_rq_complete",
		.nargs = 3,
		.native = "dw_rqcomplete",
		.irqs_off = true,
		.values = values,
		.when = DATA,
		.sees = "the disk has done a request, or a part of it" },
};

static const struct probe_def probes[] = {
	{ "done", args, done_site, 1, "a disk has done a request" },
	{ "start", args, start_site, 1, "a request is about to be made to a disk" },
};

const struct provider io_provider = {
	.name = "io",
	.raw = "dw_io",
	.module = "vmlinux",
	.probes = probes,
	.nprobes = 2,
};
