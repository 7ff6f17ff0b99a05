/* SPDX-License-Identifier: GPL-2.0-or-later */
/* remote: the command that each machine runs, and what it is sent on its standard input. */
#ifndef DWIRE_CLI_FLEET_REMOTE_H
#define DWIRE_CLI_FLEET_REMOTE_H
#include <stddef.h>

#include "cli/fleet/options.h"

struct remote {
	char *command; /* a line for a shell */
	char *input;   /* scripts, each ended by a NUL byte; they come from here */
	size_t input_len;
};

/* argv: dwire's arguments, without its name, ended by NULL; they may be reordered. copied: the program's path there, or
 * NULL. 0, or -errno after a message. */
int remote_make(struct remote *r, const struct on_options *o, const char *copied, int argc, char **argv,
	const struct messages *messages) __attribute__((warn_unused_result));
/* What each machine runs before that, when the program was copied to it: machines may share the folder, and one that
 * ends removes its own copy. The caller frees it. NULL: no memory. */
char *remote_prepare(const char *copied);
/* What removes copies that no machine has taken. As above. */
char *remote_remove(const char *copied);
void remote_free(struct remote *r);
#endif
