/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pages: the man pages that are inside the program, compressed; tools/gen_pages.py makes them when dwire is built. */
#ifndef DWIRE_CLI_MAN_PAGES_H
#define DWIRE_CLI_MAN_PAGES_H
#include <stddef.h>
#include <stdio.h>

#include "cli/message.h"

/* By zlib: for each page a line "\001NAME.SECTION", then its roff. Empty in builds that make no pages. */
extern const unsigned char pages_packed[];
extern const size_t pages_packed_size, pages_size;

/* `dwire man [--roff | --plain] [PAGE]`, with argv[0] "man". Without a page it lists them. Returns the exit status. */
int man_main(int argc, char **argv, const struct messages *m);
#endif
