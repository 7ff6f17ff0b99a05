/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usyms: names of addresses in processes. /proc/PID/maps gives the file, its symbol tables give the function. What a
 * process has mapped is kept, so that its addresses have names after it has ended. Its files are read in a sandbox;
 * what a file or a user's files may cost is limited (sandbox/sandbox.h, sandbox/budget.h). */
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
	uint64_t off;     /* from the symbol's start; without one: addr itself */
	bool jit;         /* compiled by the process itself, named in /tmp/perf-PID.map: only name and off count */
};

/* Both borrowed. to: gets warnings of what is not read; or NULL. stop: as of sandbox_new(). NULL: no memory. */
struct usyms *usyms_new(const struct reporter *to, const int *stop);
void usyms_free(struct usyms *u); /* NULL is fine */
/* From now on usyms_refresh() learns of every process that starts, and of what it maps. 0; -errno: the kernel does not
 * permit it; then only processes that are noted are known. */
int usyms_watch(struct usyms *u, struct features *f) __attribute__((warn_unused_result));
/* Processes may have mapped other files: call it before addresses of new events are looked up. */
void usyms_refresh(struct usyms *u);
/* In a pid namespace: BPF programs know as outer the process that is inner to us. */
void usyms_alias(struct usyms *u, pid_t outer, pid_t inner);
/* Reads the process's maps, unless that was done since the last refresh. What is known stays when it has ended. */
void usyms_note(struct usyms *u, pid_t pid);
/* The functions that are inlined at addr, the innermost first. Returns their number, at most max. The names are valid
 * until the next call. */
size_t usyms_inlines(struct usyms *u, pid_t pid, uint64_t addr, const char **names, size_t max);
/* Walks the stack of a thread. regs: its registers, as in struct pt_regs; stack: len bytes, from its stack pointer on.
 * Returns the number of addresses, at most max. */
size_t usyms_unwind(
	struct usyms *u, pid_t pid, const uint64_t *regs, const void *stack, size_t len, uint64_t *pcs, size_t max);
/* The name as its source has it, written into buf; or name itself. See demangle(). */
const char *usyms_demangle(struct usyms *u, pid_t pid, const char *name, char *buf, size_t size);
/* The file and the function at addr. False: no file is known to be mapped there. */
bool usyms_find(struct usyms *u, pid_t pid, uint64_t addr, struct usym *out);
#endif
