// SPDX-License-Identifier: GPL-2.0-or-later
/* netsize: sizes of packets at devices, before and after segmentation.
 *
 * common: owner hosts interval
 * -i DEVICE   device = ""   only this device
 * -D          bydev = 0     a distribution for each device
 * row: PLACE %s DEVICE %s BYTES %@d
 */
dtrace:::BEGIN
{
	say("Tracing net device send/receive. Hit Ctrl-C to end.\n");
}

net:::driver-receive
/ (device == "" || args[3]->if_name == device) && wanted(args[1], 0, 0, args[2]->ip_daddr, args[2]->ip_saddr) /
{
	@bytes["nic_recv_bytes", bydev ? args[3]->if_name : "all"] = quantize(args[4]->net_len);
}

net:::transmit
/ (device == "" || args[3]->if_name == device) && wanted(args[1], 0, 0, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	@bytes["nic_send_bytes", bydev ? args[3]->if_name : "all"] = quantize(args[4]->net_len);
}

net:::receive
/ (device == "" || args[3]->if_name == device) && wanted(args[1], 0, 0, args[2]->ip_daddr, args[2]->ip_saddr) /
{
	@bytes["recv_bytes", bydev ? args[3]->if_name : "all"] = quantize(args[4]->net_len);
}

net:::queue
/ (device == "" || args[3]->if_name == device) && wanted(args[1], 0, 0, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	@bytes["send_bytes", bydev ? args[3]->if_name : "all"] = quantize(args[4]->net_len);
}

tool:::interval
{
	rows(@bytes);
	trunc(@bytes);
}
