/* SPDX-License-Identifier: GPL-2.0-or-later */
/* symtext: addresses become names, as dtrace writes them: "vmlinux`tcp_sendmsg+0x4b", "libc.so.6`write+0x14". What has
 * no name is written as a number. */
#ifndef DWIRE_PRINT_SYMTEXT_H
#define DWIRE_PRINT_SYMTEXT_H
#include <stdio.h>
#include <sys/types.h>

#include "image/image.h"
#include "print/print.h"

struct features;
struct symtext;

struct symtext_opts {
	bool noresolve;     /* numbers only */
	bool folded;        /* stacks in one line, outermost frame first */
	bool nodemangle;    /* names as the linker knows them */
	bool inlines;       /* frames for inlined functions too */
	int indent;         /* columns before a frame of a stack */
	pid_t outer, inner; /* as of usyms_alias(); 0: none */
	FILE *err;          /* borrowed: where it is said that the kernel hides its addresses */
};

/* NULL: no memory. */
struct symtext *symtext_new(const struct symtext_opts *opts);
void symtext_free(struct symtext *s); /* NULL is fine */
/* Processes will be wanted: what they map is watched from now on, as far as the kernel lets us. */
void symtext_watch(struct symtext *s, struct features *f);
/* Some time has passed: call it before records are printed. No text that was given before is kept by anybody. */
void symtext_refresh(struct symtext *s);
/* Remembers what is mapped where in the process, for when it has ended. */
void symtext_note(struct symtext *s, uint64_t pid);
/* A kernel address: FIELD_SYM, FIELD_MOD, or FIELD_INT: with its distance from the symbol. A user's: FIELD_USYM,
 * FIELD_UMOD, FIELD_UADDR. Owned by s, until the next refresh; never NULL. */
const char *symtext_name(struct symtext *s, enum field_kind how, uint64_t pid, uint64_t addr);
/* A stack: a newline, then a line a frame. data is what a FIELD_STACK or FIELD_USTACK holds; user: it begins with the
 * number of the process. indent: columns before a frame; -1: those of the options. */
bool symtext_folded(const struct symtext *s);
void symtext_stack(struct symtext *s, struct out *o, enum field_kind kind, const char *data, size_t len, int indent);
/* Columns before the frames of stacks that are printed from here on. */
void symtext_indent(struct symtext *s, uint32_t columns);
#endif
