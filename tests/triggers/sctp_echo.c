/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SCTP associations over loopback: the client connects k times, sends n messages on each and reads them back; or, one
 * to many, one socket of the client has k associations at once, with a socket of the server each, and ends them all.
 * Output: the processes, and as the kernel's own lists have it, which are of the network namespace: the packets
 * (/proc/net/sctp/snmp), and how many associations were established at once (/proc/net/sctp/assocs).
 *
 * Needs a network namespace of its own, and the kernel's module sctp.
 */
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -n MESSAGES  each way (default 1)\n"
			    "  -k ASSOCIATIONS  one after the other (default 1)\n"
			    "  -m  one to many: all at once (at most 16)\n"
			    "  -a  and the client aborts them\n"
			    "Prints: client_pid server_pid packets_out packets_in established.\n";

enum { SIZE = 100, MANY = 16, ESTABLISHED = 3 };

static int sctp(int family, int type)
{
	int fd = socket(family, type, IPPROTO_SCTP);

	if (fd < 0 && (errno == EPROTONOSUPPORT || errno == ESOCKTNOSUPPORT)) {
		fputs("skip: the kernel has no SCTP\n", stdout);
		fflush(stdout);
		_exit(77);
	}
	if (fd < 0)
		trig_die("socket");
	return fd;
}

/* The server makes its listeners itself, and tells where they are. Returns as fork() does. */
static pid_t start_server(int family, int type, struct trig_addr *to, int *fds, unsigned int n)
{
	ssize_t size = (ssize_t)(n * sizeof(*to));
	int ends[2];
	pid_t server;

	close(sctp(family, type)); /* where there is no SCTP this says so */
	if (pipe(ends) < 0 || (server = fork()) < 0)
		trig_die("fork");
	if (server != 0) {
		close(ends[1]);
		if (read(ends[0], to, (size_t)size) != size)
			trig_die("no word of the server");
		close(ends[0]);
		trig_set_name("dw_client");
		return server;
	}
	trig_set_name("dw_server");
	close(ends[0]);
	for (unsigned int i = 0; i < n; i++) {
		to[i] = trig_loopback(family, 0);
		fds[i] = sctp(family, type);
		if (bind(fds[i], (struct sockaddr *)&to[i].ss, to[i].len) < 0 || listen(fds[i], 8) < 0)
			trig_die("listen");
		to[i] = trig_loopback(family, trig_port(fds[i]));
	}
	if (write(ends[1], to, (size_t)size) != size)
		trig_die("write");
	close(ends[1]);
	return 0;
}

static void serve(int fd, unsigned int associations)
{
	char buf[SIZE];

	while (associations--) {
		int conn = accept(fd, NULL, NULL);
		ssize_t n;

		if (conn < 0)
			trig_die("accept");
		while ((n = read(conn, buf, sizeof(buf))) > 0)
			if (write(conn, buf, (size_t)n) != n)
				trig_die("write");
		close(conn);
	}
	_exit(0);
}

static void talk(const struct trig_addr *to, unsigned int messages)
{
	char buf[SIZE] = "";
	int fd = sctp(to->ss.ss_family, SOCK_STREAM);

	if (connect(fd, (const struct sockaddr *)&to->ss, to->len) < 0)
		trig_die("connect");
	while (messages--)
		if (write(fd, buf, sizeof(buf)) != SIZE || read(fd, buf, sizeof(buf)) != SIZE)
			trig_die("echo");
	close(fd);
}

/* Associations in that state: column ST of the list. */
static unsigned int associations_in(int state)
{
	FILE *f = fopen("/proc/net/sctp/assocs", "re");
	char line[1024];
	unsigned int n = 0;
	int st;

	if (!f)
		trig_die("/proc/net/sctp/assocs");
	while (fgets(line, sizeof(line), f))
		n += sscanf(line, "%*s %*s %*s %*s %d", &st) == 1 && st == state;
	fclose(f);
	return n;
}

static void echo_many(const int *fds, unsigned int n, unsigned int messages)
{
	struct sockaddr_storage from;
	char buf[SIZE];

	for (; messages--;)
		for (unsigned int i = 0; i < n; i++) {
			socklen_t len = sizeof(from);

			if (recvfrom(fds[i], buf, sizeof(buf), 0, (struct sockaddr *)&from, &len) != SIZE ||
				sendto(fds[i], buf, sizeof(buf), 0, (struct sockaddr *)&from, len) != SIZE)
				trig_die("echo");
		}
	trig_sleep(600); /* the client ends the associations */
	_exit(0);
}

static unsigned int one_to_many(int family, unsigned int n, unsigned int messages, bool abort, pid_t *server)
{
	struct trig_addr to[MANY];
	struct linger linger = { 1, 0 };
	int fds[MANY], fd;
	char buf[SIZE] = "";
	unsigned int established;

	*server = start_server(family, SOCK_SEQPACKET, to, fds, n);
	if (*server == 0)
		echo_many(fds, n, messages);
	fd = sctp(family, SOCK_SEQPACKET);
	while (messages--)
		for (unsigned int i = 0; i < n; i++)
			if (sendto(fd, buf, sizeof(buf), 0, (struct sockaddr *)&to[i].ss, to[i].len) != SIZE ||
				recv(fd, buf, sizeof(buf), 0) != SIZE)
				trig_die("echo");
	established = associations_in(ESTABLISHED);
	if (abort && setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)) < 0)
		trig_die("SO_LINGER");
	close(fd);
	return established;
}

static unsigned long counter(const char *name)
{
	FILE *f = fopen("/proc/net/sctp/snmp", "re");
	char word[64];
	unsigned long v;

	if (!f)
		trig_die("/proc/net/sctp/snmp");
	while (fscanf(f, "%63s %lu", word, &v) == 2)
		if (!strcmp(word, name)) {
			fclose(f);
			return v;
		}
	fclose(f);
	return 0;
}

static pid_t one_to_one(int family, unsigned int associations, unsigned int messages)
{
	struct trig_addr a;
	int fd;
	pid_t server = start_server(family, SOCK_STREAM, &a, &fd, 1);

	if (server == 0)
		serve(fd, associations);
	for (unsigned int i = 0; i < associations; i++)
		talk(&a, messages);
	return server;
}

int main(int argc, char **argv)
{
	unsigned int messages = 1, associations = 1, established = 0;
	bool many = false, abort = false;
	struct trig t;
	pid_t server;
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "n:k:ma")) != -1)
		if (c == 'n')
			messages = (unsigned int)trig_number(optarg, 1, 10000);
		else if (c == 'k')
			associations = (unsigned int)trig_number(optarg, 1, 1000);
		else if (c == 'm')
			many = true;
		else if (c == 'a')
			abort = true;
		else
			(void)trig_option(&t, c, optarg);
	if (many && associations > MANY)
		associations = MANY;
	trig_start(&t);
	if (many)
		established = one_to_many(t.family, associations, messages, abort, &server);
	else
		server = one_to_one(t.family, associations, messages);
	waitpid(server, NULL, 0);
	trig_sleep(300); /* the last packets */
	trig_kv("client_pid", "%d", (int)getpid());
	trig_kv("server_pid", "%d", (int)server);
	trig_kv("packets_out", "%lu", counter("SctpOutSCTPPacks"));
	trig_kv("packets_in", "%lu", counter("SctpInSCTPPacks"));
	trig_kv("established", "%u", established);
	return 0;
}
