/* tracepoints: the groups that the kernel's tracepoints are in. */
#ifndef DWIRE_KERNEL_TRACEPOINTS_H
#define DWIRE_KERNEL_TRACEPOINTS_H
#include "base/strmap.h"

/* A descriptor of tracefs's folder of events, the caller's; -errno. */
int tracepoint_folder(void);
/* Name -> group, as const char *; empty where there is no tracefs. */
struct strmap *tracepoint_groups(struct arena *a);
/* The module that has the tracepoint name or, name NULL, one of those of the group; in the arena. NULL: none has.
 * Costs a look through all symbols. */
const char *tracepoint_module(struct arena *a, const char *group, const char *name);
#endif
