/* SPDX-License-Identifier: GPL-2.0-or-later */
/* welcome: what `dwire` alone shows. */
#ifndef DWIRE_CLI_WELCOME_H
#define DWIRE_CLI_WELCOME_H
#include <stdio.h>

void welcome(FILE *out);
#endif
