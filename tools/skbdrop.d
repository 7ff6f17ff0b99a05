// SPDX-License-Identifier: GPL-2.0-or-later
/* skbdrop: packets that the kernel drops, with stacks and counters.
 *
 * common: owner hosts interval rows
 * -s FRAMES   frames = 8    this many frames of each stack (8)
 * -i DEVICE   device = ""   only this device
 * row: REASON %s STACK %k DROPS %@d COUNTERS[csv] -
 * row counters: REASON[csv] - STACK[csv] - DROPS[csv] - COUNTERS %s
 */
int seen;

dtrace:::BEGIN
{
	say("Tracing unusual skb drop stacks. Hit Ctrl-C to end.\n");
	printf("%s", netcounters);	/* from here on */
}

skb:::drop
/ args[5]->drop_reason != "QUEUE_PURGE" && (device == "" || args[3]->if_name == device) &&
  (wanted(args[1], 0, 0, args[2]->ip_saddr, args[2]->ip_daddr) || wanted(args[1], 0, 0, args[2]->ip_daddr, args[2]->ip_saddr)) /
{
	@drops[args[5]->drop_reason, stack(frames)] = count();
	seen = 1;
}

tool:::interval
/ tool_text /
{
	printf("#kernel\n%s\n", netcounters);
}

tool:::interval
/ tool_json && seen /
{
	row_counters(netcounters);
	seen = 0;
}

tool:::interval
{
	rows(@drops);
	trunc(@drops);
}
