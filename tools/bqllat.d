// SPDX-License-Identifier: GPL-2.0-or-later
/* bqllat: how long the byte limits of drivers (BQL) stop their queues.
 *
 * common: interval
 * -i DEVICE   device = ""   only this device
 * -H          hist = 0      distributions of stops, and of the bytes of drivers
 * row: DEVICE %-12s QUEUE=txqueue %5d PACKETS %@8d STOPS %@7d STOPPED_US=stopped_us %@10d MAX_US=max_us %@8d LIMIT=limit_bytes %@8d INFLIGHT=inflight_max_bytes %@8d
 * column PACKETS: packets that the driver got
 * row hist: DEVICE %s WHAT %s VALUE=value %@d
 */
dtrace:::BEGIN
{
	say("Tracing byte queue limits. Hit Ctrl-C to end.\n");
}

bql:::queued
/ (device == "" || args[1]->if_name == device) /
{
	@packets[args[1]->if_name, args[0]->bql_queue] = sum(1);
	@stops[args[1]->if_name, args[0]->bql_queue] = sum(0);
	@us[args[1]->if_name, args[0]->bql_queue] = sum(0);
	@most[args[1]->if_name, args[0]->bql_queue] = max(0);
	@limit[args[1]->if_name, args[0]->bql_queue] = max(args[0]->bql_limit);
	@inflight[args[1]->if_name, args[0]->bql_queue] = max(args[0]->bql_inflight);
}

bql:::queued
/ hist && (device == "" || args[1]->if_name == device) /
{
	@hist[args[1]->if_name, "inflight"] = quantize(args[0]->bql_inflight);
}

bql:::start
/ (device == "" || args[1]->if_name == device) /
{
	@packets[args[1]->if_name, args[0]->bql_queue] = sum(0);
	@stops[args[1]->if_name, args[0]->bql_queue] = sum(1);
	@us[args[1]->if_name, args[0]->bql_queue] = sum(args[0]->bql_time / 1000);
	@most[args[1]->if_name, args[0]->bql_queue] = max(args[0]->bql_time / 1000);
	@limit[args[1]->if_name, args[0]->bql_queue] = max(args[0]->bql_limit);
	@inflight[args[1]->if_name, args[0]->bql_queue] = max(0);
}

bql:::start
/ hist && (device == "" || args[1]->if_name == device) /
{
	@hist[args[1]->if_name, "stopped_us"] = quantize(args[0]->bql_time / 1000);
}

tool:::interval
/ hist == 0 /
{
	header();
	rows(@packets, @stops, @us, @most, @limit, @inflight);
}

tool:::interval
/ hist /
{
	rows_hist(@hist);
}

tool:::interval
{
	trunc(@packets);
	trunc(@stops);
	trunc(@us);
	trunc(@most);
	trunc(@limit);
	trunc(@inflight);
	trunc(@hist);
}
