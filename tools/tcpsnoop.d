// SPDX-License-Identifier: GPL-2.0-or-later
/* tcpsnoop: every TCP segment, with the process that owns its connection.
 *
 * common: sockets packets
 * row: TIME=time_s %4d.%03d ZONE[wide] %-8s UID[wide] %5d PID %6d COMM[wide] %-15s
 * row: LADDR:PORT=laddr:lport %+15s:%-5d|%+39s:%-5d =dir %s RADDR:PORT=raddr:rport %+15s:%-5d|%+39s:%-5d
 * row: BYTES %5d FLAGS (%s%s%s%s%s%s%s%s)
 */

/* "SYN|ACK": a bar stands before each name but the first. */
inline string fin[int f] = f & TH_FIN ? "FIN" : "";
inline string syn[int f] = f & TH_SYN ? f & 0x01 ? "|SYN" : "SYN" : "";
inline string rst[int f] = f & TH_RST ? f & 0x03 ? "|RST" : "RST" : "";
inline string push[int f] = f & TH_PUSH ? f & 0x07 ? "|PUSH" : "PUSH" : "";
inline string ack[int f] = f & TH_ACK ? f & 0x0f ? "|ACK" : "ACK" : "";
inline string urg[int f] = f & TH_URG ? f & 0x1f ? "|URG" : "URG" : "";
inline string ece[int f] = f & TH_ECE ? f & 0x3f ? "|ECE" : "ECE" : "";
inline string cwr[int f] = f & TH_CWR ? f & 0x7f ? "|CWR" : "CWR" : "";

uint64_t start;

dtrace:::BEGIN
{
	start = timestamp;
	header();
}

tcp:::send
/ wanted(args[1], args[4]->tcp_sport, args[4]->tcp_dport, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	this->ms = (timestamp - start) / 1000000;
	this->flags = args[4]->tcp_flags;
	row(this->ms / 1000, this->ms % 1000, args[1]->cs_zonename, args[1]->cs_uid, args[1]->cs_pid,
	    args[1]->cs_execname, args[2]->ip_saddr, args[4]->tcp_sport, "->", args[2]->ip_daddr, args[4]->tcp_dport,
	    args[2]->ip_plength - args[4]->tcp_offset, fin[this->flags], syn[this->flags], rst[this->flags],
	    push[this->flags], ack[this->flags], urg[this->flags], ece[this->flags], cwr[this->flags]);
}

tcp:::receive
/ wanted(args[1], args[4]->tcp_dport, args[4]->tcp_sport, args[2]->ip_daddr, args[2]->ip_saddr) /
{
	this->ms = (timestamp - start) / 1000000;
	this->flags = args[4]->tcp_flags;
	row(this->ms / 1000, this->ms % 1000, args[1]->cs_zonename, args[1]->cs_uid, args[1]->cs_pid,
	    args[1]->cs_execname, args[2]->ip_daddr, args[4]->tcp_dport, "<-", args[2]->ip_saddr, args[4]->tcp_sport,
	    args[2]->ip_plength - args[4]->tcp_offset, fin[this->flags], syn[this->flags], rst[this->flags],
	    push[this->flags], ack[this->flags], urg[this->flags], ece[this->flags], cwr[this->flags]);
}

/* With -w: what becomes of segments and connections. */
tcp:::resend
/ tool_capture && wanted(args[1], args[5]->re_lport, args[5]->re_rport, args[5]->re_laddr, args[5]->re_raddr) /
{
	note("retransmit %s:%d > %s:%d seq %u segments %d: %s", args[5]->re_laddr, args[5]->re_lport, args[5]->re_raddr,
	    args[5]->re_rport, args[5]->re_seq, args[5]->re_segs, args[5]->re_kind);
}

tcp:::drop
/ tool_capture &&
  wanted(args[1], args[5]->drop_in ? args[4]->tcp_dport : args[4]->tcp_sport,
    args[5]->drop_in ? args[4]->tcp_sport : args[4]->tcp_dport, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	note("drop %s:%d > %s:%d seq %u: %s", args[2]->ip_saddr, args[4]->tcp_sport, args[2]->ip_daddr,
	    args[4]->tcp_dport, args[4]->tcp_seq, args[5]->drop_reason);
}

tcp:::state-change
/ tool_capture &&
  wanted(args[1], args[3]->tcps_lport, args[3]->tcps_rport, args[3]->tcps_laddr, args[3]->tcps_raddr) /
{
	note("state %s:%d %s:%d %s > %s", args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport, tcp_state_name[args[5]->tcps_state], tcp_state_name[args[3]->tcps_state]);
}
