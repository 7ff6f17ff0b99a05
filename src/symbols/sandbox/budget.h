/* SPDX-License-Identifier: GPL-2.0-or-later */
/* budget: limits the time and memory that the files of one user may cost. Processes are cheap to make, so all processes
 * of a user share one budget. The budget of time refills while a trace runs, that of memory when memory is freed. */
#ifndef DWIRE_SYMBOLS_SANDBOX_BUDGET_H
#define DWIRE_SYMBOLS_SANDBOX_BUDGET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BUDGET_NS 10000000000ull         /* CPU time; refills by a twentieth of the elapsed time */
#define BUDGET_BYTES ((size_t)512 << 20) /* bytes held at once */

struct budget {
	struct budget *next;
	uid_t uid;
	uint64_t ns; /* left */
	uint64_t at; /* CLOCK_MONOTONIC at which ns was current */
	size_t bytes;
	bool reported; /* the user was warned that it is used up */
};

/* The budget of this user in the list, made if it is missing. NULL: no memory. */
struct budget *budget_of(struct budget **all, uid_t uid);
void budgets_free(struct budget *all);
/* Are time and memory left? */
bool budget_left(struct budget *b);
void budget_spend(struct budget *b, uint64_t ns);
#endif
