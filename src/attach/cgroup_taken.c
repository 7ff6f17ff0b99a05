/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cgroup_taken: see cgroup_taken.h.
 * Input: a cgroup, a kind of hook, the error of an attachment. Output: the end of an error message, empty without a
 * known reason.
 * Invariant: nothing is changed. */
#include "attach/cgroup_taken.h"

#include <errno.h>
#include <string.h>

#include "kernel/bpfsys.h"

const char *cgroup_taken(int err, int cgroup_fd, enum bpf_attach_type type)
{
	union bpf_attr attr;

	if (err == -E2BIG)
		return "; Linux lets no more than 64 programs be at a hook of a cgroup: end another trace, or trace "
		       "fewer probes at once";
	/* Without room for the programs' ids the kernel returns only their number. */
	if (err != -EPERM)
		return "";
	memset(&attr, 0, sizeof(attr));
	attr.query.target_fd = (uint32_t)cgroup_fd;
	attr.query.attach_type = type;
	err = bpfsys(BPF_PROG_QUERY, &attr);
	if (err && err != -ENOSPC)
		return "";
	if (!attr.query.prog_cnt || (attr.query.attach_flags & BPF_F_ALLOW_MULTI))
		return "";
	return "; another program was attached to this cgroup without BPF_F_ALLOW_MULTI, which keeps others out: find "
	       "it with 'bpftool cgroup show'";
}
