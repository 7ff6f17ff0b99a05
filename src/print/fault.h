/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fault: what is said of a clause that failed, in DTrace's words. */
#ifndef DWIRE_PRINT_FAULT_H
#define DWIRE_PRINT_FAULT_H
#include <stdbool.h>
#include <stdio.h>

#include "abi/abi.h"
#include "image/image.h"

/* "dwire: error on enabled probe ID 1 (ID 1: dtrace:::BEGIN): divide-by-zero in action #1 at BPF pc 24"; tags: with
 * the fault's name in front (-x errtags). */
void fault_print(FILE *f, const struct dw_err *e, const struct image_probe *p, bool tags);
#endif
