/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site: the data available at a site: arguments, socket, packet, stacks, the process's memory. */
#ifndef DWIRE_LOWER_SITE_SITE_H
#define DWIRE_LOWER_SITE_SITE_H
#include "lower/context.h"

/* ---- lower/site/site.c */
void site_begin(struct clause_ctx *cx); /* at the beginning of a program: binds P */
bool at_netfilter(const struct prog_ctx *pg);
int32_t site_verdict(const struct prog_ctx *pg); /* the program's return value */
bool at_cgroup(const struct prog_ctx *pg);       /* any program attached to a cgroup2 */
bool at_sockops(const struct prog_ctx *pg);      /* ... whose context is a struct bpf_sock_ops: socket and segment */
bool at_release(const struct prog_ctx *pg);      /* ... whose context is the socket */
bool at_kprobe(const struct prog_ctx *pg);       /* the context is a struct pt_regs */
bool at_function(const struct prog_ctx *pg);
bool at_return(const struct prog_ctx *pg);     /* the end of the probe's own function */
bool site_has_args(const struct prog_ctx *pg); /* as an array (typed tracepoints, fentry) or in registers */
bool site_is_tracepoint(const struct prog_ctx *pg);
unsigned site_words(struct clause_ctx *cx);               /* the number of words of arguments */
vreg site_word(struct clause_ctx *cx, unsigned i);        /* word i, unconverted */
uint32_t site_word_of(struct clause_ctx *cx, unsigned n); /* BTF id of the structure to which word n points; or 0 */
vreg site_hidden_word(struct clause_ctx *cx, int i);      /* a word that the verifier does not let us load directly */
struct val site_arg(struct clause_ctx *cx, int i, struct type *type);
struct val site_named_arg(struct clause_ctx *cx, const char *name, struct type *type); /* by its name in dlib */
struct val site_returned(struct clause_ctx *cx, struct type *type);
bool site_has_member(struct prog_ctx *pg, const char *name); /* does the type of P have this member? */
bool site_shows(struct prog_ctx *pg, const char *name);      /* ... and can it be read at this site of this kernel? */
struct val site_member(struct clause_ctx *cx, const struct val *site, const char *name, struct type *type);
bool site_task(
	struct clause_ctx *cx, struct type *type, struct val *out); /* the event's thread; false: the current one */
struct val cgroup_skb(struct clause_ctx *cx);
struct val cgroup_sk(struct clause_ctx *cx);
struct val ptr_val(struct lowerer *lw, vreg r, const char *tag); /* r as a struct tag * */

/* ---- lower/site/args.c: args[], arg0, ... */
struct val lower_args(struct clause_ctx *cx, const struct expr *e);
struct val site_errno(struct clause_ctx *cx, struct type *type);
vreg site_sampled_pc(struct clause_ctx *cx, bool kernel);

/* ---- lower/site/event.c: sites whose context is the record of a tracepoint */
bool at_event(const struct prog_ctx *pg);
unsigned event_fields(struct prog_ctx *pg);
vreg event_word(struct clause_ctx *cx, unsigned i);
struct val event_arg(struct clause_ctx *cx, unsigned i, struct type *type);

/* ---- lower/site/sock.c: the socket and its owner */
vreg site_helper_sk(struct clause_ctx *cx); /* typed as the storage helpers need it; may be NULL */
vreg site_full_sk(struct clause_ctx *cx);
vreg site_cookie(struct clause_ctx *cx);
vreg site_sock_key(struct clause_ctx *cx);
vreg site_owner(struct clause_ctx *cx);
struct val lower_owner_of(struct clause_ctx *cx, const struct expr *e);

/* ---- lower/site/packet.c: bytes of the packet, at sites with a socket */
bool at_packet_hook(const struct prog_ctx *pg);            /* a hook of a cgroup, where a helper reads the packet */
vreg site_number(struct clause_ctx *cx, const char *text); /* the value of a D text over P; 0 after an error */
vreg packet_load(struct clause_ctx *cx, const struct expr *e);
struct sval packet_dns_name(struct clause_ctx *cx, const struct expr *e);
vreg packet_dns_wire(struct clause_ctx *cx, const struct expr *e);
vreg packet_dns_hash(struct clause_ctx *cx, const struct expr *e);

/* ---- lower/site/match.c: pcap_match() */
vreg packet_match(struct clause_ctx *cx, const struct expr *e);

/* ---- lower/site/capture.c: the packet as a whole */
bool site_has_packet(const struct prog_ctx *pg); /* does the site's translator say that there is a packet? */
/* Reserves the record of a clause with pcap(): it has room for as much of the packet as is wanted. */
vreg capture_reserve(struct clause_ctx *cx, const struct epid *ep);
/* Copies the packet into the record, and sets the record's length. Does nothing if this site has none. */
void capture_copy(struct clause_ctx *cx);
/* After all probes: reports an error if a clause has pcap() and no site of any of its probes has a packet. */
void capture_check(struct lowerer *lw, const struct planned *plan);

/* ---- lower/site/unwind.c: stacks at sites where the kernel's helpers give none */
uint64_t kernel_symbol(struct lowerer *lw, const char *name); /* its address; 0: not known */
vreg unwind_stack(struct clause_ctx *cx, bool user, uint32_t len, vreg base, int32_t off);

/* ---- lower/site/walk.c: iterators */
bool at_walk(const struct prog_ctx *pg);
void walk_begin(struct clause_ctx *cx); /* at the beginning of a program; elsewhere it does nothing */

/* ---- lower/site/user.c: uprobes */
bool is_user_site(const struct site *s);
/* Calls a helper that copies n bytes of the process's memory, or up to a NUL. Returns its result. */
vreg user_copy(struct clause_ctx *cx, int helper, vreg to, vreg n, vreg from);
vreg user_arg(struct clause_ctx *cx, unsigned n); /* arg0, arg1, ... */
vreg user_cookie(struct clause_ctx *cx);          /* of the attachment */
vreg user_stack_pointer(struct clause_ctx *cx);
int32_t user_return_pops(void); /* bytes between the stack pointer at a function's entry and after its return */
void user_places(struct prog_ctx *pg, const struct enabled *set, size_t n, struct image_prog *p);
#endif
