/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site: what the files share that lower what a site gives. */
#ifndef DWIRE_LOWER_SITE_SITE_H
#define DWIRE_LOWER_SITE_SITE_H
#include "lower/priv.h"

/* lower/site/site.c */
bool at_cgroup(const struct lowerer *lw);  /* a program of a cgroup2; of it: */
bool at_sockops(const struct lowerer *lw); /* ... the context names socket and segment */
bool at_release(const struct lowerer *lw); /* ... the context is the socket */
bool at_kprobe(const struct lowerer *lw);  /* the context is a struct pt_regs */
bool at_function(const struct lowerer *lw);
bool at_return(const struct lowerer *lw);     /* the end of the probe's own function */
bool site_has_args(const struct lowerer *lw); /* as an array (typed tracepoints, fentry) or in registers */
bool site_is_tracepoint(const struct lowerer *lw);
unsigned site_words(struct lowerer *lw); /* how many */
vreg site_word(struct lowerer *lw, unsigned i);
uint32_t site_word_of(struct lowerer *lw, unsigned n); /* what the argument points to that is word n */
vreg site_hidden_word(struct lowerer *lw, int i);      /* what the verifier does not let us load */
struct val site_arg(struct lowerer *lw, int i, struct type *type);
struct val site_named_arg(struct lowerer *lw, const char *name, struct type *type); /* by its name in dlib */
struct val site_returned(struct lowerer *lw, struct type *type);
bool site_has_member(struct lowerer *lw, const char *name);
bool site_shows(struct lowerer *lw, const char *name);
struct val cgroup_skb(struct lowerer *lw);
struct val cgroup_sk(struct lowerer *lw);
struct val ptr_val(struct lowerer *lw, vreg r, const char *tag); /* r as a struct tag * */

/* lower/site/event.c */
bool at_event(const struct lowerer *lw); /* the context is the record that a tracepoint writes; its fields: */
unsigned event_fields(struct lowerer *lw);
vreg event_word(struct lowerer *lw, unsigned i);
struct val event_arg(struct lowerer *lw, unsigned i, struct type *type);

/* lower/site/sock.c */
vreg site_helper_sk(struct lowerer *lw); /* as the storage helpers want it; it may be NULL */
vreg site_full_sk(struct lowerer *lw);
vreg site_cookie(struct lowerer *lw);
vreg site_owner(struct lowerer *lw);

/* lower/site/args.c */
vreg site_sampled_pc(struct lowerer *lw, bool kernel);

/* lower/expr/xlate.c: what a member's value was; false: it is not known here. */
bool memo_get(struct lowerer *lw, const void *base, const void *xl, const char *name, struct val *out);
void memo_put(struct lowerer *lw, const void *base, const void *xl, const char *name, struct val v);
#endif
