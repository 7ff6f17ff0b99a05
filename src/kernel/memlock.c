/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memlock: see memlock.h. Input: the kernel's release and this process's limit. Output: a raised limit.
 * A child process inherits the raised limit. The release decides, as there is no other sign that works when the limit
 * is used up: a kernel that only claims to be older gets a higher limit than it needs, which is harmless. */
#include "kernel/memlock.h"

#include <sys/resource.h>

#include "kernel/release.h"

/* Linux 5.11 counts BPF's memory for the control group instead (commit "bpf: Eliminate rlimit-based memory accounting
 * infra for bpf maps"). */
static bool counted(void)
{
	return release_before(5, 11);
}

bool memlock_limited(uint64_t *bytes)
{
	struct rlimit now;

	if (!counted() || getrlimit(RLIMIT_MEMLOCK, &now) < 0 || now.rlim_cur == RLIM_INFINITY)
		return false;
	*bytes = now.rlim_cur;
	return true;
}

bool memlock_raise(void)
{
	struct rlimit none = { .rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY }, now;
	uint64_t bytes;

	if (!memlock_limited(&bytes))
		return false;
	if (setrlimit(RLIMIT_MEMLOCK, &none) == 0)
		return true;
	if (getrlimit(RLIMIT_MEMLOCK, &now) < 0 || now.rlim_cur >= now.rlim_max)
		return false;
	now.rlim_cur = now.rlim_max;
	return setrlimit(RLIMIT_MEMLOCK, &now) == 0;
}
