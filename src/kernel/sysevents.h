/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysevents: the tracepoints of single system calls, as perf events. One costs the other system calls a few
 * nanoseconds; a program at sys_enter or sys_exit runs for all of them. */
#ifndef DWIRE_KERNEL_SYSEVENTS_H
#define DWIRE_KERNEL_SYSEVENTS_H
#include <stdbool.h>
#include <stddef.h>

struct sysevents;

/* NULL: no memory. */
struct sysevents *sysevents_new(void);
/* Closes what was not taken; NULL is fine. */
void sysevents_free(struct sysevents *s);
/* Can the event be had here? at: "sys_enter" or "sys_exit"; call: "connect". */
bool sysevents_has(struct sysevents *s, const char *at, const char *call);
/* A descriptor of the event, the caller's, not enabled; -errno. */
int sysevents_take(struct sysevents *s, const char *at, const char *call);
/* ... of any tracepoint: "GROUP/NAME". */
int sysevents_open(const char *target);
#endif
