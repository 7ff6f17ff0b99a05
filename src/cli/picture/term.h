/* SPDX-License-Identifier: GPL-2.0-or-later */
/* term: a heat map in a terminal: a line for each interval, time downwards, values to the right. */
#ifndef DWIRE_CLI_PICTURE_TERM_H
#define DWIRE_CLI_PICTURE_TERM_H
#include <time.h>

#include "cli/picture/heat.h"

/* What was shown last, so that titles stand only where they change. A zeroed one has shown nothing. */
struct term_heat {
	FILE *out;      /* borrowed */
	bool colour;    /* 256 colours; else characters */
	unsigned width; /* columns of the terminal */
	char name[64];  /* of the distribution whose titles stand there */
	int64_t low;    /* its least bucket, and how many there were */
	size_t n;
	unsigned lines; /* since the titles */
	int64_t most;   /* that a cell counted: what the strongest colour stands for */
};

/* For a stream: colours if it is a terminal that has them, and NO_COLOR is not set. */
void term_heat_begin(struct term_heat *h, FILE *out);
/* The last column of each distribution. when: the time of day. last: of the trace, and left out if it is empty. */
void term_heat_column(struct term_heat *h, const struct tracks *all, time_t when, bool last);
#endif
