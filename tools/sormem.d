// SPDX-License-Identifier: GPL-2.0-or-later
/* sormem: socket receive buffers: fill, limits, and what had no room.
 *
 * common: clock sockets interval
 * row: WHAT=what %s BYTES %@d EVENT[csv] - PID[csv] - COMM[csv] - PROTO[csv] - PORT[csv]=lport -
 * row: RMEM[csv] - RCVBUF[csv] -
 * row full: WHAT[csv] - BYTES[csv] - EVENT=event %-15s PID %7d COMM %-15.15s PROTO %-7s
 * row full: PORT=lport %5d
 * row full: RMEM %8d RCVBUF %8d
 */
dtrace:::BEGIN
{
	say("Tracing socket receive buffer size. Hit Ctrl-C to end.\n");
	header_full();
}

sock:::receive
/ wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_raddr) /
{
	@bytes["rmem_alloc"] = quantize(args[0]->so_rcvq);
	@bytes["rmem_limit"] = quantize(args[0]->so_rcvbuf);
}

sock:::buffer-full
/ wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_raddr) /
{
	row_full(args[2]->sf_buffer,
	    args[1]->cs_pid, args[1]->cs_execname, args[0]->so_protoname, args[0]->so_lport, args[0]->so_rcvq,
	    args[0]->so_rcvbuf);
}

tool:::interval
{
	rows(@bytes);
	trunc(@bytes);
}
