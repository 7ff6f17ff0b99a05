/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sandbox: runs the readers of strangers' files in a child process that has no privileges.
 *
 * Whoever runs a process chooses its files and the names in them, and root reads both. A file can make a parser take
 * all memory, run for hours or crash. So files are parsed in a child that can only compute: no capability, no user, no
 * open(), a limit on its memory and on the time of each job. It is killed when a job takes too long. The tracer goes
 * on, and starts another child for the next file.
 *
 * The child is a fork, made when the first job is given, so that a job is a function of this program. It inherits a
 * copy of our memory. Descriptors are closed; handlers and the mask of signals are not inherited. */
#ifndef DWIRE_SYMBOLS_SANDBOX_SANDBOX_H
#define DWIRE_SYMBOLS_SANDBOX_SANDBOX_H
#include <stddef.h>
#include <stdint.h>

#include "symbols/sandbox/blob.h"

struct sandbox;

#define SANDBOX_IN_MOST 65536u             /* bytes of a job's input */
#define SANDBOX_CPU_MS 1000                /* CPU time of one job */
#define SANDBOX_WALL_MS 5000               /* elapsed time of one job: a file system may answer late or never */
#define SANDBOX_LAST_MS 200                /* elapsed time of all jobs since a stop came in the middle of one */
#define SANDBOX_MEMORY ((size_t)512 << 20) /* what jobs may allocate */

/* A job. fd: the file, -1: none; it is closed afterwards. in: len bytes. It writes its answer into out. kept: NULL at
 * the first job in a child; what a job leaves there, later ones find. 0 or -errno. */
typedef int sandbox_job(int fd, const void *in, size_t len, struct blob *out, void **kept);

/* stop: borrowed; a descriptor that becomes readable when the trace is to stop, and stays so; NULL: there is none. A
 * stop in the middle of a job leaves SANDBOX_LAST_MS to this job and all later ones. A stop between jobs changes
 * nothing: what END prints has its names. NULL: no memory. */
struct sandbox *sandbox_new(const int *stop);
void sandbox_free(struct sandbox *s); /* NULL is fine */
/* Runs the job; fd stays the caller's. out has its limit set. s NULL: in this process, without limits, for files that
 * are trusted and for tests. 0; -errno of the job; -ETIME: too much time; -E2BIG: the answer is larger than out's
 * limit; -ENOMEM: too much memory; -EIO: the job crashed; -ECANCELED: the trace is to stop; -EAGAIN, ...: there is no
 * child. */
int sandbox_run(struct sandbox *s, sandbox_job *job, int fd, const void *in, size_t len, struct blob *out)
	__attribute__((warn_unused_result));
/* Which limit the job has passed, as the end of a sentence: "... : reading it takes too long". NULL: none. */
const char *sandbox_why(int err);
/* From within a job that cannot return: ends it, and the child. sandbox_run() returns -E2BIG. */
void sandbox_give_up(void) __attribute__((noreturn));
/* CPU time of all jobs so far, in nanoseconds. */
uint64_t sandbox_spent(const struct sandbox *s);
#endif
