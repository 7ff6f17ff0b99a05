/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sock: sockets as system calls use them. A site gives a struct dw_sk: a socket, the call's arguments and its end. */

/* Which buffer is full */
inline int DW_FULL_RECEIVE = 1;
inline int DW_FULL_SEND_MEMORY = 2;	/* the limit of the protocol */
inline int DW_FULL_RECEIVE_MEMORY = 3;

struct dw_sk {
	struct sock *sk;	/* NULL: there is none, for the call failed */
	struct dw_owner *owner;
	uint64_t cookie;
	uint64_t box;		/* as in struct dw_pkt */
	uint64_t boxid;
	int32_t incall;		/* 1: it is the current process that does it */
	int64_t nr;		/* of the system call */
	int32_t foreign;	/* 1: of a program of another word size */
	int64_t a0;
	int64_t a1;
	int64_t a2;
	int64_t a3;
	int32_t fd;		/* -1: not known */
	int32_t err;		/* errno; 0: none */
	int64_t bytes;		/* that were sent, received */
	int32_t flags;		/* of the call: MSG_* */
	uint64_t laddr;		/* where the process has the address that it asks for; 0: nowhere */
	uint64_t raddr;
	int32_t oldstate;	/* of TCP; state: the new one, 0: it does not change */
	int32_t state;
	int32_t op;		/* of io_uring */
	int32_t want;		/* listen: the queue asked for */
	uint64_t rights;	/* where the process has its passed descriptors; 0: none */
	uint64_t size;		/* buffer-full */
	int32_t full;		/* DW_FULL_ */
	int32_t rc;
	struct sock *listener;	/* accept: it was called on this one */
};

/* What a site does not say: an event of the current process, no system call, no process of the socket's own. */
translator struct dw_sk < struct dw_sk *P > {
	owner = (struct dw_owner *)0;
	cookie = P->sk == 0 ? 0 : P->sk->__sk_common.skc_cookie.counter;
	box = dw_sk_box[(uint64_t)P->sk];
	boxid = dw_box_id[P->box];
	incall = 1;
	nr = -1;
	a0 = 0;
	a1 = 0;
	a2 = 0;
	fd = -1;
	err = 0;
	bytes = 0;
	flags = 0;
	laddr = 0;
	raddr = 0;
	want = 0;
	listener = (struct sock *)0;
	state = 0;
};

/* ---- descriptors ------------------------------------------------------------------------------------------------------ */
inline uint64_t dw_fd_file[int fd] =
    fd >= 0 && fd < curthread->files->fdt->max_fds ? (uint64_t)curthread->files->fdt->fd[fd] : 0;
inline uint64_t dw_file_sk[uint64_t file] =
    file == 0 || (((struct file *)file)->f_inode->i_mode & DW_S_IFMT) != DW_S_IFSOCK ? 0 :
    (uint64_t)((struct socket *)((struct file *)file)->private_data)->sk;
/* The last one of its file: the kernel counts from 0 since Linux 6.13, else from 1. */
inline int dw_file_last[uint64_t file] = __has(((struct file *)file)->f_ref) ?
    ((struct file *)file)->f_ref.refcnt.counter == 0 : ((struct file *)file)->f_count.counter == 1;
inline int dw_sk_nonblock[uint64_t sk] = sk != 0 && ((struct sock *)sk)->sk_socket != 0 &&
    ((struct sock *)sk)->sk_socket->file != 0 && (((struct sock *)sk)->sk_socket->file->f_flags & DW_O_NONBLOCK) != 0;
inline int dw_sk_file[uint64_t sk] = sk != 0 && ((struct sock *)sk)->sk_socket != 0 &&
    ((struct sock *)sk)->sk_socket->file != 0;
/* TCP, and MPTCP, whose connect(2) comes back before it is done where the descriptor does not block. */
inline int dw_sk_later[uint64_t sk] = dw_sk_nonblock[sk] &&
    (((struct sock *)sk)->sk_protocol == DW_IPPROTO_TCP || ((struct sock *)sk)->sk_protocol == DW_IPPROTO_MPTCP);
/* ... and one that has begun: connect(2) only asks how far it is. */
inline int dw_sk_begun[uint64_t sk] = dw_sk_later[sk] && ((struct sock *)sk)->sk_socket->state != DW_SS_UNCONNECTED;
/* TCP_LISTEN, of every family that has connections: what the others keep there says nothing. */
inline int dw_sk_listens[uint64_t sk] = sk != 0 && ((struct sock *)sk)->__sk_common.skc_state == DW_TCP_LISTEN;
/* The system call's end: errno. ERESTARTSYS and its like are EINTR to the process. */
inline int dw_errno_of[int64_t ret] = ret >= 0 || ret < -DW_MAX_ERRNO ? 0 :
    ret <= -DW_ERESTARTSYS && ret >= -DW_ERESTART_RESTARTBLOCK ? DW_EINTR : -ret;

/* ---- passed descriptors ----------------------------------------------------------------------------------------------- */
/* Where SCM_RIGHTS are in the control data of a struct msghdr of the process: the first header there, or the second. */
inline uint64_t dw_word[uint64_t at] = __user(at, 8);
inline uint64_t DW_SOL_SOCKET_SCM_RIGHTS = 0x100000001;	/* cmsg_level and cmsg_type, both 1, as one number */
inline int DW_CMSG_HLEN = 16;		/* struct cmsghdr */
inline int dw_is_rights[uint64_t at] = dw_word[at + offsetof(struct cmsghdr, cmsg_level)] == DW_SOL_SOCKET_SCM_RIGHTS;
inline uint64_t dw_next_cmsg[uint64_t at] = at + ((dw_word[at] + 7) & 0xfffffff8);
inline uint64_t dw_rights_in[uint64_t at, uint64_t len] = len < DW_CMSG_HLEN + 4 ? 0 : dw_is_rights[at] ? at :
    dw_next_cmsg[at] + DW_CMSG_HLEN + 4 > at + len ? 0 : dw_is_rights[dw_next_cmsg[at]] ? dw_next_cmsg[at] : 0;
inline uint64_t dw_control[uint64_t msg] = dw_word[msg + offsetof(struct user_msghdr, msg_control)];
inline uint64_t dw_rights_of[uint64_t msg] = dw_control[msg] == 0 ? 0 :
    dw_rights_in[dw_control[msg], dw_word[msg + offsetof(struct user_msghdr, msg_controllen)]];

/* ---- sites ------------------------------------------------------------------------------------------------------------ */

/* sys_enter: a call on a descriptor */
struct dw_skenter {
	struct pt_regs *regs;
	int64_t nr;
};

translator struct dw_sk < struct dw_skenter *C > {
	sk = (struct sock *)dw_file_sk[dw_fd_file[(int)__sysarg0[C->regs]]];
	foreign = __sysforeign[C->nr];
	a0 = __sysarg0[C->regs];
	a1 = __sysarg1[C->regs];
	a2 = __sysarg2[C->regs];
	a3 = __sysarg3[C->regs];
	fd = (int)__sysarg0[C->regs];
	raddr = C->nr == __nr_connect ? __sysarg1[C->regs] : 0;
};

/* sys_exit: its end */
struct dw_skexit {
	struct pt_regs *regs;
	int64_t ret;
};

translator struct dw_sk < struct dw_skexit *C > {
	sk = (struct sock *)dw_file_sk[dw_fd_file[(int)__sysarg0[C->regs]]];
	nr = __sysnr[C->regs];
	foreign = __sysforeign[__sysnr[C->regs]];
	a0 = __sysarg0[C->regs];
	a1 = __sysarg1[C->regs];
	a2 = __sysarg2[C->regs];
	a3 = __sysarg3[C->regs];
	fd = (int)__sysarg0[C->regs];
	err = dw_errno_of[C->ret];
	laddr = __sysnr[C->regs] == __nr_bind ? __sysarg1[C->regs] : 0;
	raddr = __sysnr[C->regs] == __nr_connect ? __sysarg1[C->regs] : 0;
	want = __sysnr[C->regs] == __nr_listen ? (int)__sysarg1[C->regs] : 0;
	rights = dw_rights_of[__sysarg1[C->regs]];
};

/* sys_exit of splice(2) from a socket */
struct dw_sksplice {
	struct pt_regs *regs;
	int64_t ret;
};

translator struct dw_sk < struct dw_sksplice *C > {
	sk = (struct sock *)dw_file_sk[dw_fd_file[(int)__sysarg0[C->regs]]];
	nr = __sysnr[C->regs];
	foreign = __sysforeign[__sysnr[C->regs]];
	fd = (int)__sysarg0[C->regs];
	err = dw_errno_of[C->ret];
	bytes = C->ret < 0 ? 0 : C->ret;
};

/* sys_exit, of a call that makes a socket: the new one, or of accept the listener where it fails */
struct dw_sknew {
	struct pt_regs *regs;
	int64_t ret;
};

inline int dw_new_fd[uint64_t regs, int64_t ret] = ret >= 0 ? (int)ret :
    __sysnr[(struct pt_regs *)regs] == __nr_socket ? -1 : (int)__sysarg0[(struct pt_regs *)regs];

translator struct dw_sk < struct dw_sknew *C > {
	sk = (struct sock *)dw_file_sk[dw_fd_file[dw_new_fd[(uint64_t)C->regs, C->ret]]];
	nr = __sysnr[C->regs];
	foreign = __sysforeign[__sysnr[C->regs]];
	a0 = __sysarg0[C->regs];
	a1 = __sysarg1[C->regs];
	a2 = __sysarg2[C->regs];
	listener = (struct sock *)dw_file_sk[dw_fd_file[(int)__sysarg0[C->regs]]];
	fd = C->ret >= 0 ? (int)C->ret : -1;
	err = dw_errno_of[C->ret];
};

/* sys_exit of socketpair(2): its first and its second socket */
struct dw_skfirst {
	struct pt_regs *regs;
	int64_t ret;
};

inline int dw_pair_fd[uint64_t regs, int second] = __user(__sysarg3[(struct pt_regs *)regs] + 4 * second, 4);

translator struct dw_sk < struct dw_skfirst *C > {
	sk = C->ret < 0 ? (struct sock *)0 : (struct sock *)dw_file_sk[dw_fd_file[dw_pair_fd[(uint64_t)C->regs, 0]]];
	cookie = 0;
	nr = __sysnr[C->regs];
	foreign = __sysforeign[__sysnr[C->regs]];
	a0 = __sysarg0[C->regs];
	a1 = __sysarg1[C->regs];
	a2 = __sysarg2[C->regs];
	fd = C->ret < 0 ? -1 : dw_pair_fd[(uint64_t)C->regs, 0];
	err = dw_errno_of[C->ret];
};

struct dw_sksecond {
	struct pt_regs *regs;
	int64_t ret;
};

translator struct dw_sk < struct dw_sksecond *C > {
	sk = (struct sock *)dw_file_sk[dw_fd_file[dw_pair_fd[(uint64_t)C->regs, 1]]];
	cookie = 0;
	nr = __sysnr[C->regs];
	foreign = __sysforeign[__sysnr[C->regs]];
	a0 = __sysarg0[C->regs];
	a1 = __sysarg1[C->regs];
	a2 = __sysarg2[C->regs];
	fd = dw_pair_fd[(uint64_t)C->regs, 1];
	err = dw_errno_of[C->ret];
};

/* io_uring_complete: the end of a request, in the process that made it. Its socket is that of the request, or the one
 * that it has made. An older form of the tracepoint has the members of the completion. */
struct dw_uring {
	uint64_t ctx;
	uint64_t req;
	uint64_t cqe;
};

struct dw_uring_res {
	uint64_t ctx;
	uint64_t req;
	uint64_t data;
	int32_t res;
};

inline int dw_req_makes[int op] = op == DW_IORING_OP_ACCEPT || op == DW_IORING_OP_SOCKET;
inline int dw_cqe_res[uint64_t cqe] = ((struct io_uring_cqe *)cqe)->res;
inline uint64_t dw_req_sk[uint64_t req, int res] =
    dw_req_makes[((struct io_kiocb *)req)->opcode] && res >= 0 ? dw_file_sk[dw_fd_file[res]] :
    ((struct io_kiocb *)req)->opcode == DW_IORING_OP_SOCKET ? 0 : dw_file_sk[(uint64_t)((struct io_kiocb *)req)->file];

translator struct dw_sk < struct dw_uring *C > {
	sk = (struct sock *)dw_req_sk[C->req, dw_cqe_res[C->cqe]];
	listener = (struct sock *)dw_file_sk[(uint64_t)((struct io_kiocb *)C->req)->file];
	op = C->req == 0 ? -1 : ((struct io_kiocb *)C->req)->opcode;
	fd = dw_req_makes[((struct io_kiocb *)C->req)->opcode] && dw_cqe_res[C->cqe] >= 0 ? dw_cqe_res[C->cqe] : -1;
	err = dw_errno_of[dw_cqe_res[C->cqe]];
	want = ((struct sock *)dw_req_sk[C->req, dw_cqe_res[C->cqe]])->sk_max_ack_backlog;
};

translator struct dw_sk < struct dw_uring_res *C > {
	sk = (struct sock *)dw_req_sk[C->req, C->res];
	listener = (struct sock *)dw_file_sk[(uint64_t)((struct io_kiocb *)C->req)->file];
	op = C->req == 0 ? -1 : ((struct io_kiocb *)C->req)->opcode;
	fd = dw_req_makes[((struct io_kiocb *)C->req)->opcode] && C->res >= 0 ? C->res : -1;
	err = dw_errno_of[C->res];
	want = ((struct sock *)dw_req_sk[C->req, C->res])->sk_max_ack_backlog;
};

/* inet_sock_set_state */
struct dw_skstate {
	struct sock *sk;
	int32_t oldstate;
	int32_t newstate;
};

/* What ICMP said while connect(2) held the socket, as it does where a firewall of this machine rejects: only poll(2) and
 * SO_ERROR report it to the process. */
inline int dw_sk_icmp[uint64_t sk] = ((struct sock *)sk)->sk_err_soft != 0 ? ((struct sock *)sk)->sk_err_soft :
    ((struct sock *)sk)->sk_error_queue.qlen == 0 ? 0 :
    ((struct sock_exterr_skb *)((struct sock *)sk)->sk_error_queue.next->cb)->ee.ee_errno;

/* A handshake that ends without an error was given up by its own side. */
translator struct dw_sk < struct dw_skstate *C > {
	incall = 0;
	nr = __regs() == NULL ? -1 : __sysnr[__regs()];
	state = C->newstate;
	err = C->newstate != DW_TCP_CLOSE ? 0 : C->sk->sk_err != 0 ? C->sk->sk_err :
	    dw_sk_icmp[(uint64_t)C->sk] != 0 ? dw_sk_icmp[(uint64_t)C->sk] : DW_ECANCELED;
};

/* ... where a process begins to connect, in a call */
struct dw_skbegins {
	struct sock *sk;
	int32_t oldstate;
	int32_t newstate;
};

translator struct dw_sk < struct dw_skbegins *C > {
	nr = __regs() == NULL ? -1 : __sysnr[__regs()];
	state = C->newstate;
};

/* sock_send_length, sock_recv_length */
struct dw_skio {
	struct sock *sk;
	int32_t ret;
	int32_t flags;
};

inline int dw_io_fd[uint64_t sk] = __regs() == NULL ? -1 :
    dw_file_sk[dw_fd_file[(int)__sysarg0[__regs()]]] == sk ? (int)__sysarg0[__regs()] : -1;

/* The tracepoint of what is sent has no flags: the system call does. */
inline int dw_send_flags = __regs() == NULL ? 0 :
    __sysnr[__regs()] == __nr_sendto || __sysnr[__regs()] == __nr_sendmmsg ? (int)__sysarg3[__regs()] :
    __sysnr[__regs()] == __nr_sendmsg ? (int)__sysarg2[__regs()] : 0;

translator struct dw_sk < struct dw_skio *C > {
	owner = (struct dw_owner *)0;
	flags = C->flags | dw_send_flags;
	fd = dw_io_fd[(uint64_t)C->sk];
	err = dw_errno_of[C->ret];
	bytes = C->ret < 0 ? 0 : C->ret;
};

/* __sock_sendmsg, sock_recvmsg: as they return */
struct dw_skfsend {
	struct socket *sock;
	struct msghdr *msg;
	int32_t retval;
};

translator struct dw_sk < struct dw_skfsend *C > {
	sk = C->sock->sk;
	fd = dw_io_fd[(uint64_t)C->sock->sk];
	err = dw_errno_of[C->retval];
	bytes = C->retval < 0 ? 0 : C->retval;
	flags = C->msg->msg_flags;
};

struct dw_skfrecv {
	struct socket *sock;
	struct msghdr *msg;
	int32_t flags;
	int32_t retval;
};

translator struct dw_sk < struct dw_skfrecv *C > {
	sk = C->sock->sk;
	fd = dw_io_fd[(uint64_t)C->sock->sk];
	err = dw_errno_of[C->retval];
	bytes = C->retval < 0 ? 0 : C->retval;
};

/* cgroup/sock_release */
struct dw_skrelease {
	struct sock *sk;
};

translator struct dw_sk < struct dw_skrelease *C > {
	owner = (struct dw_owner *)0;
};

/* sock_close */
struct dw_skfclose {
	struct inode *inode;
	struct file *file;
};

translator struct dw_sk < struct dw_skfclose *C > {
	sk = ((struct socket *)C->file->private_data)->sk;
};

/* sock_rcvqueue_full, sock_exceed_buf_limit, udp_fail_queue_rcv_skb */
struct dw_skqueue {
	struct sock *sk;
	struct sk_buff *skb;
};

translator struct dw_sk < struct dw_skqueue *C > {
	incall = 0;
	size = C->skb->truesize;
	full = DW_FULL_RECEIVE;
};

struct dw_sklimit {
	struct sock *sk;
	uint64_t prot;
	int64_t allocated;
	int32_t kind;
};

translator struct dw_sk < struct dw_sklimit *C > {
	incall = 0;
	size = C->allocated * __pagesize();
	full = C->kind == DW_SK_MEM_SEND ? DW_FULL_SEND_MEMORY : DW_FULL_RECEIVE_MEMORY;
};

struct dw_skdatagram {
	int32_t rc;
	struct sock *sk;
	struct sk_buff *skb;
};

translator struct dw_sk < struct dw_skdatagram *C > {
	incall = 0;
	size = C->skb->truesize;
	full = DW_FULL_RECEIVE;
};

/* ... as it was before Linux 6.10 */
struct dw_skdatagram0 {
	int32_t rc;
	struct sock *sk;
};

translator struct dw_sk < struct dw_skdatagram0 *C > {
	incall = 0;
	size = 0;
	full = DW_FULL_RECEIVE;
};

/* ---- names ------------------------------------------------------------------------------------------------------------ */
inline string sock_family_string[int f] =
    f == 2 ? "AF_INET" : f == 10 ? "AF_INET6" : f == 1 ? "AF_UNIX" : f == 16 ? "AF_NETLINK" : f == 17 ? "AF_PACKET" :
    f == 40 ? "AF_VSOCK" : f == 38 ? "AF_ALG" : f == 31 ? "AF_BLUETOOTH" : f == 15 ? "AF_KEY" : f == 29 ? "AF_CAN" :
    f == 30 ? "AF_TIPC" : f == 42 ? "AF_QIPCRTR" : f == 43 ? "AF_SMC" : f == 44 ? "AF_XDP" : f == 45 ? "AF_MCTP" :
    f == 0 ? "AF_UNSPEC" : "";
inline string sock_type_string[int t] =
    t == 1 ? "SOCK_STREAM" : t == 2 ? "SOCK_DGRAM" : t == 3 ? "SOCK_RAW" : t == 4 ? "SOCK_RDM" :
    t == 5 ? "SOCK_SEQPACKET" : t == 6 ? "SOCK_DCCP" : t == 10 ? "SOCK_PACKET" : "";
inline string sock_protocol_string[int p] =
    p == 6 ? "IPPROTO_TCP" : p == 17 ? "IPPROTO_UDP" : p == 0 ? "IPPROTO_IP" : p == 1 ? "IPPROTO_ICMP" :
    p == 58 ? "IPPROTO_ICMPV6" : p == 255 ? "IPPROTO_RAW" : p == 132 ? "IPPROTO_SCTP" : p == 136 ? "IPPROTO_UDPLITE" :
    p == 262 ? "IPPROTO_MPTCP" : p == 2 ? "IPPROTO_IGMP" : p == 47 ? "IPPROTO_GRE" : p == 50 ? "IPPROTO_ESP" :
    p == 51 ? "IPPROTO_AH" : p == 33 ? "IPPROTO_DCCP" : p == 89 ? "IPPROTO_OSPF" : p == 103 ? "IPPROTO_PIM" :
    p == 112 ? "IPPROTO_VRRP" : "";
inline string sock_error_string[int e] =
    e == 0 ? "Success" : e == 115 ? "In progress" : e == 11 ? "Try again" : e == 111 ? "Connection refused" :
    e == 110 ? "Timed out" : e == 101 ? "Network unreachable" : e == 113 ? "No route to host" :
    e == 104 ? "Connection reset" : e == 98 ? "Address in use" : e == 99 ? "Address not available" :
    e == 125 ? "Canceled" : e == 4 ? "Interrupted" : e == 13 ? "Permission denied" : e == 1 ? "Not permitted" :
    e == 2 ? "No such file" : e == 9 ? "Bad descriptor" : e == 12 ? "Out of memory" : e == 14 ? "Bad address" :
    e == 22 ? "Invalid argument" : e == 23 ? "Too many open files" : e == 24 ? "Too many descriptors" :
    e == 32 ? "Broken pipe" : e == 71 ? "Protocol error" : e == 88 ? "Not a socket" : e == 89 ? "No destination" :
    e == 90 ? "Message too long" : e == 91 ? "Wrong protocol type" : e == 92 ? "No such option" :
    e == 93 ? "Unknown protocol" : e == 94 ? "Unknown type" : e == 95 ? "Not supported" : e == 97 ? "Unknown family" :
    e == 100 ? "Network down" : e == 103 ? "Aborted" : e == 105 ? "No buffer space" : e == 106 ? "Already connected" :
    e == 107 ? "Not connected" : e == 114 ? "Already in progress" : "Other error";

inline int MSG_PEEK = 2;

/* ---- arguments -------------------------------------------------------------------------------------------------------- */
typedef struct sockinfo {
	uintptr_t so_addr;		/* the socket (struct sock); 0: none was made */
	int so_fd;			/* its descriptor; -1: not known here */
	int so_family;			/* AF_* */
	string so_familyname;		/* "AF_INET" */
	int so_type;			/* SOCK_* */
	string so_typename;		/* "SOCK_STREAM" */
	int so_protocol;		/* IPPROTO_* where the family is AF_INET or AF_INET6 */
	string so_protocolname;		/* "IPPROTO_TCP" */
	string so_protoname;		/* what the kernel calls it: "TCP", "UDPv6", "UNIX-STREAM", "NETLINK" */
	int so_ip;			/* 4, 6 as its packets have it; 0: not of the Internet */
	string so_laddr;
	string so_raddr;
	uint16_t so_lport;
	uint16_t so_rport;
	int so_state;			/* TCP_STATE_*; of others 7, and 1 where they are connected */
	int so_nonblock;		/* 1: O_NONBLOCK is set */
	int so_incall;			/* 1: the current process does it; 0: it happens in an interrupt */
	uint32_t so_rcvbuf;		/* bytes that may wait to be read */
	uint32_t so_rcvq;		/* ... that do, with what the kernel needs for them */
	uint32_t so_sndbuf;
	uint32_t so_sndq;
	uint32_t so_acceptq;		/* of a listener: connections that wait to be accepted */
	uint32_t so_acceptq_max;	/* ... and how many may */
	int so_backlog;			/* sock:::listen: how many the process asked for; else so_acceptq_max */
} sockinfo_t;

/* A struct sockaddr of the process. */
inline int dw_sa_family[uint64_t at] = __user(at, 2);
inline int dw_sa_port[uint64_t at] = dw_sa_family[at] == DW_AF_INET || dw_sa_family[at] == DW_AF_INET6 ?
    ntohs(__user(at + offsetof(struct sockaddr_in, sin_port), 2)) : 0;
inline string dw_sa_addr[uint64_t at] = dw_sa_family[at] == DW_AF_INET ?
    __ip4(__user(at + offsetof(struct sockaddr_in, sin_addr), 4)) : dw_sa_family[at] == DW_AF_INET6 ?
    __ip6(__user(at + offsetof(struct sockaddr_in6, sin6_addr), 8),
    __user(at + offsetof(struct sockaddr_in6, sin6_addr) + 8, 8)) : "";

/* An IPv6 socket that speaks IPv4: ::ffff:0:0/96. */
inline int dw_sk_mapped[struct in6_addr *a] =
    a->in6_u.u6_addr32[2] == DW_IN6_MAPPED && a->in6_u.u6_addr32[0] == 0 && a->in6_u.u6_addr32[1] == 0;
inline int dw_sk_is4[struct sock *S] = __has(S->__sk_common.skc_v6_daddr) ?
    dw_sk_mapped[&S->__sk_common.skc_v6_daddr] || dw_sk_mapped[&S->__sk_common.skc_v6_rcv_saddr] : 0;
inline int dw_sk_ip6[uint64_t sk] = sk != 0 && dw_sk_is4[(struct sock *)sk] ? 4 : 6;

translator sockinfo_t < struct dw_sk *P > {
	so_addr = (uintptr_t)P->sk;
	so_fd = P->fd;
	so_family = P->sk == 0 ? P->a0 : P->sk->__sk_common.skc_family;
	so_familyname = sock_family_string[P->sk == 0 ? P->a0 : P->sk->__sk_common.skc_family];
	so_type = P->sk == 0 ? P->a1 & DW_SOCK_TYPE_MASK : P->sk->sk_type;
	so_typename = sock_type_string[P->sk == 0 ? P->a1 & DW_SOCK_TYPE_MASK : P->sk->sk_type];
	so_protocol = P->sk == 0 ? P->a2 : P->sk->sk_protocol;
	so_protocolname = sock_protocol_string[P->sk == 0 ? P->a2 : P->sk->sk_protocol];
	so_protoname = P->sk == 0 ? "" : P->sk->__sk_common.skc_prot->name;
	so_ip = (P->sk == 0 ? P->a0 : P->sk->__sk_common.skc_family) == DW_AF_INET ? 4 :
	    (P->sk == 0 ? P->a0 : P->sk->__sk_common.skc_family) == DW_AF_INET6 ? dw_sk_ip6[(uint64_t)P->sk] : 0;
	so_laddr = P->laddr != 0 ? dw_sa_addr[P->laddr] : P->sk == 0 ? "" :
	    P->sk->__sk_common.skc_family == DW_AF_INET ? __ip4(P->sk->__sk_common.skc_rcv_saddr) :
	    P->sk->__sk_common.skc_family == DW_AF_INET6 ? dw_sk_near6[P->sk] : "";
	so_raddr = P->raddr != 0 ? dw_sa_addr[P->raddr] : P->sk == 0 ? "" :
	    P->sk->__sk_common.skc_family == DW_AF_INET ? __ip4(P->sk->__sk_common.skc_daddr) :
	    P->sk->__sk_common.skc_family == DW_AF_INET6 ? dw_sk_far6[P->sk] : "";
	so_lport = P->laddr != 0 && P->err != 0 ? dw_sa_port[P->laddr] : P->sk == 0 ? 0 :
	    P->sk->__sk_common.skc_family != DW_AF_INET && P->sk->__sk_common.skc_family != DW_AF_INET6 ? 0 :
	    P->sk->__sk_common.skc_num != 0 ? P->sk->__sk_common.skc_num : ntohs(((struct inet_sock *)P->sk)->inet_sport);
	so_rport = P->raddr != 0 ? dw_sa_port[P->raddr] : P->sk == 0 ? 0 :
	    P->sk->__sk_common.skc_family == DW_AF_INET || P->sk->__sk_common.skc_family == DW_AF_INET6 ? ntohs(P->sk->__sk_common.skc_dport) : 0;
	so_state = P->state != 0 ? P->state : P->sk == 0 ? DW_TCP_CLOSE : P->sk->__sk_common.skc_state;
	so_nonblock = dw_sk_nonblock[(uint64_t)P->sk];
	so_incall = P->incall;
	so_rcvbuf = P->sk == 0 ? 0 : P->sk->sk_rcvbuf;
	so_rcvq = P->sk == 0 ? 0 : P->sk->sk_backlog.rmem_alloc.counter;
	so_sndbuf = P->sk == 0 ? 0 : P->sk->sk_sndbuf;
	so_sndq = P->sk == 0 ? 0 : P->sk->sk_protocol == DW_IPPROTO_TCP && P->sk->sk_type == DW_SOCK_STREAM ? P->sk->sk_wmem_queued :
	    P->sk->sk_wmem_alloc.refs.counter - 1;
	so_acceptq = dw_sk_listens[(uint64_t)P->sk] ? P->sk->sk_ack_backlog : 0;
	so_acceptq_max = dw_sk_listens[(uint64_t)P->sk] ? P->sk->sk_max_ack_backlog : 0;
	so_backlog = P->want != 0 ? P->want : dw_sk_listens[(uint64_t)P->sk] ? P->sk->sk_max_ack_backlog : 0;
};

/* How a call ended. */
typedef struct sockres {
	int sr_errno;			/* 0: it succeeded */
	string sr_error;		/* "Success", "Connection refused" */
	int64_t sr_bytes;		/* sent, received */
	int sr_flags;			/* MSG_* of the call */
	uint32_t sr_acceptq;		/* accept-done: connections that wait still in the listener's queue */
	uint32_t sr_acceptq_max;
} sockres_t;

translator sockres_t < struct dw_sk *P > {
	sr_errno = P->err;
	sr_error = sock_error_string[P->err];
	sr_bytes = P->bytes;
	sr_flags = P->flags;
	sr_acceptq = P->listener != 0 ? P->listener->sk_ack_backlog : 0;
	sr_acceptq_max = P->listener != 0 ? P->listener->sk_max_ack_backlog : 0;
};

/* sock:::buffer-full */
typedef struct sockfull {
	string sf_buffer;		/* "receive", "send"; "receive-memory", "send-memory": the limit of the protocol */
	uint64_t sf_size;		/* bytes of memory that were to be added; of the protocol's: that it has */
} sockfull_t;

translator sockfull_t < struct dw_sk *P > {
	sf_buffer = P->full == DW_FULL_RECEIVE ? "receive" : P->full == DW_FULL_SEND_MEMORY ? "send-memory" : "receive-memory";
	sf_size = P->size;
};

/* sock:::fd-passed */
typedef struct sockfds {
	int sp_sent;			/* 1: the process sends them, 0: it has received them */
	int sp_count;
	uintptr_t sp_list;		/* address in the process of their numbers, int32_t each */
} sockfds_t;

translator sockfds_t < struct dw_sk *P > {
	sp_sent = P->nr == __nr_sendmsg;
	sp_count = (dw_word[P->rights] - DW_CMSG_HLEN) / 4;
	sp_list = P->rights + DW_CMSG_HLEN;
};

/* The i-th descriptor that was passed. */
inline int sock_passed_fd[uintptr_t list, int i] = __user(list + 4 * i, 4);

/* ---- owner ------------------------------------------------------------------------------------------------------------ */
inline int dw_my_nspid[int level] =
    ((struct upid *)((uint64_t)curthread->group_leader->thread_pid + offsetof(struct pid, numbers)) + level)->nr;

translator csinfo_t < struct dw_sk *P > {
	cs_addr = (uintptr_t)P->sk;
	cs_cid = P->cookie;
	cs_pid = P->incall ? pid : P->owner != 0 ? P->owner->pid : -1;
	cs_zoneid = P->sk == 0 ? __zoneid(curthread->nsproxy->net_ns->ns.inum) :
	    __zoneid(dw_sk_netns[P->sk]);
	cs_tid = P->incall ? tid : P->owner != 0 ? P->owner->tid : -1;
	cs_uid = P->incall ? uid : P->owner != 0 ? dw_owner_uid[P->owner] : P->sk != 0 ? P->sk->sk_uid.val : 0;
	cs_execname = P->incall ? curthread->group_leader->comm : P->owner != 0 ? dw_owner_name[P->owner] : "";
	cs_netns = P->sk == 0 ? curthread->nsproxy->net_ns->ns.inum : dw_sk_netns[P->sk];
	cs_cgroup = P->sk == 0 ? 0 : dw_sk_cgroup_id[P->sk];
	cs_zonename = P->sk == 0 ? __zone(curthread->nsproxy->net_ns->ns.inum) :
	    __zone(dw_sk_netns[P->sk]);
	cs_nspid = P->incall ? dw_my_nspid[curthread->group_leader->thread_pid->level] :
	    P->owner != 0 ? P->owner->nspid : -1;
	cs_runtime = dw_box_runtime[P->box];
	cs_container = dw_box_name[P->box];
	cs_parent = dw_mptcp[P->sk];
	cs_token = dw_mptcp_token[dw_mptcp[P->sk]];
	cs_orig_saddr = "";
	cs_orig_daddr = "";
	cs_orig_sport = 0;
	cs_orig_dport = 0;
	cs_cgroupname = P->sk == 0 ? "" : ((struct dw_name96 *)dw_cg_name[dw_cg_own[(uint64_t)P->sk]])->c;
	cs_containername = __container(DW_STR_CONTAINER, P->boxid);
	cs_podname = __container(DW_STR_POD, P->boxid);
	cs_podnamespace = __container(DW_STR_POD_NAMESPACE, P->boxid);
};
