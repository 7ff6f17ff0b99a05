// SPDX-License-Identifier: GPL-2.0-or-later
/* udpconnect: UDP sockets that are given a remote address by connect().
 *
 * common: clock sockets
 * -P PORT,... = -D   only these remote ports
 * row: PID %-6d COMM %-15s IP %-2d RADDR %-15s|%-39s RPORT %-5d
 */
dtrace:::BEGIN
{
	header();
}

sock:::connect-start
/ args[0]->so_ip && (args[0]->so_protocol == IPPROTO_UDP || args[0]->so_protocol == IPPROTO_UDPLITE) &&
  wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_raddr) /
{
	row(args[1]->cs_pid, args[1]->cs_execname, args[0]->so_ip, args[0]->so_raddr, args[0]->so_rport);
}
