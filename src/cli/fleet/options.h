/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options: the options of dwire on. */
#ifndef DWIRE_CLI_FLEET_OPTIONS_H
#define DWIRE_CLI_FLEET_OPTIONS_H
#include <stdbool.h>

#include "cli/message.h"

#define PASSED_MAX 64 /* words of options for clush */

struct on_options {
	const char *dwire;   /* how dwire is called on a machine: words of its shell */
	const char *through; /* words before it, run here for each machine; NULL: clush's worker runs it there */
	const char *copy;    /* the folder on each machine that this program is copied to; NULL: it is not */
	const char *exclude; /* nodes; NULL: none */
	const char *nodes;   /* as ClusterShell has them: web[1-40],@db */
	const char *passed[PASSED_MAX + 1]; /* options for clush, ended by NULL */
	bool by_host, emit, all, fanout;    /* fanout: it is given */
	unsigned cut;                       /* seconds; a machine that hears nothing for so long ends its trace */
	int first;                          /* the index in argv of dwire's arguments there */
};

/* argv[0] is "on". 0, -1 for help, or 2 after a message: the exit status of wrong use. */
int on_options(struct on_options *o, int argc, char **argv, const struct messages *messages);
#endif
