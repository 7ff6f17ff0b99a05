// SPDX-License-Identifier: GPL-2.0-or-later
/* soprotocol: transport protocols of new connections, by process.
 *
 * common: owner interval rows
 * row: CALL %-8s PROCESS=comm %-16s PROTO=proto_number %5d NAME=proto %-14s MODULE %-12s COUNT %@8d
 */
dtrace:::BEGIN
{
	say("Tracing socket connect/accepts. Ctrl-C to end.\n");
}

sock:::connect-start
/ wanted(args[1]) /
{
	@connect["connect", args[1]->cs_execname, args[0]->so_protocol, args[0]->so_protocolname, args[0]->so_protoname] =
	    count();
}

sock:::accept-done
/ args[2]->sr_errno == 0 && wanted(args[1]) /
{
	@accept["accept", args[1]->cs_execname, args[0]->so_protocol, args[0]->so_protocolname, args[0]->so_protoname] =
	    count();
}

tool:::interval
{
	header();
	rows(@accept);
	rows(@connect);
	trunc(@accept);
	trunc(@connect);
}
