// SPDX-License-Identifier: GPL-2.0-or-later
/* soaccept: accept() calls that took an Internet connection, or failed.
 *
 * common: sockets
 * row: PID %-6d PROCESS=comm %-15.15s FAM[!json]=family %-4s FAM=family[json] %d ADDRESS=raddr %-15s|%-39s PORT=rport %-5d LPORT[wide] %-5d RESULT %s
 */
inline string family_name[int ip] = ip == 4 ? "IPv4" : "IPv6";

dtrace:::BEGIN
{
	header();
}

sock:::accept-done
/ args[0]->so_ip &&
  wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_raddr) /
{
	row(args[1]->cs_pid, args[1]->cs_execname, family_name[args[0]->so_ip], args[0]->so_family, args[0]->so_raddr,
	    args[0]->so_rport, args[0]->so_lport, args[2]->sr_error);
}
