/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lib_chill: chill() keeps a CPU busy for a given time (D manual, Actions and Subroutines); part of lib.bpf.c. Input:
 * ns. Output: none. */

#define CHILL_ROUNDS (1u << 23) /* the limit of bpf_loop() (Linux 5.17); a round takes some 30 ns */

static u64 (*const clock)(void) = (void *)5; /* ktime_get_ns */

struct chill {
	u64 start, ns;
};

long cb_chill(u64 i, struct chill *c)
{
	(void)i;
	return clock() - c->start >= c->ns;
}

/* Spins for ns nanoseconds, at most CHILL_ROUNDS rounds. */
u64 chill(u64 ns)
{
	struct chill c = { .start = clock(), .ns = ns };

	loop(CHILL_ROUNDS, cb_chill, &c, 0);
	loop(CHILL_ROUNDS, cb_chill, &c, 0);
	loop(CHILL_ROUNDS, cb_chill, &c, 0);
	return 0;
}
