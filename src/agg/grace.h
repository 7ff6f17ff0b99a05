/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grace: grace periods of RCU, waited for by a thread. */
#ifndef DWIRE_AGG_GRACE_H
#define DWIRE_AGG_GRACE_H
#include <stdbool.h>
#include <stdint.h>

struct grace;

/* NULL: this kernel does not tell when a period is over, or no memory. */
struct grace *grace_new(void);
/* Asks for a period from now on. Returns the request's number, from 1 on. */
uint64_t grace_ask(struct grace *g);
bool grace_is_over(struct grace *g, uint64_t asked);
/* Waits for a period that is under way. */
void grace_free(struct grace *g);
#endif
