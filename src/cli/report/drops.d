// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets that the kernel dropped, where, and why; not what a closed connection had left. */
ip:::drop
/ args[6]->drop_reason != "QUEUE_PURGE" /
{
	@drops = count();
	@dropped[args[6]->drop_reason, args[2]->ip_saddr, args[2]->ip_daddr] = count();
	@drop_stacks[args[6]->drop_reason, stack(24)] = count();
}
