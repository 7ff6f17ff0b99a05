// SPDX-License-Identifier: GPL-2.0-or-later
/* soconnlat: latency of Internet connections, with the code that waits.
 *
 * common: sockets failed slow interval rows
 * row: COMM %s USTACK=ustack %k US=us %@d
 * row later: COMM %s USTACK=ustack (%s) US=us %@d
 */
uint64_t start[uintptr_t];
/* Whose the connections are that no process waits for: they end in an interrupt. */
string name[uintptr_t];

dtrace:::BEGIN
{
	say("Tracing IP connect() latency with ustacks. Ctrl-C to end.\n");
}

sock:::connect-start
/ args[0]->so_ip && wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_raddr) /
{
	start[args[0]->so_addr] = timestamp;
}

sock:::connect-start
/ args[0]->so_nonblock && start[args[0]->so_addr] /
{
	name[args[0]->so_addr] = args[1]->cs_execname;
}

sock:::connect-done
/ args[0]->so_incall && args[0]->so_nonblock == 0 && start[args[0]->so_addr] && (args[2]->sr_errno != 0) == failed &&
  timestamp - start[args[0]->so_addr] >= slow * 1000000 /
{
	@us[args[1]->cs_execname, ustack()] = quantize((timestamp - start[args[0]->so_addr]) / 1000);
}

/* It completes in an interrupt, when the code that began it is elsewhere, or fails at once. */
sock:::connect-done
/ args[0]->so_nonblock && start[args[0]->so_addr] && (args[2]->sr_errno != 0) == failed &&
  timestamp - start[args[0]->so_addr] >= slow * 1000000 /
{
	@later[name[args[0]->so_addr], "not waited for in connect"] =
	    quantize((timestamp - start[args[0]->so_addr]) / 1000);
}

sock:::connect-done
/ args[0]->so_nonblock && start[args[0]->so_addr] /
{
	name[args[0]->so_addr] = 0;
}

sock:::connect-done
/ start[args[0]->so_addr] /
{
	start[args[0]->so_addr] = 0;
}

tool:::interval
{
	rows(@us);
	rows_later(@later);
	trunc(@us);
	trunc(@later);
}
