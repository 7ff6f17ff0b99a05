/* SPDX-License-Identifier: GPL-2.0-or-later */
/* demo: what ./run shows. Live TCP segments, UDP datagrams and state changes with the process that owns each, a summary
 * by process at the end. */
#pragma D option quiet

dtrace:::BEGIN
{
	printf("%-4s %-7s %6s %-13s %s\n", "WHAT", "ZONE", "PID", "PROCESS", "EVENT");
}

tcp:::send
{
	printf("tcp  %-7.7s %6d %-13.13s %s:%d -> %s:%d %d B%s%s%s%s\n", args[1]->cs_zonename, args[1]->cs_pid,
	    args[1]->cs_execname, args[2]->ip_saddr, args[4]->tcp_sport, args[2]->ip_daddr, args[4]->tcp_dport,
	    args[2]->ip_plength - args[4]->tcp_offset, args[4]->tcp_flags & TH_SYN ? " SYN" : "",
	    args[4]->tcp_flags & TH_ACK ? " ACK" : "", args[4]->tcp_flags & TH_FIN ? " FIN" : "",
	    args[4]->tcp_flags & TH_RST ? " RST" : "");
	@segments[args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname, "TCP out"] = count();
	@bytes[args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname, "TCP out"] =
	    sum(args[2]->ip_plength - args[4]->tcp_offset);
}

tcp:::receive
{
	@segments[args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname, "TCP in"] = count();
	@bytes[args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname, "TCP in"] =
	    sum(args[2]->ip_plength - args[4]->tcp_offset);
}

tcp:::state-change
{
	printf("conn %-7.7s %6d %-13.13s %s:%d %s -> %s\n", args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname,
	    args[3]->tcps_raddr, args[3]->tcps_rport, tcp_state_name[args[5]->tcps_state],
	    tcp_state_name[args[3]->tcps_state]);
}

tcp:::connect-refused
{
	printf("tcp  %-7.7s %6d %-13.13s REFUSED by %s:%d\n", args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname,
	    args[2]->ip_saddr, args[4]->tcp_sport);
}

udp:::send
{
	printf("udp  %-7.7s %6d %-13.13s %s:%d -> %s:%d %d B\n", args[1]->cs_zonename, args[1]->cs_pid,
	    args[1]->cs_execname, args[2]->ip_saddr, args[4]->udp_sport, args[2]->ip_daddr, args[4]->udp_dport,
	    args[4]->udp_length - 8);
	@segments[args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname, "UDP out"] = count();
	@bytes[args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname, "UDP out"] = sum(args[4]->udp_length - 8);
}

udp:::receive
{
	@segments[args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname, "UDP in"] = count();
	@bytes[args[1]->cs_zonename, args[1]->cs_pid, args[1]->cs_execname, "UDP in"] = sum(args[4]->udp_length - 8);
}

ip:::send, ip:::receive
{
	@packets[probename, args[2]->ip_ver] = count();
}

dtrace:::END
{
	printf("\n%-7.7s %6s %-13.13s %-8s %9s %9s\n", "ZONE", "PID", "PROCESS", "WHAT", "PACKETS", "BYTES");
	printa("%-7.7s %6d %-13.13s %-8s %@9d %@9d\n", @segments, @bytes);
	printf("\nIP packets of the whole machine:\n");
	printa("  %-8s IPv%d %@9d\n", @packets);
}
