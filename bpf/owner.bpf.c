// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* owner: the kernel half of the owner service (src/run/owner.c): which process owns a socket.
 *
 * Input:  socket creation, connect, listen, accept and use, and once at the start every open file of every process.
 * Output: `owners`, socket -> struct dw_owner, `accepted`, address of a socket -> struct dw_owner, and `senders`.
 * Invariant: a value of `owners` whose member sk is the address of its own socket was written for that socket. sk 0
 * means that several processes use the socket, which is not TCP's. Any other sk means that the kernel copied the value
 * from the listener when the handshake ended (BPF_F_CLONE): inherited, not claimed. `accepted` has entries of sockets
 * that were accepted and not yet used, and the last user of sockets that several processes use, nothing else.
 *
 * Processes that share a datagram socket may send on it at the same time. Were its value rewritten by each, a program
 * could see another's; so who sends is noted for the thread and the CPU, until the packet's other programs have run.
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
#define PF_KTHREAD 0x00200000
#define S_IFMT 0170000
#define S_IFSOCK 0140000
#define TCP_SYN_SENT 2
#define TCP_CLOSE 7
#define TCP_LISTEN 10
/* x86_64; di and orig_ax of struct pt_regs are the other two places that know the machine. */
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
struct task_struct {
	unsigned int flags;
	int pid;
	int tgid;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	const struct cred *cred;
	struct files_struct *files;
	char comm[16];
};
struct pt_regs {
	unsigned long di, orig_ax;
};
struct sock_common {
	unsigned short skc_family;
	volatile unsigned char skc_state;
};
typedef struct {
	int owned;
} socket_lock_t;
struct socket;
struct sock {
	struct sock_common __sk_common;
	socket_lock_t sk_lock;
	unsigned short sk_protocol;
	struct socket *sk_socket;
};
struct inet_sock {
	struct sock sk;
};
struct inet_connection_sock {
	struct inet_sock icsk_inet;
};
struct tcp_sock {
	struct inet_connection_sock inet_conn;
};
struct socket {
	struct file *file;
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
/* What owner_iter does; set by user space. */
DW_U32 scan;

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_CLONE);
	__type(key, int);
	__type(value, struct dw_owner);
} owners SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, DW_U64);
	__type(value, struct dw_owner);
} accepted SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, DW_SENDERS);
	__type(key, DW_U32);
	__type(value, struct dw_owner);
} senders SEC(".maps");

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

/* Describes a process as owner of the socket at sk: the name is that of the process, not of the thread. */
static __always_inline void owner_of(struct dw_owner *o, struct task_struct *t, DW_U32 how, DW_U64 sk)
{
	o->pid = t->tgid;
	o->tid = t->pid;
	o->uid = BPF_CORE_READ(t, cred, uid.val);
	o->how = how;
	o->nspid = number_inside(t);
	o->sk = sk;
	BPF_CORE_READ_INTO(&o->comm, t, group_leader, comm);
}

/* Names are 16 bytes, and aligned as their structures are. */
static __always_inline bool same_name(const void *a, const void *b)
{
	const DW_U64 *x = a, *y = b;

	return x[0] == y[0] && x[1] == y[1];
}

/* Is o what owner_of would say of the process? A process gets a new name by execve(2), or gives it to itself. */
static __always_inline bool is_owner(const struct dw_owner *o, const struct task_struct *t, const void *sk)
{
	return o->pid == t->tgid && o->sk == (DW_U64)sk && same_name(o->comm, t->group_leader->comm);
}

/* A reader on another CPU may for a few nanoseconds see some members changed and some not: pid changes last. */
static __always_inline void rewrite(struct dw_owner *o, const struct dw_owner *now)
{
	__builtin_memcpy(o->comm, now->comm, sizeof(o->comm));
	o->tid = now->tid;
	o->uid = now->uid;
	o->how = now->how;
	o->nspid = now->nspid;
	o->sk = now->sk;
	barrier();
	o->pid = now->pid;
}

/* Sockets of the kernel have no file, and no owner. */
static __always_inline bool has_file(const struct sock *sk)
{
	return BPF_CORE_READ(sk, sk_socket, file);
}

static __always_inline struct dw_owner *sender(const struct task_struct *t)
{
	DW_U32 i = (DW_U32)t->pid % DW_SENDERS;

	return bpf_map_lookup_elem(&senders, &i);
}

/* The process of *now uses a socket other than TCP's, whose value o was written for another process: from now on o is
 * left alone, and `accepted` tells the last user, in one piece. */
static __always_inline void share(struct dw_owner *o, const struct dw_owner *now)
{
	DW_U64 key = now->sk;
	const struct dw_owner *last = bpf_map_lookup_elem(&accepted, &key);

	if ((!last || last->pid != now->pid || !same_name(last->comm, now->comm)) &&
		bpf_map_update_elem(&accepted, &key, now, BPF_ANY)) {
		drop();
		return;
	}
	barrier();
	o->sk = 0;
}

/* The process of *now becomes owner of sk, any verified pointer to a socket with a file. */
static __always_inline void claim(void *sk, const struct dw_owner *now, bool tcp)
{
	struct dw_owner *o = bpf_sk_storage_get(&owners, sk, (void *)now, BPF_SK_STORAGE_GET_F_CREATE);
	DW_U64 key = now->sk;

	if (!o) {
		drop();
		return;
	}
	if (!tcp && (!o->sk || (o->sk == key && o->pid != now->pid))) {
		share(o, now);
		return;
	}
	if (o->sk == key && o->pid != now->pid)
		stream_shared = 1;
	rewrite(o, now);
	bpf_map_delete_elem(&accepted, &key);
}

/* The current process uses sk, and becomes its owner unless it is that already. */
static __always_inline void use(struct sock *sk)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct dw_owner *o = bpf_sk_storage_get(&owners, sk, 0, 0);
	struct dw_owner now;

	if ((o && is_owner(o, t, sk)) || t->flags & PF_KTHREAD || !has_file(sk))
		return;
	owner_of(&now, t, DW_OWNER_USE, (DW_U64)sk);
	claim(sk, &now, sk->sk_protocol == IPPROTO_TCP);
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
	owner_of(&now, t, DW_OWNER_CREATE, (DW_U64)ctx);
	if (!bpf_sk_storage_get(&owners, ctx, &now, BPF_SK_STORAGE_GET_F_CREATE))
		drop();
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

/* A packet of a socket other than TCP's, and not by the owner: o is NULL or tells several processes or another one. */
static __always_inline void egress_other(struct bpf_sock *sk, struct task_struct *t, struct dw_owner *o)
{
	struct dw_owner now, *s;

	s = sender(t);
	if (!sends_other(t, sk)) {
		/* What the thread sent on this socket before does not tell whose this packet is. */
		if (s && s->sk == (DW_U64)sk)
			s->sk = 0;
		return;
	}
	owner_of(&now, t, DW_OWNER_USE, (DW_U64)sk);
	if (o && o->pid != now.pid)
		datagram_suspect = 1;
	if (s && o)
		*s = now;
	claim(sk, &now, false);
}

static __always_inline void egress_slow(struct bpf_sock *sk, struct task_struct *t, struct dw_owner *o)
{
	struct dw_owner now;
	struct tcp_sock *tcp;

	if (t->flags & PF_KTHREAD)
		return;
	tcp = bpf_skc_to_tcp_sock(sk);
	if (!tcp) {
		egress_other(sk, t, o);
		return;
	}
	if (!sends_tcp(&tcp->inet_conn.icsk_inet.sk))
		return;
	if (o && o->pid != t->tgid && o->sk != (DW_U64)sk)
		listener_suspect = 1;
	owner_of(&now, t, DW_OWNER_USE, (DW_U64)sk);
	claim(sk, &now, true);
}

/* Every packet on its way out, before the programs of a script see it. The hook gives a full socket: for a SYN-ACK the
 * listener. */
SEC("cgroup_skb/egress")
int owner_egress(struct __sk_buff *skb)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct bpf_sock *sk = skb->sk;
	struct dw_owner *o;

	if (!sk)
		return 1;
	o = bpf_sk_storage_get(&owners, sk, 0, 0);
	if (!o || !is_owner(o, t, sk))
		egress_slow(sk, t, o);
	return 1;
}

/* accept(2) with room for the peer's address asks the new socket for it; so does getpeername(2), which is a use too. */
static __always_inline int peer(struct bpf_sock_addr *ctx)
{
	struct task_struct *t = bpf_get_current_task_btf();
	struct bpf_sock *sk = ctx->sk;
	struct dw_owner now, *o;

	if (!sk)
		return 1;
	o = bpf_sk_storage_get(&owners, sk, 0, 0);
	if ((o && is_owner(o, t, sk)) || t->flags & PF_KTHREAD)
		return 1;
	owner_of(&now, t, DW_OWNER_USE, (DW_U64)sk);
	claim(sk, &now, ctx->protocol == IPPROTO_TCP);
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

#ifndef OWNER_NO_RECV
/* The end of every receive call, of sockets of every family, in the process that calls. */
SEC("tp_btf/sock_recv_length")
int owner_recv(DW_U64 *args)
{
	struct sock *sk = (struct sock *)args[0];

	if (is_inet(sk))
		use(sk);
	return 0;
}

/* The end of every send call, likewise. A connection's new holder may have written what must wait for the other side,
 * and is sent by an interrupt. Datagrams do not wait. */
SEC("tp_btf/sock_send_length")
int owner_send(DW_U64 *args)
{
	struct sock *sk = (struct sock *)args[0];

	if (is_inet(sk) && sk->sk_protocol == IPPROTO_TCP)
		use(sk);
	return 0;
}

#endif

/* The last descriptor of a socket is closed. */
SEC("cgroup/sock_release")
int owner_release(struct bpf_sock *ctx)
{
	const struct dw_owner *o = bpf_sk_storage_get(&owners, ctx, 0, 0);
	DW_U64 key = (DW_U64)ctx;

	if (o && !o->sk)
		bpf_map_delete_elem(&accepted, &key);
	return 1;
}

SEC("tp_btf/inet_sock_set_state")
int owner_state(DW_U64 *args)
{
	int old = (int)args[1], new = (int)args[2];

	if (new == TCP_LISTEN || (new == TCP_SYN_SENT &&old == TCP_CLOSE))
		use((struct sock *)args[0]);
	return 0;
}

static __always_inline void accept_done(struct task_struct *t, unsigned int fd)
{
	struct file *f = NULL, *again = NULL;
	struct sock *sk = sock_of_fd(t, fd, &f);
	struct dw_owner now;
	DW_U64 key = (DW_U64)sk;

	/* Only of TCP sockets does owner_destroy hear the end. */
	if (!sk || BPF_CORE_READ(sk, sk_protocol) != IPPROTO_TCP)
		return;
	owner_of(&now, t, DW_OWNER_ACCEPT, key);
	if (bpf_map_update_elem(&accepted, &key, &now, BPF_ANY)) {
		drop();
		return;
	}
	/* Another thread may have closed the descriptor already, and the socket may have been destroyed before the
	 * entry was made: then nothing else would ever remove the entry. */
	if (sock_of_fd(t, fd, &again) != sk || again != f)
		bpf_map_delete_elem(&accepted, &key);
}

/* The walk from a descriptor to its socket gives a pointer that the storage helpers do not take: hence `accepted`. */
SEC("tp_btf/sys_exit")
int owner_accept(DW_U64 *args)
{
	const struct pt_regs *regs = (const struct pt_regs *)args[0];
	long ret = (long)args[1];

	if ((regs->orig_ax == NR_ACCEPT4 || regs->orig_ax == NR_ACCEPT) && ret >= 0)
		accept_done(bpf_get_current_task_btf(), (unsigned int)ret);
	return 0;
}

SEC("tp_btf/tcp_destroy_sock")
int owner_destroy(DW_U64 *args)
{
	DW_U64 key = args[0];

	bpf_map_delete_elem(&accepted, &key);
	return 0;
}

static __always_inline bool is_listener(const struct sock *sk)
{
	return sk->__sk_common.skc_state == TCP_LISTEN && sk->sk_protocol == IPPROTO_TCP;
}

/* The process of *now holds sk, of which o has another owner. Processes come in the order of their numbers. At first
 * (OWNER_SCAN_FILL) the lowest owns a socket. Later the owner of a listener may hold it no more: one scan
 * (OWNER_SCAN_TAKE) gives it to its last holder, the next (OWNER_SCAN_CHECK) back to its first. */
static __always_inline void found_shared(const struct sock *sk, struct dw_owner *o, const struct dw_owner *now)
{
	if (!is_listener(sk)) {
		if (scan != OWNER_SCAN_TAKE && sk->sk_protocol != IPPROTO_TCP)
			datagram_shared = 1;
		return;
	}
	if (scan != OWNER_SCAN_TAKE)
		listener_shared = 1;
	if (scan == OWNER_SCAN_TAKE || (scan == OWNER_SCAN_CHECK && now->pid < o->pid))
		rewrite(o, now);
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

	if (!file || !t)
		return 0;
	s = bpf_sock_from_file(file);
	if (!s)
		return 0;
	sk = s->sk;
	if (!sk || !is_inet(sk))
		return 0;
	owner_of(&now, t, DW_OWNER_ITER, (DW_U64)sk);
	o = bpf_sk_storage_get(&owners, sk, &now, BPF_SK_STORAGE_GET_F_CREATE);
	if (!o)
		drop();
	else if (!o->sk)
		found_shared(sk, o, &now);
	else if (o->sk != now.sk || (o->how == DW_OWNER_ITER && o->pid == 1))
		rewrite(o, &now);
	else if (o->pid != now.pid && now.pid != 1)
		found_shared(sk, o, &now);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
