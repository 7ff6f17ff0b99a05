/* tcpsnoop: every TCP segment, with the process that owns its connection.
 *
 * usage: tcpsnoop [-w] [-p PID] [-P PORT]
 * -w        wide = 0        also zone, user and name of the process
 * -p PID    only_pid = -2   only this process (-1: segments of no process)
 * -P PORT   only_port = -1  only segments from or to this port
 */
#pragma D option quiet

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
}

dtrace:::BEGIN
/ wide == 0 /
{
	printf("%8s %6s %15s:%-5s    %15s:%-5s %5s %s\n", "TIME", "PID", "LADDR", "PORT", "RADDR", "PORT", "BYTES",
	    "FLAGS");
}

dtrace:::BEGIN
/ wide /
{
	printf("%8s %-8s %5s %6s %-15s %15s:%-5s    %15s:%-5s %5s %s\n", "TIME", "ZONE", "UID", "PID", "COMM", "LADDR",
	    "PORT", "RADDR", "PORT", "BYTES", "FLAGS");
}

tcp:::send, tcp:::receive
{
	this->wanted = (only_pid == -2 || args[1]->cs_pid == only_pid) &&
	    (only_port == -1 || args[4]->tcp_sport == only_port || args[4]->tcp_dport == only_port);
	this->ms = (timestamp - start) / 1000000;
	this->flags = args[4]->tcp_flags;
	this->bytes = args[2]->ip_plength - args[4]->tcp_offset;
}

tcp:::send
/ this->wanted && wide == 0 /
{
	printf("%4d.%03d %6d %15s:%-5d -> %15s:%-5d %5d (%s%s%s%s%s%s%s%s)\n", this->ms / 1000, this->ms % 1000,
	    args[1]->cs_pid, args[2]->ip_saddr, args[4]->tcp_sport, args[2]->ip_daddr, args[4]->tcp_dport, this->bytes,
	    fin[this->flags], syn[this->flags], rst[this->flags], push[this->flags], ack[this->flags],
	    urg[this->flags], ece[this->flags], cwr[this->flags]);
}

tcp:::receive
/ this->wanted && wide == 0 /
{
	printf("%4d.%03d %6d %15s:%-5d <- %15s:%-5d %5d (%s%s%s%s%s%s%s%s)\n", this->ms / 1000, this->ms % 1000,
	    args[1]->cs_pid, args[2]->ip_daddr, args[4]->tcp_dport, args[2]->ip_saddr, args[4]->tcp_sport, this->bytes,
	    fin[this->flags], syn[this->flags], rst[this->flags], push[this->flags], ack[this->flags],
	    urg[this->flags], ece[this->flags], cwr[this->flags]);
}

tcp:::send
/ this->wanted && wide /
{
	printf("%4d.%03d %-8s %5d %6d %-15s %15s:%-5d -> %15s:%-5d %5d (%s%s%s%s%s%s%s%s)\n", this->ms / 1000,
	    this->ms % 1000, args[1]->cs_zonename, args[1]->cs_uid, args[1]->cs_pid, args[1]->cs_execname,
	    args[2]->ip_saddr, args[4]->tcp_sport, args[2]->ip_daddr, args[4]->tcp_dport, this->bytes,
	    fin[this->flags], syn[this->flags], rst[this->flags], push[this->flags], ack[this->flags],
	    urg[this->flags], ece[this->flags], cwr[this->flags]);
}

tcp:::receive
/ this->wanted && wide /
{
	printf("%4d.%03d %-8s %5d %6d %-15s %15s:%-5d <- %15s:%-5d %5d (%s%s%s%s%s%s%s%s)\n", this->ms / 1000,
	    this->ms % 1000, args[1]->cs_zonename, args[1]->cs_uid, args[1]->cs_pid, args[1]->cs_execname,
	    args[2]->ip_daddr, args[4]->tcp_dport, args[2]->ip_saddr, args[4]->tcp_sport, this->bytes,
	    fin[this->flags], syn[this->flags], rst[this->flags], push[this->flags], ack[this->flags],
	    urg[this->flags], ece[this->flags], cwr[this->flags]);
}
