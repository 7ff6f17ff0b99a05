/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner_files: sockets that processes hold without using them: sockets inherited by a fork, sockets left by an exit,
 * and the open files of all processes. Part of owner.bpf.c.
 *
 * Input: processes that fork and exit; the iterator over all open files.
 * Output: changed owners; suspects: a listener or datagram socket that several processes hold.
 * Cost: a fork reads at most LOOK_MOST files; an exit reads only files that other processes hold, too. */
/* ---- fork and exit: the holder of a socket changes, though nobody uses it ---- */
#define HEIRS 4
#define LOOK_MOST 1024 /* files of a forking process; beyond, assume a listener and a datagram socket */
struct walk {
	struct task_struct *t;
	DW_U64 word, bits;         /* of the open descriptors: the current word, and its remaining bits */
	DW_U32 listener, datagram; /* 1: one is among the files */
	DW_U32 stream;             /* 1: likewise a connection, of those that were looked at */
	DW_U32 looked;             /* files looked at so far */
	DW_U64 heirs[HEIRS];       /* an exiting process's children */
};

/* 1 if x is not 0, else 0: without a branch, of which the verifier would walk both sides to the end of the program. */
static __always_inline DW_U64 is_set(DW_U64 x)
{
	x |= -x;
	asm volatile("" : "+r"(x)); /* the compiler would make a comparison of it */
	return x >> 63;
}

/* The next open descriptor in the word. */
static __always_inline DW_U64 next_fd(struct walk *w)
{
	DW_U64 low = w->bits & -w->bits;

	w->bits ^= low;
	return w->word * 64 + (DW_U64)__builtin_popcountll(low - 1);
}

/* Enters word i of the bitmap. Returns how many descriptors are open in it. */
static __always_inline DW_U32 enter_word(DW_U64 i, struct walk *w)
{
	const struct task_struct *t = w->t; /* w is not a structure of the kernel: CO-RE must not relocate it */

	w->word = i;
	w->bits = 0;
	bpf_probe_read_kernel(&w->bits, sizeof(w->bits), BPF_CORE_READ(t, files, fdt, open_fds) + i);
	return (DW_U32)__builtin_popcountll(w->bits);
}

static long held_file(DW_U64 i, struct walk *w)
{
	struct file *f = NULL;
	DW_U64 fd = next_fd(w);
	struct sock *sk = sock_of_fd(w->t, (unsigned int)fd, &f);

	(void)i;
	if (!sk)
		return 0;
	if (!is_stream(BPF_CORE_READ(sk, sk_protocol)))
		w->datagram |= 1;
	else if (BPF_CORE_READ(sk, __sk_common.skc_state) == TCP_LISTEN)
		w->listener |= 1;
	else
		w->stream |= 1;
	return w->listener && w->datagram && w->stream; /* all are found: end the loop */
}

static long held_word(DW_U64 i, struct walk *w)
{
	DW_U32 n = enter_word(i, w);

	/* A sum of unknown values: the verifier would see a new state in each turn of a counter. */
	w->looked += n;
	if (w->looked > LOOK_MOST) {
		w->listener |= 1; /* assume all; the iterator finds out */
		w->datagram |= 1;
		w->stream |= 1;
		return 1;
	}
	bpf_loop(n, held_file, w, 0);
	return w->listener && w->datagram && w->stream;
}

/* Do other processes hold this file of an exiting process? */
static __always_inline bool is_held(const struct file *f)
{
	const struct file___count *counted = (const void *)f;
	const struct file___ref *ref = (const void *)f;

	if (bpf_core_field_exists(counted->f_count.counter))
		return BPF_CORE_READ(counted, f_count.counter) > 1;
	return BPF_CORE_READ(ref, f_ref.refcnt.counter) > 0;
}

static __always_inline struct file *file_of_fd(struct task_struct *t, DW_U64 fd)
{
	struct fdtable *fdt = BPF_CORE_READ(t, files, fdt);
	struct file *f = NULL;

	if (fd < BPF_CORE_READ(fdt, max_fds))
		bpf_probe_read_kernel(&f, sizeof(f), BPF_CORE_READ(fdt, fd) + fd);
	return f;
}

/* A child that has the same file under the same descriptor. A server often opens a socket, forks the process that
 * serves it, and exits. What cannot be read, as of a child that is NULL, reads as 0. */
static __always_inline struct task_struct *heir_of(const struct walk *w, DW_U64 fd, const struct file *f)
{
	DW_U64 heir = 0;

#pragma unroll
	for (int i = 0; i < HEIRS; i++) {
		struct task_struct *child = (struct task_struct *)w->heirs[i];
		struct fdtable *fdt = BPF_CORE_READ(child, files, fdt);
		DW_U64 within = (fd - (DW_U64)BPF_CORE_READ(fdt, max_fds)) >> 63, other = 0;

		bpf_probe_read_kernel(&other, sizeof(other), BPF_CORE_READ(fdt, fd) + fd);
		heir |= (1 - is_set(heir)) * within * (1 - is_set(other ^ (DW_U64)f)) * w->heirs[i];
	}
	return (struct task_struct *)heir;
}

/* The entry of a socket, or its value in last_users, belonged to the exiting process and now belongs to its child. */
static __always_inline void inherit_file(DW_U64 key, bool shared, struct task_struct *heir)
{
	struct dw_owner now;

	owner_is(&now, heir, BPF_CORE_READ(heir, tgid), BPF_CORE_READ(heir, pid), DW_OWNER_ITER);
	if (!shared)
		store(key, &now);
	else if (bpf_map_update_elem(&last_users, &key, &now, BPF_ANY))
		drop();
}

/* A socket of the exiting process passes to its child, or to the next process that uses it, or to the one that a scan
 * finds. The same applies to a shared socket that the process was the last to use. */
static long left_file(DW_U64 i, struct walk *w)
{
	struct task_struct *t = w->t;
	DW_U64 fd = next_fd(w);
	struct file *f = file_of_fd(t, fd);
	/* Most files are closed with their process, so the cheapest test, the number of holders, comes first. */
	struct sock *sk = f && is_held(f) ? sock_of_fd(t, (unsigned int)fd, &f) : NULL;
	DW_U64 key = (DW_U64)sk;
	const struct dw_owner *last;
	struct task_struct *heir;
	struct said s;
	bool shared;

	(void)i;
	if (!sk)
		return 0;
	s = said_of(key);
	shared = s.how == DW_OWNER_SHARED;
	if (shared) {
		last = bpf_map_lookup_elem(&last_users, &key);
		s.pid = last ? last->pid : 0;
		s.how = last ? last->how : DW_OWNER_NONE;
	}
	if (s.pid != w->t->tgid || s.how >= DW_OWNER_INHERIT)
		return 0;
	heir = heir_of(w, fd, f);
	if (heir) {
		inherit_file(key, shared, heir);
		return 0;
	}
	if (shared) {
		bpf_map_delete_elem(&last_users, &key);
		datagram_shared = 1;
	} else {
		set_how(key, DW_OWNER_INHERIT);
	}
	orphaned = 1;
	return 0;
}

static long left_word(DW_U64 i, struct walk *w)
{
	bpf_loop(enter_word(i, w), left_file, w, 0);
	return 0;
}

/* The oldest children of an exiting process. Afterwards the kernel gives them to other parents. */
static __always_inline void find_heirs(struct walk *w)
{
	const struct task_struct *t = w->t;
	const void *n = BPF_CORE_READ(t, children.next);
	DW_U64 more = 1, head = 0;

	bpf_probe_read_kernel(&head, sizeof(head), &w->t); /* as a number, with which the verifier lets us compute */
	head += bpf_core_field_offset(struct task_struct, children);
#pragma unroll
	for (int i = 0; i < HEIRS; i++) {
		more &= is_set((DW_U64)n) & is_set((DW_U64)n ^ head);
		w->heirs[i] = more * ((DW_U64)n - bpf_core_field_offset(struct task_struct, sibling));
		n = BPF_CORE_READ((const struct list_head *)n, next);
	}
}

/* Words of the bitmap of open descriptors. A process with a million descriptors has 16,384 words, which take a
 * fraction of a millisecond. The kernel copies or closes each of its files at the same moment, which takes much
 * longer. */
static __always_inline DW_U32 words_of(struct task_struct *t)
{
	return BPF_CORE_READ(t, files, fdt, max_fds) / 64;
}

/* A new process holds its parent's sockets, and may use them without sending. */
SEC("tp_btf/sched_process_fork")
int owner_fork(DW_U64 *args)
{
	struct task_struct *parent = (struct task_struct *)args[0], *child = (struct task_struct *)args[1];
	const unsigned char *is = holder(parent->tgid);
	struct walk w;

	if (!is || !*is || parent->tgid == child->tgid)
		return 0;
	/* Zeroes, but the verifier takes them for any numbers. Else it would walk the loop for each of the numbers that
	 * may be there. */
	bpf_probe_read_kernel(&w, sizeof(w), NULL);
	w.t = parent;
	bpf_loop(words_of(parent), held_word, &w, 0);
	if (w.listener | w.datagram)
		set_holder(child->tgid);
	if (w.listener)
		listener_suspect = 1;
	if (w.datagram)
		datagram_suspect = 1;
	if (w.stream & by_calls)
		stream_shared = 1;
	return 0;
}

SEC("tp_btf/sched_process_exit")
int owner_exit(DW_U64 *args)
{
	struct task_struct *t = (struct task_struct *)args[0];
	unsigned char *is = holder(t->tgid);
	struct walk w = { .t = t };
	DW_U32 tid = (DW_U32)t->pid;

	if (senders_noted)
		bpf_map_delete_elem(&senders, &tid);
	if (!is || !*is || BPF_CORE_READ(t, signal, live.counter) > 0)
		return 0;
	find_heirs(&w);
	bpf_loop(words_of(t), left_word, &w, 0);
	*is = 0;
	return 0;
}

/* The process of *now holds a shared socket, whose last user has exited. Any other holder is preferred to process 1. */
static __always_inline void found_left(DW_U64 key, const struct dw_owner *now)
{
	const struct dw_owner *last = bpf_map_lookup_elem(&last_users, &key);

	if (!last)
		bpf_map_update_elem(&last_users, &key, now, BPF_NOEXIST);
	else if (last->how == DW_OWNER_ITER && last->pid == 1)
		bpf_map_update_elem(&last_users, &key, now, BPF_EXIST);
}

/* The process of *now holds sk, but its entry has another owner. In the first scan (OWNER_SCAN_FILL) the process with
 * the lowest pid stays the owner. Later, a listener's owner may have closed it: one scan (OWNER_SCAN_MARK) marks the
 * listeners that their owners still hold, and the next one (OWNER_SCAN_CHECK) gives the others to the first process
 * that holds them. */
static __always_inline void found_shared(const struct sock *sk, struct said old, const struct dw_owner *now)
{
	if (scan == OWNER_SCAN_MARK)
		return;
	if (!is_listener(sk)) {
		if (!is_stream(sk->sk_protocol))
			datagram_shared = 1;
		return;
	}
	if (scan == OWNER_SCAN_CHECK && old.how != marked) {
		store((DW_U64)sk, now);
		set_how((DW_U64)sk, marked);
		return;
	}
	listener_shared = 1;
}

struct subflows {
	const struct list_head *head, *n;
	struct dw_owner now;
};

static long subflow(DW_U64 i, struct subflows *s)
{
	const struct list_head *n = s->n;
	const struct mptcp_subflow_context *c;

	(void)i;
	if (!n || n == s->head)
		return 1;
	c = (const void *)n - bpf_core_field_offset(struct mptcp_subflow_context, node);
	store((DW_U64)BPF_CORE_READ(c, tcp_sock), &s->now);
	s->n = BPF_CORE_READ(n, next);
	return 0;
}

/* The subflows of an MPTCP connection that is older than the service. */
static __always_inline void subflows(const struct mptcp_sock *m, const struct dw_owner *now)
{
	struct subflows s = { .now = *now };

	if (!bpf_core_type_exists(struct mptcp_subflow_context))
		return;
	s.head = (const void *)m + bpf_core_field_offset(struct mptcp_sock, conn_list);
	s.n = BPF_CORE_READ(m, conn_list.next);
	bpf_loop(SUBFLOWS_MAX, subflow, &s, 0);
}

/* Finds sockets that are older than the service. An owner that was noted by a use in the meantime stays. Any other
 * holder is preferred to process 1, which keeps a copy of the listeners of the services that it starts. */
SEC("iter/task_file")
int owner_iter(struct bpf_iter__task_file *ctx)
{
	struct file *file = ctx->file;
	struct task_struct *t = ctx->task;
	struct dw_owner now;
	struct said old;
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
	if (is_left_out(sk->sk_protocol))
		return 0;
	owner_of(&now, t, DW_OWNER_ITER);
	old = said_of((DW_U64)sk);
	if (!old.pid || old.how == DW_OWNER_INHERIT || (old.how == DW_OWNER_ITER && old.pid == 1)) {
		store((DW_U64)sk, &now);
		old.pid = old.pid ? now.pid : 0;
	} else if (old.how == DW_OWNER_SHARED || (old.pid != now.pid && now.pid != 1)) {
		if (old.how == DW_OWNER_SHARED)
			found_left((DW_U64)sk, &now);
		found_shared(sk, old, &now);
	}
	if (scan == OWNER_SCAN_MARK && old.pid == now.pid && now.pid != 1 && is_listener(sk))
		set_how((DW_U64)sk, marked);
	if (sk->sk_protocol == IPPROTO_MPTCP && scan == OWNER_SCAN_FILL)
		subflows((struct mptcp_sock *)sk, &now);
	return 0;
}
