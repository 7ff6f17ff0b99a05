/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patience: waits that end when the trace is asked to stop, and whether anybody reads. stop points to a descriptor that
 * becomes readable then and stays so; NULL: such a wait is never ended. */
#ifndef DWIRE_PRINT_PATIENCE_H
#define DWIRE_PRINT_PATIENCE_H
#include <stdbool.h>

/* Was the trace asked to stop? */
bool patience_ended(const int *stop);
/* Waits until fd (-1: none) has one of the events of poll(2). 1: it has; 0: ms (-1: no limit) have passed; -EINTR: the
 * trace was asked to stop during the call. A stop before the call does not count, so what END waits for gets its
 * time. */
int patience_wait(const int *stop, int fd, short events, int ms);
/* Has the pipe or the socket no reader any more, or was the terminal hung up? Does not wait. fd -1: false. */
bool patience_deserted(int fd);
#endif
