/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conditions: conditions on packets and sockets. The tables of src/prov use them in the member when of a site. Input:
 * P, the structure that a site gives (struct dw_pkt, struct dw_tcp or one that extends them). Output: not 0 if the
 * site is to fire. dlib/kernel.d has the constants. A comment that begins with the name of a tracepoint or function
 * says at which site the condition is valid. */

/* ---- packets ----------------------------------------------------------------------------------------------------------- */

inline int dw_is_ip[struct dw_pkt *P] = dw_ip_buffer[P->skb];

/* kfree_skb: an IP packet whose header is known. */
inline int dw_ip_header[struct dw_pkt *P] = P->skb->protocol == DW_ETH_P_IP ?
    ((struct iphdr *)P->nh)->version == 4 :
    P->skb->protocol == DW_ETH_P_IPV6 && ((struct ipv6hdr *)P->nh)->version == 6;

/* ... and no later fragment, so that a transport header follows. */
inline int dw_ip_freed[struct dw_pkt *P] = dw_ip_header[P] &&
    (P->skb->protocol != DW_ETH_P_IP || (((struct iphdr *)P->nh)->frag_off & DW_IP_OFFSET) == 0);

/* net_dev_queue: the packet's first device. A packet may pass through a stack of devices. The first one is not a port
 * of a bridge or team, not a slave of a bond, not the device below a VLAN, and not the device below a macvlan (a
 * macvlan sends with its own source address). Only Ethernet devices can be below others with the same packet. */
inline int dw_first_device[struct dw_pkt *P] =
    (P->dev->priv_flags & (DW_IFF_BRIDGE_PORT | DW_IFF_TEAM_PORT)) == 0 && (P->dev->flags & DW_IFF_SLAVE) == 0 &&
    (__has(P->skb->vlan_all) ? P->skb->vlan_all : P->skb->vlan_tci) == 0 &&
    (P->dev->type != DW_ARPHRD_ETHER || P->mac_source == P->mac_device);

/* The outer packet of a tunnel. It still has the socket of the inner one, whose headers are kept. */
inline int dw_wrapped[struct dw_pkt *P] =
    P->skb->inner_network_header != 0 && P->skb->inner_network_header != P->skb->network_header;

/* net_dev_queue: IPv6 segments that carry a socket but that the socket does not send itself: resets (a reset of the
 * socket carries ACK too), and answers to segments that do not belong to a handshake. */
inline int dw_tcp6_unseen[struct dw_pkt *P] = P->skb->sk->__sk_common.skc_state == DW_TCP_NEW_SYN_RECV ||
    P->skb->sk->__sk_common.skc_state == DW_TCP_LISTEN ? (dw_tcp_flags[P] & DW_TH_SYN) == 0 :
    (dw_tcp_flags[P] & (DW_TH_RST | DW_TH_ACK)) == DW_TH_RST;

/* net_dev_queue: IP packets that cgroup_skb, the hook of the sockets, does not see. */
inline int dw_ip_queued[struct dw_pkt *P] =
    (P->skb->sk == 0 || P->skb->sk->__sk_common.skc_state == DW_TCP_TIME_WAIT || dw_wrapped[P] ||
    (P->skb->protocol == DW_ETH_P_IPV6 && P->skb->skb_iif == 0 && P->proto == DW_IPPROTO_TCP && dw_tcp6_unseen[P])) &&
    dw_is_ip[P] && dw_first_device[P];

/* Netfilter's hooks in the packet's namespace, for its family: hook 0 is PREROUTING, 1 is INPUT; the result is 0 if
 * there are none. The kernel stores a count, then two words for each hook, then a pointer to each hook's struct
 * nf_hook_ops. dw_nf_ops gives pointer i, counted from 0. */
inline uint64_t dw_nf_hooks[struct dw_pkt *P, int hook] = P->skb->protocol == DW_ETH_P_IP ?
    dw_kword[(uint64_t)&dw_dev_net[P->dev]->nf.hooks_ipv4[hook]] :
    dw_kword[(uint64_t)&dw_dev_net[P->dev]->nf.hooks_ipv6[hook]];
inline uint64_t dw_nf_ops[uint64_t hooks, uint64_t n, uint64_t i] = dw_kword[hooks + 8 + 16 * n + 8 * i];
inline int dw_nf_is_bpf[uint64_t ops] = ((struct nf_hook_ops *)ops)->hook_ops_type == NF_HOOK_OP_BPF;
inline uint64_t dw_nf_number[uint64_t hooks] = ((struct nf_hook_entries *)hooks)->num_hook_entries;
/* Is the first hook of PREROUTING, or the last of INPUT, a BPF program? If so, it is dwire's
 * (attach/netfilter.c). */
inline int dw_nf_first[uint64_t hooks] = hooks != 0 && dw_nf_is_bpf[dw_nf_ops[hooks, dw_nf_number[hooks], 0]];
inline int dw_nf_last[uint64_t hooks] = hooks != 0 &&
    dw_nf_is_bpf[dw_nf_ops[hooks, dw_nf_number[hooks], dw_nf_number[hooks] - 1]];
inline int dw_nf_received[struct dw_pkt *P] = __has(NF_HOOK_OP_BPF) ? dw_nf_first[dw_nf_hooks[P, 0]] : 0;
inline int dw_nf_taken[struct dw_pkt *P] = __has(NF_HOOK_OP_BPF) ? dw_nf_last[dw_nf_hooks[P, 1]] : 0;
/* A packet that crosses a bridge passes PREROUTING in the bridge (br_netfilter), and not again when IP receives
 * it. */
inline int dw_bridged[struct dw_pkt *P] =
    __has(SKB_EXT_BRIDGE_NF) ? (P->skb->active_extensions & (1 << SKB_EXT_BRIDGE_NF)) != 0 : 0;

/* netfilter, PREROUTING: a packet that IP has received. A VRF repeats the hook with itself as the device; the
 * repetition does not count. */
inline int dw_nf_prerouting[struct dw_pkt *P] = !dw_bridged[P] &&
    ((P->dev->priv_flags & DW_IFF_L3MDEV_MASTER) == 0 || P->skb->pkt_type == DW_PACKET_LOOPBACK);
/* kfree_skb: IP received the packet and dropped it before PREROUTING. Such a packet has no route yet. */
inline int dw_nf_refused[struct dw_pkt *P] = P->recv && dw_is_ip[P] && P->dev != 0 &&
    (uint64_t)P->skb->data == P->nh && (P->skb->_skb_refdst & ~(uint64_t)DW_SKB_DST_NOREF) == 0 &&
    (P->reason == SKB_DROP_REASON_IP_CSUM || P->reason == SKB_DROP_REASON_IP_INHDR ||
    P->reason == SKB_DROP_REASON_PKT_TOO_SMALL || P->reason == SKB_DROP_REASON_UNHANDLED_PROTO ||
    (P->skb->protocol == DW_ETH_P_IPV6 && ((struct ipv6hdr *)P->nh)->nexthdr == DW_IPPROTO_IP &&
    P->reason == SKB_DROP_REASON_NOT_SPECIFIED) ||
    (__has(SKB_DROP_REASON_IPV6DISABLED) ? P->reason == SKB_DROP_REASON_IPV6DISABLED : 0)) && dw_nf_received[P];

/* netif_receive_skb: a packet that the device delivers to IP. A packet for a bridge or team of which the device is a
 * port does not count, nor one for another host. */
inline int dw_ip_received[struct dw_pkt *P] = dw_is_ip[P] &&
    (P->dev->priv_flags & (DW_IFF_BRIDGE_PORT | DW_IFF_TEAM_PORT)) == 0 &&
    (P->skb->pkt_type != DW_PACKET_OTHERHOST || (P->dev->priv_flags & DW_IFF_MACVLAN_PORT) != 0);

/* ... in a namespace where netfilter does not show it. Packets that XDP, tc or nft take from the device are among
 * them. */
inline int dw_ip_delivered[struct dw_pkt *P] = dw_ip_received[P] && (!dw_nf_received[P] || dw_bridged[P]);

/* IP counts received bytes before it removes the padding of Ethernet. The bytes are therefore measured at the device,
 * unless a filter there may take the packet. */
inline int dw_filtered[struct dw_pkt *P] =
    (__has(P->dev->nf_hooks_ingress) ? P->dev->nf_hooks_ingress != 0 : 0) || P->dev->xdp_prog != 0 ||
    (__has(P->dev->tcx_ingress) ? P->dev->tcx_ingress != 0 : 0);
inline int dw_ip_measured[struct dw_pkt *P] = dw_ip_received[P] &&
    (!dw_filtered[P] || !dw_nf_received[P] || dw_bridged[P]);

/* A packet that is routed to another host. IPv4 marks it in the control block; a tunnel clears the mark in the packet
 * that it wraps. IPv6 has no mark: there it is a packet that came in, goes out, and is not the outer packet of a
 * tunnel. */
inline int dw_ip_routed[struct dw_pkt *P] = P->skb->skb_iif != 0 && (P->skb->protocol == DW_ETH_P_IP ?
    (((struct inet_skb_parm *)&P->skb->cb)->flags & DW_IPSKB_FORWARDED) != 0 :
    P->skb->protocol == DW_ETH_P_IPV6 && !dw_wrapped[P]);
inline int dw_ip_forwarded[struct dw_pkt *P] = dw_ip_routed[P] && dw_first_device[P];

/* kfree_skb: netfilter stops the packet at OUTPUT or POSTROUTING. There the data begin at the IP header; at the
 * egress hook of a device they begin at the link header, which may be empty. */
inline int dw_stopped[struct dw_pkt *P] = (__has(SKB_DROP_REASON_NETFILTER_DROP) ?
    P->reason == SKB_DROP_REASON_NETFILTER_DROP : 0) && P->skb->skb_iif == 0 && dw_is_ip[P] &&
    (uint64_t)P->skb->data == P->nh && P->skb->mac_header != P->skb->network_header;
/* ... a packet of a socket that is not the outer packet of a tunnel. */
inline int dw_sock_stopped[struct dw_pkt *P] = dw_stopped[P] && P->sk != 0 && !dw_wrapped[P];
/* ... a segment of a socket, or one that no socket sends. */
inline int dw_tcp_stopped[struct dw_pkt *P] = dw_stopped[P] &&
    (P->sk != 0 ? !dw_wrapped[P] && dw_is_tcp[P] : dw_tcp_out_unseen[P]);

/* consume_skb, kfree_skb: a packet that IP has given to a protocol: its data begin after the IP header. A packet that
 * waits for a process has no device. */
inline int dw_past_ip[struct dw_pkt *P] = P->dev != 0 && (uint64_t)P->skb->data >= P->th;
/* kfree_skb: ... an ICMP message with a correct checksum and length. Only these are counted by type. */
inline int dw_icmp_typed[struct dw_pkt *P] = dw_past_ip[P] &&
    (__has(SKB_DROP_REASON_ICMP_CSUM) ? P->reason != SKB_DROP_REASON_ICMP_CSUM : 1) &&
    ((uint64_t)P->skb->data > P->th || P->skb->len >= sizeof(struct icmphdr));
/* kfree_skb: a segment or datagram that is dropped before the socket lookup, or after it on kernels that do not report
 * the socket (before Linux 6.11). */
inline int dw_malformed[struct dw_pkt *P] = P->recv && P->rx_sk == 0 && P->dev != 0 && (uint64_t)P->skb->data == P->th &&
    (P->reason == SKB_DROP_REASON_NOT_SPECIFIED || P->reason == SKB_DROP_REASON_PKT_TOO_SMALL);
/* ... because it is shorter than its header says. The first fragments of a packet that is given up are, too. */
inline int dw_tcp_short[struct dw_pkt *P] = P->skb->len < DW_TCP_HLEN ||
    ((struct tcphdr *)P->th)->doff * 4 < DW_TCP_HLEN || ((struct tcphdr *)P->th)->doff * 4 > P->skb->len;
inline int dw_udp_short[struct dw_pkt *P] = P->skb->len < sizeof(struct udphdr) ||
    ntohs(((struct udphdr *)P->th)->len) < sizeof(struct udphdr) || ntohs(((struct udphdr *)P->th)->len) > P->skb->len;
inline int dw_fragment[struct dw_pkt *P] = P->skb->protocol == DW_ETH_P_IP &&
    (((struct iphdr *)P->nh)->frag_off & DW_IP_FRAGMENT) != 0;
inline int dw_tcp_malformed[struct dw_pkt *P] = dw_malformed[P] && P->skb->pkt_type == DW_PACKET_HOST &&
    dw_tcp_short[P] && !dw_fragment[P];
inline int dw_udp_malformed[struct dw_pkt *P] = dw_malformed[P] && dw_udp_short[P] && !dw_fragment[P];
/* kfree_skb_reason: the fragments of a packet whose time is over; before Linux 6.11 no reason is only theirs. */
inline int DW_IP_EXPIRE_SIZE = 1024;	/* bytes of the function's code, at most */
inline int dw_expired[struct dw_pkt *P] = __has(&`ip_expire) ?
    P->location - (uint64_t)&`ip_expire < DW_IP_EXPIRE_SIZE : 0;

/* kfree_skb: a datagram with a wrong checksum, or an IPv6 datagram without one. If no socket exists either, IPv6
 * reports that as the reason. */
inline int dw_udp_bad_sum[struct dw_pkt *P] = P->reason == SKB_DROP_REASON_UDP_CSUM ||
    (P->reason == SKB_DROP_REASON_NO_SOCKET && P->skb->protocol == DW_ETH_P_IPV6 &&
    (((struct udphdr *)P->th)->check == 0 || (P->skb->csum_complete_sw && !P->skb->csum_valid)));
inline int dw_udp_no_port[struct dw_pkt *P] = P->reason == SKB_DROP_REASON_NO_SOCKET && !dw_udp_bad_sum[P];
/* ... that UDP or its socket drops. A datagram left in the queue of a closed socket has no socket any more; it was
 * received, so it does not count. */
inline int dw_udp_refused[struct dw_pkt *P] = dw_udp_bad_sum[P] || (P->reason != SKB_DROP_REASON_NO_SOCKET &&
    (P->rx_sk != 0 || dw_udp_malformed[P]));

/* ---- sockets ----------------------------------------------------------------------------------------------------------- */

inline int dw_is_tcp[struct dw_pkt *P] = P->sk->sk_protocol == DW_IPPROTO_TCP && P->sk->sk_type == DW_SOCK_STREAM;
inline int dw_is_udp[struct dw_pkt *P] = P->sk->sk_type == DW_SOCK_DGRAM && P->sk->sk_protocol == DW_IPPROTO_UDP;
inline int dw_is_udplite[struct dw_pkt *P] =
    P->sk->sk_type == DW_SOCK_DGRAM && P->sk->sk_protocol == DW_IPPROTO_UDPLITE;

/* A segment for a TCP socket, counted once. A segment with a wrong acknowledgment for a handshake passes the
 * listener's filter twice. In between, TCP moves IP's part of the control block away and back (tcp_v4_restore_cb) and
 * leaves the copy in place. The part begins with the interface's index, which is never 0. A SYN that ends TIME_WAIT is
 * moved in the same way and has passed no filter before. */
inline uint64_t dw_cb[struct dw_pkt *P] = (uint64_t)&P->skb->cb;
inline uint64_t dw_cb_copy[struct dw_pkt *P] = (uint64_t)&((struct tcp_skb_cb *)&P->skb->cb)->header;
inline int dw_filtered_before[struct dw_pkt *P] = P->state == DW_TCP_LISTEN && !dw_opens[P] &&
    *(uint64_t *)dw_cb[P] == *(uint64_t *)dw_cb_copy[P] && *(uint64_t *)(dw_cb[P] + 8) == *(uint64_t *)(dw_cb_copy[P] + 8);
inline int dw_got_tcp[struct dw_pkt *P] = dw_is_tcp[P] && !dw_filtered_before[P];

/* An active open. An accepted socket keeps the index of the interface on which its SYN arrived; other sockets have
 * 0. */
inline int dw_opened_here[struct dw_pkt *P] = P->sk->__sk_common.skc_family == DW_AF_INET ?
    ((struct inet_sock *)P->sk)->mc_index == 0 : dw_mcast_oif6[P->sk] == 0;

/* The kernel's own socket, through which IPv4 sends resets that belong to no socket. A user's raw socket does not
 * count. */
inline int dw_reset_sock[struct sock *S] = S->__sk_common.skc_state == DW_TCP_CLOSE && S->sk_type == DW_SOCK_RAW &&
    S->sk_kern_sock && S->sk_protocol == DW_IPPROTO_TCP;

/* ---- segments ---------------------------------------------------------------------------------------------------------- */

/* The segment's flags (DW_TH_*), and its numbers in host order. */
inline uint32_t dw_tcp_flags[struct dw_pkt *P] = (ntohl(((union tcp_word_hdr *)P->th)->words[3]) >> DW_TH_SHIFT) & 0xff;
inline uint32_t dw_tcp_seq[struct dw_pkt *P] = ntohl(((struct tcphdr *)P->th)->seq);
inline uint32_t dw_tcp_ack[struct dw_pkt *P] = ntohl(((struct tcphdr *)P->th)->ack_seq);

inline int dw_opens[struct dw_pkt *P] = (dw_tcp_flags[P] & (DW_TH_SYN | DW_TH_ACK)) == DW_TH_SYN;
/* The SYN of a new connection. TIME_WAIT leaves it to the listener. */
inline int dw_is_syn[struct dw_pkt *P] = (dw_tcp_flags[P] & (DW_TH_SYN | DW_TH_RST | DW_TH_ACK)) == DW_TH_SYN;

/* kfree_skb: a segment that no site of the hooks saw on arrival: one for TIME_WAIT (freed after its answer left), or a
 * reset without a socket. */
inline int dw_unanswered[struct dw_pkt *P] = (P->rx_sk != 0 ? P->rx_sk->__sk_common.skc_state == DW_TCP_TIME_WAIT :
    P->reason == SKB_DROP_REASON_NO_SOCKET) && dw_is_ip[P] && P->proto == DW_IPPROTO_TCP &&
    (P->rx_sk != 0 || (dw_tcp_flags[P] & DW_TH_RST) != 0);

/* A segment of a connection, with payload, SYN or FIN, whose sequence numbers were sent before. */
inline int dw_sent_again[struct dw_pkt *P] = P->state != DW_TCP_LISTEN &&
    (int32_t)(dw_tcp_seq[P] - ((struct tcp_sock *)P->sk)->snd_nxt) < 0 &&
    ((dw_tcp_flags[P] & (DW_TH_FIN | DW_TH_SYN)) != 0 ||
    P->skb->len > P->th - P->nh + ((struct tcphdr *)P->th)->doff * 4);

/* The first SYN. It is sent before snd_nxt moves over it. */
inline int dw_first_syn[struct dw_pkt *P] = dw_is_tcp[P] && P->state == DW_TCP_SYN_SENT &&
    dw_opens[P] && dw_tcp_seq[P] == ((struct tcp_sock *)P->sk)->snd_nxt;

/* net_dev_queue: segments that the hook of the sockets does not see: segments from TIME_WAIT, resets without a
 * socket, and some of IPv6. skb_iif is 0 in packets made on this machine. */
inline int dw_tcp_queued[struct dw_pkt *P] = P->skb->skb_iif == 0 && dw_is_ip[P] && P->proto == DW_IPPROTO_TCP &&
    (P->skb->sk == 0 || P->skb->sk->__sk_common.skc_state == DW_TCP_TIME_WAIT ||
    (P->skb->protocol == DW_ETH_P_IP ? dw_reset_sock[P->skb->sk] : dw_tcp6_unseen[P])) && dw_first_device[P];

/* ip_finish_output: the same segments. What IPv6 sends for a request is the listener's there. */
inline int dw_tcp_out_unseen[struct dw_pkt *P] = P->skb->skb_iif == 0 && P->proto == DW_IPPROTO_TCP &&
    (P->skb->sk == 0 || P->skb->sk->__sk_common.skc_state == DW_TCP_TIME_WAIT || dw_reset_sock[P->skb->sk] ||
    (P->skb->protocol == DW_ETH_P_IPV6 && P->skb->sk->__sk_common.skc_state != DW_TCP_NEW_SYN_RECV && dw_tcp6_unseen[P]));

/* tcp_retransmit_skb reports failures since Linux 6.17. TCP counts failures of IP, but not a buffer that still waits
 * in a queue (EBUSY) nor a window that has shrunk (EAGAIN). */
inline int dw_resent_counted[struct dw_tcp *P] = P->ret != -DW_EBUSY && P->ret != -DW_EAGAIN;

/* A SYN-ACK that is sent again. The request keeps the time of the first one (us); each buffer has its own time
 * (ns). */
inline int dw_synack_again[struct dw_pkt *P] = P->skb->skb_iif == 0 && P->skb->sk != 0 &&
    P->skb->sk->__sk_common.skc_state == DW_TCP_NEW_SYN_RECV &&
    ((struct tcp_request_sock *)P->skb->sk)->snt_synack != 0 &&
    ((struct tcp_request_sock *)P->skb->sk)->snt_synack != (uint64_t)P->skb->tstamp / DW_NSEC_PER_USEC;

/* An acceptable reset in SYN_SENT (RFC 9293 3.10.7.3). */
inline int dw_refuses[struct dw_pkt *P] = dw_is_tcp[P] && P->state == DW_TCP_SYN_SENT &&
    (dw_tcp_flags[P] & (DW_TH_RST | DW_TH_ACK)) == (DW_TH_RST | DW_TH_ACK) &&
    (int32_t)(dw_tcp_ack[P] - ((struct tcp_sock *)P->sk)->snd_una) > 0 &&
    (int32_t)(dw_tcp_ack[P] - ((struct tcp_sock *)P->sk)->write_seq) <= 0;

/* A closed window, in a segment of a connection. */
inline int dw_zero_window[struct dw_pkt *P] = dw_is_tcp[P] && P->state != DW_TCP_LISTEN && P->state != DW_TCP_SYN_SENT &&
    (dw_tcp_flags[P] & (DW_TH_SYN | DW_TH_RST)) == 0 && ((struct tcphdr *)P->th)->window == 0;

/* A reset for a socket, before it is known whether the socket takes it. */
inline int dw_reset_comes[struct dw_pkt *P] = dw_is_tcp[P] && (dw_tcp_flags[P] & DW_TH_RST) != 0;
/* A socket is reset because a reset came. */
inline int dw_reset_came[struct dw_pkt *P] = __stamp("reset", (uint64_t)P->sk) != 0;

/* A lost segment. The segment that a TIME_WAIT socket answers is also freed by kfree_skb, without a reason; it is not
 * lost. */
inline int dw_is_loss[struct dw_pkt *P] = dw_ip_freed[P] && P->proto == DW_IPPROTO_TCP &&
    (P->rx_sk == 0 || P->reason != SKB_DROP_REASON_NOT_SPECIFIED ||
    P->rx_sk->__sk_common.skc_state != DW_TCP_TIME_WAIT);

/* ---- connections ------------------------------------------------------------------------------------------------------- */

/* Does the kernel report the step of an accepted socket from LISTEN to SYN_RECV after the socket has its addresses
 * and cookie? It does since Linux 6.15; BTF has a member that is as old. */
inline int dw_has_addresses = __has(((struct netns_ipv4 *)0)->sysctl_tcp_rto_max_ms);

/* TIME_WAIT. The kernel frees the full socket and keeps a small one (struct inet_timewait_sock); inet_sock_set_state
 * shows a step to CLOSE. tcp_time_wait() makes the small one in one of two states. It makes it in TIME_WAIT when the
 * other side's FIN arrives in FIN_WAIT2 (tcp_fin() has just set SOCK_DONE), or when our FIN is acknowledged in
 * CLOSING (a reset or close() in CLOSING leaves that FIN unacknowledged). It makes it in FIN_WAIT2 when a socket that
 * no process holds waits for the FIN; without the small one such a socket ends by an error, or because TCP_LINGER2 is
 * negative. There is none if the namespace has reached tcp_max_tw_buckets. */
inline int dw_tw_full[struct netns_ipv4 *N] = __has(N->tcp_death_row.tw_refcount) ?
    N->tcp_death_row.tw_refcount.refs.counter - 1 >= N->tcp_death_row.sysctl_max_tw_buckets :
    __has(N->tcp_death_row.tw_count) ?
    N->tcp_death_row.tw_count.counter >= N->tcp_death_row.sysctl_max_tw_buckets :
    N->tcp_death_row->tw_refcount.refs.counter - 1 >= N->tcp_death_row->sysctl_max_tw_buckets;
inline int dw_sock_flag[struct sock *S, int flag] = (S->__sk_common.skc_flags >> flag) & 1;
inline int dw_tw_made[struct sock *S, int old] = old == DW_TCP_CLOSING ?
    (((struct tcp_sock *)S)->snd_una == ((struct tcp_sock *)S)->write_seq ? DW_TCP_TIME_WAIT : DW_TCP_CLOSE) :
    dw_sock_flag[S, SOCK_DONE] ? DW_TCP_TIME_WAIT : dw_sock_flag[S, SOCK_DEAD] && S->sk_err == 0 &&
    ((struct tcp_sock *)S)->linger2 >= 0 ? DW_TCP_FIN_WAIT2 : DW_TCP_CLOSE;
/* The state of the connection after that step of its socket. */
inline int dw_tcp_newstate[struct sock *S, int old, int new] = new == DW_TCP_CLOSE &&
    (old == DW_TCP_FIN_WAIT2 || old == DW_TCP_CLOSING) && S->sk_protocol == DW_IPPROTO_TCP &&
    !dw_tw_full[&dw_sk_net[S]->ipv4] ? dw_tw_made[S, old] : new;
/* The socket ends, but its connection stays in FIN_WAIT2. */
inline int dw_tcp_detach[struct dw_pkt *P] = P->oldstate == DW_TCP_FIN_WAIT2 && P->state == DW_TCP_FIN_WAIT2 &&
    P->sk->sk_protocol == DW_IPPROTO_TCP;

/* The FIN for a small socket in FIN_WAIT2, which then becomes one in TIME_WAIT (RFC 9293 3.10.7.4): before that step,
 * and after it, where a repeated FIN looks the same. */
inline uint32_t dw_tw_next[struct sock *T] = __has(T->__sk_common.skc_tw_rcv_nxt) ? T->__sk_common.skc_tw_rcv_nxt :
    ((struct tcp_timewait_sock *)T)->tw_rcv_nxt;
inline int dw_tw_enters[struct sock *T, struct dw_pkt *P] =
    ((struct inet_timewait_sock *)T)->tw_substate == DW_TCP_FIN_WAIT2 &&
    (dw_tcp_flags[P] & (DW_TH_FIN | DW_TH_SYN | DW_TH_RST | DW_TH_ACK)) == (DW_TH_FIN | DW_TH_ACK) &&
    ((struct tcp_skb_cb *)&P->skb->cb)->end_seq == dw_tw_next[T] + 1;
inline int dw_tw_entered[struct dw_pkt *P] = P->rx_sk != 0 && P->rx_sk->__sk_common.skc_state == DW_TCP_TIME_WAIT &&
    ((struct inet_timewait_sock *)P->rx_sk)->tw_substate == DW_TCP_TIME_WAIT && dw_is_ip[P] &&
    (dw_tcp_flags[P] & (DW_TH_FIN | DW_TH_SYN | DW_TH_RST | DW_TH_ACK)) == (DW_TH_FIN | DW_TH_ACK) &&
    ((struct tcp_skb_cb *)&P->skb->cb)->end_seq == dw_tw_next[P->rx_sk];
/* The key that a socket shares with the small one that follows it: a hash of both ends and the namespace, and the
 * ports. */
inline uint64_t dw_tw_key[struct sock *S] = (uint64_t)S->__sk_common.skc_hash << 32 |
    (uint64_t)((struct inet_sock *)S)->inet_sport << 16 | S->__sk_common.skc_dport;
inline uint64_t dw_tw_key_of[struct sock *T] = (uint64_t)T->__sk_common.skc_hash << 32 |
    (uint64_t)((struct inet_timewait_sock *)T)->tw_sport << 16 | T->__sk_common.skc_dport;

/* inet_sock_set_state: a change of TCP's state, except the one to SYN_RECV on kernels that report it too early;
 * sock_ops reports it there. */
inline int dw_tcp_step[struct dw_pkt *P] = P->sk->sk_protocol == DW_IPPROTO_TCP &&
    (dw_has_addresses ? 1 : P->oldstate != DW_TCP_LISTEN || P->state != DW_TCP_SYN_RECV) && P->state != P->oldstate;
inline int dw_passive_step[struct dw_tcp *P] = P->op == DW_SOCK_OPS_PASSIVE &&
    P->sk->__sk_common.skc_state == DW_TCP_SYN_RECV && !dw_opened_here[P];
inline int dw_late_step[struct dw_tcp *P] = !dw_has_addresses && dw_passive_step[P];
/* The functions that set the state begin before the tracepoint, and so before the accepted socket has an owner. */
inline int dw_fstep[struct dw_pkt *P] = P->sk->sk_protocol == DW_IPPROTO_TCP &&
    (P->oldstate != DW_TCP_LISTEN || P->state != DW_TCP_SYN_RECV) && P->state != P->oldstate;

/* sock_ops: a handshake is complete. A simultaneous open is reported as a passive one. */
inline int dw_connected[struct dw_tcp *P] =
    P->op == DW_SOCK_OPS_ACTIVE || (P->op == DW_SOCK_OPS_PASSIVE && dw_opened_here[P]);
inline int dw_accepted[struct dw_tcp *P] = P->op == DW_SOCK_OPS_PASSIVE && !dw_opened_here[P];

/* A listener's queues. Without SYN cookies the kernel reserves the last quarter of the SYN queue for hosts that it
 * has heard of before. Whether this host is one of them cannot be seen. */
inline int dw_acceptq_full[struct dw_pkt *P] = P->sk->sk_ack_backlog > P->sk->sk_max_ack_backlog;
inline int dw_synq_full[struct dw_pkt *P] =
    dw_sk_net[P->sk]->ipv4.sysctl_tcp_syncookies == 0 &&
    (uint32_t)((struct inet_connection_sock *)P->sk)->icsk_accept_queue.qlen.counter > P->sk->sk_max_ack_backlog;
inline int dw_listener_syn[struct dw_pkt *P] = dw_is_tcp[P] && P->state == DW_TCP_LISTEN &&
    (dw_tcp_flags[P] & (DW_TH_FIN | DW_TH_SYN | DW_TH_RST | DW_TH_ACK)) == DW_TH_SYN;
inline int dw_syn_overflow[struct dw_pkt *P] = dw_listener_syn[P] && dw_acceptq_full[P] && !dw_synq_full[P];
inline int dw_synq_overflow[struct dw_pkt *P] = dw_listener_syn[P] && dw_synq_full[P];
inline int dw_ack_overflow[struct dw_pkt *P] = P->sk != 0 && (__has(SKB_DROP_REASON_TCP_LISTEN_OVERFLOW) ?
    P->reason == SKB_DROP_REASON_TCP_LISTEN_OVERFLOW : 0);

/* tcp_cong_state_set: the retransmission timer. The loss state is entered at each timeout. It is also entered when
 * SACK reneges, and, without a loss, when the path's MTU has shrunk; in that case there is nothing to undo. */
inline int dw_timed_out[struct dw_tcp *P] = P->newca == DW_TCP_CA_LOSS &&
    ((struct tcp_sock *)P->sk)->is_sack_reneg == 0 &&
    (((struct inet_connection_sock *)P->sk)->icsk_ca_state == DW_TCP_CA_LOSS ||
    ((struct tcp_sock *)P->sk)->undo_marker != 0);
/* ... and other steps of congestion control. */
inline int dw_ca_changes[struct dw_tcp *P] = P->newca != ((struct inet_connection_sock *)P->sk)->icsk_ca_state;
inline int dw_ca_reduces[struct dw_tcp *P] = P->newca >= DW_TCP_CA_CWR &&
    ((struct inet_connection_sock *)P->sk)->icsk_ca_state < DW_TCP_CA_CWR;

/* tcp_rcvbuf_grow: the receive buffer may grow. */
inline int dw_rcvbuf_grows[struct dw_pkt *P] =
    dw_sk_net[P->sk]->ipv4.sysctl_tcp_moderate_rcvbuf != 0 &&
    (P->sk->sk_userlocks & DW_SOCK_RCVBUF_LOCK) == 0 &&
    P->sk->sk_rcvbuf < dw_sk_net[P->sk]->ipv4.sysctl_tcp_rmem[2];

/* ---- IP ---------------------------------------------------------------------------------------------------------------- */

/* kfree_skb: packets without an error that IP does not accept, which Linux counts as InDiscards. */
inline int dw_ip_discards[struct dw_pkt *P] = P->reason == SKB_DROP_REASON_IPV6DISABLED ||
    P->reason == SKB_DROP_REASON_NOMEM;
/* ... packets that a queue does not accept. A queue may also drop packets other than the new one (FQ, CoDel). */
inline int dw_queue_full[struct dw_pkt *P] = P->reason == SKB_DROP_REASON_QDISC_DROP ||
    (__has(SKB_DROP_REASON_QDISC_OVERLIMIT) ? P->reason == SKB_DROP_REASON_QDISC_OVERLIMIT : 0);
