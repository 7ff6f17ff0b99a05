/* SPDX-License-Identifier: GPL-2.0-or-later */
/* budget: the time and memory that the files of one user may cost. A process is cheap to make, so all processes of a
 * user share one budget. Time comes back while a trace runs, memory when it is freed. */
#ifndef DWIRE_SYMBOLS_SANDBOX_BUDGET_H
#define DWIRE_SYMBOLS_SANDBOX_BUDGET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BUDGET_NS 10000000000ull         /* of CPU time at once; a twentieth of the time that passes comes back */
#define BUDGET_BYTES ((size_t)512 << 20) /* held at once */

struct budget {
	struct budget *next;
	uid_t uid;
	uint64_t ns; /* left */
	uint64_t at; /* when that was so: CLOCK_MONOTONIC */
	size_t bytes;
	bool reported; /* that it is used up */
};

/* The budget of this user in the list; made when it is not there. NULL: no memory. */
struct budget *budget_of(struct budget **all, uid_t uid);
void budgets_free(struct budget *all);
/* Is anything left? */
bool budget_left(struct budget *b);
void budget_spend(struct budget *b, uint64_t ns);
#endif
