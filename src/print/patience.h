/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patience: waiting that ends when the trace is told to stop. stop points to a descriptor that becomes readable then,
 * and stays so; NULL: the trace is never told. */
#ifndef DWIRE_PRINT_PATIENCE_H
#define DWIRE_PRINT_PATIENCE_H
#include <stdbool.h>

/* Was the trace told to stop? */
bool patience_ended(const int *stop);
/* Waits until fd (-1: none) has one of the events of poll(2). 1: it has; 0: ms (-1: no limit) have passed; -EINTR: the
 * trace is told to stop. What END waits for after that has its time: a stop that came before the call does not
 * count. */
int patience_wait(const int *stop, int fd, short events, int ms);
#endif
