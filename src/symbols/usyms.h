/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usyms: names of addresses in processes. /proc/PID/maps gives the file, its symbol tables give the function. Mappings
 * are kept, so that addresses have names after the process has exited. Files are read in a sandbox, with limits for
 * each file and for all files of a user (sandbox/sandbox.h, sandbox/budget.h). */
#ifndef DWIRE_SYMBOLS_USYMS_H
#define DWIRE_SYMBOLS_USYMS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct features;
struct reporter;
struct usyms;

struct usym {
	const char *obj;  /* file name without folders, "[vdso]", ...; owned by the table */
	const char *name; /* NULL: the file has no symbol there */
	uint64_t off;     /* offset from the symbol's start; without a symbol: addr itself */
	bool jit;         /* compiled at run time, named in /tmp/perf-PID.map: only name and off count */
};

/* Both are borrowed. to: gets warnings about files that are not read; may be NULL. stop: see sandbox_new(). Returns
 * NULL if there is no memory. */
struct usyms *usyms_new(const struct reporter *to, const int *stop);
void usyms_free(struct usyms *u); /* NULL is fine */
/* From now on usyms_refresh() sees every new process and its mappings. 0; -errno: not permitted; then only processes
 * passed to usyms_note() are known. */
int usyms_watch(struct usyms *u, struct features *f) __attribute__((warn_unused_result));
/* Call it before looking up addresses of new events: processes may have mapped other files. */
void usyms_refresh(struct usyms *u);
/* In a pid namespace: BPF programs see the pid `outer` for the process that we see as `inner`. */
void usyms_alias(struct usyms *u, pid_t outer, pid_t inner);
/* Reads the process's maps, unless that was done since the last refresh. They are kept after it has exited. */
void usyms_note(struct usyms *u, pid_t pid);
/* The functions inlined at addr, the innermost first. Returns their number, at most max. The names are valid
 * until the next call. */
size_t usyms_inlines(struct usyms *u, pid_t pid, uint64_t addr, const char **names, size_t max);
/* Walks the stack of a thread. regs: its registers, as in struct pt_regs; stack: len bytes, from its stack pointer on.
 * Returns the number of addresses, at most max. */
size_t usyms_unwind(
	struct usyms *u, pid_t pid, const uint64_t *regs, const void *stack, size_t len, uint64_t *pcs, size_t max);
/* The source name, written to buf; or name itself. See demangle(). */
const char *usyms_demangle(struct usyms *u, pid_t pid, const char *name, char *buf, size_t size);
/* The file and the function at addr. False: no known mapping is there. */
bool usyms_find(struct usyms *u, pid_t pid, uint64_t addr, struct usym *out);
#endif
