// SPDX-License-Identifier: GPL-2.0-or-later
/* tcpreset: TCP resets, sent and received: who reset whom, and why.
 *
 * common: sockets interval rows
 * -c   counts = 0   count by process, direction, remote host and reason
 * row: PID %-6d COMM %-10.10s WAY %-4s LADDR:LPORT %+15s:%-5d|%+39s:%-5d RADDR:RPORT %+15s:%-5d|%+39s:%-5d
 * row: STATE[wide] %-11s REASON %s
 * row counts: COMM %-16.16s WAY %-4s PORT %-5d RADDR %-15s|%-39s REASON %-24s RESETS %@6d
 */
dtrace:::BEGIN
/ counts == 0 /
{
	header();
}

tcp:::reset-sent, tcp:::reset-received
/ counts == 0 && wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	row(args[1]->cs_pid, args[1]->cs_execname, probename == "reset-sent" ? "sent" : "got", args[3]->tcps_laddr,
	    args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport, tcp_state_name[args[3]->tcps_state],
	    args[5]->reset_reason);
}

tcp:::reset-sent, tcp:::reset-received
/ counts && wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	@resets[args[1]->cs_execname, probename == "reset-sent" ? "sent" : "got",
	    args[3]->tcps_active ? args[3]->tcps_rport : args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[5]->reset_reason] = count();
}

tool:::interval
/ counts /
{
	header_counts();
	rows_counts(@resets);
	trunc(@resets);
}
