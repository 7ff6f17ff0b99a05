/* SPDX-License-Identifier: GPL-2.0-or-later */
/* letters: the options of the dwire command, for those who run it and those who pass them on. */
#ifndef DWIRE_CLI_LETTERS_H
#define DWIRE_CLI_LETTERS_H

/* Options without a letter. */
enum { OPT_DUMP = 256, OPT_LIBXO, OPT_EMIT, OPT_COST, OPT_FLAME, OPT_HEAT, OPT_GRAPH };

/* getopt_long() with these options: the next one's letter or number, '?' or ':' after an error, -1 at the end. Prints
 * nothing. */
int letters_next(int argc, char **argv);
#endif
