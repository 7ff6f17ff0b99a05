// SPDX-License-Identifier: GPL-2.0-or-later
/* tcplife: TCP connections as they end: owner, bytes, duration.
 *
 * common: sockets slow
 * --dot   dot = 0    a graph for Graphviz (dot -Tsvg) at the end
 * row: PID %-7d COMM %-10.10s LADDR %-15s|%-39s LPORT %-5d RADDR %-15s|%-39s RPORT %-5d TX_KB=tx_bytes %5B RX_KB=rx_bytes %5B
 * row: MS[!json] %s%d.%02d MS=ms[json] %d.%02d OLD=old[json] %d
 */
#pragma D option dynvarsize=32m

uint64_t start[uintptr_t];
uint64_t began;

dtrace:::BEGIN
{
	began = timestamp;
}

dtrace:::BEGIN
/ dot == 0 /
{
	header();
}

dtrace:::BEGIN
/ dot /
{
	printf("digraph tcplife {\n\trankdir=LR;\n\tnode [shape=box];\n");
}

tcp:::state-change
/ args[5]->tcps_state == TCP_STATE_CLOSED && args[3]->tcps_state == TCP_STATE_SYN_SENT /
{
	start[args[1]->cs_addr] = timestamp;
}

tcp:::state-change
/ args[3]->tcps_state == TCP_STATE_SYN_RECEIVED /
{
	start[args[1]->cs_addr] = timestamp;
}

tcp:::state-change
/ args[5]->tcps_state != TCP_STATE_LISTEN /
{
	this->ends = tcp_socket_ends[args[3]->tcps_state, args[1]->cs_addr];
}

tcp:::detach
{
	this->ends = 1;
}

tcp:::state-change, tcp:::detach
/ this->ends /
{
	this->began = start[args[1]->cs_addr];
	this->old = this->began == 0;
	this->ns = timestamp - (this->old ? began : this->began);
	this->shown = this->ns >= slow * 1000000;
}

tcp:::state-change, tcp:::detach
/ this->shown && dot == 0 &&
  wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	this->tx = tcp_delivered[args[3]->tcps_bytes_sent, args[3]->tcps_bytes_retrans, args[3]->tcps_bytes_acked];
	this->us = this->ns / 1000;
	row(args[1]->cs_pid, args[1]->cs_execname, args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport, this->tx, args[3]->tcps_bytes_received - args[3]->tcps_fin_received,
	    this->old ? ">" : "", this->us / 1000, this->us % 1000 / 10, this->us / 1000, this->us % 1000 / 10,
	    this->old);
}

/* From who connects to what is connected to. */
tcp:::state-change, tcp:::detach
/ this->shown && dot && args[3]->tcps_active &&
  wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	@out[args[1]->cs_execname, args[3]->tcps_raddr, args[3]->tcps_rport] = count();
	@outkb[args[1]->cs_execname, args[3]->tcps_raddr, args[3]->tcps_rport] =
	    sum((args[3]->tcps_bytes_acked + args[3]->tcps_bytes_received) / 1024);
}

tcp:::state-change, tcp:::detach
/ this->shown && dot && args[3]->tcps_active == 0 &&
  wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	@in[args[3]->tcps_raddr, args[1]->cs_execname, args[3]->tcps_lport] = count();
	@inkb[args[3]->tcps_raddr, args[1]->cs_execname, args[3]->tcps_lport] =
	    sum((args[3]->tcps_bytes_acked + args[3]->tcps_bytes_received) / 1024);
}

tcp:::state-change, tcp:::detach
/ this->ends && this->old == 0 /
{
	start[args[1]->cs_addr] = 0;
}

dtrace:::END
/ dot /
{
	printa("\t\"%s\" -> \"%s\" [label=\"port %d, %@d x, %@d KB\"];\n", @out, @outkb);
	printa("\t\"%s\" -> \"%s\" [label=\"port %d, %@d x, %@d KB\"];\n", @in, @inkb);
	printf("}\n");
}
