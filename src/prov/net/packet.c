/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packet: where packets end: the memory of their headers is given back. Events of the hooks tier, which run only if a
 * script uses pkt->x or pkt_id. */
#include "prov/provider.h"

#define OBJECT .key = "P->object"
/* Memory that a driver took out of pages is given back without an event: what frees the last buffer of it stands for
 * that. Other memory has its own event, a moment later. */
#define OF_BUFFER .key = "dw_last_of_pages[P->skb] ? (uint64_t)P->skb->head : 0", .word = "(uint64_t)P->skb"
/* Memory of a cache: of headers, or of a buffer, or of two (sk_buff_fclones), the second of which is sent. The end of
 * a buffer without an event of its own is known by that: the next packet in it is another one. */
#define OF_CACHE                                                 \
	.key = "P->object_size >= DW_HEAD_SIZE ? P->object : 0", \
	.word = "P->object_size >= 2 * sizeof(struct sk_buff) ? P->object + sizeof(struct sk_buff) : P->object"
static const struct stamp_event end_events[] = {
	{ STAMP_END, { TP("kfree", 2, "dw_endkfree"), .hidden = 2, .irqs_off = true }, OBJECT },
	{ STAMP_END,
		{ TP("kmem_cache_free", 3, "dw_endcache"), .hidden = 2, .irqs_off = true,
			.when = "P->object_size >= sizeof(struct sk_buff)" },
		OF_CACHE },
	{ STAMP_END, { TP("consume_skb", 1, "dw_endused"), .irqs_off = true }, OF_BUFFER },
	{ STAMP_END, { TP("kfree_skb", 2, "dw_endused"), .irqs_off = true }, OF_BUFFER },
};
const struct stamp packet_ends = { "end", TABLE(end_events) };
