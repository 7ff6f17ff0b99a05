/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stability: how far users may rely on a name and on the meaning of its data, and on which machines it exists. dwire
 * reports these triplets (-v). A user can require them (-x amin); a D program declares them (#pragma D attributes). */
#ifndef DWIRE_BASE_STABILITY_H
#define DWIRE_BASE_STABILITY_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Ascending: a combination is as stable as its least stable part. */
/* clang-format off */
#define STABILITY_LEVELS(X)                                                                               \
	X(INTERNAL, "Internal") X(PRIVATE, "Private") X(OBSOLETE, "Obsolete") X(EXTERNAL, "External")       \
	X(UNSTABLE, "Unstable") X(EVOLVING, "Evolving") X(STABLE, "Stable") X(STANDARD, "Standard")
#define STABILITY_CLASSES(X)                                                                              \
	X(UNKNOWN, "Unknown") X(CPU, "CPU") X(PLATFORM, "Platform") X(GROUP, "Group") X(ISA, "ISA")         \
	X(COMMON, "Common")
enum stability_level {
#define X(e, s) STAB_##e,
	STABILITY_LEVELS(X)
#undef X
	STAB_LEVELS
};
enum stability_class {
#define X(e, s) CLASS_##e,
	STABILITY_CLASSES(X)
#undef X
	CLASS_COUNT
};
/* clang-format on */

struct stability {
	uint8_t name, data; /* enum stability_level */
	uint8_t dep;        /* enum stability_class */
};

/* The stability of the D language itself, and the highest one. */
#define STABILITY_STABLE ((struct stability){ STAB_STABLE, STAB_STABLE, CLASS_COMMON })
#define STABILITY_MAX ((struct stability){ STAB_STANDARD, STAB_STANDARD, CLASS_COMMON })

/* Parses "Evolving/Stable/Common", in any case. False: not such a triplet. */
bool stability_parse(const char *text, struct stability *out);
/* The lower of both, for each of the three. */
struct stability stability_min(struct stability a, struct stability b);
/* Is a less than b in any of the three? */
bool stability_below(struct stability a, struct stability b);
/* "Stable/Stable/Common" */
const char *stability_text(struct stability s, char buf[64]);
/* The three lines of a report, indented by two tabs. */
void stability_print(struct stability s, FILE *out);
#endif
