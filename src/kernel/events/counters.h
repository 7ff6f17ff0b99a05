/* SPDX-License-Identifier: GPL-2.0-or-later */
/* counters: the software and hardware events that perf_event_open(2) counts.
 * Hardware events have their names of perf(1), with _ for -, and PAPI's names for the same events. */
#ifndef DWIRE_KERNEL_COUNTERS_H
#define DWIRE_KERNEL_COUNTERS_H
#include <stdbool.h>
#include <stdint.h>

/* Columns: name; type and config of struct perf_event_attr; the lowest allowed count between two firings; a usual
 * count; what is counted. Some events are so frequent that a small count would leave the CPU no time for anything else.
 * The clocks count nanoseconds; like profile, they fire at most 5000 times a second. */
#define COUNTER_CLOCK(X, name, config, what) X(name, SOFTWARE, PERF_COUNT_SW_##config, 200000, 1000000, what)
#define COUNTER_SOFT(X, name, config, what) X(name, SOFTWARE, PERF_COUNT_SW_##config, 1, 1000, what)
#define COUNTER_HARD(X, name, config, what) X(name, HARDWARE, PERF_COUNT_HW_##config, 5000, 1000000, what)
#define COUNTER_CACHE(X, name, cache, op, result, what)                          \
	X(name, HW_CACHE,                                                        \
		PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
			PERF_COUNT_HW_CACHE_RESULT_##result << 16,               \
		5000, 100000, what)
/* clang-format off */
#define COUNTERS(X) \
	COUNTER_CLOCK(X, cpu_clock, CPU_CLOCK, "nanoseconds of a CPU") \
	COUNTER_CLOCK(X, task_clock, TASK_CLOCK, "nanoseconds of a CPU, by the clock of threads") \
	COUNTER_SOFT(X, page_faults, PAGE_FAULTS, "page faults") \
	COUNTER_SOFT(X, minor_faults, PAGE_FAULTS_MIN, "page faults that need no disk") \
	COUNTER_SOFT(X, major_faults, PAGE_FAULTS_MAJ, "page faults that wait for a disk") \
	COUNTER_SOFT(X, context_switches, CONTEXT_SWITCHES, "switches from one thread to another") \
	COUNTER_SOFT(X, cpu_migrations, CPU_MIGRATIONS, "threads that get another CPU") \
	COUNTER_SOFT(X, alignment_faults, ALIGNMENT_FAULTS, "accesses to misaligned addresses that the kernel mends") \
	COUNTER_SOFT(X, emulation_faults, EMULATION_FAULTS, "instructions that the kernel emulates") \
	COUNTER_HARD(X, cpu_cycles, CPU_CYCLES, "cycles") \
	COUNTER_HARD(X, instructions, INSTRUCTIONS, "instructions") \
	COUNTER_HARD(X, cache_references, CACHE_REFERENCES, "accesses to the last cache") \
	COUNTER_HARD(X, cache_misses, CACHE_MISSES, "misses of the last cache") \
	COUNTER_HARD(X, branch_instructions, BRANCH_INSTRUCTIONS, "branches") \
	COUNTER_HARD(X, branch_misses, BRANCH_MISSES, "branches that were predicted wrongly") \
	COUNTER_HARD(X, bus_cycles, BUS_CYCLES, "cycles of the bus") \
	COUNTER_HARD(X, stalled_cycles_frontend, STALLED_CYCLES_FRONTEND, "cycles that wait for instructions") \
	COUNTER_HARD(X, stalled_cycles_backend, STALLED_CYCLES_BACKEND, "cycles that wait for results") \
	COUNTER_HARD(X, ref_cycles, REF_CPU_CYCLES, "cycles at the processor's nominal rate") \
	COUNTER_CACHE(X, L1_dcache_loads, L1D, READ, ACCESS, "reads from the first data cache") \
	COUNTER_CACHE(X, L1_dcache_load_misses, L1D, READ, MISS, "reads that miss the first data cache") \
	COUNTER_CACHE(X, L1_icache_load_misses, L1I, READ, MISS, "misses of the first instruction cache") \
	COUNTER_CACHE(X, LLC_loads, LL, READ, ACCESS, "reads from the last cache") \
	COUNTER_CACHE(X, LLC_load_misses, LL, READ, MISS, "reads that miss the last cache") \
	COUNTER_CACHE(X, dTLB_load_misses, DTLB, READ, MISS, "reads that miss the data TLB") \
	COUNTER_CACHE(X, iTLB_load_misses, ITLB, READ, MISS, "instruction fetches that miss the instruction TLB") \
	COUNTER_HARD(X, PAPI_tot_cyc, CPU_CYCLES, "cycles") \
	COUNTER_HARD(X, PAPI_tot_ins, INSTRUCTIONS, "instructions") \
	COUNTER_HARD(X, PAPI_ref_cyc, REF_CPU_CYCLES, "cycles at the processor's nominal rate") \
	COUNTER_HARD(X, PAPI_br_ins, BRANCH_INSTRUCTIONS, "branches") \
	COUNTER_HARD(X, PAPI_br_msp, BRANCH_MISSES, "branches that were predicted wrongly") \
	COUNTER_HARD(X, PAPI_res_stl, STALLED_CYCLES_BACKEND, "cycles that wait for results") \
	COUNTER_HARD(X, PAPI_l3_tca, CACHE_REFERENCES, "accesses to the last cache") \
	COUNTER_HARD(X, PAPI_l3_tcm, CACHE_MISSES, "misses of the last cache") \
	COUNTER_CACHE(X, PAPI_l1_ldm, L1D, READ, MISS, "reads that miss the first data cache") \
	COUNTER_CACHE(X, PAPI_l1_icm, L1I, READ, MISS, "misses of the first instruction cache") \
	COUNTER_CACHE(X, PAPI_tlb_dm, DTLB, READ, MISS, "reads that miss the data TLB") \
	COUNTER_CACHE(X, PAPI_tlb_im, ITLB, READ, MISS, "instruction fetches that miss the instruction TLB")
/* clang-format on */

/* An event, its mode ("user", "kernel" or "all": where it is counted) and the number of events between two firings. */
struct counter {
	const char *name;
	unsigned mode;
	uint64_t count, least; /* least: the lowest allowed count */
};

/* Parses "EVENT-MODE" or "EVENT-MODE-COUNT". False: there is no such event or mode. The count is 0 if it is missing or
 * not a number. */
bool counter_parse(const char *text, struct counter *out);
/* Opens "EVENT-MODE" on a CPU, disabled, to fire every `period` events. A read returns its count and the time that it
 * was enabled. Returns a descriptor, owned by the caller, or -errno: ENOENT, EOPNOTSUPP: this machine does not count
 * such events; EINVAL: unknown name. */
int counter_open(const char *target, unsigned cpu, uint64_t period) __attribute__((warn_unused_result));
/* Does this machine count such events? True as well if only the permission is missing. */
bool counter_there(const char *target);
#endif
