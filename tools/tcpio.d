// SPDX-License-Identifier: GPL-2.0-or-later
/* tcpio: TCP segments with their flags.
 *
 * common: sockets
 * row: CPU %4d LADDR:LPORT %+15s:%-5d|%+39s:%-5d =dir %s RADDR:RPORT %+15s:%-5d|%+39s:%-5d BYTES %6d FLAGS (%s%s%s%s%s%s%s%s%s)
 */
inline string fin[int f] = f & TH_FIN ? "FIN" : "";
inline string syn[int f] = f & TH_SYN ? f & 0x01 ? "|SYN" : "SYN" : "";
inline string rst[int f] = f & TH_RST ? f & 0x03 ? "|RST" : "RST" : "";
inline string push[int f] = f & TH_PUSH ? f & 0x07 ? "|PUSH" : "PUSH" : "";
inline string ack[int f] = f & TH_ACK ? f & 0x0f ? "|ACK" : "ACK" : "";
inline string urg[int f] = f & TH_URG ? f & 0x1f ? "|URG" : "URG" : "";
inline string ece[int f] = f & TH_ECE ? f & 0x3f ? "|ECE" : "ECE" : "";
inline string cwr[int f] = f & TH_CWR ? f & 0x7f ? "|CWR" : "CWR" : "";
inline string none[int f] = f == 0 ? "null" : "";

dtrace:::BEGIN
{
	header();
}

tcp:::send
/ wanted(args[1], args[4]->tcp_sport, args[4]->tcp_dport, args[2]->ip_saddr, args[2]->ip_daddr) /
{
	this->flags = args[4]->tcp_flags;
	row(cpu, args[2]->ip_saddr, args[4]->tcp_sport, "->", args[2]->ip_daddr, args[4]->tcp_dport,
	    args[2]->ip_plength - args[4]->tcp_offset, fin[this->flags], syn[this->flags], rst[this->flags],
	    push[this->flags], ack[this->flags], urg[this->flags], ece[this->flags], cwr[this->flags],
	    none[this->flags]);
}

tcp:::receive
/ wanted(args[1], args[4]->tcp_dport, args[4]->tcp_sport, args[2]->ip_daddr, args[2]->ip_saddr) /
{
	this->flags = args[4]->tcp_flags;
	row(cpu, args[2]->ip_daddr, args[4]->tcp_dport, "<-", args[2]->ip_saddr, args[4]->tcp_sport,
	    args[2]->ip_plength - args[4]->tcp_offset, fin[this->flags], syn[this->flags], rst[this->flags],
	    push[this->flags], ack[this->flags], urg[this->flags], ece[this->flags], cwr[this->flags],
	    none[this->flags]);
}
