/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command: a command whose output is read. */
#ifndef DWIRE_PROCESS_COMMAND_H
#define DWIRE_PROCESS_COMMAND_H
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct command_to {
	const char *program; /* in messages: "dwire-export" */
	FILE *messages;
	int *out;   /* its output, to read from */
	int *err;   /* its errors, to read from; NULL: they are ours */
	bool apart; /* another process group, without our standard input: keys of the terminal do not reach it */
};

/* Starts a command. It is sent SIGTERM when we end, however that happens. Returns its pid, or -1 after a message. */
pid_t command_start(const char *const *argv, const struct command_to *to);
/* Ends it, if it has not ended, and waits; one that does not end is killed if it may be. Returns its exit status as a
 * shell gives it. */
int command_end(pid_t pid);
#endif
