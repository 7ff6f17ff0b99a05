/* SPDX-License-Identifier: GPL-2.0-or-later */
/* attach: the table of attach kinds.
 * Input: a kind. Output: its properties (struct attach_info), which are constant.
 * Invariant: attach.h's X-macro makes both the enum and this table. */
#include "image/attach.h"

#include <linux/bpf.h>

#define BPF_PROG_TYPE_NETFILTER 32 /* headers before Linux 6.4 do not have it */

const struct attach_info *attach_info(enum attach_kind kind)
{
	static const struct attach_info table[] = {
#define X(kind, name, where, way, type, at) { name, where, WAY_##way, BPF_PROG_TYPE_##type, at },
		ATTACH_KINDS(X)
#undef X
	};

	return &table[kind];
}

bool attach_sees_packets(enum attach_kind kind)
{
	return kind == ATTACH_CGROUP_INGRESS || kind == ATTACH_CGROUP_EGRESS || kind == ATTACH_CGROUP_SOCKOPS;
}
