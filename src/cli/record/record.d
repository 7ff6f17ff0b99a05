// SPDX-License-Identifier: GPL-2.0-or-later
/* record: what went wrong in the machine's network, and how TCP connections lived.
 *
 * row: DATE[!json] %-20Y EVENT %-14s PID %#-7d COMM %#-15s LADDR %#-15s LPORT %#-5d RADDR %#-15s RPORT %#-5d
 * row: VALUE %#-6d DETAIL %s%s%s
 *
 * VALUE: microseconds to connect, segments that were sent again. DETAIL: the error, the reason, the old and new state,
 * the name that was asked for and the answer.
 */
#pragma D option dynvarsize=8m

uint64_t began[uintptr_t];	/* when a socket began to connect */

dtrace:::BEGIN
{
	header();
}

sock:::connect-start
/ args[0]->so_ip && args[0]->so_protocol == IPPROTO_TCP /
{
	began[args[0]->so_addr] = timestamp;
}

sock:::connect-done
/ began[args[0]->so_addr] && args[2]->sr_errno /
{
	row(walltimestamp, "connect-failed", args[1]->cs_pid, args[1]->cs_execname, args[0]->so_laddr, args[0]->so_lport,
	    args[0]->so_raddr, args[0]->so_rport, (timestamp - began[args[0]->so_addr]) / 1000, args[2]->sr_error, "", "");
}

/* A second: a SYN was sent again. */
sock:::connect-done
/ began[args[0]->so_addr] && args[2]->sr_errno == 0 && timestamp - began[args[0]->so_addr] > 1000000000 /
{
	row(walltimestamp, "connect-slow", args[1]->cs_pid, args[1]->cs_execname, args[0]->so_laddr, args[0]->so_lport,
	    args[0]->so_raddr, args[0]->so_rport, (timestamp - began[args[0]->so_addr]) / 1000, "", "", "");
}

sock:::connect-done
/ began[args[0]->so_addr] /
{
	began[args[0]->so_addr] = 0;
}

tcp:::state-change
{
	row(walltimestamp, "state", args[1]->cs_pid, args[1]->cs_execname, args[3]->tcps_laddr, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, -1, tcp_state_name[args[5]->tcps_state], " ",
	    tcp_state_name[args[3]->tcps_state]);
}

tcp:::resend
{
	row(walltimestamp, "resend", args[1]->cs_pid, args[1]->cs_execname, args[3]->tcps_laddr, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, args[5]->re_segs, args[5]->re_kind, "", "");
}

tcp:::reset-sent
{
	row(walltimestamp, "reset-sent", args[1]->cs_pid, args[1]->cs_execname, args[3]->tcps_laddr, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport, -1, args[5]->reset_reason, "", "");
}

tcp:::reset-received
{
	row(walltimestamp, "reset-received", args[1]->cs_pid, args[1]->cs_execname, args[3]->tcps_laddr,
	    args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport, -1, "", "", "");
}

/* Not what a closed connection had left. */
ip:::drop
/ args[6]->drop_reason != "QUEUE_PURGE" /
{
	row(walltimestamp, "drop", args[1]->cs_pid, args[1]->cs_execname, args[2]->ip_saddr, -1, args[2]->ip_daddr, -1, -1,
	    args[6]->drop_reason, "", "");
}

dns:::response
/ args[4]->dns_recv && args[4]->dns_rcode /
{
	row(walltimestamp, "dns-failed", args[1]->cs_pid, args[1]->cs_execname, args[2]->ip_daddr, -1, args[2]->ip_saddr,
	    -1, -1, args[4]->dns_name, " ", args[4]->dns_rcodestr);
}
