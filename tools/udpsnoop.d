// SPDX-License-Identifier: GPL-2.0-or-later
/* udpsnoop: every UDP datagram of a socket, with the process that owns it.
 *
 * common: sockets packets
 * row: TIME=time_s %4d.%03d ZONE[wide] %-8s UID[wide] %5d PID %6d COMM[wide] %-15s
 * row: LADDR:PORT=laddr:lport %+15s:%-5d|%+39s:%-5d =dir %s RADDR:PORT=raddr:rport %+15s:%-5d|%+39s:%-5d
 * row: BYTES %5d
 */

uint64_t start;

dtrace:::BEGIN
{
	start = timestamp;
	header();
}

udp:::send
/ wanted(args[1], args[4]->udp_sport, args[4]->udp_dport, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	this->ms = (timestamp - start) / 1000000;
	row(this->ms / 1000, this->ms % 1000, args[1]->cs_zonename, args[1]->cs_uid, args[1]->cs_pid,
	    args[1]->cs_execname, args[2]->ip_saddr, args[4]->udp_sport, "->", args[2]->ip_daddr, args[4]->udp_dport,
	    args[4]->udp_length - 8);
}

udp:::receive
/ wanted(args[1], args[4]->udp_dport, args[4]->udp_sport, args[2]->ip_daddr, args[2]->ip_saddr) /
{
	this->ms = (timestamp - start) / 1000000;
	row(this->ms / 1000, this->ms % 1000, args[1]->cs_zonename, args[1]->cs_uid, args[1]->cs_pid,
	    args[1]->cs_execname, args[2]->ip_daddr, args[4]->udp_dport, "<-", args[2]->ip_saddr, args[4]->udp_sport,
	    args[4]->udp_length - 8);
}
