/* SPDX-License-Identifier: GPL-2.0-or-later */
/* embedded: a text file that is compiled in: D, styles. dlib/gen_embed.py makes tables of them. */
#ifndef DWIRE_CLI_EMBEDDED_H
#define DWIRE_CLI_EMBEDDED_H
#include <stddef.h>

struct embedded {
	const char *name; /* without a folder */
	const char *text; /* ends with a NUL that len does not count */
	size_t len;
};
#endif
