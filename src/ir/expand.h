/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expand: calls of which mostly a part is enough. Internal to the optimiser. */
#ifndef DWIRE_IR_EXPAND_H
#define DWIRE_IR_EXPAND_H
#include "ir/ir.h"

void ir_expand(struct ir *ir);
#endif
