/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwire: the library behind the command, as libdtrace is behind dtrace(1).
 *
 *	dwire_new -> dwire_set, dwire_macro... -> dwire_add (one a -n, -s, ...) -> dwire_compile
 *	          -> dwire_list, or dwire_run -> dwire_free
 *
 * Nothing of it exits, or prints but to the streams it is given. */
#ifndef DWIRE_H
#define DWIRE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct dwire;

/* What a text is: a whole program (-s, and tools), or one clause by its probe: -P, -m, -f, -n, -i. */
enum dwire_kind { DWIRE_SCRIPT, DWIRE_PROVIDER, DWIRE_MODULE, DWIRE_FUNCTION, DWIRE_NAME, DWIRE_ID };

/* --dump: what is printed of the compilation, instead of running it. */
enum dwire_dump { DWIRE_DUMP_NONE, DWIRE_DUMP_TOKENS, DWIRE_DUMP_AST, DWIRE_DUMP_TYPES, DWIRE_DUMP_IR, DWIRE_DUMP_BPF };

/* 0 or -errno. */
int dwire_new(struct dwire **out) __attribute__((warn_unused_result));
void dwire_free(struct dwire *d);
/* Sets an option, "quiet" or "bufsize=8m". letter: of the command's own option that is short for it, 'x' for none.
 * 0, or -errno with a message on err. */
int dwire_set(struct dwire *d, int letter, const char *option, FILE *err) __attribute__((warn_unused_result));
/* dwire_compile() shows the instructions on the stream, too. */
void dwire_disassemble(struct dwire *d, FILE *out);
bool dwire_quiet(const struct dwire *d);
bool dwire_destructive(const struct dwire *d);
/* $0, $1, ...: borrowed until dwire_free(). */
void dwire_args(struct dwire *d, int argc, const char *const *argv);
/* Adds a text, under the name that messages show. Both are copied. */
void dwire_add(struct dwire *d, enum dwire_kind kind, const char *name, const char *text, size_t len);
/* Whether this process may trace on this kernel at all. 0, or -errno with what is missing on err. */
int dwire_require(struct dwire *d, FILE *err) __attribute__((warn_unused_result));
/* Compiles all that was added. 0; -EINVAL with diagnostics on err; -errno with a message on err. */
int dwire_compile(struct dwire *d, enum dwire_dump dump, FILE *out, FILE *err) __attribute__((warn_unused_result));
/* Number of probes that the i-th text enabled (text: its description as written, or its file), for "matched N probes".
 * false past the last. */
bool dwire_matched(const struct dwire *d, size_t i, enum dwire_kind *kind, const char **text, size_t *probes);
/* Lists the probes that the added texts describe, all when there are none. verbose: with stability, arguments,
 * meaning and sites. 0; -ENOENT when a description matches none; -errno with a message on err. */
int dwire_list(struct dwire *d, unsigned level, FILE *out, FILE *err) __attribute__((warn_unused_result));
/* After dwire_compile(): the stability of each text (-v); verbose 2: what each enabled probe means and where it is seen
 * on this kernel. */
void dwire_describe(struct dwire *d, unsigned verbose, FILE *out);

/* Adds a process that the session is about: started by it (-c), or running already (-p). Before dwire_compile(), so
 * that $target is known. 0, or -errno with a message on err. */
int dwire_command(struct dwire *d, const char *command, FILE *err) __attribute__((warn_unused_result));
int dwire_grab(struct dwire *d, pid_t pid, FILE *err) __attribute__((warn_unused_result));
/* Traces until exit(), a signal or the end of the processes. 0 with *status the exit status, or -errno with a message
 * on err. */
int dwire_run(struct dwire *d, FILE *out, FILE *err, int *status) __attribute__((warn_unused_result));
#endif
