/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sandbox: parses untrusted files in a child process without privileges.
 *
 * The user of a process chooses its files and the names in them, and dwire reads both as root. A file can make a parser
 * use up all memory, run for hours or crash. So files are parsed in a child that can only compute: it has no
 * capabilities, no user and no open(); its memory and the time of each job are limited. A child is killed when a job
 * takes too long; the next file gets a new one.
 *
 * The child is a fork, made for the first job, so that a job is a function of this program. It inherits a copy of our
 * memory, but no descriptors, signal handlers or signal mask. */
#ifndef DWIRE_SYMBOLS_SANDBOX_SANDBOX_H
#define DWIRE_SYMBOLS_SANDBOX_SANDBOX_H
#include <stddef.h>
#include <stdint.h>

#include "symbols/sandbox/blob.h"

struct sandbox;

#define SANDBOX_IN_MOST 65536u             /* bytes of a job's input */
#define SANDBOX_CPU_MS 1000                /* CPU time of one job */
#define SANDBOX_WALL_MS 5000               /* elapsed time of one job: a file system may answer late or never */
#define SANDBOX_LAST_MS 200                /* elapsed time of all jobs after a stop that interrupted one */
#define SANDBOX_MEMORY ((size_t)512 << 20) /* what jobs may allocate */

/* A job. fd: the file, -1: none; it is closed afterwards. in: len bytes. The job writes its answer to out. kept: a
 * pointer that jobs in the same child share, NULL at the first. 0 or -errno. */
typedef int sandbox_job(int fd, const void *in, size_t len, struct blob *out, void **kept);

/* stop: borrowed; a descriptor that becomes and stays readable when the trace is to stop; NULL: none. A stop in the
 * middle of a job leaves SANDBOX_LAST_MS to this job and all later ones. A stop between jobs sets no limit, so that the
 * output of END has names. Returns NULL if there is no memory. */
struct sandbox *sandbox_new(const int *stop);
void sandbox_free(struct sandbox *s); /* NULL is fine */
/* Runs the job; fd stays the caller's. out: with its limit set. s NULL: runs it in this process without limits, for
 * trusted files and tests. 0; -errno of the job; -ETIME: too much time; -E2BIG: the answer exceeds out's limit;
 * -ENOMEM: too much memory; -EIO: the job crashed; -ECANCELED: the trace is to stop; -EAGAIN, ...: no child could be
 * made. */
int sandbox_run(struct sandbox *s, sandbox_job *job, int fd, const void *in, size_t len, struct blob *out)
	__attribute__((warn_unused_result));
/* The limit that the job exceeded, as the end of a sentence: "... : reading it takes too long". NULL: none. */
const char *sandbox_why(int err);
/* For a job that cannot return: ends the job and the child. sandbox_run() returns -E2BIG. */
void sandbox_give_up(void) __attribute__((noreturn));
/* CPU time of all jobs so far, in nanoseconds. */
uint64_t sandbox_spent(const struct sandbox *s);
#endif
