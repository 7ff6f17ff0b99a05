/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner: which process owns a socket.
 *
 * The problem. Most packets are handled in an interrupt, where the current process is a stranger. The kernel does not
 * store with a socket which process uses it, and that changes: a server forks, a worker accepts, a descriptor is passed
 * on.
 *
 * The service. Small programs in the kernel (owner/bpf/owner.bpf.c) keep a hash `owners`: address of a socket ->
 * process (struct dw_owner: pid, thread, user, name). A program of a script that sees a packet looks up the packet's
 * socket there. The service runs only if the script reads something that needs it.
 *
 *	a socket is ...        its owner is ...                                    noticed by
 *	older than the trace   the process that holds it, the lowest pid of        a scan of all open files
 *	                       several
 * created, connected     the process that calls                              cgroup/sock_create, inet_sock_set_state
 * accepted               the process that accepts; until somebody has, the   inet_sock_set_state, getpeername hook,
 *	                       listener's                                          end of accept(2)
 * used                   the process that sends or receives on it            cgroup egress, ends of send and receive
 *	left by its owner      the child that has it at the same descriptor; else  sched_process_exit, then a scan
 *	                       whoever uses it or is found to hold it
 *	closed                 nobody: the entry is removed                        cgroup/sock_release, tcp_destroy_sock
 *
 * The cost. Most sockets have one user. The hooks at every accept, send and receive are therefore attached only when a
 * socket is found to be shared: a use by another process makes it suspect, and a scan then finds out (owner_poll()).
 *
 * What is missing: a socket without a process has no entry (pid -1). Entries that did not fit are counted
 * (owner_drops()). */
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

/* Call it some ten times a second; mostly it costs a few loads. If a use by another process has made a socket suspect,
 * it scans the open files and attaches the costly hooks if processes share a socket. Scans take at most a hundredth of
 * the time. Until the hooks are attached,
 * - a connection counts as the listener's owner's if another process took it with accept(fd, NULL, NULL);
 * - a connection that was passed on, and a datagram socket, count as their creator's,
 * up to the first packet that the other process itself sends. (Data that must wait, for an acknowledgement, Nagle or
 * room, are sent later by an interrupt.) Returns 0 or -errno. */
int owner_poll(struct owner *o) __attribute__((warn_unused_result));

/* How a program finds the owner of a socket. It looks up the socket's address in `owners`. No entry: no process (pid
 * -1), as for the kernel's own sockets and TIME_WAIT. If how is DW_OWNER_SHARED, several processes use the socket,
 * which is not TCP's. Then, in this order: 1. where a packet leaves, the record of the current thread in the per-CPU
 * array `senders` (index: tid modulo
 *    DW_SENDERS), if its sk and tid match;
 * 2. the entry itself, if the current process is its pid;
 * 3. the entry in the hash `last_users` (same key and value).
 * pid and tid are those of the thread that claimed the socket; uid and the name are the process's, as of the claim.
 * While the process lives, its struct pid (member process) leads to those of the moment: dw_leader in dlib/net.d. */
int owner_map_fd(const struct owner *o);
int owner_last_users_fd(const struct owner *o);
int owner_senders_fd(const struct owner *o);

/* Call it when the programs of the script are attached. It moves the programs that remove an owner behind them, so that
 * they still see the owner of a socket that ends. Returns 0 or -errno. */
int owner_last(struct owner *o) __attribute__((warn_unused_result));

/* Owners that could not be stored since the start. */
uint64_t owner_drops(const struct owner *o);

/* Detaches everything. o may be NULL. */
void owner_stop(struct owner *o);
#endif
