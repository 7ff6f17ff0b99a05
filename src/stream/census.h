/* SPDX-License-Identifier: GPL-2.0-or-later */
/* census: how many of the machines of a merge report, and which do not. */
#ifndef DWIRE_STREAM_CENSUS_H
#define DWIRE_STREAM_CENSUS_H
#include <stdbool.h>
#include <stddef.h>

#define CENSUS_OUT 100u /* machines that are named; the others are a number */
#define CENSUS_TEXT 600u

/* How a machine is that does not report, and the words for it. */
#define HOST_STATES(X)                                                                  \
	X(MISSING, "missing")         /* nothing came of it */                          \
	X(STARTING, "starting")       /* its trace has not begun */                     \
	X(LEFT_OUT, "left out")       /* it runs another script or another version */   \
	X(ENDED_EARLY, "ended early") /* without its end: killed, or its way was cut */ \
	X(ENDED, "ended")             /* by itself */                                   \
	X(SILENT, "silent")           /* for two beats */                               \
	X(REPORTS, "reports")

enum host_state {
#define X(state, word) HOST_##state,
	HOST_STATES(X)
#undef X
		HOST_STATE_COUNT
};

struct census {
	size_t hosts, report;       /* all of them; those that report */
	size_t n[HOST_STATE_COUNT]; /* how many are in each state */
	size_t nout;                /* of out */
	struct {
		const char *name; /* borrowed */
		enum host_state state;
	} out[CENSUS_OUT]; /* those that do not report, as many as there is room for */
};

/* "silent" */
const char *census_word(enum host_state state);
/* HOST_STATE_COUNT: it is no word of a state. word may be NULL. */
enum host_state census_state(const char *word);
/* Adds a machine. name: borrowed. */
void census_add(struct census *c, const char *name, enum host_state state);
/* "2 of 3 hosts report; silent: web2", cut to fit. */
void census_text(const struct census *c, char out[CENSUS_TEXT]);
/* The state of the machine of that name: HOST_REPORTS also if it is not known. */
enum host_state census_of(const struct census *c, const char *name);
#endif
