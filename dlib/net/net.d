/* SPDX-License-Identifier: GPL-2.0-or-later */
/* net: what all network providers share. A site is a place in the kernel where a packet is seen; its arguments are
 * the members of a structure, in order. One translator for each site makes a struct dw_pkt of it, or a structure that
 * extends dw_pkt with the members of one provider (its first member is dw_pkt, without a name). The translators of
 * args[] take that structure. If a site's translator omits a member, the first of these applies: (1) the site's
 * member of the same name; a socket given so is never NULL, and its owner and cookie come with it; (2) the member in
 * the translator of the provider's structure to itself, then in that of dw_pkt below; (3) the member is absent, and
 * reading it is a fault, as through a NULL pointer. */

/* Linux's load averages, running/all tasks and the last pid, read when the line is printed. */
inline string loadavg = __loadavg();
/* The kernel's counters (SNMP) of this network namespace, or of that of -x netns, that have changed since they were
 * last printed: one line each, with the name and the difference. The first use prints nothing and begins the
 * counting. */
inline string netcounters = __moved();

/* A kernel without CONFIG_NET_NS has one network namespace, whose number is 0; without CONFIG_IPV6 a socket has no IPv6
 * addresses. */
inline uint32_t dw_sk_netns[struct sock *S] = __has(S->__sk_common.skc_net.net) ?
    S->__sk_common.skc_net.net->ns.inum : 0;
inline uint32_t dw_dev_netns[struct net_device *D] = __has(D->nd_net.net) ? D->nd_net.net->ns.inum : 0;
inline struct net *dw_sk_net[struct sock *S] = __has(S->__sk_common.skc_net.net) ? S->__sk_common.skc_net.net :
    curthread->nsproxy->net_ns;
inline struct net *dw_dev_net[struct net_device *D] = __has(D->nd_net.net) ? D->nd_net.net : curthread->nsproxy->net_ns;
/* Without CONFIG_SOCK_CGROUP_DATA a socket's cgroup is not known: 0. */
inline struct kernfs_node *dw_sk_cgroup[struct sock *S] = __has(S->sk_cgrp_data.cgroup) ? S->sk_cgrp_data.cgroup->kn :
    (struct kernfs_node *)0;
inline uint64_t dw_sk_cgroup_id[struct sock *S] = __has(S->sk_cgrp_data.cgroup) ? S->sk_cgrp_data.cgroup->kn->id : 0;
inline string dw_sk_near6[struct sock *S] = __has(S->__sk_common.skc_v6_rcv_saddr) ?
    __ip6(&S->__sk_common.skc_v6_rcv_saddr) : "";
inline string dw_sk_far6[struct sock *S] = __has(S->__sk_common.skc_v6_daddr) ? __ip6(&S->__sk_common.skc_v6_daddr) : "";
/* The interface that a socket's multicasts leave by; of an accepted one that of its SYN. */
inline int dw_mcast_oif6[struct sock *S] = __has(((struct inet_sock *)S)->pinet6) ?
    ((struct inet_sock *)S)->pinet6->mcast_oif : 0;

struct dw_owner {	/* a record of the owner service */
	int32_t pid;
	int32_t tid;
	uint32_t uid;
	uint32_t how : 8;
	uint32_t nspid : 24;
	char comm[16];
	uint64_t process;	/* address of its struct pid */
	uint64_t ended, sk;	/* of a connection without a socket: its number, and the socket that it had */
};

/* The first thread of the process of a struct pid: the head of its list tasks[1] (PIDTYPE_TGID). An empty list gives
 * 0 minus the offset. */
inline uint64_t dw_thread_of[struct pid *p] = (uint64_t)p->tasks[1].first -
    (offsetof(struct task_struct, pid_links) + sizeof(struct hlist_node));
/* An owner's first thread, or NULL if the process has ended: then the struct pid has no thread, or belongs to another
 * process. */
inline struct task_struct *dw_leader[struct dw_owner *O] = ((struct pid *)O->process)->tasks[1].first != 0 &&
    ((struct task_struct *)dw_thread_of[(struct pid *)O->process])->tgid == O->pid ?
    (struct task_struct *)dw_thread_of[(struct pid *)O->process] : (struct task_struct *)0;
/* The owner's user and name: the current ones, or the last ones noted if the process has ended. */
inline uint32_t dw_owner_uid[struct dw_owner *O] = dw_leader[O] != 0 ? dw_leader[O]->cred->uid.val : O->uid;
inline string dw_owner_name[struct dw_owner *O] = dw_leader[O] != 0 ? dw_leader[O]->comm : O->comm;

struct dw_pkt {
	struct sk_buff *skb;
	struct sock *sk;	/* the socket; NULL: none */
	struct dw_owner *owner;	/* NULL: no process */
	uint64_t cookie;
	int32_t has_pkt;	/* 1: there is a packet, and skb, nh, th are valid */
	uint64_t nh;		/* address of the IP header */
	uint64_t th;		/* address of the transport header */
	int32_t foreign;	/* 1: not a packet of IP: nh, th, ver and proto say nothing */
	uint32_t ver;		/* IP version */
	uint32_t proto;		/* transport protocol */
	int32_t recv;		/* 1: coming in */
	int32_t state;		/* of TCP, after the event */
	int32_t oldstate;	/* state-change: before it */
	struct net_device *dev;
	uint32_t netns;		/* inode number of the network namespace */
	uint64_t cgroup;	/* id of the socket's cgroup; 0: none */
	uint64_t box;		/* node of its container's cgroup; 0: none */
	uint64_t boxid;		/* where the id or name of the container begins; 0: none */
	int32_t reply;		/* 1: the event is the reset that answers the segment at nh, th */
	int32_t bare;		/* 1: a segment that cannot have a payload, so that the compiler knows it */
	int32_t synth;		/* 1: no packet; the headers are made as the socket's next ones */
	struct sock *rx_sk;	/* kfree_skb: the socket that dropped it */
	uint32_t reason;	/* kfree_skb: why */
	int32_t dropped;	/* 1: the kernel drops the packet there */
	uint64_t mac_source;	/* net_dev_queue: source address in the frame, and the device's own */
	uint64_t mac_device;
	uint64_t location;	/* kfree_skb: the address that freed it */
	int32_t checked;	/* 1: IP has checked the packet's lengths, or set them */
	uint64_t since;		/* ns: time of the event that began what this one ends; 0: not known */
	int32_t point;		/* number of the stage of the packet's way, DW_PATH_... */
	uint64_t departs;	/* departure time that TCP has set; 0: none, or not read here */
	uint64_t packet_id;	/* its identity; 0: not known */
	uint64_t object;	/* memory that is given back */
	uint32_t object_size;	/* of that, in bytes, where the event says it */
	uint64_t nf_table;	/* a packet that netfilter drops: a chain of the table; 0: not known (netfilter.d) */
	uint64_t nf_chain;	/* ... the chain */
	uint64_t nf_rule;	/* ... the rule's head; 1: the chain's policy */
	uint64_t nf_xt;		/* ... or a table of iptables, with the number of the hook */
	uint64_t nf_xt_rule;	/* ... and the weight of its rule (netfilter.d); 0: not known */
	uint64_t nf_word;	/* notes of netfilter: what is noted; the chain to which a verdict leads */
	uint64_t nf_leads;
	int32_t nf_verdict;	/* ... the verdict */
};

/* Numbers of stages beyond those of the path provider. */
inline int DW_PATH_ANY = 32;	/* at any other probe */
inline int DW_PATH_LOOK = 33;	/* likewise, and the packet may be gone already */

/* Is there a packet whose bytes can be read? A reset is known before it is made. */
inline int dw_has_bytes[struct dw_pkt *P] = P->has_pkt && !P->reply && !P->synth && P->skb != 0;
/* Is it a packet of IP? For sites that see all packets. */
inline int dw_ip_buffer[struct sk_buff *B] = B->protocol == DW_ETH_P_IP || B->protocol == DW_ETH_P_IPV6;
/* Where the headers of a buffer are. */
inline uint64_t dw_nh[struct sk_buff *B] = (uint64_t)B->head + B->network_header;
inline uint64_t dw_th[struct sk_buff *B] = (uint64_t)B->head + B->transport_header;
/* The word at a kernel address. Through a structure this is one load; through a number it would be a call, which takes
 * 20 ns more. */
inline uint64_t dw_kword[uint64_t at] = ((atomic64_t *)at)->counter;
/* The six bytes of an Ethernet address, as a number. */
inline uint64_t dw_mac[uint64_t at] = *(uint64_t *)at & 0xffffffffffff;

/* Is it a full socket (struct sock), not one in TIME_WAIT nor a request? Both are smaller structures. A NULL pointer
 * gives 0. */
inline int dw_full[uint64_t sk] = sk != 0 && ((struct sock *)sk)->__sk_common.skc_state != DW_TCP_TIME_WAIT &&
    ((struct sock *)sk)->__sk_common.skc_state != DW_TCP_NEW_SYN_RECV;

/* The device of a dropped packet. While a datagram is in a socket's queue, its member dev holds lengths instead of a
 * pointer. Kernel addresses are negative as signed numbers, lengths are not. */
inline struct net_device *dw_freed_dev[uint64_t skb] = (int64_t)((struct sk_buff *)skb)->dev < 0 ?
    ((struct sk_buff *)skb)->dev : (struct net_device *)0;
/* The namespace of a dropped packet whose socket the site does not know; 0: not known. A datagram out of a socket's
 * queue is dropped by the process that reads it, because of its checksum, or unread, some time after the socket was
 * closed, in whatever process runs then. A packet in the queue of a raw socket has no device but its socket. */
inline uint32_t dw_freed_netns[uint64_t skb, uint32_t reason] = (int64_t)((struct sk_buff *)skb)->dev < 0 ?
    dw_dev_netns[((struct sk_buff *)skb)->dev] :
    (int64_t)((struct sk_buff *)skb)->dev > 0 ?
    (reason == SKB_DROP_REASON_UDP_CSUM ? curthread->nsproxy->net_ns->ns.inum : 0) :
    ((struct sk_buff *)skb)->sk != 0 ? dw_sk_netns[((struct sk_buff *)skb)->sk] : 0;

/* Address of the transport header of a dropped packet. It follows IPv4's header; IPv6 marks it where extension headers come
 * between. */
inline uint64_t dw_freed_th[uint64_t skb] = ((struct sk_buff *)skb)->protocol == DW_ETH_P_IP ?
    (uint64_t)((struct sk_buff *)skb)->head + ((struct sk_buff *)skb)->network_header + ((struct iphdr *)
    ((uint64_t)((struct sk_buff *)skb)->head + ((struct sk_buff *)skb)->network_header))->ihl * 4 :
    ((struct sk_buff *)skb)->transport_header != DW_NO_HEADER &&
    ((struct sk_buff *)skb)->transport_header > ((struct sk_buff *)skb)->network_header ?
    (uint64_t)((struct sk_buff *)skb)->head + ((struct sk_buff *)skb)->transport_header :
    (uint64_t)((struct sk_buff *)skb)->head + ((struct sk_buff *)skb)->network_header + DW_IPV6_HLEN;

/* Defaults for members that a site's translator omits: no socket and no process unless the site names one, and
 * everything about a packet from its buffer. */
translator struct dw_pkt < struct dw_pkt *P > {
	sk = (struct sock *)0;
	owner = (struct dw_owner *)0;
	cookie = 0;
	has_pkt = 0;
	foreign = 0;
	nh = (uint64_t)P->skb->head + P->skb->network_header;
	th = (uint64_t)P->skb->head + P->skb->transport_header;
	ver = P->skb->protocol == DW_ETH_P_IP ? 4 : 6;
	proto = P->skb->protocol == DW_ETH_P_IP ?
	    ((struct iphdr *)P->nh)->protocol : ((struct ipv6hdr *)P->nh)->nexthdr;
	recv = 0;
	state = P->sk != 0 ? P->sk->__sk_common.skc_state : DW_TCP_CLOSE;
	oldstate = 0;
	dev = P->has_pkt ? P->skb->dev :
	    P->sk->sk_dst_cache != 0 ? P->sk->sk_dst_cache->dev : (struct net_device *)0;
	netns = P->sk != 0 ? dw_sk_netns[P->sk] :
	    P->skb->dev != 0 ? dw_dev_netns[P->skb->dev] : 0;
	cgroup = P->sk != 0 ? dw_sk_cgroup_id[P->sk] : 0;
	box = dw_sk_box[(uint64_t)P->sk];
	boxid = dw_box_id[P->box];
	reply = 0;
	bare = 0;
	synth = 0;
	checked = 0;
	since = 0;
	point = P->dropped ? DW_PATH_LOOK : DW_PATH_ANY;
	departs = 0;
	packet_id = dw_has_bytes[P] ? __packet((uint64_t)P->skb, (uint64_t)P->skb->head, P->point, P->departs, 0, 0) : 0;
	reason = 0;
	dropped = 0;
	location = caller;	/* of the function that is the site; tracepoints give it */
	nf_table = dw_nft_of[DW_NFT_TABLE, P];
	nf_chain = dw_nft_of[DW_NFT_CHAIN, P];
	nf_rule = dw_nft_of[DW_NFT_RULE, P];
	nf_xt = dw_xt_of[P];
	nf_xt_rule = dw_xt_rule_of[P];
};

/* ---- sites ------------------------------------------------------------------------------------------------------------ */

/* cgroup_skb: packets of a socket, at the border between IP and the transport protocol. All headers are valid in both
 * directions. sk_filter_trim_cap sees the same received packets. */
inline uint32_t dw_sock_proto[struct sk_buff *B, struct sock *S] =
    B->protocol == DW_ETH_P_IP ? ((struct iphdr *)dw_nh[B])->protocol : S->sk_protocol;

struct dw_cgin {
	struct sock *sk;
	struct sk_buff *skb;
};

translator struct dw_pkt < struct dw_cgin *C > {
	proto = dw_sock_proto[C->skb, C->sk];
	has_pkt = 1;
	recv = 1;
	checked = 1;
};

struct dw_cgout {
	struct sk_buff *skb;
	struct sock *sk;
};

translator struct dw_pkt < struct dw_cgout *C > {
	proto = dw_sock_proto[C->skb, C->sk];
	departs = C->skb->tstamp;
	has_pkt = 1;
	checked = 1;
};

/* TIME_WAIT: the key of the owner service for a connection without a socket (src/owner/bpf/owner_ended.h), from the
 * socket or the small one that follows it, and from a segment that is sent. words: namespace, near port, far port. */
inline uint64_t dw_key4[uint64_t addresses, uint64_t words] = __mix(__mix(0, addresses), words) & 0x7fffffffffffffff;
inline uint64_t dw_key_add6[uint64_t key, uint64_t at] = __mix(__mix(key, dw_kword[at]), dw_kword[at + 8]);
inline uint64_t dw_key6[uint64_t near, uint64_t far, uint64_t words] =
    __mix(dw_key_add6[dw_key_add6[0, near], far], words) & 0x7fffffffffffffff;
inline int dw_v4only[struct sock *S] = __has(S->__sk_common.skc_v6_daddr) ?
    S->__sk_common.skc_family == DW_AF_INET ||
    (S->__sk_common.skc_v6_daddr.in6_u.u6_addr32[0] == 0 && S->__sk_common.skc_v6_daddr.in6_u.u6_addr32[1] == 0 &&
    S->__sk_common.skc_v6_daddr.in6_u.u6_addr32[2] == DW_IN6_MAPPED) : 1;
inline uint64_t dw_words_of[struct sock *S] = (uint64_t)dw_sk_netns[S] << 32 |
    (uint64_t)S->__sk_common.skc_num << 16 | S->__sk_common.skc_dport;
inline uint64_t dw_ends4_of[struct sock *S] =
    dw_key4[(uint64_t)S->__sk_common.skc_rcv_saddr << 32 | S->__sk_common.skc_daddr, dw_words_of[S]];
inline uint64_t dw_ends_of[struct sock *S] = __has(S->__sk_common.skc_v6_daddr) ? (dw_v4only[S] ? dw_ends4_of[S] :
    dw_key6[(uint64_t)&S->__sk_common.skc_v6_rcv_saddr, (uint64_t)&S->__sk_common.skc_v6_daddr, dw_words_of[S]]) :
    dw_ends4_of[S];
inline uint64_t dw_words_sent[struct sk_buff *B] = (uint64_t)dw_dev_netns[B->dev] << 32 |
    (uint64_t)ntohs(((struct tcphdr *)dw_th[B])->source) << 16 | ((struct tcphdr *)dw_th[B])->dest;
inline uint64_t dw_ends_sent[struct sk_buff *B] = B->protocol == DW_ETH_P_IP ?
    dw_key4[(uint64_t)((struct iphdr *)dw_nh[B])->saddr << 32 | ((struct iphdr *)dw_nh[B])->daddr, dw_words_sent[B]] :
    dw_key6[(uint64_t)&((struct ipv6hdr *)dw_nh[B])->saddr, (uint64_t)&((struct ipv6hdr *)dw_nh[B])->daddr,
    dw_words_sent[B]];
inline struct dw_owner *dw_ended_owner[struct sock *T] = __owner(dw_ends_of[T], 2);
/* Its id: the small socket has the cookie. Kprobes make none, and know a socket without one by its address. */
inline uint64_t dw_cid_of[struct sock *T, struct dw_owner *O] = T->__sk_common.skc_cookie.counter != 0 ?
    T->__sk_common.skc_cookie.counter : O != 0 ? O->sk : 0;
inline uint64_t dw_ended_cid[struct sock *T] = dw_cid_of[T, dw_ended_owner[T]];

/* A packet that no socket sends: the id of its connection, which a TIME_WAIT socket still has, and its state. Before
 * Linux 6.13 the ACKs of TIME_WAIT leave by a socket of the kernel, as resets do; the flags distinguish them. */
inline int dw_by_timewait[struct sk_buff *B] = B->sk != 0 && B->sk->__sk_common.skc_state == DW_TCP_TIME_WAIT;
inline uint64_t dw_sent_cookie[struct sk_buff *B] = dw_by_timewait[B] ? dw_ended_cid[B->sk] : 0;
inline int32_t dw_sent_state[struct sk_buff *B] = dw_by_timewait[B] ? DW_TCP_TIME_WAIT :
    (ntohl(((union tcp_word_hdr *)dw_th[B])->words[3]) & (DW_TH_SYN | DW_TH_RST) << DW_TH_SHIFT) != 0 ?
    DW_TCP_CLOSE : DW_TCP_TIME_WAIT;

inline int dw_sends_tcp[struct sk_buff *B] = (B->protocol == DW_ETH_P_IP ? ((struct iphdr *)dw_nh[B])->protocol :
    ((struct ipv6hdr *)dw_nh[B])->nexthdr) == DW_IPPROTO_TCP;
inline struct dw_owner *dw_sent_owner[struct sk_buff *B] =
    dw_sends_tcp[B] && dw_sent_state[B] == DW_TCP_TIME_WAIT ?
    __owner(dw_by_timewait[B] ? dw_ends_of[B->sk] : dw_ends_sent[B], 2) : (struct dw_owner *)0;

/* net_dev_queue: a packet that goes to a device. The site serves packets that no socket sends; those from TIME_WAIT
 * still have the id of the connection. */
struct dw_devqueue {
	struct sk_buff *skb;
};

translator struct dw_pkt < struct dw_devqueue *C > {
	owner = dw_sent_owner[C->skb];
	cookie = dw_sent_cookie[C->skb];
	has_pkt = 1;
	state = dw_sent_state[C->skb];
	netns = dw_dev_netns[C->skb->dev];
	mac_source = dw_mac[(uint64_t)C->skb->head + C->skb->mac_header + DW_ETH_ALEN];
	mac_device = dw_mac[(uint64_t)C->skb->dev->dev_addr];
	checked = 1;
};

/* The same for segments of TCP that no socket sends. The kernel makes them, without a payload: scripts that want one
 * need no program there. */
struct dw_tcpqueue {
	struct sk_buff *skb;
};

translator struct dw_pkt < struct dw_tcpqueue *C > {
	owner = dw_sent_owner[C->skb];
	cookie = dw_sent_cookie[C->skb];
	has_pkt = 1;
	bare = 1;
	state = dw_sent_state[C->skb];
	netns = dw_dev_netns[C->skb->dev];
	mac_source = dw_mac[(uint64_t)C->skb->head + C->skb->mac_header + DW_ETH_ALEN];
	mac_device = dw_mac[(uint64_t)C->skb->dev->dev_addr];
	checked = 1;
};

/* netif_receive_skb: a packet that a device delivers. The data begin at the IP header; headers are not marked yet. */
struct dw_devrecv {
	struct sk_buff *skb;
};

translator struct dw_pkt < struct dw_devrecv *C > {
	nh = (uint64_t)C->skb->data;
	th = (uint64_t)C->skb->data +
	    (C->skb->protocol == DW_ETH_P_IP ? ((struct iphdr *)(uint64_t)C->skb->data)->ihl * 4 : DW_IPV6_HLEN);
	proto = C->skb->protocol == DW_ETH_P_IP ? ((struct iphdr *)(uint64_t)C->skb->data)->protocol :
	    ((struct ipv6hdr *)(uint64_t)C->skb->data)->nexthdr;
	has_pkt = 1;
	recv = 1;
	netns = dw_dev_netns[C->skb->dev];
};

/* netfilter: a packet that IP has received, or passes to a protocol. IP has checked its lengths. */
struct dw_nf {
	struct nf_hook_state *state;
	struct sk_buff *skb;
};

translator struct dw_pkt < struct dw_nf *C > {
	has_pkt = 1;
	recv = 1;
	dev = C->state->in;
	netns = C->state->net->ns.inum;
	checked = 1;
};

/* consume_skb: the end of a packet that was not dropped; icmp_rcv, icmpv6_rcv: a message. */
struct dw_consumed {
	struct sk_buff *skb;
};

translator struct dw_pkt < struct dw_consumed *C > {
	has_pkt = 1;
	recv = 1;
	dev = C->skb->dev;
	netns = C->skb->dev != 0 ? dw_dev_netns[C->skb->dev] : 0;
};

/* Where packets end: kfree, kmem_cache_free, consume_skb and kfree_skb. */
struct dw_endkfree {
	uint64_t call_site;
	uint64_t ptr;
};

translator struct dw_pkt < struct dw_endkfree *C > {
	object = C->ptr;
};

struct dw_endcache {
	uint64_t call_site;
	uint64_t ptr;
	struct kmem_cache *s;
};

translator struct dw_pkt < struct dw_endcache *C > {
	object = C->ptr;
	object_size = C->s->object_size;
};

struct dw_endused {
	struct sk_buff *skb;
};

translator struct dw_pkt < struct dw_endused *C > {
	has_pkt = 1;
};

/* Small headers have a cache of their own since Linux 6.3, whose objects are at least as large as this: they end in a
 * struct skb_shared_info. */
inline int DW_HEAD_SIZE = 512;

/* Is it the last buffer of its headers, which are in a page? */
inline int DW_DATAREF = 0xffff;	/* the rest counts those of the payload alone */
inline int dw_last_of_pages[struct sk_buff *B] = B->head_frag && (!B->cloned ||
    (((struct skb_shared_info *)((uint64_t)B->head + B->end))->dataref.counter & DW_DATAREF) == 1);

/* Members that TCP's sites add. */
struct dw_tcp {
	struct dw_pkt;
	struct sock *refused_sk;	/* tcp_send_reset: the socket that refuses */
	uint32_t op;			/* sock_ops: which event; tcp_check_req: DW_REQ_; ip_protocol_deliver_rcu: for whom */
	int32_t newca;			/* tcp_cong_state_set: the new congestion state */
	int32_t ret;			/* what the function or the call returned */
	int32_t flags;			/* of the call */
	struct sk_buff *queued;		/* of a socket's queue: without headers */
	struct sock_common *ends;	/* whose addresses and ports: a socket's, or a handshake's */
};

/* sock_ops, tcp_init_transfer: a connection is established by the segment skb; op: DW_SOCK_OPS_. The
 * socket is still in the state before it (accepted) or in the one after it already (connected). */
struct dw_sockops {
	struct sock *sk;
	uint32_t op;
	struct sk_buff *skb;
};

translator struct dw_tcp < struct dw_sockops *C > {
	proto = DW_IPPROTO_TCP;
	has_pkt = 1;
	recv = 1;
	state = DW_TCP_ESTABLISHED;
	dev = C->sk->sk_dst_cache != 0 ? C->sk->sk_dst_cache->dev : (struct net_device *)0;
};

/* kfree_skb: the end of a packet that no socket accepted. */
struct dw_freed {
	struct sk_buff *skb;
	uint64_t location;
	uint32_t reason;
	struct sock *rx_sk;
};

translator struct dw_pkt < struct dw_freed *C > {
	owner = C->rx_sk != 0 ? dw_ended_owner[C->rx_sk] : (struct dw_owner *)0;
	cookie = C->rx_sk != 0 ? dw_ended_cid[C->rx_sk] : 0;
	has_pkt = 1;
	recv = 1;
	state = C->rx_sk != 0 ? DW_TCP_TIME_WAIT : DW_TCP_CLOSE;
	netns = C->rx_sk != 0 ? dw_sk_netns[C->rx_sk] :
	    C->skb->dev != 0 ? dw_dev_netns[C->skb->dev] : 0;
	checked = 1;
};

/* The same place: the FIN that a small socket in FIN_WAIT2 has taken. */
struct dw_twfin {
	struct sk_buff *skb;
	uint64_t location;
	uint32_t reason;
	struct sock *rx_sk;
};

translator struct dw_pkt < struct dw_twfin *C > {
	owner = dw_ended_owner[C->rx_sk];
	cookie = dw_ended_cid[C->rx_sk];
	has_pkt = 1;
	recv = 1;
	state = DW_TCP_TIME_WAIT;
	oldstate = DW_TCP_FIN_WAIT2;
	netns = dw_sk_netns[C->rx_sk];
	checked = 1;
};

/* tcp_send_reset: the refused segment. */
struct dw_refused {
	struct sock *sk;
	struct sk_buff *skb;
};

translator struct dw_tcp < struct dw_refused *C > {
	sk = (struct sock *)0;
	refused_sk = C->sk;
	proto = DW_IPPROTO_TCP;
	has_pkt = 1;
	recv = 1;
	checked = 1;
};

/* The same place, but about the reset that is about to leave. Its header is derived from the segment (RFC 9293
 * 3.10.7.1). */
struct dw_refusal {
	struct sock *sk;
	struct sk_buff *skb;
};

translator struct dw_tcp < struct dw_refusal *C > {
	sk = (struct sock *)0;
	refused_sk = C->sk;
	proto = DW_IPPROTO_TCP;
	has_pkt = 1;
	reply = 1;
	checked = 1;
};

/* inet_sock_set_state */
struct dw_setstate {
	struct sock *sk;
	int32_t oldstate;
	int32_t newstate;
};

translator struct dw_pkt < struct dw_setstate *C > {
	state = dw_tcp_newstate[C->sk, C->oldstate, C->newstate];
};

/* sock_ops, tcp_init_transfer, for the step of an accepted socket to SYN_RECV on kernels that report it before the socket
 * has its addresses (see prov/net/tcp.c). */
struct dw_synrecv {
	struct sock *sk;
	uint32_t op;
};

translator struct dw_tcp < struct dw_synrecv *C > {
	state = DW_TCP_SYN_RECV;
	oldstate = DW_TCP_LISTEN;
};

/* ---- argument structures that several providers have -------------------------------------------------------------------- */


/* ---- containers --------------------------------------------------------------------------------------------------------- */

struct dw_name12 { char c[12]; };
struct dw_name96 { char c[96]; };

/* The name of a cgroup, by the address of its node; 0: none. */
inline uint64_t dw_cg_name[uint64_t kn] = kn == 0 ? 0 : (uint64_t)((struct kernfs_node *)kn)->name;
inline uint64_t dw_cg_own[uint64_t sk] = (uint64_t)dw_sk_cgroup[(struct sock *)sk];

/* A box is a container, as __box() finds it: the address of its id or name, with its kind as the highest byte; 0: none. */
inline uint64_t dw_sk_box[uint64_t sk] = sk == 0 ? 0 : __box(dw_cg_own[sk]);
inline uint64_t dw_box_kind[uint64_t box] = box >> 56;
inline uint64_t dw_box_id[uint64_t box] = box == 0 ? 0 : box | (uint64_t)0xff << 56;
/* Kinds, as in src/abi/abi.h. */
inline int DW_BOX_DOCKER = 1;
inline int DW_BOX_PODMAN = 2;
inline int DW_BOX_CRIO = 3;
inline int DW_BOX_CONTAINERD = 4;
inline int DW_BOX_KUBERNETES = 5;
inline int DW_BOX_LXC = 6;
inline int DW_BOX_MACHINE = 7;
inline string dw_box_runtime_as[uint64_t kind] = kind == 0 ? "" : kind == DW_BOX_DOCKER ? "docker" :
    kind == DW_BOX_PODMAN ? "podman" : kind == DW_BOX_CRIO ? "cri-o" : kind == DW_BOX_CONTAINERD ? "containerd" :
    kind == DW_BOX_KUBERNETES ? "kubernetes" : kind == DW_BOX_LXC ? "lxc" : "machine";
inline string dw_box_runtime[uint64_t box] = dw_box_runtime_as[dw_box_kind[box]];
/* Of an id, the first 12 digits. */
inline string dw_box_name[uint64_t box] = box == 0 ? "" : dw_box_kind[box] >= DW_BOX_LXC ?
    ((struct dw_name96 *)dw_box_id[box])->c : ((struct dw_name12 *)dw_box_id[box])->c;

/* dwire's own tags of what it resolves when it prints. */
inline int DW_STR_CONTAINER = 8;
inline int DW_STR_POD = 9;
inline int DW_STR_POD_NAMESPACE = 10;

typedef struct csinfo {
	uintptr_t cs_addr;		/* the socket (struct sock) */
	uint64_t cs_cid;		/* connection id: the socket's cookie */
	pid_t cs_pid;			/* process that owns the socket; -1: none */
	zoneid_t cs_zoneid;		/* 0: the machine's first network namespace; else the namespace's number; -1: not known */
	pid_t cs_tid;			/* thread that created or last claimed it; -1 */
	uid_t cs_uid;			/* user of that process; of the socket where there is no process */
	string cs_execname;		/* name of that process; "" */
	uint32_t cs_netns;		/* inode number of the network namespace */
	uint64_t cs_cgroup;		/* id of the socket's cgroup (version 2) */
	string cs_zonename;		/* name of the namespace: "global", ip-netns's name, @ and a container's id, a number; "": not known */
	pid_t cs_nspid;			/* number of that process in its own pid namespace; -1 */
	/* of the socket's cgroup (version 2); "" where there is none */
	string cs_runtime;		/* "docker", "podman", "containerd", "cri-o", "kubernetes", "lxc", "machine"; "": no container */
	string cs_container;		/* the container's id, 12 digits; lxc: its name; machine (systemd-nspawn): its unit */
	uintptr_t cs_parent;		/* the MPTCP connection (struct mptcp_sock) that this is a subflow of; 0: none */
	uint32_t cs_token;		/* its token, as ss -M shows it */
	/* where the kernel tracks the connection of a packet that leaves: its two ends as they are in its first packet, before
	   translation (NAT); "" and 0 where it does not */
	string cs_orig_saddr;
	string cs_orig_daddr;
	uint16_t cs_orig_sport;
	uint16_t cs_orig_dport;
	string cs_cgroupname;		/* the cgroup's own name: of systemd, the unit's ("ssh.service") */
	/* of the container, from the files of its runtime and of the kubelet; "": not known. Equal only to literals. */
	string cs_containername;
	string cs_podname;
	string cs_podnamespace;
} csinfo_t;

inline uint64_t dw_mptcp[struct sock *S] = __has(((struct tcp_sock *)S)->is_mptcp) ?
    (S == 0 || S->sk_protocol != DW_IPPROTO_TCP || S->sk_type != DW_SOCK_STREAM || !((struct tcp_sock *)S)->is_mptcp ||
    ((struct inet_connection_sock *)S)->icsk_ulp_data == 0 ? 0 :
    (uint64_t)((struct mptcp_subflow_context *)(uint64_t)((struct inet_connection_sock *)S)->icsk_ulp_data)->conn) : 0;

inline uint32_t dw_mptcp_token[uint64_t conn] = __has(((struct mptcp_sock *)conn)->token) ?
    (conn == 0 ? 0 : ((struct mptcp_sock *)conn)->token) : 0;

/* The packet's struct nf_conn. The low bits of the pointer have other meanings. */
inline uint64_t dw_ct[struct dw_pkt *P] = P->has_pkt && P->skb != 0 ? P->skb->_nfct & ~(uint64_t)DW_NFCT_INFOMASK : 0;

translator csinfo_t < struct dw_pkt *P > {
	cs_addr = (uintptr_t)P->sk;
	cs_cid = P->cookie;
	cs_pid = P->owner != 0 ? P->owner->pid : -1;
	cs_zoneid = P->netns != 0 ? __zoneid(P->netns) : -1;
	cs_tid = P->owner != 0 ? P->owner->tid : -1;
	cs_uid = P->owner != 0 ? dw_owner_uid[P->owner] : P->sk != 0 ? P->sk->sk_uid.val : 0;
	cs_execname = P->owner != 0 ? dw_owner_name[P->owner] : "";
	cs_netns = P->netns;
	cs_cgroup = P->cgroup;
	cs_zonename = P->netns != 0 ? __zone(P->netns) : "";
	cs_nspid = P->owner != 0 ? P->owner->nspid : -1;
	cs_orig_saddr = __has(((struct nf_conn *)0)->tuplehash[0].tuple.src.l3num) ? (dw_ct[P] == 0 ? "" :
	    ((struct nf_conn *)dw_ct[P])->tuplehash[0].tuple.src.l3num == DW_AF_INET ? __ip4(((struct nf_conn *)dw_ct[P])->tuplehash[0].tuple.src.u3.ip) :
	    __ip6(&((struct nf_conn *)dw_ct[P])->tuplehash[0].tuple.src.u3.in6)) : "";
	cs_orig_daddr = __has(((struct nf_conn *)0)->tuplehash[0].tuple.src.l3num) ? (dw_ct[P] == 0 ? "" :
	    ((struct nf_conn *)dw_ct[P])->tuplehash[0].tuple.src.l3num == DW_AF_INET ? __ip4(((struct nf_conn *)dw_ct[P])->tuplehash[0].tuple.dst.u3.ip) :
	    __ip6(&((struct nf_conn *)dw_ct[P])->tuplehash[0].tuple.dst.u3.in6)) : "";
	cs_orig_sport = __has(((struct nf_conn *)0)->tuplehash[0].tuple.src.l3num) ? (dw_ct[P] == 0 ? 0 :
	    ntohs(((struct nf_conn *)dw_ct[P])->tuplehash[0].tuple.src.u.all)) : 0;
	cs_orig_dport = __has(((struct nf_conn *)0)->tuplehash[0].tuple.src.l3num) ? (dw_ct[P] == 0 ? 0 :
	    ntohs(((struct nf_conn *)dw_ct[P])->tuplehash[0].tuple.dst.u.all)) : 0;
	cs_parent = dw_mptcp[P->sk];
	cs_token = dw_mptcp_token[dw_mptcp[P->sk]];
	cs_runtime = dw_box_runtime[P->box];
	cs_container = dw_box_name[P->box];
	cs_cgroupname = P->sk == 0 ? "" : ((struct dw_name96 *)dw_cg_name[dw_cg_own[(uint64_t)P->sk]])->c;
	cs_containername = __container(DW_STR_CONTAINER, P->boxid);
	cs_podname = __container(DW_STR_POD, P->boxid);
	cs_podnamespace = __container(DW_STR_POD_NAMESPACE, P->boxid);
};

typedef struct ipinfo {
	uint8_t ip_ver;
	uint32_t ip_plength;		/* bytes after the IP header; a segment not cut yet can have more than 65535 */
	string ip_saddr;
	string ip_daddr;
} ipinfo_t;

/* Bytes after the IP header. The header of a packet larger than 64 KiB (GSO, BIG TCP) has no length: the length of
 * the buffer is used, whose data may begin at another header. Such an IPv6 packet has a hop-by-hop header of 8 bytes
 * for the kernel's use. */
inline uint32_t dw_buffer_len[struct dw_pkt *P] = P->skb->len + (uint32_t)((uint64_t)P->skb->data - P->nh);
inline uint32_t dw_ip_plength[struct dw_pkt *P] = P->ver == 4 ?
    (((struct iphdr *)P->nh)->tot_len != 0 ? ntohs(((struct iphdr *)P->nh)->tot_len) : dw_buffer_len[P]) -
    ((struct iphdr *)P->nh)->ihl * 4 :
    ((struct ipv6hdr *)P->nh)->payload_len != 0 ? ntohs(((struct ipv6hdr *)P->nh)->payload_len) :
    dw_buffer_len[P] - (((struct ipv6hdr *)P->nh)->nexthdr == DW_IPPROTO_IP ? DW_IPV6_HLEN + 8 : DW_IPV6_HLEN);
/* The packet, and for pcap() all that a capture file says of it (image/image.h, CAPTURE_MEMBERS). */
typedef struct pktinfo {
	uintptr_t pkt_addr;		/* the packet's sk_buff */
	uint64_t pkt_id;		/* the packet's identity; 0: not known */
	uint32_t pkt_len;		/* bytes from the IP header on; 0: there is no packet, or it is still to be made */
	uint16_t pkt_protocol;		/* ETH_P_IP: 0x800, ETH_P_IPV6: 0x86dd, ... */
	int pkt_recv;			/* 1: coming in; 0: going out */
	uint32_t pkt_ifindex;		/* number of the device; 0: none */
	string pkt_ifname;
	uint32_t pkt_netns;		/* inode number of the network namespace; 0: not known */
	string pkt_zonename;		/* its name, as cs_zonename */
	uint64_t pkt_buffer;		/* address of the data; clones of a packet have the same */
	int32_t pkt_pid;		/* the owner; -1: none */
	int32_t pkt_tid;
	string pkt_execname;
	string pkt_runtime;		/* of its container, as cs_runtime */
	string pkt_container;
	int pkt_dropped;		/* 1: at this probe the kernel drops it */
	string pkt_reason;		/* why: a name of enum skb_drop_reason, without the prefix; or "" */
} pktinfo_t;

translator pktinfo_t < struct dw_pkt *P > {
	pkt_addr = (uintptr_t)P->skb;
	pkt_id = P->packet_id;
	pkt_len = dw_has_bytes[P] ? (uint32_t)dw_buffer_len[P] : 0;
	pkt_protocol = dw_has_bytes[P] ? ntohs(P->skb->protocol) : 0;
	pkt_recv = P->recv;
	pkt_ifindex = P->dev != 0 ? P->dev->ifindex : 0;
	pkt_ifname = P->dev != 0 ? P->dev->name : "";
	pkt_netns = P->netns;
	pkt_zonename = P->netns != 0 ? __zone(P->netns) : "";
	pkt_buffer = dw_has_bytes[P] ? (uint64_t)P->skb->head : 0;
	pkt_pid = P->owner != 0 ? P->owner->pid : -1;
	pkt_tid = P->owner != 0 ? P->owner->tid : -1;
	pkt_execname = P->owner != 0 ? dw_owner_name[P->owner] : "";
	pkt_runtime = dw_box_runtime[P->box];
	pkt_container = dw_box_name[P->box];
	pkt_dropped = P->dropped;
	pkt_reason = P->dropped && __has(SKB_DROP_REASON_NOT_SPECIFIED) ?
	    __enum("skb_drop_reason", "SKB_DROP_REASON_", P->reason) : "";
};

/* A length after a subtraction; 0 if the result is negative. The cast narrows to 32 bits; a parameter does not. */
inline uint32_t dw_not_less[int32_t n] = (int32_t)n < 0 ? 0 : n;

/* Without an IP header: the length of what TCP has made; of a process's call it is not known. */
inline uint32_t dw_synth_length[struct dw_pkt *P] = P->proto != DW_IPPROTO_TCP ? 0 : P->has_pkt ? P->skb->len :
    ((struct tcp_sock *)P->sk)->tcp_header_len;
inline int dw_unconnected[struct dw_pkt *P] = P->proto != DW_IPPROTO_TCP &&
    P->sk->__sk_common.skc_state != DW_TCP_ESTABLISHED;

inline uint8_t dw_doff[struct dw_pkt *P] = ((struct tcphdr *)P->th)->doff * 4;

translator ipinfo_t < struct dw_pkt *P > {
	ip_ver = P->foreign ? 0 : P->ver;
	ip_plength = P->foreign ? 0 : P->reply ? DW_TCP_HLEN : P->bare ? dw_doff[P] : P->synth ? dw_synth_length[P] :
	    P->checked ? dw_ip_plength[P] : dw_not_less[dw_ip_plength[P]];
	ip_saddr = P->foreign ? "" : P->synth ? (P->sk->__sk_common.skc_family == DW_AF_INET ? __ip4(P->sk->__sk_common.skc_rcv_saddr) :
	    dw_sk_near6[P->sk]) :
	    P->ver == 4 ? __ip4(P->reply ? ((struct iphdr *)P->nh)->daddr : ((struct iphdr *)P->nh)->saddr) :
	    P->reply ? __ip6(&((struct ipv6hdr *)P->nh)->daddr) : __ip6(&((struct ipv6hdr *)P->nh)->saddr);
	ip_daddr = P->foreign ? "" : P->synth ? (dw_unconnected[P] ? "" : P->sk->__sk_common.skc_family == DW_AF_INET ? __ip4(P->sk->__sk_common.skc_daddr) :
	    dw_sk_far6[P->sk]) :
	    P->ver == 4 ? __ip4(P->reply ? ((struct iphdr *)P->nh)->saddr : ((struct iphdr *)P->nh)->daddr) :
	    P->reply ? __ip6(&((struct ipv6hdr *)P->nh)->saddr) : __ip6(&((struct ipv6hdr *)P->nh)->daddr);
};
