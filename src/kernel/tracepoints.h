/* tracepoints: the groups that the kernel's tracepoints are in. */
#ifndef DWIRE_KERNEL_TRACEPOINTS_H
#define DWIRE_KERNEL_TRACEPOINTS_H
#include "base/strmap.h"

/* A descriptor of tracefs's folder of events, the caller's; -errno. */
int tracepoint_folder(void);
/* Name -> group, as const char *; empty where there is no tracefs. */
struct strmap *tracepoint_groups(struct arena *a);
#endif
