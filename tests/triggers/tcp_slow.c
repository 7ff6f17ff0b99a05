/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tcp_slow: connections that take their time, each a time that is measured here.
 *
 * Before -w waits: one connection, old to the trace.  Then: a connection whose SYN is sent again, because the
 * listener's queue is full for half a second; a server that answers late; a write that waits for its cork to be
 * pulled.
 * Output: ports, bytes of the late answer as its client counts them, and microseconds from before the call to after it,
 * so at least what a tracer sees.
 */
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trigger.h"

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* Accepts what waits after half a second, and tells how many these were. */
static int accept_late(void *arg, int in, int out)
{
	const int listener = *(const int *)arg, want = 3;
	uint64_t go;

	trig_get(in, &go, sizeof(go));
	trig_sleep(500);
	for (int i = 0; i < want; i++)
		(void)trig_accept(listener);
	trig_put(out, &want, sizeof(want));
	trig_get(in, &go, sizeof(go));
	return 0;
}

static void full_queue(const struct trig *t)
{
	struct trig_addr a = trig_loopback(t->family, 0);
	int listener = trig_listen(&a, 1), fd[3], n;
	struct trig_proc server;
	struct tcp_info info;
	socklen_t len = sizeof(info);
	uint64_t go = now_us(), start;

	a = trig_loopback(t->family, trig_port(listener));
	trig_spawn(&server, "dw_late", accept_late, &listener);
	fd[0] = trig_connect(&a);
	fd[1] = trig_connect(&a);
	trig_put(server.to, &go, sizeof(go));
	start = now_us();
	fd[2] = trig_connect(&a);
	trig_kv("late_us", "%llu", (unsigned long long)(now_us() - start));
	if (getsockopt(fd[2], IPPROTO_TCP, TCP_INFO, &info, &len))
		trig_die("TCP_INFO");
	trig_kv("late_retransmits", "%u", info.tcpi_total_retrans);
	trig_kv("late_port", "%u", trig_port(fd[2]));
	trig_kv("full_port", "%u", trig_port(listener));
	trig_get(server.from, &n, sizeof(n));
	for (int i = 0; i < 3; i++)
		close(fd[i]);
	trig_put(server.to, &go, sizeof(go));
	trig_join(&server);
	close(listener);
}

static void late_answer(int listener, const struct trig_addr *a)
{
	uint64_t start = now_us(), corked;
	int c = trig_connect(a), s = trig_accept(listener), on = 1, off = 0;
	const size_t asked = 10;
	char data[5000] = { 0 };

	trig_sleep(70);
	trig_send(s, data, sizeof(data));
	if (trig_recv(c, data, sizeof(data)) != sizeof(data))
		trig_die("recv");
	trig_kv("answer_us", "%llu", (unsigned long long)(now_us() - start));
	trig_kv("answer_port", "%u", trig_port(c));
	trig_kv("answer_bytes_in", "%zu", sizeof(data));
	if (setsockopt(c, IPPROTO_TCP, TCP_NODELAY, &off, sizeof(off)) ||
		setsockopt(c, IPPROTO_TCP, TCP_CORK, &on, sizeof(on)))
		trig_die("TCP_CORK");
	corked = now_us();
	trig_send(c, data, asked);
	trig_sleep(90);
	if (setsockopt(c, IPPROTO_TCP, TCP_CORK, &off, sizeof(off)))
		trig_die("TCP_CORK");
	trig_kv("cork_us", "%llu", (unsigned long long)(now_us() - corked));
	if (trig_recv(s, data, asked) != asked)
		trig_die("recv");
	trig_kv("answer_bytes_out", "%zu", asked);
	close(c);
	close(s);
	trig_kv("life_us", "%llu", (unsigned long long)(now_us() - start));
}

int main(int argc, char **argv)
{
	struct trig t;
	struct trig_addr a;
	int listener, c, s;
	char byte = 'x';

	trig_init(&t, argv[0], "");
	while ((c = getopt(argc, argv, TRIG_OPTIONS)) != -1)
		if (!trig_option(&t, c, optarg))
			trig_usage(&t);
	trig_start(&t);
	trig_set_name("dw_slow");
	trig_kv("pid", "%d", (int)getpid());
	a = trig_loopback(t.family, 0);
	listener = trig_listen(&a, 16);
	a = trig_loopback(t.family, trig_port(listener));
	trig_kv("port", "%u", trig_port(listener));
	c = trig_connect(&a);
	s = trig_accept(listener);
	trig_kv("old_port", "%u", trig_port(c));
	trig_send(c, &byte, 1);
	(void)trig_recv(s, &byte, 1);
	trig_wait(&t);
	close(c);
	close(s);
	full_queue(&t);
	late_answer(listener, &a);
	close(listener);
	return 0;
}
