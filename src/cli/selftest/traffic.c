/* SPDX-License-Identifier: GPL-2.0-or-later */
/* traffic: see traffic.h.
 * Input: requests, one a packet of a socket pair: "" makes traffic, other texts name counters. Output: a number each.
 * Invariant: nothing leaves the namespace, and each wait has a limit. */
#include "cli/selftest/traffic.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DATAGRAMS = 5, SEGMENTS = 3 };

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t loopback(int family, union address *a)
{
	memset(a, 0, sizeof(*a));
	a->any.sa_family = (sa_family_t)family;
	if (family == AF_INET)
		a->v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	else
		a->v6.sin6_addr = in6addr_loopback;
	return family == AF_INET ? sizeof(a->v4) : sizeof(a->v6);
}

/* A socket of loopback whose calls wait a second at most; *a gets its address. A descriptor or -errno. */
static int bound(int family, int type, union address *a)
{
	const struct timeval second = { .tv_sec = 1 };
	socklen_t len = loopback(family, a);
	int fd = socket(family, type | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return -errno;
	if (!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second)) &&
		!setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof(second)) && !bind(fd, &a->any, len) &&
		!getsockname(fd, &a->any, &len))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* Datagrams to a socket that reads them, then one to a port that was closed: ICMP's answer. */
static int udp(int family)
{
	union address to;
	char buf[64] = "dwire";
	int fd = bound(family, SOCK_DGRAM, &to), from, n = 0;
	socklen_t len = loopback(family, &(union address){ 0 });

	if (fd < 0)
		return fd;
	from = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	for (int i = 0; from >= 0 && i < DATAGRAMS; i++)
		n += sendto(from, buf, sizeof(buf), 0, &to.any, len) == sizeof(buf) &&
			recv(fd, buf, sizeof(buf), 0) == sizeof(buf);
	close(fd);
	if (from >= 0) {
		n += sendto(from, buf, sizeof(buf), 0, &to.any, len) == sizeof(buf);
		close(from);
	}
	return n == DATAGRAMS + 1 ? 0 : -EIO;
}

/* Sends over an accepted connection and closes both ends in order. */
static int talk(int server, int client)
{
	char buf[100] = "dwire";
	int fd = accept4(server, NULL, NULL, SOCK_CLOEXEC), n = 0;

	if (fd < 0)
		return -errno;
	for (int i = 0; i < SEGMENTS; i++)
		n += send(client, buf, sizeof(buf), 0) == sizeof(buf) &&
			recv(fd, buf, sizeof(buf), MSG_WAITALL) == sizeof(buf);
	shutdown(client, SHUT_WR);
	n += recv(fd, buf, sizeof(buf), 0) == 0;
	close(fd);
	n += recv(client, buf, sizeof(buf), 0) == 0;
	return n == SEGMENTS + 2 ? 0 : -EIO;
}

/* A connection, and one that is refused once nobody listens. */
static int tcp(int family)
{
	union address to, own;
	int server = bound(family, SOCK_STREAM, &to), client = bound(family, SOCK_STREAM, &own), r = -EIO;
	int refused = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = loopback(family, &(union address){ 0 });

	if (server >= 0 && client >= 0 && !listen(server, 1) && !connect(client, &to.any, len))
		r = talk(server, client);
	if (client >= 0)
		close(client);
	if (server >= 0)
		close(server);
	if (refused >= 0) {
		if (!connect(refused, &to.any, len))
			r = -EIO;
		close(refused);
	}
	return r;
}

static bool has_ipv6(void)
{
	union address a;
	int fd = bound(AF_INET6, SOCK_DGRAM, &a);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int64_t make(void)
{
	int r = udp(AF_INET);

	if (!r)
		r = tcp(AF_INET);
	if (!r && has_ipv6()) {
		r = udp(AF_INET6);
		if (!r)
			r = tcp(AF_INET6);
	}
	usleep(20000); /* the last ACKs */
	return r;
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */
/* A counter of /proc/net/snmp, "Udp:OutDatagrams": a line of names, then one of values. */
static int64_t snmp(const char *group, size_t glen, const char *name)
{
	char names[2048], values[2048], *n = NULL, *v = NULL;
	FILE *f = fopen("/proc/self/net/snmp", "re");
	int64_t found = 0;

	if (!f)
		return 0;
	while (fgets(names, sizeof(names), f) && fgets(values, sizeof(values), f)) {
		if (strncmp(names, group, glen) != 0)
			continue;
		for (char *a = strtok_r(names, " \n", &n), *b = strtok_r(values, " \n", &v); a && b;
			a = strtok_r(NULL, " \n", &n), b = strtok_r(NULL, " \n", &v))
			if (!strcmp(a, name))
				found = strtoll(b, NULL, 10);
	}
	fclose(f);
	return found;
}

static int64_t snmp6(const char *name)
{
	FILE *f = fopen("/proc/self/net/snmp6", "re");
	long long value, found = 0;
	char key[64];

	while (f && fscanf(f, "%63s %lld", key, &value) == 2)
		if (!strcmp(key, name))
			found = value;
	if (f)
		fclose(f);
	return found;
}

static int64_t sum(char *counters)
{
	int64_t n = 0;
	char *rest;

	for (char *c = strtok_r(counters, " ", &rest); c; c = strtok_r(NULL, " ", &rest)) {
		const char *colon = strchr(c, ':');

		n += colon ? snmp(c, (size_t)(colon + 1 - c), colon + 1) : snmp6(c);
	}
	return n;
}

/* ---- the child --------------------------------------------------------------------------------------------------- */
/* Whoever may not make a network namespace may be allowed one in a user namespace of his own. */
static int enter(void)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd, r;

	if (unshare(CLONE_NEWNET) && unshare(CLONE_NEWUSER | CLONE_NEWNET))
		return -errno;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	r = ioctl(fd, SIOCSIFFLAGS, &lo) ? -errno : 0;
	close(fd);
	return r;
}

static _Noreturn void serve(int fd)
{
	struct stat st;
	int64_t n = enter();
	char request[512];
	ssize_t len;

	if (!n)
		n = stat("/proc/self/ns/net", &st) ? -errno : (int64_t)st.st_ino;
	while (send(fd, &n, sizeof(n), MSG_NOSIGNAL) == sizeof(n)) {
		len = recv(fd, request, sizeof(request) - 1, 0);
		if (len <= 0)
			break;
		request[len] = '\0';
		n = *request == '.' ? make() : sum(request);
	}
	_exit(0);
}

static int64_t ask(const struct traffic *t, const char *request)
{
	int64_t n;

	if (send(t->fd, request, strlen(request), MSG_NOSIGNAL) < 0)
		return -errno;
	return recv(t->fd, &n, sizeof(n), 0) == sizeof(n) ? n : -EIO;
}

int traffic_start(struct traffic *t)
{
	pid_t parent = getpid();
	int64_t n;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	t->pid = fork();
	if (t->pid == 0) {
		close(fds[0]);
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
			_exit(1);
		serve(fds[1]);
	}
	close(fds[1]);
	t->fd = fds[0];
	n = t->pid > 0 && recv(t->fd, &n, sizeof(n), 0) == sizeof(n) ? n : -EIO;
	if (n >= 0) {
		t->netns = (uint32_t)n;
		return 0;
	}
	traffic_end(t);
	return (int)n;
}

int traffic_make(const struct traffic *t)
{
	return (int)ask(t, ".");
}

int64_t traffic_count(const struct traffic *t, const char *counters)
{
	return ask(t, counters);
}

void traffic_end(struct traffic *t)
{
	close(t->fd);
	if (t->pid > 0) {
		kill(t->pid, SIGKILL);
		waitpid(t->pid, NULL, 0);
	}
}
