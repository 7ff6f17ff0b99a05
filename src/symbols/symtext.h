/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symtext: names of addresses, as dtrace writes them: "vmlinux`tcp_sendmsg+0x4b", "libc.so.6`write+0x14". An address
 * without a name is a number. */
#ifndef DWIRE_SYMBOLS_SYMTEXT_H
#define DWIRE_SYMBOLS_SYMTEXT_H
#include <sys/types.h>

#include "base/diag/report.h"
#include "image/image.h"

struct features;
struct symtext;

struct symtext_opts {
	bool noresolve;     /* numbers only */
	bool folded;        /* stacks from the outermost frame on, without distances */
	bool nodemangle;    /* names as the linker knows them */
	bool inlines;       /* frames for inlined functions too */
	pid_t target;       /* of the first child, in this pid namespace; 0: none */
	pid_t outer, inner; /* as of usyms_alias(); 0: none */
	const int *stop;    /* ends the reading of files: as of sandbox_new() */
	/* Gets a warning if the kernel hides its addresses, or if files of processes are not read; or NULL. */
	const struct reporter *to;
};

/* NULL: no memory. */
struct symtext *symtext_new(const struct symtext_opts *opts);
void symtext_free(struct symtext *s); /* NULL is fine */
/* Watches from now on what processes map, as far as the kernel allows. */
void symtext_watch(struct symtext *s, struct features *f);
/* Call it now and then, before records are printed: names may have changed. Texts given before are no longer valid. */
void symtext_refresh(struct symtext *s);
/* Remembers what the process maps, for when it has ended. */
void symtext_note(struct symtext *s, uint64_t pid);
/* A kernel address: FIELD_SYM, FIELD_MOD, or FIELD_INT: with its distance from the symbol. A user's: FIELD_USYM,
 * FIELD_UMOD, FIELD_UADDR. Owned by s, valid until the next refresh; never NULL. */
const char *symtext_name(struct symtext *s, enum field_kind how, uint64_t pid, uint64_t addr);
/* The process whose addresses plain numbers are; 0: none. */
uint64_t symtext_target(const struct symtext *s);
/* Are stacks given from the outermost frame on? */
bool symtext_folded(const struct symtext *s);
/* Calls fn with the text of each frame, the innermost first unless folded. data is what a FIELD_STACK, FIELD_USTACK or
 * FIELD_UCOPY holds. */
void symtext_frames(struct symtext *s, enum field_kind kind, const char *data, size_t len,
	void (*fn)(void *ctx, const char *text, size_t len), void *ctx);
#endif
