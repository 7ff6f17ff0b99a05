/* SPDX-License-Identifier: GPL-2.0-or-later */
/* priv: what the files of the lowering share. */
#ifndef DWIRE_LOWER_PRIV_H
#define DWIRE_LOWER_PRIV_H
#include <stdio.h>

#include "lower/lower.h"
#include "lower/tiers.h"

#define SCRATCH_SLOTS 4 /* of a CPU */

/* A string: in registers or, REP_TEXT, in memory. */
struct sval {
	enum str_rep rep;
	int32_t lit; /* a constant literal's number; -1 otherwise */
	vreg tag;    /* REP_TSTR */
	unsigned n;  /* words of w: REP_LIT 1, REP_TSTR 2, REP_CHARS bytes / 8, REP_TEXT 0 */
	vreg *w;
	int form;
	/* REP_TEXT: memory that the verifier lets us read form_chars(form) bytes of, with a NUL among them. It is
	 * borrowed: from a variable, or from the scratch memory of the statement. 0: a literal that is not there yet,
	 * see str_text(). */
	vreg mem;
	vreg null; /* REP_TEXT: not 0 when the string is NULL (and the text ""); 0: it never is */
};

enum val_kind {
	V_NONE,
	V_INT,  /* r: an integer or a pointer */
	V_STR,  /* s */
	V_MEM,  /* something at r + off in memory: a structure, an array, or a scalar not loaded yet */
	V_XL,   /* a translated structure: members come from xl with its parameter bound to *bind */
	V_SITE, /* what the site gives */
};

struct val {
	enum val_kind k;
	struct type *type;
	vreg r;
	uint32_t btf;       /* pointer (or base of V_MEM): to the verifier a pointer to this structure; 0: a number */
	bool ours;          /* pointer to memory of ours: a map's value */
	bool mut;           /* V_MEM: in a variable of the script, which may change during the run */
	bool sure;          /* pointer: never NULL */
	bool unsure;        /* pointer of btf: to some verifiers a number, or a pointer that may be NULL */
	bool null;          /* pointer of btf: where it is NULL, to the verifier a number */
	bool number;        /* pointer: made from a number that the verifier cannot take for a pointer */
	uint32_t off;       /* V_MEM: bytes from r */
	uint32_t bit, bits; /* V_MEM: bit-field: bit in the byte at off, width */
	struct sval s;
	const struct xlator *xl;
	const struct val *bind;
};

static inline struct val int_val(vreg r, struct type *t)
{
	return (struct val){ .k = V_INT, .type = t, .r = r };
}

struct binding {
	const struct symbol *param;
	struct val val;
};

struct call_site {
	const struct site *site;
	const struct probe *probe;
	uint32_t probe_index;
};

struct stamp_map {
	const struct provider *prov;
	const struct stamp *stamp;
	enum tier tier; /* of the probe that reads it first */
	uint32_t probe; /* ... its index */
	uint32_t map;
};

struct memo {
	const void *base; /* binding of the translated structure */
	const void *xl;
	const char *name;
	struct val val;
};

struct probe_left {
	const struct probe *probe;
	const struct site *site; /* what stands in the way; NULL: it has no site in the tier asked for */
	const char *lacks;
	struct loc at;
};

/* Probes with one program: planned, their clauses numbered, before any is lowered. */
struct planned;

struct lowerer {
	struct arena *arena;
	struct diags *d;
	struct checker *ck;
	struct types *ts;
	const struct parse_env *penv;
	const struct lower_env *env;
	struct image *im;
	struct strmap *lits;              /* text -> number + 1 */
	VEC(struct stamp_map) stamps;     /* those that were read */
	VEC(struct call_site) call_sites; /* those of calls that have programs */
	bool sleeps;                      /* the program may wait for a process's memory */
	int32_t call_off;                 /* the call's note, on the stack */
	struct strmap *filters;           /* text of a site's when -> parsed and checked */
	uint32_t maps[24];                /* by role: index + 1 of the shared maps */
	uint32_t vtime_probe;             /* the first that reads vtimestamp */
	FILE *dump_ir, *dump_bpf;         /* or NULL */
	VEC(struct planned *) planned;
	const struct planned *errors; /* ERROR's: its clauses run where the fault is; NULL: it is not enabled */
	uint32_t own_maps[2];   /* aggregations, associative arrays and self-> variables that have a map of their own */
	uint32_t nshared;       /* ... that share theirs with others */
	uint32_t zero_size;     /* bytes of zeroes wanted in their map */
	struct probe_left left; /* a probe that this kernel lacks, which only patterns asked for */
	bool any_site;
	uint32_t trash_size; /* of the globals' map: see lower/state/var.c */
	int32_t trash_off;
	VEC(struct symbol *) thiss; /* this-> variables that have registers in the current program */

	/* one program */
	struct ir *ir;
	const struct provider *prov;
	const struct probe *probe;
	const struct site *site;
	enum tier tier;            /* the probe's */
	const struct enabled *set; /* the probes of the program */
	size_t nset;
	uint32_t probe_index;
	vreg member;     /* which of the probes that share the program fires, from 1; 0: there is only one */
	vreg member_row; /* ... what is known of it, see lower/multi.c */
	vreg entry;      /* the same where the clause is of several of them; 0: of lw->probe alone */
	struct val site_val;
	VEC(struct binding) env_stack;
	VEC(struct memo) memos;
	VEC(struct val *) arg_vals;
	uint32_t exit_label;
	vreg scratch;          /* the slot of this run, see lower/state/scratch.c; 0: not wanted yet */
	int32_t scratch_top;   /* bytes of it in use now */
	int32_t scratch_max;   /* ... and at most, in all programs */
	bool scratch_number;   /* its address is wanted as a number */
	size_t scratch_at;     /* where the code is that takes it */
	uint32_t unused_label; /* where a program with one clause goes when its predicate is false: nothing was taken */
	uint32_t ended_room;   /* where in the globals the word is that tells of exit(), from 1; 0: not yet */
	uint32_t ended_label;  /* behind the last clause; 0: nothing goes there */
	bool may_have_ended;   /* since a clause asked last */
	vreg exiting;          /* has this clause called exit()? 0: it never does */
	bool taken_late;       /* the slot is taken behind the predicate, not before */
	int32_t token_off;     /* what strtok() splits; 0: nothing */
	bool heap; /* memory to write through pointers is wanted: heap_size bytes behind a word at heap_off */
	uint32_t heap_size;
	int32_t heap_off;
	VEC(int32_t) scratch_empty; /* strings that are "" when the program starts */
	bool blurs;                 /* a program with many branches: see blur() */
	bool failed;

	/* one clause */
	const struct clause *clause;
	uint32_t epid; /* index in image.epids */
	vreg rec;
	uint32_t fault_label; /* where a fault goes now */
	uint32_t early_label; /* ... while there is no record to discard */
	uint32_t next_label;
	size_t faults; /* places of the program that may fault */
	vreg fault_code, fault_value, fault_action, fault_pc;
	const vreg *error_args; /* in ERROR's clauses, at a fault: its arguments; else NULL */
	uint32_t stmt_no;
	size_t action_no;
	struct action *actions;
};

/* lower/expr/expr.c */
struct val lower_expr(struct lowerer *lw, const struct expr *e);

/* lower/expr/arith.c: integers */
struct val lower_binary(struct lowerer *lw, const struct expr *e);
struct val lower_incdec(struct lowerer *lw, const struct expr *e);
vreg lower_int(struct lowerer *lw, const struct expr *e);  /* scalar value, extended by its type */
vreg lower_word(struct lowerer *lw, const struct expr *e); /* ... or a pointer to the verifier: to compare or store */
vreg plain_number(struct lowerer *lw, struct val v);       /* of a V_INT: what the verifier may calculate with */
vreg blur(struct lowerer *lw, vreg v); /* the same value; in programs with many branches unknown to the verifier */
vreg blur_always(struct lowerer *lw, vreg v);
vreg convert_int(struct lowerer *lw, vreg v, const struct type *from, const struct type *to);
vreg arith(struct lowerer *lw, enum expr_op op, const struct expr *rhs, vreg a, vreg b, const struct type *t);
vreg scale_index(struct lowerer *lw, vreg v, uint32_t size);
uint32_t pointee_size(const struct type *t);
bool is_bool(const struct type *t);
bool right_first(const struct expr *e); /* of two operands the right one is to be computed before the left one */

/* lower/expr/cond.c: conditions */
struct val lower_cond(struct lowerer *lw, const struct expr *e); /* ?: */
vreg truth_value(struct lowerer *lw, const struct expr *e);      /* 0 or 1 */
bool is_logic(const struct expr *e);
void lower_jump(struct lowerer *lw, const struct expr *e, uint32_t label, bool when);
/* The condition of a ?:. Jumps to no when it is not true; gives the mark up to which both branches know what it made.
 */
size_t cond_jump(struct lowerer *lw, const struct expr *e, uint32_t no);

/* lower/expr/load.c: what lies in memory */
struct val lower_member(struct lowerer *lw, const struct expr *e);
struct val lower_element(struct lowerer *lw, const struct expr *e, const struct expr *index); /* NULL: *p */
vreg lower_address(struct lowerer *lw, const struct expr *e);                                 /* &e */
struct val lower_symbol(struct lowerer *lw, const struct expr *e);
bool in_library(const struct expr *at);                               /* is it dlib's text? */
void lower_fault(struct lowerer *lw, enum dw_fault code, vreg value); /* jumps away */
struct val lower_load(struct lowerer *lw, struct val v, const struct expr *at);
vreg lower_addr_value(struct lowerer *lw, struct val v);
struct bit_unit {
	uint32_t off, size, bit; /* bytes from the place's r; bytes; bit of the field in these */
};
struct bit_unit bit_unit(const struct val *v);
struct val lower_member_of(struct lowerer *lw, struct val base, struct type *st, const char *name);

/* lower/site/site.c */
struct val site_member(struct lowerer *lw, const struct val *site, const char *name, struct type *type);
struct site_text {
	struct expr *expr;
	struct symbol *param; /* P, a struct dw_pkt */
};
/* NULL: the text is wrong; an error was reported. */
const struct site_text *lower_site_text(struct lowerer *lw, const char *text);
/* The site as the tier reaches it; which function that is, into the program's targets. */
const struct site *lower_site_reached(struct lowerer *lw, const struct site *s, enum tier t);
void lower_site_targets(struct lowerer *lw, struct image_prog *p);
void site_begin(struct lowerer *lw);
/* The thread that the site is about, if not the current one. */
bool site_task(struct lowerer *lw, struct type *type, struct val *out);

/* lower/site/args.c */
struct val lower_args(struct lowerer *lw, const struct expr *e);
struct val site_errno(struct lowerer *lw, struct type *type);

/* lower/site/sock.c */
struct val lower_owner_of(struct lowerer *lw, const struct expr *e);

/* lower/expr/xlate.c */
struct val xl_member(struct lowerer *lw, const struct val *base, const struct expr *at, const char *name);
size_t memo_mark(const struct lowerer *lw);
void memo_release(struct lowerer *lw, size_t mark);
void place_translate(struct lowerer *lw, struct val to, struct val from); /* all members of from (V_XL), into to */

#define ERROR_ARGS 6

/* lower/multi.c: probes that share their sites. A clause on some of them is a job. */
struct job {
	const struct clause *clause;
	uint32_t copy;             /* the clause is on the same probe so many times before: descriptions that overlap */
	const struct probe *probe; /* of this one alone; NULL: of several */
	uint32_t member;           /* ... its number, from 1 */
	uint32_t epid;             /* index in image.epids of the first */
	uint32_t word, bit;        /* several, but not all: bit of this word of an entry; bit 0: all */
};
struct jobs {
	VEC(struct job) v;
	uint32_t nmembers;
	uint32_t table, rows, row_size; /* several members: the map, and its rows by the site's number */
	uint32_t first_number;          /* one member: its number */
	const uint16_t *first_also;
};
struct planned {
	const struct enabled *set;
	size_t nset;
	enum tier tier;
	uint32_t probe_index;
	struct jobs jobs;
};
void multi_plan(struct lowerer *lw, const struct enabled *set, size_t n, struct jobs *jobs);
void multi_begin(struct lowerer *lw, const struct jobs *jobs); /* of a program: leaves it if no member fires */
void multi_clause(struct lowerer *lw, const struct job *job, uint32_t next); /* skips the clause if it is not on it */
struct sval multi_name(struct lowerer *lw, unsigned which); /* 0..3: provider, module, function, name */
vreg multi_id(struct lowerer *lw);
vreg multi_epid(struct lowerer *lw);

/* lower/clause.c */
void lower_clause(struct lowerer *lw, const struct job *job);
size_t clauses_branches(const struct jobs *jobs); /* places where paths meet again with different values */

/* lower/syscall.c: a site at sys_enter or sys_exit as those of single system calls, where they do */
const struct site *syscall_site(struct lowerer *lw, const struct site *s, const struct jobs *jobs);
void syscall_targets(struct lowerer *lw, struct image_prog *p);
vreg syscall_word(struct lowerer *lw, unsigned i); /* of what the site gives: registers, then number or value */

/* lower/state/scratch.c: memory of one run of a program, for what fits neither registers nor the stack.
 *
 *	int32_t mark = scratch_mark(lw), off = scratch_alloc(lw, size);
 *	vreg p = scratch_ptr(lw, off);       (to the verifier a map's value: any load, store, helper's buffer or key)
 *	ir_sti(ir, p, 0, 8, 0);
 *	...
 *	scratch_release(lw, mark);
 *
 * Places are fixed at compile time, 8-aligned, and hold what the last run left there. A statement's are free at its
 * end, a predicate's likewise; what must last for all clauses (this-> variables) is placed before the first clause is
 * lowered (vars_collect). Ask for the pointer anew rather than keep it: it is one addition. The slot is taken and given
 * back by itself. A value that must not change under its reader is copied: memory is borrowed, registers are not. */
int32_t scratch_alloc(struct lowerer *lw, uint32_t size); /* offset in the slot */
vreg scratch_ptr(struct lowerer *lw, int32_t off);
vreg scratch_address(struct lowerer *lw); /* the slot's address as a plain number */
int32_t scratch_mark(const struct lowerer *lw);
void scratch_release(struct lowerer *lw, int32_t mark);
void scratch_start_empty(struct lowerer *lw, int32_t off); /* the byte there is 0 when the program starts */
void scratch_begin(struct lowerer *lw);                    /* of a program: here the slot is taken */
void scratch_end(struct lowerer *lw, uint32_t none);       /* here it is given back; none: where to go without */
void scratch_finish(struct lowerer *lw);                   /* after all programs */

/* lower/text/str.c */
int32_t lit_number(struct lowerer *lw, const char *s, size_t len);
struct sval new_str(struct lowerer *lw, enum str_rep rep, unsigned n);
struct sval str_const(struct lowerer *lw, const char *s, size_t len);
struct sval str_convert(struct lowerer *lw, struct sval s, int form);
void str_store(struct lowerer *lw, struct sval s, vreg base, int32_t off);
/* As a key: what follows the text is zeroes. */
void str_store_key(struct lowerer *lw, struct sval s, int form, vreg base, int32_t off);
void zero_bytes(struct lowerer *lw, vreg base, int32_t off, uint32_t size);
/* The text of a REP_TEXT in memory; form: at most so long. */
vreg str_text(struct lowerer *lw, struct sval *s);
struct sval text_at(vreg mem, int form);
struct sval text_new(struct lowerer *lw, int form); /* room in scratch memory; nothing is written */
struct sval str_load(struct lowerer *lw, int form, vreg base, int32_t off, bool pure);
struct sval str_vars(struct lowerer *lw, int form);
void str_set(struct lowerer *lw, struct sval vars, struct sval s);
struct sval tstr_vars(struct lowerer *lw, int form);
struct sval str_zero(struct lowerer *lw, int form);
struct sval str_of_chars(struct lowerer *lw, struct val mem);

/* lower/text/str_expr.c */
struct sval lower_str(struct lowerer *lw, const struct expr *e);
struct sval lower_str_as(struct lowerer *lw, const struct expr *e, int form);
struct sval str_of_zone(struct lowerer *lw, vreg netns);

/* lower/text/str_cmp.c */
void str_jump(struct lowerer *lw, const struct expr *e, uint32_t label, bool when);
void str_truth_jump(struct lowerer *lw, struct sval s, uint32_t label, bool when);

/* lower/expr/place.c: structures, unions and arrays in variables */
struct val place_assign(struct lowerer *lw, const struct expr *e); /* to a place that is not a plain variable */
struct val place_step(struct lowerer *lw, const struct expr *e);   /* ++ and -- there */
bool place_add(struct lowerer *lw, const struct expr *lhs, vreg delta);
/* All of from is read before any of it is written. to is memory of ours. */
void place_copy(struct lowerer *lw, struct val to, struct val from, uint32_t size);
/* Element index of the array at base, which lies in a variable; outside of it is a fault. */
struct val place_element(struct lowerer *lw, struct val base, const struct type *array, vreg index);
void place_near(struct lowerer *lw, struct val *v);
struct val place_store(struct lowerer *lw, struct val at, vreg v); /* an integer; the value that the place has then */
bool is_plain_var(const struct expr *e);
vreg text_address(struct lowerer *lw, const struct expr *e); /* of the characters of a string: a number */

/* lower/text/text.c: subroutines on characters; false: the function is none of them. */
bool lower_text_call(struct lowerer *lw, const struct expr *e, struct sval *out);
bool lower_text_number(struct lowerer *lw, const struct expr *e, vreg *out);
struct sval str_at(struct lowerer *lw, vreg addr);                    /* of the kernel's memory */
struct sval str_at_address(struct lowerer *lw, const struct expr *e); /* stringof a pointer */
void str_need(struct lowerer *lw, const struct sval *s);              /* a fault when it is NULL */
void text_collect(struct lowerer *lw, const struct expr *e);          /* places what lasts for all clauses */

/* lower/state/heap.c: memory that is written through pointers */
void heap_collect(struct lowerer *lw, const struct expr *e);
void heap_place(struct lowerer *lw);                            /* after heap_collect() of all that the program has */
struct val heap_at(struct lowerer *lw, vreg p, struct type *t); /* where a t at address p may be stored; else a fault */
bool lower_heap_call(struct lowerer *lw, const struct expr *e, vreg *out);
void lower_copyout(struct lowerer *lw, const struct expr *e);
void lower_copyoutstr(struct lowerer *lw, const struct expr *e);

/* lower/state/var.c */
vreg global_room(struct lowerer *lw, uint32_t size); /* fresh bytes beside the global variables */
/* Where the structure or array of a variable lies. make: it is going to be written to. */
struct val var_block(struct lowerer *lw, const struct expr *e, bool make);
void var_release(struct lowerer *lw, const struct expr *e); /* of a dynamic variable */
struct val var_read(struct lowerer *lw, const struct expr *e);
struct val var_write(struct lowerer *lw, const struct expr *lhs, struct val v);
/* Atomic where it can be; value unused. down: it is meant to fall. */
bool var_add(struct lowerer *lw, const struct expr *lhs, vreg delta, bool down);
void vars_begin(struct lowerer *lw);
void vars_collect(struct lowerer *lw, const struct clause *c);

/* lower/expr/builtin.c */
struct val builtin_read(struct lowerer *lw, const struct expr *e);
struct val current_task(struct lowerer *lw);
vreg ktime(struct lowerer *lw);
vreg current_number(struct lowerer *lw, enum builtin b); /* BI_pid, BI_tid, BI_uid, ... of the current task */

/* lower/text/sym.c: func, stack, ... */
enum field_kind sym_field(const struct type *t); /* FIELD_INT: nothing special */
/* Stores what e records (e->type->special, or an address for %A) in size bytes at base + off. */
void sym_store(struct lowerer *lw, const struct expr *e, uint32_t size, vreg base, int32_t off);
struct val sym_builtin(struct lowerer *lw, const struct symbol *s); /* caller, stackdepth, ... */

/* lower/site/unwind.c: stacks where the kernel gives programs none. */
uint64_t kernel_symbol(struct lowerer *lw, const char *name); /* its address; 0: not known */
vreg unwind_stack(struct lowerer *lw, bool user, uint32_t len, vreg base, int32_t off);

/* lower/site/user.c: uprobes */
bool is_user_site(const struct site *s);
/* Calls a helper that copies n bytes of the process's memory, or up to a NUL: its result. */
vreg user_copy(struct lowerer *lw, int helper, vreg to, vreg n, vreg from);
vreg user_arg(struct lowerer *lw, unsigned n); /* arg0, arg1, ... */
vreg user_cookie(struct lowerer *lw);          /* of the attachment */
vreg user_stack_pointer(struct lowerer *lw);
int32_t user_return_pops(void); /* bytes between the stack pointer at a function's entry and after its return */
void user_places(struct lowerer *lw, const struct enabled *set, size_t n, struct image_prog *p);

/* lower/calls.c: from a function's call to its return */
void call_begin(struct lowerer *lw); /* of a program */
struct val call_member(struct lowerer *lw, const char *name, struct type *type);
void calls_finish(struct lowerer *lw); /* after all probes: the other halves */

/* lower/state/vtime.c */
struct val vtime_read(struct lowerer *lw, const struct symbol *s);
void vtime_finish(struct lowerer *lw); /* after all probes: the program that vtimestamp needs */

/* lower/prog.c */
void site_prog_type(const struct lowerer *lw, struct image_prog *p); /* which the kernel wants at lw->site */
/* A program that only notes what its probe reads later (image_prog.notes). */
void prog_add_notes(struct lowerer *lw, const struct image_prog *p);
void prog_emit(struct lowerer *lw, struct loc at);

/* lower/map.c */
uint32_t map_for(struct lowerer *lw, enum map_role role);
uint32_t map_add(struct lowerer *lw, struct image_map m);
bool map_share(struct lowerer *lw, struct symbol *s, enum map_role role);
uint32_t map_shared(struct lowerer *lw, struct image_map m);
/* How many entries of so many bytes fit; bytes 0: as many as we care for. */
uint32_t map_entries(uint64_t bytes, uint32_t each);

/* lower/stamp.c */
vreg stamp_read(struct lowerer *lw, const struct expr *e);
vreg stamp_exchange(struct lowerer *lw, const struct expr *e);
void stamps_finish(struct lowerer *lw); /* after all probes: the programs that stamps need */

/* lower/site/packet.c: bytes of the packet, at the sites of sockets */
vreg packet_load(struct lowerer *lw, const struct expr *e);
struct sval packet_dns_name(struct lowerer *lw, const struct expr *e);
vreg packet_dns_wire(struct lowerer *lw, const struct expr *e);

/* lower/text/path.c */
struct sval path_str(struct lowerer *lw, const struct expr *e);   /* d_path(struct path *) */
struct sval psargs_str(struct lowerer *lw, const struct expr *e); /* __psargs(struct mm_struct *, size) */

/* lower/text/inet.c: 1 when the address is of the network, else 0 */
vreg lower_inet_in(struct lowerer *lw, const struct expr *e);

/* lower/expr/subr.c: rand, progenyof, ... */
vreg current_regs(struct lowerer *lw); /* address of the process's struct pt_regs; 0: none */
struct val lower_subr(struct lowerer *lw, const struct expr *e);

/* lower/state/agg.c */
void lower_agg(struct lowerer *lw, const struct expr *e);
bool agg_sparse(const struct symbol *s);
uint32_t agg_index(struct lowerer *lw, struct symbol *s);
void aggs_begin(struct lowerer *lw); /* numbers them in the order of their appearance: they are printed in that order */

/* lower/act.c */
void plan_record(struct lowerer *lw, const struct clause *c, struct epid *ep);
void lower_action(struct lowerer *lw, const struct expr *e);
vreg ring_reserve(struct lowerer *lw, uint32_t size, uint32_t full_label);
void ring_submit(struct lowerer *lw, vreg rec, bool wake);
void count_drop(struct lowerer *lw, enum dw_drop cause);

/* lower/expr/ptype.c: for print() */
const struct ptype *ptype_of(struct lowerer *lw, struct type *t);

/* lower/state/spec.c: speculations, and what is done to the current process */
vreg spec_begin(struct lowerer *lw);                        /* speculation() */
void spec_choose(struct lowerer *lw, const struct expr *e); /* speculate(id) */
vreg spec_end(struct lowerer *lw, const struct expr *id);   /* commit(id), discard(id): id if it was active, or 0 */
void lower_destructive(struct lowerer *lw, const struct expr *e); /* raise(), stop(), chill(), ... */

/* lower.c */
void lower_bare_site(struct lowerer *lw, const struct site *site); /* a program without clauses */
void lower_error(struct lowerer *lw, struct loc at, enum dtag tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
vreg key_store(struct lowerer *lw, const expr_list *args, const struct symbol *s, uint32_t *size);
#endif
