/* SPDX-License-Identifier: GPL-2.0-or-later */
/* letters: see letters.h. */
#include "cli/letters.h"

#include <getopt.h>
#include <stddef.h>

int letters_next(int argc, char **argv)
{
	static const struct option longs[] = { { "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' }, { "dump", required_argument, NULL, OPT_DUMP },
		{ "libxo", required_argument, NULL, OPT_LIBXO }, { "emit", no_argument, NULL, OPT_EMIT },
		{ "cost", no_argument, NULL, OPT_COST }, { "flame", required_argument, NULL, OPT_FLAME },
		{ "heat", optional_argument, NULL, OPT_HEAT }, { "graph", required_argument, NULL, OPT_GRAPH }, { 0 } };

	opterr = 0;
	return getopt_long(argc, argv, ":n:s:P:m:f:i:3:6:b:x:c:p:o:D:U:I:L:X:CHFSGOlvqwZeVh", longs, NULL);
}
