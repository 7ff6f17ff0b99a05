/* SPDX-License-Identifier: GPL-2.0-or-later */
/* until_eof: the command ends when its standard input does, as it does when the caller on another machine dies. */
#ifndef DWIRE_CLI_UNTIL_EOF_H
#define DWIRE_CLI_UNTIL_EOF_H
#include "cli/message.h"

/* From now on the end of the standard input sends this process SIGTERM. */
void until_eof(const struct messages *messages);
#endif
