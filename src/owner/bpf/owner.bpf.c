/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner: the kernel's half of the owner service: which process owns a socket. Read src/owner/owner.h first. Linux 6.1
 * and later; hooks of newer kernels are in variants (src/owner/owner_load.c).
 *
 * Input:  creation, connect, listen, accept, use and end of sockets; forks and exits; at the start every open file of
 *         every process.
 * Output: the maps `places` and `owners` (address of a socket -> struct dw_owner), `last_users` and `senders`.
 *
 * Files: this one has the hooks at which a process makes, uses or leaves a socket. owner_table.h has the maps and the
 * functions that change them, owner_files.h the files that processes hold (fork, exit, iterator), owner_listener.h the
 * listener of a new connection, owner_places.h the table of owners, owner_ended.h connections in TIME_WAIT,
 * owner_kernel.h the kernel's types.
 *
 * Invariants:
 * - A socket has an entry only while it lives: up to tcp_destroy_sock for TCP, else to the last close. An entry
 *   with DW_OWNER_LEFT lives somewhat longer; see forget(). Connections without a socket have separate entries.
 * - DW_OWNER_INHERIT: the entry was copied from the listener's when the handshake ended, or its owner has exited. No
 *   process has accepted or used the socket since.
 * - DW_OWNER_SHARED: several processes use the socket, which is not a TCP socket. Its entry does not change any more
 *   until the socket is closed, whoever exits; `last_users` has the last of them.
 *
 * Why not socket storage: an entry takes 64 or 128 bytes, at most a third of it, and any program can look up any
 * socket whose address it has.
 *
 * Why `senders`: processes that share a datagram socket may send on it at the same time. If each rewrote the entry, a
 * program could see the wrong one. So the sender is noted for its thread. Any number of other threads may send before
 * the packet's other programs run: on other CPUs, and where the kernel preempts threads, on this one. */
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "abi/abi.h"
#include "abi/arch.h"
#include "abi/owner_scan.h"
#include "owner_kernel.h"
#include "owner_table.h"

/* Runs in the process that calls socket(2), never for sockets of the kernel. */
SEC("cgroup/sock_create")
int owner_create(struct bpf_sock *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct dw_owner now;

	if (t->flags & PF_KTHREAD || is_unread(ctx->protocol))
		return 1;
	owner_of(&now, t, DW_OWNER_CREATE);
	store((DW_U64)ctx, &now);
	return 1;
}

static __always_inline bool is_inet(const struct sock *sk)
{
	return sk->__sk_common.skc_family == AF_INET || sk->__sk_common.skc_family == AF_INET6;
}

/* Does the current process itself send a packet of this TCP socket, or does an interrupt send it? A process that
 * works on a socket holds its lock, and meanwhile no interrupt sends on that socket: arriving segments wait for the
 * process (the backlog). The exception is a listener, whose SYN-ACKs are sent without its lock. */
static __always_inline bool sends_tcp(const struct sock *sk)
{
	return sk->sk_lock.owned && sk->__sk_common.skc_state != TCP_LISTEN;
}

/* A system call: the descriptor that it names, and whether it names further ones in the process's memory. */
struct call {
	unsigned int fd;
	bool lists;
};

static __always_inline void call_of(struct task_struct *t, struct call *c)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(t);
	unsigned long nr = (unsigned long)ARCH_CALL_NR(regs);

#if ARCH_CALLS_32
	if (ARCH_CALL_IS_32(&t->thread_info)) {
		c->lists = nr == ARCH_NR_IO_SUBMIT_32;
		c->fd = nr == ARCH_NR_SPLICE_32 ? (unsigned int)ARCH_CALL_ARG3_32(regs)
						: (unsigned int)ARCH_CALL_ARG_32(regs);
		if (nr == ARCH_NR_SOCKETCALL_32)
			bpf_probe_read_user(
				&c->fd, sizeof(c->fd), (const void *)(ARCH_CALL_ARG2_32(regs) & 0xffffffff));
		return;
	}
#endif
	c->lists = nr == ARCH_NR_IO_SUBMIT;
	c->fd = nr == ARCH_NR_SPLICE ? (unsigned int)ARCH_CALL_ARG3(regs) : (unsigned int)ARCH_CALL_ARG(regs);
}

/* has_file() for a socket that a hook gave. The verifier allows no access through a pointer that it knows as a
 * socket, so that the address is read as a number. */
static __always_inline bool is_process_socket(const void *sk)
{
	const struct sock *number = NULL;

	bpf_probe_read_kernel(&number, sizeof(number), &sk);
	return has_file(number);
}

/* The same for UDP and raw sockets. Interrupts do not send on them, but another process may carry their packets on,
 * for example one that decides for NFQUEUE. The running system call must therefore name the socket. Two ways of
 * sending name it in memory: io_submit(2), and io_uring, whose requests run in threads without a call, and at the end
 * of any call of the process. In these cases the packet is the process's own, with two exceptions: the call is on a
 * netlink socket, by which it may decide for NFQUEUE; or the socket is the kernel's, on which interrupts send resets
 * and ICMP. */
static __always_inline bool sends_other(struct task_struct *t, const void *sk)
{
	unsigned short family = 0;
	struct file *f = NULL;
	struct call c;

	if (t->flags & PF_IO_WORKER)
		return is_process_socket(sk);
	call_of(t, &c);
	if (any_sock_of_fd(t, c.fd, &f, &family) == sk)
		return true;
	if (!c.lists && (!bpf_core_field_exists(t->io_uring) || !t->io_uring || family == AF_NETLINK))
		return false;
	return is_process_socket(sk);
}

/* A process that reads the files of others by an iterator, as ours does, holds each for a moment. A file that its
 * process closes meanwhile is closed, and sends its FIN, at the end of that read(2). No other socket is closed
 * there. */
static __always_inline bool reads(struct task_struct *t)
{
	return ARCH_CALL_NR((const struct pt_regs *)bpf_task_pt_regs(t)) == ARCH_NR_READ;
}

static __always_inline bool closed_by_walker(struct task_struct *t, const struct sock *sk)
{
	return sk->sk_shutdown == SHUTDOWN_MASK && reads(t);
}

/* The current process uses a connection with that entry. If it is its listener's, and that is another's, the accept was
 * not seen. */
static __always_inline void note_missed(struct said old, const struct task_struct *t)
{
	if (old.pid && old.pid != t->tgid && old.how == DW_OWNER_INHERIT)
		accept_missed = 1;
}

/* The current process becomes the owner of a connection, which has a file and that entry. */
static __always_inline void takes(DW_U64 key, struct said old, struct task_struct *t)
{
	note_missed(old, t);
	become(key, t);
}

/* A packet of a socket that is not TCP's, sent by another process than its owner, whose pid is given; 0: none. */
static __always_inline void egress_other(const void *sk, int pid, struct task_struct *t)
{
	struct dw_sender *noted = sender(t), now;
	const bool again = noted && noted->sk == (DW_U64)sk;

	if (!sends_other(t, sk)) {
		/* The thread does not send this packet itself; its earlier sends do not show the owner. */
		if (again)
			noted->sk = 0;
		return;
	}
	if (pid && pid != t->tgid)
		datagram_suspect = 1;
	if (again && is_owner(&noted->owner, t)) {
		now.owner = noted->owner;
	} else {
		now.sk = (DW_U64)sk;
		owner_of(&now.owner, t, DW_OWNER_USE);
		note_sender(noted, &now);
	}
	claim((DW_U64)sk, &now.owner, false);
}

/* A packet of a TCP socket that its process sends, which is not known as the owner. */
static __always_inline void egress_tcp(struct tcp_sock *tcp, struct said old, struct task_struct *t)
{
	const struct sock *sk = &tcp->inet_conn.icsk_inet.sk;

	if (t->flags & PF_KTHREAD || closed_by_walker(t, sk) || !has_file(sk)) {
		if (!old.pid)
			adopt(tcp);
		return;
	}
	takes((DW_U64)tcp, old, t);
}

/* Most packets of TCP sockets are sent by their owner or by interrupts; these say nothing about the owner, and need no
 * lookup. tcp: the same socket; NULL: it is not TCP's. */
static __always_inline void egress(void *sk, struct tcp_sock *tcp)
{
	struct task_struct *t;
	struct said old;

	if (tcp && datagrams)
		return;
	if (tcp && !sends_tcp(&tcp->inet_conn.icsk_inet.sk)) {
		if (bpf_core_field_exists(tcp->is_mptcp) && BPF_CORE_READ_BITFIELD(tcp, is_mptcp) &&
			!said_of((DW_U64)sk).pid)
			adopt(tcp);
		return;
	}
	t = bpf_get_current_task_btf();
	old = said_to(sk, t);
	if (is_known(old))
		return;
	if (tcp)
		egress_tcp(tcp, old, t);
	else if (!(t->flags & PF_KTHREAD))
		egress_other(sk, old.pid, t);
}

/* The socket if it is TCP's, else NULL. A call of the kernel's function takes longer than all that follows it for most
 * packets. */
static __always_inline struct tcp_sock *as_tcp(void *sk)
{
#ifdef OWNER_RECV
	const struct sock *s = bpf_rdonly_cast(sk, bpf_core_type_id_kernel(struct sock));

	return s->sk_protocol == IPPROTO_TCP && s->sk_type == SOCK_STREAM
		? bpf_rdonly_cast(sk, bpf_core_type_id_kernel(struct tcp_sock))
		: NULL;
#else
	return bpf_skc_to_tcp_sock(sk);
#endif
}

#ifdef OWNER_RECV
/* The script's program at the place of one of ours, if it has one: a jump takes less time than another call by the
 * kernel. */
#define AFTER(name)                                    \
	struct {                                       \
		__uint(type, BPF_MAP_TYPE_PROG_ARRAY); \
		__uint(max_entries, 1);                \
		__type(key, DW_U32);                   \
		__type(value, DW_U32);                 \
	} name SEC(".maps")

AFTER(after_state);
AFTER(after_egress);
#endif

/* Every packet on its way out, before the programs of a script see it. The hook gives a full socket: for a SYN-ACK the
 * listener. */
SEC("cgroup_skb/egress")
int owner_egress(struct __sk_buff *skb)
{
	struct bpf_sock *sk = skb->sk;

	if (sk)
		egress(sk, as_tcp(sk));
#ifdef OWNER_RECV
	if (egress_followed)
		bpf_tail_call(skb, &after_egress, 0);
#endif
	return 1;
}

#ifdef OWNER_FUNCS
/* Programs at functions of the kernel see a packet before owner_egress does, so these hooks look at it a moment
 * earlier. A socket that is not a full one belongs to a handshake or to TIME_WAIT. A tunnel's outer packet still has
 * the inner packet's socket, but is sent by another. */
static __always_inline bool is_output(const struct sock *by, const struct sk_buff *skb)
{
	return by && by == skb->sk && by->__sk_common.skc_state != TCP_TIME_WAIT &&
		by->__sk_common.skc_state != TCP_NEW_SYN_RECV;
}

#ifdef OWNER_KPROBES
/* Where the kernel preempts threads in programs, a program at fentry is not run for others meanwhile, and their packets
 * would have wrong owners. */
#define OUTPUT(function, name) SEC("kprobe.multi/" function) int name(DW_U64 *args)

static __always_inline int output(const DW_U64 *regs)
{
	const void *by = (const void *)regs[arch_args[1] / 8];
	struct sock *sk = bpf_rdonly_cast(by, bpf_core_type_id_kernel(struct sock));
	const struct sk_buff *skb =
		bpf_rdonly_cast((const void *)regs[arch_args[2] / 8], bpf_core_type_id_kernel(struct sk_buff));

	if (by && is_output(sk, skb))
		egress((void *)by,
			is_inet(sk) && sk->sk_protocol == IPPROTO_TCP
				? bpf_rdonly_cast(by, bpf_core_type_id_kernel(struct tcp_sock))
				: NULL);
	return 0;
}
#else
#define OUTPUT(function, name) SEC("fentry/" function) int name(DW_U64 *args)

static __always_inline int output(const DW_U64 *args)
{
	struct sock *by = (struct sock *)args[1];

	if (is_output(by, (const struct sk_buff *)args[2]))
		egress(by, bpf_skc_to_tcp_sock(by));
	return 0;
}
#endif

OUTPUT("ip_output", owner_output4)
{
	return output(args);
}

OUTPUT("ip_mc_output", owner_output4_mc)
{
	return output(args);
}

OUTPUT("ip6_output", owner_output6)
{
	return output(args);
}
#endif

/* accept(2) with room for the peer's address runs this hook for the new socket. So does getpeername(2), which counts
 * as a use. */
static __always_inline int peer(struct bpf_sock_addr *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct bpf_sock *sk = ctx->sk;
	struct dw_owner now;

	if (!sk || is_unread(ctx->protocol) || known(sk, t) || t->flags & PF_KTHREAD)
		return 1;
	owner_of(&now, t, DW_OWNER_USE);
	claim((DW_U64)sk, &now, is_stream(ctx->protocol));
	return 1;
}

SEC("cgroup/getpeername4")
int owner_peer4(struct bpf_sock_addr *ctx)
{
	return peer(ctx);
}

SEC("cgroup/getpeername6")
int owner_peer6(struct bpf_sock_addr *ctx)
{
	return peer(ctx);
}

#if defined(OWNER_RECV) || defined(OWNER_FUNCS)
/* The end of every receive call, in the process that calls. */
static __always_inline int received(struct sock *sk)
{
	if (sk && is_inet(sk))
		use(sk);
	return 0;
}

/* The current process t uses a connection whose entry describes it already, but as the listener's owner: the way of
 * most servers. Such an entry is only made for sockets that have a file, or get one when they are accepted. False: it
 * is another process with the same number, or the entry has changed. */
static __noinline bool use_own(DW_U64 key, struct task_struct *t)
{
	struct dw_owner *o = lookup(key);

	if (!o || o->how != DW_OWNER_INHERIT || o->pid != t->tgid ||
		o->process != (DW_U64)untrusted(t)->group_leader->thread_pid)
		return false;
	set_holder(t->tgid);
	o->tid = t->pid;
	return set_how_of(o, DW_OWNER_USE);
}

/* The end of every send call, likewise; with OWNER_KPROBES its begin. A connection's new holder may write data that
 * waits for the other side and that an interrupt sends later. Datagrams do not wait. */
static __always_inline int written(struct sock *sk)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct said old;

	if (!sk || !is_inet(sk) || !is_stream(sk->sk_protocol))
		return 0;
	old = said_to(sk, t);
	if (is_known(old) || (old.same && use_own((DW_U64)sk, t)))
		return 0;
	if (by_calls)
		note_missed(old, t);
	use_new(sk, t);
	return 0;
}
#endif

#ifdef OWNER_RECV /* of sockets of every family; since Linux 6.3 */
SEC("tp_btf/sock_recv_length")
int owner_recv(DW_U64 *args)
{
	return received((struct sock *)args[0]);
}

SEC("tp_btf/sock_send_length")
int owner_send(DW_U64 *args)
{
	return written((struct sock *)args[0]);
}
#endif
#ifdef OWNER_FUNCS
SEC("fexit/inet_recvmsg")
int owner_recv(DW_U64 *args)
{
	return received(((struct socket *)args[0])->sk);
}

SEC("fexit/inet6_recvmsg")
int owner_recv6(DW_U64 *args)
{
	return received(((struct socket *)args[0])->sk);
}

#ifdef OWNER_KPROBES
/* The begin of the call: a kprobe at its end has no arguments, and fexit is not run for others while the kernel has
 * preempted a thread in it. */
#define SEND(function, name) SEC("kprobe.multi/" function) int name(DW_U64 *args)

static __always_inline struct socket *sends_on(const DW_U64 *regs)
{
	return bpf_rdonly_cast((const void *)regs[arch_args[0] / 8], bpf_core_type_id_kernel(struct socket));
}
#else
#define SEND(function, name) SEC("fexit/" function) int name(DW_U64 *args)

static __always_inline struct socket *sends_on(const DW_U64 *args)
{
	return (struct socket *)args[0];
}
#endif

SEND("inet_sendmsg", owner_send)
{
	return written(sends_on(args)->sk);
}

SEND("inet6_sendmsg", owner_send6)
{
	return written(sends_on(args)->sk);
}
#endif

/* The current process closes a connection: it is the last that has it, and sends the FIN. */
static __always_inline void closes(struct bpf_sock *sk)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct said old;

	if (sk->state != TCP_ESTABLISHED && sk->state != TCP_CLOSE_WAIT)
		return;
	old = said_to(sk, t);
	if (is_known(old) || t->flags & PF_KTHREAD || reads(t) || !is_process_socket(sk))
		return;
	takes((DW_U64)sk, old, t);
}

/* The last descriptor of a socket is closed. TCP sockets live on until owner_destroy. MPTCP sockets may live on, too:
 * their subflows still send what was written (owner_state). */
SEC("cgroup/sock_release")
int owner_release(struct bpf_sock *ctx)
{
	DW_U64 key = (DW_U64)ctx;

	if (is_unread(ctx->protocol))
		return 1;
	if (ctx->protocol == IPPROTO_TCP) {
		closes(ctx);
		return 1;
	}
	if (ctx->protocol == IPPROTO_MPTCP && ctx->state != TCP_CLOSE && ctx->state != TCP_LISTEN) {
		set_how(key, DW_OWNER_LEFT);
		return 1;
	}
	forget(ctx,
		ctx->protocol == IPPROTO_MPTCP || ctx->protocol == IPPROTO_SCTP ||
			BPF_CORE_READ((const struct sock *)ctx, sk_wmem_alloc.refs.counter) > 1);
	bpf_map_delete_elem(&last_users, &key);
	return 1;
}

#include "owner_listener.h"

/* The kernel has made the socket of a connection. It has its listener's owner until a process accepts it. */
static __always_inline void inherit(struct sock *sk)
{
	DW_U64 key = (DW_U64)sk, listener = sk->sk_protocol == IPPROTO_TCP ? listener_of(sk) : 0;
	const struct dw_owner *o = listener ? lookup(listener) : NULL;
	struct dw_owner now;

	if (o) {
		now = *o;
		now.how = DW_OWNER_INHERIT;
		store((DW_U64)sk, &now);
	} else {
		remove(key);
	}
}

#include "owner_ended.h"

SEC("tp_btf/inet_sock_set_state")
int owner_state(DW_U64 *args)
{
	struct sock *sk = (struct sock *)args[0];
	int old = (int)args[1], new = (int)args[2];
	DW_U64 key = args[0];

	if (new == TCP_LISTEN || (new == TCP_SYN_SENT &&old == TCP_CLOSE)) {
		use(sk);
	} else if (old == TCP_LISTEN && new == TCP_SYN_RECV) {
		inherit(sk);
	} else if ((new == TCP_FIN_WAIT2 || new == TCP_CLOSING) && sk->sk_protocol == IPPROTO_TCP) {
		if (!ended_unread)
			may_end(sk);
	} else if (new == TCP_CLOSE && sk->sk_protocol == IPPROTO_MPTCP) {
		if (said_of(key).how == DW_OWNER_LEFT)
			forget(sk, true);
	}
#ifdef OWNER_RECV
	if (state_followed)
		bpf_tail_call(args, &after_state, 0);
#endif
	return 0;
}

/* Listeners that share a port: each has one process that accepts, though all of these processes may hold it, because
 * the maker has forked. */
static __always_inline void accepts(struct task_struct *t, struct sock *sk)
{
	struct dw_owner now;

	if (!sk || !BPF_CORE_READ_BITFIELD_PROBED(sk, __sk_common.skc_reuseport) || known(sk, t) ||
		!said_of((DW_U64)sk).pid)
		return;
	accepts_needed++;
	owner_of(&now, t, DW_OWNER_USE);
	store((DW_U64)sk, &now);
}

static __always_inline void accept_done(struct task_struct *t, unsigned int fd)
{
	struct file *f = NULL, *again = NULL;
	struct sock *sk = sock_of_fd(t, fd, &f);
	DW_U64 key = (DW_U64)sk;
	struct dw_owner now;

	if (!sk)
		return;
	accepts_seen++;
	accepts_needed += said_of(key).pid != t->tgid;
	owner_of(&now, t, DW_OWNER_ACCEPT);
	store(key, &now);
	/* Another thread may already have closed the descriptor, and the socket may have been destroyed before the
	 * entry was made. Nothing else would ever remove the entry. */
	if (sock_of_fd(t, fd, &again) != sk || again != f)
		remove(key);
}

static __always_inline bool is_accept(struct task_struct *t, const struct pt_regs *regs)
{
	unsigned long nr = (unsigned long)ARCH_CALL_NR(regs);

#if ARCH_CALLS_32
	if (ARCH_CALL_IS_32(&t->thread_info))
		return nr == ARCH_NR_ACCEPT_32 || nr == ARCH_NR_ACCEPT4_32 ||
			(nr == ARCH_NR_SOCKETCALL_32 &&
				(ARCH_CALL_ARG_32(regs) == SYS_ACCEPT || ARCH_CALL_ARG_32(regs) == SYS_ACCEPT4));
#endif
	return nr == ARCH_NR_ACCEPT4 || nr == ARCH_NR_ACCEPT;
}

SEC("tp_btf/sys_exit")
int owner_accept(DW_U64 *args)
{
	struct task_struct *t = bpf_get_current_task_btf();
	long ret = (long)args[1];
	struct file *f = NULL;
	struct call c;

	if (ret >= 0 && is_accept(t, (const struct pt_regs *)args[0])) {
		call_of(t, &c);
		accepts(t, sock_of_fd(t, c.fd, &f));
		accept_done(t, (unsigned int)ret);
	}
	return 0;
}

/* Has the process of t a connection at that descriptor that nobody has accepted yet? */
static __always_inline bool is_inherited(struct task_struct *t, unsigned int fd)
{
	struct file *f = NULL;
	struct sock *sk = sock_of_fd(t, fd, &f);

	return sk && said_of((DW_U64)sk).how == DW_OWNER_INHERIT;
}

/* The end of a request of io_uring, in its process or a thread of the kernel that has the same files. A request that
 * accepts many connections gives results without the request, which may be numbers of another kind: only a connection
 * that nobody has accepted and that the process holds counts. A result in a table of fixed files is no descriptor. */
SEC("raw_tp/io_uring_complete")
int owner_uring(struct bpf_raw_tracepoint_args *ctx)
{
	const struct io_kiocb *req = (const void *)ctx->args[1];
	struct task_struct *t = bpf_get_current_task_btf();
	int res;

	if (req && BPF_CORE_READ(req, opcode) != IORING_OP_ACCEPT)
		return 0;
	/* The kernel attaches no program that may read more arguments than there are. */
	if (bpf_core_type_exists(btf_trace_io_uring_complete)) {
		const struct io_uring_cqe *cqe = (const void *)ctx->args[2];

		res = BPF_CORE_READ(cqe, res);
	} else {
		res = (int)*(volatile DW_U64 *)&ctx->args[3];
	}
	if (res < 0 || !is_inherited(t, (unsigned int)res))
		return 0;
	if (req)
		accepts(t, sock_of_file(BPF_CORE_READ(req, file)));
	accept_done(t, (unsigned int)res);
	return 0;
}

/* The end of a TCP socket. */
SEC("tp_btf/tcp_destroy_sock")
int owner_destroy(DW_U64 *args)
{
	const struct sock *sk = (const struct sock *)args[0];

	forget(sk, sk->sk_wmem_alloc.refs.counter > 1);
	return 0;
}

static __always_inline bool is_listener(const struct sock *sk)
{
	return sk->__sk_common.skc_state == TCP_LISTEN && sk->sk_protocol == IPPROTO_TCP;
}

#include "owner_files.h"

char LICENSE[] SEC("license") = "GPL";
