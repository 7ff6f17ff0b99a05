// SPDX-License-Identifier: GPL-2.0-or-later
/* solife: Internet sockets from connect() or accept() to close().
 *
 * common: sockets slow
 * row: PID %-7d COMM %-10.10s PROTO %-6s LADDR %-15s|%-39s LPORT %-5d D=dir %-2s RADDR %-15s|%-39s RPORT %-5d MS %d.%02d
 */
#pragma D option dynvarsize=32m

uint64_t start[uintptr_t];
int accepted[uintptr_t];

dtrace:::BEGIN
{
	header();
}

sock:::connect-start
/ args[0]->so_ip /
{
	start[args[0]->so_addr] = timestamp;
}

sock:::connect-done
/ args[2]->sr_errno && start[args[0]->so_addr] /
{
	start[args[0]->so_addr] = 0;
}

sock:::accept-done
/ args[0]->so_ip && args[2]->sr_errno == 0 /
{
	start[args[0]->so_addr] = timestamp;
	accepted[args[0]->so_addr] = 1;
}

sock:::close
/ start[args[0]->so_addr] && timestamp - start[args[0]->so_addr] >= slow * 1000000 &&
  wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_raddr) /
{
	this->us = (timestamp - start[args[0]->so_addr]) / 1000;
	row(args[1]->cs_pid, args[1]->cs_execname, args[0]->so_protoname, args[0]->so_laddr, args[0]->so_lport,
	    accepted[args[0]->so_addr] ? "<-" : "->", args[0]->so_raddr, args[0]->so_rport, this->us / 1000,
	    this->us % 1000 / 10);
}

sock:::close
/ start[args[0]->so_addr] /
{
	start[args[0]->so_addr] = 0;
	accepted[args[0]->so_addr] = 0;
}
