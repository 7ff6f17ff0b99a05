/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program: generates the D program that a tool runs from its script and options. */
#ifndef DWIRE_CLI_TOOL_PROGRAM_PROGRAM_H
#define DWIRE_CLI_TOOL_PROGRAM_PROGRAM_H
#include "cli/tool/head.h"

/* Writes the program. False after a message. */
bool tool_program(struct tool *t, FILE *out);
/* The common columns that any clause of the tool knows, a bit each. */
unsigned tool_program_columns(struct tool *t);
#endif
