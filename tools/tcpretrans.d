/* tcpretrans: TCP segments that are sent again, with the connection's state.
 *
 * common: clock sockets rows
 * -c   counts = 0   count by connection, print at the end
 * -l   probes = 0   tail loss probes too: L>
 * row: PID %-7d IP %-2d LADDR:LPORT %15s:%-5d|%39s:%-5d T>=kind %-2s RADDR:RPORT %15s:%-5d|%39s:%-5d
 * row: STATE %-11s WHY[wide] %s
 * row counts: LADDR:LPORT %15s:%-5d RADDR:RPORT %15s:%-5d RETRANSMITS %@11d
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

tcp:::retransmit
/ counts == 0 && (probes || args[5]->rt_kind != "tlp") &&
  wanted(args[1], args[4]->tcp_sport, args[4]->tcp_dport, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	row(args[1]->cs_pid, args[2]->ip_ver, args[2]->ip_saddr, args[4]->tcp_sport,
	    args[5]->rt_kind == "tlp" ? "L>" : "R>", args[2]->ip_daddr, args[4]->tcp_dport,
	    tcp_state_name[args[3]->tcps_state], args[5]->rt_kind);
}

tcp:::retransmit
/ counts && (probes || args[5]->rt_kind != "tlp") &&
  wanted(args[1], args[4]->tcp_sport, args[4]->tcp_dport, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	@retransmits[args[2]->ip_saddr, args[4]->tcp_sport, args[2]->ip_daddr, args[4]->tcp_dport] = count();
}

dtrace:::END
/ counts /
{
	header_counts();
	rows_counts(@retransmits);
	trunc(@retransmits);
}
