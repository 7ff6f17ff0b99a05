/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message: reports the command's errors, warnings and notes on stderr, apart from the output of the trace. */
#ifndef DWIRE_CLI_MESSAGE_H
#define DWIRE_CLI_MESSAGE_H
#include <stdio.h>

#include "api/dwire.h"

struct progress;
struct signals;

struct messages {
	const char *program;       /* "dwire"; "dtrace" if called by a name that ends so; or a tool's name */
	FILE *out;                 /* stderr */
	struct signals *signals;   /* of the running trace; NULL: none runs */
	struct progress *progress; /* a line on the terminal that goes before a message; NULL: none */
};

struct messages messages_of(const char *argv0);
/* Shows "program: text". The text is one line; control characters in it are escaped. */
void message(const struct messages *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Shows "    hint: text", the next step after the message before it. */
void message_hint(const struct messages *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Shows a message of the library; ctx is a struct messages. */
void message_show(void *ctx, const struct dwire_message *shown);
#endif
