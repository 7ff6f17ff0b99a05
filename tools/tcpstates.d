// SPDX-License-Identifier: GPL-2.0-or-later
/* tcpstates: changes of TCP states, with owner, addresses, duration.
 *
 * common: sockets
 * row: SKADDR[room] %-16x C-PID=pid %-7d C-COMM=comm %-10.10s LADDR[room] %-15s|%-39s LPORT %-5d RADDR %-15s|%-39s RPORT %-5d
 * row: OLDSTATE %-11s ->=to[!json] %s NEWSTATE %-11s MS %d.%03d
 */
#pragma D option dynvarsize=32m

uint64_t last[uint64_t];

dtrace:::BEGIN
{
	header();
}

/* Whichever rows are shown: a filter may begin to want a connection later, as when a process accepts it. */
tcp:::state-change
{
	this->now = timestamp;
	this->last = last[args[1]->cs_cid];
	last[args[1]->cs_cid] =
	    args[3]->tcps_state == TCP_STATE_CLOSED || args[3]->tcps_state == TCP_STATE_TIME_WAIT ? 0 : this->now;
}

tcp:::state-change
/ wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	this->us = this->last ? (this->now - this->last) / 1000 : 0;
	row(args[1]->cs_addr, args[1]->cs_pid, args[1]->cs_execname, args[3]->tcps_laddr, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, tcp_state_name[args[5]->tcps_state], "->",
	    tcp_state_name[args[3]->tcps_state], this->us / 1000, this->us % 1000);
}
