// SPDX-License-Identifier: GPL-2.0-or-later
/* tcpdrop: TCP segments that the kernel drops, why, and where.
 *
 * common: clock sockets packets
 * -a   all = 0     also segments that are freed with their connection
 * -q   quiet = 0   one line for each drop, without the kernel's stack
 * row: PID %-6d IP %-2d SADDR:SPORT %+15s:%-5d|%+39s:%-5d >=to[!json] %s DADDR:DPORT %+15s:%-5d|%+39s:%-5d
 * row: STATE %#s FLAGS=flags (%s%s%s%s%s%s) REASON %s STACK[!quiet] %k
 * row text: PID %-6d IP %-2d SADDR:SPORT %+15s:%-5d|%+39s:%-5d > %s DADDR:DPORT %+15s:%-5d|%+39s:%-5d
 * row text: STATE %#s
 */
/* A segment without a socket has no state. */
inline string state_of[uintptr_t sk, int state] = sk ? tcp_state_name[state] : "";
inline string fin[int f] = f & TH_FIN ? "FIN" : "";
inline string syn[int f] = f & TH_SYN ? f & 0x01 ? "|SYN" : "SYN" : "";
inline string rst[int f] = f & TH_RST ? f & 0x03 ? "|RST" : "RST" : "";
inline string push[int f] = f & TH_PUSH ? f & 0x07 ? "|PUSH" : "PUSH" : "";
inline string ack[int f] = f & TH_ACK ? f & 0x0f ? "|ACK" : "ACK" : "";
inline string urg[int f] = f & TH_URG ? f & 0x1f ? "|URG" : "URG" : "";

dtrace:::BEGIN
/ quiet /
{
	header();
}

dtrace:::BEGIN
/ !quiet /
{
	header_text();
}

tcp:::drop
/ (all || args[5]->drop_reason != "QUEUE_PURGE") &&
  wanted(args[1], args[5]->drop_in ? args[4]->tcp_dport : args[4]->tcp_sport,
    args[5]->drop_in ? args[4]->tcp_sport : args[4]->tcp_dport,
    args[5]->drop_in ? args[2]->ip_daddr : args[2]->ip_saddr,
    args[5]->drop_in ? args[2]->ip_saddr : args[2]->ip_daddr) /
{
	this->flags = args[4]->tcp_flags;
	this->mine = 1;
}

tcp:::drop
/ this->mine && (quiet || !tool_text) /
{
	row(args[1]->cs_pid, args[2]->ip_ver, args[2]->ip_saddr, args[4]->tcp_sport, ">", args[2]->ip_daddr,
	    args[4]->tcp_dport, state_of[args[1]->cs_addr, args[3]->tcps_state], fin[this->flags], syn[this->flags], rst[this->flags],
	    push[this->flags], ack[this->flags], urg[this->flags], args[5]->drop_reason, stack());
}

tcp:::drop
/ this->mine && !quiet && tool_text /
{
	row_text(args[1]->cs_pid, args[2]->ip_ver, args[2]->ip_saddr, args[4]->tcp_sport, ">", args[2]->ip_daddr,
	    args[4]->tcp_dport, state_of[args[1]->cs_addr, args[3]->tcps_state]);
	printf("(%s%s%s%s%s%s) %s%k\n", fin[this->flags], syn[this->flags], rst[this->flags], push[this->flags],
	    ack[this->flags], urg[this->flags], args[5]->drop_reason, stack());
}
