/* SPDX-License-Identifier: GPL-2.0-or-later */
/* user: probes in programs and libraries, which exist because a description names them. This part parses the
 * description and defines the probes; src/compile/user/userprobes.c finds the processes and files. */
#ifndef DWIRE_PROBES_USER_H
#define DWIRE_PROBES_USER_H
#include "probes/match.h"

/* The provider part of a description: "pid123", "pid*", "postgresql123", "postgresql*". */
struct user_pdesc {
	bool is_pid;      /* functions and instructions; else USDT probes */
	const char *stem; /* the text before the process number: a pattern */
	bool everywhere;  /* every process */
	bool bad_pid;     /* a number that no process can have */
	int32_t pid;
};
/* False: the description does not mean probes of programs. */
bool user_pdesc_parse(const struct probe_list *l, const struct pdesc *pd, struct user_pdesc *out);

/* Does a description's module mean this file? "a.out" is the program, "libc" libc.so.6, a path that very file. */
bool user_module(const char *pattern, const char *path, const char *base, bool program);

extern const struct probe_def user_entry, user_return, user_offset;
/* A new provider of that name, in the arena, for struct probe. */
const struct provider *user_provider(struct arena *a, const char *name);
/* Adds a copy of p to the list and assigns its number. */
void user_add(struct probe_list *l, const struct probe *p);
#endif
