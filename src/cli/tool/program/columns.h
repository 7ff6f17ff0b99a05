/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns: which columns a row shows: those of the tool's head, and the common ones that every tool can show where its
 * script knows them (-o, --wide, --by). */
#ifndef DWIRE_CLI_TOOL_PROGRAM_COLUMNS_H
#define DWIRE_CLI_TOOL_PROGRAM_COLUMNS_H
#include "cli/tool/head.h"

/* What a clause knows of its event, as D expressions; NULL: not known. Borrowed. */
struct subject {
	const char *cs; /* a csinfo_t * */
	const char *lport, *rport, *laddr, *raddr;
	const char *device;
	/* Of data: of a segment, a datagram or a call; of another packet all from the IP header on. */
	const char *bytes;
	/* In a replay, instead of them: by common column the number of its (first) value in the row; -1: not known. */
	const int *slots;
};

/* name, JSON name, format, wide format, D expression with $ for the csinfo_t *. The first three are the row's own: its
 * time, the seconds since the start, the number of the interval. Those from PID to POD_NAMESPACE are the
 * process's. */
#define COMMON_COLUMNS(X)                                                                                          \
	X(TIME, "TIME", "time", "%#-8T", "", "walltimestamp")                                                      \
	X(SECS, "TIME(s)", "time_s", "%4d.%03d", "", "")                                                           \
	X(INTERVAL, "INTERVAL", "interval", "%8d", "", "")                                                         \
	X(PID, "PID", "pid", "%#-7d", "", "(int64_t)$->cs_pid")                                                    \
	X(TID, "TID", "tid", "%#-7d", "", "(int64_t)$->cs_tid")                                                    \
	X(COMM, "COMM", "comm", "%#-16s", "", "$->cs_execname")                                                    \
	X(UID, "UID", "uid", "%#-5d", "", "$->cs_pid == -1 && $->cs_addr == 0 ? (int64_t)-1 : (int64_t)$->cs_uid") \
	X(ZONE, "ZONE", "zone", "%#-12s", "", "$->cs_zonename")                                                    \
	X(NETNS, "NETNS", "netns", "%#-10d", "", "$->cs_netns == 0 ? (int64_t)-1 : (int64_t)$->cs_netns")          \
	X(CGROUP, "CGROUP", "cgroup", "%#-20s", "", "$->cs_cgroupname")                                            \
	X(CONTAINER, "CONTAINER", "container", "%#-12s", "", "$->cs_container")                                    \
	X(CONTAINER_NAME, "CONTAINER_NAME", "container_name", "%#-16s", "", "$->cs_containername")                 \
	X(POD, "POD", "pod", "%#-24s", "", "$->cs_podname")                                                        \
	X(POD_NAMESPACE, "POD_NAMESPACE", "pod_namespace", "%#-16s", "", "$->cs_podnamespace")                     \
	X(LADDR, "LADDR", "laddr", "%#-15s", "%#-39s", "")                                                         \
	X(LPORT, "LPORT", "lport", "%#-5d", "", "")                                                                \
	X(RADDR, "RADDR", "raddr", "%#-15s", "%#-39s", "")                                                         \
	X(RPORT, "RPORT", "rport", "%#-5d", "", "")                                                                \
	X(DEVICE, "DEVICE", "device", "%#-11s", "", "")                                                            \
	X(BYTES, "BYTES", "bytes", "%#8B", "", "")

enum common {
#define X(name, ...) COMMON_##name,
	COMMON_COLUMNS(X)
#undef X
		COMMON_COUNT,
	COMMON_NONE = COMMON_COUNT,
};

#define MAX_SHOWN (MAX_COLUMNS + COMMON_COUNT)

/* One column of what is printed. */
struct shown {
	const struct column *col; /* borrowed: of the row, or a common one */
	enum common common;
	size_t first;  /* of a row's own column: the number of its first conversion in the row */
	size_t value;  /* of a column of values: the number of it among them */
	bool is_value; /* it shows an aggregation */
	bool missing;  /* the row has no such column: another row of the tool has */
};

struct layout {
	struct shown cols[MAX_SHOWN];
	size_t n;
	bool chosen; /* not the columns of the head alone, so keys and aggregations are others too */
};

/* Reads -o and --by, whose names must be columns of the tool; known: for each row, those that its clauses know. all: -o
 * takes the other common ones too, with a message. False after a message. */
bool columns_check(struct tool *t, const unsigned *known, bool all);
/* Writes the names that -o takes, with commas; known: only those of common columns that a row knows, or NULL. */
void columns_names(struct tool *t, const unsigned *known, char *text, size_t size);
/* --by groups rows of aggregations: without such a row in use, this sets the flag of the first one that has a flag, as
 * -c of tcpretrans; without any such row it adds one, with the number of the tool's rows and the sums of their bytes
 * (t->counted). False after a message. */
bool columns_take_by(struct tool *t);
/* Is the column an amount of bytes, which --by adds up? */
bool columns_is_bytes(const struct column *c);
/* Does a row of the tool's head have a column of that name in JSON, perhaps with others? */
bool columns_has(struct tool *t, const char *json);
/* A common column. Never NULL; static. */
const struct column *columns_common(enum common common);
/* What the output has of a row, in order. */
void columns_layout(struct tool *t, const struct row *r, unsigned known, struct layout *out);
/* The common columns that a clause knows, a bit each. */
unsigned columns_known(const struct subject *s);
/* Writes the D value of a common column other than TIME, SECS and INTERVAL; what is not known is -1 or "". In a replay
 * it writes the number of the value. */
void columns_put(enum common common, const struct subject *s, FILE *out);
/* The common columns among those known that a recording carries, besides the row's own: for a row of aggregations
 * those that make no other rows of it. */
unsigned columns_carried(struct tool *t, const struct row *r, unsigned known);
/* The conversions of a common column. */
const char *columns_format(enum common common);
/* Does the row show aggregations? */
bool columns_summary(const struct row *r);
/* Is a column of that name one that may be unknown: a common one? */
bool columns_nullable(const char *json);
#endif
