/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * n UDP datagrams of k bytes from a client to a server and back, in two processes on loopback.
 * Output: pids, names, ports, and the datagrams and bytes of each side.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -c  both sides use connected sockets\n"
			    "  -m  a server socket of AF_INET6 with an IPv4 client (mapped addresses)\n"
			    "  -n DATAGRAMS  each way (default 1)\n"
			    "  -k BYTES  of a datagram (default 100)\n"
			    "  -d MS  delay between datagrams (default 0)\n"
			    "Prints: client_pid server_pid client_name server_name port client_port, and for\n"
			    "client_ and server_: datagrams_out datagrams_in bytes_out bytes_in.\n";

struct udp {
	int family;
	uint16_t port;
	bool connected, mapped;
	unsigned int datagrams;
	unsigned int bytes;
	unsigned int delay_ms;
};

struct udp_result {
	uint64_t datagrams_out;
	uint64_t datagrams_in;
	uint64_t bytes_out;
	uint64_t bytes_in;
	uint16_t port;
};

static void connect_to(int fd, const struct trig_addr *a)
{
	if (connect(fd, (const struct sockaddr *)&a->ss, a->len) < 0)
		trig_die("connect a UDP socket");
}

/* Sends one datagram: to an address, or without one over a connected socket. */
static void send_one(int fd, const char *data, size_t size, const struct trig_addr *to, struct udp_result *r)
{
	const struct sockaddr *sa = to ? (const struct sockaddr *)&to->ss : NULL;

	if (sendto(fd, data, size, 0, sa, to ? to->len : 0) != (ssize_t)size)
		trig_die("sendto");
	r->datagrams_out++;
	r->bytes_out += size;
}

static void receive_one(int fd, char *data, size_t size, struct trig_addr *from, struct udp_result *r)
{
	ssize_t n;

	from->len = sizeof(from->ss);
	n = recvfrom(fd, data, size, 0, (struct sockaddr *)&from->ss, &from->len);
	if (n < 0)
		trig_die("recvfrom");
	r->datagrams_in++;
	r->bytes_in += (uint64_t)n;
}

static char *new_buffer(unsigned int bytes)
{
	char *buffer = malloc(bytes + 1);

	if (!buffer)
		trig_die("malloc %u", bytes);
	memset(buffer, 'x', bytes + 1);
	return buffer;
}

static int server(void *arg, int in, int out)
{
	const struct udp *u = arg;
	struct udp_result r = { .datagrams_out = 0 };
	struct trig_addr at = u->mapped ? trig_address("::", u->port) : trig_loopback(u->family, u->port), from;
	char *buffer = new_buffer(u->bytes);
	char go;
	int fd;

	trig_get(in, &go, 1);
	fd = trig_bound(SOCK_DGRAM, &at);
	r.port = trig_port(fd);
	trig_put(out, &r.port, sizeof(r.port));
	for (unsigned int i = 0; i < u->datagrams; i++) {
		receive_one(fd, buffer, u->bytes + 1, &from, &r);
		if (u->connected && i == 0)
			connect_to(fd, &from);
		send_one(fd, buffer, u->bytes, u->connected ? NULL : &from, &r);
	}
	close(fd);
	trig_put(out, &r, sizeof(r));
	free(buffer);
	return 0;
}

static int client(void *arg, int in, int out)
{
	const struct udp *u = arg;
	struct udp_result r = { .datagrams_out = 0 };
	struct trig_addr from = trig_loopback(u->family, 0), to;
	char *buffer = new_buffer(u->bytes);
	uint16_t port;
	int fd;

	trig_get(in, &port, sizeof(port));
	to = trig_loopback(u->family, port);
	fd = trig_bound(SOCK_DGRAM, &from);
	r.port = trig_port(fd);
	if (u->connected)
		connect_to(fd, &to);
	for (unsigned int i = 0; i < u->datagrams; i++) {
		trig_sleep(u->delay_ms);
		send_one(fd, buffer, u->bytes, u->connected ? NULL : &to, &r);
		receive_one(fd, buffer, u->bytes + 1, &from, &r);
	}
	close(fd);
	trig_put(out, &r, sizeof(r));
	free(buffer);
	return 0;
}

static void print_result(const char *side, const struct udp_result *r)
{
	const char *const keys[] = { "datagrams_out", "datagrams_in", "bytes_out", "bytes_in" };
	const uint64_t values[] = { r->datagrams_out, r->datagrams_in, r->bytes_out, r->bytes_in };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char key[64];

		snprintf(key, sizeof(key), "%s_%s", side, keys[i]);
		trig_kv(key, "%llu", (unsigned long long)values[i]);
	}
}

static void udp_run(const struct trig *t, struct udp *u)
{
	struct trig_proc ps, pc;
	struct udp_result rs, rc;
	uint16_t port;

	trig_spawn(&ps, "dw_udp_server", server, u);
	trig_spawn(&pc, "dw_udp_client", client, u);
	trig_kv("client_pid", "%d", (int)pc.pid);
	trig_kv("server_pid", "%d", (int)ps.pid);
	trig_kv("client_name", "dw_udp_client");
	trig_kv("server_name", "dw_udp_server");
	trig_wait(t);
	trig_put(ps.to, "g", 1);
	trig_get(ps.from, &port, sizeof(port));
	trig_put(pc.to, &port, sizeof(port));
	trig_get(pc.from, &rc, sizeof(rc));
	trig_get(ps.from, &rs, sizeof(rs));
	trig_join(&pc);
	trig_join(&ps);
	trig_kv("port", "%u", port);
	trig_kv("client_port", "%u", rc.port);
	print_result("client", &rc);
	print_result("server", &rs);
}

int main(int argc, char **argv)
{
	struct udp u = { .datagrams = 1, .bytes = 100 };
	struct trig t;
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "cmn:k:d:")) != -1) {
		if (trig_option(&t, c, optarg))
			continue;
		if (c == 'c')
			u.connected = true;
		else if (c == 'm')
			u.mapped = true;
		else if (c == 'n')
			u.datagrams = (unsigned int)trig_number(optarg, 1, 10000000);
		else if (c == 'k')
			u.bytes = (unsigned int)trig_number(optarg, 0, 65000);
		else
			u.delay_ms = (unsigned int)trig_number(optarg, 0, 10000);
	}
	u.family = u.mapped ? AF_INET : t.family;
	u.port = t.port;
	trig_start(&t);
	udp_run(&t, &u);
	return 0;
}
