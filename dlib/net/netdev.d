/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netdev: sites and arguments of the net provider. Input: packets at the places where the kernel and a device
 * exchange them. Output: netinfo_t. */

/* ---- sites ------------------------------------------------------------------------------------------------------------ */

/* net_dev_queue: a packet passed to a device, with its socket. The data begin at the link header. */
struct dw_ndqueue {
	struct sk_buff *skb;
	struct dw_owner *owner;
	uint64_t cookie;
};

translator struct dw_pkt < struct dw_ndqueue *C > {
	sk = dw_full[(uint64_t)C->skb->sk] ? C->skb->sk : (struct sock *)0;
	has_pkt = 1;
	foreign = !dw_ip_buffer[C->skb];
	netns = dw_dev_netns[C->skb->dev];
};

/* net_dev_start_xmit: ... passed to the driver. */
struct dw_ndxmit {
	struct sk_buff *skb;
	struct net_device *dev;
	struct dw_owner *owner;
	uint64_t cookie;
};

translator struct dw_pkt < struct dw_ndxmit *C > {
	sk = dw_full[(uint64_t)C->skb->sk] ? C->skb->sk : (struct sock *)0;
	has_pkt = 1;
	foreign = !dw_ip_buffer[C->skb];
	netns = dw_dev_netns[C->dev];
};

/* A driver passes a packet up: the data begin at the network header; other headers are not marked yet. */
struct dw_ndup {
	struct sk_buff *skb;
};

translator struct dw_pkt < struct dw_ndup *C > {
	has_pkt = 1;
	foreign = !dw_ip_buffer[C->skb];
	recv = 1;
	nh = (uint64_t)C->skb->data;
	netns = dw_dev_netns[C->skb->dev];
};

/* The end of a transmission: the buffer is freed, or goes on to the other end of a veth pair or to a lower device.
 * The device is the one noted at the start; the buffer may have another one by now. */
struct dw_nddone {
	struct sk_buff *skb;
	struct dw_owner *owner;
	uint64_t cookie;
};

translator struct dw_pkt < struct dw_nddone *C > {
	sk = dw_full[(uint64_t)C->skb->sk] ? C->skb->sk : (struct sock *)0;
	has_pkt = 1;
	foreign = !dw_ip_buffer[C->skb];
	since = __stamp("transmit", (uint64_t)C->skb);
	dev = (struct net_device *)__stamped("transmit", (uint64_t)C->skb);
	netns = dw_dev_netns[(struct net_device *)__stamped("transmit", (uint64_t)C->skb)];
};

struct dw_nddrop {
	struct sk_buff *skb;
	uint64_t location;
	struct dw_owner *owner;
	uint64_t cookie;
};

translator struct dw_pkt < struct dw_nddrop *C > {
	sk = dw_full[(uint64_t)C->skb->sk] ? C->skb->sk : (struct sock *)0;
	has_pkt = 1;
	foreign = !dw_ip_buffer[C->skb];
	since = __stamp("transmit", (uint64_t)C->skb);
	dev = (struct net_device *)__stamped("transmit", (uint64_t)C->skb);
	netns = dw_dev_netns[(struct net_device *)__stamped("transmit", (uint64_t)C->skb)];
	dropped = 1;
};

/* ---- arguments --------------------------------------------------------------------------------------------------------- */

inline string eth_proto_string[uint16_t proto] =
    proto == 0x0800 ? "IP" : proto == 0x86dd ? "IPV6" : proto == 0x0806 ? "ARP" : proto == 0x8100 ? "VLAN" :
    proto == 0x88a8 ? "QINQ" : proto == 0x8847 ? "MPLS" : proto == 0x8848 ? "MPLS_MC" : proto == 0x88cc ? "LLDP" :
    proto == 0x8863 ? "PPPOE_DISC" : proto == 0x8864 ? "PPPOE" : proto == 0x888e ? "EAPOL" : proto == 0x88f7 ? "PTP" :
    proto == 0x8809 ? "SLOW" : proto == 0x8035 ? "RARP" : proto == 0x88e5 ? "MACSEC" : proto == 4 ? "802.2" :
    "<unknown>";

typedef struct netinfo {
	uint32_t net_len;		/* bytes of the packet as it is, before a device is to cut it */
	uint32_t net_wirelen;		/* bytes of all its segments, headers of each included */
	uint32_t net_segs;		/* packets that it is, or will be, on the wire */
	uint32_t net_segsize;		/* payload of each, bytes; 0: it is not to be cut */
	uint32_t net_hdrlen;		/* bytes before the payload of a segment; 0: it is not to be cut */
	int32_t net_queue;		/* number of the device's queue; -1: not known */
	uint16_t net_proto;		/* Ethernet's protocol number */
	string net_protostr;
	uint16_t net_vlan;		/* number of the VLAN tag to be set, or found; 0: none */
	uint32_t net_priority;
	uint32_t net_mark;
	uint64_t net_time;		/* transmit-done: ns since transmit */
	int net_dropped;		/* transmit-done: 1: the driver dropped it */
} netinfo_t;

/* Bytes from the data to the payload, in a buffer that is to be cut into segments. */
inline uint64_t dw_nd_th[uint64_t skb] = (uint64_t)((struct sk_buff *)skb)->head +
    (((struct sk_buff *)skb)->encapsulation ? ((struct sk_buff *)skb)->inner_transport_header :
    ((struct sk_buff *)skb)->transport_header);
inline uint64_t dw_nd_shinfo[uint64_t skb] = (uint64_t)((struct sk_buff *)skb)->head + ((struct sk_buff *)skb)->end;
inline uint32_t dw_nd_hdrlen[uint64_t skb] = ((struct skb_shared_info *)dw_nd_shinfo[skb])->gso_size == 0 ? 0 :
    dw_nd_th[skb] - (uint64_t)((struct sk_buff *)skb)->data +
    ((((struct skb_shared_info *)dw_nd_shinfo[skb])->gso_type & (DW_SKB_GSO_TCPV4 | DW_SKB_GSO_TCPV6)) != 0 ?
    ((struct tcphdr *)dw_nd_th[skb])->doff * 4 : DW_UDP_HLEN);
inline uint32_t dw_nd_segs[uint64_t skb] = ((struct skb_shared_info *)dw_nd_shinfo[skb])->gso_segs > 1 ?
    ((struct skb_shared_info *)dw_nd_shinfo[skb])->gso_segs : 1;

translator netinfo_t < struct dw_pkt *P > {
	net_len = P->skb->len;
	net_wirelen = P->skb->len + (dw_nd_segs[(uint64_t)P->skb] - 1) * dw_nd_hdrlen[(uint64_t)P->skb];
	net_segs = dw_nd_segs[(uint64_t)P->skb];
	net_segsize = ((struct skb_shared_info *)dw_nd_shinfo[(uint64_t)P->skb])->gso_size;
	net_hdrlen = dw_nd_hdrlen[(uint64_t)P->skb];
	net_queue = P->recv ? (int32_t)P->skb->queue_mapping - 1 : P->skb->queue_mapping;
	net_proto = ntohs(P->skb->protocol);
	net_protostr = eth_proto_string[ntohs(P->skb->protocol)];
	net_vlan = P->skb->vlan_tci & DW_VLAN_VID_MASK;
	net_priority = P->skb->priority;
	net_mark = P->skb->mark;
	net_time = P->since != 0 ? timestamp - P->since : 0;
	net_dropped = P->reason != 0;
};
