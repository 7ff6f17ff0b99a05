/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay: dwire replay, and recordings as sources of a merge. */
#ifndef DWIRE_CLI_RECORD_REPLAY_H
#define DWIRE_CLI_RECORD_REPLAY_H
#include <stdbool.h>
#include <sys/types.h>

#include "cli/message.h"

/* Returns the exit status. argv[0] is "replay". */
int replay_main(int argc, char **argv, struct messages *messages);
/* Is the path a directory? */
bool replay_is_recording(const char *path);
/* Starts a process that writes all sessions of a recording. Returns the end of its pipe to read from, or -1 after a
 * message. The process ends when that is closed. */
int replay_open(const char *path, const struct messages *messages);
#endif
