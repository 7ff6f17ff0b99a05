/*
 * One-to-one SCTP associations over loopback: the client connects k times, sends n messages on each and reads them
 * back.  Output: the processes, the server's port, what was sent, and the packets as the kernel's own counters
 * (/proc/net/sctp/snmp) have them, which count all of the network namespace.
 *
 * Needs a network namespace of its own, and the kernel's module sctp.
 */
#include "trigger.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage[] = "  -n MESSAGES  each way (default 1)\n"
			    "  -k ASSOCIATIONS  one after the other (default 1)\n"
			    "Prints: client_pid server_pid packets_out packets_in.\n";

enum { SIZE = 100 };

static int stream(int family)
{
	int fd = socket(family, SOCK_STREAM, IPPROTO_SCTP);

	if (fd < 0 && (errno == EPROTONOSUPPORT || errno == ESOCKTNOSUPPORT)) {
		fputs("skip: the kernel has no SCTP\n", stdout);
		fflush(stdout);
		_exit(77);
	}
	if (fd < 0)
		trig_die("socket");
	return fd;
}

static void serve(int fd, unsigned int associations)
{
	char buf[SIZE];

	trig_set_name("dw_server");
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
	int fd = stream(to->ss.ss_family);

	if (connect(fd, (const struct sockaddr *)&to->ss, to->len) < 0)
		trig_die("connect");
	while (messages--)
		if (write(fd, buf, sizeof(buf)) != SIZE || read(fd, buf, sizeof(buf)) != SIZE)
			trig_die("echo");
	close(fd);
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

int main(int argc, char **argv)
{
	unsigned int messages = 1, associations = 1;
	struct trig_addr a;
	struct trig t;
	pid_t server;
	int c, fd;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "n:k:")) != -1)
		if (c == 'n')
			messages = (unsigned int)trig_number(optarg, 1, 10000);
		else if (c == 'k')
			associations = (unsigned int)trig_number(optarg, 1, 1000);
		else
			(void)trig_option(&t, c, optarg);
	trig_start(&t);
	a = trig_loopback(t.family, 0);
	fd = stream(t.family);
	if (bind(fd, (struct sockaddr *)&a.ss, a.len) < 0 || listen(fd, 8) < 0)
		trig_die("listen");
	a = trig_loopback(t.family, trig_port(fd));
	server = fork();
	if (server == 0)
		serve(fd, associations);
	close(fd);
	trig_set_name("dw_client");
	for (unsigned int i = 0; i < associations; i++)
		talk(&a, messages);
	waitpid(server, NULL, 0);
	trig_sleep(300); /* the last packets */
	trig_kv("client_pid", "%d", (int)getpid());
	trig_kv("server_pid", "%d", (int)server);
	trig_kv("packets_out", "%lu", counter("SctpOutSCTPPacks"));
	trig_kv("packets_in", "%lu", counter("SctpInSCTPPacks"));
	return 0;
}
