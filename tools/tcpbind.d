// SPDX-License-Identifier: GPL-2.0-or-later
/* tcpbind: TCP sockets that are bound to an address.
 *
 * common: sockets
 * -P PORT,... = -L   only these local ports
 * row: PID %-7d COMM %-15.15s IP %-2d ADDR=laddr %-15s|%-39s PORT=lport %-5d FD[wide] %-5d RESULT %s
 */
dtrace:::BEGIN
{
	header();
}

sock:::bind
/ args[0]->so_ip && args[0]->so_protocol == IPPROTO_TCP &&
  wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_laddr) /
{
	row(args[1]->cs_pid, args[1]->cs_execname, args[0]->so_ip, args[0]->so_laddr, args[0]->so_lport,
	    args[0]->so_fd, args[2]->sr_error);
}
