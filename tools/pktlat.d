// SPDX-License-Identifier: GPL-2.0-or-later
/* pktlat: time of packets between the stages of their way.
 *
 * common: sockets interval
 * -i DEVICE   device = ""   only stages at this device
 * row: FROM %-11s TO %-11s COUNT=packets %@7d SUM_US %@9d P50_US %@7.50Q P95_US %@7.95Q P99_US %@7.99Q
 * row: MAX_US %@7d
 */
dtrace:::BEGIN
{
	say("Tracing packets between stages. Ctrl-C ends.\n");
}

path:::
/ args[4]->path_last != "" && (device == "" || args[3]->if_name == device) &&
  (args[0]->pkt_recv ?
    wanted(args[1], args[4]->path_dport, args[4]->path_sport, args[2]->ip_daddr, args[2]->ip_saddr) :
    wanted(args[1], args[4]->path_sport, args[4]->path_dport, args[2]->ip_saddr, args[2]->ip_daddr)) /
{
	@packets[args[4]->path_last, args[4]->path_stagestr] = count();
	@total[args[4]->path_last, args[4]->path_stagestr] = sum(args[4]->path_time);
	@us[args[4]->path_last, args[4]->path_stagestr] = llquantize(args[4]->path_time / 1000, 2, 0, 31, 16);
	@most[args[4]->path_last, args[4]->path_stagestr] = max(args[4]->path_time / 1000);
}

tool:::interval
{
	header();
	normalize(@total, 1000);
	rows(@packets, @total, @us, @us, @us, @most);
	trunc(@packets);
	trunc(@total);
	trunc(@us);
	trunc(@most);
}
