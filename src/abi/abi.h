/* SPDX-License-Identifier: GPL-2.0-or-later */
/* abi: layouts shared by compiled programs, the BPF C and user space. They are static-asserted where they are used. */
#ifndef DWIRE_ABI_ABI_H
#define DWIRE_ABI_ABI_H
#ifndef __BPF__
#include <stdint.h>
#define DW_U8 uint8_t
#define DW_U16 uint16_t
#define DW_U32 uint32_t
#define DW_S32 int32_t
#define DW_U64 uint64_t
#else
#define DW_U8 unsigned char
#define DW_U16 unsigned short
#define DW_U32 unsigned int
#define DW_S32 int
#define DW_U64 unsigned long long
#endif

/* A string that is not text yet: 24 bytes, 8-aligned in records and keys (the verifier wants aligned stack stores).
 * Bytes that a tag does not use are zero, so equal strings are equal bytes. */
enum dw_str_tag {
	DW_STR_NONE = 0,  /* "" */
	DW_STR_LIT = 1,   /* b[0..3]: number of a literal of the program, native order; never an address or "" */
	DW_STR_ZONE = 2,  /* b[0..3]: inode number of a network namespace, native order: the zone's name */
	DW_STR_LOAD = 3,  /* the machine's load averages, as /proc/loadavg says when the record is printed */
	DW_STR_SPEED = 5, /* b[0..3]: index of a device, b[4..7]: of which network namespace: the link's speed, Mb/s */
	DW_STR_MOVED = 7, /* the counters of the network that moved, a line each, when the record is printed */
	DW_STR_IP4 = 4,   /* b[0..3]: address, network order */
	DW_STR_IP6 = 6,   /* b[0..15]: address, network order */
	/* b: 15 characters of a container's id or own name, and a NUL: its name, its pod, the pod's namespace */
	DW_STR_CONTAINER = 8,
	DW_STR_POD = 9,
	DW_STR_POD_NAMESPACE = 10,
};
struct dw_tstr {
	DW_U32 tag;
	DW_U32 zero; /* always 0 */
	DW_U8 b[16];
};

/* Head of every record in a ring buffer. A record is one firing of one clause; the data follow at offset 16. */
struct dw_rec {
	DW_U64 ts;   /* CLOCK_MONOTONIC, ns */
	DW_U32 epid; /* enabled probe id: (probe, clause), from 1; DW_EPID_ERROR: struct dw_err */
	DW_U32 len;  /* of the whole record, bytes */
};
#define DW_EPID_ERROR 0xffffffffu

/* A CPU's ring, in its element of a map: two positions, each in cache lines of its own, then the data. A position is in
 * bytes since the beginning, a multiple of 8. The data are a power of two of bytes, and behind them is room for what is
 * left of a record that begins before their end. */
#define DW_RING_PRODUCED 0 /* u64: where the next record begins */
#define DW_RING_LIMIT 128  /* u64: how far programs may go; what is consumed, and the size */
#define DW_RING_DATA 256
#define DW_RING_MAX (1u << 29) /* most bytes of data: the verifier takes no larger offsets */
/* Before each record. `at` says which position the head is for, so that nothing that is left from an earlier round, or
 * that a stranger has sent, is taken for one. It is written before the record's data, and changed when they are
 * complete. */
struct dw_ring_head {
	DW_U32 len; /* of the record; and the bits */
	DW_U32 at;  /* the position in units of 8, exclusive or the trace's key */
};
#define DW_RING_BUSY 0x80000000u    /* the record is not complete */
#define DW_RING_DISCARD 0x40000000u /* it is not to be consumed */
#define DW_RING_KEY(secret) ((DW_U32)((secret) >> 32))

/* A run-time fault in a clause. The clause ends there and its record is discarded. */
/* clang-format off */
#define DW_FAULTS(X) /* name, number, is the value an address that is shown, text: DTrace's */             \
	X(UNKNOWN, 0, false, "unknown fault") X(BADADDR, 1, true, "invalid address")                         \
	X(BADALIGN, 2, true, "invalid alignment") X(ILLOP, 3, false, "illegal operation")                    \
	X(DIVZERO, 4, false, "divide-by-zero") X(NOSCRATCH, 5, false, "out of scratch space")                \
	X(KPRIV, 6, true, "invalid kernel access") X(UPRIV, 7, true, "invalid user access")                  \
	X(TUPOFLOW, 8, false, "tuple stack overflow") X(BADSTACK, 9, false, "bad stack")                     \
	X(BADSIZE, 10, false, "invalid size") X(BADINDEX, 11, false, "index out of bounds")                  \
	X(LIBRARY, 12, false, "library-level fault")
/* clang-format on */
enum dw_fault {
#define X(n, v, addr, s) DW_FAULT_##n = v,
	DW_FAULTS(X)
#undef X
};
struct dw_err {
	struct dw_rec rec;
	DW_U32 epid;   /* of the clause that failed */
	DW_U32 action; /* number of the statement in the clause, from 1 */
	DW_U32 fault;  /* enum dw_fault */
	DW_U32 pc;     /* number of the instruction that detected it */
	DW_U64 value;
};

/* The gate of a trace: the value of a map that programs read before their clauses. */
enum dw_gate {
	DW_GATE_CLOSED = 0, /* not everything is attached yet: no clause acts but BEGIN's */
	DW_GATE_OPEN = 1,
	DW_GATE_ENDED = 2, /* exit() was called, or the session ends: no clause acts but END's and ERROR's */
	DW_GATE_LAST = 3,  /* -x walkend: as ENDED, but clauses of the last walk act; it has the bit of OPEN */
};

/* A tick probe. Times are of CLOCK_MONOTONIC, ns. */
struct dw_tick {
	DW_U64 next;   /* when it is due */
	DW_U64 missed; /* periods in which it has not fired */
};

/* Drops by cause: indices of a per-CPU array of u64. */
enum dw_drop {
	DW_DROP_RING = 0, /* no room in the ring buffer */
	DW_DROP_AGG,      /* no room in an aggregation */
	DW_DROP_DYN,      /* no room for a dynamic variable */
	DW_DROP_NEST,     /* scratch nested too deep */
	DW_DROP_OWNER,    /* an owner could not be stored */
	DW_DROP_SPEC,     /* all speculations were in use */
	DW_DROP_SAMPLED,  /* no loss: a firing that sampling left out */
	DW_DROP_COUNT
};

/* The owner of a socket, as src/owner/bpf/owner.bpf.c keeps it. */
struct dw_owner {
	DW_S32 pid; /* process (tgid) */
	DW_S32 tid;
	DW_U32 uid;
	DW_U32 how : 8;    /* enum dw_owner_how */
	DW_U32 nspid : 24; /* the process in its own pid namespace; Linux has 22 bits of numbers */
	DW_U8 comm[16];
	DW_U64 process; /* address of its struct pid: while it lives, its name and user of today are found there */
	/* Of a connection without a socket (struct dw_ended), else 0: its number, and its last socket */
	DW_U64 ended, sk;
};
#define DW_OWNER_HOW 12 /* where the byte `how` is */
enum dw_owner_how {
	DW_OWNER_NONE,
	DW_OWNER_ITER,
	DW_OWNER_CREATE,
	DW_OWNER_ACCEPT,
	DW_OWNER_USE,
	DW_OWNER_HOLDS, /* a scan of files found that the owner of a listener holds it; scans use the two by turns */
	DW_OWNER_HOLDS_TOO,
	DW_OWNER_INHERIT, /* copied from the listener: nobody has accepted the connection yet; or the owner exited */
	DW_OWNER_SHARED,  /* several processes use the socket, which is not a TCP socket; this is the first of them */
	DW_OWNER_LEFT,    /* closed (no struct socket), but some of its packets may still be queued */
};
/* Where the owner of a socket is (src/owner/bpf/owner_places.h): in one of the two places that its address has, at
 * DW_PLACE_OFF(lower half of the address) and at DW_PLACE_NEXT() of that, or else in the hash `owners`. */
#define DW_PLACES 8192u
#define DW_PLACE_FACTOR 0x9e3779b1u
#define DW_PLACE_SHIFT 13u
#define DW_PLACE_MASK ((DW_PLACES - 1) * 64)
#define DW_PLACE_OFF(low) (((low) * (DW_U64)DW_PLACE_FACTOR >> DW_PLACE_SHIFT) & DW_PLACE_MASK)
#define DW_PLACE_NEXT(off) (((off) + 64) & DW_PLACE_MASK)
struct dw_place {
	DW_U64 sk; /* the socket's address; 0: free; DW_PLACE_BUSY: a program writes the owner */
	struct dw_owner owner;
};
#define DW_PLACE_BUSY 1
struct dw_places {
	struct dw_place at[DW_PLACES];
	DW_U64 elsewhere; /* owners in the hash: 0 saves looking there */
};
/* The socket on which a thread was the last to send, of those that several processes use. */
struct dw_sender {
	DW_U64 sk;
	struct dw_owner owner;
};
/* Numbers made of words that strangers choose, word by word. The factor is odd and secret, so nobody can choose words
 * that make the same number. The shift carries differences in a word's high bits down; a product alone keeps them high,
 * where the next word could undo them. A secret of 0: none is needed, and the number of a script is always the same. */
#define DW_FACTOR(secret) (((secret) ? (secret) : 0x9e3779b97f4a7c15u) | 1)
#define DW_MIX_SHIFT 32
static inline DW_U64 dw_mix(DW_U64 factor, DW_U64 number, DW_U64 word)
{
	number = (number ^ word) * factor;
	return number ^ number >> DW_MIX_SHIFT;
}

/* The connections that ended last, which have no socket any more (src/owner/bpf/owner_ended.h): a ring, and for each
 * hash of a key (DW_ENDED_HEAD) the number of the newest. Numbers begin with 1; number n is at n modulo DW_ENDED. */
#define DW_ENDED 8192u
#define DW_ENDED_HEADS 16384u
#define DW_ENDED_HEAD(key) ((key) >> 48 & (DW_ENDED_HEADS - 1))
struct dw_ended_one {
	DW_U64 key, older;     /* older: the number of the next with the same hash, 0 or one that is gone: none */
	struct dw_owner owner; /* ended is its number, 0 while it is written; process is 0 if it had no owner */
};
struct dw_ended {
	DW_U64 n, newest[DW_ENDED_HEADS];
	struct dw_ended_one ring[DW_ENDED];
};
#define DW_SENDERS 16384u /* threads with a record in `senders` */

/* Facts about the machine that programs cannot read themselves; user space writes them some times a second. */
/* Numbers of netcounter() that a script may have, and the room for the name of one. */
#define DW_READINGS 256
#define DW_READING_NAME 128

struct dw_machine {
	DW_U64 load[3]; /* load averages of 1, 5, 15 minutes, times 65536 */
	DW_U64 threads; /* number of threads */
	DW_U64 cpus;    /* number of CPUs online */
	DW_U64 pages;   /* pages of memory */
	DW_U64 free;    /* free pages */
	DW_U64 wall;    /* CLOCK_REALTIME - CLOCK_MONOTONIC, ns: clocks are set while we trace */
};

/* The state of path_text() in bpf/lib.bpf.c, which walks from a directory entry up to the root of the mounts. */
struct dw_path {
	DW_U64 dentry, mnt;                          /* struct dentry *, struct vfsmount *: where it is now */
	DW_U32 d_parent, d_name, d_len;              /* offsets in struct dentry; the name's pointer and length */
	DW_U32 mnt_root;                             /* in struct vfsmount */
	DW_U32 mount_mnt, mount_parent, mount_point; /* in struct mount: its vfsmount, mnt_parent, mnt_mountpoint */
	DW_U32 zero;
	DW_U64 tmp[3];
	DW_U64 pos, top; /* where the text begins so far; the root was reached */
};
#define DW_PATH_END 511u /* the text ends here with a NUL */
#define DW_PATH_BUF 768u

/* The state of box_find() in bpf/lib_box.h. */
struct dw_box {
	DW_U64 node;              /* struct kernfs_node: where it is now */
	DW_U64 above_at, name_at; /* offsets of the members: the parent, the name */
	DW_U64 above, name, head; /* what they are; the name's first eight characters */
};
/* Kinds of containers; DW_BOX_LXC and above have a name, the others an id. As in dlib/net/net.d. */
#define DW_BOX_DOCKER 1u
#define DW_BOX_PODMAN 2u
#define DW_BOX_CRIO 3u
#define DW_BOX_CONTAINERD 4u
#define DW_BOX_KUBERNETES 5u
#define DW_BOX_LXC 6u
#define DW_BOX_MACHINE 7u

/* The state of nft_find() in bpf/lib_nft.h. */
struct dw_nft {
	DW_U64 expr;                /* the expression that decided; 0: the chains at these hooks are searched: */
	DW_U64 hooks;               /* where a namespace has what is at its hooks (struct nf_hook_entries *) */
	DW_U64 chain, jumped;       /* where the packet came in; where it went from there; 0: not known */
	DW_U16 blob_at[2], data_at; /* offsets: nft_chain: both generations of rules; nft_rule_blob: the first rule */
	DW_U16 size_at, type_at;    /* nft_expr_ops */
	DW_U16 type_name_at;        /* nft_expr_type */
	DW_U16 dreg_at, lookup_at;  /* of an expression: its register, immediate and lookup */
	DW_U16 base_at, policy_at;  /* nft_base_chain */
	DW_U16 kind_at, last_at;    /* nf_hook_ops: its type; nft_rule_dp_last: its chain, 0: there is none */
	DW_U8 want, gen, mask;      /* what is asked; the generation in use; bits of hooks */
	DW_U8 ended, jumps;         /* the walk has reached the end; other chains and maps may decide */
	DW_U8 many, other, unsure;  /* of what may have dropped: several; of several chains; one that need not */
	DW_U32 left, code;
	DW_U64 at, rule, found, head, tmp;
	DW_U16 small, pad[3];
};

/* The state of xt_walk() in bpf/lib_xt.h. */
struct dw_xt {
	DW_U64 info;                    /* struct xt_table_info * */
	DW_U64 weight;                  /* of the rule that is asked for */
	DW_U64 percpu;                  /* what is added to the address of a counter; 0: it is no address */
	DW_U16 size_at, entries_at;     /* xt_table_info */
	DW_U16 hooks_at, underflow_at;  /* ... where the hooks' chains begin, and their policies */
	DW_U16 target_at, name_at;      /* xt_target: its function, and its name */
	DW_U8 want, is6, found, policy; /* what is asked; rules of IPv6; the rule was found; it is a policy */
	DW_U32 at, size;                /* bytes from the first rule */
	DW_U32 number;                  /* of the rule in its chain */
	DW_U32 hooks[5], underflow[5];
	DW_U64 chain; /* the name of a chain that is not a hook's; 0: it is a hook's */
	DW_U64 count, sum, tmp;
	DW_U32 next, code;
};

/* The state of dns_name() in bpf/lib_dns.h. */
struct dw_dns_name {
	DW_U64 left;      /* bytes of the current label */
	DW_U64 p, wire;   /* lengths: of the text, and in the packet */
	DW_U64 live, len; /* it goes on; bytes that are there */
};

/* The state of dns_hash() there. */
struct dw_dns_hash {
	DW_U64 left; /* bytes of the current label */
	DW_U64 tail; /* 3 behind the end of the name, and down to 1 */
	DW_U64 hash;
	DW_U64 live, len; /* it goes on; bytes that are there */
};

/* The state of is_address() in bpf/lib_host.h. */
struct dw_host {
	DW_U64 len;                             /* characters that are there */
	DW_U64 colons, six, scope;              /* IPv6; behind '%' */
	DW_U64 four, dots, value, digits, base; /* IPv4: the current number */
};

/* What is known of a packet, by the address of the memory of its headers, which its clones share. */
struct dw_packet {
	DW_U64 id;     /* its identity: time of its first stage in ns << 6 | CPU & 63 */
	DW_U64 time;   /* of its last stage; 0: none of the path provider yet */
	DW_U64 place;  /* number of that stage | address of the device << 8 */
	DW_U64 sent;   /* the sk_buff that a driver got; 0: none */
	DW_U64 depart; /* the departure time that TCP set; 0: none */
	DW_U64 first;  /* its first place; 0: none of the path provider yet */
	/* Bit 0: other segments have the same identity; its end is not theirs. DW_CUT_FRAGMENT: a fragment that came
	 * in; the upper half is its namespace. */
	DW_U64 cut;
};
/* The packet of an sk_buff, by its address. */
struct dw_buffer {
	DW_U64 head; /* where its headers were */
	DW_U64 id;
};
/* One stage of a packet, for packet_note() of bpf/lib_packet.h. */
struct dw_stage {
	DW_U64 head, buffer, now, place, depart; /* given */
	/* Given for TCP on its way out, else 0: ports << 32 | sequence number; bytes of data, DW_STAGE_GSO: the kernel
	 * is to cut them into segments. Given for data on their way from a socket to IP: the socket's address; of TCP
	 * the sequence number << 32 | ports, of UDP the address of the task. Given for DW_STAGE_SEND: the sequence
	 * number of the call's first byte, 1: of TCP; as `buffer` the ports, or the task; as `depart` the sequence
	 * number before which the other side has all bytes. Given as `bytes`, if flow is 0, for a fragment that comes
	 * in: 1 << 32 | its namespace; and for DW_STAGE_QUEUE the namespace. */
	DW_U64 flow, bytes;
	DW_U64 from;
	struct dw_packet note;
};
/* Results: struct dw_packet's time and place so far, its first place, where the given ones were. */
#define dw_stage_before now
#define dw_stage_was place
#define dw_stage_first depart
#define DW_STAGE_GSO 0x80000000u
#define DW_CUT_SHARED 1
#define DW_CUT_FRAGMENT 2
/* Numbers of stages (dlib/net/path.d) that packet_note() knows. */
enum dw_stages {
	DW_STAGE_OUTPUT = 1,
	DW_STAGE_QUEUE = 6,
	DW_STAGE_DEQUEUE = 8,
	DW_STAGE_TRANSMIT = 9,
	DW_STAGE_DRIVER_IN = 10,
	DW_STAGE_PREROUTING = 15,
	DW_STAGE_INPUT = 17,
	DW_STAGE_SOCKET_IN = 18,
	DW_STAGE_READ = 21,
	DW_STAGE_SENT = 22,
	DW_STAGE_DROP = 23, /* the last one of the path provider */
	DW_STAGE_SEND = 25, /* a process sends on a socket; head: its address; there is no packet yet */
	DW_STAGE_TCP_OUT = 26,
	DW_STAGE_UDP_OUT = 27,
	DW_STAGE_LOOK = 33,  /* the packet may be gone: no identity is made */
	DW_STAGE_PART = 35,  /* `drop` of a packet whose other clones go on: the stage before stays the last one */
	DW_STAGE_ASIDE = 36, /* between stages: nothing of a packet that is known changes */
	DW_STAGE_USED = 34,  /* a buffer has done its work: `read`, if its packet was in a socket's queue */
};

/* The state of walk_kernel() and walk_user() in bpf/lib.bpf.c. */
struct dw_unwind {
	DW_U64 ip, sp, bp; /* of the current frame */
	DW_U64 from, to;   /* the kernel's text */
	DW_U64 ips;        /* ORC: sorted table of addresses, each an s32 relative to its own place */
	DW_U64 entries;    /* ORC: the entry that applies from each of these addresses on, 6 bytes each */
	DW_U64 count;      /* length of both tables; 0: the kernel has frame pointers */
	DW_U64 hook;       /* the function that runs the program; 0: already passed, or not known */
	DW_U64 filled;     /* frames written */
	DW_U64 at, base, word;
	DW_U64 tmp[2];
};

/* Aggregating functions: X(NAME, name in D). Then the layout of a value, words of 64 bits, per CPU. */
/* clang-format off */
#define DW_AGG_FNS(X) \
	X(COUNT, count)           /* n */ \
	X(SUM, sum)               /* sum, not 0 when there was one */ \
	X(AVG, avg)               /* n, sum */ \
	X(MIN, min)               /* value, set (0: nothing yet) */ \
	X(MAX, max)               /* value, set */ \
	X(STDDEV, stddev)         /* n, sum, sum of squares low, high */ \
	X(QUANTIZE, quantize)     /* 127 buckets: 63: 0, 64+floor(log2 v): v>0, 62-floor(log2 -v): v<0, at least 0 */ \
	X(LQUANTIZE, lquantize)   /* below base, levels..., at or above limit */ \
	X(LLQUANTIZE, llquantize) /* word i: values v with i = number of bounds <= v; bounds of llq_bounds() */
/* clang-format on */
enum dw_agg_fn {
#define X(fn, name) DW_AGG_##fn,
	DW_AGG_FNS(X)
#undef X
		DW_AGG_FN_COUNT
};
#define DW_QUANTIZE_BUCKETS 127

/* Where programs count the keys of an aggregation that they made: u64s, those of aggregation n from n * DW_BORN_COUNT
 * on. */
enum dw_born {
	DW_BORN_MAP, /* in the map in which keys begin */
	DW_BORN_OWN, /* in the map with a value for each CPU, if that is another one; failures count too */
	DW_BORN_COUNT
};
#endif
