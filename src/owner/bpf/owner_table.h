/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner_table: the maps of the owner service, and the functions that change them. Part of owner.bpf.c. Input: a
 * socket, and the process that made, accepted or used it. Output: `owners`, `last_users`, `senders`; the suspects,
 * which ask user space to scan. Invariant: as in owner.bpf.c. */
/* Owners that could not be stored; see owner_drops(). */
DW_U64 drops;
/* Set when a process that has a listener forks, or a process other than the last user uses a non-TCP socket. Reset by
 * user space. */
DW_U32 listener_suspect, datagram_suspect;
/* Set when a process other than its listener's owner sends on a connection that nobody was seen to accept. Reset by
 * user space. */
DW_U32 accept_missed;
/* Roughly: accepts that owner_accept saw, and those of them that changed an owner. */
DW_U32 accepts_seen, accepts_needed;
/* Set by owner_iter: several processes hold a listener, or a non-TCP socket. */
DW_U32 listener_shared, datagram_shared;
/* Set when a process uses a connection that belonged to another. From then on calls that write are noted, since another
 * process or an interrupt may send the data. by_calls: also when a process with a connection forks; from then on calls
 * that receive are noted, too. */
DW_U32 stream_shared;
/* Set when a process exits whose sockets other processes hold. Reset by user space. */
DW_U32 orphaned;
/* Set when the first thread gets a record in `senders`. */
DW_U32 senders_noted;
/* Set by user space: what owner_iter does (OWNER_SCAN_*), and the mark that it gives to listeners that their owners
 * hold. */
DW_U32 scan, marked;
/* Set by user space: there is no cgroup2, or its root is not the machine's. Of sockets outside it, only the end of TCP
 * sockets is seen. */
DW_U32 partial;
/* Set by user space: no script sees sockets of TCP and MPTCP. They have no entries, and programs that only follow
 * connections are not attached. */
DW_U32 datagrams;
/* Set by user space: no program looks for the owners of connections in TIME_WAIT. */
DW_U32 ended_unread;
/* Set by user space: no script sees packets, so owner_egress is not attached. Calls that send or close show who uses a
 * connection. */
DW_U32 by_calls;
/* Set by user space: a program of the script follows owner_state, owner_egress. */
DW_U32 state_followed, egress_followed;
/* Set by user space: the factor of ends_key(). */
DW_U64 ends_factor;

/* The sockets that were closed last on this CPU while some of their packets were still queued. */
#define ENDED 256
struct ended {
	DW_U64 next;
	DW_U64 sk[ENDED];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 16384);
	__type(key, DW_U64);
	__type(value, struct dw_owner);
} last_users SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
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

/* Pids, modulo HOLDERS, of processes that have been an owner or were forked by one that had sockets. Forks and exits of
 * all other processes are ignored. */
#define HOLDERS 65536
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

/* The pid of a process in its own pid namespace: the last one in its struct pid. */
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

/* The same task, as a pointer that the verifier does not trust. For each load of a pointer through a trusted one it
 * searches the kernel's BTF by name several times, a millisecond each (since Linux 6.3). */
static __always_inline const struct task_struct *untrusted(const struct task_struct *t)
{
#ifdef OWNER_RECV
	return bpf_rdonly_cast(t, bpf_core_type_id_kernel(struct task_struct));
#else
	return t;
#endif
}

/* Names have 16 bytes, here copied and compared as two words. */
static __always_inline void copy_name(void *to, const void *from)
{
	DW_U64 *x = to;
	const DW_U64 *y = from;

	x[0] = y[0];
	x[1] = y[1];
}

/* What is read of the process's leader. Where loads through pointers are allowed they take a tenth of the helper's
 * time. */
static __always_inline void read_leader(struct dw_owner *o, struct task_struct *t)
{
#ifdef OWNER_RECV
	const struct task_struct *leader = untrusted(t)->group_leader;
	const struct pid *pid = leader->thread_pid;

	o->uid = leader->cred->uid.val;
	o->nspid = pid->level ? number_inside(t) : (DW_U32)pid->numbers[0].nr;
	copy_name(o->comm, leader->comm);
	o->process = (DW_U64)pid;
#else
	o->uid = BPF_CORE_READ(t, group_leader, cred, uid.val);
	o->nspid = number_inside(t);
	BPF_CORE_READ_INTO(&o->comm, t, group_leader, comm);
	o->process = (DW_U64)BPF_CORE_READ(t, group_leader, thread_pid);
#endif
}

/* Describes a process as owner: name and user are those of the process, not of the thread. */
static __always_inline void owner_is(struct dw_owner *o, struct task_struct *t, int tgid, int pid, DW_U32 how)
{
	o->pid = tgid;
	o->tid = pid;
	o->how = how;
	read_leader(o, t);
	o->ended = o->sk = 0;
	set_holder(tgid);
}

static __always_inline void owner_of(struct dw_owner *o, struct task_struct *t, DW_U32 how)
{
	owner_is(o, t, t->tgid, t->pid, how);
}

static __always_inline bool same_name(const void *a, const void *b)
{
	const DW_U64 *x = a, *y = b;

	return x[0] == y[0] && x[1] == y[1];
}

/* Does o describe the process as it is now? A process can change its name by execve(2) or prctl(2), and its user when
 * it drops privileges. While it lives, scripts read these from the process itself; the entry serves events after its
 * exit. */
static __always_inline bool describes(const struct dw_owner *o, const struct task_struct *t)
{
	const struct task_struct *leader;

	if (o->pid != t->tgid)
		return false;
	leader = untrusted(t)->group_leader;
	return o->uid == leader->cred->uid.val && same_name(o->comm, leader->comm);
}

/* ... and as the owner? */
static __always_inline bool is_owner(const struct dw_owner *o, const struct task_struct *t)
{
	return o->how < DW_OWNER_INHERIT && describes(o, t);
}

#include "owner_places.h"

/* The word that has `how` and nspid. */
static __always_inline DW_U32 *how_word(const struct dw_owner *o)
{
	return (DW_U32 *)((char *)o + DW_OWNER_HOW);
}

/* Gives an entry another `how`, and the nspid that is in the same word, unless the socket is shared: it then stays so
 * to its end. False: it is shared. Another process may come to share it at any moment, and its packet, which is on its
 * way, must not be taken for the owner's. */
static __always_inline bool set_word(struct dw_owner *o, DW_U32 new)
{
	DW_U32 old = *(volatile DW_U32 *)how_word(o), seen;

	if ((new & 0xff) == DW_OWNER_CREATE || (new & 0xff) == DW_OWNER_LEFT) {
		*(volatile DW_U32 *)how_word(o) = new;
		return true;
	}
	for (int i = 0; i < 2; i++) {
		if ((old & 0xff) == DW_OWNER_SHARED)
			return false;
		seen = __sync_val_compare_and_swap(how_word(o), old, new);
		if (seen == old)
			return true;
		old = seen;
	}
	return false;
}

/* Gives it another `how` alone. */
static __always_inline bool set_how_of(struct dw_owner *o, DW_U32 how)
{
	return set_word(o, (*(volatile DW_U32 *)how_word(o) & ~0xffu) | how);
}

/* For a few nanoseconds a reader on another CPU may see a mixture of both owners. pid is written last. An entry that is
 * shared stays as it is. */
static __always_inline void rewrite(struct dw_owner *o, const struct dw_owner *now)
{
	if (!set_word(o, *how_word(now)))
		return;
	__builtin_memcpy(o->comm, now->comm, sizeof(o->comm));
	o->tid = now->tid;
	o->uid = now->uid;
	o->process = now->process;
	barrier();
	o->pid = now->pid;
}

/* Sockets of the kernel have no file, so they have no owner. */
static __always_inline bool has_file(const struct sock *sk)
{
#ifdef OWNER_RECV
	const struct sock *number = bpf_rdonly_cast(sk, bpf_core_type_id_kernel(struct sock));
	const struct socket *s = number->sk_socket;

	return s && s->file;
#else
	return BPF_CORE_READ(sk, sk_socket, file);
#endif
}

/* A thread's record in `senders`, which only the thread itself reads and writes, and removes when it exits. */
static __always_inline struct dw_sender *sender(const struct task_struct *t)
{
	DW_U32 tid = (DW_U32)t->pid;

	return bpf_map_lookup_elem(&senders, &tid);
}

/* old: its record; NULL: it has none. */
static __always_inline void note_sender(struct dw_sender *old, const struct dw_sender *now)
{
	DW_U32 tid = (DW_U32)now->owner.tid;

	if (old) {
		*old = *now;
		return;
	}
	senders_noted = 1;
	if (bpf_map_update_elem(&senders, &tid, now, BPF_ANY))
		drop();
}

/* What an entry says, without a pointer to it: the verifier walks all code twice through which a pointer lives that
 * may be to either table. pid is 0 if there is no entry. For the same reason what changes an entry is not inlined. */
struct said {
	int pid;
	DW_U32 how;
	bool same; /* it describes the process that said_to() was asked about */
};

static __always_inline struct said said_of(DW_U64 key)
{
	const struct dw_owner *o = lookup(key);
	struct said s = { 0 };

	if (o) {
		s.pid = o->pid;
		s.how = o->how;
	}
	return s;
}

static __noinline int store(DW_U64 key, const struct dw_owner *now)
{
	struct dw_owner *o = lookup(key);

	if (o)
		rewrite(o, now);
	else if (place_owner(key, now))
		drop();
	return 0;
}

static __noinline int set_how(DW_U64 key, DW_U32 how)
{
	struct dw_owner *o = lookup(key);

	if (o)
		set_how_of(o, how);
	return 0;
}

/* Removes the entry of a closed socket. later: the entry is still needed, since packets of the socket are queued
 * (sk_wmem_alloc), or for new subflows of an MPTCP connection and SCTP associations, which end after the call. It is
 * then removed after ENDED more such sockets were closed on this CPU. The kernel may reuse the address before: a new
 * socket gets a new entry, except sockets of the kernel, which programs recognise by their struct socket. */
static __always_inline void forget(const void *sk, bool later)
{
	struct ended *e;
	DW_U64 key = (DW_U64)sk;
	DW_U32 zero = 0;

	e = later && said_of(key).pid ? bpf_map_lookup_elem(&ended, &zero) : NULL;
	if (!e) {
		remove(key);
		return;
	}
	set_how(key, DW_OWNER_LEFT);
	key = __sync_lock_test_and_set(&e->sk[__sync_fetch_and_add(&e->next, 1) % ENDED], key);
	if (key && key != (DW_U64)sk && said_of(key).how == DW_OWNER_LEFT)
		remove(key);
}

static __always_inline bool is_stream(DW_U32 protocol)
{
	return protocol == IPPROTO_TCP || protocol == IPPROTO_MPTCP;
}

/* Does nobody read the owners of sockets of that protocol? */
static __always_inline bool is_unread(DW_U32 protocol)
{
	return datagrams && is_stream(protocol);
}

/* Has a socket of that protocol no entry, because nobody reads its owner or its end is not seen? */
static __always_inline bool is_left_out(DW_U32 protocol)
{
	return is_unread(protocol) || (partial && !is_stream(protocol));
}

/* The process of *now uses a non-TCP socket, whose entry o was written for another process. From now on o does not
 * change, and `last_users` has the last user, always written as a whole. */
static __always_inline void share(DW_U64 key, struct dw_owner *o, const struct dw_owner *now)
{
	const struct dw_owner *last = bpf_map_lookup_elem(&last_users, &key);

	if ((!last || last->pid != now->pid || !same_name(last->comm, now->comm)) &&
		bpf_map_update_elem(&last_users, &key, now, BPF_ANY))
		drop();
	barrier();
	o->how = DW_OWNER_SHARED;
}

/* The process of *now becomes the owner of the socket at key, which has a file. An entry with DW_OWNER_LEFT belongs to
 * a closed socket that had the same address, perhaps another process's. */
static __noinline int claim(DW_U64 key, const struct dw_owner *now, bool stream)
{
	struct dw_owner *o = lookup(key);

	if (!o || o->how == DW_OWNER_LEFT)
		return store(key, now);
	if (!stream && (o->how == DW_OWNER_SHARED || o->pid != now->pid)) {
		share(key, o, now);
		return 0;
	}
	if (o->pid != now->pid && o->how != DW_OWNER_INHERIT)
		stream_shared = 1;
	rewrite(o, now);
	return 0;
}

/* Kernels without MPTCP have no such member. */
static __always_inline bool is_subflow(const struct tcp_sock *tcp)
{
	return bpf_core_field_exists(tcp->is_mptcp) && BPF_CORE_READ_BITFIELD_PROBED(tcp, is_mptcp);
}

/* A subflow of MPTCP belongs to the owner of the connection that it is a part of. */
static __noinline bool adopt(const struct tcp_sock *tcp)
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
	/* No process has used the connection yet: take the owner of its first subflow, which is its listener's. */
	if (!parent)
		parent = lookup((DW_U64)BPF_CORE_READ(m, first));
	if (!parent)
		return false;
	now = *parent;
	now.how = DW_OWNER_USE;
	store((DW_U64)tcp, &now);
	return true;
}

/* What the socket's entry says, also of process t. */
static __always_inline struct said said_to(const void *sk, const struct task_struct *t)
{
	const struct dw_owner *o = lookup((DW_U64)sk);
	struct said s = { 0 };

	if (o) {
		s.pid = o->pid;
		s.how = o->how;
		s.same = describes(o, t);
	}
	return s;
}

/* Is the process that said_to() was asked about the owner already? */
static __always_inline bool is_known(struct said s)
{
	return s.same && s.how < DW_OWNER_INHERIT;
}

static __always_inline bool known(const void *sk, const struct task_struct *t)
{
	return is_known(said_to(sk, t));
}

/* The current process t uses sk, and becomes its owner. */
static __always_inline void use_new(struct sock *sk, struct task_struct *t)
{
	struct dw_owner now;

	if (is_left_out(sk->sk_protocol))
		return;
	if (!has_file(sk) &&
		(sk->sk_protocol != IPPROTO_TCP || !is_subflow((struct tcp_sock *)sk) || adopt((struct tcp_sock *)sk)))
		return;
	if (t->flags & PF_KTHREAD)
		return;
	owner_of(&now, t, DW_OWNER_USE);
	claim((DW_U64)sk, &now, is_stream(sk->sk_protocol));
}

/* The current process t becomes the owner of a connection. */
static __noinline int become(DW_U64 key, struct task_struct *t)
{
	struct dw_owner now;

	owner_of(&now, t, DW_OWNER_USE);
	return claim(key, &now, true);
}

/* The current process uses sk, and becomes its owner unless it already is. */
static __always_inline void use(struct sock *sk)
{
	struct task_struct *t = bpf_get_current_task_btf();

	if (!known(sk, t))
		use_new(sk, t);
}

/* The socket of a file, and its family; NULL if the file is not a socket. The pointers are read from tables, so to the
 * verifier they are only numbers. */
static __always_inline struct sock *any_sock_of_file(const struct file *f, unsigned short *family)
{
	struct socket *s;
	struct sock *sk;

	if ((BPF_CORE_READ(f, f_inode, i_mode) & S_IFMT) != S_IFSOCK)
		return NULL;
	s = BPF_CORE_READ(f, private_data);
	if (BPF_CORE_READ(s, file) != f)
		return NULL;
	sk = BPF_CORE_READ(s, sk);
	*family = BPF_CORE_READ(sk, __sk_common.skc_family);
	return sk;
}

/* The same for Internet sockets; NULL for all others. */
static __always_inline struct sock *sock_of_file(const struct file *f)
{
	unsigned short family = 0;
	struct sock *sk = any_sock_of_file(f, &family);

	return family == AF_INET || family == AF_INET6 ? sk : NULL;
}

/* The two by descriptor fd of process t; *f becomes its file. */
static __always_inline struct sock *any_sock_of_fd(
	struct task_struct *t, unsigned int fd, struct file **f, unsigned short *family)
{
	struct fdtable *fdt = BPF_CORE_READ(t, files, fdt);

	if (fd >= BPF_CORE_READ(fdt, max_fds) || bpf_probe_read_kernel(f, sizeof(*f), BPF_CORE_READ(fdt, fd) + fd) ||
		!*f)
		return NULL;
	return any_sock_of_file(*f, family);
}

static __always_inline struct sock *sock_of_fd(struct task_struct *t, unsigned int fd, struct file **f)
{
	unsigned short family = 0;
	struct sock *sk = any_sock_of_fd(t, fd, f, &family);

	return family == AF_INET || family == AF_INET6 ? sk : NULL;
}
