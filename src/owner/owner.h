/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner: which process owns a socket. A service of programs in the kernel (src/owner/bpf/owner.bpf.c) that notes the
 * process when a socket is created, accepted or used, so that a packet which is handled in an interrupt can still be
 * tied to its process. */
#ifndef DWIRE_OWNER_OWNER_H
#define DWIRE_OWNER_OWNER_H
#include <stdbool.h>
#include <stdint.h>

struct features;
struct owner;
struct reporter;

/* All borrowed, for the call. */
struct owner_opts {
	struct features *features; /* required */
	int cgroup_fd;             /* the root of cgroup2; -1: none is mounted */
	bool whole;                /* it is the machine's root, not that of a container's cgroup namespace */
	bool functions;            /* the script sees packets at functions of the kernel */
};

/* Loads and attaches the service and fills in the sockets that exist. Call it before the programs of a script are
 * attached: of two programs at one place the first attached runs first, so that a packet's owner is right from the
 * first packet that a process sends. Returns 0 or -errno, which is reported. Nothing stays behind when the process
 * dies, however it dies.
 *
 * What is missing on some machines:
 * - whole is false: of sockets created outside of the cgroup namespace the end is seen for TCP only; other sockets are
 *   known only if they are created inside.
 * - cgroup_fd is -1: a process is known only when it connects, listens, accepts (see owner_poll) or receives (Linux 6.3
 *   and later), of TCP only.
 * - before Linux 6.3, where fentry does not work: a process that only receives on a UDP socket it inherited is not
 *   noticed.
 * - before Linux 5.17: there is no service; owner_start() fails. */
int owner_start(struct owner **out, const struct owner_opts *opts, const struct reporter *to)
	__attribute__((warn_unused_result));

/* Call it some ten times a second; mostly it costs a few loads. The hooks that cost time at every system call or every
 * receive are needed only while processes share a socket. They are attached when that is found: at the start among the
 * sockets that exist, and here when a use by another process makes it suspect. Until then a connection that another
 * process than its listener's owner took with accept(fd, NULL, NULL) counts as that owner's, and a connection that was
 * handed on, or a datagram socket, as its creator's, up to the first packet that the other process sends. (What it
 * writes is not sent by itself when it must wait: for an acknowledgement, Nagle, or room.) Returns 0 or -errno. */
int owner_poll(struct owner *o) __attribute__((warn_unused_result));

/* How a program finds the owner of a socket: its address is the key of the hash `owners`, the value a struct
 * dw_owner. No entry: no process (pid -1), as for the kernel's own sockets and TIME_WAIT. DW_OWNER_SHARED: several
 * processes use this socket, which is not TCP's: where the program sees a packet leave, the record of the current
 * thread in the per-CPU array `senders` (index: its tid modulo DW_SENDERS) counts if its sk and tid are right, and
 * the value itself if the current process is its pid; else the hash `last_users` (same key and value). Members: pid
 * and tid of the claiming thread, its real user, the name of the process (not of the thread), all as of the claim. */
int owner_map_fd(const struct owner *o);
int owner_last_users_fd(const struct owner *o);
int owner_senders_fd(const struct owner *o);

/* Call it when the programs of the script are attached: what removes the owner of a socket that ends goes behind them,
 * so that they still see it. Returns 0 or -errno. */
int owner_last(struct owner *o) __attribute__((warn_unused_result));

/* Owners that could not be stored since the start. */
uint64_t owner_drops(const struct owner *o);

/* Detaches everything. o may be NULL. */
void owner_stop(struct owner *o);
#endif
