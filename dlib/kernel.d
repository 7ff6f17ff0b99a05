/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel: constants of kernel interfaces under the kernel's names, for the conditions of src/prov and the
 * translators. The prefix DW_ keeps them apart from names that scripts define. Sources: include/uapi/linux
 * (if_ether.h, in.h, icmp.h, icmpv6.h, if_packet.h, if_arp.h, tcp.h, bpf.h, io_uring.h, stat.h, neighbour.h,
 * sched.h), include/net (tcp.h, tcp_states.h, ndisc.h), include/linux (netdevice.h, skbuff.h, blk_types.h, pid.h),
 * include/trace/events/lock.h, and both errno.h. */

inline int DW_NSEC_PER_USEC = 1000;
inline int DW_NSEC_PER_SEC = 1000000000;

/* Protocols of Ethernet, in network order as in struct sk_buff. */
inline int DW_ETH_P_IP = 0x0008;
inline int DW_ETH_P_IPV6 = 0xdd86;
inline int DW_ETH_P_ARP = 0x0608;
inline int DW_ETH_P_8021Q = 0x0081;
inline int DW_ETH_P_8021AD = 0xa888;

inline int DW_ETH_ALEN = 6;	/* bytes of an address */
inline int DW_ETH_HLEN = 14;
/* Bytes of headers: IPv4's and TCP's without options. */
inline int DW_IPV4_HLEN = 20;
inline int DW_IPV6_HLEN = 40;
inline int DW_TCP_HLEN = 20;
inline int DW_UDP_HLEN = 8;
inline int DW_ICMP_HLEN = 8;

inline int DW_AF_UNIX = 1;
inline int DW_AF_INET = 2;
inline int DW_AF_INET6 = 10;

inline int DW_SOCK_STREAM = 1;
inline int DW_SOCK_DONE = 1;		/* enum sock_flags */
inline int DW_SOCK_DGRAM = 2;
inline int DW_SOCK_RAW = 3;
inline int DW_SOCK_TYPE_MASK = 0xf;	/* socket(2): the type without SOCK_NONBLOCK and SOCK_CLOEXEC */
inline int DW_SK_MEM_SEND = 0;		/* sock_exceed_buf_limit, kind */
inline int DW_SS_UNCONNECTED = 1;	/* struct socket, state */
inline uint32_t DW_IN6_MAPPED = 0xffff0000;	/* the third word of ::ffff:0:0/96, in network order */
inline int DW_IN_LOOPBACKNET = 127;	/* the first byte of 127.0.0.1 */

inline int DW_IPPROTO_IP = 0;		/* in IPv6: options for every router */
inline int DW_IPPROTO_ICMP = 1;
inline int DW_IPPROTO_TCP = 6;
inline int DW_IPPROTO_UDP = 17;
inline int DW_IPPROTO_FRAGMENT = 44;
inline int DW_IPPROTO_ICMPV6 = 58;
inline int DW_IPPROTO_SCTP = 132;
inline int DW_IPPROTO_UDPLITE = 136;
inline int DW_IPPROTO_MPTCP = 262;

inline int DW_TCP_ESTABLISHED = 1;
inline int DW_TCP_SYN_SENT = 2;
inline int DW_TCP_SYN_RECV = 3;
inline int DW_TCP_FIN_WAIT1 = 4;
inline int DW_TCP_FIN_WAIT2 = 5;
inline int DW_TCP_TIME_WAIT = 6;
inline int DW_TCP_CLOSE = 7;
inline int DW_TCP_CLOSE_WAIT = 8;
inline int DW_TCP_LAST_ACK = 9;
inline int DW_TCP_LISTEN = 10;
inline int DW_TCP_CLOSING = 11;
inline int DW_TCP_NEW_SYN_RECV = 12;	/* a request socket: a handshake under way */

inline int DW_TCP_CA_CWR = 2;
inline int DW_TCP_CA_RECOVERY = 3;
inline int DW_TCP_CA_LOSS = 4;

inline int DW_TH_FIN = 0x01;
inline int DW_TH_SYN = 0x02;
inline int DW_TH_RST = 0x04;
inline int DW_TH_ACK = 0x10;
inline int DW_TH_URG = 0x20;
/* ... within the fourth word of the header: the shift in host order, and masks in network order. */
inline int DW_TH_SHIFT = 16;
inline int DW_TCP_FLAG_FIN = 0x100;
inline int DW_TCP_FLAG_SYN = 0x200;
inline int DW_TCP_FLAG_ACK = 0x1000;

inline int DW_TCP_INFINITE_SSTHRESH = 0x7fffffff;
inline uint32_t DW_TCP_RTT_UNKNOWN = 0xffffffff;	/* struct tcp_sock, rtt_min: nothing is measured yet */
inline int DW_TCP_ECN_MODE_RFC3168 = 0x1;		/* struct tcp_sock, ecn_flags: agreed on */
inline int DW_TCP_ECN_MODE_ACCECN = 0x10;		/* since Linux 6.18 */

/* Masks of frag_off in network order: the offset alone, and the offset with "more fragments". */
inline int DW_IP_OFFSET = 0xff1f;
inline int DW_IP_OFFSET_HOST = 0x1fff;	/* in host order */
inline int DW_IP_FRAGMENT = 0xff3f;

inline int DW_IP6_OFFSET = 0xf8ff;	/* struct frag_hdr of IPv6 */
inline int DW_INET_FRAG_COMPLETE = 4;	/* struct inet_frag_queue, flags */
inline int DW_IN6_MULTICAST = 0xff;	/* the first byte of ff00::/8 */

inline int DW_ICMP_ECHOREPLY = 0;
inline int DW_ICMP_DEST_UNREACH = 3;
inline int DW_ICMP_SOURCE_QUENCH = 4;
inline int DW_ICMP_REDIRECT = 5;
inline int DW_ICMP_ECHO = 8;
inline int DW_ICMP_TIME_EXCEEDED = 11;
inline int DW_ICMP_PARAMETERPROB = 12;
inline int DW_ICMP_TIMESTAMP = 13;
inline int DW_ICMP_TIMESTAMPREPLY = 14;
inline int DW_ICMP_FRAG_NEEDED = 4;		/* a code of DEST_UNREACH */

inline int DW_ICMPV6_DEST_UNREACH = 1;
inline int DW_ICMPV6_PKT_TOOBIG = 2;
inline int DW_ICMPV6_TIME_EXCEED = 3;
inline int DW_ICMPV6_INFOMSG = 0x80;		/* the first type that is no error: ICMPV6_INFOMSG_MASK */
inline int DW_ICMPV6_ECHO_REQUEST = 128;
inline int DW_ICMPV6_ECHO_REPLY = 129;
inline int DW_NDISC_NEIGHBOUR_SOLICITATION = 135;
inline int DW_NDISC_NEIGHBOUR_ADVERTISEMENT = 136;
inline int DW_NDISC_REDIRECT = 137;

/* States of a neighbour */
inline int DW_NUD_INCOMPLETE = 0x01;
inline int DW_NUD_FAILED = 0x20;
inline int DW_NUD_VALID = 0xde;			/* PERMANENT, NOARP, REACHABLE, PROBE, STALE, DELAY */
inline int DW_ARPOP_REQUEST = 0x0100;		/* in network order */
inline int DW_ARP_ETHER_IPV4 = 0x0406;		/* ... lengths of the addresses: 6 and 4 bytes */

/* struct net_device: type; flags; priv_flags */
inline int DW_ARPHRD_ETHER = 1;
inline int DW_IFF_LOOPBACK = 0x8;
inline int DW_IFF_SLAVE = 0x800;
inline int DW_IFF_MACVLAN_PORT = 0x100;
inline int DW_IFF_EBRIDGE = 0x2;		/* a bridge itself */
inline int DW_IFF_BRIDGE_PORT = 0x200;
inline int DW_IFF_TEAM_PORT = 0x2000;
inline int DW_IFF_L3MDEV_MASTER = 0x40000;

inline int DW_SKB_DST_NOREF = 1;	/* struct sk_buff, _skb_refdst: a bit beside the pointer */
inline int DW_NFCT_INFOMASK = 7;	/* ... _nfct: bits beside the pointer */
inline int DW_NO_HEADER = 0xffff;	/* ... transport_header: not set */
inline int DW_SKB_GSO_TCPV4 = 0x1;	/* struct skb_shared_info, gso_type */
inline int DW_SKB_GSO_TCPV6 = 0x10;
inline int DW_VLAN_VID_MASK = 0xfff;
inline int DW_PACKET_HOST = 0;
inline int DW_PACKET_OTHERHOST = 3;	/* pkt_type: a packet for another host; of this machine, by loopback */
inline int DW_PACKET_LOOPBACK = 5;
inline int DW_IPSKB_FORWARDED = 1;	/* struct inet_skb_parm, flags */
inline int DW_IPSKB_FRAG_COMPLETE = 8;
inline int DW_RTCF_LOCAL = 0x80000000;	/* struct rtable, rt_flags; struct rt6_info, rt6i_flags: RTF_LOCAL */
inline int DW_SOCK_RCVBUF_LOCK = 2;	/* struct sock, sk_userlocks: a user has set the size */

/* struct bpf_sock_ops, op: BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB, BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB */
inline int DW_SOCK_OPS_ACTIVE = 4;
inline int DW_SOCK_OPS_PASSIVE = 5;
/* Effect of a segment on a handshake in tcp_check_req(): see the translator of struct dw_fcheckreq. */
inline int DW_REQ_ENDS = 1;
inline int DW_REQ_COMPLETES = 2;

inline int DW_MSG_PEEK = 2;
/* Opcodes of io_uring */
inline int DW_IORING_OP_ACCEPT = 13;
inline int DW_IORING_OP_CONNECT = 16;
inline int DW_IORING_OP_SOCKET = 45;
inline int DW_IORING_OP_BIND = 56;
inline int DW_IORING_OP_LISTEN = 57;

inline int DW_EINTR = 4;
inline int DW_EIO = 5;
inline int DW_EAGAIN = 11;
inline int DW_ENOMEM = 12;
inline int DW_EBUSY = 16;
inline int DW_EPIPE = 32;
inline int DW_ENETUNREACH = 101;
inline int DW_ECONNABORTED = 103;
inline int DW_ECONNRESET = 104;
inline int DW_EISCONN = 106;
inline int DW_ETIMEDOUT = 110;
inline int DW_ECONNREFUSED = 111;
inline int DW_EALREADY = 114;
inline int DW_EINPROGRESS = 115;
inline int DW_ECANCELED = 125;
inline int DW_ERESTARTSYS = 512;	/* the first and the last that no process sees: it sees EINTR */
inline int DW_ERESTART_RESTARTBLOCK = 516;
inline int DW_MAX_ERRNO = 4095;

inline int DW_S_IFMT = 0xf000;		/* struct inode, i_mode */
inline int DW_S_IFBLK = 0x6000;
inline int DW_S_IFSOCK = 0xc000;
inline int DW_O_NONBLOCK = 0x800;
inline int DW_CLD_EXITED = 1;		/* how a process ended: struct siginfo, si_code of SIGCHLD */
inline int DW_CLD_KILLED = 2;
inline int DW_CLD_DUMPED = 3;
inline int DW_X86_PF_PROT = 1;		/* page_fault_user, page_fault_kernel: the page is there; a write */
inline int DW_X86_PF_WRITE = 2;
inline int DW_PAGE_MAPPING_FLAGS = 3;	/* struct page, mapping: bits beside the pointer; 1: a process's own memory */
inline int DW_PAGE_TAIL = 1;		/* struct page, compound_head: a bit beside the pointer */

/* struct bio, bi_opf; struct request, cmd_flags */
inline int DW_REQ_OP_MASK = 0xff;
inline int DW_REQ_OP_READ = 0;
inline int DW_REQ_OP_WRITE = 1;
inline int DW_REQ_OP_DRV_IN = 34;	/* this and the next: commands of a driver */
inline int DW_REQ_SYNC = 0x800;

inline int DW_MINORBITS = 20;		/* of a device's number */
inline int DW_MINORMASK = 0xfffff;

/* contention_begin, flags */
inline int DW_LCB_F_SPIN = 1;
inline int DW_LCB_F_READ = 2;
inline int DW_LCB_F_WRITE = 4;
inline int DW_LCB_F_RT = 8;
inline int DW_LCB_F_PERCPU = 16;
inline int DW_LCB_F_MUTEX = 32;
/* State of a lock's holders: struct qrwlock, cnts; struct rw_semaphore, count; the flag bits of an owner. */
inline int DW_QW_LOCKED = 0xff;
inline int DW_QR_SHIFT = 9;
inline int DW_RWSEM_WRITER_LOCKED = 1;
inline int DW_RWSEM_READER_SHIFT = 8;
inline int DW_OWNER_FLAGS = 7;		/* struct mutex, struct rw_semaphore */

inline int DW_PIDTYPE_PGID = 2;		/* enum pid_type */
inline int DW_PIDTYPE_SID = 3;
inline int DW_TASK_STOPPED = 0x04;	/* struct task_struct, __state, exit_state */
inline int DW_TASK_TRACED = 0x08;
inline int DW_EXIT_DEAD = 0x10;
inline int DW_EXIT_ZOMBIE = 0x20;
inline int DW_TASK_DEAD = 0x80;
inline int DW_TASK_ON_RQ_MIGRATING = 2;	/* struct task_struct, on_rq */
inline int DW_DEFAULT_PRIO = 120;	/* struct task_struct, static_prio: of a nice value of 0 */

inline int DW_SIGILL = 4;
inline int DW_SIGTRAP = 5;
inline int DW_SIGBUS = 7;
inline int DW_SIGFPE = 8;
inline int DW_SIGKILL = 9;
inline int DW_SIGSEGV = 11;
inline int DW_SI_KERNEL = 0x80;		/* struct siginfo, si_code: the largest of the kernel's own */
/* Faults of Solaris (sys/fault.h): args[0] of proc:::fault */
inline int DW_FLTILL = 1;
inline int DW_FLTBPT = 3;
inline int DW_FLTACCESS = 5;
inline int DW_FLTBOUNDS = 6;
inline int DW_FLTIZDIV = 8;
inline int DW_WTERMSIG = 0x7f;		/* of an exit code: the signal; its core was dumped */
inline int DW_WCOREDUMP = 0x80;
inline int DW_TRACE_SIGNAL_IGNORED = 1;	/* signal_generate, result */
inline int DW_SIGNAL_GROUP_EXIT = 4;	/* struct signal_struct, flags */
