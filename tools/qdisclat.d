// SPDX-License-Identifier: GPL-2.0-or-later
/* qdisclat: time that packets spend in the queues of devices (qdiscs).
 *
 * common: owner hosts interval
 * -i DEVICE   device = ""    only this device
 * -D          bydev = 0      a distribution for each device
 * kind        kind = ""      only this kind of queue: fq, fq_codel, tbf, ...
 * row: QDISC %s DEVICE %s USECS=us %@d
 */
dtrace:::BEGIN
{
	say("Tracing qdisc%s%s latency. Hit Ctrl-C to end.\n", kind == "" ? "" : " ", kind);
}

qdisc:::dequeue
/ args[4]->qd_time != 0 && (kind == "" || args[4]->qd_kind == kind) && (device == "" || args[3]->if_name == device) &&
  wanted(args[1], 0, 0, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	@time[args[4]->qd_kind, bydev ? args[3]->if_name : "all"] = quantize(args[4]->qd_time / 1000);
}

tool:::interval
{
	rows(@time);
	trunc(@time);
}
