/* SPDX-License-Identifier: GPL-2.0-or-later */
/* until_eof: the command ends when its standard input does, as it does when the caller on another machine dies; or when
 * nothing came for so long, as it is when the network between them is cut. */
#ifndef DWIRE_CLI_UNTIL_EOF_H
#define DWIRE_CLI_UNTIL_EOF_H
#include "cli/message.h"

/* Handles "--until-eof" and "--until-eof=SECONDS": from now on the end of the standard input sends this process
 * SIGTERM. With SECONDS, that long without a byte does so, too. Then the standard input is a pipe that has the bytes
 * that came, but for NUL bytes that end no text: they are beats.
 * 0: word is this option; 1: it is another word; -1 after a message. */
int until_eof(const char *word, const struct messages *messages) __attribute__((warn_unused_result));
#endif
