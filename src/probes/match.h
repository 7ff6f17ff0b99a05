/* SPDX-License-Identifier: GPL-2.0-or-later */
/* match: the list of probes, and which of them a description matches. Input: the providers' tables, descriptions of D
 * programs and, through probes/lists.h, the kernel's lists. Everything is allocated in the list's arena. The arena
 * records whether memory ran out. */
#ifndef DWIRE_PROBES_MATCH_H
#define DWIRE_PROBES_MATCH_H
#include "base/vec.h"
#include "image/probe.h"
#include "lang/ast.h"

struct kernel_lists;
struct probe_list {
	struct arena *arena;
	const struct provider *const *providers; /* borrowed; ends with NULL */
	const struct kernel_lists *kernel;       /* borrowed; NULL: nothing is known of a kernel */
	const bool *legacy_calls;                /* borrowed; -x legacycalls, read when system calls are; NULL: off */
	VEC(struct probe) all;                   /* moves when it grows: keep numbers, not pointers */
	size_t nread;                            /* providers whose lists have been read */
	uint32_t next_id, next_list_id, nuser;
	/* Only while the long list is read: the description whose probes are kept; NULL: all. kept: a bit for each
	 * probe kept so far. */
	bool in_long;
	const struct pdesc *wanted;
	uint32_t next_long;
	VEC(uint64_t) kept;
};

/* Every probe of the providers' tables, numbered from 1 in their order. */
void probes_init(struct probe_list *l, struct arena *a, const struct provider *const *providers,
	const struct kernel_lists *kernel);
/* The provider of that name that has a probe in the list; or NULL. */
const struct provider *probes_provider(const struct probe_list *l, const char *name);
/* Adds the probe if naming it creates it (tick-7s), and the probes of the kernel's lists that the description may
 * match (probes/lists.h). */
void probes_make(struct probe_list *l, const struct pdesc *pd);
/* D types of the probe's args[], NULL-terminated; NULL: none. */
const char *const *probe_args(struct probe_list *l, struct probe *p);
/* Reads the lists of a provider; "": of all providers. */
void probes_read(struct probe_list *l, const char *prov);
bool probe_matches(const struct pdesc *pd, const struct probe *p);
/* Why a description matches nothing: a message with its tag and a hint (or NULL); why: the message's last part, or
 * NULL. */
struct probe_fault {
	enum dtag tag;
	const char *message, *why, *hint;
};
/* The fault of a description that means no probe, in the arena. why completes the sentence; hint may be NULL. */
const struct probe_fault *probe_fault_new(struct arena *a, const struct pdesc *pd, const char *why, const char *hint);
/* NULL: no special reason. */
const struct probe_fault *probes_fault(const struct probe_list *l, const struct pdesc *pd);
/* A hint at what a description without matches may have meant; NULL: none. */
const char *probes_hint(struct probe_list *l, const struct pdesc *pd);
/* The same for uprobe:/path:function, whose path looks like a predicate. at: its beginning. NULL: not of this
 * form. */
const char *probes_hint_path(struct arena *a, struct loc at);
#endif
