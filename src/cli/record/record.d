// SPDX-License-Identifier: GPL-2.0-or-later
/* What dwire record traces without -s: what went wrong in the machine's network, and how TCP connections lived. A line
 * is the time, what happened, the process, and its facts; times to connect are in microseconds. */
#pragma D option quiet
#pragma D option dynvarsize=8m

uint64_t began[uintptr_t];	/* when a socket began to connect */

sock:::connect-start
/ args[0]->so_ip && args[0]->so_protocol == IPPROTO_TCP /
{
	began[args[0]->so_addr] = timestamp;
}

sock:::connect-done
/ began[args[0]->so_addr] && args[2]->sr_errno /
{
	printf("%Y connect-failed %d %s %s\n", walltimestamp, args[1]->cs_pid, args[1]->cs_execname, args[2]->sr_error);
}

/* A second: a SYN was sent again. */
sock:::connect-done
/ began[args[0]->so_addr] && args[2]->sr_errno == 0 && timestamp - began[args[0]->so_addr] > 1000000000 /
{
	printf("%Y connect-slow %d %s %d\n", walltimestamp, args[1]->cs_pid, args[1]->cs_execname,
	    (timestamp - began[args[0]->so_addr]) / 1000);
}

sock:::connect-done
/ began[args[0]->so_addr] /
{
	began[args[0]->so_addr] = 0;
}

tcp:::state-change
{
	printf("%Y state %d %s %s:%d %s:%d %s %s\n", walltimestamp, args[1]->cs_pid, args[1]->cs_execname,
	    args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport,
	    tcp_state_name[args[5]->tcps_state], tcp_state_name[args[3]->tcps_state]);
}

tcp:::resend
{
	printf("%Y resend %d %s %s:%d %s:%d %s %d\n", walltimestamp, args[1]->cs_pid, args[1]->cs_execname,
	    args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport, args[5]->re_kind,
	    args[5]->re_segs);
}

tcp:::reset-sent
{
	printf("%Y reset-sent %d %s %s:%d %s:%d %s\n", walltimestamp, args[1]->cs_pid, args[1]->cs_execname,
	    args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport, args[5]->reset_reason);
}

tcp:::reset-received
{
	printf("%Y reset-received %d %s %s:%d %s:%d\n", walltimestamp, args[1]->cs_pid, args[1]->cs_execname,
	    args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport);
}

/* Not what a closed connection had left. */
ip:::drop
/ args[6]->drop_reason != "QUEUE_PURGE" /
{
	printf("%Y drop %s %s %s\n", walltimestamp, args[6]->drop_reason, args[2]->ip_saddr, args[2]->ip_daddr);
}

dns:::response
/ args[4]->dns_recv && args[4]->dns_rcode /
{
	printf("%Y dns-failed %d %s %s %s\n", walltimestamp, args[1]->cs_pid, args[1]->cs_execname, args[4]->dns_name,
	    args[4]->dns_rcodestr);
}
