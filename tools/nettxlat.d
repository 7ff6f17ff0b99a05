// SPDX-License-Identifier: GPL-2.0-or-later
/* nettxlat: time that devices have packets, from driver to done.
 *
 * common: owner hosts interval
 * -i DEVICE   device = ""   only this device
 * -D          bydev = 0     a distribution for each device (nettxlat-dev)
 * row: DEVICE %s USECS=us %@d
 */
dtrace:::BEGIN
{
	say("Tracing net device xmit queue latency. Hit Ctrl-C to end.\n");
}

net:::transmit-done
/ (device == "" || args[3]->if_name == device) && wanted(args[1], 0, 0, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	@time[bydev ? args[3]->if_name : "all"] = quantize(args[4]->net_time / 1000);
}

tool:::interval
{
	rows(@time);
	trunc(@time);
}
