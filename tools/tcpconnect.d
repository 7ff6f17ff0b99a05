// SPDX-License-Identifier: GPL-2.0-or-later
/* tcpconnect: TCP connections opened from here, as they are made or fail.
 *
 * common: sockets failed=-e slow rows
 * -P PORT,... = -D   only these remote ports
 * -a   asked = 0     print connections as they are asked for, without a result
 * -c   counts = 0    count connections by addresses and port, print at the end
 * -U   user = 0      a column with the user's number
 * -u UID   only = -1   only this user, by number
 * row: UID[user] %-5d PID %-7d COMM %-12.12s IP %-2d SADDR[wide]=laddr %-15s|%-39s LPORT[wide] %-5d DADDR=raddr %-15s|%-39s
 * row: DPORT=rport %-5d MS %4d.%02d RESULT %s
 * row asked: UID[user] %-5d PID %-7d COMM %-12.12s IP %-2d SADDR=laddr %-15s|%-39s LPORT[wide] %-5d DADDR=raddr %-15s|%-39s
 * row asked: DPORT=rport %-5d
 * row counts: SADDR=laddr %-39s DADDR=raddr %-25s|%-39s DPORT=rport %5d CONNECTS %@8d
 */
inline int ends = asked == 0 && counts == 0;
uint64_t start[uintptr_t];
/* Whose the connections are that no process waits for: they end in an interrupt. */
int who[uintptr_t];
string name[uintptr_t];

dtrace:::BEGIN
/ ends /
{
	header();
}

dtrace:::BEGIN
/ asked && counts == 0 /
{
	header_asked();
}

tcp:::connect-request
/ asked && counts == 0 && (only < 0 ? 1 : args[1]->cs_uid == only) &&
  wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	row_asked(args[1]->cs_uid, args[1]->cs_pid, args[1]->cs_execname, args[2]->ip_ver, args[3]->tcps_laddr,
	    args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport);
}

tcp:::connect-request
/ counts && (only < 0 ? 1 : args[1]->cs_uid == only) &&
  wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	@connects[args[3]->tcps_laddr, args[3]->tcps_raddr, args[3]->tcps_rport] = count();
}

sock:::connect-start
/ ends && args[0]->so_ip && args[0]->so_protocol == IPPROTO_TCP /
{
	start[args[0]->so_addr] = timestamp;
}

sock:::connect-start
/ ends && args[0]->so_ip && args[0]->so_protocol == IPPROTO_TCP && args[0]->so_nonblock /
{
	who[args[0]->so_addr] = args[1]->cs_pid;
	name[args[0]->so_addr] = args[1]->cs_execname;
}

sock:::connect-done
/ ends && start[args[0]->so_addr] && (failed == 0 || args[2]->sr_errno != 0) &&
  timestamp - start[args[0]->so_addr] >= slow * 1000000 && (only < 0 ? 1 : args[1]->cs_uid == only) &&
  wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_raddr) /
{
	this->us = (timestamp - start[args[0]->so_addr]) / 1000;
	row(args[1]->cs_uid, args[0]->so_incall ? args[1]->cs_pid : who[args[0]->so_addr],
	    args[0]->so_incall ? args[1]->cs_execname : name[args[0]->so_addr], args[0]->so_ip, args[0]->so_laddr,
	    args[0]->so_lport, args[0]->so_raddr, args[0]->so_rport, this->us / 1000, this->us % 1000 / 10,
	    args[2]->sr_error);
}

sock:::connect-done
/ ends && start[args[0]->so_addr] /
{
	start[args[0]->so_addr] = 0;
}

sock:::connect-done
/ ends && (args[0]->so_incall == 0 || args[0]->so_nonblock) /
{
	who[args[0]->so_addr] = 0;
	name[args[0]->so_addr] = 0;
}

dtrace:::END
/ counts /
{
	header_counts();
	rows_counts(@connects);
	trunc(@connects);
}
