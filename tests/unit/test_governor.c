/* SPDX-License-Identifier: GPL-2.0-or-later */
/* governor: the rate of sampling of traces whose cost falls with it, does not fall with it, or comes and goes. */
#include "session/governor.h"
#include "unit.h"

#define LIMIT 20000 /* 2 % in parts per million */

/* A trace takes `fixed` always and `all` for every firing that runs. Looks until it keeps to the limit. Returns how
 * many looks that took; -1: the governor gave up. */
static int settle(struct governor *g, uint64_t fixed, uint64_t all)
{
	for (int i = 0; i < 40; i++) {
		uint64_t took = fixed + all / g->rate;

		if (!governor_look(g, took, LIMIT))
			return -1;
		if (took <= LIMIT)
			return i;
	}
	return 40;
}

static void test_rises(void)
{
	static const struct {
		uint64_t fixed, all;
		uint64_t least;
		int looks;
		uint64_t rate;
	} rows[] = {
		{ 0, 20000, 1, 0, 1 }, /* just at the limit */
		{ 0, 20001, 1, 1, 2 }, { 0, 100000, 1, 1, 8 },
		{ 10000, 500000, 1, 2, 64 }, /* 25.5 times: 32, and then still too much */
		{ 0, 900000, 100, 0, 100 }, { 0, 9000000, 100, 1, 800 }, { 21000, 0, 1, -1, 0 }, /* no rate helps */
	};

	for (size_t i = 0; i < ROWS(rows); i++) {
		struct governor g;
		int n;

		governor_init(&g, rows[i].least);
		n = settle(&g, rows[i].fixed, rows[i].all);
		CHECK(n == rows[i].looks, "row %zu: %d looks", i, n);
		CHECK(!rows[i].rate || g.rate == rows[i].rate, "row %zu: 1 in %llu", i, (unsigned long long)g.rate);
		CHECK(g.rate <= SAMPLE_MOST, "row %zu: 1 in %llu", i, (unsigned long long)g.rate);
	}
}

/* It falls by half after three looks with room, never below the least, and does not swing at a steady load. */
static void test_falls(void)
{
	struct governor g;
	uint64_t most = 0;

	governor_init(&g, 4);
	EXPECT(settle(&g, 0, 4000000) >= 0 && g.rate > 100);
	for (int i = 0; i < 100; i++)
		EXPECT(governor_look(&g, 0, LIMIT));
	CHECK(g.rate == 4, "1 in %llu", (unsigned long long)g.rate);
	EXPECT(settle(&g, 0, 4000000) >= 0);
	most = g.rate;
	for (int i = 0; i < 100; i++) {
		EXPECT(governor_look(&g, 4000000 / g.rate, LIMIT));
		CHECK(4000000 / g.rate <= LIMIT && g.rate <= most, "1 in %llu", (unsigned long long)g.rate);
	}
}

int main(void)
{
	test_rises();
	test_falls();
	return unit_end();
}
