/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spawn: starts a program of ClusterShell in a process group apart from ours, so that ^C reaches only us. */
#ifndef DWIRE_CLI_FLEET_SPAWN_H
#define DWIRE_CLI_FLEET_SPAWN_H
#include <sys/types.h>

#include "cli/message.h"

/* Which of its standard streams are pipes to us. The input is /dev/null otherwise. */
enum { SPAWN_IN = 1, SPAWN_OUT = 2, SPAWN_ERR = 4 };

struct spawned {
	pid_t pid;
	int in, out, err; /* our ends; -1: there is none */
};

/* argv ends with NULL. 0, or -1 after a message. */
int spawn(struct spawned *p, const char *const *argv, int pipes, const struct messages *messages)
	__attribute__((warn_unused_result));
/* Waits for its end for so long (-1: for ever), then ends it. Returns its exit status. */
int spawn_wait(struct spawned *p, int timeout_ms);
/* Closes our ends. */
void spawn_close(struct spawned *p);
/* Closes one of them. */
void spawn_close_end(int *fd);
#endif
