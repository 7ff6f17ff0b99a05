/* SPDX-License-Identifier: GPL-2.0-or-later */
/* privileges: those that the command keeps and we do not. */
#ifndef DWIRE_EXPORT_PRIVILEGES_H
#define DWIRE_EXPORT_PRIVILEGES_H
#include <stdio.h>

/* From now on this process is an ordinary one: if it is root's, it becomes nobody's; it gains no privileges by what
 * it might start. 0, or -1 after a message to err. */
int privileges_drop(FILE *err);
#endif
