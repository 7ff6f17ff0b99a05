/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sections: the parts of the report: which aggregations of the scripts beside this file stand where. Titles and texts
 * are HTML. */
#include "cli/report/collect.h"

#define CONNECTION "local address", "port", "remote address"

const struct section sections[SECTIONS] = {
	{ .id = "traffic",
		.script = "traffic.d",
		.title = "Throughput",
		.about = "Payload of IP at the sockets of this machine. A connection within the machine counts at both "
			 "of "
			 "its ends.",
		.charts = { { "sent_bytes", "sent", UNIT_BYTES }, { "received_bytes", "received", UNIT_BYTES },
			{ "sent_packets", "packets sent", UNIT_NONE },
			{ "received_packets", "packets received", UNIT_NONE } },
		.tables = { { "By process", { "PID", "process" },
				    { { "process_sent", "sent", UNIT_BYTES },
					    { "process_received", "received", UNIT_BYTES } } },
			{ "By container", { "container" },
				{ { "container_sent", "sent", UNIT_BYTES },
					{ "container_received", "received", UNIT_BYTES } } },
			{ "By peer", { "address" },
				{ { "peer_sent", "sent", UNIT_BYTES }, { "peer_received", "received", UNIT_BYTES },
					{ "peer_resent", "segments sent again", UNIT_NONE },
					{ "peer_rtt", "longest RTT", UNIT_US } } },
			{ "TCP connections", { "PID", "process", CONNECTION, "port" },
				{ { "connection_sent", "sent", UNIT_BYTES },
					{ "connection_received", "received", UNIT_BYTES } } } } },
	{ .id = "connections",
		.script = "connections.d",
		.title = "Connections",
		.about =
			"TCP connections that began, and how long connect(2) took. The round-trip time is the kernel's "
			"smoothed one, at each segment received.",
		.charts = { { "opened", "opened", UNIT_NONE }, { "accepted", "accepted", UNIT_NONE },
			{ "failed", "failed to open", UNIT_NONE } },
		.heats = { { "connect_us", "Time to connect", UNIT_US }, { "rtt_us", "Round-trip time", UNIT_US } },
		.tables = { { "Failures", { "PID", "process", "address", "port", "error" },
			{ { "failed_by", "failures", UNIT_NONE } } } } },
	{ .id = "losses",
		.script = "losses.d",
		.title = "Retransmits and resets",
		.about = "Segments of TCP that were sent again, and connections that one side reset, with the "
			 "port of that side.",
		.charts = { { "resent", "segments sent again", UNIT_NONE }, { "resets_sent", "resets sent", UNIT_NONE },
			{ "resets_received", "resets received", UNIT_NONE } },
		.tables = { { "Sent again", { "PID", "process", CONNECTION, "port", "kind" },
				    { { "resent_by", "segments", UNIT_NONE } } },
			{ "Resets", { "reset", "PID", "process", "local address", "remote address", "port", "reason" },
				{ { "reset_by", "resets", UNIT_NONE } } } } },
	{ .id = "drops",
		.script = "drops.d",
		.title = "Drops",
		.about = "IP packets that the kernel dropped, at any layer. What was still queued when a connection "
			 "ended "
			 "does not count.",
		.charts = { { "drops", "packets dropped", UNIT_NONE } },
		.tables = { { "Why, and of whom", { "reason", "from", "to" },
			{ { "dropped", "packets", UNIT_NONE } } } },
		.flame = "Where the kernel dropped them" },
	{ .id = "dns",
		.script = "dns.d",
		.title = "DNS",
		.about = "Messages over UDP and TCP. A name server on this machine is seen from both of its sides.",
		.charts = { { "asked", "queries", UNIT_NONE }, { "dns_failed", "answers with an error", UNIT_NONE } },
		.heats = { { "dns_us", "Time to answer", UNIT_US } },
		.tables = { { "Names", { "name", "type", "answer", "server" },
			{ { "answered", "answers", UNIT_NONE }, { "answered_us", "longest", UNIT_US } } } } },
};
