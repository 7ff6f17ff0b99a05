// SPDX-License-Identifier: GPL-2.0-or-later
/* sotrace: the life of TCP connections, event by event.
 *
 * common: sockets
 * -a   all = 0   each segment with data too
 * row: MS %5d.%03d COMM %-6.6s PID[wide] %-7d LPORT %5d RADDR %15s|%39s RPORT %-5d EVENT %s DETAIL %s
 */
#pragma D option dynvarsize=32m

/* When the connection's first event was seen, by socket. */
uint64_t born[uint64_t];
/* Of the socket that the thread has closed last; the one that a reset ended just now. */
self uint64_t ended;
self uint64_t born;
self uint64_t reset;

inline string changed[string from, string to] = strjoin(from, strjoin(">", to));

dtrace:::BEGIN
{
	header();
}

tcp:::state-change
/ arg0 && args[3]->tcps_state != TCP_STATE_LISTEN && args[5]->tcps_state != TCP_STATE_LISTEN &&
  args[3]->tcps_state != TCP_STATE_SYN_SENT /
{
	this->mine = 1;
	this->detail = changed[tcp_state_name[args[5]->tcps_state], tcp_state_name[args[3]->tcps_state]];
}

tcp:::resend
/ arg0 /
{
	this->mine = 1;
	this->detail = strjoin(args[5]->re_kind, strjoin(" of ", lltostr(args[5]->re_segs)));
}

tcp:::rto
/ arg0 /
{
	this->mine = 1;
	this->detail = strjoin("after ", strjoin(lltostr(args[3]->tcps_rto), " ms"));
}

tcp:::congestion-state
/ arg0 /
{
	this->mine = 1;
	this->detail = changed[args[5]->ca_oldname, args[5]->ca_name];
}

tcp:::reset-sent, tcp:::reset-received
/ arg0 /
{
	this->mine = 1;
	this->detail = args[5]->reset_reason;
}

tcp:::drop
/ arg0 && args[5]->drop_reason != "QUEUE_PURGE" /
{
	this->mine = 1;
	this->detail = args[5]->drop_reason;
}

tcp:::connect-request
/ arg0 /
{
	this->mine = 1;
	this->detail = "";
}

tcp:::connect-established, tcp:::accept-established
/ arg0 /
{
	this->mine = 1;
	this->detail = strjoin("rtt ", strjoin(lltostr(args[3]->tcps_srtt), " us"));
}

tcp:::zero-window-sent
/ arg0 /
{
	this->mine = 1;
	this->detail = strjoin("unread ", lltostr(args[3]->tcps_rcvq));
}

tcp:::zero-window-received
/ arg0 /
{
	this->mine = 1;
	this->detail = strjoin("unsent ", lltostr(args[3]->tcps_unsent));
}

tcp:::send, tcp:::receive
/ all && arg0 && args[2]->ip_plength > args[4]->tcp_offset && args[3]->tcps_state != TCP_STATE_LISTEN /
{
	this->mine = 1;
	this->detail = strjoin("bytes ", lltostr(args[2]->ip_plength - args[4]->tcp_offset));
}

tcp:::state-change, tcp:::resend, tcp:::rto, tcp:::congestion-state, tcp:::reset-sent, tcp:::reset-received, tcp:::drop,
tcp:::connect-established, tcp:::accept-established, tcp:::zero-window-sent, tcp:::zero-window-received,
tcp:::connect-request, tcp:::send, tcp:::receive
/ this->mine &&
  wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	this->born = born[arg0] ? born[arg0] : self->ended == arg0 ? self->born : timestamp;
	this->us = (timestamp - this->born) / 1000;
	row(this->us / 1000, this->us % 1000, args[1]->cs_execname, args[1]->cs_pid, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, probename, this->detail);
	this->mine = 2;
}

tcp:::state-change, tcp:::resend, tcp:::rto, tcp:::congestion-state, tcp:::reset-received, tcp:::drop,
tcp:::connect-established, tcp:::accept-established, tcp:::zero-window-sent, tcp:::zero-window-received,
tcp:::connect-request, tcp:::send, tcp:::receive
/ this->mine == 2 && born[arg0] == 0 && args[3]->tcps_state != TCP_STATE_CLOSED /
{
	born[arg0] = timestamp;
}

tcp:::reset-received
{
	self->reset = arg0;
}

/* A process that closes a socket with unread data sends the reset just after that. Meanwhile the thread may be
 * interrupted by a reset that ends another one. */
tcp:::state-change
/ args[3]->tcps_state == TCP_STATE_CLOSED && self->reset != arg0 /
{
	self->ended = arg0;
	self->born = born[arg0];
}

/* A socket ends as its connection is closed or in TIME_WAIT; or before, in FIN_WAIT2, if nobody has it open. */
tcp:::state-change
/ args[3]->tcps_state == TCP_STATE_CLOSED || args[3]->tcps_state == TCP_STATE_TIME_WAIT /
{
	born[arg0] = 0;
}

tcp:::detach
{
	born[arg0] = 0;
}
