/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See trigger.h. */
#include "trigger.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h> /* not netinet/tcp.h: its struct tcp_info is shorter */
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- start, end, output --- */

void trig_init(struct trig *t, const char *argv0, const char *usage)
{
	const char *slash = strrchr(argv0, '/');

	*t = (struct trig){
		.usage = usage,
		.name = slash ? slash + 1 : argv0,
		.family = AF_INET,
		.seconds = 30,
	};
}

void trig_usage(const struct trig *t)
{
	printf("usage: %s [options]\n"
	       "  -4  IPv4 (the default)\n"
	       "  -6  IPv6\n"
	       "  -p PORT  the server's port (default: the kernel chooses)\n"
	       "  -t SECONDS  end after that long, whatever happens (default 30)\n"
	       "  -w  print ready=1 and wait for a byte on stdin or SIGUSR1 before the traffic\n"
	       "  -h  this text\n"
	       "%s",
		t->name, t->usage);
}

bool trig_option(struct trig *t, int c, const char *arg)
{
	switch (c) {
	case '4':
		t->family = AF_INET;
		return true;
	case '6':
		t->family = AF_INET6;
		return true;
	case 'p':
		t->port = (uint16_t)trig_number(arg, 1, 65535);
		return true;
	case 't':
		t->seconds = (unsigned int)trig_number(arg, 1, 3600);
		return true;
	case 'w':
		t->wait = true;
		return true;
	case 'h':
		trig_usage(t);
		exit(0);
	case '?':
		trig_usage(t);
		exit(2);
	default:
		return false;
	}
}

void trig_start(const struct trig *t)
{
	const char *slower = getenv("DWIRE_TEST_SLOWER"); /* an emulated machine takes so many times as long */
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		trig_die("sigprocmask");
	if (signal(SIGPIPE, SIG_IGN) == SIG_ERR)
		trig_die("signal SIGPIPE");
	alarm(t->seconds * (slower ? (unsigned int)trig_number(slower, 1, 100) : 1));
}

void trig_wait(const struct trig *t)
{
	if (t->wait)
		trig_wait_always();
}

void trig_wait_always(void)
{
	struct pollfd fds[2] = { { .fd = -1, .events = POLLIN }, { .fd = STDIN_FILENO, .events = POLLIN } };
	sigset_t set;
	char byte;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	fds[0].fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fds[0].fd < 0)
		trig_die("signalfd");
	trig_kv("ready", "1");
	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			trig_die("poll");
		if (fds[0].revents)
			break;
		if (!fds[1].revents)
			continue;
		if (read(STDIN_FILENO, &byte, 1) == 1)
			break;
		/* The tracer's stdin may be /dev/null: only SIGUSR1 is left then. */
		fds[1].fd = -1;
	}
	close(fds[0].fd);
}

void trig_kv(const char *key, const char *format, ...)
{
	va_list ap;

	printf("%s=", key);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
	if (fflush(stdout) != 0)
		trig_die("write to stdout");
}

void trig_die(const char *format, ...)
{
	int error = errno;
	va_list ap;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	if (error)
		fprintf(stderr, ": %s", strerror(error));
	fputc('\n', stderr);
	exit(1);
}

long trig_number(const char *text, long min, long max)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (end == text || *end || errno || value < min || value > max) {
		errno = 0;
		trig_die("'%s' is not a number from %ld to %ld", text, min, max);
	}
	return value;
}

void trig_sleep(unsigned int ms)
{
	struct timespec left = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

void trig_set_name(const char *name)
{
	if (prctl(PR_SET_NAME, name) < 0)
		trig_die("prctl PR_SET_NAME %s", name);
}

/* --- processes --- */

void trig_spawn(struct trig_proc *p, const char *name, trig_main *fn, void *arg)
{
	pid_t parent = getpid();
	int down[2], up[2];

	if (pipe(down) < 0 || pipe(up) < 0)
		trig_die("pipe");
	fflush(stdout);
	p->pid = fork();
	if (p->pid < 0)
		trig_die("fork");
	if (p->pid == 0) {
		close(down[1]);
		close(up[0]);
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
			trig_die("prctl PR_SET_PDEATHSIG");
		/* The parent may have died before the line above. */
		if (getppid() != parent)
			_exit(1);
		trig_set_name(name);
		_exit(fn(arg, down[0], up[1]));
	}
	close(down[0]);
	close(up[1]);
	p->to = down[1];
	p->from = up[0];
}

void trig_join(struct trig_proc *p)
{
	int status;

	close(p->to);
	close(p->from);
	while (waitpid(p->pid, &status, 0) < 0)
		if (errno != EINTR)
			trig_die("waitpid %d", (int)p->pid);
	errno = 0;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		trig_die("process %d failed (status %#x)", (int)p->pid, (unsigned int)status);
}

void trig_put(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size > 0) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			trig_die("write to a pipe");
		at += n;
		size -= (size_t)n;
	}
}

void trig_get(int fd, void *data, size_t size)
{
	char *at = data;

	while (size > 0) {
		ssize_t n = read(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EPIPE;
		if (n <= 0)
			trig_die("read from a pipe");
		at += n;
		size -= (size_t)n;
	}
}

/* --- sockets --- */

void trig_arrived(int fd, uint64_t datagrams)
{
	uint64_t got = 0, last = UINT64_MAX;

	for (int idle = 0; idle < 50; idle++) {
		uint32_t mem[SK_MEMINFO_VARS] = { 0 };
		socklen_t len = sizeof(mem);
		char byte;

		while (recv(fd, &byte, 1, MSG_DONTWAIT) >= 0)
			got++;
		if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, mem, &len) < 0)
			trig_die("SO_MEMINFO");
		if (got + mem[SK_MEMINFO_DROPS] >= datagrams)
			break;
		if (got + mem[SK_MEMINFO_DROPS] != last)
			idle = 0;
		last = got + mem[SK_MEMINFO_DROPS];
		trig_sleep(10);
	}
	errno = 0;
}

struct trig_addr trig_loopback(int family, uint16_t port)
{
	const char *instead = getenv(family == AF_INET6 ? "TRIG_ADDR6" : "TRIG_ADDR4");

	if (instead)
		return trig_address(instead, port);
	return trig_address(family == AF_INET6 ? "::1" : "127.0.0.1", port);
}

struct trig_addr trig_address(const char *text, uint16_t port)
{
	struct trig_addr a = { .len = 0 };
	struct sockaddr_in in4 = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };

	if (inet_pton(AF_INET, text, &in4.sin_addr) == 1) {
		memcpy(&a.ss, &in4, sizeof(in4));
		a.len = sizeof(in4);
	} else if (inet_pton(AF_INET6, text, &in6.sin6_addr) == 1) {
		memcpy(&a.ss, &in6, sizeof(in6));
		a.len = sizeof(in6);
	} else {
		errno = 0;
		trig_die("'%s' is not an address", text);
	}
	return a;
}

int trig_bound(int type, const struct trig_addr *a)
{
	int one = 1;
	int fd = socket(a->ss.ss_family, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		trig_die("socket");
	/* With it the kernel would give two UDP sockets the same port of its choice. */
	if (type == SOCK_STREAM && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) < 0)
		trig_die("SO_REUSEADDR");
	if (bind(fd, (const struct sockaddr *)&a->ss, a->len) < 0)
		trig_die("bind");
	return fd;
}

int trig_listen(const struct trig_addr *a, int backlog)
{
	int fd = trig_bound(SOCK_STREAM, a);

	if (listen(fd, backlog) < 0)
		trig_die("listen on port %u", trig_port(fd));
	return fd;
}

/* Without this a second small message could wait for the acknowledgement of the first and share its segment. */
static void set_nodelay(int fd)
{
	int one = 1;

	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) < 0)
		trig_die("TCP_NODELAY");
}

int trig_connect(const struct trig_addr *a)
{
	int fd = socket(a->ss.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		trig_die("socket");
	set_nodelay(fd);
	if (connect(fd, (const struct sockaddr *)&a->ss, a->len) < 0)
		trig_die("connect");
	return fd;
}

int trig_accept(int listener)
{
	int fd;

	do
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		trig_die("accept");
	set_nodelay(fd);
	return fd;
}

static uint16_t port_of(const struct sockaddr_storage *ss)
{
	struct sockaddr_in6 in6;

	/* The port lies at the same place in sockaddr_in. */
	memcpy(&in6, ss, sizeof(in6));
	return ntohs(in6.sin6_port);
}

uint16_t trig_port(int fd)
{
	struct sockaddr_storage ss = { .ss_family = AF_UNSPEC };
	socklen_t len = sizeof(ss);

	if (getsockname(fd, (struct sockaddr *)&ss, &len) < 0)
		trig_die("getsockname");
	return port_of(&ss);
}

uint16_t trig_peer_port(int fd)
{
	struct sockaddr_storage ss = { .ss_family = AF_UNSPEC };
	socklen_t len = sizeof(ss);

	if (getpeername(fd, (struct sockaddr *)&ss, &len) < 0)
		trig_die("getpeername");
	return port_of(&ss);
}

void trig_send(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size > 0) {
		ssize_t n = send(fd, at, size, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			trig_die("send");
		at += n;
		size -= (size_t)n;
	}
}

size_t trig_recv(int fd, void *data, size_t size)
{
	char *at = data;
	size_t done = 0;

	while (done < size) {
		ssize_t n = recv(fd, at + done, size - done, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			trig_die("recv");
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return done;
}

/* --- the echo --- */

static void add_info(struct trig_echo_result *r, int fd)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);

	memset(&info, 0, sizeof(info));
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
		trig_die("TCP_INFO");
	r->segs_out += info.tcpi_segs_out;
	r->segs_in += info.tcpi_segs_in;
	r->data_segs_out += info.tcpi_data_segs_out;
	r->data_segs_in += info.tcpi_data_segs_in;
	r->retransmits += info.tcpi_total_retrans;
}

static char *new_buffer(unsigned int bytes)
{
	char *buffer = malloc(bytes ? bytes : 1);

	if (!buffer)
		trig_die("malloc %u", bytes);
	memset(buffer, 'x', bytes);
	return buffer;
}

/* Serves one connection to its end. */
static void serve(const struct trig_echo *e, int fd, char *buffer, struct trig_echo_result *r)
{
	for (unsigned int i = 0; i < e->messages; i++) {
		if (trig_recv(fd, buffer, e->bytes) != e->bytes)
			trig_die("the client closed early");
		r->bytes_in += e->bytes;
		trig_sleep(e->delay_ms);
		trig_send(fd, buffer, e->bytes);
		r->bytes_out += e->bytes;
	}
	if (trig_recv(fd, buffer, 1) != 0)
		trig_die("more bytes than agreed");
	/* The acknowledgement of the FIN may be delayed; it is to be a segment of its own. */
	if (!e->quick)
		trig_sleep(TRIG_SETTLE_MS);
	add_info(r, fd);
	close(fd);
	r->segs_out += 2; /* SYN-ACK (the request socket sent it), FIN */
	r->segs_in += 1;  /* the acknowledgement of our FIN; the kernel's count has the SYN */
	r->connections++;
}

int trig_echo_server(void *arg, int in, int out)
{
	const struct trig_echo *e = arg;
	struct trig_echo_result r = { .connections = 0 };
	char *buffer = new_buffer(e->bytes ? e->bytes : 1);
	uint16_t port;
	int listener;
	char go;

	trig_get(in, &go, 1);
	listener = trig_listen(&e->addr, 64);
	port = trig_port(listener);
	trig_put(out, &port, sizeof(port));
	for (unsigned int i = 0; i < e->connections; i++)
		serve(e, trig_accept(listener), buffer, &r);
	/* Let the last acknowledgement arrive before the listener's own close shows up in a trace. */
	trig_sleep(e->delay_ms);
	close(listener);
	trig_put(out, &r, sizeof(r));
	free(buffer);
	return 0;
}

/* One connection of the client. */
static void converse(const struct trig_echo *e, const struct trig_addr *to, char *buffer, struct trig_echo_result *r)
{
	int fd = trig_connect(to);

	r->last_port = trig_port(fd);
	if (r->connections == 0)
		r->first_port = r->last_port;
	for (unsigned int i = 0; i < e->messages; i++) {
		trig_sleep(e->delay_ms);
		trig_send(fd, buffer, e->bytes);
		r->bytes_out += e->bytes;
		if (trig_recv(fd, buffer, e->bytes) != e->bytes)
			trig_die("the server closed early");
		r->bytes_in += e->bytes;
	}
	/* The acknowledgement of the last message is not to ride on the FIN. */
	if (!e->quick)
		trig_sleep(TRIG_SETTLE_MS);
	add_info(r, fd);
	close(fd);
	r->segs_out += 2; /* FIN, and from TIME_WAIT the acknowledgement of the server's FIN */
	r->segs_in += 2;  /* the acknowledgement of our FIN, the server's FIN */
	r->connections++;
}

int trig_echo_client(void *arg, int in, int out)
{
	const struct trig_echo *e = arg;
	struct trig_echo_result r = { .connections = 0 };
	struct trig_addr to = e->target;
	char *buffer = new_buffer(e->bytes);
	struct sockaddr_in6 in6;
	uint16_t port;
	char end;

	trig_get(in, &port, sizeof(port));
	memcpy(&in6, &to.ss, sizeof(in6));
	in6.sin6_port = htons(port); /* at the same place in sockaddr_in */
	memcpy(&to.ss, &in6, sizeof(in6));
	for (unsigned int i = 0; i < e->connections; i++)
		converse(e, &to, buffer, &r);
	trig_put(out, &r, sizeof(r));
	/* The server is still closing, and this process may be what keeps the client's network namespace alive. */
	trig_get(in, &end, 1);
	free(buffer);
	return 0;
}

static void print_result(const char *side, const struct trig_echo_result *r, bool quick)
{
	const struct {
		const char *key;
		uint64_t value;
	} rows[] = {
		{ "connections", r->connections },
		{ "bytes_out", r->bytes_out },
		{ "bytes_in", r->bytes_in },
		{ "data_segs_out", r->data_segs_out },
		{ "data_segs_in", r->data_segs_in },
		{ "retransmits", r->retransmits },
		/* Last: not known when the close was quick. */
		{ "segs_out", r->segs_out },
		{ "segs_in", r->segs_in },
	};
	size_t count = sizeof(rows) / sizeof(rows[0]) - (quick ? 2 : 0);

	for (size_t i = 0; i < count; i++) {
		char key[64];

		snprintf(key, sizeof(key), "%s_%s", side, rows[i].key);
		trig_kv(key, "%llu", (unsigned long long)rows[i].value);
	}
}

void trig_echo_run(const struct trig_echo *e, struct trig_proc *server, struct trig_proc *client)
{
	struct trig_echo_result rs, rc;
	uint16_t port;

	trig_put(server->to, "g", 1);
	trig_get(server->from, &port, sizeof(port));
	trig_kv("port", "%u", port);
	trig_put(client->to, &port, sizeof(port));
	trig_get(client->from, &rc, sizeof(rc));
	trig_get(server->from, &rs, sizeof(rs));
	trig_join(server);
	if (!e->quick)
		trig_sleep(TRIG_SETTLE_MS);
	trig_put(client->to, "e", 1);
	trig_join(client);
	trig_kv("client_port_first", "%u", rc.first_port);
	trig_kv("client_port_last", "%u", rc.last_port);
	print_result("client", &rc, e->quick);
	print_result("server", &rs, e->quick);
	if (e->quick)
		return;
	/* Both ends counted the same wire: a test may trust the numbers only if they agree. */
	trig_kv("consistent", "%d", rc.segs_out == rs.segs_in && rc.segs_in == rs.segs_out);
}
