// SPDX-License-Identifier: GPL-2.0-or-later
/* reqlat: time from request to answer on TCP connections, by host.
 *
 * common: sockets interval rows live
 * -m MS    slow = 0    show each answer that took at least MS milliseconds
 * row: COMM %-10.10s PID %-6d SIDE %-6s RADDR %-15s|%-39s PORT %-5d COUNT=answers %@5d
 * row: P50_US %@6.50Q P95_US %@6.95Q P99_US %@6.99Q MAX_US %@6d
 * row slow: COMM %-16.16s PID %-7d SIDE %-6s RADDR %-15s|%-39s PORT %-5d MS %6d.%03d
 */
#pragma D option dynvarsize=32m

/* When the request began that has no answer yet, by socket. */
uint64_t asked[uint64_t];

dtrace:::BEGIN
/ slow == 0 /
{
	say("Tracing requests and answers on TCP connections. Ctrl-C ends.\n");
}

dtrace:::BEGIN
/ slow /
{
	header_slow();
}

/* Only new data turns the direction: no acknowledgment, no probe, nothing that is sent again. */
tcp:::send
/ arg0 && args[2]->ip_plength > args[4]->tcp_offset && args[3]->tcps_retransmit == 0 /
{
	this->asks = args[3]->tcps_active;
	this->data = 1;
}

tcp:::receive
/ arg0 && args[2]->ip_plength > args[4]->tcp_offset && args[3]->tcps_state != TCP_STATE_LISTEN &&
  (int32_t)(args[4]->tcp_seq + args[2]->ip_plength - args[4]->tcp_offset - args[3]->tcps_rnxt) > 0 /
{
	this->asks = args[3]->tcps_active == 0;
	this->data = 1;
}

tcp:::send, tcp:::receive
/ this->data && this->asks && asked[arg0] == 0 &&
  wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	asked[arg0] = timestamp;
}

tcp:::send, tcp:::receive
/ this->data && this->asks == 0 && asked[arg0] /
{
	this->us = (timestamp - asked[arg0]) / 1000;
	asked[arg0] = 0;
	this->data = 2;
}

tcp:::send, tcp:::receive
/ slow == 0 && this->data == 2 /
{
	@answers[args[1]->cs_execname, args[1]->cs_pid, args[3]->tcps_active ? "asks" : "serves", args[3]->tcps_raddr,
	    args[3]->tcps_active ? args[3]->tcps_rport : args[3]->tcps_lport] = count();
	@us[args[1]->cs_execname, args[1]->cs_pid, args[3]->tcps_active ? "asks" : "serves", args[3]->tcps_raddr,
	    args[3]->tcps_active ? args[3]->tcps_rport : args[3]->tcps_lport] = llquantize(this->us, 2, 0, 31, 16);
	@most[args[1]->cs_execname, args[1]->cs_pid, args[3]->tcps_active ? "asks" : "serves", args[3]->tcps_raddr,
	    args[3]->tcps_active ? args[3]->tcps_rport : args[3]->tcps_lport] = max(this->us);
}

tcp:::send, tcp:::receive
/ slow && this->data == 2 && this->us >= slow * 1000 /
{
	row_slow(args[1]->cs_execname, args[1]->cs_pid, args[3]->tcps_active ? "asks" : "serves", args[3]->tcps_raddr,
	    args[3]->tcps_active ? args[3]->tcps_rport : args[3]->tcps_lport, this->us / 1000, this->us % 1000);
}

tcp:::state-change
/ tcp_socket_ends[args[3]->tcps_state, args[1]->cs_addr] && asked[arg0] /
{
	asked[arg0] = 0;
}

tcp:::detach
/ asked[arg0] /
{
	asked[arg0] = 0;
}

tool:::interval
/ slow == 0 /
{
	header();
	rows(@answers, @us, @us, @us, @most);
	trunc(@answers);
	trunc(@us);
	trunc(@most);
}
