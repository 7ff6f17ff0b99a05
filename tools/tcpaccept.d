// SPDX-License-Identifier: GPL-2.0-or-later
/* tcpaccept: TCP connections accepted here.
 *
 * common: sockets
 * -P PORT,... = -L   only these local ports
 * -q   queue = 0     columns with the length and limit of the listener's queue
 * row: PID %-7d COMM %-12.12s IP %-2d RADDR %-15s|%-39s RPORT %-5d LADDR %-15s|%-39s LPORT %-5d
 * row: QUEUE[queue]=queue %5d MAX[queue]=queue_max %5d
 */
dtrace:::BEGIN
{
	header();
}

sock:::accept-done
/ args[2]->sr_errno == 0 && args[0]->so_ip && args[0]->so_type == SOCK_STREAM &&
  wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_raddr) /
{
	row(args[1]->cs_pid, args[1]->cs_execname, args[0]->so_ip, args[0]->so_raddr, args[0]->so_rport,
	    args[0]->so_laddr, args[0]->so_lport, args[2]->sr_acceptq, args[2]->sr_acceptq_max);
}
