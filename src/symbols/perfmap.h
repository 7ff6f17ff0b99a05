/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfmap: functions that a process has compiled while it runs (Java, Node, Python, .NET), as it writes them into
 * /tmp/perf-PID.map: lines "START SIZE NAME", in hex. /tmp is everybody's: a file counts only if it belongs to the
 * user of the process, or to root. Files are read in the sandbox. */
#ifndef DWIRE_SYMBOLS_PERFMAP_H
#define DWIRE_SYMBOLS_PERFMAP_H
#include <stdint.h>
#include <sys/types.h>

#include "symbols/sandbox/sandbox.h"

#define PERFMAP_MOST ((off_t)64 << 20) /* bytes of a file; a larger one is not read */

struct perfmap;

/* The list that a process of user uid has written, as safeopen(). A descriptor; -errno; -EPERM: it is another
 * user's. */
int perfmap_open(int root, const char *path, uid_t uid) __attribute__((warn_unused_result));
/* Reads the open file, which stays the caller's. s NULL: in this process. 0; -EFBIG: larger than PERFMAP_MOST; -errno
 * as of sandbox_run(). */
int perfmap_read(struct sandbox *s, int fd, struct perfmap **out) __attribute__((warn_unused_result));
void perfmap_free(struct perfmap *m); /* NULL is fine */
size_t perfmap_bytes(const struct perfmap *m);
/* The name of the function; NULL: none is there. Owned by m. */
const char *perfmap_find(const struct perfmap *m, uint64_t addr, uint64_t *off);
#endif
