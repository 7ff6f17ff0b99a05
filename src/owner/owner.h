/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner: which process owns a socket.
 *
 * The problem. Most packets are handled in an interrupt, where the current process is unrelated. The kernel does not
 * store in a socket which process uses it. The user of a socket changes: a server forks, a worker accepts, a descriptor
 * is passed on.
 *
 * The service. Small programs in the kernel (owner/bpf/owner.bpf.c) keep a table from the address of a socket to a
 * process (struct dw_owner: pid, thread, user, name). A script's program that sees a packet looks up the packet's
 * socket there. The service runs only if the script reads something that needs it.
 *
 *	a socket is ...        its owner is ...                                noticed by
 *	older than the trace   the process that holds it; of several, the one  a scan of all open files
 *	                       with the lowest pid
 *	created, connected     the calling process                             cgroup/sock_create, inet_sock_set_state
 *	accepted               the accepting process; before accept(2), the    inet_sock_set_state, getpeername hook,
 *	                       listener's owner                                end of accept(2)
 *	used                   the process that sends or receives on it        cgroup egress, ends of send and receive,
 *	                                                                       cgroup/sock_release
 *	left by its owner      the child that has it at the same descriptor,   sched_process_exit, then a scan
 *	                       else the next user, or one that a scan finds
 *	closed                 none: the entry is removed                      cgroup/sock_release, tcp_destroy_sock
 *	in TIME_WAIT           the last owner of the connection                inet_sock_set_state, before it
 *
 * The cost. Most sockets have one user. Hooks at every accept, send and receive are therefore attached only if sockets
 * are shared: use by another process makes a socket suspect, and a scan of the open files decides (owner_poll()). The
 * hook at the end of accept(2) slows every system call, so it is detached if all accepts that it has seen were known
 * without it. A script that sees no packets needs no hook where they leave (owner_opts.steps; Linux 6.3 and later,
 * unless it preempts threads in the kernel): calls that send, and the last close(2), show who uses a connection. Calls
 * that receive are noted once a process has used another's connection, or one that has a connection has forked. A
 * script that sees datagrams only needs no hooks where connections change, and their sockets have no entries.
 *
 * The limits. A socket without a process has no entry (pid -1). owner_drops() counts entries that did not fit. */
#ifndef DWIRE_OWNER_OWNER_H
#define DWIRE_OWNER_OWNER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/load.h"

struct features;
struct kbtf;
struct owner;
struct owner_ahead;
struct reporter;

/* All borrowed, for the call. */
struct owner_opts {
	struct features *features; /* required */
	struct kbtf *btf;          /* NULL: it is read */
	int cgroup_fd;             /* the root of cgroup2; -1: none is mounted */
	bool whole;                /* cgroup_fd is the machine's root, not the root of a container's cgroup namespace */
	bool functions;            /* the script sees packets at functions of the kernel */
	bool steps;                /* it sees no packets: only lists of TCP connections, and steps of their states */
	uint64_t secret;           /* of the image */
	bool datagrams; /* it sees no sockets of TCP and MPTCP; before Linux 5.17 they are known all the same */
	bool ended;     /* the script reads owners of connections in TIME_WAIT */
	struct owner_ahead *ahead; /* what was loaded ahead; NULL: nothing */
};

/* Loads the service in a thread, while the script is still being compiled: half a compilation's time. Nothing is
 * attached. btf is borrowed for the call only. NULL: this kernel needs another variant, or there is no thread; then
 * owner_start() loads it all. Errors are not reported, since owner_start() meets them again. */
struct owner_ahead *owner_ahead_start(struct kbtf *btf);
/* Waits for the thread, and unloads what owner_start() has not taken. NULL is fine. */
void owner_ahead_free(struct owner_ahead *a);

/* Loads and attaches the service and enters the sockets that exist. Call it before the programs of a script are
 * attached: programs at one hook run in the order in which they were attached, so the owner is known from the first
 * packet that a process sends. Returns 0 or -errno, which is reported. The kernel removes everything when this process
 * ends, even by a crash.
 *
 * Limits on some machines:
 * - whole is false: of sockets created outside the cgroup namespace, only TCP sockets are known, because the end of
 *   others is not seen.
 * - cgroup_fd is -1: only TCP sockets are known, once a process connects, listens, accepts (see owner_poll()) or
 *   receives (Linux 6.3 and later).
 * - before Linux 6.3 without fentry: a process that only receives on an inherited UDP socket is not noticed.
 * - before Linux 5.17: programs at functions of the kernel do all (owner/bpf/owner_old.bpf.c); without fentry
 *   owner_start() fails. A socket left by its owner waits for its next user or the next scan. Who closes a connection
 *   owns it when the FIN leaves, not before. Subflows of MPTCP have no owner. Linux 5.8 is required. */
int owner_start(struct owner **out, const struct owner_opts *opts, const struct reporter *to)
	__attribute__((warn_unused_result));

/* Call it some ten times a second; usually it costs a few loads. If a socket is suspect, it scans the open files and
 * attaches the costly hooks if processes share sockets. Scans take at most a hundredth of the time. Until the hooks are
 * attached,
 * - a connection that another process took with accept(fd, NULL, NULL) belongs to the listener's owner;
 * - a connection that was passed on, and a datagram socket, belong to their creator
 * until the other process itself sends a packet. (Data that waits for an acknowledgement, Nagle or room is sent later,
 * by an interrupt.) Returns 0 or -errno. */
int owner_poll(struct owner *o) __attribute__((warn_unused_result));

/* How a program finds the owner of a socket. It looks up the socket's address in `places`, then in `owners`; for a
 * connection in TIME_WAIT, a key made of its ends in the ring `ended` (owner_ended.h; before Linux 5.17 in `owners`).
 * No entry: no process (pid -1), as for sockets of the kernel.
 *
 * If how is DW_OWNER_SHARED, several processes use the socket, which is not a TCP socket. The owner is then the first
 * of these that applies:
 * 1. where a packet leaves: the record of the current thread in the hash `senders` (key: tid), if its sk and pid match;
 * 2. the entry itself, if the current process has its pid;
 * 3. the entry in the hash `last_users` (same key and value).
 * pid and tid are those of the thread that claimed the socket; uid and name are those of its process at that time.
 * While the process lives, its struct pid (member process) leads to the current ones: dw_leader in dlib/net/net.d. */
const struct owner_maps *owner_maps(const struct owner *o);
/* OWNER_AFTERS of them, for attach_all(). An array is -1 before Linux 6.3, and where the service is not attached. */
const struct owner_after *owner_after(struct owner *o);

/* Call it after the programs of the script are attached. It attaches the programs that remove an owner again, to run
 * last, so that the script still sees the owner of a socket that ends. Returns 0 or -errno. */
int owner_last(struct owner *o) __attribute__((warn_unused_result));

/* The descriptors of its programs, of which there are *nprogs, and behind them of its maps. Returns how many. -1: this
 * kernel's variant has it not. */
enum { OWNER_FDS = 48 };
size_t owner_fds(const struct owner *o, int fds[OWNER_FDS], size_t *nprogs);

/* Owners that could not be stored since the start. */
uint64_t owner_drops(const struct owner *o);

/* Detaches everything. o may be NULL. */
void owner_stop(struct owner *o);
#endif
