/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks TCP sockets of one process through known lists of states.  Output: for each connection its port and the states
 * that it takes, in order, by the kernel's names.
 */
#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] =
	"  -s WALK  client: the client closes first (default); server: the server does;\n"
	"           half: the client ends its own direction, the server closes, then the client;\n"
	"           reset: the same, but the server resets; lost: the client closes, the server resets;\n"
	"           linger: the client ends its own direction, then resets;\n"
	"           linger2: the client closes and waits for no FIN (TCP_LINGER2 -1);\n"
	"           full: half where the namespace may have no TIME_WAIT (tcp_max_tw_buckets 0);\n"
	"           self: one socket connects to itself (simultaneous open and close);\n"
	"           refused: a connection to a port where nobody listens\n"
	"Prints: pid name walk port client_port, and of the sockets that the walk has:\n"
	"listener_states client_states server_states.\n";

static void close_fd(int fd)
{
	close(fd);
}

static void shut(int fd)
{
	if (shutdown(fd, SHUT_WR) < 0)
		trig_die("shutdown");
}

static void reset(int fd)
{
	const struct linger now = { .l_onoff = 1, .l_linger = 0 };

	if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now)) < 0)
		trig_die("SO_LINGER");
	close(fd);
}

static void close_impatiently(int fd)
{
	const int never = -1;

	if (setsockopt(fd, IPPROTO_TCP, TCP_LINGER2, &never, sizeof(never)) < 0)
		trig_die("TCP_LINGER2");
	close(fd);
}

/* How the side that ends first does it, how the other one, and what the first does then; the states from ESTABLISHED.
 * The client is the first, but in "server". */
static const struct walk {
	const char *name;
	void (*first)(int fd);
	void (*second)(int fd);
	void (*last)(int fd);
	const char *first_states, *second_states;
} walks[] = {
	{ "client", close_fd, close_fd, NULL, "FIN_WAIT1,FIN_WAIT2,TIME_WAIT", "CLOSE_WAIT,LAST_ACK,CLOSE" },
	{ "server", close_fd, close_fd, NULL, "FIN_WAIT1,FIN_WAIT2,TIME_WAIT", "CLOSE_WAIT,LAST_ACK,CLOSE" },
	{ "half", shut, close_fd, close_fd, "FIN_WAIT1,FIN_WAIT2,TIME_WAIT", "CLOSE_WAIT,LAST_ACK,CLOSE" },
	{ "full", shut, close_fd, close_fd, "FIN_WAIT1,FIN_WAIT2,CLOSE", "CLOSE_WAIT,LAST_ACK,CLOSE" },
	{ "reset", shut, reset, close_fd, "FIN_WAIT1,FIN_WAIT2,CLOSE", "CLOSE_WAIT,CLOSE" },
	{ "lost", close_fd, reset, NULL, "FIN_WAIT1,FIN_WAIT2", "CLOSE_WAIT,CLOSE" },
	{ "linger", shut, NULL, reset, "FIN_WAIT1,FIN_WAIT2,CLOSE", "CLOSE_WAIT,CLOSE" },
	{ "linger2", close_impatiently, NULL, NULL, "FIN_WAIT1,FIN_WAIT2,CLOSE", "CLOSE_WAIT,CLOSE" },
};

static void act(void (*how)(int fd), int fd)
{
	if (!how)
		return;
	how(fd);
	trig_sleep(TRIG_SETTLE_MS);
}

/* Both sides of a connection: each act waits until all is quiet. */
static void walk_pair(const struct trig *t, const struct walk *w)
{
	bool server_first = strcmp(w->name, "server") == 0;
	struct trig_addr at = trig_loopback(t->family, t->port);
	int listener = trig_listen(&at, 1);
	uint16_t port = trig_port(listener);
	struct trig_addr to = trig_loopback(t->family, port);
	int client = trig_connect(&to);
	int server = trig_accept(listener);
	uint16_t client_port = trig_port(client);

	act(w->first, server_first ? server : client);
	act(w->second, server_first ? client : server);
	act(w->last, server_first ? server : client);
	close(listener);
	trig_kv("port", "%u", port);
	trig_kv("client_port", "%u", client_port);
	trig_kv("listener_states", "CLOSE,LISTEN,CLOSE");
	trig_kv("client_states", "CLOSE,SYN_SENT,ESTABLISHED,%s", server_first ? w->second_states : w->first_states);
	trig_kv("server_states", "LISTEN,SYN_RECV,ESTABLISHED,%s", server_first ? w->first_states : w->second_states);
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
	trig_kv("client_states", "CLOSE,SYN_SENT,SYN_RECV,ESTABLISHED,FIN_WAIT1,CLOSING,TIME_WAIT");
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
	for (size_t i = 0; i < sizeof(walks) / sizeof(walks[0]); i++) {
		if (strcmp(walk, walks[i].name) == 0) {
			walk_pair(&t, &walks[i]);
			return 0;
		}
	}
	if (strcmp(walk, "self") == 0)
		walk_self(&t);
	else if (strcmp(walk, "refused") == 0)
		walk_refused(&t);
	else
		trig_die("no walk '%s'; see -h", walk);
	return 0;
}
