// SPDX-License-Identifier: GPL-2.0-or-later
/* tcpsynbl: queues of TCP listeners as connections arrive.
 *
 * common: clock sockets interval
 * row: BACKLOG=limit "backlog limit %d" LENGTH=length %@d EVENT[csv] - PID[csv] - COMM[csv] - LPORT[csv] -
 * row drop: BACKLOG[csv]=limit - LENGTH[csv] - EVENT=event %s PID=pid "of PID %d" COMM=comm %s LPORT=lport "port %d"
 */
dtrace:::BEGIN
{
	say("Tracing SYN backlog size. Ctrl-C to end.\n");
}

/* The last segment of a handshake, which is still the listener's. */
tcp:::receive
/ args[3]->tcps_state == TCP_STATE_LISTEN && (args[4]->tcp_flags & (TH_SYN | TH_RST | TH_ACK)) == TH_ACK &&
  wanted(args[1], args[4]->tcp_dport, args[4]->tcp_sport, args[2]->ip_daddr, args[2]->ip_saddr) /
{
	@length[args[3]->tcps_acceptq_max] = quantize(args[3]->tcps_acceptq);
}

tcp:::listen-overflow
/ wanted(args[1], args[4]->tcp_dport, args[4]->tcp_sport, args[2]->ip_daddr, args[2]->ip_saddr) /
{
	row_drop(args[4]->tcp_flags & TH_SYN ? "dropping a SYN" : "dropping the last ACK of a handshake", args[1]->cs_pid,
	    args[1]->cs_execname, args[4]->tcp_dport);
}

tool:::interval
{
	rows(@length);
	trunc(@length);
}
