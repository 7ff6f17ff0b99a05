/* SPDX-License-Identifier: GPL-2.0-or-later */
/* userprobes_priv: shared by the files that make the probes of programs and libraries. */
#ifndef DWIRE_COMPILE_USERPROBES_PRIV_H
#define DWIRE_COMPILE_USERPROBES_PRIV_H
#include "compile/user/userprobes.h"
#include "probes/user.h"
#include "symbols/elf/sdtnotes.h"
#include "symbols/objects.h"

struct strmap;

struct usdt;
struct user_probe {
	size_t index; /* in the list */
	VEC(struct uplace) places;
	VEC(const char *) aliases; /* ends in NULL, unless it is empty */
	struct usdt *usdt;         /* of an author's probe: its places, by their operands */
};

/* Where functions of libraries are, once it is known. */
struct found {
	const struct ufunctions *of;
	VEC(struct uplace) places;
};

struct userprobes {
	struct userprobes_env env;
	struct arena *arena;
	struct objects *objects;
	struct strmap *providers, *probes;
	VEC(struct found *) found;

	/* one description */
	struct probe_list *list;
	struct user_pdesc pd;
	struct probe_fault fault;
	const struct pdesc *asked; /* whose fault it is: the last description */
};

/* userlist.c: why the description means nothing. */
void user_failed(struct userprobes *u, enum dtag tag, const char *hint, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The probe of these names in the object; made when it is not there yet. */
struct user_probe *user_probe(struct userprobes *u, const struct object *obj, const char *prov, const char *func,
	const char *name, const struct probe_def *def);

/* One more place of the probe. returns: where in the function it returns; 0: not known, or not meant. */
void user_place(struct userprobes *u, struct user_probe *up, const struct object *obj, uint64_t off, uint64_t returns);

/* Another name of the probe's function. */
void user_alias(struct userprobes *u, struct user_probe *up, const char *func);

/* pidprobes.c: checks the name of a probe; makes the probes of functions, of an address. */
bool pid_check_name(struct userprobes *u, const struct pdesc *pd);
void pid_make_functions(struct userprobes *u, const struct pdesc *pd, const object_list *objs);
void pid_make_address(struct userprobes *u, const struct pdesc *pd, const object_list *objs);
/* usdtprobes.c: makes the authors' probes of the objects that the description means; how many. */
size_t usdt_make(struct userprobes *u, const struct pdesc *pd, const object_list *objs);
void usdt_missing(struct userprobes *u, const struct pdesc *pd, const object_list *objs);
#endif
