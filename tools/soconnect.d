// SPDX-License-Identifier: GPL-2.0-or-later
/* soconnect: connects to Internet addresses as they succeed or fail.
 *
 * common: sockets failed=-e slow
 * -r   returned = 0   what connect() returned, also "In progress"
 * row: PID %-7d PROCESS=comm %-15.15s FAM[!json]=family %-4s FAM=family[json] %d ADDRESS=raddr %-15s|%-39s PORT=rport %-5d LAT(us)=us %8d RESULT %s
 */
inline string family_name[int ip] = ip == 4 ? "IPv4" : "IPv6";

uint64_t start[uintptr_t];
/* Whose the connections are that no process waits for: they end in an interrupt. */
int who[uintptr_t];
string name[uintptr_t];
self uint64_t start;

dtrace:::BEGIN
{
	header();
}

/* Without a descriptor it is no connect(), but io_uring or TCP Fast Open. */
sock:::connect-start
/ returned && args[0]->so_ip && args[0]->so_fd != -1 /
{
	self->start = timestamp;
}

sock:::connect-return
/ returned && self->start && (failed == 0 || args[2]->sr_errno != 0) && timestamp - self->start >= slow * 1000000 &&
  wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_raddr) /
{
	row(args[1]->cs_pid, args[1]->cs_execname, family_name[args[0]->so_ip], args[0]->so_family, args[0]->so_raddr,
	    args[0]->so_rport, (timestamp - self->start) / 1000, args[2]->sr_error);
}

sock:::connect-return
/ returned && self->start /
{
	self->start = 0;
}

sock:::connect-start
/ returned == 0 && args[0]->so_ip /
{
	start[args[0]->so_addr] = timestamp;
}

sock:::connect-start
/ returned == 0 && args[0]->so_ip && args[0]->so_nonblock /
{
	who[args[0]->so_addr] = args[1]->cs_pid;
	name[args[0]->so_addr] = args[1]->cs_execname;
}

sock:::connect-done
/ returned == 0 && start[args[0]->so_addr] && (failed == 0 || args[2]->sr_errno != 0) &&
  timestamp - start[args[0]->so_addr] >= slow * 1000000 &&
  wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_raddr) /
{
	row(args[0]->so_incall ? args[1]->cs_pid : who[args[0]->so_addr],
	    args[0]->so_incall ? args[1]->cs_execname : name[args[0]->so_addr], family_name[args[0]->so_ip], args[0]->so_family, args[0]->so_raddr,
	    args[0]->so_rport, (timestamp - start[args[0]->so_addr]) / 1000, args[2]->sr_error);
}

sock:::connect-done
/ returned == 0 && start[args[0]->so_addr] /
{
	start[args[0]->so_addr] = 0;
}

sock:::connect-done
/ returned == 0 && (args[0]->so_incall == 0 || args[0]->so_nonblock) /
{
	who[args[0]->so_addr] = 0;
	name[args[0]->so_addr] = 0;
}
