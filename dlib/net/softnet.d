/* SPDX-License-Identifier: GPL-2.0-or-later */
/* softnet: sites and arguments of the softnet provider. Input: softirqs, and polls of devices. To: softnetinfo_t. */

/* Numbers of softirqs (enum in linux/interrupt.h). */
inline uint32_t DW_NET_TX = 2;
inline uint32_t DW_NET_RX = 3;
/* The structure of a CPU whose backlog's NAPI is given. */
inline uint64_t dw_softnet_of[uint64_t napi] = napi - offsetof(struct softnet_data, backlog);
/* "ksoftir", the beginning of the names of the threads that run what a CPU could not do at once */
inline uint64_t DW_KSOFTIR = 0x726974666f736b;

struct dw_softnet {
	uint32_t vec;			/* number of the softirq */
	struct napi_struct *napi;
	struct net_device *dev;		/* NULL: the CPU's backlog */
	int32_t work;
	int32_t budget;
	uint64_t since;			/* ns: when the wait or the run began; 0: not known */
	uint64_t data;			/* the CPU's struct softnet_data; 0: not known */
};

translator struct dw_softnet < struct dw_softnet *P > {
	vec = DW_NET_RX;
	dev = (struct net_device *)0;
	work = 0;
	budget = 0;
	since = 0;
	data = __stamped("queue", 0);
};

struct dw_snraise { uint32_t vec; };
translator struct dw_softnet < struct dw_snraise *C > { work = 0; };

struct dw_snentry { uint32_t vec; };
translator struct dw_softnet < struct dw_snentry *C > { since = __stamp("raise", C->vec); };

struct dw_snexit { uint32_t vec; };
translator struct dw_softnet < struct dw_snexit *C > { since = __stamp("entry", C->vec); };

struct dw_snpoll {
	struct napi_struct *napi;
	int32_t work;
	int32_t budget;
};
translator struct dw_softnet < struct dw_snpoll *C > { dev = C->napi->dev; };

typedef struct softnetinfo {
	string sn_kind;			/* "rx", "tx" */
	uint64_t sn_time;		/* entry: ns since raise; exit: ns since entry; 0: not known */
	int sn_deferred;		/* 1: in the thread ksoftirqd, which waits for the CPU as others do */
	string sn_device;		/* poll: the device; "": the CPU's backlog */
	int sn_work;			/* poll: packets that were taken */
	int sn_budget;			/* ... that might have been */
	int sn_backlog;			/* packets in the CPU's backlog; -1: not known */
	int64_t sn_processed;		/* packets that the CPU has processed so far; -1: not known */
	int64_t sn_squeezed;		/* times that it had to stop with packets left, so far; -1: not known */
} softnetinfo_t;

translator softnetinfo_t < struct dw_softnet *P > {
	sn_kind = P->vec == DW_NET_RX ? "rx" : "tx";
	sn_time = P->since != 0 && P->since < timestamp ? timestamp - P->since : 0;
	sn_deferred = (dw_kword[(uint64_t)&curthread->comm] & 0xffffffffffffff) == DW_KSOFTIR;
	sn_device = P->dev != 0 ? P->dev->name : "";
	sn_work = P->work;
	sn_budget = P->budget;
	sn_backlog = P->data == 0 ? -1 : ((struct softnet_data *)P->data)->input_pkt_queue.qlen +
	    ((struct softnet_data *)P->data)->process_queue.qlen;
	sn_processed = P->data == 0 ? -1 : (int64_t)((struct softnet_data *)P->data)->processed;
	sn_squeezed = P->data == 0 ? -1 : (int64_t)((struct softnet_data *)P->data)->time_squeeze;
};
