/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks up names that a name server of its own knows, which answers after a delay; names of /etc/hosts come at once.
 * Meant for a network namespace whose /etc/resolv.conf names 127.0.0.1.
 *
 * Names that begin with "slow" have an address, others do not exist. Output: how many lookups, and for each the
 * function, the name, whether it failed, and how long it took by the caller's own clock.
 */
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -d MS  the server's delay (default 80)\n  -n LOOKUPS  of each kind (default 1)\n"
			    "  -m THREADS  that look up slow names too, at once (default 0)\n"
			    "Prints: pid lookups failed lookup_N=FUNC NAME FAILED MICROSECONDS.\n";

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lookups, failed;

/* An answer to the query: the question again, with an address for slow names. */
static size_t answer(unsigned char *m, size_t n)
{
	static const unsigned char addr[] = { 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 10, 9, 8, 7 };
	bool slow = n > 17 && memcmp(m + 13, "slow", 4) == 0;
	size_t end = 12;

	while (end < n && m[end])
		end += m[end] + 1u;
	end += 5; /* the last label, type and class */
	m[2] = 0x81;
	m[3] = slow ? 0x80 : 0x83;
	memset(m + 6, 0, 6);
	if (!slow || m[end - 3] != 1) /* only type A */
		return end;
	m[7] = 1;
	memcpy(m + end, addr, sizeof(addr));
	return end + sizeof(addr);
}

static int serve(void *arg, int in, int out)
{
	const struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(53), .sin_addr = { htonl(0x7f000001) }
	};
	int fd = socket(AF_INET, SOCK_DGRAM, 0), delay = *(const int *)arg;

	(void)in;
	if (fd < 0 || bind(fd, (const void *)&at, sizeof(at)) < 0 || write(out, "r", 1) != 1)
		trig_die("name server");
	for (;;) {
		unsigned char m[600];
		struct sockaddr_in from;
		socklen_t len = sizeof(from);
		ssize_t n = recvfrom(fd, m, 512, 0, (void *)&from, &len);

		if (n < 17)
			continue;
		if (fork() == 0) { /* queries at once are answered at once */
			trig_sleep((unsigned int)delay);
			sendto(fd, m, answer(m, (size_t)n), 0, (void *)&from, len);
			_exit(0);
		}
	}
}

static long long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ll + t.tv_nsec / 1000;
}

static bool look_up(const char *func, const char *name)
{
	struct addrinfo hints = { .ai_family = AF_INET }, *found = NULL;
	struct hostent host, *h = NULL;
	char buf[4096];
	int err;

	if (!strcmp(func, "getaddrinfo")) {
		if (getaddrinfo(name, NULL, &hints, &found) != 0)
			return false;
		freeaddrinfo(found);
		return true;
	}
	if (!strcmp(func, "gethostbyname"))
		return gethostbyname(name) != NULL;
	if (!strcmp(func, "gethostbyname2"))
		return gethostbyname2(name, AF_INET) != NULL;
	if (!strcmp(func, "gethostbyname_r"))
		return gethostbyname_r(name, &host, buf, sizeof(buf), &h, &err) == 0 && h;
	return gethostbyname2_r(name, AF_INET, &host, buf, sizeof(buf), &h, &err) == 0 && h;
}

static void one(const char *func, const char *name)
{
	char key[32];
	long long from = now_us(), us;
	bool ok = look_up(func, name);

	us = now_us() - from;
	pthread_mutex_lock(&lock);
	failed += !ok;
	snprintf(key, sizeof(key), "lookup_%d", lookups++);
	trig_kv(key, "%s %s %d %lld", func, name, !ok, us);
	pthread_mutex_unlock(&lock);
}

static void *in_thread(void *arg)
{
	char name[64];

	snprintf(name, sizeof(name), "slow-thread%d.example", *(int *)arg);
	one("getaddrinfo", name);
	return NULL;
}

int main(int argc, char **argv)
{
	static const char *const funcs[] = { "getaddrinfo", "gethostbyname", "gethostbyname2", "gethostbyname_r",
		"gethostbyname2_r" };
	pthread_t threads[16];
	int delay = 80, n = 1, nthreads = 0, numbers[16], c;
	struct trig_proc server;
	struct trig t;
	char byte;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "d:n:m:")) != -1)
		if (c == 'd')
			delay = (int)trig_number(optarg, 0, 2000);
		else if (c == 'n')
			n = (int)trig_number(optarg, 0, 1000);
		else if (c == 'm')
			nthreads = (int)trig_number(optarg, 0, 16);
		else if (!trig_option(&t, c, optarg))
			trig_usage(&t);
	trig_start(&t);
	trig_wait(&t);
	trig_spawn(&server, "nameserver", serve, &delay);
	if (read(server.from, &byte, 1) != 1)
		trig_die("no name server");
	for (int i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof(funcs) / sizeof(funcs[0]); k++) {
			one(funcs[k], "known.example");
			one(funcs[k], "slow.example");
			one(funcs[k], "none.example");
		}
	for (int i = 0; i < nthreads; i++) {
		numbers[i] = i;
		if (pthread_create(&threads[i], NULL, in_thread, &numbers[i]))
			trig_die("thread");
	}
	for (int i = 0; i < nthreads; i++)
		pthread_join(threads[i], NULL);
	trig_kv("pid", "%d", (int)getpid());
	trig_kv("lookups", "%d", lookups);
	trig_kv("failed", "%d", failed);
	return 0;
}
