/* SPDX-License-Identifier: GPL-2.0-or-later */
/* image: a compiled script, with everything that the runtime needs. src/lower makes it; src/load, src/consume,
 * src/agg, src/print and src/session read it. The compilation's arena owns it. */
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
	FIELD_CHARS,  /* size bytes, text up to the first NUL */
	FIELD_SYM,    /* u64: kernel address, printed as its function */
	FIELD_MOD,    /* u64: ... as its module */
	FIELD_USYM,   /* u64 process, u64 address: printed as its function */
	FIELD_UMOD,   /* ... as its file */
	FIELD_UADDR,  /* ... as its function and the distance from it */
	FIELD_STACK,  /* u64 a frame, 0 after the last */
	FIELD_USTACK, /* u64 process, then the same */
	FIELD_UCOPY,  /* u64 process, u32 bytes of stack, u32 frames at most, registers, the stack from its top on */
	FIELD_BYTES,  /* raw memory: trace() of a structure, tracemem */
};

/* A type as print() shows it. */
enum ptype_kind { PT_INT, PT_CHAR, PT_BOOL, PT_PTR, PT_ENUM, PT_FLOAT, PT_ARRAY, PT_SOU, PT_STRING, PT_OPAQUE };

struct ptype;

struct pmember {
	const char *name; /* "": anonymous */
	const char *text; /* of its type, with typedef names */
	const struct ptype *type;
	uint32_t bit_off; /* from the start of the structure */
	uint32_t bits;    /* of a bit-field; else 0 */
};

struct penum {
	const char *name;
	int64_t value;
};

struct ptype {
	enum ptype_kind kind;
	const char *text; /* "struct tcp_sock *" */
	uint32_t size;
	const struct ptype *of; /* PT_ARRAY */
	uint32_t nelems;
	struct pmember *members; /* PT_SOU */
	size_t nmembers;
	struct penum *enums; /* PT_ENUM */
	size_t nenums;
};

struct field {
	const char *name; /* of the variable, member or function that it comes from; NULL: it has none */
	enum field_kind kind;
	uint32_t off; /* in the record (from its start) or in the key */
	uint32_t size;
	bool is_signed;
	bool is_float;            /* 4 or 8 bytes: float or double */
	bool is_plain;            /* FIELD_UADDR: a number that %A names. It belongs to $target, if there is one */
	const struct ptype *type; /* of print(); else NULL */
};

struct agg {
	const char *name; /* without @ */
	uint32_t id;      /* index in image.aggs */
	enum dw_agg_fn fn;
	uint32_t map;    /* index in image.maps: a per-CPU hash, or a per-CPU array of one: agg_hashed() */
	bool sparse;     /* the last 8 bytes of its keys are the level, its values one word; nwords is of all levels */
	uint64_t shared; /* not 0: the last 8 bytes of its keys have this; others share the map */
	struct field *keys;
	size_t nkeys;
	uint32_t key_size;
	uint32_t nwords;                    /* of a value */
	int64_t lq_base, lq_limit, lq_step; /* lquantize */
	uint32_t llq_factor, llq_low, llq_high, llq_steps;
};

/* Does it have keys, or at least some in its map? */
static inline bool agg_hashed(const struct agg *g)
{
	return g->nkeys || g->shared || g->sparse;
}

enum action_kind {
	ACT_TRACE,       /* args[0] */
	ACT_TRACEMEM,    /* args[0]: memory; args[1], when there is one: how much of it */
	ACT_PRINTF,      /* fmt, args */
	ACT_PRINTA,      /* fmt (NULL: default layout), aggs */
	ACT_EXIT,        /* args[0]: status */
	ACT_CLEAR,       /* aggs[0] */
	ACT_TRUNC,       /* aggs[0]; args[0]: how many to keep (negative: the smallest), none: 0 */
	ACT_NORMALIZE,   /* aggs[0]; args[0] */
	ACT_DENORMALIZE, /* aggs[0] */
	ACT_SYSTEM,      /* fmt, args: a command */
	ACT_FREOPEN,     /* fmt, args: a file, or no items: standard output */
	ACT_SETOPT,      /* args: name, value */
	ACT_FTRUNCATE,
	ACT_PRINT,   /* args[0], with its type */
	ACT_COMMIT,  /* args[0]: a speculation, or 0 when that was not active */
	ACT_DISCARD, /* likewise */
};

struct action {
	enum action_kind kind;
	struct fmt *fmt;
	struct field *args;
	size_t nargs;
	uint32_t *aggs;
	size_t naggs;
	uint32_t guard_off; /* 0: always; else offset in the record of a byte that is 1 when the action ran */
	struct loc loc;
};

/* One enabled probe: a clause on a probe. Its records have epid = index + 1. */
struct epid {
	uint32_t probe; /* index in image.probes */
	uint32_t clause;
	uint32_t rec_size; /* 0: records nothing */
	struct action *actions;
	size_t nactions;
	bool quiet_head;   /* no action records data: no line of its own */
	uint32_t spec_off; /* 0: none; else offset in the record of a u64: the speculation it belongs to, or 0 */
};

struct image_probe {
	uint32_t id; /* as -l shows it */
	const char *prov, *mod, *func, *name;
};

/* ---- what is loaded ---------------------------------------------------------------------------------------------- */
/* What a map is for. One list makes the enum and the count. */
/* clang-format off */
#define MAP_ROLE_LIST(X)                                                                                    \
	X(MAP_RINGS)       /* array of ring buffers, one a CPU */ \
	X(MAP_DROPS)       /* per-CPU array of u64, DW_DROP_COUNT */ \
	X(MAP_OWNER)       /* the owner service's hash: socket address -> owner */ \
	X(MAP_GLOBALS)     /* array of one value: the global variables */ \
	X(MAP_DYN)         /* hash: associative arrays and thread-local variables */ \
	X(MAP_AGG)          \
	X(MAP_ZERO)        /* array of one value: zeroes, the start of a new key of an aggregation */ \
	X(MAP_SCRATCH)     /* array of slots; max_entries: of a CPU, that of CPU n start at n * max_entries */ \
	X(MAP_LAST_USERS)  /* the owner service's hash: socket address -> owner, of sockets of several processes */ \
	X(MAP_SPECS)       /* array of one value: a bit for each speculation that is active */ \
	X(MAP_VTIME)       /* per-CPU array of one value: the thread that runs, since when, its CPU time then */ \
	X(MAP_CHILL)       /* per-CPU array of one value: chill()'s interval and what it was granted in it */ \
	X(MAP_STAMP)       /* LRU hash of image/probe.h's stamps: address -> time, word */ \
	X(MAP_TABLE)       /* array of one value, which programs only read */ \
	X(MAP_MACHINE)     /* array of one struct dw_machine: the runtime keeps it up to date */ \
	X(MAP_SENDERS)     /* the owner service's per-CPU array: who is sending on a socket of several processes */ \
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
	uint32_t type;    /* enum bpf_map_type; 0 when the runtime provides the map (rings, owner) */
	uint32_t key_size, value_size, max_entries, flags;
	const void *data; /* MAP_TABLE: its value */
};

#define TRACE_UPROBE_MULTI 48u /* enum bpf_attach_type; headers before Linux 6.6 do not have it */

/* An instruction of a program or library to which a uprobe is attached. */
struct uplace {
	const char *path;  /* the file, as the kernel shall open it; good as long as the compilation lives */
	const char *shown; /* ... for messages: "/usr/bin/x:main" */
	uint64_t off;      /* in the file */
	uint64_t ref_ctr;  /* in the file: the counter that says somebody traces here; 0: none */
	uint64_t cookie;   /* what the program gets to know the place by; above bit 32: where the function returns */
	int32_t pid;       /* 0: every process, also those that start later */
};

/* A function of the kernel, or a system call, that a program is attached to. */
struct image_target {
	const char *func, *module; /* NULL: of the kernel itself */
	uint64_t cookie;           /* the program learns it */
	uint64_t off;              /* of a kprobe: bytes from the function's start */
};

/* A part of a merged program: its first instruction and its probe. */
struct image_part {
	uint32_t probe, insn;
};

struct image_prog {
	enum attach_kind attach;
	const char *target;
	uint32_t probe;     /* index in image.probes */
	bool notes;         /* it fires no probe: it notes what that one reads later */
	bool chooses;       /* not all that it sees fires the probe */
	uint64_t period_ns; /* tick, profile */
	uint32_t prog_type, expected_attach_type, attach_btf_id, flags;
	const char *module;           /* of the target; NULL: the kernel itself */
	struct image_target *targets; /* of kprobes: one function, or many; of ATTACH_SYSCALL */
	size_t ntargets;
	struct code code;
	const char *name; /* at most 15 characters */
	const struct uplace *places;
	size_t nplaces;
	struct image_part *parts; /* NULL: it is one */
	size_t nparts;
};

struct lit {
	const char *s;
	size_t len;
};

struct image {
	VEC(struct image_map) maps;
	VEC(struct image_prog) progs;
	VEC(struct image_probe) probes; /* the enabled ones */
	VEC(struct epid) epids;
	VEC(struct agg) aggs;
	VEC(struct lit) lits; /* lits.v[0] is "" */
	uint32_t globals_size;
	bool functions; /* a probe is not in the tier hooks */
	bool needs_owner;
	bool idle;        /* a probe is enabled that has nothing to do: its predicates are 0, or it is ERROR */
	bool destructive; /* some action is: needs -w */
	uint32_t strsize;
	uint32_t nspec;    /* speculations at once */
	uint64_t specsize; /* bytes that a speculation holds */
};
#endif
