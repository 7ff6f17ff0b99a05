/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame: what the writer and the reader of a stream have in common. docs/STREAM.md describes each frame. */
#ifndef DWIRE_STREAM_FRAME_H
#define DWIRE_STREAM_FRAME_H
#include <jansson.h>
#include <stdbool.h>

#include "image/image.h"

#define STREAM_VERSION 1
#define STREAM_BEAT_NS 1000000000ull /* a beat a second */
#define ORIGIN_BYTES 128             /* of the name before a line */
#define STREAM_WHOLE 10              /* each tenth beat carries whole states, the others what has changed */

/* The kinds of frames, and the word for each. */
#define FRAMES(X)                                                                  \
	X(HELLO, "hello")       /* the machine and the session; comes first */     \
	X(OPTIONS, "options")   /* how text is laid out; again after setopt() */   \
	X(CLAUSE, "clause")     /* a clause on a probe: what its rows hold */      \
	X(AGG, "agg")           /* an aggregation: what its states are */          \
	X(STATE, "state")       /* keys of an aggregation with their states */     \
	X(ROW, "row")           /* what a step recorded */                         \
	X(ROWS, "rows")         /* what another clause recorded, some times */     \
	X(REST, "rest")         /* the end shows these aggregations */             \
	X(SNAPSHOT, "snapshot") /* the script called snapshot() */                 \
	X(FAULT, "fault")                                                          \
	X(DROPS, "drops")                                                          \
	X(HOSTS, "hosts") /* which machines report, in a stream that is a merge */ \
	X(BEAT, "beat")   /* the session is alive, and complete up to now */       \
	X(END, "end")

enum frame {
#define X(kind, word) FRAME_##kind,
	FRAMES(X)
#undef X
		FRAME_COUNT
};

/* Words of actions. Those without a word do not appear in a stream. */
#define FRAME_ACTIONS(X)            \
	X(ACT_TRACE, "trace")       \
	X(ACT_TRACEMEM, "tracemem") \
	X(ACT_PCAP, "pcap")         \
	X(ACT_PRINT, "print")       \
	X(ACT_PRINTF, "printf") X(ACT_PRINTA, "printa") X(ACT_TRUNC, "trunc") X(ACT_CLEAR, "clear")

/* Options that say how text is laid out, and where they are. A reader sets them by name. */
#define FRAME_FLAGS(X)                \
	X("quiet", quiet)             \
	X("flowindent", flowindent)   \
	X("rawbytes", rawbytes)       \
	X("csvsafe", csvsafe)         \
	X("aggsortkey", agg.sort_key) \
	X("aggsortrev", agg.sort_rev) \
	X("aggsortsum", agg.sort_sum) X("agghist", agg.hist) X("aggpack", agg.pack) X("aggzoom", agg.zoom)
#define FRAME_NUMBERS(X)              \
	X("strsize", strsize)         \
	X("stackindent", stackindent) \
	X("aggsortkeypos", agg.key_pos) X("aggsortpos", agg.agg_pos) X("aggrows", agg.rows)

/* A line as a frame; NULL: it is none. Free it with json_decref(). The text before its object names the machine:
 * programs that run commands on many put their names there, as in "web1: {...}". origin: that name, cut to fit; "":
 * none. The first ": " ends the name, so that what a machine writes before its frames is no other name. */
json_t *frame_read(const char *line, size_t len, char origin[ORIGIN_BYTES]);
/* The name before any line, frame or not; "" if there is none. */
void frame_origin(const char *line, size_t len, char origin[ORIGIN_BYTES]);
/* A member that is a number, which beyond 2^53 is a text; 0 if there is none. */
uint64_t frame_number(const json_t *frame, const char *name);
/* A member that is a text; "" if there is none. */
const char *frame_text(const json_t *frame, const char *name);
/* Does a row of a frame of rows begin as it should? [ns since the frame's time, CPU, items…] */
bool frame_is_grouped(const json_t *row);
/* "row" */
const char *frame_word(enum frame kind);
/* FRAME_COUNT: there is no such kind. */
enum frame frame_kind(const char *word);
/* "printf"; NULL: such an action has no word. */
const char *frame_action_word(enum action_kind kind);
/* False: there is no such action. word may be NULL. */
bool frame_action_kind(const char *word, enum action_kind *out);
/* A step is a clause that fires once on each machine, or shows aggregations: the n-th of all machines belong
 * together. */
bool frame_is_step(const struct epid *ep, const struct image_probe *p);
#endif
