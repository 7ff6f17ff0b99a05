// SPDX-License-Identifier: GPL-2.0-or-later
/* pacinglat: how long pacing holds packets, and how late they leave.
 *
 * common: sockets interval
 * -i DEVICE   device = ""   only queues of this device
 * row: BY=pacer %-4s WHAT %-6s USECS=us %@d
 * column WHAT: wanted: the wait for the departure time; late: how long after it it left
 */
uint64_t departs[uintptr_t];	/* of a socket that waits to send: when it may, ns */
uint64_t waits[uintptr_t];	/* ... and how long that is */

dtrace:::BEGIN
{
	say("Tracing pacing latency. Hit Ctrl-C to end.\n");
}

/* TCP paces by itself: a timer ends at the departure time, and what was held leaves then. */
tcp:::pace
/ device == "" && wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	waits[arg0] = args[5];
	departs[arg0] = timestamp + args[5];
}

/* Acknowledgments without data are not paced. */
tcp:::send
/ departs[arg0] != 0 && args[2]->ip_plength > args[4]->tcp_offset /
{
	@us["tcp", "wanted"] = quantize(waits[arg0] / 1000);
	@us["tcp", "late"] = quantize(((int64_t)timestamp - (int64_t)departs[arg0]) / 1000);
	departs[arg0] = 0;
}

tcp:::state-change
/ tcp_socket_ends[args[3]->tcps_state, args[1]->cs_addr] && departs[arg0] != 0 /
{
	departs[arg0] = 0;
}

tcp:::detach
/ departs[arg0] != 0 /
{
	departs[arg0] = 0;
}

/* The queue of the device keeps the packet until its departure time. */
qdisc:::dequeue
/ args[4]->qd_departs != 0 && args[4]->qd_time != 0 && (device == "" || args[3]->if_name == device) &&
  args[4]->qd_departs > timestamp - args[4]->qd_time && wanted(args[1], 0, 0, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	@us[args[4]->qd_kind, "wanted"] = quantize((args[4]->qd_departs - (timestamp - args[4]->qd_time)) / 1000);
	@us[args[4]->qd_kind, "late"] = quantize(((int64_t)timestamp - (int64_t)args[4]->qd_departs) / 1000);
}

tool:::interval
{
	rows(@us);
	trunc(@us);
}
