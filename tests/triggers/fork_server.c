/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pre-forked workers accept on one listener that their parent made; a client makes n connections, one after another.
 * Output: which worker served which client port, as the worker itself says over the connection.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -n CONNECTIONS  (default 8)\n"
			    "  -j WORKERS  (default 3, at most 32)\n"
			    "Prints: parent_pid client_pid worker_pid_0.. worker_name client_name port\n"
			    "connections, and for each connection served_CLIENTPORT=WORKERPID, and for each\n"
			    "worker served_by_PID=CONNECTIONS.  A connection carries 4 bytes each way.\n";

enum { WORKERS_MAX = 32, CONNECTIONS_MAX = 1000 };

struct job {
	int listener;
	struct trig_addr to;
	unsigned int connections;
};

struct served {
	uint16_t port;
	int32_t worker;
};

/* Serves until the pipe from the parent closes. */
static int worker(void *arg, int in, int out)
{
	const struct job *j = arg;
	struct pollfd fds[2] = { { .fd = j->listener, .events = POLLIN }, { .fd = in, .events = POLLIN } };
	int32_t pid = getpid(), request;

	(void)out;
	for (;;) {
		int fd;

		if (poll(fds, 2, -1) < 0) {
			if (errno == EINTR)
				continue;
			trig_die("poll");
		}
		if (fds[1].revents)
			return 0;
		/* The listener does not block: another worker may have taken the connection. */
		fd = accept4(j->listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (fd < 0)
			trig_die("accept");
		if (trig_recv(fd, &request, sizeof(request)) == sizeof(request))
			trig_send(fd, &pid, sizeof(pid));
		close(fd);
	}
}

static int client(void *arg, int in, int out)
{
	const struct job *j = arg;
	char go;

	trig_get(in, &go, 1);
	for (unsigned int i = 0; i < j->connections; i++) {
		struct served s = { .port = 0 };
		int fd = trig_connect(&j->to);
		int32_t request = 0;

		s.port = trig_port(fd);
		trig_send(fd, &request, sizeof(request));
		if (trig_recv(fd, &s.worker, sizeof(s.worker)) != sizeof(s.worker))
			trig_die("the worker closed early");
		close(fd);
		trig_put(out, &s, sizeof(s));
	}
	return 0;
}

static void print_served(struct trig_proc *pc, const struct job *j, const struct trig_proc *workers, unsigned int n)
{
	unsigned int by[WORKERS_MAX] = { 0 };
	char key[64];

	for (unsigned int i = 0; i < j->connections; i++) {
		struct served s;

		trig_get(pc->from, &s, sizeof(s));
		snprintf(key, sizeof(key), "served_%u", s.port);
		trig_kv(key, "%d", (int)s.worker);
		for (unsigned int w = 0; w < n; w++)
			if (workers[w].pid == s.worker)
				by[w]++;
	}
	for (unsigned int w = 0; w < n; w++) {
		snprintf(key, sizeof(key), "served_by_%d", (int)workers[w].pid);
		trig_kv(key, "%u", by[w]);
	}
}

static void fork_server_run(const struct trig *t, struct job *j, unsigned int n)
{
	struct trig_proc workers[WORKERS_MAX], pc;
	struct trig_addr at = trig_loopback(t->family, t->port);

	j->listener = trig_bound(SOCK_STREAM | SOCK_NONBLOCK, &at);
	if (listen(j->listener, 64) < 0)
		trig_die("listen");
	j->to = trig_loopback(t->family, trig_port(j->listener));
	trig_kv("parent_pid", "%d", (int)getpid());
	trig_kv("port", "%u", trig_port(j->listener));
	trig_kv("worker_name", "dw_worker");
	trig_kv("client_name", "dw_client");
	/* The client first: it is not to hold the pipes whose closing ends the workers. */
	trig_spawn(&pc, "dw_client", client, j);
	trig_kv("client_pid", "%d", (int)pc.pid);
	for (unsigned int w = 0; w < n; w++) {
		char key[32];

		trig_spawn(&workers[w], "dw_worker", worker, j);
		snprintf(key, sizeof(key), "worker_pid_%u", w);
		trig_kv(key, "%d", (int)workers[w].pid);
	}
	close(j->listener);
	trig_wait(t);
	trig_put(pc.to, "g", 1);
	print_served(&pc, j, workers, n);
	trig_join(&pc);
	/* Backwards: a later worker holds copies of the earlier ones' pipes. */
	while (n-- > 0)
		trig_join(&workers[n]);
	trig_kv("connections", "%u", j->connections);
}

int main(int argc, char **argv)
{
	struct job j = { .connections = 8 };
	unsigned int workers = 3;
	struct trig t;
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "n:j:")) != -1) {
		if (trig_option(&t, c, optarg))
			continue;
		if (c == 'n')
			j.connections = (unsigned int)trig_number(optarg, 1, CONNECTIONS_MAX);
		else
			workers = (unsigned int)trig_number(optarg, 1, WORKERS_MAX);
	}
	trig_start(&t);
	fork_server_run(&t, &j, workers);
	return 0;
}
