/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two network namespaces with a veth pair between them, and an echo client and server, one in each.
 * Output: the namespaces' inode numbers, pids, addresses, devices, and what tcp_echo prints.
 *
 * The namespaces have no names: they belong to the two processes, so they and the veth pair are gone when the
 * processes are, however they end.  Needs root and the `ip` command.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -n CONNECTIONS  (default 1)\n"
			    "  -c MESSAGES  for each connection, in each direction (default 1)\n"
			    "  -k BYTES  of a message (default 100)\n"
			    "  -d MS  delay before each message (default 0)\n"
			    "  -a N  addresses 10.213.N.x, fd00:d:N::x (default 1)\n"
			    "Prints: client_netns server_netns (inode numbers) client_dev server_dev client_addr\n"
			    "server_addr, and the lines of tcp_echo.  Exits with 77 if it may not make namespaces.\n";

static const char client_dev[] = "dwveth0";
static const char server_dev[] = "dwveth1";

/* A child's part: its namespace, its device, its address, and the echo that it then runs. */
struct side {
	struct trig_echo *echo;
	trig_main *run;
	const char *dev;
	char addr[32];
	const char *prefix; /* its length with the slash */
};

static void side_address(struct side *s, int family, unsigned int net, int host)
{
	snprintf(s->addr, sizeof(s->addr), family == AF_INET6 ? "fd00:d:%x::%d" : "10.213.%u.%d", net, host);
}

/* Runs ip with a line of arguments separated by spaces. */
static void ip(const char *line)
{
	char copy[256];
	char *args[32] = { NULL }, *save = NULL;
	unsigned int n = 0;
	int status;
	pid_t pid;

	snprintf(copy, sizeof(copy), "ip %s", line);
	for (char *word = strtok_r(copy, " ", &save); word && n < 31; word = strtok_r(NULL, " ", &save))
		args[n++] = word;
	pid = fork();
	if (pid < 0)
		trig_die("fork");
	if (pid == 0) {
		execvp("ip", args);
		trig_die("run ip (is iproute2 installed?)");
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			trig_die("waitpid");
	errno = 0;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		trig_die("'ip %s' failed", line);
}

/* Makes the namespace, says so, waits until the veth pair is there, brings it up, and then runs the echo. */
static int side_main(void *arg, int in, int out)
{
	const struct side *s = arg;
	char line[256], go, made = 1;

	if (unshare(CLONE_NEWNET) < 0)
		made = 0;
	trig_put(out, &made, 1);
	trig_get(in, &go, 1);
	if (go == 'p') {
		pid_t peer;

		trig_get(in, &peer, sizeof(peer));
		snprintf(line, sizeof(line), "link add %s type veth peer name %s netns %d", client_dev, server_dev,
			(int)peer);
		ip(line);
		trig_put(out, "v", 1);
		trig_get(in, &go, 1);
	}
	snprintf(line, sizeof(line), "addr add %s%s dev %s%s", s->addr, s->prefix, s->dev,
		strchr(s->addr, ':') ? " nodad" : "");
	ip(line);
	ip("link set lo up");
	snprintf(line, sizeof(line), "link set %s up", s->dev);
	ip(line);
	trig_put(out, "u", 1);
	return s->run(s->echo, in, out);
}

static unsigned long netns_of(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)pid);
	if (stat(path, &st) < 0)
		trig_die("%s", path);
	return (unsigned long)st.st_ino;
}

/* Returns false if the child may not make a namespace. */
static bool made(const struct trig_proc *p)
{
	char answer;

	trig_get(p->from, &answer, 1);
	return answer != 0;
}

/* Sends a command and waits for its answer. */
static void command(const struct trig_proc *p, const char *what, size_t size)
{
	char answer;

	trig_put(p->to, what, size);
	trig_get(p->from, &answer, 1);
}

static void pair_up(const struct trig_proc *client, const struct trig_proc *server)
{
	char make[1 + sizeof(pid_t)] = { 'p' };

	memcpy(make + 1, &server->pid, sizeof(server->pid));
	command(client, make, sizeof(make));
	command(client, "u", 1);
	command(server, "u", 1);
}

static void print_sides(const struct trig_proc *pc, const struct trig_proc *ps, const char *ca, const char *sa)
{
	trig_kv("client_pid", "%d", (int)pc->pid);
	trig_kv("server_pid", "%d", (int)ps->pid);
	trig_kv("client_name", "dw_ns_client");
	trig_kv("server_name", "dw_ns_server");
	trig_kv("client_netns", "%lu", netns_of(pc->pid));
	trig_kv("server_netns", "%lu", netns_of(ps->pid));
	trig_kv("client_dev", "%s", client_dev);
	trig_kv("server_dev", "%s", server_dev);
	trig_kv("client_addr", "%s", ca);
	trig_kv("server_addr", "%s", sa);
}

int main(int argc, char **argv)
{
	struct trig_echo e = { .connections = 1, .messages = 1, .bytes = 100 };
	struct side client = { .echo = &e, .run = trig_echo_client, .dev = client_dev };
	struct side server = { .echo = &e, .run = trig_echo_server, .dev = server_dev };
	struct trig_proc ps, pc;
	unsigned int net = 1;
	struct trig t;
	bool ok;
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "n:c:k:d:a:")) != -1) {
		if (trig_option(&t, c, optarg))
			continue;
		if (c == 'n')
			e.connections = (unsigned int)trig_number(optarg, 1, 100000);
		else if (c == 'c')
			e.messages = (unsigned int)trig_number(optarg, 0, 1000000);
		else if (c == 'k')
			e.bytes = (unsigned int)trig_number(optarg, 1, 1 << 20);
		else if (c == 'a')
			net = (unsigned int)trig_number(optarg, 0, 255);
		else
			e.delay_ms = (unsigned int)trig_number(optarg, 0, 10000);
	}
	side_address(&client, t.family, net, 1);
	side_address(&server, t.family, net, 2);
	client.prefix = server.prefix = t.family == AF_INET6 ? "/64" : "/24";
	e.target = e.addr = trig_address(server.addr, t.port);
	trig_start(&t);
	trig_spawn(&ps, "dw_ns_server", side_main, &server);
	trig_spawn(&pc, "dw_ns_client", side_main, &client);
	ok = made(&ps);
	ok = made(&pc) && ok;
	if (!ok) {
		fprintf(stderr, "%s: may not make network namespaces\n", t.name);
		return 77;
	}
	pair_up(&pc, &ps);
	print_sides(&pc, &ps, client.addr, server.addr);
	trig_wait(&t);
	trig_echo_run(&e, &ps, &pc);
	return 0;
}
