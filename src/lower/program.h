/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program: the top of the lowering: makes programs, clauses, records and maps from enabled probes. */
#ifndef DWIRE_LOWER_PROGRAM_H
#define DWIRE_LOWER_PROGRAM_H
#include "lower/context.h"

#define ERROR_ARGS 6

/* ---- lower/multi.c: probes that share their sites, and so a program. A job is one clause on some of them. */
struct job {
	const struct clause *clause;
	uint32_t copy;             /* overlapping descriptions give a probe a clause several times: which of these */
	const struct probe *probe; /* its only probe; NULL: several */
	uint32_t member;           /* that probe's number, from 1 */
	uint32_t epid;             /* index in image.epids of the first */
	uint32_t word, bit;        /* on several probes but not all: bit of this word of a row; bit 0: on all */
};
struct jobs {
	VEC(struct job) v;
	uint32_t nmembers;
	uint32_t table, rows, row_size; /* several members: the map, and its rows by the site's number */
	uint32_t first_number;          /* one member: its number */
	const uint16_t *first_also;
};
/* Probes that share a program. All are planned and their clauses numbered before the first is lowered. */
struct planned {
	const struct enabled *set;
	size_t nset;
	enum tier tier;
	uint32_t probe_index; /* of the first */
	struct jobs jobs;
};
/* Numbers probes, clauses and records. Returns the index in image.probes of the first probe. */
uint32_t multi_plan(struct lowerer *lw, const struct enabled *set, size_t n, struct jobs *jobs);
void multi_begin(struct clause_ctx *cx, const struct jobs *jobs); /* the program ends here if no member fires */
void multi_clause(struct clause_ctx *cx, const struct job *job);  /* skips the clause if the member does not have it */
struct sval multi_name(struct clause_ctx *cx, unsigned which);    /* 0..3: provider, module, function, name */
/* v is argument n. If the firing probe declares it with 32 bits, clears the upper half. */
vreg multi_narrow(struct clause_ctx *cx, unsigned n, vreg v);
/* The id of the probe that fires: the variable id. */
vreg multi_id(struct clause_ctx *cx);
/* The number of the enabled probe that fires: the variable epid. */
vreg multi_epid(struct clause_ctx *cx);

/* ---- lower/clause.c */
/* Makes the code of a clause. args: the arguments of a clause of ERROR at a fault, else NULL. may_have_ended: exit()
 * may have been called since a clause last tested for it. Returns may_have_ended for the code that follows. */
bool lower_clause(struct prog_ctx *pg, const struct job *job, const vreg *args, bool may_have_ended);
void clauses_begin(struct clause_ctx *head);      /* before the first: the gate, and the draw of lower/sample.c */
size_t clauses_branches(const struct jobs *jobs); /* number of places where paths join with different values */

/* ---- lower/act.c: actions that record data */
/* Lays out the record of a clause: its fields, guards and size. */
void plan_record(struct lowerer *lw, const struct clause *c, struct epid *ep);
void lower_action(struct clause_ctx *cx, const struct expr *e);
void count_drop(struct clause_ctx *cx, enum dw_drop cause);

/* ---- lower/ring.c: places for records. Each path of a program that reserves one submits or discards it. */
/* Reserves size bytes in this CPU's ring. If there is no room, counts a drop and jumps to full_label. */
vreg ring_reserve(struct clause_ctx *cx, uint32_t size, uint32_t full_label);
/* Submits the record. wake: wakes the consumer. */
void ring_submit(struct clause_ctx *cx, vreg rec, bool wake);
void ring_discard(struct clause_ctx *cx, vreg rec);

/* ---- lower/lower.c */
struct site_text {
	struct expr *expr;
	struct symbol *param; /* P, a struct dw_pkt */
};
/* A D text of the site, parsed and checked. NULL: it has an error, which was reported. */
const struct site_text *lower_site_text(struct prog_ctx *pg, const char *text);
/* The variant of the site for this tier. */
const struct site *lower_site_reached(struct lowerer *lw, const struct site *s, enum tier t);
/* Makes a program without clauses, at the partner of the site. */
/* lower/split.c: the clause behind the last one of the program that begins with clause `from`. */
size_t split_end(const struct jobs *jobs, size_t from);
void lower_bare_site(struct lowerer *lw, const struct call_site *at);

/* ---- lower/prog.c: from a program's IR to the image */
void prog_place(struct prog_ctx *pg, struct image_prog *p);      /* sets its type and where it is attached */
void prog_look(const struct prog_ctx *pg, struct image_prog *p); /* sets its look, if the site has one */
/* Adds a program that only takes notes for another one (image_prog.notes). */
void prog_add_notes(struct lowerer *lw, const struct image_prog *p);
/* Optimises and emits the program, and adds it to the image. Errors are reported at `at`. */
void prog_emit(struct prog_ctx *pg, struct loc at);

/* ---- lower/map.c */
uint32_t map_for(struct lowerer *lw, enum map_role role); /* the map that all share */
uint32_t map_add(struct lowerer *lw, struct image_map m); /* a new one */
/* A new array of one value of so many bytes, whose address programs know. */
uint32_t map_add_value(struct lowerer *lw, enum map_role role, const char *name, uint32_t size);
/* Lets the variable share a map if there are too many variables for a map each. True: it shares one; s->shared is its
 * number there. */
bool map_share(struct lowerer *lw, struct symbol *s, enum map_role role);
/* The shared map with the key and value sizes of m, made on first use. */
uint32_t map_shared(struct lowerer *lw, struct image_map m);
/* The number of entries of `each` bytes that fit into `bytes`. bytes 0: the default number. */
uint32_t map_entries(uint64_t bytes, uint32_t each);
/* Preallocates the hashes of an image with programs at perf events, before Linux 6.1. */
void maps_preallocate(struct lowerer *lw);
/* Takes the memory of a hash at once, for fewer keys. */
void map_preallocate(const struct lowerer *lw, struct image_map *m);

/* ---- lower/syscall.c: uses the tracepoints of single system calls in place of sys_enter and sys_exit, if possible */
const struct site *syscall_site(struct lowerer *lw, const struct site *s, const struct jobs *jobs);
void syscall_targets(struct prog_ctx *pg, struct image_prog *p);
/* Loads a word of the site's context: the registers, then the call's number or its result. */
vreg syscall_word(struct clause_ctx *cx, unsigned i);

/* ---- lower/calls.c: follows a function from its call to its return */
void call_begin(struct clause_ctx *cx); /* at the beginning of a program */
struct val call_member(struct clause_ctx *cx, const char *name, struct type *type);
void calls_finish(struct lowerer *lw); /* after all probes: adds the programs at the partners of the sites */

/* ---- lower/tick.c */
void tick_begin(struct clause_ctx *cx); /* at the beginning of a program, which ends if its tick is not due */
void ticks_finish(struct lowerer *lw);  /* after all probes */

/* ---- lower/stamp.c: values kept from one event to a later one */
vreg stamp_read(struct clause_ctx *cx, const struct expr *e);
vreg stamp_exchange(struct clause_ctx *cx, const struct expr *e);
void stamps_finish(struct lowerer *lw); /* after all probes: the programs that stamps need */
typedef void notes_code(struct clause_ctx *cx, const struct stamp_event *ev, uint32_t number);
/* Adds the program of an event that takes notes and makes no record; code lowers it. In pg are lw, tier, probe and
 * probe_index. An event that this kernel lacks, or has in another form, is left out: a probe there reports that. */
void notes_program(
	struct prog_ctx *pg, const char *name, notes_code *code, const struct stamp_event *ev, uint32_t number);

/* ---- lower/sample.c: firings that are left out */
void sample_plan(struct prog_ctx *pg, const struct jobs *jobs); /* what of a program may be left out */
/* Before the first clause: draws whether this firing is left out, counts it, and leaves by leave()'s label if the whole
 * firing is. */
void sample_draw(struct clause_ctx *cx, uint32_t (*leave)(struct clause_ctx *cx));
void sample_clause(struct clause_ctx *cx); /* skips a clause that only records, in a firing that is left out */
/* Is this statement, an aggregation, skipped in a firing that is left out? */
bool sample_leaves(const struct clause_ctx *cx, const struct expr *e);
/* How many events the aggregating statement stands for (-x samplescale); 0: one. */
vreg sample_times(struct clause_ctx *cx, const struct expr *e);
vreg sample_rate(struct clause_ctx *cx); /* the variable samplerate */

/* ---- lower/box.c: the container of a cgroup, as bpf/lib_box.h returns it */
vreg box_find(struct clause_ctx *cx, const struct expr *e);

/* ---- lower/nft.c: a rule of nf_tables, as bpf/lib_nft.h finds it */
vreg nft_find(struct clause_ctx *cx, const struct expr *e);
/* ... and of iptables, as bpf/lib_xt.h does */
vreg xt_walk(struct clause_ctx *cx, const struct expr *e);

/* ---- lower/packet.c: the identity of packets */
bool packet_asked(const struct expr *e);  /* does this node ask for it? */
void packet_begin(struct clause_ctx *cx); /* before the clauses of a program */
vreg packet_note(struct clause_ctx *cx, const struct expr *e);
vreg packet_was(struct clause_ctx *cx, const struct expr *e);
/* The key of the pkt-> variable e: the packet's identity; 0: not known, or there is no packet. */
vreg packet_key(struct clause_ctx *cx, const struct expr *e);
void packet_check(struct lowerer *lw, const struct probe *p); /* after all sites of p: has none of them a packet? */
/* A packet without a value of s gets one: deletes that of the packet whose turn it is. */
void packet_age(struct clause_ctx *cx, struct symbol *s, uint32_t map, vreg id);
void packets_finish(struct lowerer *lw); /* after all probes: the programs at the ends of packets */
#endif
