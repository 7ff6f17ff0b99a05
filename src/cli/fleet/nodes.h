/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nodes: the machines of a fleet by name, and what each said. */
#ifndef DWIRE_CLI_FLEET_NODES_H
#define DWIRE_CLI_FLEET_NODES_H
#include <stdbool.h>
#include <stddef.h>

#include "cli/message.h"

struct node {
	char *name;
	unsigned lines; /* messages of it that were shown */
	bool failed;    /* its program cannot be started */
};

struct nodes {
	struct node *v; /* sorted by name */
	size_t n;
};

/* Expands a node set, without those of exclude (or NULL), by nodeset(1). 0, or -1 after a message. */
int nodes_expand(struct nodes *nodes, const char *set, const char *exclude, const struct messages *messages)
	__attribute__((warn_unused_result));
void nodes_free(struct nodes *nodes);
/* The node whose name is the first len bytes of s; NULL: there is none. */
struct node *nodes_find(const struct nodes *nodes, const char *s, size_t len);
#endif
