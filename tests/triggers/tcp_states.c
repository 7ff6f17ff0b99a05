/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks TCP sockets of one process through known lists of states.  Output: for each socket its port and the states
 * that it takes, in order, as Linux names them in inet_sock_set_state (a socket that would go to TIME_WAIT shows
 * CLOSE: the kernel replaces it by a small one).
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -s WALK  client: the client closes first (default); server: the server does;\n"
			    "           self: one socket connects to itself (simultaneous open and close);\n"
			    "           refused: a connection to a port where nobody listens\n"
			    "Prints: pid name walk port client_port, and of the sockets that the walk has:\n"
			    "listener_states client_states server_states.\n";

static const char listener_states[] = "CLOSE,LISTEN,CLOSE";
static const char closes_first[] = "ESTABLISHED,FIN_WAIT1,FIN_WAIT2,CLOSE";
static const char closes_last[] = "ESTABLISHED,CLOSE_WAIT,LAST_ACK,CLOSE";

/* Both sides of a connection, closed by one first and by the other when all is quiet. */
static void walk_pair(const struct trig *t, bool server_first)
{
	struct trig_addr at = trig_loopback(t->family, t->port);
	int listener = trig_listen(&at, 1);
	uint16_t port = trig_port(listener);
	struct trig_addr to = trig_loopback(t->family, port);
	int client = trig_connect(&to);
	int server = trig_accept(listener);
	uint16_t client_port = trig_port(client);

	close(server_first ? server : client);
	trig_sleep(TRIG_SETTLE_MS);
	close(server_first ? client : server);
	trig_sleep(TRIG_SETTLE_MS);
	close(listener);
	trig_kv("port", "%u", port);
	trig_kv("client_port", "%u", client_port);
	trig_kv("listener_states", "%s", listener_states);
	trig_kv("client_states", "CLOSE,SYN_SENT,%s", server_first ? closes_last : closes_first);
	trig_kv("server_states", "LISTEN,SYN_RECV,%s", server_first ? closes_first : closes_last);
}

/* A socket bound to a port that connects to that port meets its own SYN, and later its own FIN. */
static void walk_self(const struct trig *t)
{
	struct trig_addr at = trig_loopback(t->family, t->port);
	int fd = trig_bound(SOCK_STREAM, &at);
	uint16_t port = trig_port(fd);

	at = trig_loopback(t->family, port);
	if (connect(fd, (const struct sockaddr *)&at.ss, at.len) < 0)
		trig_die("connect to itself");
	close(fd);
	trig_sleep(TRIG_SETTLE_MS);
	trig_kv("port", "%u", port);
	trig_kv("client_port", "%u", port);
	trig_kv("client_states", "CLOSE,SYN_SENT,SYN_RECV,ESTABLISHED,FIN_WAIT1,CLOSING,CLOSE");
}

static void walk_refused(const struct trig *t)
{
	struct trig_addr at = trig_loopback(t->family, t->port);
	int held = trig_bound(SOCK_STREAM, &at);
	uint16_t port = trig_port(held), client_port;
	struct trig_addr from = trig_loopback(t->family, 0);
	int fd = trig_bound(SOCK_STREAM, &from);

	client_port = trig_port(fd);
	at = trig_loopback(t->family, port);
	if (connect(fd, (const struct sockaddr *)&at.ss, at.len) == 0)
		trig_die("connected to port %u where nobody listens", port);
	if (errno != ECONNREFUSED)
		trig_die("connect");
	close(fd);
	close(held);
	trig_kv("port", "%u", port);
	trig_kv("client_port", "%u", client_port);
	trig_kv("client_states", "CLOSE,SYN_SENT,CLOSE");
}

int main(int argc, char **argv)
{
	const char *walk = "client";
	struct trig t;
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "s:")) != -1)
		if (!trig_option(&t, c, optarg))
			walk = optarg;
	trig_start(&t);
	trig_set_name("dw_states");
	trig_kv("pid", "%d", (int)getpid());
	trig_kv("name", "dw_states");
	trig_kv("walk", "%s", walk);
	trig_wait(&t);
	if (strcmp(walk, "client") == 0 || strcmp(walk, "server") == 0)
		walk_pair(&t, walk[0] == 's');
	else if (strcmp(walk, "self") == 0)
		walk_self(&t);
	else if (strcmp(walk, "refused") == 0)
		walk_refused(&t);
	else
		trig_die("no walk '%s'; see -h", walk);
	return 0;
}
