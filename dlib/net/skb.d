/* SPDX-License-Identifier: GPL-2.0-or-later */
/* skb: sites and arguments of the skb provider. Input: the tracepoints where a packet buffer is allocated, first seen
 * and freed. Output: skbinfo_t. Sizes are in bytes. */

/* ---- sites ------------------------------------------------------------------------------------------------------------ */

/* The first 8 characters of a cache's name, as a number. __alloc_skb() takes memory for a buffer, for a pair of
 * buffers, and for small data. The kernel may merge the cache of pairs with others of that size; its name then
 * differs. */
inline uint64_t DW_SKBUFF_H = 0x685f666675626b73;	/* "skbuff_head_cache" */
inline uint64_t DW_SKBUFF_F = 0x665f666675626b73;	/* "skbuff_fclone_cache" */
inline uint64_t DW_SKBUFF_S = 0x735f666675626b73;	/* "skbuff_small_head" */
inline int DW_ALLOC_SKB_SIZE = 768;			/* bytes of its code, at most */
inline int dw_skb_taken[uint64_t name, uint64_t site] = name == DW_SKBUFF_H || name == DW_SKBUFF_F ||
    (__has(&`__alloc_skb) ? site - (uint64_t)&`__alloc_skb < DW_ALLOC_SKB_SIZE && name != DW_SKBUFF_S : 0);
/* Is an object of this size a buffer, or a pair? The kernel may merge the cache of pairs with one for slightly larger
 * objects, if both fill the same lines of a CPU's cache (256 bytes at most). */
inline uint32_t dw_lines[uint32_t size] = (size + 255 & ~255u) + 7;
inline int dw_skb_sized[uint32_t size] = size >= sizeof(struct sk_buff) && (size <= dw_lines[sizeof(struct sk_buff)] ||
    size >= 2 * sizeof(struct sk_buff) && size <= dw_lines[2 * sizeof(struct sk_buff) + 8]);

/* A buffer's note: ns, the lowest bit of which says whether it was allocated now, or is seen for the first time. It is
 * never later than now. */
inline uint64_t dw_skb_taken_now = timestamp - 1 | 1;
inline uint64_t dw_skb_seen_now = timestamp & ~1ul;

struct dw_skb {
	struct dw_pkt;
	uint64_t cache;		/* memory that is taken or given back: first characters of its cache's name; its size */
	uint32_t cachesize;
};

translator struct dw_skb < struct dw_skb *P > {
	foreign = !P->has_pkt || !dw_ip_buffer[P->skb];
};

/* kmem_cache_alloc: the buffer is still empty. */
struct dw_sktake {
	uint64_t call_site;
	uint64_t ptr;
	struct kmem_cache *s;
};

translator struct dw_skb < struct dw_sktake *C > {
	skb = (struct sk_buff *)C->ptr;
	location = C->call_site;
	cachesize = C->s->object_size;
	cache = dw_kword[(uint64_t)C->s->name];
	dev = (struct net_device *)0;
	netns = 0;
};

/* kmem_cache_free: the buffer must not be read any more. */
struct dw_skgive {
	uint64_t call_site;
	uint64_t ptr;
	struct kmem_cache *s;
};

translator struct dw_skb < struct dw_skgive *C > {
	skb = (struct sk_buff *)C->ptr;
	location = C->call_site;
	cachesize = C->s->object_size;
	dev = (struct net_device *)0;
	netns = 0;
	since = __stamped("birth", C->ptr);
};

/* A driver passes a packet up. */
struct dw_skseen {
	struct sk_buff *skb;
};

translator struct dw_skb < struct dw_skseen *C > {
	has_pkt = 1;
	recv = 1;
	location = 0;
	nh = (uint64_t)C->skb->data;
	netns = dw_dev_netns[C->skb->dev];
	since = __stamped("birth", (uint64_t)C->skb);
};

/* consume_skb */
struct dw_skused {
	struct sk_buff *skb;
	struct dw_owner *owner;
	uint64_t cookie;
};

translator struct dw_skb < struct dw_skused *C > {
	sk = dw_full[(uint64_t)C->skb->sk] ? C->skb->sk : (struct sock *)0;
	has_pkt = 1;
	point = DW_PATH_LOOK;
	recv = C->skb->skb_iif != 0;
	since = __stamped("birth", (uint64_t)C->skb);
	location = 0;
};

/* kfree_skb: since Linux 5.17 the third argument is the reason, since Linux 6.11 the fourth the socket that dropped the
 * packet, or NULL. */
struct dw_skdrop2 {
	struct sk_buff *skb;
	uint64_t location;
	struct dw_owner *owner;
	uint64_t cookie;
};

translator struct dw_skb < struct dw_skdrop2 *C > {
	sk = dw_full[(uint64_t)C->skb->sk] ? C->skb->sk : (struct sock *)0;
	has_pkt = 1;
	point = DW_PATH_LOOK;
	recv = C->skb->skb_iif != 0;
	reason = 0;
	since = __stamped("birth", (uint64_t)C->skb);
};

struct dw_skdrop3 {
	struct sk_buff *skb;
	uint64_t location;
	uint32_t reason;
	struct dw_owner *owner;
	uint64_t cookie;
};

translator struct dw_skb < struct dw_skdrop3 *C > {
	sk = dw_full[(uint64_t)C->skb->sk] ? C->skb->sk : (struct sock *)0;
	has_pkt = 1;
	recv = C->skb->skb_iif != 0;
	since = __stamped("birth", (uint64_t)C->skb);
	dropped = 1;
};

struct dw_skdrop4 {
	struct sk_buff *skb;
	uint64_t location;
	uint32_t reason;
	struct sock *rx_sk;
	struct dw_owner *owner;
	uint64_t cookie;
};

translator struct dw_skb < struct dw_skdrop4 *C > {
	sk = dw_full[(uint64_t)C->skb->sk] ? C->skb->sk : (struct sock *)0;
	has_pkt = 1;
	recv = C->skb->skb_iif != 0;
	since = __stamped("birth", (uint64_t)C->skb);
	dropped = 1;
};

/* skb_clone(): the new buffer */
struct dw_skclone {
	struct sk_buff *skb;
	uint32_t gfp;
	struct sk_buff *retval;
};

translator struct dw_skb < struct dw_skclone *C > {
	skb = C->retval;
	has_pkt = 1;
	location = 0;
};

/* ---- arguments --------------------------------------------------------------------------------------------------------- */

typedef struct skbinfo {
	uint32_t skb_len;		/* bytes of data; 0 at alloc, and of buffers that TCP frees */
	uint32_t skb_datalen;		/* ... of these, bytes in separate pages */
	uint32_t skb_truesize;		/* bytes of memory */
	int skb_cloned;			/* 1: another buffer has the same data, or had */
	uint16_t skb_proto;		/* Ethernet's protocol number */
	string skb_protostr;
	uint64_t skb_age;		/* free: ns since alloc; 0: not known */
	string skb_reason;		/* drop, free: why it is dropped, as drop_reason; "": it is not */
	uintptr_t skb_location;		/* address of the code that did it; 0: not known */
} skbinfo_t;

translator skbinfo_t < struct dw_skb *P > {
	skb_len = P->has_pkt ? P->skb->len : 0;
	skb_datalen = P->has_pkt ? P->skb->data_len : 0;
	skb_truesize = P->has_pkt ? P->skb->truesize : 0;
	skb_cloned = P->has_pkt ? P->skb->cloned : 0;
	skb_proto = P->has_pkt ? ntohs(P->skb->protocol) : 0;
	skb_protostr = P->has_pkt ? eth_proto_string[ntohs(P->skb->protocol)] : "";
	skb_age = P->since != 0 ? timestamp - P->since : 0;
	skb_reason = __has(SKB_DROP_REASON_NOT_SPECIFIED) ?
	    (P->dropped ? __enum("skb_drop_reason", "SKB_DROP_REASON_", P->reason) : "") : "";
	skb_location = P->location;
};
