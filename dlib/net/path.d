/* SPDX-License-Identifier: GPL-2.0-or-later */
/* path: sites and arguments of the path provider. Input: IP packets at the stages of their way. Output: pathinfo_t.
 *
 * A packet is known by the address of the memory of its headers (sk_buff.head), which its clones share, and which stays
 * the same when it crosses a veth pair or the loopback device. It changes when the kernel copies the packet, or cuts it
 * into segments: each then begins as a new one. Memory is used again, often without a sign that its packet has ended;
 * the order of the stages tells when a new packet begins. */

/* Numbers of the stages. */
inline int DW_PATH_OUTPUT = 1;
inline int DW_PATH_FORWARD = 2;
inline int DW_PATH_POSTROUTING = 3;
inline int DW_PATH_QUEUE = 4;
inline int DW_PATH_ENQUEUE = 5;
inline int DW_PATH_DEQUEUE = 6;
inline int DW_PATH_TRANSMIT = 7;
inline int DW_PATH_DRIVER_IN = 8;
inline int DW_PATH_DEVICE_IN = 9;
inline int DW_PATH_PREROUTING = 10;
inline int DW_PATH_INPUT = 11;
inline int DW_PATH_SOCKET_IN = 12;
inline int DW_PATH_READ = 13;	/* from here on the packet may end */
inline int DW_PATH_SENT = 14;
inline int DW_PATH_DROP = 15;

inline string path_stage_string[int stage] =
    stage == 1 ? "output" : stage == 2 ? "forward" : stage == 3 ? "postrouting" : stage == 4 ? "queue" :
    stage == 5 ? "enqueue" : stage == 6 ? "dequeue" : stage == 7 ? "transmit" : stage == 8 ? "driver-in" :
    stage == 9 ? "device-in" : stage == 10 ? "prerouting" : stage == 11 ? "input" : stage == 12 ? "socket-in" :
    stage == 13 ? "read" : stage == 14 ? "sent" : stage == 15 ? "drop" : "";

/* The note of a stage: its number and the device. */
inline uint64_t dw_path_word[int stage, uint32_t ifindex] = (uint64_t)ifindex << 8 | stage;
/* Does a packet begin with the stage now, if the last one at its memory was the stage was? It does after an end; when
 * the stack sends, unless a tunnel's device sends on; when a driver hands a packet up, unless it comes out of another
 * device. */
inline int dw_path_begins[int now, int was, int same_device] =
    (was >= DW_PATH_READ && now != was && now != DW_PATH_SENT) ||
    (now == DW_PATH_OUTPUT && was != DW_PATH_TRANSMIT) ||
    (now < DW_PATH_DRIVER_IN && was == DW_PATH_SOCKET_IN) ||
    (now == DW_PATH_DRIVER_IN && (was == DW_PATH_SOCKET_IN || (was >= DW_PATH_DRIVER_IN && same_device)));

/* The identity of a packet whose first stage is now: the time in ns, and the CPU in the lowest bits. */
inline int DW_PATH_CPU_BITS = 6;
inline uint64_t dw_path_new[uint64_t now] = now << DW_PATH_CPU_BITS | cpu & (1 << DW_PATH_CPU_BITS) - 1;
inline uint64_t dw_path_since[uint64_t ident] = ident >> DW_PATH_CPU_BITS;

inline int dw_path_ip[struct sk_buff *B] = B->protocol == DW_ETH_P_IP || B->protocol == DW_ETH_P_IPV6;
/* Is it the buffer that a driver got? A process may have read it, from a TUN device. */
inline int dw_path_sent[struct sk_buff *B] = __stamped("sent", (uint64_t)B->head) == (uint64_t)B &&
    ((__stamped("place", (uint64_t)B->head) & 0xff) == DW_PATH_TRANSMIT ||
    (__stamped("place", (uint64_t)B->head) & 0xff) == DW_PATH_READ);
/* Does the socket that has the buffer, if any, speak IP? A tap's does not. */
inline int dw_path_inet[struct sk_buff *B] = B->sk == 0 || B->sk->__sk_common.skc_family == DW_AF_INET ||
    B->sk->__sk_common.skc_family == DW_AF_INET6;

struct dw_path {
	struct dw_pkt;
	int32_t stage;
	uint32_t path_ifindex;	/* of its device; 0: none yet */
	uint64_t path_from;	/* address of its headers at the stage before; the kernel may have copied them */
	uint64_t path_place;	/* dw_path_word[] of the stage before; 0: none */
	uint64_t path_noted;	/* the packet's identity as noted; 0: none */
	uint64_t path_before;	/* ns: time of the stage before; 0: none */
	uint64_t path_now;	/* ns: time of this stage */
	uint64_t path_ident;	/* its identity: dw_path_new[] of its first stage */
	uint64_t path_read;	/* reading it reads the notes, which must be done before they are written */
	uint64_t path_note;	/* reading it writes them */
};

translator struct dw_path < struct dw_path *P > {
	sk = dw_full[(uint64_t)P->skb->sk] ? P->skb->sk : (struct sock *)0;
	owner = __owner((uint64_t)P->skb->sk);
	cookie = dw_full[(uint64_t)P->skb->sk] ? P->skb->sk->__sk_common.skc_cookie.counter : 0;
	has_pkt = 1;
	checked = 1;
	netns = P->dev != 0 ? P->dev->nd_net.net->ns.inum : 0;
	th = P->ver == 4 ? P->nh + ((struct iphdr *)P->nh)->ihl * 4 : P->nh + DW_IPV6_HLEN;
	path_ifindex = P->dev != 0 ? P->dev->ifindex : 0;
	path_from = __former("buffer", (uint64_t)P->skb, (uint64_t)P->skb->head);
	path_place = __stamped("place", P->path_from);
	path_noted = __stamped("id", P->path_from);
	path_before = __stamped("time", P->path_from);
	path_now = timestamp;
	path_read = P->path_place + P->path_noted + P->path_before + P->path_now | 1;
	path_ident = P->path_noted == 0 || dw_path_begins[P->stage, P->path_place & 0xff,
	    P->path_place >> 8 == P->path_ifindex] ? dw_path_new[P->path_now] : P->path_noted;
	path_note = __former("place", (uint64_t)P->skb->head, dw_path_word[P->stage, P->path_ifindex]) +
	    __former("id", (uint64_t)P->skb->head, P->path_ident) +
	    __former("time", (uint64_t)P->skb->head, P->path_now) +
	    (P->stage == DW_PATH_TRANSMIT ? __former("sent", (uint64_t)P->skb->head, (uint64_t)P->skb) : 0) | 1;
};

/* ---- sites ------------------------------------------------------------------------------------------------------------ */

struct dw_paout { struct dw_nf; };
struct dw_pafwd { struct dw_nf; };
struct dw_papost { struct dw_nf; };
struct dw_papre { struct dw_nf; };
struct dw_pain { struct dw_nf; };

translator struct dw_path < struct dw_paout *C > {
	stage = DW_PATH_OUTPUT;
	dev = C->state->out;
	netns = C->state->net->ns.inum;
};
translator struct dw_path < struct dw_pafwd *C > {
	stage = DW_PATH_FORWARD;
	dev = C->state->out;
	netns = C->state->net->ns.inum;
};
translator struct dw_path < struct dw_papost *C > {
	stage = DW_PATH_POSTROUTING;
	dev = C->state->out;
	netns = C->state->net->ns.inum;
};
translator struct dw_path < struct dw_papre *C > {
	stage = DW_PATH_PREROUTING;
	recv = 1;
	dev = C->state->in;
	netns = C->state->net->ns.inum;
};
translator struct dw_path < struct dw_pain *C > {
	stage = DW_PATH_INPUT;
	recv = 1;
	dev = C->state->in;
	netns = C->state->net->ns.inum;
};

struct dw_paqueue {
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_paqueue *C > {
	stage = DW_PATH_QUEUE;
};

struct dw_paenq {
	struct Qdisc *qdisc;
	struct netdev_queue *txq;
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_paenq *C > {
	stage = DW_PATH_ENQUEUE;
};

struct dw_padeq {
	struct Qdisc *qdisc;
	struct netdev_queue *txq;
	int32_t packets;
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_padeq *C > {
	stage = DW_PATH_DEQUEUE;
};

/* The driver may keep the buffer's socket; the note of the buffer makes its end known. */
struct dw_paxmit {
	struct sk_buff *skb;
	struct net_device *dev;
};
translator struct dw_path < struct dw_paxmit *C > {
	stage = DW_PATH_TRANSMIT;
};

struct dw_pasent {
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_pasent *C > {
	stage = DW_PATH_SENT;
};

/* The data begin at the network header, which is not marked yet. */
struct dw_padrv {
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_padrv *C > {
	stage = DW_PATH_DRIVER_IN;
	recv = 1;
	nh = (uint64_t)C->skb->data;
};

struct dw_padev {
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_padev *C > {
	stage = DW_PATH_DEVICE_IN;
	recv = 1;
	nh = (uint64_t)C->skb->data;
};

struct dw_pasock {
	struct sock *sk;
	struct sk_buff *skb;
};
translator struct dw_path < struct dw_pasock *C > {
	stage = DW_PATH_SOCKET_IN;
	sk = C->sk;
	owner = __owner((uint64_t)C->sk);
	cookie = C->sk->__sk_common.skc_cookie.counter;
	recv = 1;
	netns = C->sk->__sk_common.skc_net.net->ns.inum;
};

/* The datagrams of UDP have no socket here, and lengths instead of a device; the process that reads is the current
 * one. */
struct dw_paread {
	struct sk_buff *skb;
	int32_t len;
};
translator struct dw_path < struct dw_paread *C > {
	stage = DW_PATH_READ;
	recv = 1;
	dev = (struct net_device *)0;
	netns = curthread->nsproxy->net_ns->ns.inum;
};

struct dw_padrop {
	struct sk_buff *skb;
	uint64_t location;
	uint32_t reason;
	struct sock *rx_sk;
};
translator struct dw_path < struct dw_padrop *C > {
	stage = DW_PATH_DROP;
	sk = dw_full[(uint64_t)C->rx_sk] ? C->rx_sk : (struct sock *)0;
	owner = __owner(C->rx_sk != 0 ? (uint64_t)C->rx_sk : (uint64_t)C->skb->sk);
	recv = C->skb->skb_iif != 0;
	dev = dw_freed_dev[(uint64_t)C->skb];
	netns = C->rx_sk != 0 ? C->rx_sk->__sk_common.skc_net.net->ns.inum :
	    dw_freed_netns[(uint64_t)C->skb, C->reason];
	dropped = 1;
};

/* ---- arguments --------------------------------------------------------------------------------------------------------- */

typedef struct pathinfo {
	uint64_t path_id;		/* of the packet; the same at all its stages */
	int path_stage;			/* number of the stage */
	string path_stagestr;		/* its name: "output", "postrouting", ... */
	string path_last;		/* name of the stage before; "": this is the first that was seen */
	uint64_t path_time;		/* ns since the stage before; 0: this is the first */
	uint64_t path_total;		/* ns since the first stage */
	uint8_t path_proto;		/* transport protocol of the outermost IP header */
	string path_protostr;		/* its name, in capitals; "<unknown>" */
	uint16_t path_sport;		/* ports; 0: the packet shows none (a later fragment, ICMP) */
	uint16_t path_dport;
	uint16_t path_flags;		/* of TCP, as tcp_flags; 0: not TCP */
} pathinfo_t;

/* Does the transport header follow, and has it ports? It does not in later fragments. */
inline int DW_PATH_FRAG_OFFSET = 0x1fff;
inline int dw_path_ports[struct dw_path *P] = (P->proto == DW_IPPROTO_TCP || P->proto == DW_IPPROTO_UDP ||
    P->proto == DW_IPPROTO_UDPLITE || P->proto == DW_IPPROTO_SCTP) &&
    (P->ver == 6 || (ntohs(((struct iphdr *)P->nh)->frag_off) & DW_PATH_FRAG_OFFSET) == 0);

translator pathinfo_t < struct dw_path *P > {
	path_id = P->path_ident;
	path_stage = P->stage;
	path_stagestr = path_stage_string[P->stage];
	path_last = dw_path_since[P->path_ident] == P->path_now ? "" : path_stage_string[P->path_place & 0xff];
	path_time = dw_path_since[P->path_ident] == P->path_now || P->path_before > P->path_now ? 0 :
	    P->path_now - P->path_before;
	path_total = dw_path_since[P->path_ident] > P->path_now ? 0 : P->path_now - dw_path_since[P->path_ident];
	path_proto = P->proto;
	path_protostr = ip_proto_string[P->proto];
	path_sport = dw_path_ports[P] ? ntohs(((struct udphdr *)P->th)->source) : 0;
	path_dport = dw_path_ports[P] ? ntohs(((struct udphdr *)P->th)->dest) : 0;
	path_flags = P->proto == DW_IPPROTO_TCP && dw_path_ports[P] ?
	    ntohl(((union tcp_word_hdr *)P->th)->words[3]) >> DW_TH_SHIFT & 0xff : 0;
};
