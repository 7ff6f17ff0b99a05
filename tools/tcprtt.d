// SPDX-License-Identifier: GPL-2.0-or-later
/* tcprtt: round-trip times of TCP connections, by remote host.
 *
 * common: sockets interval rows live
 * -H   hist = 0    distributions instead of averages
 * row: RADDR %-39s SEGMENTS %@9d AVG(us) %@9d MIN(us) %@9d MAX(us) %@9d
 * row hist: RADDR=raddr %s US=us %@d
 */
dtrace:::BEGIN
{
	say("Tracing TCP round-trip times. Hit Ctrl-C to end.\n");
}

tcp:::receive
/ hist == 0 && args[3]->tcps_srtt && args[3]->tcps_state == TCP_STATE_ESTABLISHED &&
  wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	@segments[args[3]->tcps_raddr] = count();
	@average[args[3]->tcps_raddr] = avg(args[3]->tcps_srtt);
	@least[args[3]->tcps_raddr] = min(args[3]->tcps_srtt);
	@most[args[3]->tcps_raddr] = max(args[3]->tcps_srtt);
}

tcp:::receive
/ hist && args[3]->tcps_srtt && args[3]->tcps_state == TCP_STATE_ESTABLISHED &&
  wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	@us[args[3]->tcps_raddr] = quantize(args[3]->tcps_srtt);
}

tool:::interval
/ hist == 0 /
{
	header();
	rows(@segments, @average, @least, @most);
	trunc(@segments);
	trunc(@average);
	trunc(@least);
	trunc(@most);
}

tool:::interval
/ hist /
{
	rows_hist(@us);
	trunc(@us);
}
