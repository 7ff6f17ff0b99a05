/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plain: shows a man page where there is no man(1): the few requests of man(7) that dwire's pages use. */
#ifndef DWIRE_CLI_MAN_PLAIN_H
#define DWIRE_CLI_MAN_PLAIN_H
#include <stddef.h>
#include <stdio.h>

void plain_page(const char *roff, size_t len, FILE *out);
#endif
