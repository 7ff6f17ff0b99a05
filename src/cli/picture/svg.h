/* SPDX-License-Identifier: GPL-2.0-or-later */
/* svg: what the pictures have in common. They take the width that they are given, in a page or alone; text keeps its
 * size, because positions across are parts of the width. */
#ifndef DWIRE_CLI_PICTURE_SVG_H
#define DWIRE_CLI_PICTURE_SVG_H
#include <stdbool.h>
#include <stdio.h>

struct svg {
	FILE *out;         /* borrowed */
	bool alone;        /* a file by itself; else a part of a page, which has the styles of svg_styles() */
	unsigned width;    /* of a picture with coordinates of its own, which is scaled as a whole; 0: see above */
	const char *title; /* read aloud; the heading of a file */
};

/* The style sheet of the pictures, for light and dark. */
void svg_styles(FILE *out);
/* height: pixels. Returns how many of them a heading takes: everything begins below it. */
unsigned svg_begin(const struct svg *s, unsigned height);
void svg_end(const struct svg *s);
#endif
