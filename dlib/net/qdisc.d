/* SPDX-License-Identifier: GPL-2.0-or-later */
/* qdisc: sites and arguments of the qdisc provider. Input: packets at the root queueing discipline of a device.
 * Output: qdiscinfo_t. */

/* ---- sites ------------------------------------------------------------------------------------------------------------ */

struct dw_queued {
	struct dw_pkt;
	struct Qdisc *qdisc;
	struct sk_buff *first;	/* of the list that the packet is in */
	uint32_t packets;	/* that the event stands for */
};

translator struct dw_queued < struct dw_queued *P > {
	sk = dw_full[(uint64_t)P->skb->sk] ? P->skb->sk : (struct sock *)0;
	has_pkt = 1;
	foreign = !dw_ip_buffer[P->skb];
	packets = 1;
	dev = P->qdisc->dev_queue->dev;
	netns = dw_dev_netns[P->qdisc->dev_queue->dev];
	since = __stamp("queue", (uint64_t)P->skb);
};

/* qdisc_enqueue */
struct dw_qenq {
	struct Qdisc *qdisc;
	struct netdev_queue *txq;
	struct sk_buff *skb;
	struct dw_owner *owner;
	uint64_t cookie;
};

translator struct dw_queued < struct dw_qenq *C > {
	dev = C->skb->dev;
	netns = dw_dev_netns[C->skb->dev];
	since = 0;
};

/* qdisc_dequeue: one packet, or a list of packets that go to the driver together; NULL: the queue is empty. There is a
 * structure for each place in the list; the last place stands for all remaining packets. The socket is known only for
 * the first packet. */
struct dw_qdeq {
	struct Qdisc *qdisc;
	struct netdev_queue *txq;
	int32_t packets;
	struct sk_buff *skb;
};

struct dw_qdeq0 { struct dw_qdeq; struct dw_owner *owner; uint64_t cookie; };
struct dw_qdeq1 { struct dw_qdeq; };
struct dw_qdeq2 { struct dw_qdeq; };
struct dw_qdeq3 { struct dw_qdeq; };
struct dw_qdeq4 { struct dw_qdeq; };
struct dw_qdeq5 { struct dw_qdeq; };
struct dw_qdeq6 { struct dw_qdeq; };
struct dw_qdeq7 { struct dw_qdeq; };

translator struct dw_queued < struct dw_qdeq0 *C > { packets = 1; };
translator struct dw_queued < struct dw_qdeq1 *C > {
	first = C->skb;
	skb = C->skb->next;
	packets = C->packets > 1;
};
translator struct dw_queued < struct dw_qdeq2 *C > {
	first = C->skb;
	skb = C->skb->next->next;
	packets = C->packets > 2;
};
translator struct dw_queued < struct dw_qdeq3 *C > {
	first = C->skb;
	skb = C->skb->next->next->next;
	packets = C->packets > 3;
};
translator struct dw_queued < struct dw_qdeq4 *C > {
	first = C->skb;
	skb = C->skb->next->next->next->next;
	packets = C->packets > 4;
};
translator struct dw_queued < struct dw_qdeq5 *C > {
	first = C->skb;
	skb = C->skb->next->next->next->next->next;
	packets = C->packets > 5;
};
translator struct dw_queued < struct dw_qdeq6 *C > {
	first = C->skb;
	skb = C->skb->next->next->next->next->next->next;
	packets = C->packets > 6;
};
translator struct dw_queued < struct dw_qdeq7 *C > {
	first = C->skb;
	skb = C->skb->next->next->next->next->next->next->next;
	packets = C->packets > 7 ? C->packets - 7 : 0;
};

/* kfree_skb: the queue is that of the packet's device. */
struct dw_qdrop {
	struct sk_buff *skb;
	uint64_t location;
	uint32_t reason;
	struct dw_owner *owner;
	uint64_t cookie;
};

translator struct dw_queued < struct dw_qdrop *C > {
	dev = C->skb->dev;
	netns = dw_full[(uint64_t)C->skb->sk] ? dw_sk_netns[C->skb->sk] :
	    dw_dev_netns[C->skb->dev];
	qdisc = ((struct netdev_queue *)((uint64_t)C->skb->dev->_tx +
	    C->skb->queue_mapping * sizeof(struct netdev_queue)))->qdisc;
	dropped = 1;
};

/* Drop reasons of a queue, as far as this kernel has them. */
inline int dw_qd_dropped[uint32_t reason] = reason == SKB_DROP_REASON_QDISC_DROP ||
    (__has(SKB_DROP_REASON_QDISC_OVERLIMIT) ? reason == SKB_DROP_REASON_QDISC_OVERLIMIT : 0) ||
    (__has(SKB_DROP_REASON_QDISC_CONGESTED) ? reason == SKB_DROP_REASON_QDISC_CONGESTED : 0) ||
    (__has(SKB_DROP_REASON_CAKE_FLOOD) ? reason == SKB_DROP_REASON_CAKE_FLOOD : 0) ||
    (__has(SKB_DROP_REASON_FQ_BAND_LIMIT) ? reason == SKB_DROP_REASON_FQ_BAND_LIMIT : 0) ||
    (__has(SKB_DROP_REASON_FQ_HORIZON_LIMIT) ? reason == SKB_DROP_REASON_FQ_HORIZON_LIMIT : 0) ||
    (__has(SKB_DROP_REASON_FQ_FLOW_LIMIT) ? reason == SKB_DROP_REASON_FQ_FLOW_LIMIT : 0);

/* ---- arguments --------------------------------------------------------------------------------------------------------- */

typedef struct qdiscinfo {
	uintptr_t qd_addr;		/* struct Qdisc */
	string qd_kind;			/* "fq_codel", "tbf", ... */
	uint32_t qd_handle;		/* tc's number: "8001:" is 0x80010000 */
	uint32_t qd_parent;
	uint32_t qd_major;		/* what tc shows before the colon */
	uint32_t qd_qlen;		/* packets in it; 0 where each CPU counts its own (pfifo_fast) */
	uint32_t qd_backlog;		/* bytes in it, likewise */
	uint32_t qd_limit;		/* its limit, in its own unit; 0: none, or not kept here */
	uint32_t qd_bytes;		/* of the packet, as the queue counts them */
	uint32_t qd_packets;		/* that the event stands for: 1, but when more than 8 leave together */
	uint64_t qd_time;		/* dequeue, drop: ns since enqueue; 0: not known */
	uint64_t qd_departs;		/* when fq shall let it go, ns on the clock of timestamp; 0: at once, or another queue */
} qdiscinfo_t;

translator qdiscinfo_t < struct dw_queued *P > {
	qd_addr = (uintptr_t)P->qdisc;
	qd_kind = P->qdisc->ops->id;
	qd_handle = P->qdisc->handle;
	qd_parent = P->qdisc->parent;
	qd_major = P->qdisc->handle >> 16;
	qd_qlen = P->qdisc->q.qlen;
	qd_backlog = P->qdisc->qstats.backlog;
	qd_limit = P->qdisc->limit;
	qd_bytes = ((struct qdisc_skb_cb *)&P->skb->cb)->pkt_len;
	qd_packets = P->packets;
	qd_time = P->since != 0 ? timestamp - P->since : 0;
	qd_departs = P->qdisc->ops->id == "fq" ? P->skb->tstamp : 0;
};
