/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Uses the CPU at a known place: main calls burn_outer, which calls burn_inner, which loops for some milliseconds of
 * the thread's own time and then sleeps for as long.  Output: pid, and the thread's CPU time as the kernel counts it.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -m MS  milliseconds (default 200)\n  -r ROUNDS  (default 1)\nPrints: pid name cpu_ns.\n";

static unsigned long long cpu_ns(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (unsigned long long)t.tv_sec * 1000000000u + (unsigned long long)t.tv_nsec;
}

unsigned long long burn_inner(unsigned long long ns);
unsigned long long burn_outer(unsigned long long ns, unsigned int rounds);

__attribute__((noinline)) unsigned long long burn_inner(unsigned long long ns)
{
	unsigned long long end = cpu_ns() + ns, n = 0;

	do
		for (volatile unsigned int i = 0; i < 100000; i++)
			n++;
	while (cpu_ns() < end);
	return n;
}

__attribute__((noinline)) unsigned long long burn_outer(unsigned long long ns, unsigned int rounds)
{
	unsigned long long n = 0;

	for (unsigned int i = 0; i < rounds; i++) {
		n += burn_inner(ns);
		usleep((useconds_t)(ns / 1000));
	}
	return n + 1;
}

int main(int argc, char **argv)
{
	unsigned int ms = 200, rounds = 1;
	struct trig t;
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "m:r:")) != -1)
		if (trig_option(&t, c, optarg))
			continue;
		else if (c == 'm')
			ms = (unsigned int)trig_number(optarg, 1, 10000);
		else
			rounds = (unsigned int)trig_number(optarg, 1, 1000);
	trig_start(&t);
	trig_set_name("dw_burn");
	printf("pid=%d\nname=dw_burn\n", (int)getpid());
	fflush(stdout);
	if (!burn_outer((unsigned long long)ms * 1000000u, rounds))
		return 1;
	printf("cpu_ns=%llu\n", cpu_ns());
	return 0;
}
