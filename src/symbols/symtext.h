/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symtext: names of addresses as dtrace(1) writes them: "vmlinux`tcp_sendmsg+0x4b", "libc.so.6`write+0x14". An address
 * without a name stays a number. */
#ifndef DWIRE_SYMBOLS_SYMTEXT_H
#define DWIRE_SYMBOLS_SYMTEXT_H
#include <sys/types.h>

#include "base/diag/report.h"
#include "image/image.h"

struct features;
struct symtext;

struct symtext_opts {
	bool noresolve;     /* numbers only */
	bool folded;        /* stacks begin with the outermost frame; no offsets */
	bool nodemangle;    /* linkage names */
	bool inlines;       /* frames for inlined functions too */
	pid_t target;       /* the first child's pid, in this pid namespace; 0: none */
	pid_t outer, inner; /* see usyms_alias(); 0: none */
	const int *stop;    /* ends the reading of files: see sandbox_new() */
	/* Gets a warning if the kernel hides its addresses or if files of processes are not read; may be NULL. */
	const struct reporter *to;
};

/* NULL: no memory. */
struct symtext *symtext_new(const struct symtext_opts *opts);
void symtext_free(struct symtext *s); /* NULL is fine */
/* Starts to follow the mappings of all processes, as far as the kernel permits. */
void symtext_watch(struct symtext *s, struct features *f);
/* Call it from time to time before printing: names may have changed. Invalidates all texts returned before. */
void symtext_refresh(struct symtext *s);
/* Reads the mappings of the process, so that they are known after it has exited. */
void symtext_note(struct symtext *s, uint64_t pid);
/* The name of an address. how: FIELD_SYM, FIELD_MOD or FIELD_INT (with the offset from the symbol) for a kernel
 * address; FIELD_USYM, FIELD_UMOD or FIELD_UADDR for one of a process. Owned by s, valid until the next refresh; never
 * NULL. */
const char *symtext_name(struct symtext *s, enum field_kind how, uint64_t pid, uint64_t addr);
/* The process to which plain numbers belong as addresses; 0: none. */
uint64_t symtext_target(const struct symtext *s);
/* Do stacks begin with the outermost frame? */
bool symtext_folded(const struct symtext *s);
/* Calls fn with the text of each frame, the innermost first unless folded. data: the content of a FIELD_STACK,
 * FIELD_USTACK or FIELD_UCOPY; for FIELD_GIVEN a line for each frame, in the order wanted. */
void symtext_frames(struct symtext *s, enum field_kind kind, const char *data, size_t len,
	void (*fn)(void *ctx, const char *text, size_t len), void *ctx);
#endif
