// SPDX-License-Identifier: GPL-2.0-or-later
/* What passed, and who talked with whom. Payloads of TCP and UDP in bytes, as IP carried them. */
ip:::send
{
	@sent_packets = count();
	@sent_bytes = sum(args[2]->ip_plength);
}

ip:::receive
{
	@received_packets = count();
	@received_bytes = sum(args[2]->ip_plength);
}

tcp:::send
/ args[2]->ip_plength > args[4]->tcp_offset /
{
	this->size = args[2]->ip_plength - args[4]->tcp_offset;
	@process_sent[args[1]->cs_pid, args[1]->cs_execname] = sum(this->size);
	@container_sent[args[1]->cs_container] = sum(this->size);
	@peer_sent[args[2]->ip_daddr] = sum(this->size);
	@connection_sent[args[1]->cs_pid, args[1]->cs_execname, args[2]->ip_saddr, args[4]->tcp_sport,
	    args[2]->ip_daddr, args[4]->tcp_dport] = sum(this->size);
}

tcp:::receive
/ args[2]->ip_plength > args[4]->tcp_offset /
{
	this->size = args[2]->ip_plength - args[4]->tcp_offset;
	@process_received[args[1]->cs_pid, args[1]->cs_execname] = sum(this->size);
	@container_received[args[1]->cs_container] = sum(this->size);
	@peer_received[args[2]->ip_saddr] = sum(this->size);
	@connection_received[args[1]->cs_pid, args[1]->cs_execname, args[2]->ip_daddr, args[4]->tcp_dport,
	    args[2]->ip_saddr, args[4]->tcp_sport] = sum(this->size);
}

udp:::send
{
	@process_sent[args[1]->cs_pid, args[1]->cs_execname] = sum(args[4]->udp_length);
	@container_sent[args[1]->cs_container] = sum(args[4]->udp_length);
	@peer_sent[args[2]->ip_daddr] = sum(args[4]->udp_length);
}

udp:::receive
{
	@process_received[args[1]->cs_pid, args[1]->cs_execname] = sum(args[4]->udp_length);
	@container_received[args[1]->cs_container] = sum(args[4]->udp_length);
	@peer_received[args[2]->ip_saddr] = sum(args[4]->udp_length);
}
