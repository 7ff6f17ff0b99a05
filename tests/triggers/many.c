/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many processes that open, serve, accept, fork, pass and close TCP connections and UDP sockets on loopback at once.
 * Output: for each process that there was its name and the payload bytes and datagrams that it sent and got.
 *
 * Who sends first on a socket has it: every holder of a connection greets its client before the client
 * sends, so each byte that comes in has one right owner.  Groups alternate between IPv4 and IPv6.  The counters are in
 * shared memory; each process writes its own, but for retransmissions, which the other side got as well.
 */
#include <errno.h>
#include <linux/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trigger.h"

static const char usage[] = "  -n PROCESSES  about so many at a time (default 20, at most 200)\n"
			    "  -c CONNECTIONS  of each client (default 10)\n"
			    "  -m MESSAGES  of each holder of a connection; of UDP in all (default 4)\n"
			    "  -N  servers send small messages late (no TCP_NODELAY)\n"
			    "  -k KIND  groups of one kind only: plain, workers, pass, fork, udp, share\n"
			    "Kinds: plain: a server, a client.  workers: two processes accept on one listener.\n"
			    "pass: the accepting process hands the connection on (SCM_RIGHTS).  fork: a process for\n"
			    "each connection.  udp: the creator of a socket hands it on.  share: three processes send\n"
			    "on one UDP socket at once.  IPv4 and IPv6 in turn, -4 and -6 are ignored.\n"
			    "Prints: processes retransmitted connections datagrams tcp_bytes udp_bytes, and for each\n"
			    "process side_PID (and where its group's server is) name_PID tcp_out_PID tcp_in_PID "
			    "udp_out_PID udp_in_PID datagrams_out_PID\n"
			    "datagrams_in_PID.\n";

enum { MAX_SLOTS = 20000, MAX_GROUPS = 100, MAX_BYTES = 60000, POLL_MS = 20 };
enum kind { PLAIN, WORKERS, PASS, FORK, UDP, SHARE, KINDS };

static const char *const kind_names[KINDS] = { "plain", "workers", "pass", "fork", "udp", "share" };
static const unsigned int kind_processes[KINDS] = { 2, 4, 3, 3, 3, 4 };

struct group;

struct slot {
	pid_t pid;
	char name[16];
	const struct group *group;
	bool client;
	uint64_t tcp_out, tcp_in, udp_out, udp_in, datagrams_out, datagrams_in;
};

struct group {
	enum kind kind;
	int family;
	uint16_t port, client_port; /* 0: not yet */
	unsigned int client_slot;   /* set before client_port */
	bool done;                  /* the client is */
};

struct shared {
	unsigned int nslots;
	uint64_t retransmitted, connections;
	unsigned int nconnections, nmessages; /* options */
	bool nagle;
	struct group groups[MAX_GROUPS];
	struct slot slots[MAX_SLOTS];
};

/* What one process works with. */
struct self {
	struct shared *s;
	struct group *g;
	unsigned int slot;
	uint64_t random;
	char *buffer;
};

struct hello {
	uint32_t slot;
};

struct request {
	uint32_t up, down; /* bytes of this message, its head included, and of the answer */
};

/* --- the process itself --- */

static struct slot *mine(const struct self *me)
{
	return &me->s->slots[me->slot];
}

static void add(uint64_t *counter, uint64_t n)
{
	__atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

/* The calling process takes a slot and a name of its own. */
static void become(struct self *me, struct shared *s, struct group *g)
{
	unsigned int slot = __atomic_fetch_add(&s->nslots, 1, __ATOMIC_RELAXED);

	if (slot >= MAX_SLOTS)
		trig_die("more than %d processes", MAX_SLOTS);
	me->s = s;
	me->g = g;
	me->slot = slot;
	me->random = slot * 2654435761u + 12345;
	if (!me->buffer) {
		me->buffer = malloc(MAX_BYTES);
		if (!me->buffer)
			trig_die("malloc");
		memset(me->buffer, 'm', MAX_BYTES);
	}
	snprintf(mine(me)->name, sizeof(mine(me)->name), "dwm_%s_%u", kind_names[g->kind], slot);
	trig_set_name(mine(me)->name);
	mine(me)->group = g;
	mine(me)->pid = getpid();
}

/* True in the child, which is a process of its own then. */
static bool fork_one(struct self *me, pid_t *pid)
{
	pid_t parent = getpid();

	*pid = fork();
	if (*pid < 0)
		trig_die("fork");
	if (*pid)
		return false;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		trig_die("prctl PR_SET_PDEATHSIG");
	if (getppid() != parent)
		_exit(1);
	become(me, me->s, me->g);
	return true;
}

static void reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			trig_die("waitpid %d", (int)pid);
	errno = 0;
	if (status != 0)
		trig_die("process %d failed (status %#x)", (int)pid, (unsigned int)status);
}

static uint32_t some_bytes(struct self *me, uint32_t min)
{
	uint32_t r;

	me->random = me->random * 6364136223846793005u + 1442695040888963407u;
	r = (uint32_t)(me->random >> 33);
	return min + (r & 7 ? (r >> 3) % 1400 : (r >> 3) % (MAX_BYTES - 100));
}

static bool done(const struct self *me)
{
	return __atomic_load_n(&me->g->done, __ATOMIC_ACQUIRE);
}

/* Waits until something can be read, or the group has done its work: false. */
static bool wait_readable(const struct self *me, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	for (;;) {
		int n = poll(&p, 1, POLL_MS);

		if (n > 0)
			return true;
		if (n < 0 && errno != EINTR)
			trig_die("poll");
		if (done(me))
			return false;
	}
}

static uint16_t wait_port(const uint16_t *port)
{
	uint16_t p;

	while (!(p = __atomic_load_n(port, __ATOMIC_ACQUIRE)))
		trig_sleep(1);
	return p;
}

static void publish(uint16_t *port, int fd)
{
	__atomic_store_n(port, trig_port(fd), __ATOMIC_RELEASE);
}

/* --- TCP --- */

static void send_tcp(struct self *me, int fd, const void *data, size_t size)
{
	trig_send(fd, data, size);
	add(&mine(me)->tcp_out, size);
}

static void recv_tcp(struct self *me, int fd, void *data, size_t size)
{
	if (trig_recv(fd, data, size) != size)
		trig_die("the other side closed early");
	add(&mine(me)->tcp_in, size);
}

static uint64_t bytes_retransmitted(int fd)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);

	memset(&info, 0, sizeof(info));
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
		trig_die("TCP_INFO");
	return info.tcpi_bytes_retrans;
}

/* What was sent twice on the socket since *before went out of this process twice, and into the other. */
static void add_retransmitted(struct self *me, int fd, unsigned int other, uint64_t *before)
{
	uint64_t now = bytes_retransmitted(fd), n = now - *before;

	add(&mine(me)->tcp_out, n);
	add(&me->s->slots[other].tcp_in, n);
	add(&me->s->retransmitted, n);
	*before = now;
}

/* Small messages go at once, or wait for what was sent before to be acknowledged (-N). */
static void set_nodelay(const struct self *me, int fd)
{
	int on = !me->s->nagle;

	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) < 0)
		trig_die("TCP_NODELAY");
}

/* This process holds the connection: it says so and answers the messages.  last: nobody holds it after. */
static void hold(struct self *me, int fd, bool last)
{
	struct hello h = { .slot = me->slot }, client;
	uint64_t before = bytes_retransmitted(fd);
	struct request r;

	set_nodelay(me, fd);
	send_tcp(me, fd, &h, sizeof(h));
	recv_tcp(me, fd, &client, sizeof(client));
	for (unsigned int i = 0; i < me->s->nmessages; i++) {
		recv_tcp(me, fd, &r, sizeof(r));
		recv_tcp(me, fd, me->buffer, r.up - sizeof(r));
		send_tcp(me, fd, me->buffer, r.down);
	}
	if (last && trig_recv(fd, me->buffer, 1) != 0)
		trig_die("more bytes than agreed");
	add_retransmitted(me, fd, client.slot, &before);
}

static void converse(struct self *me, int fd, uint64_t *retransmitted)
{
	struct hello h, own = { .slot = me->slot };
	struct request r;

	recv_tcp(me, fd, &h, sizeof(h));
	send_tcp(me, fd, &own, sizeof(own));
	for (unsigned int i = 0; i < me->s->nmessages; i++) {
		r.up = some_bytes(me, sizeof(r));
		r.down = some_bytes(me, 1);
		memcpy(me->buffer, &r, sizeof(r));
		send_tcp(me, fd, me->buffer, r.up);
		recv_tcp(me, fd, me->buffer, r.down);
	}
	add_retransmitted(me, fd, h.slot, retransmitted);
}

static void tcp_client(struct self *me)
{
	uint16_t port = wait_port(&me->g->port);
	struct trig_addr to = trig_loopback(me->g->family, port);

	for (unsigned int i = 0; i < me->s->nconnections; i++) {
		int fd = trig_connect(&to);
		uint64_t retransmitted = 0;

		converse(me, fd, &retransmitted);
		if (me->g->kind == PASS)
			converse(me, fd, &retransmitted);
		close(fd);
		add(&me->s->connections, 1);
	}
}

static int make_listener(struct self *me)
{
	struct trig_addr at = trig_loopback(me->g->family, 0);

	return trig_listen(&at, 64);
}

/* The next connection, or -1 when the group is done.  Another process may be quicker: the listener does not block. */
static int next_connection(struct self *me, int listener)
{
	while (wait_readable(me, listener)) {
		int fd = accept(listener, NULL, NULL);

		if (fd >= 0)
			return fd;
		if (errno != EAGAIN && errno != EINTR)
			trig_die("accept");
	}
	return -1;
}

static void no_block(int fd)
{
	int on = 1;

	if (ioctl(fd, FIONBIO, &on) < 0)
		trig_die("FIONBIO");
}

static void accept_and_hold(struct self *me, int listener)
{
	int fd;

	while ((fd = next_connection(me, listener)) >= 0) {
		hold(me, fd, true);
		close(fd);
	}
}

static void plain_server(struct self *me)
{
	int listener = make_listener(me);

	no_block(listener);
	publish(&me->g->port, listener);
	accept_and_hold(me, listener);
	close(listener);
}

static void workers_server(struct self *me)
{
	int listener = make_listener(me);
	pid_t pids[2];

	no_block(listener);
	for (int i = 0; i < 2; i++)
		if (fork_one(me, &pids[i])) {
			accept_and_hold(me, listener);
			_exit(0);
		}
	publish(&me->g->port, listener);
	for (int i = 0; i < 2; i++)
		reap(pids[i]);
	close(listener);
}

static void fork_server(struct self *me)
{
	int listener = make_listener(me), fd;
	pid_t pid;

	no_block(listener);
	publish(&me->g->port, listener);
	while ((fd = next_connection(me, listener)) >= 0) {
		if (fork_one(me, &pid)) {
			close(listener);
			hold(me, fd, true);
			_exit(0);
		}
		close(fd);
		reap(pid);
	}
	close(listener);
}

/* --- passing --- */

static void pass_fd(int to, int fd)
{
	char control[CMSG_SPACE(sizeof(int))], byte = 'f';
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
	};
	struct cmsghdr *c;

	memset(control, 0, sizeof(control));
	c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	if (sendmsg(to, &m, 0) != 1)
		trig_die("sendmsg SCM_RIGHTS");
}

static int take_fd(int from)
{
	char control[CMSG_SPACE(sizeof(int))], byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)
	};
	struct cmsghdr *c;
	int fd;

	if (recvmsg(from, &m, 0) != 1 || !(c = CMSG_FIRSTHDR(&m)))
		trig_die("recvmsg SCM_RIGHTS");
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/* Forks the process that takes over; *to is where the caller passes descriptors. True in the new process. */
static bool fork_heir(struct self *me, int *to, int *from, pid_t *pid)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		trig_die("socketpair");
	*to = pair[0];
	*from = pair[1];
	return fork_one(me, pid);
}

static void pass_server(struct self *me)
{
	int listener, fd, to, from;
	pid_t pid;

	if (fork_heir(me, &to, &from, &pid)) {
		while (wait_readable(me, from)) {
			fd = take_fd(from);
			hold(me, fd, true);
			close(fd);
		}
		_exit(0);
	}
	listener = make_listener(me);
	no_block(listener);
	publish(&me->g->port, listener);
	while ((fd = next_connection(me, listener)) >= 0) {
		hold(me, fd, false);
		pass_fd(to, fd);
		close(fd);
	}
	close(listener);
	reap(pid);
}

/* --- UDP --- */

static void send_udp(struct self *me, int fd, const void *data, size_t size, const struct trig_addr *to)
{
	if (sendto(fd, data, size, 0, (const struct sockaddr *)&to->ss, to->len) != (ssize_t)size)
		trig_die("sendto");
	mine(me)->udp_out += size;
	mine(me)->datagrams_out++;
}

static void recv_udp(struct self *me, int fd)
{
	ssize_t n = recv(fd, me->buffer, MAX_BYTES, 0);

	if (n < 0)
		trig_die("recv");
	mine(me)->udp_in += (uint64_t)n;
	mine(me)->datagrams_in++;
}

static int make_udp(const struct self *me)
{
	struct trig_addr at = trig_loopback(me->g->family, 0);

	return trig_bound(SOCK_DGRAM, &at);
}

/* The creator of the socket passes it on, and keeps it; the heir greets and answers. */
static void udp_server(struct self *me)
{
	int fd, to, from;
	pid_t pid;

	if (fork_heir(me, &to, &from, &pid)) {
		struct trig_addr client = trig_loopback(me->g->family, wait_port(&me->g->client_port));

		fd = take_fd(from);
		send_udp(me, fd, "hello", 5, &client);
		while (wait_readable(me, fd)) {
			recv_udp(me, fd);
			send_udp(me, fd, me->buffer, some_bytes(me, 0), &client);
		}
		_exit(0);
	}
	fd = make_udp(me);
	publish(&me->g->port, fd);
	pass_fd(to, fd);
	reap(pid);
	close(fd);
}

static void udp_client(struct self *me)
{
	int fd = make_udp(me);
	struct trig_addr to = trig_loopback(me->g->family, wait_port(&me->g->port));

	publish(&me->g->client_port, fd);
	recv_udp(me, fd);
	for (unsigned int i = 0; i < me->s->nconnections * me->s->nmessages; i++) {
		send_udp(me, fd, me->buffer, some_bytes(me, 0), &to);
		recv_udp(me, fd);
	}
	close(fd);
}

static void send_shared(struct self *me, int fd)
{
	struct trig_addr to = trig_loopback(me->g->family, wait_port(&me->g->client_port));

	struct slot *client = &me->s->slots[me->g->client_slot];

	for (unsigned int i = 0; i < me->s->nconnections * me->s->nmessages; i++) {
		uint32_t size = some_bytes(me, 0) % 1000;

		send_udp(me, fd, me->buffer, size, &to);
		add(&client->udp_in, size);
		add(&client->datagrams_in, 1);
	}
}

/* Three processes send on one socket.  The client reads late: what is dropped there has arrived. */
static void share_server(struct self *me)
{
	int fd = make_udp(me);
	pid_t pids[2];

	for (int i = 0; i < 2; i++)
		if (fork_one(me, &pids[i])) {
			send_shared(me, fd);
			_exit(0);
		}
	publish(&me->g->port, fd);
	send_shared(me, fd);
	for (int i = 0; i < 2; i++)
		reap(pids[i]);
	close(fd);
}

static void share_client(struct self *me, int in)
{
	int fd = make_udp(me);
	char byte;

	me->g->client_slot = me->slot;
	publish(&me->g->client_port, fd);
	trig_get(in, &byte, 1); /* the senders have done */
	trig_arrived(fd, mine(me)->datagrams_in);
	close(fd);
}

/* --- the groups --- */

struct job {
	struct shared *s;
	struct group *g;
};

static int server_main(void *arg, int in, int out)
{
	static void (*const mains[KINDS])(
		struct self *) = { plain_server, workers_server, pass_server, fork_server, udp_server, share_server };
	const struct job *j = arg;
	struct self me = { .buffer = NULL };

	(void)in;
	(void)out;
	become(&me, j->s, j->g);
	mains[j->g->kind](&me);
	free(me.buffer);
	return 0;
}

static int client_main(void *arg, int in, int out)
{
	const struct job *j = arg;
	struct self me = { .buffer = NULL };

	(void)out;
	become(&me, j->s, j->g);
	mine(&me)->client = true;
	if (j->g->kind == SHARE)
		share_client(&me, in);
	else if (j->g->kind == UDP)
		udp_client(&me);
	else
		tcp_client(&me);
	__atomic_store_n(&j->g->done, true, __ATOMIC_RELEASE);
	free(me.buffer);
	return 0;
}

static void print_all(const struct shared *s)
{
	uint64_t tcp = 0, udp = 0, datagrams = 0;

	for (unsigned int i = 0; i < s->nslots; i++) {
		const struct slot *p = &s->slots[i];
		const struct {
			const char *key;
			uint64_t value;
		} rows[] = {
			{ "tcp_out", p->tcp_out },
			{ "tcp_in", p->tcp_in },
			{ "udp_out", p->udp_out },
			{ "udp_in", p->udp_in },
			{ "datagrams_out", p->datagrams_out },
			{ "datagrams_in", p->datagrams_in },
		};

		printf("name_%d=%s\n", (int)p->pid, p->name);
		printf("side_%d=%s %s%d:%u\n", (int)p->pid, p->client ? "client" : "server",
			p->group->kind < UDP ? "tcp" : "udp", p->group->family == AF_INET ? 4 : 6, p->group->port);
		for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++)
			printf("%s_%d=%llu\n", rows[k].key, (int)p->pid, (unsigned long long)rows[k].value);
		tcp += p->tcp_out;
		udp += p->udp_out;
		datagrams += p->datagrams_out;
	}
	trig_kv("processes", "%u", s->nslots);
	trig_kv("retransmitted", "%llu", (unsigned long long)s->retransmitted);
	trig_kv("connections", "%llu", (unsigned long long)s->connections);
	trig_kv("datagrams", "%llu", (unsigned long long)datagrams);
	trig_kv("tcp_bytes", "%llu", (unsigned long long)tcp);
	trig_kv("udp_bytes", "%llu", (unsigned long long)udp);
}

static void run_all(const struct trig *t, struct shared *s, unsigned int ngroups)
{
	struct trig_proc servers[MAX_GROUPS], clients[MAX_GROUPS];
	struct job jobs[MAX_GROUPS];

	trig_wait(t);
	for (unsigned int i = 0; i < ngroups; i++) {
		jobs[i] = (struct job){ .s = s, .g = &s->groups[i] };
		trig_spawn(&servers[i], "dwm_server", server_main, &jobs[i]);
		trig_spawn(&clients[i], "dwm_client", client_main, &jobs[i]);
	}
	for (unsigned int i = 0; i < ngroups; i++) {
		if (s->groups[i].kind == SHARE) {
			trig_join(&servers[i]);
			trig_put(clients[i].to, "q", 1);
			trig_join(&clients[i]);
			continue;
		}
		trig_join(&clients[i]);
		trig_join(&servers[i]);
	}
	print_all(s);
}

static unsigned int make_groups(struct shared *s, unsigned int processes, int only)
{
	unsigned int n = 0;

	for (unsigned int left = processes; left > 0 && n < MAX_GROUPS; n++) {
		struct group *g = &s->groups[n];

		g->kind = only < 0 ? (enum kind)(n % KINDS) : (enum kind)only;
		g->family = (n / (only < 0 ? KINDS : 1)) % 2 ? AF_INET6 : AF_INET;
		left = left > kind_processes[g->kind] ? left - kind_processes[g->kind] : 0;
	}
	return n;
}

static int find_kind(const char *name)
{
	for (int i = 0; i < KINDS; i++)
		if (!strcmp(kind_names[i], name))
			return i;
	errno = 0;
	trig_die("no kind '%s'", name);
}

int main(int argc, char **argv)
{
	struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int processes = 20;
	struct trig t;
	int c, only = -1;

	trig_init(&t, argv[0], usage);
	if (s == MAP_FAILED)
		trig_die("mmap");
	s->nconnections = 10;
	s->nmessages = 4;
	while ((c = getopt(argc, argv, TRIG_OPTIONS "n:c:m:k:N")) != -1) {
		if (trig_option(&t, c, optarg))
			continue;
		if (c == 'n')
			processes = (unsigned int)trig_number(optarg, 1, 200);
		else if (c == 'c')
			s->nconnections = (unsigned int)trig_number(optarg, 1, 100000);
		else if (c == 'm')
			s->nmessages = (unsigned int)trig_number(optarg, 1, 100000);
		else if (c == 'N')
			s->nagle = true;
		else
			only = find_kind(optarg);
	}
	trig_start(&t);
	run_all(&t, s, make_groups(s, processes, only));
	return 0;
}
