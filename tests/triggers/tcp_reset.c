/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connections that end with a reset.  Output: which side reset how many, with ports and pids.
 *
 * linger: the client closes with SO_LINGER of 0 seconds; the client sends RST|ACK.
 * unread: the client sends bytes that the server never reads; the server's close sends RST|ACK.
 * late:   the server closes, then the client sends; the server's host answers with a RST.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -n CONNECTIONS  (default 1)\n"
			    "  -m MODE  linger (default), unread or late\n"
			    "  -k BYTES  that the client sends in the modes unread and late (default 100)\n"
			    "Prints: pid name mode port connections rst_from (client or server) rsts bytes\n"
			    "client_port_first client_port_last.\n";

enum mode { MODE_LINGER, MODE_UNREAD, MODE_LATE };

static const char *const mode_names[] = { "linger", "unread", "late" };

static enum mode mode_parse(const char *text)
{
	for (unsigned int i = 0; i < sizeof(mode_names) / sizeof(mode_names[0]); i++)
		if (strcmp(text, mode_names[i]) == 0)
			return (enum mode)i;
	errno = 0;
	trig_die("no mode '%s'; see -h", text);
}

/* Ends both sockets of a connection in the way of the mode. */
static void reset(enum mode mode, int client, int server, unsigned int bytes)
{
	const struct linger abort_now = { .l_onoff = 1, .l_linger = 0 };
	char data[4096];

	memset(data, 'x', sizeof(data));
	switch (mode) {
	case MODE_LINGER:
		if (setsockopt(client, SOL_SOCKET, SO_LINGER, &abort_now, sizeof(abort_now)) < 0)
			trig_die("SO_LINGER");
		close(client);
		trig_sleep(20);
		close(server);
		break;
	case MODE_UNREAD:
		trig_send(client, data, bytes);
		trig_sleep(20);
		close(server);
		trig_sleep(20);
		close(client);
		break;
	case MODE_LATE:
		close(server);
		/* Past the delayed acknowledgement of the FIN: the server is in FIN_WAIT2. */
		trig_sleep(TRIG_SETTLE_MS);
		trig_send(client, data, bytes);
		trig_sleep(20);
		close(client);
		break;
	}
}

int main(int argc, char **argv)
{
	unsigned int connections = 1, bytes = 100;
	uint16_t first = 0, last = 0, port;
	enum mode mode = MODE_LINGER;
	struct trig_addr at;
	struct trig t;
	int c, listener;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "n:m:k:")) != -1) {
		if (trig_option(&t, c, optarg))
			continue;
		if (c == 'n')
			connections = (unsigned int)trig_number(optarg, 1, 1000);
		else if (c == 'k')
			bytes = (unsigned int)trig_number(optarg, 1, 4096);
		else
			mode = mode_parse(optarg);
	}
	trig_start(&t);
	trig_set_name("dw_reset");
	trig_kv("pid", "%d", (int)getpid());
	trig_kv("name", "dw_reset");
	trig_kv("mode", "%s", mode_names[mode]);
	trig_wait(&t);
	at = trig_loopback(t.family, t.port);
	listener = trig_listen(&at, 8);
	port = trig_port(listener);
	at = trig_loopback(t.family, port);
	for (unsigned int i = 0; i < connections; i++) {
		int client = trig_connect(&at);
		int server = trig_accept(listener);

		last = trig_port(client);
		if (i == 0)
			first = last;
		reset(mode, client, server, bytes);
	}
	close(listener);
	trig_kv("port", "%u", port);
	trig_kv("connections", "%u", connections);
	trig_kv("rst_from", "%s", mode == MODE_LINGER ? "client" : "server");
	trig_kv("rsts", "%u", connections);
	trig_kv("bytes", "%u", mode == MODE_LINGER ? 0 : connections * bytes);
	trig_kv("client_port_first", "%u", first);
	trig_kv("client_port_last", "%u", last);
	return 0;
}
