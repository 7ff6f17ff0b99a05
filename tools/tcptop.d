// SPDX-License-Identifier: GPL-2.0-or-later
/* tcptop: TCP bytes by process and connection, busiest first.
 *
 * common: sockets interval=1 rows=20 live
 * -C   noclear = 0   do not clear the screen
 * -S   nosummary = 0   without the line about the whole machine
 * row: ZONE %-6.6s PID %6d COMM %-8.8s LADDR %-15s|%-39s LPORT %5d RADDR %-15s|%-39s RPORT %5d
 * row: RX_KB=rx_bytes %@6B TX_KB=tx_bytes %@6B
 */
#pragma D option aggsortrev
#pragma D option aggsortsum

uint64_t in;
uint64_t out;

dtrace:::BEGIN
{
	say("Tracing TCP... the first screen comes in %s s. Ctrl-C ends.\n", interval_text);
}

tcp:::receive
/ args[2]->ip_plength > args[4]->tcp_offset && args[1]->cs_pid != -1 &&
  wanted(args[1], args[4]->tcp_dport, args[4]->tcp_sport, args[2]->ip_daddr, args[2]->ip_saddr) /
{
	this->size = args[2]->ip_plength - args[4]->tcp_offset;
	in += this->size;
	@rx[args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname, args[2]->ip_daddr, args[4]->tcp_dport,
	    args[2]->ip_saddr, args[4]->tcp_sport] = sum(this->size);
}

tcp:::send
/ args[2]->ip_plength > args[4]->tcp_offset && args[1]->cs_pid != -1 &&
  wanted(args[1], args[4]->tcp_sport, args[4]->tcp_dport, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	this->size = args[2]->ip_plength - args[4]->tcp_offset;
	out += this->size;
	@tx[args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname, args[2]->ip_saddr, args[4]->tcp_sport,
	    args[2]->ip_daddr, args[4]->tcp_dport] = sum(this->size);
}

tool:::interval
/ nosummary /
{
	say("%s", noclear || probename == "END" ? "\n" : "\033[H\033[J");
}

tool:::interval
/ nosummary == 0 /
{
	say("%s%Y,  load: %s,  TCPin: %6d Kb,  TCPout: %6d Kb\n\n", noclear || probename == "END" ? "\n" : "\033[H\033[J", walltimestamp,
	    loadavg, in / 1024, out / 1024);
}

tool:::interval
{
	header();
	rows(@rx, @tx);
	trunc(@rx);
	trunc(@tx);
	in = 0;
	out = 0;
}
