/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clush: a running clush(1), and what it and the machines say on its standard error. */
#ifndef DWIRE_CLI_FLEET_CLUSH_H
#define DWIRE_CLI_FLEET_CLUSH_H
#include "base/lines.h"
#include "cli/fleet/beats.h"
#include "cli/fleet/nodes.h"
#include "cli/fleet/options.h"
#include "cli/fleet/spawn.h"

struct clush {
	struct spawned p;
	pid_t beats; /* the process that writes its input; 0: there is none */
	struct lines err;
	struct nodes *nodes; /* borrowed */
	const struct messages *messages;
	/* A node's program has ended with a status that is not 0. True: the node is done with, and was reported. */
	bool (*failed)(void *ctx, struct node *n);
	void *ctx;
};

/* Starts it on the nodes of o with the arguments of last, ended by NULL. 0, or -1 after a message. The other members of
 * c are set before. */
int clush_start(struct clush *c, const struct on_options *o, const char *const *last, int pipes)
	__attribute__((warn_unused_result));
/* Shows what is there of its standard error; with wait all up to its end. */
void clush_messages(struct clush *c, bool wait);
/* Waits for its end for so long (-1: for ever), then ends it. Returns the highest status of the nodes. */
int clush_end(struct clush *c, int timeout_ms);
#endif
