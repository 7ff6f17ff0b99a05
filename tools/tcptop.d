// SPDX-License-Identifier: GPL-2.0-or-later
/* tcptop: TCP bytes by process and connection, busiest first.
 *
 * common: sockets interval=1 rows=20 live walks
 * -C   noclear = 0   do not clear the screen
 * -S   nosummary = 0   without the line about the whole machine
 * row: ZONE %-6.6s PID %6d COMM %-8.8s LADDR %-15s|%-39s LPORT %5d RADDR %-15s|%-39s RPORT %5d
 * row: RX_KB=rx_bytes %@6B TX_KB=tx_bytes %@6B
 */
#pragma D option aggsortrev
#pragma D option aggsortsum
#pragma D option dynvarsize=32m

/* TCP counts the bytes of each connection. A walk over all connections ends an interval. The row of a connection is what
 * TCP has counted since the last walk; a connection that ends between two walks is read when it ends. The first walk, at
 * the start, shows nothing: it notes what was counted before the trace. A connection that it did not note is younger.
 * Where walks cannot enter other network namespaces, tool_walks is 0 and the payload of each segment is counted. */
struct counts {
	uint64_t ports;		/* of the connection, local << 16 | remote; 0: there is no earlier count */
	uint64_t received;
	uint64_t sent;
};
struct counts before[uintptr_t];	/* by the address of the socket, which the kernel may use again for another one */
this struct counts then;
this struct counts now;

uint64_t in;
uint64_t out;

dtrace:::BEGIN
{
	say("Tracing TCP... the first screen comes in %s s. Ctrl-C ends.\n", interval_text);
}

/* What begins during the first walk is young, too, though the walk may come to it later. */
tcp:::state-change
/ tool_walks && tool_reports < 0 && args[3]->tcps_state == TCP_STATE_ESTABLISHED /
{
	this->now.ports = args[3]->tcps_lport << 16 | args[3]->tcps_rport;
	this->now.received = 0;
	this->now.sent = 0;
	before[args[1]->cs_addr] = this->now;
}

sockets:::tcp-open
/ tool_walks && args[0]->os_whole && args[0]->os_listens == 0 /
{
	this->now.ports = args[2]->tcps_lport << 16 | args[2]->tcps_rport;
	this->now.received = args[2]->tcps_bytes_received - args[2]->tcps_fin_received;
	this->now.sent = args[2]->tcps_bytes_sent;
	this->socket = args[0]->os_addr;
	this->counted = 1;
}

/* As in tcplife. */
tcp:::state-change
/ tool_walks && args[5]->tcps_state != TCP_STATE_LISTEN /
{
	this->ends = tcp_socket_ends[args[3]->tcps_state, args[1]->cs_addr];
}

tcp:::detach
/ tool_walks /
{
	this->ends = 1;
}

tcp:::state-change, tcp:::detach
/ tool_walks && this->ends /
{
	this->now.ports = args[3]->tcps_lport << 16 | args[3]->tcps_rport;
	this->now.received = args[3]->tcps_bytes_received - args[3]->tcps_fin_received;
	this->now.sent = args[3]->tcps_bytes_sent;
	this->socket = args[1]->cs_addr;
	this->counted = 1;
}

sockets:::tcp-open, tcp:::state-change, tcp:::detach
/ tool_walks && this->counted /
{
	this->then = before[this->socket];
	this->noted = this->then.ports == this->now.ports && this->then.received <= this->now.received &&
	    this->then.sent <= this->now.sent;
	this->young = tool_reports >= 0 || this->noted;
	this->rx = this->young ? this->now.received - (this->noted ? this->then.received : 0) : 0;
	this->tx = this->young ? this->now.sent - (this->noted ? this->then.sent : 0) : 0;
	if (this->ends == 0)
		before[this->socket] = this->now;
	else if (this->then.ports)
		before[this->socket] = 0;
}

sockets:::tcp-open
/ tool_walks && (this->rx || this->tx) && args[1]->cs_pid != -1 &&
  wanted(args[1], args[2]->tcps_lport, args[2]->tcps_rport, args[2]->tcps_laddr, args[2]->tcps_raddr) /
{
	this->shown = 1;
	in += this->rx;
	out += this->tx;
}

sockets:::tcp-open
/ tool_walks && this->shown /
{
	@rx[args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname, args[2]->tcps_laddr, args[2]->tcps_lport,
	    args[2]->tcps_raddr, args[2]->tcps_rport] = sum(this->rx);
	@tx[args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname, args[2]->tcps_laddr, args[2]->tcps_lport,
	    args[2]->tcps_raddr, args[2]->tcps_rport] = sum(this->tx);
}

tcp:::state-change, tcp:::detach
/ tool_walks && (this->rx || this->tx) && args[1]->cs_pid != -1 &&
  wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	this->shown = 1;
	in += this->rx;
	out += this->tx;
}

tcp:::state-change, tcp:::detach
/ tool_walks && this->shown /
{
	@rx[args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname, args[3]->tcps_laddr, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport] = sum(this->rx);
	@tx[args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname, args[3]->tcps_laddr, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport] = sum(this->tx);
}

tcp:::receive
/ tool_walks == 0 && args[2]->ip_plength > args[4]->tcp_offset && args[1]->cs_pid != -1 &&
  wanted(args[1], args[4]->tcp_dport, args[4]->tcp_sport, args[2]->ip_daddr, args[2]->ip_saddr) /
{
	this->size = args[2]->ip_plength - args[4]->tcp_offset;
	in += this->size;
	@rx[args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname, args[2]->ip_daddr, args[4]->tcp_dport,
	    args[2]->ip_saddr, args[4]->tcp_sport] = sum(this->size);
}

tcp:::send
/ tool_walks == 0 && args[2]->ip_plength > args[4]->tcp_offset && args[1]->cs_pid != -1 &&
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
