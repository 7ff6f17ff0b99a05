/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usyms_priv: what usyms.c (processes), usyms_files.c (their files) and usyms_dwarf.c (frames) share. */
#ifndef DWIRE_SYMBOLS_USYMS_PRIV_H
#define DWIRE_SYMBOLS_USYMS_PRIV_H
#include <stddef.h>
#include <sys/stat.h>

#include "base/diag/report.h"
#include "symbols/elf/inlines.h"
#include "symbols/sandbox/budget.h"
#include "symbols/usyms.h"

#define USYMS_BUCKETS 1024
#define USYMS_KEPT_MAX 256 /* files kept open, for their processes end and we have no path to them */

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
	bool used; /* some process maps it: as of the last time that this was asked */
};

struct mapping {
	uint64_t start, end, off;
	struct object *obj;
};

struct process {
	struct process *next; /* in its bucket */
	pid_t pid;
	pid_t maker;   /* the process that made it, whose maps it began with; 0: not known */
	unsigned seen; /* the refresh that its maps were read after */
	unsigned ended;
	bool wanted;       /* somebody has asked for it */
	struct mapping *v; /* by address */
	size_t n, cap;
	struct perfmap *jit; /* what it has compiled itself; NULL: nothing is known */
	struct budget *jit_payer;
	unsigned jit_seen;
	off_t jit_size; /* of the file, when it was read */
	struct timespec jit_time;
	pid_t nspid; /* its number as it knows it; 0: not known */
	uid_t uid;   /* its user when that was asked */
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
/* What is mapped at the address, and the process that maps it: pid's own entry, or its maker's. NULL: no file. The
 * process is noted. */
const struct mapping *usyms_mapping(struct usyms *u, pid_t pid, uint64_t addr, struct process **p);

/* ---- usyms_files.c ----------------------------------------------------------------------------------------------- */
/* Work for a process's files. begin: 0, or -EDQUOT: its user's budget is used up, which is reported once. end: charges
 * the sandbox's time since, and err, if it means that a limit was passed, is reported: WHAT of the file, such as "the
 * functions". Returns err. */
struct usyms_work {
	struct budget *budget;
	uint64_t spent;
};
int usyms_begin(struct usyms *u, const struct process *p, struct usyms_work *w) __attribute__((warn_unused_result));
int usyms_end(struct usyms *u, const struct usyms_work *w, const char *what, const char *path, int err);
/* The mapping's file, if it still can be read: a descriptor to close. -errno. *root: the process's root, to close; -1:
 * ours. */
int usyms_file(const struct object *o, const struct process *p, const struct mapping *m, int *root);
/* The symbols of a mapping, read when first asked for; NULL: there are none. */
const struct elfsyms *usyms_symbols(struct usyms *u, const struct process *p, const struct mapping *m);
/* Its table of frames, likewise. */
const struct cfi *usyms_cfi(struct usyms *u, const struct process *p, const struct mapping *m);
/* What the process has compiled, read again if it has changed. */
void usyms_read_jit(struct usyms *u, struct process *p);
void usyms_jit_free(struct process *p);
void usyms_object_free(struct usyms *u, struct object *o);
#endif
