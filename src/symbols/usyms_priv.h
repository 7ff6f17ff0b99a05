/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usyms_priv: shared by usyms.c (processes), usyms_files.c (their files) and usyms_dwarf.c (frames). */
#ifndef DWIRE_SYMBOLS_USYMS_PRIV_H
#define DWIRE_SYMBOLS_USYMS_PRIV_H
#include <stddef.h>
#include <sys/stat.h>

#include "base/diag/report.h"
#include "symbols/elf/inlines.h"
#include "symbols/sandbox/budget.h"
#include "symbols/usyms.h"

#define USYMS_BUCKETS 1024
#define USYMS_KEPT_MAX 256 /* files kept open, since they may have no path after their processes exit */

/* A file that processes map. */
struct object {
	struct object *next;
	char *path;
	const char *base; /* of path, without folders */
	uint64_t dev, inode;
	uint64_t id;
	int fd;       /* open, or -1 */
	int dwarf_fd; /* the file with its DWARF: open, or -1 */
	struct elfsyms *syms;
	struct cfi *cfi;
	struct budget *payer; /* whose budget holds the bytes of syms and cfi */
	bool tried, cfi_tried, inlines_tried;
	bool used; /* some process mapped it when this was last checked */
};

struct mapping {
	uint64_t start, end, off;
	struct object *obj;
};

struct process {
	struct process *next; /* in its bucket */
	pid_t pid;
	pid_t maker;       /* the process that forked it, whose maps it inherited; 0: not known */
	unsigned seen;     /* the number of the refresh after which its maps were read */
	unsigned ended;    /* the number of the refresh that found that it has exited; 0: it runs */
	bool wanted;       /* usyms_note() was called for it */
	struct mapping *v; /* by address */
	size_t n, cap;
	struct perfmap *jit; /* functions that it compiled at run time; NULL: none known */
	struct budget *jit_payer;
	unsigned jit_seen;
	off_t jit_size; /* of the file, when it was read */
	struct timespec jit_time;
	pid_t nspid; /* its pid in its own pid namespace; 0: not known */
	uid_t uid;   /* its user when that was last read */
};

struct usyms {
	struct process *processes[USYMS_BUCKETS];
	size_t nprocesses, nmappings;
	struct object *objects[USYMS_BUCKETS];
	size_t nobjects;
	uint64_t next_id;
	unsigned kept; /* descriptors of objects */
	unsigned now;
	pid_t outer, inner;     /* usyms_alias(); 0: none */
	struct mapwatch *watch; /* or NULL */
	struct sandbox *sandbox;
	struct budget *budgets;
	const struct reporter *to; /* or NULL */
	unsigned reported;         /* files */
	struct inlines inlines;
};

/* ---- usyms.c ----------------------------------------------------------------------------------------------------- */
/* The mapping at the address, and the process that it was found in: pid itself or its maker. NULL: no file. Calls
 * usyms_note(). */
const struct mapping *usyms_mapping(struct usyms *u, pid_t pid, uint64_t addr, struct process **p);

/* ---- usyms_files.c ----------------------------------------------------------------------------------------------- */
/* Brackets work on a process's files. usyms_begin(): 0, or -EDQUOT: its user's budget is used up, which is reported
 * once. usyms_end(): charges the sandbox's time since then; if err is an exceeded limit, reports that WHAT of the file,
 * such as "the functions", are shown as addresses. Returns err. */
struct usyms_work {
	struct budget *budget;
	uint64_t spent;
};
int usyms_begin(struct usyms *u, const struct process *p, struct usyms_work *w) __attribute__((warn_unused_result));
int usyms_end(struct usyms *u, const struct usyms_work *w, const char *what, const char *path, int err);
/* Opens the mapping's file. Returns a descriptor, or -errno; *root is a descriptor of the process's root, or -1 for
 * ours. The caller closes both. */
int usyms_file(const struct object *o, const struct process *p, const struct mapping *m, int *root);
/* The symbols of a mapping, read on first use; NULL: there are none. */
const struct elfsyms *usyms_symbols(struct usyms *u, const struct process *p, const struct mapping *m);
/* Its unwind table, likewise. */
const struct cfi *usyms_cfi(struct usyms *u, const struct process *p, const struct mapping *m);
/* Reads the functions that the process compiled at run time, again if its file has changed. */
void usyms_read_jit(struct usyms *u, struct process *p);
void usyms_jit_free(struct process *p);
void usyms_object_free(struct usyms *u, struct object *o);
#endif
