/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters: reads the kernel's network counters and reports how much each has changed. */
#ifndef DWIRE_NAMESPACES_COUNTERS_H
#define DWIRE_NAMESPACES_COUNTERS_H
struct counters;
struct reporter;
struct zones;

/* netns: names or numbers of network namespaces with commas between them, whose counters are added up; NULL: that of
 * this process. Warns of one that is not found. NULL: no memory, or no way back from a namespace. */
struct counters *counters_new(struct zones *z, const char *netns, const struct reporter *to);
void counters_free(struct counters *c);
/* A line for each counter that has moved since the last call: its name as nstat(8) has it, by how much. The first call
 * only reads them. Owned by c, valid until the next call. */
const char *counters_moved(struct counters *c);
#endif
