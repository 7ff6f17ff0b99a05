// SPDX-License-Identifier: GPL-2.0-or-later
/* solisten: who begins to listen, where, and with what queue.
 *
 * common: sockets
 * row: PID %-7d COMM %-15.15s ZONE %-13.13s PROTO %-6s BACKLOG %7d PORT=lport %5d RESULT[wide] %-16s ADDR=laddr %s
 */
dtrace:::BEGIN
{
	header();
}

sock:::listen
/ args[0]->so_ip && wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_laddr) /
{
	row(args[1]->cs_pid, args[1]->cs_execname, args[1]->cs_zonename, args[0]->so_protoname, args[0]->so_backlog,
	    args[0]->so_lport, args[2]->sr_error, args[0]->so_laddr);
}
