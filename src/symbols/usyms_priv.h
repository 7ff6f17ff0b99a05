/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usyms_priv: what usyms.c and usyms_dwarf.c share. */
#ifndef DWIRE_SYMBOLS_USYMS_PRIV_H
#define DWIRE_SYMBOLS_USYMS_PRIV_H
#include <stddef.h>

#include "symbols/usyms.h"

#define USYMS_PATH 4160
#define USYMS_BUCKETS 1024

struct object {
	struct object *next;
	char *path;
	const char *base; /* of path, without folders */
	uint64_t dev, inode;
	int fd; /* open, or -1 */
	struct elfsyms *syms;
	struct cfi *cfi;
	struct inlines *inlines;
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
	bool wanted; /* somebody has asked for it */
	struct mapping *v;
	size_t n, cap;
	struct perfmap *jit; /* what it has compiled itself; NULL: nothing is known */
	unsigned jit_seen;
	pid_t nspid; /* its number as it knows it; 0: not known */
	uid_t uid;   /* its user when that was asked */
};

struct usyms {
	struct process *processes[USYMS_BUCKETS];
	size_t nprocesses;
	struct object *objects;
	unsigned kept;
	unsigned now;
	pid_t outer, inner;     /* usyms_alias(); 0: none */
	struct mapwatch *watch; /* or NULL */
};

/* What is mapped at the address; NULL: no file. Its process is noted. */
const struct mapping *usyms_mapping(struct usyms *u, pid_t pid, uint64_t addr);
/* Where the mapping's file can be read, if it still can: path of at least USYMS_PATH bytes, root of 64: for
 * elfsyms_open(). */
bool usyms_path(const struct object *o, pid_t pid, const struct mapping *m, char *path, char *root);
/* The symbols of a mapping, read when first asked for; NULL: there are none. */
const struct elfsyms *usyms_symbols(pid_t pid, const struct mapping *m);
/* The kernel's own library in each process, and its size. */
void *usyms_vdso(size_t *len);
#endif
