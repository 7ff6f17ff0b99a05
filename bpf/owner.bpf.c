// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* owner: the kernel half of the owner service (src/run/owner.c): which process owns a socket.
 *
 * Input:  socket creation, connect, listen, accept and use, and once at the start every open file of every process.
 * Output: `owners`, address of a socket -> struct dw_owner, `last_users` and `senders`.
 * Invariant: `owners` has an entry only while its socket lives: from the place that tells its owner to the end of a TCP
 * socket (tcp_destroy_sock), or the last close of another one; DW_OWNER_LEFT: somewhat longer, see forget().
 * DW_OWNER_INHERIT: made when the handshake ended, from the listener's; nobody has accepted or used it yet.
 * DW_OWNER_SHARED: several processes use the socket, which is not TCP's; `last_users` has the last of them, and nothing
 * else.
 *
 * A hash keyed by addresses takes 96 bytes an entry, a third of what socket storage takes, and any program can ask it
 * for any socket that it has the address of. Only listeners have socket storage too: it is copied to their children,
 * which so know whose they are.
 *
 * Processes that share a datagram socket may send on it at the same time. Were its value rewritten by each, a program
 * could see another's; so who sends is noted for the thread and the CPU, until the packet's other programs have run.
 *
 * A lookup takes longer than all the rest that is done for a packet: owner_recent.h keeps the last answers.
 *
 * Most sockets belong to one process, so what costs time at every system call (owner_accept) or receive (owner_recv)
 * is attached only when a socket is found in the hands of several processes. A use by another process than before makes
 * that suspect; then owner_iter looks again, and puts right who holds the listeners.
 *
 * The few kernel types are declared here; CO-RE puts in the offsets of the running kernel. */
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "ir/abi.h"
#include "run/owner_scan.h"

#define AF_INET 2
#define AF_INET6 10
#define IPPROTO_TCP 6
#define PF_EXITING 0x00000004
#define PF_KTHREAD 0x00200000
#define SHUTDOWN_MASK 3 /* both ways */
#define S_IFMT 0170000
#define S_IFSOCK 0140000
#define IPPROTO_SCTP 132
#define IPPROTO_MPTCP 262
#define SUBFLOWS_MAX 8
#define TCP_SYN_SENT 2
#define TCP_SYN_RECV 3
#define TCP_TIME_WAIT 6
#define TCP_CLOSE 7
#define TCP_LISTEN 10
#define TCP_NEW_SYN_RECV 12
/* x86_64; di and orig_ax of struct pt_regs are the other two places that know the machine. */
#define NR_READ 0
#define NR_ACCEPT 43
#define NR_ACCEPT4 288

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct inode {
	unsigned short i_mode;
};
struct file {
	struct inode *f_inode;
	void *private_data;
};
/* How many hold a file: until Linux 6.12, and since, when it is one less. */
struct file___count {
	struct {
		long counter;
	} f_count;
};
struct file___ref {
	struct {
		struct {
			long counter;
		} refcnt;
	} f_ref;
};
struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};
struct files_struct {
	struct fdtable *fdt;
};
struct cred {
	struct {
		unsigned int val;
	} uid;
};
struct upid {
	int nr;
};
struct pid {
	unsigned int level;
	struct upid numbers[1];
};
typedef struct {
	int counter;
} atomic_t;
struct signal_struct {
	atomic_t live;
};
struct list_head {
	struct list_head *next;
};
struct task_struct {
	unsigned int flags;
	int pid;
	int tgid;
	struct list_head children, sibling;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	const struct cred *cred;
	struct files_struct *files;
	struct signal_struct *signal;
	char comm[16];
};
struct pt_regs {
	unsigned long di, orig_ax;
};
struct sock_common {
	unsigned short skc_family;
	volatile unsigned char skc_state;
};
typedef struct refcount_struct {
	atomic_t refs;
} refcount_t;
typedef struct {
	int owned;
} socket_lock_t;
struct socket;
struct sock {
	struct sock_common __sk_common;
	socket_lock_t sk_lock;
	refcount_t sk_wmem_alloc;
	unsigned short sk_protocol;
	unsigned char sk_shutdown;
	struct socket *sk_socket;
};
struct inet_sock {
	struct sock sk;
};
struct inet_connection_sock {
	struct inet_sock icsk_inet;
	void *icsk_ulp_data;
};
struct tcp_sock {
	struct inet_connection_sock inet_conn;
	bool is_mptcp : 1;
};
struct mptcp_subflow_context {
	struct list_head node;
	struct sock *tcp_sock, *conn;
};
struct mptcp_sock {
	struct list_head conn_list;
	struct sock *first;
};
struct socket {
	struct file *file;
	struct sock *sk;
};
struct sk_buff {
	struct sock *sk;
};
struct bpf_iter__task_file {
	struct task_struct *task;
	struct file *file;
};
#pragma clang attribute pop

/* Owners that could not be stored. */
DW_U64 drops;
/* A connection was used by another process than its listener's; a socket of a protocol other than TCP by another
 * process than before. Set here, reset by user space. */
DW_U32 listener_suspect, datagram_suspect;
/* The same found by owner_iter: several processes hold a listener, a socket of a protocol other than TCP. */
DW_U32 listener_shared, datagram_shared;
/* A process used a connection that was another's. Its writes are noted from then on: they may be sent by others. */
DW_U32 stream_shared;
/* A process has ended whose sockets others hold. Set here, reset by user space. */
DW_U32 orphaned;
/* What owner_iter does, and how it marks the listeners that their owners hold; set by user space. */
DW_U32 scan, marked;
/* The root of our cgroups is not that of the machine: of sockets outside, only TCP's tell their end. */
DW_U32 partial;

/* The sockets that ended last on this CPU with packets still on their way out. */
#define ENDED 256
struct ended {
	DW_U64 next;
	DW_U64 sk[ENDED];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 131072); /* user space knows better */
	__type(key, DW_U64);
	__type(value, struct dw_owner);
} owners SEC(".maps");

/* A listener's own address; of a socket that the kernel has just cloned from it: the listener's. */
struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_CLONE);
	__type(key, int);
	__type(value, DW_U64);
} listeners SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, DW_U64);
	__type(value, struct dw_owner);
} last_users SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, DW_SENDERS);
	__type(key, DW_U32);
	__type(value, struct dw_sender);
} senders SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, DW_U32);
	__type(value, struct ended);
} ended SEC(".maps");

/* Numbers of processes, modulo HOLDERS, that have been an owner, or were made by one that had sockets: the others need
 * not be looked at when they fork or end. */
#define HOLDERS 65536
#define FILES_MAX 1024
struct holders {
	unsigned char is[HOLDERS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, DW_U32);
	__type(value, struct holders);
} holders SEC(".maps");

static __always_inline void drop(void)
{
	__sync_fetch_and_add(&drops, 1);
}

/* The number of a process in the pid namespace that it lives in: the last of its numbers. */
static __always_inline DW_U32 number_inside(struct task_struct *t)
{
	struct pid *pid = BPF_CORE_READ(t, group_leader, thread_pid);
	DW_U32 level = BPF_CORE_READ(pid, level);
	int nr = 0;

	bpf_probe_read_kernel(&nr, sizeof(nr),
		(void *)pid + bpf_core_field_offset(struct pid, numbers) +
			(DW_U64)level * bpf_core_type_size(struct upid));
	return (DW_U32)nr;
}

static __always_inline unsigned char *holder(int pid)
{
	DW_U32 zero = 0;
	struct holders *h = bpf_map_lookup_elem(&holders, &zero);

	return h ? &h->is[(DW_U32)pid % HOLDERS] : NULL;
}

static __always_inline void set_holder(int pid)
{
	unsigned char *is = holder(pid);

	if (is)
		*is = 1;
}

/* Describes a process as owner: the name is that of the process, not of the thread. */
static __always_inline void owner_is(struct dw_owner *o, struct task_struct *t, int tgid, int pid, DW_U32 how)
{
	o->pid = tgid;
	o->tid = pid;
	o->uid = BPF_CORE_READ(t, cred, uid.val);
	o->how = how;
	o->nspid = number_inside(t);
	BPF_CORE_READ_INTO(&o->comm, t, group_leader, comm);
	set_holder(tgid);
}

static __always_inline void owner_of(struct dw_owner *o, struct task_struct *t, DW_U32 how)
{
	owner_is(o, t, t->tgid, t->pid, how);
}

/* Names are 16 bytes, and aligned as their structures are. */
static __always_inline bool same_name(const void *a, const void *b)
{
	const DW_U64 *x = a, *y = b;

	return x[0] == y[0] && x[1] == y[1];
}

/* Is o what owner_of would say of the process? A process gets a new name by execve(2), or gives it to itself;
 * a server drops its privilege. */
static __always_inline bool is_owner(const struct dw_owner *o, const struct task_struct *t)
{
	return o->pid == t->tgid && o->how < DW_OWNER_INHERIT && o->uid == t->cred->uid.val &&
		same_name(o->comm, t->group_leader->comm);
}

#include "owner_recent.h"

/* A reader on another CPU may for a few nanoseconds see some members changed and some not: pid changes last. */
static __always_inline void rewrite(DW_U64 key, struct dw_owner *o, const struct dw_owner *now)
{
	__builtin_memcpy(o->comm, now->comm, sizeof(o->comm));
	o->tid = now->tid;
	o->uid = now->uid;
	o->how = now->how;
	o->nspid = now->nspid;
	barrier();
	o->pid = now->pid;
	recent_change(key);
}

static __always_inline void set_how(DW_U64 key, struct dw_owner *o, DW_U32 how)
{
	o->how = how;
	recent_change(key);
}

/* Sockets of the kernel have no file, and no owner. */
static __always_inline bool has_file(const struct sock *sk)
{
	return BPF_CORE_READ(sk, sk_socket, file);
}

static __always_inline struct dw_sender *sender(const struct task_struct *t)
{
	DW_U32 i = (DW_U32)t->pid % DW_SENDERS;

	return bpf_map_lookup_elem(&senders, &i);
}

static __always_inline struct dw_owner *lookup(DW_U64 key)
{
	return bpf_map_lookup_elem(&owners, &key);
}

static __always_inline void store(DW_U64 key, const struct dw_owner *now)
{
	if (bpf_map_update_elem(&owners, &key, now, BPF_ANY))
		drop();
	recent_change(key);
}

static __always_inline void remove(DW_U64 key)
{
	bpf_map_delete_elem(&owners, &key);
	recent_change(key);
}

/* The end of a socket. What it has sent may still be in a queue, and is its owner's; a connection of MPTCP may still
 * make subflows, SCTP's associations end later than the call (later): then the entry stays until as many others of that
 * kind have ended on this CPU. The kernel may give the address to a new socket before: that has its own entry made,
 * unless it is one of the kernel's own, which programs tell by its struct socket. */
static __always_inline void forget(const void *sk, bool later)
{
	struct dw_owner *o;
	struct ended *e;
	DW_U64 key = (DW_U64)sk;
	DW_U32 zero = 0;

	later = later || BPF_CORE_READ((const struct sock *)sk, sk_wmem_alloc.refs.counter) > 1;
	o = later ? lookup(key) : NULL;
	e = o ? bpf_map_lookup_elem(&ended, &zero) : NULL;
	if (!e) {
		remove(key);
		return;
	}
	set_how(key, o, DW_OWNER_LEFT);
	key = __sync_lock_test_and_set(&e->sk[__sync_fetch_and_add(&e->next, 1) % ENDED], key);
	o = key && key != (DW_U64)sk ? lookup(key) : NULL;
	if (o && o->how == DW_OWNER_LEFT)
		remove(key);
}

static __always_inline bool is_stream(DW_U32 protocol)
{
	return protocol == IPPROTO_TCP || protocol == IPPROTO_MPTCP;
}

/* The process of *now uses a socket other than TCP's, whose value o was written for another process: from now on o is
 * left alone, and `last_users` tells the last user, in one piece. */
static __always_inline void share(DW_U64 key, struct dw_owner *o, const struct dw_owner *now)
{
	const struct dw_owner *last = bpf_map_lookup_elem(&last_users, &key);

	if ((!last || last->pid != now->pid || !same_name(last->comm, now->comm)) &&
		bpf_map_update_elem(&last_users, &key, now, BPF_ANY)) {
		drop();
		return;
	}
	barrier();
	set_how(key, o, DW_OWNER_SHARED);
}

/* The process of *now becomes owner of the socket at key, which has a file. */
static __always_inline void claim(DW_U64 key, const struct dw_owner *now, bool stream)
{
	struct dw_owner *o = lookup(key);

	if (!o) {
		store(key, now);
		return;
	}
	if (!stream && (o->how == DW_OWNER_SHARED || o->pid != now->pid)) {
		share(key, o, now);
		return;
	}
	if (o->pid != now->pid && o->how != DW_OWNER_INHERIT)
		stream_shared = 1;
	rewrite(key, o, now);
}

/* Kernels without MPTCP have no such member. */
static __always_inline bool is_subflow(const struct tcp_sock *tcp)
{
	return bpf_core_field_exists(tcp->is_mptcp) && BPF_CORE_READ_BITFIELD_PROBED(tcp, is_mptcp);
}

/* A subflow of MPTCP belongs to the owner of the connection that it is a part of. */
static __always_inline bool adopt(const struct tcp_sock *tcp)
{
	const struct mptcp_subflow_context *c;
	const struct mptcp_sock *m;
	const struct dw_owner *parent;
	struct dw_owner now;

	if (!bpf_core_type_exists(struct mptcp_subflow_context) || !is_subflow(tcp))
		return false;
	c = BPF_CORE_READ(tcp, inet_conn.icsk_ulp_data);
	m = (const struct mptcp_sock *)BPF_CORE_READ(c, conn);
	parent = lookup((DW_U64)m);
	/* a connection that nobody has used yet: its first subflow has its listener's owner */
	if (!parent)
		parent = lookup((DW_U64)BPF_CORE_READ(m, first));
	if (!parent)
		return false;
	now = *parent;
	now.how = DW_OWNER_USE;
	store((DW_U64)tcp, &now);
	return true;
}

/* Is process t the owner of the socket already? */
static __always_inline bool known(const void *sk, const struct task_struct *t)
{
	DW_U64 key = (DW_U64)sk;
	const struct dw_owner *o;
	DW_U32 change;

	if (recent_is(key, t))
		return true;
	change = recent_before(key);
	o = lookup(key);
	if (!o || !is_owner(o, t))
		return false;
	recent_note(key, change, o);
	return true;
}

/* The current process uses sk, and becomes its owner unless it is that already. */
static __always_inline void use(struct sock *sk)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct dw_owner now;

	if (known(sk, t) || (partial && !is_stream(sk->sk_protocol)))
		return;
	if (!has_file(sk) &&
		(sk->sk_protocol != IPPROTO_TCP || !is_subflow((struct tcp_sock *)sk) || adopt((struct tcp_sock *)sk)))
		return;
	if (t->flags & PF_KTHREAD)
		return;
	owner_of(&now, t, DW_OWNER_USE);
	claim((DW_U64)sk, &now, is_stream(sk->sk_protocol));
}

/* The socket of file descriptor fd of process t if it is an Internet socket, or NULL; *f is its file. The pointer
 * comes from a table, so the verifier does not know it for a socket: it is only good as a number. */
static __always_inline struct sock *sock_of_fd(struct task_struct *t, unsigned int fd, struct file **f)
{
	struct fdtable *fdt = BPF_CORE_READ(t, files, fdt);
	struct socket *s;
	struct sock *sk;
	DW_U32 family;

	if (fd >= BPF_CORE_READ(fdt, max_fds) || bpf_probe_read_kernel(f, sizeof(*f), BPF_CORE_READ(fdt, fd) + fd) ||
		!*f)
		return NULL;
	if ((BPF_CORE_READ(*f, f_inode, i_mode) & S_IFMT) != S_IFSOCK)
		return NULL;
	s = BPF_CORE_READ(*f, private_data);
	if (BPF_CORE_READ(s, file) != *f)
		return NULL;
	sk = BPF_CORE_READ(s, sk);
	family = BPF_CORE_READ(sk, __sk_common.skc_family);
	return family == AF_INET || family == AF_INET6 ? sk : NULL;
}

/* Runs in the process that calls socket(2), never for sockets of the kernel. */
SEC("cgroup/sock_create")
int owner_create(struct bpf_sock *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct dw_owner now;

	if (t->flags & PF_KTHREAD)
		return 1;
	owner_of(&now, t, DW_OWNER_CREATE);
	store((DW_U64)ctx, &now);
	return 1;
}

/* Does the current process itself send a packet of this TCP socket, or did an interrupt come in between? A process that
 * works on a socket holds its lock, and while it does no interrupt sends on that socket: what arrives waits for the
 * process (the backlog). But a listener's SYN-ACKs are sent without its lock. */
static __always_inline bool sends_tcp(const struct sock *sk)
{
	return sk->sk_lock.owned && sk->__sk_common.skc_state != TCP_LISTEN && has_file(sk);
}

/* The same for UDP and raw sockets. Interrupts do not send on them, but another process may carry their packets on, one
 * that decides for NFQUEUE say. So the system call that is running must name the socket. */
static __always_inline bool sends_other(struct task_struct *t, const void *sk)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(t);
	struct file *f;

	return sock_of_fd(t, (unsigned int)regs->di, &f) == sk;
}

/* Who reads the files of others, by an iterator as ours, holds each for a moment: what its process closes meanwhile is
 * closed, and sends its FIN, at the end of that read(2). No other socket is closed there. */
static __always_inline bool closed_by_walker(struct task_struct *t, const struct sock *sk)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(t);

	return sk->sk_shutdown == SHUTDOWN_MASK && regs->orig_ax == NR_READ;
}

/* A packet of a socket other than TCP's, and not by the owner: o is NULL or tells several processes or another one. */
static __always_inline void egress_other(const void *sk, struct task_struct *t, struct dw_owner *o)
{
	struct dw_owner now;
	struct dw_sender *s;

	s = sender(t);
	if (!sends_other(t, sk)) {
		/* What the thread sent on this socket before does not tell whose this packet is. */
		if (s && s->sk == (DW_U64)sk)
			s->sk = 0;
		return;
	}
	owner_of(&now, t, DW_OWNER_USE);
	if (o && o->pid != now.pid)
		datagram_suspect = 1;
	if (s && o) {
		s->sk = (DW_U64)sk;
		s->owner = now;
	}
	claim((DW_U64)sk, &now, false);
}

static __always_inline void egress_slow(void *sk, struct task_struct *t, struct dw_owner *o)
{
	struct dw_owner now;
	struct tcp_sock *tcp;

	tcp = bpf_skc_to_tcp_sock(sk);
	if (t->flags & PF_KTHREAD || (tcp && closed_by_walker(t, &tcp->inet_conn.icsk_inet.sk))) {
		if (tcp && !o)
			adopt(tcp);
		return;
	}
	if (!tcp) {
		egress_other(sk, t, o);
		return;
	}
	if (!sends_tcp(&tcp->inet_conn.icsk_inet.sk)) {
		if (!o)
			adopt(tcp);
		return;
	}
	if (o && o->pid != t->tgid && o->how == DW_OWNER_INHERIT)
		listener_suspect = 1;
	owner_of(&now, t, DW_OWNER_USE);
	claim((DW_U64)sk, &now, true);
}

/* Every packet on its way out, before the programs of a script see it. The hook gives a full socket: for a SYN-ACK the
 * listener. */
SEC("cgroup_skb/egress")
int owner_egress(struct __sk_buff *skb)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct bpf_sock *sk = skb->sk;

	if (sk && !known(sk, t))
		egress_slow(sk, t, lookup((DW_U64)sk));
	return 1;
}

#ifdef OWNER_FUNCS
/* Scripts on functions of the kernel see a packet before owner_egress does: so it is looked at a moment earlier. What
 * is no full socket is a handshake's or TIME_WAIT's; a tunnel's outer packet still has the inner one's, and another
 * sends. */
static __always_inline int output(struct sock *by, const struct sk_buff *skb)
{
	struct task_struct *t = bpf_get_current_task_btf();

	if (by && by == skb->sk && by->__sk_common.skc_state != TCP_TIME_WAIT &&
		by->__sk_common.skc_state != TCP_NEW_SYN_RECV && !known(by, t))
		egress_slow(by, t, lookup((DW_U64)by));
	return 0;
}

SEC("fentry/ip_output")
int owner_output4(DW_U64 *args)
{
	return output((struct sock *)args[1], (const struct sk_buff *)args[2]);
}

SEC("fentry/ip_mc_output")
int owner_output4_mc(DW_U64 *args)
{
	return output((struct sock *)args[1], (const struct sk_buff *)args[2]);
}

SEC("fentry/ip6_output")
int owner_output6(DW_U64 *args)
{
	return output((struct sock *)args[1], (const struct sk_buff *)args[2]);
}
#endif

/* accept(2) with room for the peer's address asks the new socket for it; so does getpeername(2), which is a use too. */
static __always_inline int peer(struct bpf_sock_addr *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct bpf_sock *sk = ctx->sk;
	const struct dw_owner *o;
	struct dw_owner now;

	if (!sk)
		return 1;
	o = lookup((DW_U64)sk);
	if ((o && is_owner(o, t)) || t->flags & PF_KTHREAD)
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

static __always_inline bool is_inet(const struct sock *sk)
{
	return sk->__sk_common.skc_family == AF_INET || sk->__sk_common.skc_family == AF_INET6;
}

#if defined(OWNER_RECV) || defined(OWNER_FUNCS)
/* The end of every receive call, in the process that calls. */
static __always_inline int received(struct sock *sk)
{
	if (sk && is_inet(sk))
		use(sk);
	return 0;
}

/* The end of every send call, likewise. A connection's new holder may have written what must wait for the other side,
 * and is sent by an interrupt. Datagrams do not wait. */
static __always_inline int written(struct sock *sk)
{
	if (sk && is_inet(sk) && is_stream(sk->sk_protocol))
		use(sk);
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

SEC("fexit/inet_sendmsg")
int owner_send(DW_U64 *args)
{
	return written(((struct socket *)args[0])->sk);
}

SEC("fexit/inet6_sendmsg")
int owner_send6(DW_U64 *args)
{
	return written(((struct socket *)args[0])->sk);
}
#endif

/* The last descriptor of a socket is closed. TCP sockets live on (owner_destroy); so may MPTCP's, whose subflows still
 * send what was written (owner_state). */
SEC("cgroup/sock_release")
int owner_release(struct bpf_sock *ctx)
{
	DW_U64 key = (DW_U64)ctx;
	struct dw_owner *o;

	if (ctx->protocol == IPPROTO_TCP)
		return 1;
	if (ctx->protocol == IPPROTO_MPTCP && ctx->state != TCP_CLOSE && ctx->state != TCP_LISTEN) {
		o = lookup(key);
		if (o)
			set_how(key, o, DW_OWNER_LEFT);
		return 1;
	}
	forget(ctx, ctx->protocol == IPPROTO_MPTCP || ctx->protocol == IPPROTO_SCTP);
	bpf_map_delete_elem(&last_users, &key);
	return 1;
}

/* The kernel has made the socket of a connection: it is as its listener is, until somebody accepts it. */
static __always_inline void inherit(struct sock *sk)
{
	const DW_U64 *listener = bpf_sk_storage_get(&listeners, sk, 0, 0);
	const struct dw_owner *o = listener ? lookup(*listener) : NULL;
	DW_U64 key = (DW_U64)sk;
	struct dw_owner now;

	if (o) {
		now = *o;
		now.how = DW_OWNER_INHERIT;
		store((DW_U64)sk, &now);
	} else {
		remove(key);
	}
	if (listener)
		bpf_sk_storage_delete(&listeners, sk);
}

static __always_inline void listens(struct sock *sk)
{
	DW_U64 *self = bpf_sk_storage_get(&listeners, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);

	if (self)
		*self = (DW_U64)sk;
	else
		drop();
}

SEC("tp_btf/inet_sock_set_state")
int owner_state(DW_U64 *args)
{
	struct sock *sk = (struct sock *)args[0];
	int old = (int)args[1], new = (int)args[2];
	const struct dw_owner *o;
	DW_U64 key = args[0];

	if (new == TCP_LISTEN || (new == TCP_SYN_SENT &&old == TCP_CLOSE)) {
		use(sk);
		if (new == TCP_LISTEN && sk->sk_protocol == IPPROTO_TCP)
			listens(sk);
	} else if (old == TCP_LISTEN && new == TCP_SYN_RECV) {
		inherit(sk);
	} else if (new == TCP_CLOSE && sk->sk_protocol == IPPROTO_MPTCP) {
		o = lookup(key);
		if (o && o->how == DW_OWNER_LEFT)
			forget(sk, true);
	}
	return 0;
}

static __always_inline void accept_done(struct task_struct *t, unsigned int fd)
{
	struct file *f = NULL, *again = NULL;
	struct sock *sk = sock_of_fd(t, fd, &f);
	struct dw_owner now;
	DW_U64 key = (DW_U64)sk;

	if (!sk || !is_stream(BPF_CORE_READ(sk, sk_protocol)))
		return;
	owner_of(&now, t, DW_OWNER_ACCEPT);
	store(key, &now);
	/* Another thread may have closed the descriptor already, and the socket may have been destroyed before the
	 * entry was made: then nothing else would ever remove the entry. */
	if (sock_of_fd(t, fd, &again) != sk || again != f)
		remove(key);
}

SEC("tp_btf/sys_exit")
int owner_accept(DW_U64 *args)
{
	const struct pt_regs *regs = (const struct pt_regs *)args[0];
	long ret = (long)args[1];

	if ((regs->orig_ax == NR_ACCEPT4 || regs->orig_ax == NR_ACCEPT) && ret >= 0)
		accept_done(bpf_get_current_task_btf(), (unsigned int)ret);
	return 0;
}

/* The end of a TCP socket. */
SEC("tp_btf/tcp_destroy_sock")
int owner_destroy(DW_U64 *args)
{
	forget((const void *)args[0], false);
	return 0;
}

static __always_inline bool is_listener(const struct sock *sk)
{
	return sk->__sk_common.skc_state == TCP_LISTEN && sk->sk_protocol == IPPROTO_TCP;
}

/* ---- fork and exit: who holds a socket changes without a use of it ---- */
#define HEIRS 4
struct walk {
	struct task_struct *t;
	DW_U32 listener, datagram;
	DW_U64 heirs[HEIRS]; /* of a process that ends: its children */
};

static long held_file(DW_U64 fd, struct walk *w)
{
	struct file *f = NULL;
	struct sock *sk = sock_of_fd(w->t, (unsigned int)fd, &f);

	if (!sk)
		return 0;
	if (!is_stream(BPF_CORE_READ(sk, sk_protocol)))
		w->datagram = 1;
	else if (BPF_CORE_READ(sk, __sk_common.skc_state) == TCP_LISTEN)
		w->listener = 1;
	return 0;
}

/* Do others hold the file of a process that ends? */
static __always_inline bool is_held(const struct file *f)
{
	const struct file___count *counted = (const void *)f;
	const struct file___ref *ref = (const void *)f;

	if (bpf_core_field_exists(counted->f_count.counter))
		return BPF_CORE_READ(counted, f_count.counter) > 1;
	return BPF_CORE_READ(ref, f_ref.refcnt.counter) > 0;
}

/* A child that has the same file at the same place: the process that made a socket leaves it so to the one that
 * serves. */
static __always_inline struct task_struct *heir_of(const struct walk *w, DW_U64 fd, const struct file *f)
{
	struct task_struct *heir = NULL;
	struct file *other;

#pragma unroll
	for (int i = 0; i < HEIRS; i++) {
		struct task_struct *child = (struct task_struct *)w->heirs[i];
		struct fdtable *fdt = child && !heir ? BPF_CORE_READ(child, files, fdt) : NULL;

		if (fdt && fd < BPF_CORE_READ(fdt, max_fds) &&
			!bpf_probe_read_kernel(&other, sizeof(other), BPF_CORE_READ(fdt, fd) + fd) && other == f)
			heir = child;
	}
	return heir;
}

/* o, or what stands for it in last_users, was the ending process's, and is now its child's. */
static __always_inline void inherit_file(DW_U64 key, struct dw_owner *o, struct task_struct *heir)
{
	struct dw_owner now;

	owner_is(&now, heir, BPF_CORE_READ(heir, tgid), BPF_CORE_READ(heir, pid), DW_OWNER_ITER);
	if (o->how != DW_OWNER_SHARED)
		rewrite(key, o, &now);
	else if (bpf_map_update_elem(&last_users, &key, &now, BPF_ANY))
		drop();
}

/* What is of the ending process goes to its child, or whoever uses it first, or is found to hold it. So does what it
 * used last of several. */
static long left_file(DW_U64 fd, struct walk *w)
{
	struct file *f = NULL;
	struct sock *sk = sock_of_fd(w->t, (unsigned int)fd, &f);
	struct dw_owner *o = sk && is_held(f) ? lookup((DW_U64)sk) : NULL;
	DW_U64 key = (DW_U64)sk;
	const struct dw_owner *last = o && o->how == DW_OWNER_SHARED ? bpf_map_lookup_elem(&last_users, &key) : o;
	struct task_struct *heir;

	if (!last || last->pid != w->t->tgid || last->how >= DW_OWNER_INHERIT)
		return 0;
	heir = heir_of(w, fd, f);
	if (heir) {
		inherit_file(key, o, heir);
		return 0;
	}
	set_how(key, o, DW_OWNER_INHERIT);
	if (last != o) {
		bpf_map_delete_elem(&last_users, &key);
		datagram_shared = 1;
	}
	orphaned = 1;
	return 0;
}

/* The oldest children of a process that ends; they are given away to others after this. */
static __always_inline void find_heirs(struct walk *w)
{
	const struct task_struct *t = w->t;
	const void *head = (const void *)t + bpf_core_field_offset(struct task_struct, children);
	const void *n = BPF_CORE_READ(t, children.next);

#pragma unroll
	for (int i = 0; i < HEIRS; i++) {
		if (!n || n == head)
			break;
		w->heirs[i] = (DW_U64)n - bpf_core_field_offset(struct task_struct, sibling);
		n = BPF_CORE_READ((const struct list_head *)n, next);
	}
}

static __always_inline DW_U32 files_of(struct task_struct *t)
{
	DW_U32 n = BPF_CORE_READ(t, files, fdt, max_fds);

	return n < FILES_MAX ? n : FILES_MAX;
}

/* A new process holds the sockets of the old one, and may use them without sending. */
SEC("tp_btf/sched_process_fork")
int owner_fork(DW_U64 *args)
{
	struct task_struct *parent = (struct task_struct *)args[0], *child = (struct task_struct *)args[1];
	const unsigned char *is = holder(parent->tgid);
	struct walk w = { .t = parent };

	if (!is || !*is || parent->tgid == child->tgid)
		return 0;
	bpf_loop(files_of(parent), held_file, &w, 0);
	if (w.listener | w.datagram)
		set_holder(child->tgid);
	if (w.listener)
		listener_suspect = 1;
	if (w.datagram)
		datagram_suspect = 1;
	return 0;
}

SEC("tp_btf/sched_process_exit")
int owner_exit(DW_U64 *args)
{
	struct task_struct *t = (struct task_struct *)args[0];
	unsigned char *is = holder(t->tgid);
	struct walk w = { .t = t };

	if (!is || !*is || BPF_CORE_READ(t, signal, live.counter) > 0)
		return 0;
	find_heirs(&w);
	bpf_loop(files_of(t), left_file, &w, 0);
	*is = 0;
	return 0;
}

/* The process of *now holds sk, of which o has another owner. At first (OWNER_SCAN_FILL) the process with the lowest
 * number owns a socket. Later the owner of a listener may hold it no more: one scan (OWNER_SCAN_MARK) finds those that
 * do, the next (OWNER_SCAN_CHECK) gives the others to the first process that holds them. */
static __always_inline void found_shared(const struct sock *sk, struct dw_owner *o, const struct dw_owner *now)
{
	if (scan == OWNER_SCAN_MARK)
		return;
	if (!is_listener(sk)) {
		if (!is_stream(sk->sk_protocol))
			datagram_shared = 1;
		return;
	}
	if (scan == OWNER_SCAN_CHECK && o->how != marked) {
		rewrite((DW_U64)sk, o, now);
		set_how((DW_U64)sk, o, marked);
		return;
	}
	listener_shared = 1;
}

/* The subflows of a connection that is older than the service. */
static __always_inline void subflows(const struct mptcp_sock *m, const struct dw_owner *now)
{
	const struct list_head *head, *n;
	const struct mptcp_subflow_context *c;

	if (!bpf_core_type_exists(struct mptcp_subflow_context))
		return;
	head = (const void *)m + bpf_core_field_offset(struct mptcp_sock, conn_list);
	n = BPF_CORE_READ(m, conn_list.next);
	for (int i = 0; i < SUBFLOWS_MAX && n && n != head; i++) {
		c = (const void *)n - bpf_core_field_offset(struct mptcp_subflow_context, node);
		store((DW_U64)BPF_CORE_READ(c, tcp_sock), now);
		n = BPF_CORE_READ(n, next);
	}
}

/* Sockets that are older than the service. What a use wrote in the meantime stays. Init gives way, which keeps a copy
 * of the listeners of the services that it starts. */
SEC("iter/task_file")
int owner_iter(struct bpf_iter__task_file *ctx)
{
	struct file *file = ctx->file;
	struct task_struct *t = ctx->task;
	struct dw_owner now, *o;
	struct socket *s;
	struct sock *sk;

	if (!file || !t || (t->flags & PF_EXITING))
		return 0;
	s = bpf_sock_from_file(file);
	if (!s)
		return 0;
	sk = s->sk;
	if (!sk || !is_inet(sk))
		return 0;
	if (partial && !is_stream(sk->sk_protocol))
		return 0;
	owner_of(&now, t, DW_OWNER_ITER);
	if (is_listener(sk))
		listens(sk);
	o = lookup((DW_U64)sk);
	if (!o)
		store((DW_U64)sk, &now);
	else if (o->how == DW_OWNER_SHARED)
		found_shared(sk, o, &now);
	else if (o->how == DW_OWNER_INHERIT || (o->how == DW_OWNER_ITER && o->pid == 1))
		rewrite((DW_U64)sk, o, &now);
	else if (o->pid != now.pid && now.pid != 1)
		found_shared(sk, o, &now);
	if (scan == OWNER_SCAN_MARK && o && o->pid == now.pid && now.pid != 1 && is_listener(sk))
		set_how((DW_U64)sk, o, marked);
	if (sk->sk_protocol == IPPROTO_MPTCP && scan == OWNER_SCAN_FILL)
		subflows((struct mptcp_sock *)sk, &now);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
