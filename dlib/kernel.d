/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel: numbers of kernel interfaces under the kernel's names, for the conditions of src/prov and the translators.
 * The prefix separates them from names that scripts define. Sources: include/uapi/linux (if_ether.h, in.h, icmp.h,
 * if_packet.h, if_arp.h, tcp.h, bpf.h, io_uring.h), include/net/tcp_states.h, include/linux/netdevice.h. */

/* Protocols of Ethernet, in network order as in struct sk_buff. */
inline int DW_ETH_P_IP = 0x0008;
inline int DW_ETH_P_IPV6 = 0xdd86;
inline int DW_ETH_P_ARP = 0x0608;

inline int DW_AF_UNIX = 1;
inline int DW_AF_INET = 2;
inline int DW_AF_INET6 = 10;

inline int DW_SOCK_STREAM = 1;
inline int DW_SOCK_DGRAM = 2;
inline int DW_SOCK_RAW = 3;

inline int DW_IPPROTO_IP = 0;		/* in IPv6: options for every router */
inline int DW_IPPROTO_ICMP = 1;
inline int DW_IPPROTO_TCP = 6;
inline int DW_IPPROTO_UDP = 17;
inline int DW_IPPROTO_FRAGMENT = 44;
inline int DW_IPPROTO_ICMPV6 = 58;
inline int DW_IPPROTO_SCTP = 132;
inline int DW_IPPROTO_UDPLITE = 136;

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

/* Of a fragment offset in network order: the offset; the offset and "more fragments" */
inline int DW_IP_OFFSET = 0xff1f;
inline int DW_IP_FRAGMENT = 0xff3f;

inline int DW_ICMP_DEST_UNREACH = 3;
inline int DW_ICMP_SOURCE_QUENCH = 4;
inline int DW_ICMP_REDIRECT = 5;
inline int DW_ICMP_ECHO = 8;
inline int DW_ICMP_TIME_EXCEEDED = 11;
inline int DW_ICMP_PARAMETERPROB = 12;
inline int DW_ICMP_TIMESTAMP = 13;
inline int DW_ICMP_TIMESTAMPREPLY = 14;

/* struct net_device: type; flags; priv_flags */
inline int DW_ARPHRD_ETHER = 1;
inline int DW_IFF_LOOPBACK = 0x8;
inline int DW_IFF_SLAVE = 0x800;
inline int DW_IFF_MACVLAN_PORT = 0x100;
inline int DW_IFF_BRIDGE_PORT = 0x200;
inline int DW_IFF_TEAM_PORT = 0x2000;

inline int DW_PACKET_OTHERHOST = 3;	/* pkt_type: a packet for another host */
inline int DW_IPSKB_FORWARDED = 1;	/* struct inet_skb_parm, flags */
inline int DW_IPSKB_FRAG_COMPLETE = 8;
inline int DW_RTCF_LOCAL = 0x80000000;	/* struct rtable, rt_flags; struct rt6_info, rt6i_flags: RTF_LOCAL */
inline int DW_SOCK_RCVBUF_LOCK = 2;	/* struct sock, sk_userlocks: a user has set the size */

/* struct bpf_sock_ops, op: BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB, BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB */
inline int DW_SOCK_OPS_ACTIVE = 4;
inline int DW_SOCK_OPS_PASSIVE = 5;
/* What tcp_check_req() makes of a segment for a handshake: the translator of struct dw_fcheckreq */
inline int DW_REQ_ENDS = 1;
inline int DW_REQ_COMPLETES = 2;

inline int DW_MSG_PEEK = 2;
/* Opcodes of io_uring */
inline int DW_IORING_OP_ACCEPT = 13;
inline int DW_IORING_OP_CONNECT = 16;
inline int DW_IORING_OP_SOCKET = 45;
inline int DW_IORING_OP_BIND = 56;
inline int DW_IORING_OP_LISTEN = 57;

inline int DW_EAGAIN = 11;
inline int DW_ENOMEM = 12;
inline int DW_EBUSY = 16;
inline int DW_ENETUNREACH = 101;
inline int DW_ECONNABORTED = 103;
inline int DW_ECONNRESET = 104;
inline int DW_EISCONN = 106;
inline int DW_ETIMEDOUT = 110;
inline int DW_ECONNREFUSED = 111;
inline int DW_EALREADY = 114;
inline int DW_EINPROGRESS = 115;

inline int DW_SIGKILL = 9;
inline int DW_SIGNAL_GROUP_EXIT = 4;	/* struct signal_struct, flags */
