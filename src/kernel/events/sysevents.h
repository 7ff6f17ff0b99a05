/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysevents: opens the tracepoints of single system calls as perf events. Such an event costs all other system calls
 * a few nanoseconds, whereas a program at sys_enter or sys_exit runs at each of them. */
#ifndef DWIRE_KERNEL_SYSEVENTS_H
#define DWIRE_KERNEL_SYSEVENTS_H
#include <stdbool.h>
#include <stddef.h>

struct sysevents;

/* NULL: no memory. */
struct sysevents *sysevents_new(void);
/* Closes the events that nobody took; NULL is fine. */
void sysevents_free(struct sysevents *s);
/* Does the kernel have the event, and may this process open events? at: "sys_enter" or "sys_exit"; call: "connect". */
bool sysevents_has(struct sysevents *s, const char *at, const char *call);
/* Returns a descriptor of the event, owned by the caller and not enabled; or -errno. */
int sysevents_take(struct sysevents *s, const char *at, const char *call);
/* The same for any tracepoint: "GROUP/NAME". */
int sysevents_open(const char *target);
#endif
