/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_preempt: does a kernel preempt threads in the kernel, by what it says of itself; and which sites at functions
 * are reached by kprobes then. */
#include "kernel/preempt.h"
#include "lower/tiers.h"
#include "unit.h"

static const struct {
	const char *text;
	enum preempts is;
} versions[] = {
	{ "#1 SMP PREEMPT_DYNAMIC Debian 6.12.117-1~deb12u1 (2026-11-14)", PREEMPTS_BY_MODE },
	{ "#1 SMP PREEMPT_DYNAMIC", PREEMPTS_BY_MODE },
	{ "#1 SMP PREEMPT_RT Debian 6.12.117-1 (2026-11-14)", PREEMPTS_SOFTIRQS },
	{ "#1 SMP PREEMPT Thu Nov 26 10:00:00 UTC 2026", PREEMPTS },
	{ "#1 SMP PREEMPT_LAZY Thu Nov 26 10:00:00 UTC 2026", PREEMPTS },
	{ "#46 SMP PREEMPT", PREEMPTS },
	{ "#1 SMP PREEMPT_DYNAMIC_LAZY x", PREEMPTS },
	{ "#1 SMP Debian 5.10.262-1 (2026-07-31)", PREEMPTS_NOT },
	{ "#1~NOPREEMPT SMP Debian", PREEMPTS_NOT },
	{ "PREEMPT", PREEMPTS },
	{ "x PREEMPT_RT", PREEMPTS_SOFTIRQS },
	{ "", PREEMPTS_NOT },
}, modes[] = {
	{ "none voluntary (full)", PREEMPTS },
	{ "none (voluntary) full", PREEMPTS_NOT },
	{ "(none) voluntary full lazy ", PREEMPTS_NOT },
	{ "full (lazy) ", PREEMPTS },
	{ "(full) lazy ", PREEMPTS },
	{ "none voluntary full", PREEMPTS_UNKNOWN },
	{ "none (voluntary", PREEMPTS_UNKNOWN },
	{ "()", PREEMPTS_UNKNOWN },
	{ "", PREEMPTS_UNKNOWN },
};

static const struct {
	int mode;
	enum preempts is;
} numbers[] = {
	{ -1, PREEMPTS_UNKNOWN },
	{ 0, PREEMPTS_NOT },
	{ 1, PREEMPTS_NOT },
	{ 2, PREEMPTS },
	{ 3, PREEMPTS },
	{ 4, PREEMPTS_UNKNOWN },
};

/* A kernel that preempts; before Linux 6.14 returns stay with fexit. */
static bool old(void *ctx, bool returns)
{
	(void)ctx;
	return !returns;
}

static bool later(void *ctx, bool returns)
{
	(void)ctx;
	(void)returns;
	return true;
}

static const struct {
	struct site site;
	enum tier tier;
	bool plain, old, later; /* by a kprobe, on a kernel that does not preempt, on those that do */
} sites[] = {
	{ { .attach = ATTACH_FENTRY }, TIER_FUNCTIONS, false, true, true },
	{ { .attach = ATTACH_FEXIT }, TIER_FUNCTIONS, false, false, true },
	{ { .attach = ATTACH_FEXIT, .entry_args = true }, TIER_FUNCTIONS, false, false, false },
	{ { .attach = ATTACH_FENTRY, .bh_off = true }, TIER_FUNCTIONS, false, false, false }, /* not preempted */
	{ { .attach = ATTACH_FENTRY }, TIER_KPROBES, true, true, true },
	{ { .attach = ATTACH_FEXIT }, TIER_KPROBES, true, true, true },
	{ { .attach = ATTACH_TP_BTF }, TIER_FUNCTIONS, false, false, false },
	{ { .attach = ATTACH_XDP_EXIT }, TIER_FUNCTIONS, false, false, false },
	{ { .attach = ATTACH_CGROUP_EGRESS }, TIER_HOOKS, false, false, false },
};

int main(void)
{
	for (size_t i = 0; i < ROWS(versions); i++)
		EXPECT_INT(preempt_of_version(versions[i].text), versions[i].is);
	for (size_t i = 0; i < ROWS(modes); i++)
		EXPECT_INT(preempt_of_modes(modes[i].text), modes[i].is);
	for (size_t i = 0; i < ROWS(numbers); i++)
		EXPECT_INT(preempt_of_mode(numbers[i].mode), numbers[i].is);
	for (size_t i = 0; i < ROWS(sites); i++) {
		struct lower_env env = { .no_jit = NULL };

		EXPECT_INT(site_by_kprobe(&env, &sites[i].site, sites[i].tier), sites[i].plain);
		env.kprobe_better = old;
		EXPECT_INT(site_by_kprobe(&env, &sites[i].site, sites[i].tier), sites[i].old);
		env.kprobe_better = later;
		EXPECT_INT(site_by_kprobe(&env, &sites[i].site, sites[i].tier), sites[i].later);
		EXPECT_INT(site_keeps_cpu(&env, &sites[i].site), sites[i].site.bh_off);
		env.preempts_softirqs = true;
		EXPECT_INT(site_keeps_cpu(&env, &sites[i].site), false);
		EXPECT_INT(site_by_kprobe(&env, &sites[i].site, sites[i].tier),
			sites[i].later || (sites[i].site.bh_off && !sites[i].site.entry_args));
	}
	return unit_end();
}
