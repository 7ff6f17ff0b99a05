/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events: a number of events of one kind, and how long the machine was busy with them.
 *
 * Input: the kind, the number, and at most how many in each ten milliseconds (0: as fast as they go). Output: "EVENTS BUSY
 * ELAPSED": how many, the busy nanoseconds of CPU 0, with a pause at the end in which a tool reads what it has, and how
 * long the events alone took. Invariant: a tenth of them come before, uncounted; both processes stay on CPU 0.
 *
 * Busy is what passed less what the kernel notes as idle (idle_sleeptime of /proc/timer_list). Where the clock counts
 * instructions, as in qemu -icount, it is the number of instructions of the whole machine.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECOND = 1000000000, SLICE = 10000000 };

struct load {
	int fd;       /* of "round" */
	int accepter; /* reads connections' ends, so that each is closed at both ends before the next begins */
	struct sockaddr_in to;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* Nanoseconds in which CPU 0 was not idle. */
static uint64_t busy(void)
{
	FILE *f = fopen("/proc/timer_list", "r");
	unsigned long long ns, idle = 0;
	bool found = false;
	char line[256];

	if (!f)
		die("/proc/timer_list");
	while (fgets(line, sizeof(line), f) && !found)
		if (sscanf(line, " .idle_sleeptime : %llu", &ns) == 1) {
			idle = ns;
			found = true;
		}
	fclose(f);
	if (!found)
		die("idle_sleeptime");
	return now(CLOCK_MONOTONIC) - idle;
}

static void pause_ms(unsigned int ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	while (nanosleep(&t, &t) < 0)
		continue;
}

/* Answers each byte of each connection, until its end; then ends the connection. */
static void serve(int listener)
{
	for (;;) {
		int fd = accept(listener, NULL, NULL), one = 1;
		char c;

		if (fd < 0)
			die("accept");
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		while (read(fd, &c, 1) == 1)
			if (write(fd, &c, 1) != 1)
				die("write");
		close(fd);
	}
}

static void start_server(struct load *l)
{
	socklen_t len = sizeof(l->to);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	l->to = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	if (listener < 0 || bind(listener, (void *)&l->to, len) < 0 || listen(listener, 128) < 0 ||
	    getsockname(listener, (void *)&l->to, &len) < 0)
		die("listen");
	l->accepter = fork();
	if (l->accepter < 0)
		die("fork");
	if (l->accepter == 0)
		serve(listener);
	close(listener);
}

static int connected(const struct load *l)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	if (fd < 0 || connect(fd, (const void *)&l->to, sizeof(l->to)) < 0)
		die("connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return fd;
}

static void exchange(int fd)
{
	char c = 'x';

	if (write(fd, &c, 1) != 1 || read(fd, &c, 1) != 1)
		die("exchange");
}

static void do_round(struct load *l)
{
	exchange(l->fd);
}

/* Both ends see a whole connection: a byte each way, and the server's end comes before the next begins. */
static void do_connection(struct load *l)
{
	int fd = connected(l);
	char c;

	exchange(fd);
	shutdown(fd, SHUT_WR);
	if (read(fd, &c, 1) != 0)
		die("end of the connection");
	close(fd);
}

static void do_lookup(struct load *l)
{
	struct addrinfo *found = NULL;

	(void)l;
	if (getaddrinfo("localhost", NULL, NULL, &found) != 0)
		die("getaddrinfo");
	freeaddrinfo(found);
}

static void do_exec(struct load *l)
{
	pid_t pid = vfork();

	(void)l;
	if (pid == 0) {
		execl("/dev/shm/whole/true", "true", (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		die("exec");
}

static const struct kind {
	const char *name;
	void (*event)(struct load *l);
	bool serves;
} kinds[] = {
	{"round", do_round, true},
	{"connection", do_connection, true},
	{"lookup", do_lookup, false},
	{"exec", do_exec, false},
};

/* n events, at most `slice` in each ten milliseconds. */
static void run(const struct kind *k, struct load *l, unsigned int n, unsigned int slice)
{
	uint64_t end = now(CLOCK_MONOTONIC) + SLICE, at;

	for (unsigned int i = 1; i <= n; i++) {
		k->event(l);
		if (slice && i % slice == 0) {
			at = now(CLOCK_MONOTONIC);
			if (at < end)
				nanosleep(&(struct timespec){.tv_nsec = (long)(end - at)}, NULL);
			end += SLICE;
		}
	}
}

int main(int argc, char **argv)
{
	const struct kind *k = kinds, *end = kinds + sizeof(kinds) / sizeof(*kinds);
	struct load l = {.fd = -1};
	unsigned int n, slice;
	uint64_t before, start, took;

	while (argc == 4 && k < end && strcmp(k->name, argv[1]))
		k++;
	if (argc != 4 || k == end) {
		fprintf(stderr, "usage: events round|connection|lookup|exec EVENTS EVENTS_IN_10_MS\n");
		return 2;
	}
	n = (unsigned int)strtoul(argv[2], NULL, 10);
	slice = (unsigned int)strtoul(argv[3], NULL, 10);
	if (k->serves)
		start_server(&l);
	if (k->event == do_round)
		l.fd = connected(&l);
	run(k, &l, n / 10, slice);
	pause_ms(1500);
	before = busy();
	start = now(CLOCK_MONOTONIC);
	run(k, &l, n, slice);
	took = now(CLOCK_MONOTONIC) - start;
	pause_ms(1500);
	printf("%u %llu %llu\n", n, (unsigned long long)(busy() - before), (unsigned long long)took);
	if (k->serves)
		kill(l.accepter, SIGKILL);
	return 0;
}
