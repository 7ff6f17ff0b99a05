// SPDX-License-Identifier: GPL-2.0-or-later
/* portuse: local ports in use, and how near their range is to its end.
 *
 * common: sockets rows=20
 * row: PROTO %-5s ZONE %-12s LADDR %15s RADDR %15s RPORT %-5d USED%=used_percent %@6d PORTS %@6d TIME_WAIT=time_wait %@9d
 */
#pragma D option aggsortrev

/* A port of the range that the kernel takes ports from, or any with all. 10 digits, so that the percentage is exact. */
inline uint64_t billion = 1000000000;

dtrace:::BEGIN
{
	header();
}

sockets:::tcp-open, sockets:::udp-open
/ args[0]->os_lport >= args[0]->os_port_first && args[0]->os_lport <= args[0]->os_port_last &&
  wanted(args[1], args[0]->os_lport, args[0]->os_rport, args[0]->os_laddr, args[0]->os_raddr) /
{
	@used[args[0]->os_proto, args[1]->cs_zonename, args[0]->os_laddr, args[0]->os_raddr, args[0]->os_rport] =
	    sum(100 * billion / (args[0]->os_port_last - args[0]->os_port_first + 1));
	@ports[args[0]->os_proto, args[1]->cs_zonename, args[0]->os_laddr, args[0]->os_raddr, args[0]->os_rport] = count();
	@waits[args[0]->os_proto, args[1]->cs_zonename, args[0]->os_laddr, args[0]->os_raddr, args[0]->os_rport] =
	    sum(args[0]->os_state == TCP_STATE_TIME_WAIT);
}

sockets:::done
{
	normalize(@used, billion);
	rows(@used, @ports, @waits);
	trunc(@used);
	trunc(@ports);
	trunc(@waits);
	exit(0);
}
