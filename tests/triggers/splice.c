/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * splice: a TCP connection to itself, and a pair of UNIX sockets, whose data is read by splice(2) into a pipe, 1,000
 * bytes at a time.
 *
 * Output: bytes and calls of each, the descriptor that is read.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "trigger.h"

static void drain(int fd, size_t total, const char *key)
{
	char buf[1000];
	int to[2], calls = 0;
	ssize_t n;

	if (pipe(to))
		trig_die("pipe");
	for (size_t done = 0; done < total; done += (size_t)n, calls++) {
		n = splice(fd, NULL, to[1], NULL, sizeof(buf), 0);
		if (n <= 0 || read(to[0], buf, sizeof(buf)) != n)
			trig_die("splice");
	}
	trig_kv(key, "%d %zu %d", fd, total, calls);
	close(to[0]);
	close(to[1]);
}

int main(int argc, char **argv)
{
	static char data[10000];
	struct trig t;
	struct trig_addr a;
	int listener, c, s, pair[2];

	trig_init(&t, argv[0], "");
	while ((c = getopt(argc, argv, TRIG_OPTIONS)) != -1)
		if (!trig_option(&t, c, optarg))
			trig_usage(&t);
	trig_start(&t);
	trig_set_name("dw_splice");
	a = trig_loopback(t.family, 0);
	listener = trig_listen(&a, 1);
	a = trig_loopback(t.family, trig_port(listener));
	c = trig_connect(&a);
	s = trig_accept(listener);
	trig_send(c, data, sizeof(data));
	drain(s, sizeof(data), "tcp");
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || write(pair[0], data, 3000) != 3000)
		trig_die("socketpair");
	drain(pair[1], 3000, "unix");
	return 0;
}
