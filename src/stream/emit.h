/* SPDX-License-Identifier: GPL-2.0-or-later */
/* emit: a sink that writes a trace as a stream of frames (docs/STREAM.md), for dwire merge and other readers. */
#ifndef DWIRE_STREAM_EMIT_H
#define DWIRE_STREAM_EMIT_H
#include <stdio.h>

#include "base/diag/report.h"
#include "options/options.h"
#include "record/sink.h"
#include "stream/census.h"

struct emit_to {
	FILE *out;                     /* these are borrowed; they outlive the sink */
	const struct options *options; /* setopt() may change them */
	const struct reporter *report; /* drops and faults are messages as well; may be NULL */
	const int *stop;               /* print/patience.h; may be NULL */
	const struct image *image;
	const char *script; /* all texts of the program, one after the other */
	size_t script_len;
	const char *made_of; /* the script that the others were generated of, for the hash; NULL: the texts */
	size_t made_of_len;
	const bool *whole; /* true: the next beat carries whole states; may be NULL */
	const char *hash;  /* of the script, of a stream that is passed on; NULL: it is made of the script */
};

/* The next row is one more of the step of the row before it. */
void emit_again(struct sink *s);
/* Which machines of a merge report. */
void emit_hosts(struct sink *s, const struct census *c);
/* What another stream has lost. */
void emit_lost(struct sink *s, const char *cause, uint64_t n, const char *text);

/* NULL: no memory. sink_free() frees it. */
struct sink *emit_sink_new(const struct emit_to *to);
#endif
