/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shell: system() and freopen(): commands and files that a script names. */
#ifndef DWIRE_CONSUME_SHELL_H
#define DWIRE_CONSUME_SHELL_H
#include "print/print.h"

/* The text of a format, as it is (nothing is escaped): the caller frees it. NULL: no memory. */
char *shell_text(const struct decoder *dec, const struct action *a, const uint8_t *rec, size_t len);
/* Runs the command by the shell and waits for it. 0, or -errno when it could not be run. */
int shell_run(const char *command) __attribute__((warn_unused_result));
#endif
