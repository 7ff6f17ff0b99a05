/* SPDX-License-Identifier: GPL-2.0-or-later */
/* preproc: -C: runs scripts through the C preprocessor before they are parsed. */
#ifndef DWIRE_COMPILE_PREPROC_H
#define DWIRE_COMPILE_PREPROC_H
#include <stdio.h>

#include "compile/compile.h"

/* Replaces the text of each script by the output of the preprocessor, whose marks (# LINE "FILE") keep the places of
 * errors right. 0, or -errno with a diagnostic. */
int preproc_texts(struct compilation *c) __attribute__((warn_unused_result));
#endif
