/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site: what a site gives: arguments, socket, packet, stacks, the process's memory. */
#ifndef DWIRE_LOWER_SITE_SITE_H
#define DWIRE_LOWER_SITE_SITE_H
#include "lower/context.h"

/* ---- lower/site/site.c */
void site_begin(struct clause_ctx *cx); /* of a program: binds P */
bool at_netfilter(const struct prog_ctx *pg);
int32_t site_verdict(const struct prog_ctx *pg); /* what a program returns */
bool at_cgroup(const struct prog_ctx *pg);       /* a program of a cgroup2; of it: */
bool at_sockops(const struct prog_ctx *pg);      /* ... the context names socket and segment */
bool at_release(const struct prog_ctx *pg);      /* ... the context is the socket */
bool at_kprobe(const struct prog_ctx *pg);       /* the context is a struct pt_regs */
bool at_function(const struct prog_ctx *pg);
bool at_return(const struct prog_ctx *pg);     /* the end of the probe's own function */
bool site_has_args(const struct prog_ctx *pg); /* as an array (typed tracepoints, fentry) or in registers */
bool site_is_tracepoint(const struct prog_ctx *pg);
unsigned site_words(struct clause_ctx *cx);               /* how many words of arguments there are */
vreg site_word(struct clause_ctx *cx, unsigned i);        /* word i, as it is */
uint32_t site_word_of(struct clause_ctx *cx, unsigned n); /* what the argument points to that is word n */
vreg site_hidden_word(struct clause_ctx *cx, int i);      /* a word that the verifier does not let us load */
struct val site_arg(struct clause_ctx *cx, int i, struct type *type);
struct val site_named_arg(struct clause_ctx *cx, const char *name, struct type *type); /* by its name in dlib */
struct val site_returned(struct clause_ctx *cx, struct type *type);
bool site_has_member(struct prog_ctx *pg, const char *name); /* the structure of what the site gives has it */
bool site_shows(struct prog_ctx *pg, const char *name);      /* ... and this kernel's site gives it */
struct val site_member(struct clause_ctx *cx, const struct val *site, const char *name, struct type *type);
bool site_task(struct clause_ctx *cx, struct type *type, struct val *out); /* the thread, if not the current one */
struct val cgroup_skb(struct clause_ctx *cx);
struct val cgroup_sk(struct clause_ctx *cx);
struct val ptr_val(struct lowerer *lw, vreg r, const char *tag); /* r as a struct tag * */

/* ---- lower/site/args.c: args[], arg0, ... */
struct val lower_args(struct clause_ctx *cx, const struct expr *e);
struct val site_errno(struct clause_ctx *cx, struct type *type);
vreg site_sampled_pc(struct clause_ctx *cx, bool kernel);

/* ---- lower/site/event.c: the context is the record that a tracepoint writes */
bool at_event(const struct prog_ctx *pg);
unsigned event_fields(struct prog_ctx *pg);
vreg event_word(struct clause_ctx *cx, unsigned i);
struct val event_arg(struct clause_ctx *cx, unsigned i, struct type *type);

/* ---- lower/site/sock.c: the socket and its owner */
vreg site_helper_sk(struct clause_ctx *cx); /* as the storage helpers want it; it may be NULL */
vreg site_full_sk(struct clause_ctx *cx);
vreg site_cookie(struct clause_ctx *cx);
vreg site_owner(struct clause_ctx *cx);
struct val lower_owner_of(struct clause_ctx *cx, const struct expr *e);

/* ---- lower/site/packet.c: bytes of the packet, at the sites of sockets */
vreg packet_load(struct clause_ctx *cx, const struct expr *e);
struct sval packet_dns_name(struct clause_ctx *cx, const struct expr *e);
vreg packet_dns_wire(struct clause_ctx *cx, const struct expr *e);
vreg packet_dns_hash(struct clause_ctx *cx, const struct expr *e);

/* ---- lower/site/unwind.c: stacks where the kernel gives programs none */
uint64_t kernel_symbol(struct lowerer *lw, const char *name); /* its address; 0: not known */
vreg unwind_stack(struct clause_ctx *cx, bool user, uint32_t len, vreg base, int32_t off);

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
