/* udpsnoop: every UDP datagram of a socket, with the process that owns it.
 *
 * usage: udpsnoop [-w] [-p PID] [-P PORT]
 * -w        wide = 0        also zone, user and name of the process
 * -p PID    only_pid = -2   only this process (-1: datagrams of no process)
 * -P PORT   only_port = -1  only datagrams from or to this port
 */
#pragma D option quiet

uint64_t start;

dtrace:::BEGIN
{
	start = timestamp;
}

dtrace:::BEGIN
/ wide == 0 /
{
	printf("%8s %6s %15s:%-5s    %15s:%-5s %5s\n", "TIME", "PID", "LADDR", "PORT", "RADDR", "PORT", "BYTES");
}

dtrace:::BEGIN
/ wide /
{
	printf("%8s %-8s %5s %6s %-15s %15s:%-5s    %15s:%-5s %5s\n", "TIME", "ZONE", "UID", "PID", "COMM", "LADDR",
	    "PORT", "RADDR", "PORT", "BYTES");
}

udp:::send, udp:::receive
{
	this->ms = (timestamp - start) / 1000000;
	this->wanted = (only_pid == -2 || args[1]->cs_pid == only_pid) &&
	    (only_port == -1 || args[4]->udp_sport == only_port || args[4]->udp_dport == only_port);
}

udp:::send
/ this->wanted && wide == 0 /
{
	printf("%4d.%03d %6d %15s:%-5d -> %15s:%-5d %5d\n", this->ms / 1000, this->ms % 1000, args[1]->cs_pid,
	    args[2]->ip_saddr, args[4]->udp_sport, args[2]->ip_daddr, args[4]->udp_dport, args[4]->udp_length - 8);
}

udp:::receive
/ this->wanted && wide == 0 /
{
	printf("%4d.%03d %6d %15s:%-5d <- %15s:%-5d %5d\n", this->ms / 1000, this->ms % 1000, args[1]->cs_pid,
	    args[2]->ip_daddr, args[4]->udp_dport, args[2]->ip_saddr, args[4]->udp_sport, args[4]->udp_length - 8);
}

udp:::send
/ this->wanted && wide /
{
	printf("%4d.%03d %-8s %5d %6d %-15s %15s:%-5d -> %15s:%-5d %5d\n", this->ms / 1000, this->ms % 1000,
	    args[1]->cs_zonename, args[1]->cs_uid, args[1]->cs_pid, args[1]->cs_execname, args[2]->ip_saddr,
	    args[4]->udp_sport, args[2]->ip_daddr, args[4]->udp_dport, args[4]->udp_length - 8);
}

udp:::receive
/ this->wanted && wide /
{
	printf("%4d.%03d %-8s %5d %6d %-15s %15s:%-5d <- %15s:%-5d %5d\n", this->ms / 1000, this->ms % 1000,
	    args[1]->cs_zonename, args[1]->cs_uid, args[1]->cs_pid, args[1]->cs_execname, args[2]->ip_daddr,
	    args[4]->udp_dport, args[2]->ip_saddr, args[4]->udp_sport, args[4]->udp_length - 8);
}
