/* SPDX-License-Identifier: GPL-2.0-or-later */
/* budget: see budget.h. Invariant: ns <= BUDGET_NS. */
#include "symbols/sandbox/budget.h"

#include <stdlib.h>

#include "base/clock.h"

#define REFILL 20

/* A list serves: a machine has few users whose processes are traced. */
struct budget *budget_of(struct budget **all, uid_t uid)
{
	struct budget *b;

	for (b = *all; b; b = b->next)
		if (b->uid == uid)
			return b;
	b = calloc(1, sizeof(*b));
	if (!b)
		return NULL;
	b->uid = uid;
	b->ns = BUDGET_NS;
	b->at = clock_now();
	b->next = *all;
	*all = b;
	return b;
}

void budgets_free(struct budget *all)
{
	while (all) {
		struct budget *next = all->next;

		free(all);
		all = next;
	}
}

/* Time comes back at a twentieth of the time that passes, up to BUDGET_NS: a hostile user can take 5 % of a CPU in
 * the long run. */
bool budget_left(struct budget *b)
{
	uint64_t t = clock_now();

	b->ns += (t - b->at) / REFILL;
	b->at = t;
	if (b->ns > BUDGET_NS)
		b->ns = BUDGET_NS;
	return b->ns > 0 && b->bytes < BUDGET_BYTES;
}

/* More than is left may be spent at once, as the cost of a job is known only afterwards. */
void budget_spend(struct budget *b, uint64_t ns)
{
	b->ns -= ns < b->ns ? ns : b->ns;
}
