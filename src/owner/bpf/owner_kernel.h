/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owner_kernel: the kernel's types and constants that the owner service uses. Part of owner.bpf.c. Types: only the
 * members that are read; CO-RE replaces their offsets by those of the running kernel. Constants: from the kernel's
 * headers, since BTF does not have them. SHUTDOWN_MASK: both directions are shut down. */
#define AF_INET 2
#define AF_INET6 10
#define AF_NETLINK 16
#define IORING_OP_ACCEPT 13
#define IPPROTO_TCP 6
#define PF_EXITING 0x00000004
#define PF_IO_WORKER 0x00000010
#define PF_KTHREAD 0x00200000
#define SOCK_STREAM 1
#define SHUTDOWN_MASK 3 /* RCV_SHUTDOWN | SEND_SHUTDOWN */
#define SYS_ACCEPT 5    /* of socketcall(2) */
#define SYS_ACCEPT4 18
#define S_IFMT 0170000
#define S_IFSOCK 0140000
#define IPPROTO_SCTP 132
#define IPPROTO_MPTCP 262
#define SUBFLOWS_MAX 8
#define IN6_MAPPED 0xffff0000u /* the third word of ::ffff:a.b.c.d, in network byte order */
#define TCP_ESTABLISHED 1
#define TCP_SYN_SENT 2
#define TCP_SYN_RECV 3
#define TCP_FIN_WAIT2 5
#define TCP_TIME_WAIT 6
#define TCP_CLOSE 7
#define TCP_CLOSE_WAIT 8
#define TCP_LISTEN 10
#define TCP_CLOSING 11
#define TCP_NEW_SYN_RECV 12

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct inode {
	unsigned short i_mode;
};
struct file {
	struct inode *f_inode;
	void *private_data;
};
/* The reference count of a file: f_count before Linux 6.13; f_ref since then, which is one less. CO-RE drops the suffix
 * after ___, so that both variants match struct file. */
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
	unsigned long *open_fds; /* a bitmap of max_fds bits; max_fds is a multiple of 64 */
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
/* numbers[0] is the process's pid in the machine's first pid namespace. */
struct pid {
	unsigned int level;
	struct upid numbers[1];
};
typedef struct {
	int counter;
} atomic_t;
/* live: threads of the process that have not exited. */
struct signal_struct {
	atomic_t live;
};
struct list_head {
	struct list_head *next;
};
struct hlist_node {
	struct hlist_node *next, **pprev;
};
#if ARCH_CALLS_32
struct thread_info {
	ARCH_THREAD_MEMBERS;
};
#endif
struct task_struct {
#if ARCH_CALLS_32
	struct thread_info thread_info;
#endif
	unsigned int flags;
	int pid;
	int tgid;
	struct list_head children, sibling;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	const struct cred *cred;
	struct files_struct *files;
	struct signal_struct *signal;
	void *io_uring; /* NULL until the task first uses io_uring */
	char comm[16];
};
struct pt_regs {
	ARCH_CALL_MEMBERS;
};
struct in6_addr {
	union {
		unsigned int u6_addr32[4];
	} in6_u;
};
struct ns_common {
	unsigned int inum;
};
struct net {
	struct ns_common ns;
};
typedef struct {
	struct net *net;
} possible_net_t;
struct sock_common {
	unsigned int skc_daddr, skc_rcv_saddr; /* addresses and skc_dport in network byte order */
	unsigned short skc_dport, skc_num;
	unsigned short skc_family;
	volatile unsigned char skc_state;
	unsigned char skc_reuse : 4, skc_reuseport : 1;
	struct hlist_node skc_bind_node; /* in the list of its port's sockets */
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
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
	unsigned short sk_type, sk_protocol;
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
/* An MPTCP connection (conn) and one of its TCP subflows. Absent without CONFIG_MPTCP. */
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
/* A request of io_uring, and its result. */
struct io_kiocb {
	struct file *file;
	unsigned char opcode;
};
struct io_uring_cqe {
	int res;
};
/* The context of iter/task_file (Linux 5.8). Both are NULL at the end. */
struct bpf_iter__task_file {
	struct task_struct *task;
	struct file *file;
};
#pragma clang attribute pop

#if defined(OWNER_RECV) || defined(OWNER_KPROBES)
extern void *bpf_rdonly_cast(const void *obj, DW_U32 btf_id) __attribute__((section(".ksyms"))); /* Linux 6.2 */
#endif
/* The arguments of the tracepoint io_uring_complete in newer kernels; older ones have the result in place of the
 * structure, one place further. */
struct io_ring_ctx {
};
typedef void (*btf_trace_io_uring_complete)(void *, struct io_ring_ctx *, void *, struct io_uring_cqe *);
