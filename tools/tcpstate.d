// SPDX-License-Identifier: GPL-2.0-or-later
/* tcpstate: changes of TCP states, with the time since the last one.
 *
 * common: sockets
 * row: CPU %4d DELTA(us)=us %#12d OLD=oldstate %-20s ->=to[!json] %s NEW=newstate %-20s
 */
uint64_t last[uint64_t];

dtrace:::BEGIN
{
	header();
}

tcp:::state-change
/ wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	this->last = last[args[1]->cs_cid];
	this->us = (timestamp - this->last) / 1000;
	last[args[1]->cs_cid] =
	    args[3]->tcps_state == TCP_STATE_CLOSED || args[3]->tcps_state == TCP_STATE_TIME_WAIT ? 0 : timestamp;
	this->mine = 1;
}

/* Of the first one that is seen of a connection the time is not known. */
tcp:::state-change
/ this->mine /
{
	row(cpu, this->last ? (int64_t)this->us : -1, tcp_state_string[args[5]->tcps_state], "->",
	    tcp_state_string[args[3]->tcps_state]);
}
