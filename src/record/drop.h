/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drop: what a trace lost, by cause. */
#ifndef DWIRE_RECORD_DROP_H
#define DWIRE_RECORD_DROP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* name; DTrace's name (-x droptags) or NULL; DTrace's number in documents (10: none); singular, and what follows its
 * plural. Those up to SAMPLED are counted by the programs, in the order of enum dw_drop. */
/* clang-format off */
#define DROP_KINDS(X)                                                                        \
	X(RING, "PRINCIPAL", 0, "drop", "")                                                  \
	X(AGG, "AGGREGATION", 1, "aggregation drop", "")                                     \
	X(DYN, "DYNAMIC", 2, "dynamic variable drop", "")                                    \
	X(NEST, "SCRATCH", 10, "scratch nesting drop", "")                                   \
	X(OWNER, "OWNER", 10, "socket owner drop", "")                                       \
	X(SPEC, "SPECUNAVAIL", 7, "failed speculation", " (no speculative buffer available)") \
	X(SAMPLED, NULL, 10, "probe firing", " left out")                                       \
	X(SPEC_SIZE, "SPEC", 5, "speculative drop", "")                                      \
	X(ERROR, "DBLERROR", 9, "error", " in ERROR probe enabling")                         \
	X(RECORD, "RECORD", 10, "malformed record", "")                                      \
	X(MEMORY, "AGGREGATION", 1, "consumer aggregation drop", "")                         \
	X(MISSED, NULL, 10, "probe firing", " missed in ")                                   \
	X(NOTE, NULL, 10, "earlier event", " missed for ")                                   \
	X(TICK, NULL, 10, "tick firing", " missed (too late)")                               \
	X(PROFILE, NULL, 10, "profile firing", " missed (a CPU's clock did not fire)")
/* clang-format on */
enum drop_kind {
#define X(name, tag, number, what, after) DROP_##name,
	DROP_KINDS(X)
#undef X
		DROP_COUNT
};
#define DROP_NUMBERS 11 /* of DTrace, and one for all others */

struct drop {
	enum drop_kind kind;
	uint64_t n;        /* since the last report of the kind */
	uint64_t total;    /* of all kinds with the same number, since the start */
	int cpu;           /* -1: all */
	const char *probe; /* DROP_MISSED, DROP_NOTE: "tcp:ip:tcp_v4_rcv:receive"; else NULL */
	uint64_t rate;     /* DROP_SAMPLED: one in so many ran; else 0 */
	bool at_most;      /* n is an upper bound */
};

/* "RING" */
const char *drop_name(enum drop_kind k);
/* DTrace's name, or NULL. */
const char *drop_tag(enum drop_kind k);
/* DTrace's number; 10 when it has none. */
unsigned drop_number(enum drop_kind k);
/* "3 dynamic variable drops", "12 drops on CPU 0" (the CPU only if by_cpu). */
void drop_text(const struct drop *d, bool by_cpu, char *buf, size_t size);
#endif
