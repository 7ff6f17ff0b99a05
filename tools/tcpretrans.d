// SPDX-License-Identifier: GPL-2.0-or-later
/* tcpretrans: TCP segments that are sent again, with the connection's state.
 *
 * common: clock sockets rows
 * -c   counts = 0   count by connection, print at the end
 * -l   probes = 0   tail loss probes too: L>
 * -s   sequence = 0   a column with the segment's sequence number
 * row: PID %-7d IP %-2d LADDR:LPORT %+15s:%-5d|%+39s:%-5d T>=kind %-2s RADDR:RPORT %+15s:%-5d|%+39s:%-5d
 * row: STATE %-11s SEQ[sequence]=seq %-10u WHY[wide] %s SEGS[json]=segs %d
 * row counts: LADDR:LPORT %+15s:%-5d RADDR:RPORT %+15s:%-5d RETRANSMITS %@11d
 */
dtrace:::BEGIN
{
	say("Tracing retransmits ... Hit Ctrl-C to end\n");
}

dtrace:::BEGIN
/ counts == 0 /
{
	header();
}

tcp:::resend
/ counts == 0 && (probes || args[5]->re_kind != "tlp") &&
  wanted(args[1], args[5]->re_lport, args[5]->re_rport, args[5]->re_laddr, args[5]->re_raddr) /
{
	row(args[1]->cs_pid, args[5]->re_ver, args[5]->re_laddr, args[5]->re_lport,
	    args[5]->re_kind == "tlp" ? "L>" : "R>", args[5]->re_raddr, args[5]->re_rport,
	    tcp_state_name[args[3]->tcps_state], args[5]->re_seq, args[5]->re_kind,
	    args[5]->re_segs);
}

tcp:::resend
/ counts && (probes || args[5]->re_kind != "tlp") &&
  wanted(args[1], args[5]->re_lport, args[5]->re_rport, args[5]->re_laddr, args[5]->re_raddr) /
{
	@retransmits[args[5]->re_laddr, args[5]->re_lport, args[5]->re_raddr, args[5]->re_rport] =
	    sum(args[5]->re_segs);
}

dtrace:::END
/ counts /
{
	header_counts();
	rows_counts(@retransmits);
	trunc(@retransmits);
}
