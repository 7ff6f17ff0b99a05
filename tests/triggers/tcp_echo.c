/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * n TCP connections, each with m messages of k bytes there and back, between two processes on loopback.
 * Output: pids, names, ports, bytes and the exact number of segments of each side.  The client closes first.
 */
#include <errno.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -n CONNECTIONS  (default 1)\n"
			    "  -m  a server socket of AF_INET6 with an IPv4 client (mapped addresses)\n"
			    "  -c MESSAGES  for each connection, in each direction (default 1)\n"
			    "  -k BYTES  of a message (default 100)\n"
			    "  -d MS  delay before each message (default 0)\n"
			    "  -q  close at once (else each connection lasts half a second, so that its\n"
			    "      segments are known); no segs_out, segs_in and consistent then\n"
			    "Prints: client_pid server_pid client_name server_name port client_port_first\n"
			    "client_port_last, and for client_ and server_: connections bytes_out bytes_in\n"
			    "segs_out segs_in data_segs_out data_segs_in retransmits; consistent=1 if both sides'\n"
			    "counts of segments agree.\n";

int main(int argc, char **argv)
{
	struct trig_echo e = { .connections = 1, .messages = 1, .bytes = 100 };
	struct trig_proc server, client;
	bool mapped = false;
	struct trig t;
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "n:c:k:d:mq")) != -1) {
		if (trig_option(&t, c, optarg))
			continue;
		if (c == 'n')
			e.connections = (unsigned int)trig_number(optarg, 1, 100000);
		else if (c == 'c')
			e.messages = (unsigned int)trig_number(optarg, 0, 1000000);
		else if (c == 'k')
			e.bytes = (unsigned int)trig_number(optarg, 1, 1 << 20);
		else if (c == 'd')
			e.delay_ms = (unsigned int)trig_number(optarg, 0, 10000);
		else if (c == 'q')
			e.quick = true;
		else
			mapped = true;
	}
	e.addr = mapped ? trig_address("::", t.port) : trig_loopback(t.family, t.port);
	e.target = trig_loopback(mapped ? AF_INET : t.family, 0);
	trig_start(&t);
	trig_spawn(&server, "dw_server", trig_echo_server, &e);
	trig_spawn(&client, "dw_client", trig_echo_client, &e);
	trig_kv("client_pid", "%d", (int)client.pid);
	trig_kv("server_pid", "%d", (int)server.pid);
	trig_kv("client_name", "dw_client");
	trig_kv("server_name", "dw_server");
	trig_wait(&t);
	trig_echo_run(&e, &server, &client);
	return 0;
}
