// SPDX-License-Identifier: GPL-2.0-or-later
/* What dwire-export --default traces: the health of the machine's TCP and DNS, by container. Latencies are in
 * microseconds. */
#pragma D option quiet

uint64_t first_syn[uintptr_t];	/* of a connection that has sent another SYN: when it sent the first */

/* Of a SYN that was sent once, TCP itself has measured the time to its answer. */
tcp:::state-change
/ args[3]->tcps_state == TCP_STATE_ESTABLISHED /
{
	if (args[5]->tcps_state == TCP_STATE_SYN_RECEIVED) {
		@tcp_accepts[args[1]->cs_container] = count();
	} else if (!args[3]->tcps_retrans) {
		@tcp_connect_microseconds[args[1]->cs_container] = quantize(args[3]->tcps_srtt);
	} else if (first_syn[args[3]->tcps_addr]) {
		@tcp_connect_microseconds[args[1]->cs_container] =
		    quantize((timestamp - first_syn[args[3]->tcps_addr]) / 1000);
	}
}

/* Once a connection, as its socket ends: its round-trip time and what it carried. */
tcp:::state-change
/ args[5]->tcps_state != TCP_STATE_SYN_SENT && args[5]->tcps_state != TCP_STATE_LISTEN /
{
	this->ends = tcp_socket_ends[args[3]->tcps_state, args[1]->cs_addr];
}

tcp:::detach
{
	this->ends = 1;
}

tcp:::state-change, tcp:::detach
/ this->ends /
{
	this->cs_container = args[1]->cs_container;
	if (args[3]->tcps_srtt)
		@tcp_rtt_microseconds[this->cs_container] = quantize(args[3]->tcps_srtt);
	@tcp_sent_bytes[this->cs_container] =
	    sum(tcp_delivered[args[3]->tcps_bytes_sent, args[3]->tcps_bytes_retrans, args[3]->tcps_bytes_acked]);
	@tcp_received_bytes[this->cs_container] = sum(args[3]->tcps_bytes_received - args[3]->tcps_fin_received);
}

tcp:::state-change
/ args[3]->tcps_retrans && args[5]->tcps_state == TCP_STATE_SYN_SENT /
{
	first_syn[args[3]->tcps_addr] = 0;
}

/* The timer of the first SYN has run for so long. */
tcp:::resend
/ args[3]->tcps_state == TCP_STATE_SYN_SENT && !first_syn[args[3]->tcps_addr] /
{
	first_syn[args[3]->tcps_addr] = timestamp - args[3]->tcps_rto * 1000000;
}

/* Also those that fail before a segment is sent: no route, no free port. */
sock:::connect-done
/ args[0]->so_ip && args[0]->so_protocol == IPPROTO_TCP && args[2]->sr_errno /
{
	@tcp_connect_failures[args[1]->cs_container, args[2]->sr_error] = count();
}

tcp:::accept-refused
{
	@tcp_refusals = count();
}

tcp:::listen-overflow
{
	@tcp_listen_overflows[args[1]->cs_container] = count();
}

tcp:::resend
{
	@tcp_retransmits[args[1]->cs_container, args[5]->re_kind] = sum(args[5]->re_segs);
}

tcp:::reset-sent
{
	@tcp_resets_sent[args[1]->cs_container, args[5]->reset_reason] = count();
}

tcp:::reset-received
{
	@tcp_resets_received[args[1]->cs_container] = count();
}

/* Not what a closed connection had left. */
ip:::drop
/ args[6]->drop_reason != "QUEUE_PURGE" /
{
	@ip_drops[args[6]->drop_reason] = count();
}

dns:::query
/ args[4]->dns_recv == 0 /
{
	@dns_queries[args[1]->cs_container] = count();
}

dns:::response
/ args[4]->dns_recv /
{
	@dns_responses[args[1]->cs_container, args[4]->dns_rcodestr] = count();
}

dns:::response
/ args[4]->dns_recv && args[4]->dns_time /
{
	@dns_microseconds[args[1]->cs_container] = quantize(args[4]->dns_time / 1000);
}
