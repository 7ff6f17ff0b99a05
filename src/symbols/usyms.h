/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usyms: names of addresses in processes: /proc/PID/maps tells the file, its ELF symbol tables the function. What was
 * seen of a process is kept, so that its addresses have names after it has ended. */
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
	bool jit;         /* code that the process has made, and named in /tmp/perf-PID.map: name is all there is */
};

/* to: borrowed; gets warnings of what is not read; NULL: nobody does. NULL: no memory. */
struct usyms *usyms_new(const struct reporter *to);
void usyms_free(struct usyms *u); /* NULL is fine */
/* From now on processes are known from the moment that they begin; refreshing reads what has happened. 0; -errno: the
 * kernel does not let us, and only what is noted is known. */
int usyms_watch(struct usyms *u, struct features *f) __attribute__((warn_unused_result));
/* Time has passed: processes may have mapped other files since. */
void usyms_refresh(struct usyms *u);
/* In a pid namespace: the process that programs see as outer is our inner. */
void usyms_alias(struct usyms *u, pid_t outer, pid_t inner);
/* Reads the process's maps, unless that was done since the last refresh. What is known stays when it has ended. */
void usyms_note(struct usyms *u, pid_t pid);
/* Functions that the compiler has put into the one at addr, the innermost first: how many. Valid until the next
 * call. */
size_t usyms_inlines(struct usyms *u, pid_t pid, uint64_t addr, const char **names, size_t max);
/* The stack of a thread, from its registers (as struct pt_regs has them) and len bytes of its stack from
 * where its stack pointer is on. How many addresses; at most max. */
size_t usyms_unwind(
	struct usyms *u, pid_t pid, const uint64_t *regs, const void *stack, size_t len, uint64_t *pcs, size_t max);
/* The name as its source has it, written into buf; or name itself. See demangle(). */
const char *usyms_demangle(struct usyms *u, pid_t pid, const char *name, char *buf, size_t size);
/* False: no file is known to be mapped there. */
bool usyms_find(struct usyms *u, pid_t pid, uint64_t addr, struct usym *out);
#endif
