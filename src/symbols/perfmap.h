/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfmap: functions that a process has compiled while it runs (Java, Node, Python, .NET), as it writes them into
 * /tmp/perf-PID.map: lines "START SIZE NAME", in hex. */
#ifndef DWIRE_SYMBOLS_PERFMAP_H
#define DWIRE_SYMBOLS_PERFMAP_H
#include <stdint.h>
#include <sys/types.h>

struct perfmap;

/* The file of the user uid's process pid, which knows itself as nspid: in its own /tmp while it lives, else in ours.
 * NULL: there is none, or it is neither the user's nor root's. */
struct perfmap *perfmap_open(pid_t pid, pid_t nspid, uid_t uid);
struct perfmap *perfmap_open_file(const char *path, uid_t uid);
struct perfmap *perfmap_read(int fd, uid_t uid); /* closes fd, which may be -1 */
void perfmap_free(struct perfmap *m);            /* NULL is fine */
/* The name of the function; NULL: none is there. Owned by m. */
const char *perfmap_find(const struct perfmap *m, uint64_t addr, uint64_t *off);
#endif
