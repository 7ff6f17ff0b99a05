/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image: a compiled script, with everything that the runtime needs: programs, maps, and the layout of what programs
 * record. src/lower makes it; src/load, src/attach, src/consume, src/agg, src/print and src/session read it.
 * The compilation's arena owns all of it. Offsets and sizes are in bytes unless another unit is given. */
#ifndef DWIRE_IMAGE_IMAGE_H
#define DWIRE_IMAGE_IMAGE_H
#include "abi/abi.h"
#include "base/diag/diag.h"
#include "base/vec.h"
#include "image/attach.h"
#include "image/code.h"
#include "image/format.h"

/* ---- data in records and keys ------------------------------------------------------------------------------------ */
enum field_kind {
	FIELD_INT,    /* 1, 2, 4 or 8 bytes, native order */
	FIELD_LIT,    /* u32: number of a literal (0 is "") */
	FIELD_TSTR,   /* struct dw_tstr */
	FIELD_CHARS,  /* size bytes: text up to the first NUL */
	FIELD_SYM,    /* u64: kernel address, printed as its function */
	FIELD_MOD,    /* u64: ... as its module */
	FIELD_USYM,   /* u64 process, u64 address: printed as its function */
	FIELD_UMOD,   /* ... as its file */
	FIELD_UADDR,  /* ... as its function and the distance from it */
	FIELD_STACK,  /* u64 a frame, 0 after the last */
	FIELD_USTACK, /* u64 process, then the frames as in FIELD_STACK */
	FIELD_UCOPY,  /* u64 process, u32 bytes of stack, u32 frames at most, registers (lang/types.h), the stack from
		       * its pointer on: the consumer unwinds it */
	FIELD_BYTES,  /* raw memory: tracemem(), trace() and print() of a structure */
	FIELD_REST,   /* raw memory up to the end of the record: a packet */
	FIELD_GIVEN,  /* u32: number of a value that was decoded elsewhere: struct decoder, given */
};

/* A type as print() shows it. */
enum ptype_kind { PT_INT, PT_CHAR, PT_BOOL, PT_PTR, PT_ENUM, PT_FLOAT, PT_ARRAY, PT_SOU, PT_STRING, PT_OPAQUE };

struct ptype;

struct pmember {
	const char *name; /* "": anonymous */
	const char *text; /* its type as the kernel's source writes it, with typedef names */
	const struct ptype *type;
	uint32_t bit_off; /* bits from the start of the structure */
	uint32_t bits;    /* width of a bit-field; else 0 */
};

struct penum {
	const char *name;
	int64_t value;
};

struct ptype {
	enum ptype_kind kind;
	const char *text;        /* as D writes it: "struct tcp_sock *" */
	uint32_t size;           /* of a value */
	const struct ptype *of;  /* PT_ARRAY: type of an element */
	uint32_t nelems;         /* PT_ARRAY */
	struct pmember *members; /* PT_SOU: a structure or union */
	size_t nmembers;
	struct penum *enums; /* PT_ENUM */
	size_t nenums;
};

/* One value in a record, or one part of a key. */
struct field {
	const char *name; /* of the variable, member or function that it comes from, for rows; NULL: it has none */
	enum field_kind kind;
	uint32_t off;              /* from the start of the record or of the key */
	uint32_t size;             /* FIELD_INT: 1, 2, 4 or 8; other kinds: the most that it takes */
	bool is_signed;            /* FIELD_INT */
	bool is_float;             /* FIELD_INT of 4 or 8 bytes: it is a float or a double */
	bool is_plain;             /* FIELD_UADDR: a number that %A names. It belongs to $target, if there is one */
	const struct ptype *type;  /* of print(); else NULL */
	const struct field *given; /* FIELD_GIVEN: the field as it was where the value was decoded */
};

/* An aggregation. Values are arrays of u64. A key's value is the sum of its values in two maps: `common` has one for
 * all CPUs, `map` one for each. */
struct agg {
	const char *name; /* without @ */
	uint32_t id;      /* index in image.aggs */
	enum dw_agg_fn fn;
	uint32_t map; /* index in image.maps: a per-CPU hash if agg_hashed(), else a per-CPU array of one value */
	/* Index in image.maps + 1: a hash in which each key begins; a key that is used often gets an entry in map, too.
	 * 0: there is none, all keys are in map. */
	uint32_t common;
	uint32_t slots; /* index in image.maps + 1: the table in which keys begin (abi/slots.h); 0: in common or map */
	uint32_t slot_value, slot_size; /* where its value is in a slot; bytes of a slot */
	uint32_t front; /* index in image.maps + 1: the table in front of the maps (abi/front.h); 0: none */
	uint32_t front_value, front_size; /* likewise */
	uint32_t front_used;              /* ... of these, bytes that have values or the key */
	/* quantize and its kin with few levels in use: a map's entry is one level of one key. The last 8 bytes of the
	 * map's key are the level, its value is one word; nwords still counts all levels. */
	bool sparse;
	uint64_t shared; /* the last 8 bytes of its keys if it shares the map with other aggregations; else 0 */
	struct field *keys;
	size_t nkeys;
	uint32_t key_size;                                 /* of the map's key */
	uint32_t nwords;                                   /* u64s of a value */
	int64_t lq_base, lq_limit, lq_step;                /* lquantize(): as the script gives them */
	uint32_t llq_factor, llq_low, llq_high, llq_steps; /* llquantize(): likewise; low and high are exponents */
};

/* Is its map a hash? It is one if the aggregation has keys, shares the map or is sparse. */
static inline bool agg_hashed(const struct agg *g)
{
	return g->nkeys || g->shared || g->sparse;
}

enum action_kind {
	ACT_TRACE,       /* args[0] */
	ACT_TRACEMEM,    /* args[0]: memory; args[1], if there is one: how many bytes of it */
	ACT_PRINTF,      /* fmt, args */
	ACT_PRINTA,      /* fmt (NULL: default layout), aggs */
	ACT_EXIT,        /* args[0]: status */
	ACT_CLEAR,       /* aggs[0] */
	ACT_TRUNC,       /* aggs[0]; args[0]: how many keys to keep (negative: the smallest); no args: 0 */
	ACT_NORMALIZE,   /* aggs[0]; args[0]: divisor */
	ACT_DENORMALIZE, /* aggs[0] */
	ACT_SYSTEM,      /* fmt, args: a command */
	ACT_FREOPEN,     /* fmt, args: a file; a format without items: standard output */
	ACT_SETOPT,      /* args: name, value */
	ACT_FTRUNCATE,   /* no args: empties the file that freopen() opened */
	ACT_SNAPSHOT,    /* no args: triggers what the recorder's ring holds */
	ACT_PRINT,       /* args[0], with its type */
	ACT_PCAP,        /* args: enum capture_member */
	ACT_COMMIT,      /* args[0]: a speculation; 0: it was not active */
	ACT_DISCARD,     /* likewise */
};

/* What pcap() records: members of D's pktinfo_t in this order, then the packet's bytes. */
/* clang-format off */
#define CAPTURE_MEMBERS(X)                                                                                      \
	X(LEN, "pkt_len") X(PROTOCOL, "pkt_protocol") X(RECV, "pkt_recv") X(IFINDEX, "pkt_ifindex")               \
	X(IFNAME, "pkt_ifname") X(NETNS, "pkt_netns") X(ZONE, "pkt_zonename") X(BUFFER, "pkt_buffer")             \
	X(PID, "pkt_pid") X(TID, "pkt_tid") X(EXECNAME, "pkt_execname") X(RUNTIME, "pkt_runtime")                 \
	X(CONTAINER, "pkt_container") X(DROPPED, "pkt_dropped") X(REASON, "pkt_reason")
/* clang-format on */
enum capture_member {
#define X(id, name) CAPTURE_##id,
	CAPTURE_MEMBERS(X)
#undef X
		CAPTURE_BYTES,
	CAPTURE_COUNT,
	/* In a stream two texts follow, what /proc said of the owner: its reader cannot ask. */
	CAPTURE_ARGS = CAPTURE_COUNT,
	CAPTURE_POD,
	CAPTURE_ALL
};
/* The most bytes of a packet that are kept. */
#define CAPTURE_MAX 65535u

/* What the consumer does for one record, in program order. */
struct action {
	enum action_kind kind;
	struct fmt *fmt; /* NULL: it has none */
	struct field *args;
	size_t nargs;
	uint32_t *aggs; /* indexes in image.aggs */
	size_t naggs;
	uint32_t guard_off; /* offset in the record of a byte that is 1 if the action ran; 0: it always runs */
	struct loc loc;
};

/* One enabled probe: a clause on a probe. Its records have epid = index + 1. */
struct epid {
	uint32_t probe;    /* index in image.probes */
	uint32_t clause;   /* number of the clause in the script, from 0 on */
	uint32_t rec_size; /* of a record with its head (struct dw_rec), without the rest; 0: it records nothing */
	struct action *actions;
	size_t nactions;
	bool quiet_head;   /* no action records data: the default output shows no line for it */
	uint32_t spec_off; /* offset in the record of a u64: the speculation that it belongs to, or 0; 0: no such u64 */
	bool packets;      /* a site of the probe has a packet that pcap() can copy */
	uint32_t rest;     /* most bytes of a packet behind rec_size (FIELD_REST); 0: none */
};

/* An enabled probe's four names. */
struct image_probe {
	uint32_t id; /* as -l shows it */
	const char *prov, *mod, *func, *name;
};

/* ---- what is loaded ---------------------------------------------------------------------------------------------- */
/* What a map is for. One list makes the enum and the count. */
/* clang-format off */
#define MAP_ROLE_LIST(X)                                                                                    \
	X(MAP_RINGS)       /* the rings, one a CPU: array of them (abi/abi.h), or type 0: of BPF ring buffers */ \
	X(MAP_BELL)        /* a BPF ring buffer: programs wake the runtime with it */ \
	X(MAP_DROPS)       /* per-CPU array of DW_DROP_COUNT u64 */ \
	X(MAP_OWNER)       /* the owner service's hash: socket address -> owner, of sockets without a place */ \
	X(MAP_GATE)        /* array of one u64, enum dw_gate: the runtime opens it when everything is attached */ \
	X(MAP_SAMPLE)      /* array of one u64: one firing in so many runs (lower/sample.c) */ \
	X(MAP_TICKS)       /* array of one value: a struct dw_tick for each tick probe */ \
	X(MAP_GLOBALS)     /* array of one value: the global variables, globals_size bytes */ \
	X(MAP_DYN)         /* hash: associative arrays and thread-local variables */ \
	X(MAP_WORDS)       /* array of one value: a table in front of a MAP_DYN (abi/words.h) */ \
	X(MAP_AGG)         /* one or more aggregations: struct agg */ \
	X(MAP_ZERO)        /* array of one value: zeroes, with which a new key of an aggregation begins */ \
	X(MAP_BLANK)       /* array of one value: zeroes, of which the verifier knows that they are zeroes */ \
	X(MAP_BORN)        /* array of one value: keys that programs made, for each aggregation: enum dw_born */ \
	X(MAP_SLOTS)       /* array of one value: a table of keys and values (abi/slots.h) */ \
	X(MAP_FRONT)       /* array of one value for each CPU: keys and values (abi/front.h) */ \
	X(MAP_SCRATCH)     /* array of slots; max_entries counts those of one CPU: CPU n's begin at n * max_entries */ \
	X(MAP_LAST_USERS)  /* the owner service's hash: socket address -> owner, of sockets of several processes */ \
	X(MAP_SPECS)       /* array of one value: a bit for each speculation that is active */ \
	X(MAP_VTIME)       /* per-CPU array of one value: the thread that runs, since when, its CPU time then */ \
	X(MAP_CHILL)       /* per-CPU array of one value: chill()'s interval and what it was granted in it */ \
	X(MAP_STAMP)       /* LRU hash of a stamp (image/probe.h): address -> time in ns, word */ \
	X(MAP_TABLE)       /* array of one value, which programs only read */ \
	X(MAP_MACHINE)     /* array of one struct dw_machine: the runtime keeps it up to date */ \
	X(MAP_READINGS)    /* array of one value: a number for each of image.readings, -1 for one that is not known */ \
	X(MAP_SENDERS)     /* the owner service's per-CPU array: who is sending on a socket of several processes */ \
	X(MAP_PLACES)      /* the owner service's array of one struct dw_places */ \
	X(MAP_ENDED)       /* the owner service's array of one struct dw_ended */ \
	X(MAP_PACKETS)     /* array of one value: notes of packets (abi/notes.h) */ \
	X(MAP_FREED)       /* per-CPU array of one value: the packet whose memory was given back last, its place */ \
	X(MAP_AGES)        /* array: the packets that have a pkt-> variable, in a ring */ \
	X(MAP_BOXES)       /* hash: dw_tstr of a container's name -> number of the literal that it equals */ \
	X(MAP_CALLS)       /* LRU hash of lower/calls.c: thread -> the call that it is in */
/* clang-format on */
enum map_role {
#define X(r) r,
	MAP_ROLE_LIST(X)
#undef X
};
#define X(r) +1
enum { MAP_ROLES = MAP_ROLE_LIST(X) };
#undef X

struct image_map {
	enum map_role role;
	const char *name; /* at most 15 characters */
	uint32_t type;    /* enum bpf_map_type; 0: the runtime makes the map (rings, owner) */
	uint32_t key_size, value_size, max_entries;
	uint32_t flags;   /* BPF_F_... of BPF_MAP_CREATE */
	const void *data; /* MAP_TABLE: its value, value_size bytes; else NULL */
};

#define TRACE_UPROBE_MULTI 48u /* enum bpf_attach_type; headers before Linux 6.6 do not have it */

/* An instruction of a program or library to which a uprobe is attached. */
struct uplace {
	const char *path;  /* the file, as the kernel opens it (/proc/PID/root/...) */
	const char *shown; /* the place in messages: "/usr/bin/x:main" */
	uint64_t off;      /* of the instruction in the file */
	uint64_t ref_ctr;  /* offset in the file of the counter that enables a USDT probe; 0: none */
	uint64_t cookie;   /* bits 0 to 31: the probe's number; from bit 32 on: offset in the function of a return */
	int32_t pid;       /* 0: every process, including those that start later */
};

/* A function of the kernel, or a system call, to which a program is attached. */
struct image_target {
	const char *func;
	const char *module; /* NULL: the kernel itself */
	uint64_t cookie;    /* the program reads it: bpf_get_attach_cookie() */
	uint64_t off;       /* of a kprobe: bytes from the function's start */
};

/* A part of a program that lower/join.c made of several. */
struct image_part {
	uint32_t probe; /* index in image.probes */
	uint32_t insn;  /* its first instruction */
	bool notes;     /* as in image_prog */
};

/* A program to load and attach. */
struct image_prog {
	enum attach_kind attach;
	const char *target;            /* what image/attach.h says of the kind; NULL: it has none */
	uint32_t probe;                /* index in image.probes */
	bool notes;                    /* it fires no probe: it notes something that the probe reads later (a stamp) */
	bool chooses;                  /* it has a condition: some of the events that it sees do not fire the probe */
	bool step;                     /* as the site's (image/probe.h) */
	bool datagrams;                /* as the provider's (image/probe.h) */
	uint64_t period_ns;            /* tick, profile; cpc: events; else 0 */
	uint32_t tick;                 /* tick: the number in the map of ticks, from 1; else 0 */
	uint32_t prog_type;            /* enum bpf_prog_type */
	uint32_t expected_attach_type; /* enum bpf_attach_type */
	uint32_t attach_btf_id;        /* the tracepoint or function in the BTF of module; 0: none */
	uint32_t flags;                /* BPF_F_... of BPF_PROG_LOAD */
	const char *module;            /* of the target; NULL: the kernel itself */
	struct image_target *targets;  /* kprobes: one function or many; ATTACH_SYSCALL: system calls */
	size_t ntargets;
	struct code code;
	const char *look; /* lower/join.c: where look_code returns 0, so does this program's condition; NULL: none */
	struct code look_code;
	const char *name;            /* for bpftool and the like: at most 15 characters */
	const struct uplace *places; /* uprobes */
	size_t nplaces;
	struct image_part *parts; /* of a joined program; NULL: it is one program */
	size_t nparts;
};

/* A number of the kernel that the runtime reads (docs/D.md, netcounter()). */
struct image_reading {
	const char *name;
	bool moved; /* by how much it grew since the trace began */
};

/* A string literal, which records hold by its number. */
struct lit {
	const char *s;
	size_t len; /* without the NUL at the end */
};

struct image {
	VEC(struct image_map) maps;
	VEC(struct image_prog) progs;
	VEC(struct image_probe) probes; /* the enabled ones */
	VEC(struct epid) epids;
	VEC(struct agg) aggs;
	VEC(struct lit) lits; /* lits.v[0] is "" */
	VEC(struct image_reading) readings;
	bool sampled;          /* some programs may leave firings out (MAP_SAMPLE) */
	uint32_t globals_size; /* of MAP_GLOBALS' value */
	bool functions;        /* a probe uses another tier than hooks */
	bool packets;          /* a probe shows packets of sockets, of all networks of the machine */
	bool needs_owner;      /* a program reads an owner: the owner service must run */
	bool packet_owner;     /* ... where packets pass, not only steps of connections (site.step) */
	bool stream_owner;     /* ... where connections are seen, not only datagrams (provider.datagrams) */
	uint32_t rec_most;     /* the largest record that a program reserves in a ring of ours, bytes */
	uint64_t secret;       /* of hashes that its programs compute (dw_mix()); 0: none */
	bool needs_ended;      /* ... also of connections in TIME_WAIT, which have no socket */
	bool idle;             /* a probe is enabled that has nothing to do: its predicates are 0, or it is ERROR */
	bool destructive;      /* an action changes the system: refused without -w */
	uint32_t strsize;      /* -x strsize: bytes of a string with its NUL */
	uint32_t nspec;        /* -x nspec: speculations at once */
	uint64_t specsize;     /* -x specsize: bytes of each CPU that a speculation holds */
};

/* Has a clause an action of that kind? */
static inline bool image_acts(const struct image *image, enum action_kind kind)
{
	for (size_t i = 0; i < image->epids.n; i++)
		for (size_t k = 0; k < image->epids.v[i].nactions; k++)
			if (image->epids.v[i].actions[k].kind == kind)
				return true;
	return false;
}
#endif
