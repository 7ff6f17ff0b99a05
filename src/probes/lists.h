/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lists: the interface of providers whose probes come from a kernel list (system calls, tracepoints) that is too long
 * for a table. A list is read only when a description could match one of its probes. Such providers query the kernel
 * through struct kernel_lists, so that this layer does not depend on it. */
#ifndef DWIRE_PROBES_LISTS_H
#define DWIRE_PROBES_LISTS_H
#include "probes/match.h"

struct listed_tracepoint {
	const char *module; /* the module that it is in; NULL: the kernel itself */
	const char *group;  /* its group in tracefs; "": not known */
	const char *name;
	unsigned nargs;
	bool event; /* BTF has no type: only its record is known */
};

/* Any member may be NULL: there are then no such probes. */
struct kernel_lists {
	void *ctx;
	bool (*has_tracepoint)(void *ctx, const char *name);
	/* Calls each for every tracepoint, always in the same order. */
	void (*tracepoints)(
		void *func_ctx, struct arena *a, void (*each)(void *to, const struct listed_tracepoint *t), void *to);
	/* D type of argument i of a tracepoint, in the arena. */
	const char *(*tracepoint_arg)(void *ctx, struct arena *a, const char *module, const char *name, unsigned i);
	/* D types of the fields of the records of "GROUP/NAME", NULL-terminated. */
	const char *const *(*event_args)(void *func_ctx, const char *target);
	/* Probes in programs and libraries: user_make adds those that the description means; user_fault says why
	 * there are none. */
	void (*user_make)(void *user, struct probe_list *l, const struct pdesc *pd);
	const struct probe_fault *(*user_fault)(void *user, const struct pdesc *pd);
	void *user;
	/* Calls each for every traceable function of the kernel, always in the same order. */
	void (*functions)(void *func_ctx, void (*each)(void *to, const char *module, const char *name), void *to);
	/* Bytes of a function; 0: not known. */
	uint64_t (*function_size)(void *func_ctx, const char *module, const char *name);
	/* Why a description means no function. */
	const struct probe_fault *(*function_fault)(void *func_ctx, struct arena *a, const struct pdesc *pd);
	/* D types of a function's arguments, or of its return's arg0 and arg1, NULL-terminated. */
	const char *const *(*function_args)(
		void *func_ctx, struct arena *a, const char *module, const char *name, bool returned);
	void *func_ctx;
};

struct probe_source {
	/* Could a description that names no provider mean one of these probes? Must be cheap. */
	bool (*could)(const struct kernel_lists *k, const struct pdesc *pd);
	bool is_long; /* only the probes of the list that a description means are kept */
	/* Adds all (probes_add), always in the same order. */
	void (*list)(struct probe_list *l, const struct provider *p);
	/* Adds the probe (probes_add_named) that the description names and that is not in the list. May be NULL. */
	void (*make)(struct probe_list *l, const struct provider *p, const struct pdesc *pd);
	/* D types of a probe's args[]. */
	const char *const *(*args)(struct probe_list *l, const struct probe *p);
	/* The name here of a function that another system or an older kernel names differently; NULL: none. May be
	 * NULL. */
	const char *(*alias)(const char *func);
	/* The function that replaces this one today, and a hint how it differs; NULL: none. May be NULL. */
	const char *(*successor)(const char *func, const char **hint);
	/* Does a description's module mean the probe's module by another name? May be NULL: no. */
	bool (*module)(const char *pattern, const struct probe *p);
};

/* Adds a copy of p if it is wanted, and assigns its number. */
void probes_add(struct probe_list *l, const struct probe *p);
/* ... of a probe that is in no list, unless it exists. */
void probes_add_named(struct probe_list *l, const struct probe *p);
/* Reads all lists: for -l. */
void probes_all(struct probe_list *l);
bool pdesc_glob(const char *pattern, const char *s);
bool pdesc_is_glob(const char *s);
#endif
