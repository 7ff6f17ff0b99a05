/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner_old: the kernel's half of the owner service for Linux 5.8 to 5.16, which lack what owner.bpf.c needs: programs
 * that load others (5.14), bpf_loop() (5.17), bpf_get_current_task_btf() and socket storage in tracepoints (5.11),
 * atomic exchanges (5.12). Read src/owner/owner.h first.
 *
 * Input:  fentry and fexit of the kernel's functions behind socket(2), connect(2), accept(2), send(2), recv(2) and
 *         close(2), which run in the calling process; two tracepoints; at the start every open file of every process.
 * Output: the maps `owners`, `last_users` and `senders` as owner.bpf.c keeps them, and struct owner_state.
 * Invariant: an entry of `owners` lives as long as its socket: up to inet_sock_destruct(), when no packet has it; but
 * for entries of connections that this side closed first, as in owner_ended.h.
 *
 * The kernel's structures are read by a helper, at offsets that owner_old.c finds in BTF: the address of the symbol
 * at_TAG__MEMBER is such an offset, that of map_NAME is a map. bpf/gen_owner.py lists where they stand. */
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>

#include "abi/abi.h"
#include "abi/owner_scan.h"

#define AF_INET 2
#define AF_INET6 10
#define IPPROTO_TCP 6
#define IPPROTO_MPTCP 262
#define PF_EXITING 0x00000004
#define PF_KTHREAD 0x00200000
#define S_IFMT 0170000
#define S_IFSOCK 0140000
#define TCP_SYN_RECV 3
#define TCP_FIN_WAIT2 5
#define TCP_LISTEN 10
#define TCP_CLOSING 11
#define IN6_MAPPED 0xffff0000 /* the third word of an IPv4 address as IPv6, in memory's order */
#define SIZEOF_UPID 16        /* struct upid: a number and a pointer */

#define OFFSET(member)                   \
	({                               \
		extern char at_##member; \
		(DW_U64) & at_##member;  \
	})
#define MAP(name)                       \
	({                              \
		extern char map_##name; \
		(void *)&map_##name;    \
	})
#define READ(type, base, member)                                                                   \
	({                                                                                         \
		type value_ = 0;                                                                   \
		bpf_probe_read_kernel(&value_, sizeof(value_), (void *)((base) + OFFSET(member))); \
		value_;                                                                            \
	})

/* The same address as a number: the verifier lets no one calculate with some of the pointers that it knows. */
static __always_inline DW_U64 number(DW_U64 pointer)
{
	DW_U64 n = 0;

	bpf_probe_read_kernel(&n, sizeof(n), &pointer);
	return n;
}

static __always_inline struct owner_state *state(void)
{
	DW_U32 zero = 0;

	return bpf_map_lookup_elem(MAP(state), &zero);
}

static __always_inline DW_U8 *holder(DW_U32 pid)
{
	DW_U32 zero = 0;
	struct owner_holders *h = bpf_map_lookup_elem(MAP(holders), &zero);

	return h ? &h->is[pid % OWNER_HOLDERS] : NULL;
}

static __always_inline bool is_gone(DW_S32 pid)
{
	const DW_U8 *is = holder((DW_U32)pid);

	return is && *is == OWNER_HOLDER_GONE;
}

static __always_inline void drop(void)
{
	struct owner_state *s = state();

	if (s)
		__sync_fetch_and_add(&s->drops, 1);
}

static __always_inline void put(void *map, DW_U64 key, const struct dw_owner *now)
{
	if (bpf_map_update_elem(map, &key, now, BPF_ANY))
		drop();
}

/* Describes a process as owner: name and user are those of the process, not of the thread t. */
static __always_inline void owner_of(struct dw_owner *o, DW_U64 t, DW_U32 how)
{
	const DW_U64 leader = READ(DW_U64, t, task_struct__group_leader);
	const DW_U64 pid = READ(DW_U64, leader, task_struct__thread_pid);
	DW_U32 nspid = 0;
	DW_U8 *is;

	__builtin_memset(o, 0, sizeof(*o));
	bpf_probe_read_kernel(&nspid, sizeof(nspid),
		(void *)(pid + OFFSET(pid__numbers) + READ(DW_U32, pid, pid__level) * (DW_U64)SIZEOF_UPID));
	o->pid = READ(DW_S32, t, task_struct__tgid);
	o->tid = READ(DW_S32, t, task_struct__pid);
	o->uid = READ(DW_U32, READ(DW_U64, leader, task_struct__cred), cred__uid);
	o->how = how;
	o->nspid = nspid;
	o->process = pid;
	bpf_probe_read_kernel(o->comm, sizeof(o->comm), (void *)(leader + OFFSET(task_struct__comm)));
	is = holder((DW_U32)o->pid);
	if (is)
		*is = OWNER_HOLDER_LIVES;
}

static __always_inline bool is_stream(DW_U64 sk)
{
	const unsigned short protocol = READ(unsigned short, sk, sock__sk_protocol);

	return protocol == IPPROTO_TCP || protocol == IPPROTO_MPTCP;
}

/* A datagram socket that several processes use keeps its first owner; `last_users` has the last. */
static __always_inline void claim(DW_U64 sk, struct dw_owner *now)
{
	struct dw_owner *o = bpf_map_lookup_elem(MAP(owners), &sk);

	if (!o || is_stream(sk) || (o->how != DW_OWNER_SHARED && (o->pid == now->pid || is_gone(o->pid)))) {
		put(MAP(owners), sk, now);
		return;
	}
	put(MAP(last_users), sk, now);
	o->how = DW_OWNER_SHARED;
}

/* Is the owner up to date for this process? Threads count as one; its name may have changed. */
static __always_inline bool is_current(const struct dw_owner *o, const struct dw_owner *now)
{
	const DW_U64 *a = (const void *)o->comm, *b = (const void *)now->comm;

	return o->pid == now->pid && o->how < DW_OWNER_INHERIT && o->uid == now->uid && a[0] == b[0] && a[1] == b[1];
}

/* The current process sends on a socket that others use too: for programs that see the packet, until it sends again. */
static __always_inline void note_sender(DW_U64 sk, const struct dw_owner *now)
{
	struct dw_sender s = { .sk = sk, .owner = *now };
	DW_U32 tid = (DW_U32)now->tid;

	if (bpf_map_update_elem(MAP(senders), &tid, &s, BPF_ANY))
		drop();
}

/* The current process uses the socket. Sockets of the kernel have no file, and no owner. */
static __always_inline int use(DW_U64 socket, DW_U32 how, bool sends)
{
	const DW_U64 t = bpf_get_current_task(), sk = READ(DW_U64, socket, socket__sk);
	const struct dw_owner *o;
	struct dw_owner now;

	if (!sk || READ(DW_U32, t, task_struct__flags) & PF_KTHREAD)
		return 0;
	if (how != DW_OWNER_CREATE && !READ(DW_U64, socket, socket__file))
		return 0;
	owner_of(&now, t, how);
	o = bpf_map_lookup_elem(MAP(owners), &sk);
	if (!o || !is_current(o, &now))
		claim(sk, &now);
	o = bpf_map_lookup_elem(MAP(owners), &sk);
	if (sends && o && o->how == DW_OWNER_SHARED)
		note_sender(sk, &now);
	return 0;
}

/* The kernel stores only as many bytes of a function's argument as its type has; the rest of the word is anything. */

/* inet_create(net, socket, protocol, kern), its result: socket(2). */
SEC("create")
int owner_create(DW_U64 *args)
{
	return (int)args[4] || (int)args[3] ? 0 : use(number(args[1]), DW_OWNER_CREATE, false);
}

/* Functions whose first argument is a socket, where they begin. */
SEC("use")
int owner_use(DW_U64 *args)
{
	return use(number(args[0]), DW_OWNER_USE, false);
}

SEC("send")
int owner_send(DW_U64 *args)
{
	return use(number(args[0]), DW_OWNER_USE, true);
}

/* inet_accept(listener, new socket, flags, kern), its result. The listener is its process's too: those that share a
 * port have been given to workers. */
SEC("accept")
int owner_accept(DW_U64 *args)
{
	if ((int)args[4] || (unsigned char)args[3])
		return 0;
	return use(number(args[1]), DW_OWNER_ACCEPT, false);
}

/* inet_csk_clone_lock(listener, request, ...) makes the socket of a connection, in an interrupt or with interrupts of
 * the network held off. */
SEC("clone")
int owner_clone(DW_U64 *args)
{
	DW_U64 *listener, key = number(args[0]);
	DW_U32 zero = 0;

	listener = bpf_map_lookup_elem(MAP(listener), &zero);
	if (listener)
		*listener = key;
	return 0;
}

static __always_inline DW_U64 key_add_ipv6(DW_U64 factor, DW_U64 key, const DW_U64 *a)
{
	return dw_mix(factor, dw_mix(factor, key, a[0]), a[1]);
}

/* As owner_ended.h makes it of a connection's ends, and dlib/net/net.d. */
static __always_inline DW_U64 ends_key(DW_U64 factor, DW_U64 sk)
{
	const DW_U64 net = READ(DW_U64, sk, sock_common__skc_net);
	DW_U64 key = 0, near[2] = {}, far[2] = {};

	bpf_probe_read_kernel(near, sizeof(near), (void *)(sk + OFFSET(sock_common__skc_v6_rcv_saddr)));
	bpf_probe_read_kernel(far, sizeof(far), (void *)(sk + OFFSET(sock_common__skc_v6_daddr)));
	if (READ(unsigned short, sk, sock_common__skc_family) == AF_INET || (!far[0] && (DW_U32)far[1] == IN6_MAPPED)) {
		key = dw_mix(factor, key,
			(DW_U64)READ(DW_U32, sk, sock_common__skc_rcv_saddr) << 32 |
				READ(DW_U32, sk, sock_common__skc_daddr));
	} else {
		key = key_add_ipv6(factor, key, near);
		key = key_add_ipv6(factor, key, far);
	}
	key = dw_mix(factor, key,
		(DW_U64)READ(DW_U32, net + OFFSET(net__ns), ns_common__inum) << 32 |
			(DW_U32)READ(unsigned short, sk, sock_common__skc_num) << 16 |
			READ(unsigned short, sk, sock_common__skc_dport));
	return key & 0x7fffffffffffffff;
}

/* The socket may become a small one now, whose owner is found by the connection's ends: see owner_ended.h. The rings
 * are of CPUs, as there are no atomic exchanges: an interrupt that comes in between may leave one entry for good. */
static __always_inline int may_end(DW_U64 sk)
{
	const struct dw_owner *o = bpf_map_lookup_elem(MAP(owners), &sk);
	const struct owner_state *s = state();
	struct owner_ended *e;
	struct dw_owner now;
	DW_U64 key, left;
	DW_U32 zero = 0;

	if (!s)
		return 0;
	key = ends_key(s->ends_factor, sk);
	e = bpf_map_lookup_elem(MAP(ended), &zero);
	if (!o || !e) {
		bpf_map_delete_elem(MAP(owners), &key);
		return 0;
	}
	now = *o;
	now.how = DW_OWNER_USE;
	now.sk = sk;
	now.ended = ++e->n | (DW_U64)bpf_get_smp_processor_id() << 48;
	put(MAP(owners), key, &now);
	left = e->key[now.ended % OWNER_ENDED];
	e->key[now.ended % OWNER_ENDED] = key;
	o = left ? bpf_map_lookup_elem(MAP(owners), &left) : NULL;
	if (o && o->ended + OWNER_ENDED == now.ended)
		bpf_map_delete_elem(MAP(owners), &left);
	return 0;
}

/* inet_sock_set_state(socket, old, new): what the function above makes. It has its listener's owner until a process
 * accepts it. And the end of connections that this side closes first. */
SEC("state")
int owner_state(DW_U64 *args)
{
	const DW_U64 sk = number(args[0]), *listener;
	struct dw_owner now, *o;
	DW_U32 zero = 0;
	DW_U64 key;

	if (((int)args[2] == TCP_FIN_WAIT2 || (int)args[2] == TCP_CLOSING) &&
		READ(unsigned short, sk, sock__sk_protocol) == IPPROTO_TCP)
		return may_end(sk);
	if ((int)args[1] != TCP_LISTEN || (int)args[2] != TCP_SYN_RECV)
		return 0;
	listener = bpf_map_lookup_elem(MAP(listener), &zero);
	if (!listener)
		return 0;
	key = *listener;
	o = bpf_map_lookup_elem(MAP(owners), &key);
	if (!o)
		return 0;
	now = *o;
	now.how = DW_OWNER_INHERIT;
	put(MAP(owners), sk, &now);
	return 0;
}

/* inet_sock_destruct(socket): the end of every Internet socket. */
SEC("destruct")
int owner_destruct(DW_U64 *args)
{
	DW_U64 sk = number(args[0]);

	bpf_map_delete_elem(MAP(owners), &sk);
	bpf_map_delete_elem(MAP(last_users), &sk);
	return 0;
}

/* sched_process_exit(thread): its sockets pass to whoever uses them next, or to a process that the next scan finds. */
SEC("exit")
int owner_exit(DW_U64 *args)
{
	const DW_U64 t = number(args[0]);
	DW_U8 *is = holder(READ(DW_U32, t, task_struct__tgid));
	struct owner_state *s = state();
	DW_U32 tid = READ(DW_U32, t, task_struct__pid);

	bpf_map_delete_elem(MAP(senders), &tid);
	if (!is || !s || *is != OWNER_HOLDER_LIVES ||
		READ(DW_S32, READ(DW_U64, t, task_struct__signal), signal_struct__live) > 0)
		return 0;
	*is = OWNER_HOLDER_GONE;
	s->orphaned = 1;
	return 0;
}

/* The Internet socket of a file; 0: it is none. */
static __always_inline DW_U64 sock_of_file(DW_U64 file)
{
	DW_U64 socket, sk;
	unsigned short family;

	if ((READ(unsigned short, READ(DW_U64, file, file__f_inode), inode__i_mode) & S_IFMT) != S_IFSOCK)
		return 0;
	socket = READ(DW_U64, file, file__private_data);
	if (READ(DW_U64, socket, socket__file) != file)
		return 0;
	sk = READ(DW_U64, socket, socket__sk);
	family = READ(unsigned short, sk, sock_common__skc_family);
	return family == AF_INET || family == AF_INET6 ? sk : 0;
}

/* The context of iter/task_file: meta, task, fd, file; NULL at the end. A socket without an owner, or whose owner has
 * exited, gets the first process that holds it: that with the lowest pid. Any other is preferred to process 1, which
 * keeps a copy of the listeners of the services that it starts. */
SEC("iter")
int owner_iter(DW_U64 *ctx)
{
	const DW_U64 t = number(ctx[1]), file = number(ctx[3]);
	struct dw_owner now, *o, *last;
	DW_U64 sk;

	sk = t && file ? sock_of_file(file) : 0;
	if (!sk || READ(DW_U32, t, task_struct__flags) & (PF_EXITING | PF_KTHREAD))
		return 0;
	owner_of(&now, t, DW_OWNER_ITER);
	o = bpf_map_lookup_elem(MAP(owners), &sk);
	if (!o || o->how == DW_OWNER_INHERIT || (o->how == DW_OWNER_ITER && o->pid == 1)) {
		put(MAP(owners), sk, &now);
		return 0;
	}
	if (o->how != DW_OWNER_SHARED) {
		if (is_gone(o->pid))
			put(MAP(owners), sk, &now);
		return 0;
	}
	last = bpf_map_lookup_elem(MAP(last_users), &sk);
	if (!last || is_gone(last->pid))
		put(MAP(last_users), sk, &now);
	return 0;
}
