/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shell: what a script does with its standard output: system(), freopen(), ftruncate(). */
#ifndef DWIRE_PRINT_SHELL_H
#define DWIRE_PRINT_SHELL_H
#include "base/diag/report.h"
#include "print/out.h"

/* ACT_SYSTEM, ACT_FREOPEN, ACT_FTRUNCATE. Commands and files see what was written before. What fails is reported.
 * Traced text is part of a command only if it is a plain word, and of a file's name only if it names no other folder;
 * else the action is refused, unless -x rawshell is set: quoting would not help within the script's own quotes. */
void shell_control(struct out *o, const struct reporter *to, const struct action *a, const struct value *values);
#endif
