/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bql: sites and arguments of the bql provider. Input: packets at the border to a driver, and their queue (struct
 * netdev_queue), which counts bytes by struct dql. Output: bqlinfo_t. */

struct dw_bql {
	struct dw_pkt;
	struct netdev_queue *txq;
	uint64_t buffer;	/* address of the packet, which may be freed */
};

translator struct dw_bql < struct dw_bql *P > {
	has_pkt = 0;
	dev = P->txq->dev;
	netns = dw_dev_netns[P->txq->dev];
	since = __stamp("stop", (uint64_t)P->txq);
	buffer = 0;
};

/* Does the driver count bytes; has the limit stopped the queue? */
inline int DW_QUEUE_STACK_XOFF = 2;	/* struct netdev_queue, state: __QUEUE_STATE_STACK_XOFF */
inline int dw_bql_used[uint64_t q] = __has(((struct netdev_queue *)0)->dql.num_queued) ?
    ((struct netdev_queue *)q)->dql.num_queued != 0 : 0;
inline int dw_bql_off[uint64_t q] = (((struct netdev_queue *)q)->state & DW_QUEUE_STACK_XOFF) != 0;
inline uint32_t dw_bql_limit[uint64_t q] = __has(((struct netdev_queue *)0)->dql.limit) ?
    ((struct netdev_queue *)q)->dql.limit : 0;
inline uint32_t dw_bql_inflight[uint64_t q] = __has(((struct netdev_queue *)0)->dql.num_queued) ?
    (uint32_t)(((struct netdev_queue *)q)->dql.num_queued - ((struct netdev_queue *)q)->dql.num_completed) : 0;

/* net_dev_start_xmit */
struct dw_bqlgives {
	struct sk_buff *skb;
	struct net_device *dev;
};
translator struct dw_bql < struct dw_bqlgives *C > {
	txq = (struct netdev_queue *)((uint64_t)C->dev->_tx + C->skb->queue_mapping * sizeof(struct netdev_queue));
	buffer = (uint64_t)C->skb;
};

/* net_dev_xmit */
struct dw_bqlgiven {
	uint64_t given;
};
translator struct dw_bql < struct dw_bqlgiven *C > {
	txq = (struct netdev_queue *)__stamped("given", C->given ^ (uint64_t)cpu << 48);
	buffer = C->given;
};

/* qdisc_dequeue */
struct dw_bqlasked {
	struct Qdisc *qdisc;
	struct netdev_queue *txq;
};
translator struct dw_bql < struct dw_bqlasked *C > {
	buffer = 0;
};

typedef struct bqlinfo {
	int32_t bql_queue;		/* number of the device's queue */
	uint32_t bql_limit;		/* bytes that the driver may have, now; one packet may exceed it */
	uint32_t bql_inflight;		/* bytes that it has */
	uint64_t bql_time;		/* start: ns since the queue was stopped; else 0 */
	uint64_t bql_stalls;		/* times that the driver freed nothing for too long, as the kernel counts; 0 before Linux 6.9 */
} bqlinfo_t;

translator bqlinfo_t < struct dw_bql *P > {
	bql_queue = ((uint64_t)P->txq - (uint64_t)P->txq->dev->_tx) / sizeof(struct netdev_queue);
	bql_limit = dw_bql_limit[(uint64_t)P->txq];
	bql_inflight = dw_bql_inflight[(uint64_t)P->txq];
	bql_time = P->since != 0 ? timestamp - P->since : 0;
	bql_stalls = __has(((struct netdev_queue *)0)->dql.stall_cnt) ? P->txq->dql.stall_cnt : 0;
};
