// SPDX-License-Identifier: GPL-2.0-or-later
/* tcpwin: send windows of connections at each segment, as CSV.
 *
 * common: sockets
 * join: ,
 * row: event=event %s sock=sock 0x%x time_us=time_us %d snd_cwnd %d snd_ssthresh %d sk_sndbuf %d sk_wmem_queued %d
 * row: laddr[csv] - lport[csv] - raddr[csv] - rport[csv] -
 * row new: event=event %s sock=sock 0x%x time_us=time_us %d snd_cwnd[csv] - snd_ssthresh[csv] - sk_sndbuf[csv] -
 * row new: sk_wmem_queued[csv] - laddr %s lport %d raddr %s rport %d
 */
uint64_t began;

dtrace:::BEGIN
{
	began = timestamp;
	header();
}

tcp:::connect-established, tcp:::accept-established
/ wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	row_new("new", args[1]->cs_addr, (timestamp - began) / 1000, args[3]->tcps_laddr, args[3]->tcps_lport,
	    args[3]->tcps_raddr, args[3]->tcps_rport);
}

tcp:::receive
/ args[3]->tcps_state == TCP_STATE_ESTABLISHED && args[3]->tcps_mss != 0 &&
  wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	row("rcv", args[1]->cs_addr, (timestamp - began) / 1000, args[3]->tcps_cwnd / args[3]->tcps_mss,
	    args[3]->tcps_cwnd_ssthresh == 0x7fffffff ? 0x7fffffff : args[3]->tcps_cwnd_ssthresh / args[3]->tcps_mss,
	    args[3]->tcps_sndbuf, args[3]->tcps_wmem);
}

tcp:::retransmit
/ args[3]->tcps_mss != 0 &&
  wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	row("retrans", args[1]->cs_addr, (timestamp - began) / 1000, args[3]->tcps_cwnd / args[3]->tcps_mss,
	    args[3]->tcps_cwnd_ssthresh == 0x7fffffff ? 0x7fffffff : args[3]->tcps_cwnd_ssthresh / args[3]->tcps_mss,
	    args[3]->tcps_sndbuf, args[3]->tcps_wmem);
}
