/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queries and responses of the Domain Name System between two sockets, client and server, at port 53 of loopback: good
 * ones, ones that are answered late or not at all, and messages that lie: cut short, with labels and pointers that lead
 * nowhere, with characters that no name has.
 *
 * Needs a network namespace of its own (port 53).  Output: what was said.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] =
	"  -d MS  before each response (default 0)\n"
	"  -n QUERIES  for host0.example.com, host1.example.com, ... (default 3)\n"
	"  -x  bad messages, after those\n"
	"  -r COUNT  messages of random bytes, from client and server (default 0)\n"
	"Prints: client_pid server_pid queries responses bad random longest_ms.\n"
	"longest_ms: of the times from a query to its response that the client saw, rounded up.\n"
	"Query i has the number 1000 + i, and is of type A when i is even, AAAA when it is odd; each\n"
	"third response is that there is no such name.\n";

struct talk {
	struct trig_addr server;
	unsigned int n, delay_ms, random;
	bool bad;
};

static size_t put_name(unsigned char *p, const char *name)
{
	size_t n = 0;

	while (*name) {
		size_t len = strcspn(name, ".");

		p[n++] = (unsigned char)len;
		memcpy(p + n, name, len);
		n += len;
		name += len + (name[len] == '.');
	}
	p[n++] = 0;
	return n;
}

static void put16(unsigned char *p, unsigned int v)
{
	p[0] = (unsigned char)(v >> 8);
	p[1] = (unsigned char)v;
}

static size_t make_query(unsigned char *p, unsigned int i)
{
	char name[64];
	size_t n;

	snprintf(name, sizeof(name), "Host%u.eXample.com", i);
	memset(p, 0, 12);
	put16(p, 1000 + i);
	put16(p + 2, 0x0100);
	put16(p + 4, 1);
	n = 12 + put_name(p + 12, name);
	put16(p + n, i % 2 ? 28 : 1);
	put16(p + n + 2, 1);
	return n + 4;
}

/* Turns a query into its response. */
static void make_response(unsigned char *p, unsigned int i)
{
	put16(p + 2, i % 3 == 2 ? 0x8583 : 0x8580);
}

static void put_text(unsigned char *p, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)s[i];
}

/* Messages that lie. The first bytes make each a query with one question. */
static size_t make_bad(unsigned char *p, unsigned int k)
{
	memset(p, 0, 600);
	put16(p, 2000 + k);
	put16(p + 4, 1);
	switch (k) {
	case 0: /* nothing behind the header */
		return 12;
	case 1: /* a label that is longer than the message */
		p[12] = 60;
		put_text(p + 13, "abc", 3);
		return 16;
	case 2: /* a pointer to itself */
		put16(p + 12, 0xc00c);
		return 14;
	case 3: /* labels without an end */
		memset(p + 12, 1, 400);
		return 412;
	case 4: /* characters that no name has */
		p[12] = 6;
		put_text(p + 13, "a\0.\x1b\"b", 6);
		p[20] = 1;
		p[22] = 1;
		return 24;
	default: /* the root */
		p[14] = 2;
		p[16] = 1;
		return 17;
	}
}

enum { BAD = 6 };

static void send_random(int fd, const struct trig_addr *to, unsigned int seed, unsigned int n, bool connected)
{
	unsigned char m[512];

	srand(seed);
	for (unsigned int i = 0; i < n; i++) {
		size_t size = 12 + (size_t)rand() % 500;

		for (size_t k = 0; k < size; k++)
			m[k] = (unsigned char)rand();
		if (connected)
			trig_send(fd, m, size);
		else if (sendto(fd, m, size, 0, (const struct sockaddr *)&to->ss, to->len) != (ssize_t)size)
			trig_die("send");
	}
}

static int server_main(void *arg, int in, int out)
{
	const struct talk *t = arg;
	int fd = trig_bound(SOCK_DGRAM, &t->server);
	unsigned char m[1024];
	unsigned int left = t->n + t->random + (t->bad ? BAD : 0), answered = 0;
	struct trig_addr from = { .len = sizeof(from.ss) };

	trig_put(out, "r", 1);
	while (left--) {
		ssize_t n = recvfrom(fd, m, sizeof(m), 0, (struct sockaddr *)&from.ss, &from.len);

		if (n < 12)
			trig_die("receive");
		if (answered == t->n)
			continue;
		trig_sleep(t->delay_ms);
		make_response(m, answered++);
		if (sendto(fd, m, (size_t)n, 0, (struct sockaddr *)&from.ss, from.len) != n)
			trig_die("send");
	}
	send_random(fd, &from, 2, t->random, false);
	trig_put(out, "d", 1);
	(void)in;
	return 0;
}

static unsigned long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long long)t.tv_sec * 1000 + (unsigned long long)t.tv_nsec / 1000000;
}

static int client_main(void *arg, int in, int out)
{
	const struct talk *t = arg;
	int fd = socket(t->server.ss.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	unsigned long long began, took, longest = 0;
	unsigned char m[1024];
	char go;

	if (fd < 0 || connect(fd, (const struct sockaddr *)&t->server.ss, t->server.len) < 0)
		trig_die("connect");
	trig_get(in, &go, 1);
	for (unsigned int i = 0; i < t->n; i++) {
		began = now_ms();
		trig_send(fd, m, make_query(m, i));
		if (recv(fd, m, sizeof(m), 0) < 12)
			trig_die("receive");
		took = now_ms() - began + 1;
		longest = took > longest ? took : longest;
	}
	for (unsigned int k = 0; t->bad && k < BAD; k++) {
		size_t n = make_bad(m, k);

		trig_send(fd, m, n);
	}
	send_random(fd, NULL, 1, t->random, true);
	trig_put(out, &longest, sizeof(longest));
	trig_get(in, &go, 1);
	return 0;
}

int main(int argc, char **argv)
{
	struct talk k = { .n = 3 };
	struct trig_proc ps, pc;
	unsigned long long longest;
	struct trig t;
	char c1;
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "d:n:xr:")) != -1) {
		if (trig_option(&t, c, optarg))
			continue;
		if (c == 'd')
			k.delay_ms = (unsigned int)trig_number(optarg, 0, 10000);
		else if (c == 'n')
			k.n = (unsigned int)trig_number(optarg, 0, 1000);
		else if (c == 'r')
			k.random = (unsigned int)trig_number(optarg, 0, 10000);
		else
			k.bad = true;
	}
	trig_start(&t);
	k.server = trig_loopback(t.family, 53);
	trig_spawn(&ps, "dw_dns_server", server_main, &k);
	trig_get(ps.from, &c1, 1);
	trig_spawn(&pc, "dw_dns_client", client_main, &k);
	trig_wait(&t);
	trig_put(pc.to, "g", 1);
	trig_get(pc.from, &longest, sizeof(longest));
	trig_get(ps.from, &c1, 1);
	trig_put(pc.to, "e", 1);
	trig_kv("client_pid", "%d", (int)pc.pid);
	trig_kv("server_pid", "%d", (int)ps.pid);
	trig_kv("queries", "%u", k.n);
	trig_kv("responses", "%u", k.n);
	trig_kv("bad", "%d", k.bad ? BAD : 0);
	trig_kv("random", "%u", k.random);
	trig_kv("longest_ms", "%llu", longest);
	trig_join(&pc);
	trig_join(&ps);
	return 0;
}
