/* SPDX-License-Identifier: GPL-2.0-or-later */
/* note: warns, before a tool starts, of options that match nothing on this machine. */
#ifndef DWIRE_CLI_TOOL_NOTE_H
#define DWIRE_CLI_TOOL_NOTE_H
#include "cli/tool/head.h"

/* Shows the notes. False: there is nothing to trace at all, after a message. */
bool tool_note(struct tool *t);
#endif
