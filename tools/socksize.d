// SPDX-License-Identifier: GPL-2.0-or-later
/* socksize: sizes of socket reads and writes, by process.
 *
 * common: sockets interval rows
 * -s   stats = 0   count, average and total instead of distributions
 * row: DIR=dir %s PROCESS=comm %s BYTES %@d
 * row stats: DIR=dir %-5s PROCESS=comm %-16s COUNT %@9d AVERAGE %@9d TOTAL %@12d
 */
dtrace:::BEGIN
{
	say("Tracing socket I/O sizes. Ctrl-C to end.\n");
}

sock:::receive
/ stats == 0 && args[2]->sr_errno == 0 &&
  wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_raddr) /
{
	@read["read", args[1]->cs_execname] = quantize(args[2]->sr_bytes);
}

sock:::send
/ stats == 0 && args[2]->sr_errno == 0 &&
  wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_raddr) /
{
	@write["write", args[1]->cs_execname] = quantize(args[2]->sr_bytes);
}

sock:::receive
/ stats && args[2]->sr_errno == 0 &&
  wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_raddr) /
{
	@count["read", args[1]->cs_execname] = count();
	@average["read", args[1]->cs_execname] = avg(args[2]->sr_bytes);
	@total["read", args[1]->cs_execname] = sum(args[2]->sr_bytes);
}

sock:::send
/ stats && args[2]->sr_errno == 0 &&
  wanted(args[1], args[0]->so_lport, args[0]->so_rport, args[0]->so_laddr, args[0]->so_raddr) /
{
	@count["write", args[1]->cs_execname] = count();
	@average["write", args[1]->cs_execname] = avg(args[2]->sr_bytes);
	@total["write", args[1]->cs_execname] = sum(args[2]->sr_bytes);
}

tool:::interval
/ stats == 0 /
{
	rows(@read);
	rows(@write);
	trunc(@read);
	trunc(@write);
}

tool:::interval
/ stats /
{
	header_stats();
	rows_stats(@count, @average, @total);
	trunc(@count);
	trunc(@average);
	trunc(@total);
}
