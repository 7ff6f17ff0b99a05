// SPDX-License-Identifier: GPL-2.0-or-later
/* socketio: socket reads and writes by process, protocol and remote port.
 *
 * common: sockets interval rows live
 * row: PROCESS=comm %-16s PID %7d DIR %-5s PROTO %-12s RPORT %5d COUNT %@9d BYTES %@12d
 */
dtrace:::BEGIN
{
	say("Tracing socket I/O. Ctrl-C to end.\n");
}

sock:::receive
/ wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_raddr) /
{
	@count[args[1]->cs_execname, args[1]->cs_pid, "read", args[0]->so_protoname, args[0]->so_rport] = count();
	@bytes[args[1]->cs_execname, args[1]->cs_pid, "read", args[0]->so_protoname, args[0]->so_rport] =
	    sum(args[2]->sr_bytes);
}

sock:::send
/ wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_raddr) /
{
	@count[args[1]->cs_execname, args[1]->cs_pid, "write", args[0]->so_protoname, args[0]->so_rport] = count();
	@bytes[args[1]->cs_execname, args[1]->cs_pid, "write", args[0]->so_protoname, args[0]->so_rport] =
	    sum(args[2]->sr_bytes);
}

tool:::interval
{
	header();
	rows(@count, @bytes);
	trunc(@count);
	trunc(@bytes);
}
