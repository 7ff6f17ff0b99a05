/* SPDX-License-Identifier: GPL-2.0-or-later */
/* neigh: sites and arguments of the neigh provider. Input: requests as they go to a device (ARP, RFC 826; neighbour
 * solicitations, RFC 4861), and changes of the kernel's neighbour table. Output: neighinfo_t. */

/* The key that a request and its answer share: the device and the address. The factors are odd constants that spread
 * the bits. */
inline uint64_t dw_neigh_key4[uint64_t dev, uint32_t a] = dev + a * 0xc2b2ae3d27d4eb4f;
inline uint64_t dw_neigh_key6[uint64_t dev, uint64_t a] = dev + ((uint32_t *)a)[0] * 0x9e3779b97f4a7c15 +
    ((uint32_t *)a)[1] * 0x165667b19e3779f9 + ((uint32_t *)a)[2] * 0x27d4eb2f165667c5 + ((uint32_t *)a)[3] * 0xc2b2ae3d27d4eb4f;
inline uint64_t dw_neigh_key[uint64_t n] = ((struct neighbour *)n)->tbl->family == DW_AF_INET ?
    dw_neigh_key4[(uint64_t)((struct neighbour *)n)->dev, *(uint32_t *)(uint64_t)&((struct neighbour *)n)->primary_key] :
    dw_neigh_key6[(uint64_t)((struct neighbour *)n)->dev, (uint64_t)&((struct neighbour *)n)->primary_key];

/* net_dev_queue: an ARP request of IPv4 over Ethernet (8 bytes, sender 6 + 4, target 6 + 4). A request for one's own
 * address, or from no address, does not count; nor does a solicitation from no address. */
inline int DW_ARP_TARGET = 24;		/* offset of the target's address in a request */
inline int DW_NS_TARGET = 48;		/* ... in a solicitation, after the headers of IPv6 and ICMPv6 */
inline uint32_t dw_arp_sender[uint64_t nh] = *(uint32_t *)(nh + 14);
inline uint32_t dw_arp_target[uint64_t nh] = *(uint32_t *)(nh + DW_ARP_TARGET);
inline int dw_arp_asks[uint64_t nh] = ((struct arphdr *)nh)->ar_op == DW_ARPOP_REQUEST &&
    *(uint16_t *)(nh + offsetof(struct arphdr, ar_hln)) == DW_ARP_ETHER_IPV4 &&
    dw_arp_sender[nh] != 0 && dw_arp_sender[nh] != dw_arp_target[nh];
inline int dw_ns_asks[uint64_t nh] = *(uint8_t *)(nh + DW_IPV6_HLEN) == DW_NDISC_NEIGHBOUR_SOLICITATION &&
    ((struct ipv6hdr *)nh)->saddr.in6_u.u6_addr32[0] != 0;
/* Address and key of the target of a request or solicitation. */
inline uint64_t dw_asked_at[struct sk_buff *B] = dw_nh[B] + (B->protocol == DW_ETH_P_ARP ? DW_ARP_TARGET : DW_NS_TARGET);
inline uint64_t dw_asked_key[struct sk_buff *B] = B->protocol == DW_ETH_P_ARP ?
    dw_neigh_key4[(uint64_t)B->dev, dw_arp_target[dw_nh[B]]] :
    dw_neigh_key6[(uint64_t)B->dev, dw_nh[B] + DW_NS_TARGET];

struct dw_neigh {
	struct dw_pkt;
	struct neighbour *neigh;
	uint64_t lladdr;	/* where its hardware address is */
	uint64_t neighaddr;	/* ... its address */
	uint64_t asked;		/* the key of the request and its answer */
	uint32_t neighqueued;	/* packets that wait for the answer */
	uint8_t mac_dest;	/* first byte of the destination in the frame */
	int32_t put;		/* neigh_event_send_done: 1: a packet was put into the queue */
	uint64_t waits;		/* ns: since when the packet has waited for the neighbour; 0: it has not */
};

/* The first and the last packet that wait for a neighbour, or NULL. */
inline struct sk_buff *dw_neigh_head[struct neighbour *n] =
    (uint64_t)n->arp_queue.next != (uint64_t)&n->arp_queue ? n->arp_queue.next : (struct sk_buff *)0;
inline struct sk_buff *dw_neigh_tail[struct neighbour *n] =
    (uint64_t)n->arp_queue.prev != (uint64_t)&n->arp_queue ? n->arp_queue.prev : (struct sk_buff *)0;
/* The neighbour that a packet waits for, and since when. The wait of a packet whose neighbour answers before the call
 * that sent it returns (bit 0) begins with the question. */
inline uint64_t dw_neigh_for[uint64_t skb] = __stamped("wait", skb) & ~1;
inline uint64_t dw_neigh_waits[uint64_t skb] = (__stamped("wait", skb) & 1) == 0 ? __stamp("wait", skb) :
    __stamp("asked", dw_neigh_key[dw_neigh_for[skb]]);

struct dw_neighq {
	struct sk_buff *skb;
};

translator struct dw_neigh < struct dw_neighq *C > {
	sk = (struct sock *)0;
	owner = (struct dw_owner *)0;
	dev = C->skb->dev;
	has_pkt = 1;
	foreign = !dw_ip_buffer[C->skb];
	netns = dw_dev_netns[C->skb->dev];
	mac_dest = *(uint8_t *)((uint64_t)C->skb->head + C->skb->mac_header);
	mac_source = dw_mac[(uint64_t)C->skb->head + C->skb->mac_header + DW_ETH_ALEN];
	mac_device = dw_mac[(uint64_t)C->skb->dev->dev_addr];
	ver = C->skb->protocol == DW_ETH_P_ARP ? 4 : 6;
	neighaddr = dw_asked_at[C->skb];
	asked = dw_asked_key[C->skb];
	since = __stamp("ask", dw_asked_key[C->skb]);
	state = DW_NUD_INCOMPLETE;
	neighqueued = 0;
};

/* neigh_timer_handler, neigh_cleanup_and_release */
struct dw_neighask {
	struct neighbour *n;
};

translator struct dw_neigh < struct dw_neighask *C > {
	has_pkt = 0;
	sk = (struct sock *)0;
	owner = (struct dw_owner *)0;
	foreign = 0;
	neigh = C->n;
	dev = C->n->dev;
	netns = dw_dev_netns[C->n->dev];
	ver = C->n->tbl->family == DW_AF_INET ? 4 : 6;
	neighaddr = (uint64_t)&C->n->primary_key;
	lladdr = (uint64_t)&C->n->ha;
	asked = dw_neigh_key[(uint64_t)C->n];
	since = __stamp("ask", dw_neigh_key[(uint64_t)C->n]);
	state = C->n->nud_state;
	neighqueued = C->n->arp_queue.qlen;
};

/* neigh_event_send_done: a packet was put into the neighbour's queue (rc 1), as the last one. */
struct dw_neighput {
	struct neighbour *n;
	int32_t rc;
};

translator struct dw_neigh < struct dw_neighput *C > {
	neigh = C->n;
	skb = dw_neigh_tail[C->n];
	put = C->rc;
	waits = dw_neigh_waits[(uint64_t)dw_neigh_tail[C->n]];
};

/* neigh_update: the first packet of a queue that was answered before neigh_event_send_done. */
struct dw_neighhead {
	struct neighbour *n;
	uint64_t lladdr;
	uint8_t state;
};

translator struct dw_neigh < struct dw_neighhead *C > {
	neigh = C->n;
	skb = dw_neigh_head[C->n];
	since = __stamp("ask", dw_neigh_key[(uint64_t)C->n]);
	waits = dw_neigh_waits[(uint64_t)dw_neigh_head[C->n]];
};

/* net_dev_queue, kfree_skb: a packet that waited. Its neighbour was noted when it began to. */
struct dw_neighgo {
	struct sk_buff *skb;
};

translator struct dw_neigh < struct dw_neighgo *C > {
	neigh = (struct neighbour *)dw_neigh_for[(uint64_t)C->skb];
	waits = dw_neigh_waits[(uint64_t)C->skb];
};

struct dw_neighdrop {
	struct sk_buff *skb;
	uint64_t location;
	uint32_t reason;
};

translator struct dw_neigh < struct dw_neighdrop *C > {
	neigh = (struct neighbour *)dw_neigh_for[(uint64_t)C->skb];
	waits = dw_neigh_waits[(uint64_t)C->skb];
	dropped = 1;
};

/* Of packets that wait: from the packet, its socket and the neighbour. */
translator struct dw_neigh < struct dw_neigh *P > {
	has_pkt = 1;
	sk = dw_full[(uint64_t)P->skb->sk] ? P->skb->sk : (struct sock *)0;
	owner = __owner((uint64_t)P->skb->sk);
	foreign = !dw_ip_buffer[P->skb];
	dev = P->neigh->dev;
	netns = dw_dev_netns[P->neigh->dev];
	ver = P->neigh->tbl->family == DW_AF_INET ? 4 : 6;
	neighaddr = (uint64_t)&P->neigh->primary_key;
	lladdr = (uint64_t)&P->neigh->ha;
	state = P->neigh->nud_state;
	neighqueued = P->neigh->arp_queue.qlen;
	waits = 0;
};

/* neigh_update: before the entry changes; state: the new state */
struct dw_neighupd {
	struct neighbour *n;
	uint64_t lladdr;
	uint8_t state;
};

translator struct dw_neigh < struct dw_neighupd *C > {
	has_pkt = 0;
	sk = (struct sock *)0;
	owner = (struct dw_owner *)0;
	foreign = 0;
	neigh = C->n;
	dev = C->n->dev;
	netns = dw_dev_netns[C->n->dev];
	ver = C->n->tbl->family == DW_AF_INET ? 4 : 6;
	lladdr = C->lladdr != 0 ? C->lladdr : (uint64_t)&C->n->ha;
	neighaddr = (uint64_t)&C->n->primary_key;
	asked = dw_neigh_key[(uint64_t)C->n];
	since = __stamp("ask", dw_neigh_key[(uint64_t)C->n]);
	neighqueued = C->n->arp_queue.qlen;
};

inline string neigh_state_string[uint8_t state] =
    state == 0x01 ? "incomplete" : state == 0x02 ? "reachable" : state == 0x04 ? "stale" : state == 0x08 ? "delay" :
    state == 0x10 ? "probe" : state == 0x20 ? "failed" : state == 0x40 ? "noarp" : state == 0x80 ? "permanent" : "none";

typedef struct neighinfo {
	uint8_t ne_ver;			/* 4: ARP; 6: IPv6's neighbour discovery */
	string ne_addr;			/* the neighbour's address */
	string ne_lladdr;		/* its hardware address, resolved: "02:00:00:00:00:02" */
	uint8_t ne_state;
	string ne_statestr;		/* "incomplete", "reachable", "stale", "failed", ... */
	uint32_t ne_queued;		/* packets that wait for the answer; request: 0 */
	uint64_t ne_time;		/* resolved, failed: ns since the request; 0: not known */
	uint64_t ne_wait;		/* dequeue, drop: ns that the packet waited; 0: elsewhere */
} neighinfo_t;

translator neighinfo_t < struct dw_neigh *P > {
	ne_ver = P->ver;
	ne_addr = P->ver == 4 ? __ip4(*(uint32_t *)P->neighaddr) : __ip6((struct in6_addr *)P->neighaddr);
	ne_lladdr = (P->state & DW_NUD_VALID) != 0 && P->dev->addr_len == DW_ETH_ALEN ? link_ntop(DW_ARPHRD_ETHER, (void *)P->lladdr) : "";
	ne_state = P->state;
	ne_statestr = neigh_state_string[P->state];
	ne_queued = P->neighqueued;
	ne_time = P->since != 0 ? timestamp - P->since : 0;
	ne_wait = P->waits != 0 ? timestamp - P->waits : 0;
};
