/* counters: the kernel's counters of the network of this process's namespace, and by how much they moved. */
#ifndef DWIRE_RUN_COUNTERS_H
#define DWIRE_RUN_COUNTERS_H

struct counters;

/* NULL: no memory. */
struct counters *counters_new(void);
void counters_free(struct counters *c);
/* A line for each counter that has moved since the last call: its name as nstat(8) has it, by how much. The first call
 * only reads them. Owned by c, valid until the next call. */
const char *counters_moved(struct counters *c);
#endif
