/* SPDX-License-Identifier: GPL-2.0-or-later */
/* context: the state of the lowering, with three lifetimes: the compilation (struct lowerer), one program (struct
 * prog_ctx), one clause in a program (struct clause_ctx). A function takes the shortest-lived context that it needs and
 * reaches the longer-lived ones through it. Contexts of programs and clauses are local variables. */
#ifndef DWIRE_LOWER_CONTEXT_H
#define DWIRE_LOWER_CONTEXT_H
#include <stdio.h>

#include "lower/lower.h"
#include "lower/val.h"

struct planned;
struct job;

/* A translator's parameter and its value. */
struct binding {
	const struct symbol *param;
	struct val val;
};

/* A member's value, kept so that it is computed once. */
struct memo {
	const void *base; /* binding of the translated structure */
	const void *xl;
	const char *name;
	struct val val;
};

/* The number that a choice of names compares, as the verifier may see it: see cond_str() in lower/text/str_expr.c. */
struct hidden {
	const struct expr *of; /* NULL: none */
	vreg r;
};

/* A site that keeps notes of calls; see lower/calls.c. */
struct call_site {
	const struct site *site;
	enum tier tier;
	const struct probe *probe;
	uint32_t probe_index;
};

/* A stamp that the script reads; see lower/stamp.c. Its maps, each plus 1; 0: there is none. */
struct stamp_part {
	uint32_t map, table; /* the hash; the table in front of it */
};
struct stamp_map {
	const struct provider *prov;
	const struct stamp *stamp;
	enum tier tier;         /* of `by` */
	const struct probe *by; /* the first probe that reads it */
	uint32_t probe;         /* the index of `by` in image.probes */
	struct stamp_part parts[2];
};

/* A pkt-> variable: its map, and its number if it shares that. */
struct packet_var {
	uint32_t map, shared;
};

/* A probe that this kernel cannot show. */
struct probe_left {
	const struct probe *probe;
	const struct site *site; /* the site that the kernel lacks; NULL: the probe has none in the requested tier */
	const char *lacks;
	struct loc at;
};

/* The compilation of a script. */
struct lowerer {
	struct arena *arena;
	struct arena *spare_ir, *spare_pass; /* kept from one program to the next */
	struct diags *d;
	struct checker *ck;
	struct types *ts;
	const struct parse_env *penv;
	const struct lower_env *env;
	struct image *im;
	FILE *dump_ir, *dump_bpf; /* or NULL */

	VEC(struct planned *) planned; /* the probes' programs, in the order in which they were enabled */
	const struct planned *errors;  /* clauses of ERROR, which run where a fault occurs; NULL: it is not enabled */
	bool any_site;
	size_t nprograms;       /* programs with clauses, made or begun */
	size_t ninsns;          /* instructions of all programs so far */
	bool full;              /* too many instructions, which was reported: no further program is made */
	struct probe_left left; /* a probe that this kernel lacks and that only patterns matched */

	struct strmap *lits;    /* text -> number + 1 */
	struct strmap *filters; /* text of a site's condition -> struct site_text */
	VEC(struct stamp_map) stamps;
	VEC(struct call_site) call_sites;
	VEC(struct packet_var) packet_vars;
	const struct probe *packet_ends;  /* a probe at which a packet's identity is asked for; NULL: there is none */
	const struct expr *packet_missed; /* a pkt-> variable at a site without a packet; of the probe at hand */
	bool packet_here;                 /* ... and one at a site with a packet */
	uint32_t packet_probe;            /* its index in image.probes */

	uint32_t maps[MAP_ROLES]; /* index + 1 of the map that all share; 0: not made yet */
	uint32_t names;           /* index + 1 of the map of tables of names (lower/text/choice.c); 0: there are none */
	uint32_t own_maps[2];     /* number of separate maps of other variables, and of aggregations */
	uint32_t nshared;         /* variables that share a map with others */
	uint32_t nwords;          /* variables that have a table (lower/state/words.c) */
	uint32_t ntables;         /* of aggregations: of slots, and in front (lower/state/front.c) */
	uint32_t zero_size;       /* bytes of zeroes needed in MAP_ZERO */
	uint32_t blank_size;      /* ... in MAP_BLANK */
	uint32_t trash_size;      /* a place in the globals for writes that have no room; see lower/state/var.c */
	int32_t trash_off;
	uint32_t nticks;      /* tick probes */
	uint32_t tick_probe;  /* the last one's index in image.probes */
	bool slots_known;     /* tables of slots have their size */
	bool gated;           /* no clause acts before the gate opens */
	bool owners;          /* the owner service may be needed */
	int32_t scratch_max;  /* bytes that the largest program needs of a slot */
	uint32_t vtime_probe; /* index of the first probe that reads vtimestamp */
};

/* What is left out of a firing (lower/sample.c): nothing; all; what only records. */
enum sampling { SAMPLE_NOTHING, SAMPLE_FIRINGS, SAMPLE_PARTS };

/* One program: a site of a probe, or of several probes that share it. */
struct prog_ctx {
	struct lowerer *lw;
	struct ir *ir;
	size_t errors; /* errors reported before it began */
	const struct site *site;
	enum tier tier;
	const struct probe *probe; /* the first that the program is for */
	uint32_t probe_index;      /* its index in image.probes */
	const struct enabled *set; /* all probes of the program */
	size_t nset;
	struct val site_val;  /* P */
	vreg member;          /* which of the probes fires, from 1; 0: there is only one */
	vreg member_row;      /* its row of the table, see lower/multi.c */
	uint32_t exit_label;  /* the program's end */
	uint32_t ended_label; /* after the last clause; 0: nothing jumps there */
	/* Target of a false predicate in a program with one clause. If the slot of scratch memory is taken after the
	 * predicate, it lies behind the code that gives the slot back. 0: several clauses, or no predicate. */
	uint32_t unused_label;
	VEC(struct binding) env_stack;
	VEC(struct memo) memos;
	struct hidden hidden;
	enum sampling sampling;
	vreg rate;          /* one firing in so many runs; 0: none is left out, or not drawn yet */
	vreg left_out;      /* SAMPLE_PARTS, at run time: not 0 in a firing that is left out */
	bool sleeps;        /* the program may wait for a process's memory */
	bool blurs;         /* it has many branches; see blur() */
	int front_searches; /* so far; see front_here() */
	uint32_t tick;      /* the probe's number in the map of ticks, from 1; 0: not a tick */
	int32_t changes;    /* how often the code so far has made or deleted elements of maps */
	int32_t call_off;   /* the call's note: stack offset */
	bool wants_packet;  /* a clause asks for the packet's identity */
	vreg packet_was, packet_before, packet_first; /* what __packet() found; 0: not called */
	const struct expr *packet_call;               /* ... this one; others are asked for an identity only */

	/* The slot of scratch memory; see lower/state/scratch.c. */
	vreg scratch;               /* 0: not needed yet */
	int32_t scratch_top;        /* bytes of it in use now */
	bool scratch_number;        /* its address is needed as a number */
	size_t scratch_at;          /* where the code that takes the slot is inserted */
	bool taken_late;            /* the slot is taken after the predicate, not before */
	VEC(int32_t) scratch_empty; /* places that are "" when the program starts */
	int32_t token_off;          /* the string that strtok() splits; 0: none */
	bool heap;                  /* the program needs memory that is written through pointers */
	uint32_t heap_size;         /* its size in bytes: the most that any clause takes */
	uint32_t heap_clause;       /* the bytes that the clause being examined takes */
	bool heap_begun;            /* a clause may have taken some of it */
	int32_t heap_off;           /* its place in the slot; its first word counts the bytes taken */
};

/* One clause in a program. With clause NULL: the code before and after the clauses. */
struct clause_ctx {
	struct lowerer *lw;
	struct prog_ctx *pg;
	struct ir *ir; /* the program's */
	const struct clause *clause;
	const struct probe *probe; /* the probe that fires; of several, the program's first */
	const struct provider *prov;
	vreg member, entry;     /* a clause of several probes: which one fires, and its row; 0: a clause of one probe */
	uint32_t epid;          /* index in image.epids */
	const vreg *error_args; /* a clause of ERROR at a fault: its arguments; else NULL */
	struct action *actions;
	size_t action_no;
	uint32_t stmt_no; /* from 1; 0: the predicate */
	vreg rec;         /* the record; 0: the clause records nothing */
	vreg want, room;  /* pcap(): bytes of the packet to copy; most that the record has room for */
	vreg exiting;     /* not 0 at run time: the clause has called exit(); 0: it has no exit() */
	uint32_t next_label;
	uint32_t unused_label; /* the program's, in its only clause */
	uint32_t fault_label;  /* target of a fault */
	uint32_t early_label;  /* target of a fault while there is no record to discard */
	size_t faults;         /* number of places that may fault */
	vreg fault_code, fault_value, fault_action, fault_pc;
};

/* The context of the code before and after the clauses. */
static inline struct clause_ctx prog_head(struct prog_ctx *pg)
{
	return (struct clause_ctx){
		.lw = pg->lw, .pg = pg, .ir = pg->ir, .probe = pg->probe, .prov = pg->probe->prov, .member = pg->member
	};
}

/* Reports an error. The current program is then dropped. */
void lower_error(struct lowerer *lw, struct loc at, enum dtag tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Has an error been reported since the program began? */
bool prog_failed(const struct prog_ctx *pg);
#endif
