// SPDX-License-Identifier: GPL-2.0-or-later
/* neighsnoop: neighbours that are asked for (ARP, IPv6), with their time.
 *
 * common: hosts failed=-x slow
 * --netns NAME,...   tool_netns = words   only these network namespaces
 * -i DEVICE     device = ""     only this device
 * -r            requests = 0    also requests, as they begin
 * row: DEVICE %-15s RESULT %-8s MS %6d.%03d ADDR=raddr %-15s|%-39s LLADDR %s
 */
dtrace:::BEGIN
{
	header();
}

neigh:::request
/ requests && !failed && slow == 0 && (device == "" || args[3]->if_name == device) && wanted(args[1], 0, 0, args[4]->ne_addr, args[4]->ne_addr) /
{
	row(args[3]->if_name, "request", 0, 0, args[4]->ne_addr, "");
}

neigh:::resolved
/ !failed && args[4]->ne_time >= slow * 1000000 && (device == "" || args[3]->if_name == device) && wanted(args[1], 0, 0, args[4]->ne_addr, args[4]->ne_addr) /
{
	row(args[3]->if_name, "resolved", args[4]->ne_time / 1000000, args[4]->ne_time / 1000 % 1000, args[4]->ne_addr,
	    args[4]->ne_lladdr);
}

neigh:::failed
/ args[4]->ne_time >= slow * 1000000 && (device == "" || args[3]->if_name == device) && wanted(args[1], 0, 0, args[4]->ne_addr, args[4]->ne_addr) /
{
	row(args[3]->if_name, "failed", args[4]->ne_time / 1000000, args[4]->ne_time / 1000 % 1000, args[4]->ne_addr, "");
}
