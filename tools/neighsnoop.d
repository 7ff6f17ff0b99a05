// SPDX-License-Identifier: GPL-2.0-or-later
/* neighsnoop: neighbours that are asked for (ARP, IPv6), with their time.
 *
 * common: hosts failed=-x slow
 * --netns NAME,...   tool_netns = words   only these network namespaces
 * -i DEVICE     device = ""     only this device
 * -r            requests = 0    also requests, as they begin
 * -q            packets = 0     also each packet that waited: sent or dropped
 * row: DEVICE %-10.10s RESULT %-8s MS %6d.%03d PKTS=waited %4d ADDR=raddr %-15s|%-39s LLADDR[!packets] %#s
 * row: DADDR[packets] %#-15s|%#-39s COMM[packets] %#s PID[json] %#d REASON[json] %#s
 */
uint64_t dropped[uint32_t, string, string];	/* of a neighbour that did not answer */

dtrace:::BEGIN
{
	header();
}

neigh:::request
/ requests && !failed && slow == 0 && (device == "" || args[3]->if_name == device) && wanted(args[1], 0, 0, args[4]->ne_addr, args[4]->ne_addr) /
{
	row(args[3]->if_name, "request", 0, 0, 0, args[4]->ne_addr, "", "", "", -1, "");
}

neigh:::resolved
/ !failed && args[4]->ne_time >= slow * 1000000 && (device == "" || args[3]->if_name == device) && wanted(args[1], 0, 0, args[4]->ne_addr, args[4]->ne_addr) /
{
	row(args[3]->if_name, "resolved", args[4]->ne_time / 1000000, args[4]->ne_time / 1000 % 1000, args[4]->ne_queued,
	    args[4]->ne_addr, args[4]->ne_lladdr, "", "", -1, "");
}

neigh:::dequeue
/ packets && !failed && args[4]->ne_wait >= slow * 1000000 && (device == "" || args[3]->if_name == device) && wanted(args[1], 0, 0, args[4]->ne_addr, args[4]->ne_addr) /
{
	row(args[3]->if_name, "sent", args[4]->ne_wait / 1000000, args[4]->ne_wait / 1000 % 1000, args[4]->ne_queued,
	    args[4]->ne_addr, args[4]->ne_lladdr, args[2]->ip_daddr, args[1]->cs_execname, args[1]->cs_pid, "");
}

neigh:::drop
{
	dropped[args[1]->cs_netns, args[3]->if_name, args[4]->ne_addr]++;
}

neigh:::drop
/ packets && args[4]->ne_wait >= slow * 1000000 && (device == "" || args[3]->if_name == device) && wanted(args[1], 0, 0, args[4]->ne_addr, args[4]->ne_addr) /
{
	row(args[3]->if_name, "dropped", args[4]->ne_wait / 1000000, args[4]->ne_wait / 1000 % 1000, args[4]->ne_queued,
	    args[4]->ne_addr, "", args[2]->ip_daddr, args[1]->cs_execname, args[1]->cs_pid, args[5]->drop_reason);
}

neigh:::failed
/ args[4]->ne_time >= slow * 1000000 && (device == "" || args[3]->if_name == device) && wanted(args[1], 0, 0, args[4]->ne_addr, args[4]->ne_addr) /
{
	row(args[3]->if_name, "failed", args[4]->ne_time / 1000000, args[4]->ne_time / 1000 % 1000,
	    dropped[args[1]->cs_netns, args[3]->if_name, args[4]->ne_addr] + args[4]->ne_queued, args[4]->ne_addr, "", "", "",
	    -1, "");
}

neigh:::failed, neigh:::resolved
{
	dropped[args[1]->cs_netns, args[3]->if_name, args[4]->ne_addr] = 0;
}
