/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracepoints: the kernel's tracepoints in tracefs, their groups and records. */
#ifndef DWIRE_KERNEL_TRACEPOINTS_H
#define DWIRE_KERNEL_TRACEPOINTS_H
#include "base/strmap.h"
#include "base/vec.h"
#include "kernel/events/tpformat.h"

/* A descriptor of the events folder of tracefs, owned by the caller; -errno. */
int tracepoint_folder(void);
struct tracepoint {
	const char *group, *name;
};
struct tracepoint_list {
	struct strmap *groups; /* name -> group, as const char * */
	VEC(struct tracepoint) all;
};
/* Empty if there is no tracefs. calls: include the tracepoints of single system calls. */
struct tracepoint_list tracepoints_read(struct arena *a, bool calls);
/* Does any group have a tracepoint of this name? */
bool tracepoint_exists(const char *name);
/* The fields in records of "GROUP/NAME". 0 or -errno. */
int tracepoint_format(struct arena *a, const char *target, struct tpformat *out) __attribute__((warn_unused_result));
#endif
