/* fault: what is said of a clause that failed, in DTrace's words. */
#ifndef DWIRE_RUN_FAULT_H
#define DWIRE_RUN_FAULT_H
#include "ir/abi.h"
#include "ir/image.h"
#include <stdbool.h>
#include <stdio.h>

/* "dwire: error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): divide-by-zero in action #1 at BPF pc 24"; tags: with
 * the fault's name in front (-x errtags). */
void fault_print(FILE *f, const struct dw_err *e, const struct image_probe *p, bool tags);
#endif
