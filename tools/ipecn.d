// SPDX-License-Identifier: GPL-2.0-or-later
/* ipecn: packets that met congestion on their way (ECN CE).
 *
 * common: clock hosts
 * --netns NAME,...   tool_netns = words   only these network namespaces
 * -a   out = 0    also packets that leave with the mark
 * row: ECN[!json] "ECN CE %s: %s" EVENT[json]=event %s WAY[json]=way %s RADDR[json]=raddr %s
 * column ECN: that a packet met congestion, which way it went, the remote address
 */
dtrace:::BEGIN
/ tool_text /
{
	printf("Tracing %s ECN Congestion Encountered. Hit Ctrl-C to end.\n", out ? "inbound and outbound" : "inbound");
}

ip:::receive
/ (args[2]->ip_ver == 4 ? args[4]->ipv4_tos & 3 : args[5]->ipv6_tclass & 3) == 3 &&
  wanted(args[1], 0, 0, args[2]->ip_daddr, args[2]->ip_saddr) /
{
	this->way = "from";
	this->addr = args[2]->ip_saddr;
}

ip:::send
/ out && (args[2]->ip_ver == 4 ? args[4]->ipv4_tos & 3 : args[5]->ipv6_tclass & 3) == 3 &&
  wanted(args[1], 0, 0, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	this->way = "to";
	this->addr = args[2]->ip_daddr;
}

ip:::receive, ip:::send
/ this->way != "" /
{
	row(this->way, this->addr, "CE", this->way, this->addr);
}
