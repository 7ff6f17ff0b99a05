/* SPDX-License-Identifier: GPL-2.0-or-later */
/* steps.h: a number of times, their sum, the longest, and their distribution, as the tools show them. */
#ifndef DWIRE_BENCH_STEPS_H
#define DWIRE_BENCH_STEPS_H
#define STEPS 16 /* of a distribution, from a time to its double; below that, one a microsecond */

struct times {
	u64 n, ns, most;
	u64 us[32 * STEPS];
};

static __always_inline u32 step(u64 us)
{
	u32 log = 0;

	if (us < STEPS)
		return us;
	if (us >> 31)
		us = 0x7fffffff;
	for (u32 s = 16; s; s >>= 1)
		if (us >> (log + s))
			log += s;
	return (log - 3) * STEPS + ((us >> (log - 4)) & (STEPS - 1));
}

/* Where nothing interrupts. */
static __always_inline void times_add(struct times *t, u64 ns)
{
	u32 at;

	t->n++;
	t->ns += ns;
	ns /= 1000;
	if (ns > t->most)
		t->most = ns;
	at = step(ns);
	barrier_var(at); /* the verifier must see the test */
	if (at < 32 * STEPS)
		t->us[at]++;
}

/* An array of N of them for each CPU. */
#define TIMES(NAME, N)                                   \
	struct {                                         \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); \
		__uint(max_entries, N);                  \
		__type(key, u32);                        \
		__type(value, struct times);             \
	} NAME SEC(".maps")

static __always_inline void times_add_at(void *array, u32 at, u64 ns)
{
	struct times *t = bpf_map_lookup_elem(array, &at);

	if (t)
		times_add(t, ns);
}
#endif
