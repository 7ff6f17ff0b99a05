/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connects k times to a port where nobody listens.  The port is held by a bound socket that does not listen, so that
 * no other program can take it meanwhile.  Output: pid, port, attempts, and how many were refused.
 * On the wire for each attempt: one SYN and one RST|ACK.
 */
#include <errno.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -n ATTEMPTS  (default 1)\n"
			    "Prints: pid name port attempts refused segs_syn segs_rst first_port last_port.\n";

/* One attempt; returns the client's port if it was refused, and 0 if not. */
static uint16_t attempt(const struct trig_addr *to)
{
	struct trig_addr from = trig_loopback(to->ss.ss_family, 0);
	int fd = trig_bound(SOCK_STREAM, &from);
	uint16_t port = trig_port(fd);

	if (connect(fd, (const struct sockaddr *)&to->ss, to->len) == 0 || errno != ECONNREFUSED)
		port = 0;
	close(fd);
	return port;
}

int main(int argc, char **argv)
{
	unsigned int attempts = 1, refused = 0;
	uint16_t first = 0, last = 0;
	struct trig_addr to;
	struct trig t;
	int c, held;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "n:")) != -1)
		if (!trig_option(&t, c, optarg))
			attempts = (unsigned int)trig_number(optarg, 1, 100000);
	trig_start(&t);
	trig_set_name("dw_refused");
	to = trig_loopback(t.family, t.port);
	held = trig_bound(SOCK_STREAM, &to);
	to = trig_loopback(t.family, trig_port(held));
	trig_kv("pid", "%d", (int)getpid());
	trig_kv("name", "dw_refused");
	trig_kv("port", "%u", trig_port(held));
	trig_wait(&t);
	for (unsigned int i = 0; i < attempts; i++) {
		uint16_t port = attempt(&to);

		if (!port)
			continue;
		last = port;
		if (refused++ == 0)
			first = port;
	}
	close(held);
	trig_kv("attempts", "%u", attempts);
	trig_kv("refused", "%u", refused);
	trig_kv("segs_syn", "%u", attempts);
	trig_kv("segs_rst", "%u", refused);
	trig_kv("first_port", "%u", first);
	trig_kv("last_port", "%u", last);
	return 0;
}
