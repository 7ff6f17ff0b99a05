// SPDX-License-Identifier: GPL-2.0-or-later
/* What dwire-export --default traces: the health of the machine's TCP and DNS, by container. Latencies are in
 * microseconds. */
#pragma D option quiet
#pragma D option dynvarsize=8m

uint64_t syn[uintptr_t];	/* when a socket sent its SYN */

/* All steps of a connection at one probe: each further probe there costs as much as what it does. */
tcp:::state-change
/ args[3]->tcps_state == TCP_STATE_SYN_SENT /
{
	syn[args[3]->tcps_addr] = timestamp;
}

tcp:::state-change
/ args[5]->tcps_state == TCP_STATE_SYN_SENT && args[3]->tcps_state == TCP_STATE_ESTABLISHED && syn[args[3]->tcps_addr] /
{
	@tcp_connect_microseconds[args[1]->cs_container] = quantize((timestamp - syn[args[3]->tcps_addr]) / 1000);
}

tcp:::state-change
/ args[5]->tcps_state == TCP_STATE_SYN_SENT /
{
	syn[args[3]->tcps_addr] = 0;
}

tcp:::state-change
/ args[5]->tcps_state == TCP_STATE_SYN_RECEIVED && args[3]->tcps_state == TCP_STATE_ESTABLISHED /
{
	@tcp_accepts[args[1]->cs_container] = count();
}

/* Once a connection: its round-trip time and what it carried. */
tcp:::state-change
/ args[5]->tcps_state == TCP_STATE_ESTABLISHED && args[3]->tcps_srtt /
{
	@tcp_rtt_microseconds[args[1]->cs_container] = quantize(args[3]->tcps_srtt);
}

tcp:::state-change
/ args[5]->tcps_state == TCP_STATE_ESTABLISHED /
{
	@tcp_sent_bytes[args[1]->cs_container] = sum(args[3]->tcps_bytes_sent - args[3]->tcps_bytes_retrans);
	@tcp_received_bytes[args[1]->cs_container] = sum(args[3]->tcps_bytes_received);
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
