/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfmap: functions that a process compiled at run time (Java, Node, Python, .NET). The process lists them in
 * /tmp/perf-PID.map, in lines "START SIZE NAME", START and SIZE in hex. Anyone can write to /tmp, so a file counts only
 * if it belongs to the user of the process, or to root. Files are read in the sandbox. */
#ifndef DWIRE_SYMBOLS_PERFMAP_H
#define DWIRE_SYMBOLS_PERFMAP_H
#include <stdint.h>
#include <sys/types.h>

#include "symbols/sandbox/sandbox.h"

#define PERFMAP_MOST ((off_t)64 << 20) /* bytes of a file; a larger one is not read */

struct perfmap;

/* Opens, by safeopen(), the list of a process of user uid. A descriptor; -errno; -EPERM: it belongs to another user. */
int perfmap_open(int root, const char *path, uid_t uid) __attribute__((warn_unused_result));
/* Reads the open file, which stays the caller's. s NULL: in this process. 0; -EFBIG: larger than PERFMAP_MOST; -errno
 * of sandbox_run(). */
int perfmap_read(struct sandbox *s, int fd, struct perfmap **out) __attribute__((warn_unused_result));
void perfmap_free(struct perfmap *m); /* NULL is fine */
size_t perfmap_bytes(const struct perfmap *m);
/* The name of the function at addr, owned by m; NULL: none. *off: the distance from its start. */
const char *perfmap_find(const struct perfmap *m, uint64_t addr, uint64_t *off);
#endif
