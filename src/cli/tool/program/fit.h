/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fit: fits rows of text to the terminal that they are printed on. */
#ifndef DWIRE_CLI_TOOL_PROGRAM_FIT_H
#define DWIRE_CLI_TOOL_PROGRAM_FIT_H
#include "cli/tool/program/columns.h"

/* Where there is room, names that the head cuts are shown as a whole; where there is not, they are cut to 8 characters
 * and columns with the condition "room" are left out of the layouts, one of each row. Nothing changes if the output
 * is no terminal, or no text. */
void fit_rows(struct tool *t, struct layout *layouts);
#endif
