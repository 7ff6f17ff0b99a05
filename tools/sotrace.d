// SPDX-License-Identifier: GPL-2.0-or-later
/* sotrace: the life of TCP connections, event by event.
 *
 * common: sockets
 * -a   all = 0   each segment with data too
 * row: MS %5d.%03d COMM %-6.6s PID[wide] %-7d LPORT %5d RADDR %15s|%39s RPORT %-5d EVENT %s DETAIL %s
 * row change: MS %5d.%03d COMM %-6.6s PID[wide] %-7d LPORT %5d RADDR %15s|%39s RPORT %-5d EVENT %s DETAIL %s>%s
 * row resent: MS %5d.%03d COMM %-6.6s PID[wide] %-7d LPORT %5d RADDR %15s|%39s RPORT %-5d EVENT %s DETAIL "%s of %d"
 * row bytes: MS %5d.%03d COMM %-6.6s PID[wide] %-7d LPORT %5d RADDR %15s|%39s RPORT %-5d EVENT %s DETAIL "%s %d"
 * row time: MS %5d.%03d COMM %-6.6s PID[wide] %-7d LPORT %5d RADDR %15s|%39s RPORT %-5d EVENT %s DETAIL "%s %d %s"
 */
#pragma D option dynvarsize=32m

/* When the connection's first event was seen, by socket. */
uint64_t born[uint64_t];
/* Of the socket that the thread has closed last; the one that a reset ended just now. */
self uint64_t ended;
self uint64_t born;
self uint64_t reset;

/* Of the connection at hand: when its first event was seen; the same if it was noted then, else 0. us: since then. The
 * clock is read only where a row is made. */
this uint64_t born;
this uint64_t known;
inline uint64_t us = (timestamp - this->born) / 1000;

dtrace:::BEGIN
{
	header();
}

tcp:::state-change
/ arg0 && args[3]->tcps_state != TCP_STATE_LISTEN && args[5]->tcps_state != TCP_STATE_LISTEN &&
  args[3]->tcps_state != TCP_STATE_SYN_SENT /
{
	this->mine = 1;
}

tcp:::resend, tcp:::rto, tcp:::congestion-state, tcp:::reset-sent, tcp:::reset-received, tcp:::connect-request,
tcp:::zero-window-sent, tcp:::zero-window-received
/ arg0 /
{
	this->mine = 1;
}

tcp:::drop
/ arg0 && args[5]->drop_reason != "QUEUE_PURGE" /
{
	this->mine = 1;
}

tcp:::send, tcp:::receive
/ all && arg0 && args[2]->ip_plength > args[4]->tcp_offset && args[3]->tcps_state != TCP_STATE_LISTEN /
{
	this->mine = 1;
}

tcp:::state-change, tcp:::resend, tcp:::rto, tcp:::congestion-state, tcp:::reset-sent, tcp:::reset-received, tcp:::drop,
tcp:::zero-window-sent, tcp:::zero-window-received, tcp:::connect-request, tcp:::send, tcp:::receive
/ this->mine &&
  wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	this->known = born[arg0];
	this->born = this->known ? this->known : timestamp;
	this->mine = 2;
}

tcp:::state-change, tcp:::resend, tcp:::rto, tcp:::congestion-state, tcp:::reset-received, tcp:::drop,
tcp:::zero-window-sent, tcp:::zero-window-received, tcp:::connect-request, tcp:::send, tcp:::receive
/ this->mine == 2 && this->known == 0 && args[3]->tcps_state != TCP_STATE_CLOSED /
{
	born[arg0] = this->born;
}

/* What comes just after the end of a connection of which something was seen before. */
tcp:::reset-sent, tcp:::drop
/ this->mine == 2 && this->known == 0 && args[3]->tcps_state == TCP_STATE_CLOSED && self->ended == arg0 && self->born /
{
	this->born = self->born;
}

/* What each event has to say is put together where it is printed. */
tcp:::state-change
/ this->mine == 2 /
{
	row_change(us / 1000, us % 1000, args[1]->cs_execname, args[1]->cs_pid, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, probename,
	    tcp_state_name[args[5]->tcps_state], tcp_state_name[args[3]->tcps_state]);
}

tcp:::congestion-state
/ this->mine == 2 /
{
	row_change(us / 1000, us % 1000, args[1]->cs_execname, args[1]->cs_pid, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, probename, args[5]->ca_oldname, args[5]->ca_name);
}

tcp:::resend
/ this->mine == 2 /
{
	row_resent(us / 1000, us % 1000, args[1]->cs_execname, args[1]->cs_pid, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, probename, args[5]->re_kind, args[5]->re_segs);
}

tcp:::rto
/ this->mine == 2 /
{
	row_time(us / 1000, us % 1000, args[1]->cs_execname, args[1]->cs_pid, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, probename, "after", args[3]->tcps_rto, "ms");
}

/* Established: the step shows it as the probes connect-established and accept-established do, which have the packet, too, but
 * need a program that the kernel calls some ten times a connection. */
tcp:::state-change
/ this->mine == 2 && args[3]->tcps_state == TCP_STATE_ESTABLISHED &&
  (args[5]->tcps_state == TCP_STATE_SYN_SENT || args[5]->tcps_state == TCP_STATE_SYN_RECEIVED) /
{
	row_time(us / 1000, us % 1000, args[1]->cs_execname, args[1]->cs_pid, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, args[3]->tcps_active ? "connect-established" : "accept-established",
	    "rtt", args[3]->tcps_srtt, "us");
}

tcp:::reset-sent, tcp:::reset-received
/ this->mine == 2 /
{
	row(us / 1000, us % 1000, args[1]->cs_execname, args[1]->cs_pid, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, probename, args[5]->reset_reason);
}

tcp:::drop
/ this->mine == 2 /
{
	row(us / 1000, us % 1000, args[1]->cs_execname, args[1]->cs_pid, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, probename, args[5]->drop_reason);
}

tcp:::connect-request
/ this->mine == 2 /
{
	row(us / 1000, us % 1000, args[1]->cs_execname, args[1]->cs_pid, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, probename, "");
}

tcp:::zero-window-sent
/ this->mine == 2 /
{
	row_bytes(us / 1000, us % 1000, args[1]->cs_execname, args[1]->cs_pid, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, probename, "unread", args[3]->tcps_rcvq);
}

tcp:::zero-window-received
/ this->mine == 2 /
{
	row_bytes(us / 1000, us % 1000, args[1]->cs_execname, args[1]->cs_pid, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, probename, "unsent", args[3]->tcps_unsent);
}

tcp:::send, tcp:::receive
/ this->mine == 2 /
{
	row_bytes(us / 1000, us % 1000, args[1]->cs_execname, args[1]->cs_pid, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, probename, "bytes", args[2]->ip_plength - args[4]->tcp_offset);
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
	self->born = this->born ? this->born : born[arg0];
}

tcp:::state-change
/ tcp_socket_ends[args[3]->tcps_state, args[1]->cs_addr] /
{
	born[arg0] = 0;
}

tcp:::detach
{
	born[arg0] = 0;
}
