// SPDX-License-Identifier: GPL-2.0-or-later
/* sofamily: address families of new connections, by process.
 *
 * common: owner interval rows
 * row: CALL %-8s PROCESS=comm %-16s FAM=family %3d NAME=family_name %-12s COUNT %@8d
 */
dtrace:::BEGIN
{
	say("Tracing socket connect/accepts. Ctrl-C to end.\n");
}

sock:::connect-start
/ wanted(args[1]) /
{
	@connect["connect", args[1]->cs_execname, args[0]->so_family, args[0]->so_familyname] = count();
}

sock:::accept-done
/ args[2]->sr_errno == 0 && wanted(args[1]) /
{
	@accept["accept", args[1]->cs_execname, args[0]->so_family, args[0]->so_familyname] = count();
}

tool:::interval
{
	header();
	rows(@accept);
	rows(@connect);
	trunc(@accept);
	trunc(@connect);
}
