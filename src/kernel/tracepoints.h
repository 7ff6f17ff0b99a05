/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracepoints: lists the kernel's tracepoints in tracefs with their groups and records. */
#ifndef DWIRE_KERNEL_TRACEPOINTS_H
#define DWIRE_KERNEL_TRACEPOINTS_H
#include "base/strmap.h"
#include "base/vec.h"
#include "kernel/tpformat.h"

/* A descriptor of tracefs's folder of events, the caller's; -errno. */
int tracepoint_folder(void);
struct tracepoint {
	const char *group, *name;
};
struct tracepoint_list {
	struct strmap *groups; /* name -> group, as const char * */
	VEC(struct tracepoint) all;
};
/* Empty where there is no tracefs. calls: also those of single system calls. */
struct tracepoint_list tracepoints_read(struct arena *a, bool calls);
/* Is one of the name in some group? */
bool tracepoint_exists(const char *name);
/* What the records of "GROUP/NAME" have. 0 or -errno. */
int tracepoint_format(struct arena *a, const char *target, struct tpformat *out) __attribute__((warn_unused_result));
#endif
