/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vminfo: the events that the kernel's virtual memory statistics count, in the hooks tier: faults, and pages that are
 * read, written and freed. arg0 is the increment. Solaris' probes without a Linux event (pgrec, softlock, swapping of
 * whole processes, ...) are left out; docs/providers/vminfo.md lists them. */
#include "prov/provider.h"

/* clang-format off */
#define FAULT(tp, cond, what) \
	{ .attach = ATTACH_TP_BTF, .target = tp, .nargs = 3, .native = "dw_fault", .when = cond, .values = one, \
	  .sees = what }
#define FAULTS(cond) \
	FAULT("page_fault_user", cond, "faults of programs"), \
	FAULT("page_fault_kernel", "(int64_t)P->addr >= 0 && " cond, "faults of the kernel on a program's memory")
#define BIO(cond, vals, what) \
	{ TP("block_bio_queue", 1, "dw_bioqueue"), .fewer = 2, .optional = true, .when = cond, \
	  .values = vals, .irqs_off = true, .sees = what }, \
	{ TP("block_bio_queue", 2, "dw_bioqueue2"), .optional = true, .when = cond, .values = vals, .irqs_off = true, \
	  .sees = "before Linux 5.11: the same" }
#define SCANNED(cond, vals, what) \
	{ TP("mm_vmscan_lru_shrink_inactive", 6, "dw_shrink"), \
	  .when = cond, .values = vals, .irqs_off = true, .sees = what }
#define PROBE(name, meaning, ...) \
	{ name, args, (const struct site[]){ __VA_ARGS__ }, \
	  sizeof((const struct site[]){ __VA_ARGS__ }) / sizeof(struct site), meaning }

#define READ "(P->op & DW_REQ_OP_MASK) == DW_REQ_OP_READ && P->bytes != 0 && "
#define WRITE "(P->op & DW_REQ_OP_MASK) == DW_REQ_OP_WRITE && P->bytes != 0 && "
/* Bits of the processor's error code. */
#define PRESENT "(P->code & (DW_X86_PF_PROT | DW_X86_PF_WRITE)) "
#define SWAP "P->swap != 0"
#define FILES "P->swap == 0 && P->file != 0"
#define CACHED "(P->swap != 0 || P->file != 0)"

/* arg0 is the increment; arg1 is 0, a pointer to the statistics in Solaris. */
static const char *const args[] = { "int64_t", "uint64_t *", NULL };
static const char *const one[] = { "1", "0", NULL };
static const char *const pages[] = { "(P->bytes + __pagesize() - 1) / __pagesize()", "0", NULL };
static const char *const scanned[] = { "P->scanned", "0", NULL };
static const char *const freed[] = { "P->freed", "0", NULL };
static const char *const order[] = { "1 << P->order", "0", NULL };

static const struct site maj_site[] = { { .attach = ATTACH_PERF,
	.irqs_off = true,
	.target = "major_faults-all",
	.values = one,
	.sees = "the kernel's own count of faults that wait for a disk" } };

static const struct probe_def probes[] = {
	PROBE("anonfree", "pages of programs' own memory are freed",
		SCANNED("P->is_file == 0 && P->freed != 0", freed, "a pass over memory that programs lack")),
	PROBE("anonpgin", "pages come in from swap", BIO(READ SWAP, pages, "reads from swap")),
	PROBE("anonpgout", "pages go out to swap", BIO(WRITE SWAP, pages, "writes to swap")),
	PROBE("as_fault", "a fault on a page that is not mapped", FAULTS("(P->code & DW_X86_PF_PROT) == 0")),
	PROBE("cow_fault", "a write to a page that is mapped to be read",
		FAULTS(PRESENT "== (DW_X86_PF_PROT | DW_X86_PF_WRITE)")),
	PROBE("dfree", "pages are freed because memory is short",
		SCANNED("P->freed != 0", freed, "a pass over memory")),
	PROBE("fsfree", "pages of files are freed",
		SCANNED("P->is_file != 0 && P->freed != 0", freed, "a pass over the cache of files")),
	PROBE("fspgin", "pages of files come in", BIO(READ FILES, pages, "reads of files into the cache")),
	PROBE("fspgout", "pages of files go out", BIO(WRITE FILES, pages, "writes of files out of the cache")),
	PROBE("kernel_asflt", "the kernel faults on its own memory",
		FAULT("page_fault_kernel", "(int64_t)P->addr < 0", "faults of the kernel on its own memory")),
	{ "maj_fault", args, TABLE(maj_site), "a fault has to wait for a disk" },
	PROBE("pgin", "pages come in: one request", BIO(READ CACHED, one, "reads into the cache, and from swap")),
	PROBE("pgout", "pages go out: one request", BIO(WRITE CACHED, one, "writes out of the cache, and to swap")),
	PROBE("pgpgin", "... by how many pages", BIO(READ CACHED, pages, "reads into the cache, and from swap")),
	PROBE("pgpgout", "... by how many pages", BIO(WRITE CACHED, pages, "writes out of the cache, and to swap")),
	PROBE("pgrrun", "the page daemon wakes up",
		{ TP("mm_vmscan_kswapd_wake", 3, "dw_kswapd"),
		  .values = one, .sees = "kswapd" }),
	PROBE("pgswapin", "pages come in from swap", BIO(READ SWAP, pages, "reads from swap")),
	PROBE("pgswapout", "pages go out to swap", BIO(WRITE SWAP, pages, "writes to swap")),
	PROBE("prot_fault", "a fault on a page that may not be used so, but for writes",
		FAULTS(PRESENT "== DW_X86_PF_PROT")),
	PROBE("scan", "pages are looked at, to free some",
		SCANNED("P->scanned != 0", scanned, "a pass over memory")),
	PROBE("zfod", "pages filled with zeroes are made for a program",
		{ TP("mm_page_alloc", 4, "dw_pagealloc"),
		  .when = "P->zeroed != 0", .values = order, .irqs_off = true,
		  .sees = "zeroed pages of the kind that programs get" }),
};
/* clang-format on */

static const struct refusal refused[] = {
	{ "exec*",
		"Linux does not keep pages of programs apart from those of other files: see fspgin, fspgout, fsfree" },
	{ "pgrec", "Linux does not count pages that are used again before they are freed" },
	{ "pgfrec", "Linux does not count pages that are used again after they were freed" },
	{ "rev", "Linux has no clock hand that goes round its pages: see scan" },
	{ "hat_fault", "Linux has no layer below its page tables that could fault: see as_fault, prot_fault" },
	{ "softlock", "Linux does not lock pages by faults" },
	{ "swap*", "Linux never swaps whole processes: see anonpgin, anonpgout" },
};

static const char *refuses(const char *name)
{
	return refusal_of(refused, sizeof(refused) / sizeof(refused[0]), name);
}

const struct provider vminfo_provider = { PROVIDER("vminfo", "dw_vm", probes), .refuses = refuses };
