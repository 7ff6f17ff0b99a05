// SPDX-License-Identifier: GPL-2.0-or-later
/* skbdrop: packets that the kernel drops, with stacks and counters.
 *
 * common: owner hosts interval rows
 * -s FRAMES   frames = 8    this many frames of each stack (8)
 * -i DEVICE   device = ""   only this device
 * -r          rates = 0      a row for each reason, place, host and process, by rate
 * --rules     rules = 0      a row for each rule of netfilter that dropped packets
 * row: REASON %s STACK %k DROPS %@d COUNTERS[csv] -
 * row counters: REASON[csv] - STACK[csv] - DROPS[csv] - COUNTERS %s
 * row rates: DROPS %@6d RATE/s=rate_s %@7d REASON %-18s PLACE=place %-22a DEVICE %-8s ZONE %-10s SADDR %-15s DADDR %-15s COMM %s
 * row rules: DROPS %@6d FAMILY=nf_family %#-6s TABLE %#-12s CHAIN %#-12s RULE %#6d DEVICE %-8s ZONE %s
 * column RATE/s: drops in a second
 */
int seen;
uint64_t began;

dtrace:::BEGIN
{
	say("Tracing unusual skb drop stacks. Hit Ctrl-C to end.\n");
	began = timestamp;
}

dtrace:::BEGIN
/ rates == 0 && rules == 0 /
{
	printf("%s", netcounters);	/* from here on */
}

skb:::drop
/ args[5]->drop_reason != "QUEUE_PURGE" && args[5]->drop_reason != "SOCKET_CLOSE" &&
  (device == "" || args[3]->if_name == device) &&
  (wanted(args[1], 0, 0, args[2]->ip_saddr, args[2]->ip_daddr) || wanted(args[1], 0, 0, args[2]->ip_daddr, args[2]->ip_saddr)) /
{
	this->mine = 1;
	seen = 1;
}

skb:::drop
/ this->mine && rates == 0 && rules == 0 /
{
	@drops[args[5]->drop_reason, stack(frames)] = count();
}

skb:::drop
/ this->mine && rates /
{
	@dropped[args[5]->drop_reason, func(args[5]->drop_location), args[3]->if_name, args[1]->cs_zonename,
	    args[2]->ip_saddr, args[2]->ip_daddr, args[1]->cs_execname] = count();
	@rate[args[5]->drop_reason, func(args[5]->drop_location), args[3]->if_name, args[1]->cs_zonename,
	    args[2]->ip_saddr, args[2]->ip_daddr, args[1]->cs_execname] = sum(1000);
}

skb:::drop
/ this->mine && rules && args[5]->drop_reason == "NETFILTER_DROP" /
{
	@ruled[args[5]->drop_family, args[5]->drop_table, args[5]->drop_chain, args[5]->drop_rule, args[3]->if_name,
	    args[1]->cs_zonename] = count();
}

tool:::interval
/ tool_text && rates == 0 && rules == 0 /
{
	printf("#kernel\n%s\n", netcounters);
}

tool:::interval
/ tool_json && seen && rates == 0 && rules == 0 /
{
	row_counters(netcounters);
	seen = 0;
}

tool:::interval
/ rates == 0 && rules == 0 /
{
	rows(@drops);
	trunc(@drops);
}

tool:::interval
/ rates /
{
	this->ms = (timestamp - began) / 1000000;
	began = timestamp;
	normalize(@rate, this->ms > 0 ? this->ms : 1);
	header_rates();
	rows_rates(@dropped, @rate);
	trunc(@dropped);
	trunc(@rate);
}

tool:::interval
/ rules /
{
	header_rules();
	rows_rules(@ruled);
	trunc(@ruled);
}
