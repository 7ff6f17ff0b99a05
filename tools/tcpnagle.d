// SPDX-License-Identifier: GPL-2.0-or-later
/* tcpnagle: writes that meet the Nagle algorithm, and what waits.
 *
 * common: sockets interval
 * row: NAGLE=nagle %-12s WRITES=writes %@8d WHAT[csv] - US[csv] -
 * row wait: NAGLE[csv] - WRITES[csv] - WHAT=what %s US=us %@d
 */
uint64_t start[uintptr_t];

dtrace:::BEGIN
{
	say("Tracing TCP nagle and xmit delays. Hit Ctrl-C to end.\n");
}

tcp:::write
/ wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	@writes[tcp_nagle_string[args[3]->tcps_nagle]] = count();
}

tcp:::write
/ args[3]->tcps_unsent && start[args[1]->cs_addr] == 0 &&
  wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	start[args[1]->cs_addr] = timestamp;
}

/* The segment that takes the last of it is not counted as sent yet. */
tcp:::send
/ start[args[1]->cs_addr] && args[2]->ip_plength - args[4]->tcp_offset >= args[3]->tcps_unsent /
{
	@wait["blocked_us"] = quantize((timestamp - start[args[1]->cs_addr]) / 1000);
	start[args[1]->cs_addr] = 0;
}

tcp:::state-change
/ tcp_socket_ends[args[3]->tcps_state, args[1]->cs_addr] && start[args[1]->cs_addr] /
{
	start[args[1]->cs_addr] = 0;
}

tool:::interval
{
	rows_wait(@wait);
	header();
	rows(@writes);
	trunc(@wait);
	trunc(@writes);
}
