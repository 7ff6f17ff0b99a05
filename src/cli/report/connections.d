// SPDX-License-Identifier: GPL-2.0-or-later
/* How TCP connections begin, how long that takes, and how far away their peers are. Times are in microseconds. */
uint64_t began[uintptr_t];	/* when a socket began to connect */

tcp:::connect-established
{
	@opened = count();
}

tcp:::accept-established
{
	@accepted = count();
}

sock:::connect-start
/ args[0]->so_ip && args[0]->so_protocol == IPPROTO_TCP /
{
	began[args[0]->so_addr] = timestamp;
}

sock:::connect-done
/ began[args[0]->so_addr] && args[2]->sr_errno == 0 /
{
	@connect_us = quantize((timestamp - began[args[0]->so_addr]) / 1000);
}

sock:::connect-done
/ began[args[0]->so_addr] && args[2]->sr_errno /
{
	@failed = count();
	@failed_by[args[1]->cs_pid, args[1]->cs_execname, args[0]->so_raddr, args[0]->so_rport, args[2]->sr_error] = count();
}

sock:::connect-done
/ began[args[0]->so_addr] /
{
	began[args[0]->so_addr] = 0;
}

tcp:::receive
/ args[3]->tcps_srtt /
{
	@rtt_us = quantize(args[3]->tcps_srtt);
	@peer_rtt[args[2]->ip_saddr] = max(args[3]->tcps_srtt);
}
