/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One connection between two processes, made and used in a way of its own: fast open, SYN cookies, MPTCP, from
 * TIME_WAIT, transparent, bound to a device, half closed; sendfile, splice, io_uring, MSG_ZEROCOPY; a server that drops
 * privilege, a client that is gone before its bytes are; kTLS.
 * Output: the ports, the two pids, and how many bytes each side wrote.
 *
 * Needs a network namespace of its own, some ways root.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/errqueue.h>
#include <linux/io_uring.h>
#include <linux/tls.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trigger.h"

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#ifndef SO_ZEROCOPY
#define SO_ZEROCOPY 60
#endif
#ifndef MSG_ZEROCOPY
#define MSG_ZEROCOPY 0x4000000
#endif

enum { CLIENT_BYTES = 30000, SERVER_BYTES = 5000, LATE_BYTES = 400000 };
/* Each record has a head, a nonce and a tag: RFC 5246 6.2.3.3, RFC 5288 3. */
enum { TLS_RECORDS = 2, TLS_BYTES = CLIENT_BYTES + TLS_RECORDS * (5 + 8 + 16) };

static const char usage[] =
	"  -m WAY,...  write (default) sendfile splice uring uring-async zerocopy fastopen cookies timewait\n"
	"          mptcp mapped device transparent half privilege early ktls\n"
	"Prints: way client server (pids) port client_port client_bytes server_bytes uid; of several ways one after "
	"the\n"
	"other, at ports from 20000 on, which no client has by itself\n";

struct way {
	const char *name;
	int family, proto;
	struct trig_addr addr;
	uint16_t from; /* the client's own port; 0: any */
};

static char data[LATE_BYTES];

static void set(int fd, int level, int name, int value)
{
	if (setsockopt(fd, level, name, &value, sizeof(value)) < 0)
		trig_die("setsockopt %d %d", level, name);
}

static bool is(const struct way *w, const char *name)
{
	return !strcmp(w->name, name);
}

/* ---- how bytes are sent ------------------------------------------------------------------------------------------ */
static void by_sendfile(int fd, size_t size)
{
	int file = memfd_create("data", MFD_CLOEXEC);
	off_t at = 0;

	if (file < 0 || write(file, data, size) != (ssize_t)size)
		trig_die("memfd");
	while ((size_t)at < size)
		if (sendfile(fd, file, &at, size - (size_t)at) <= 0)
			trig_die("sendfile");
	close(file);
}

static void by_splice(int fd, size_t size)
{
	int p[2];

	if (pipe(p) < 0)
		trig_die("pipe");
	while (size) {
		size_t n = size < 4096 ? size : 4096;

		if (write(p[1], data, n) != (ssize_t)n || splice(p[0], NULL, fd, NULL, n, 0) != (ssize_t)n)
			trig_die("splice");
		size -= n;
	}
	close(p[0]);
	close(p[1]);
}

static void by_zerocopy(int fd, size_t size)
{
	char control[200];
	struct msghdr m = { .msg_control = control, .msg_controllen = sizeof(control) };
	struct pollfd p = { .fd = fd };

	set(fd, SOL_SOCKET, SO_ZEROCOPY, 1);
	for (size_t done = 0; done < size;) {
		ssize_t n = send(fd, data + done, size - done, MSG_ZEROCOPY);

		if (n <= 0)
			trig_die("send MSG_ZEROCOPY");
		done += (size_t)n;
	}
	/* the kernel says when it needs the memory no more */
	if (poll(&p, 1, 2000) != 1 || recvmsg(fd, &m, MSG_ERRQUEUE) < 0)
		trig_die("no notice of MSG_ZEROCOPY");
}

static void by_uring(int fd, size_t size, bool async)
{
	struct io_uring_params p = { 0 };
	int ring = (int)syscall(SYS_io_uring_setup, 4, &p);
	char *sq, *cq;
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;

	if (ring < 0)
		trig_die("io_uring_setup");
	sq = mmap(
		NULL, p.sq_off.array + p.sq_entries * 4, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(*cqe), PROT_READ | PROT_WRITE, MAP_SHARED, ring,
		IORING_OFF_CQ_RING);
	sqe = mmap(NULL, p.sq_entries * sizeof(*sqe), PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || (void *)sqe == MAP_FAILED)
		trig_die("io_uring mmap");
	*sqe = (struct io_uring_sqe){ .opcode = IORING_OP_SEND,
		.fd = fd,
		.addr = (uintptr_t)data,
		.len = (uint32_t)size,
		.msg_flags = MSG_WAITALL,
		.flags = async ? IOSQE_ASYNC : 0 };
	*(uint32_t *)(void *)(sq + p.sq_off.array) = 0;
	__atomic_store_n((uint32_t *)(void *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		trig_die("io_uring_enter");
	cqe = (struct io_uring_cqe *)(void *)(cq + p.cq_off.cqes);
	if (cqe->res != (int)size)
		trig_die("io_uring sent %d", cqe->res);
	close(ring);
}

/* The kernel encrypts; the other side reads what is on the wire. */
static void by_ktls(int fd)
{
	struct tls12_crypto_info_aes_gcm_128 key = { .info = { TLS_1_2_VERSION, TLS_CIPHER_AES_GCM_128 } };

	if (setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", sizeof("tls")) < 0)
		trig_die("no kTLS");
	if (setsockopt(fd, SOL_TLS, TLS_TX, &key, sizeof(key)) < 0)
		trig_die("TLS_TX");
	for (int i = 0; i < TLS_RECORDS; i++)
		trig_send(fd, data, CLIENT_BYTES / TLS_RECORDS);
}

static void send_in_way(const struct way *w, int fd)
{
	if (is(w, "sendfile"))
		by_sendfile(fd, CLIENT_BYTES);
	else if (is(w, "splice"))
		by_splice(fd, CLIENT_BYTES);
	else if (is(w, "zerocopy"))
		by_zerocopy(fd, CLIENT_BYTES);
	else if (is(w, "uring") || is(w, "uring-async"))
		by_uring(fd, CLIENT_BYTES, is(w, "uring-async"));
	else if (is(w, "ktls"))
		by_ktls(fd);
	else
		trig_send(fd, data, CLIENT_BYTES);
}

/* ---- the two sides ----------------------------------------------------------------------------------------------- */
static int new_socket(const struct way *w)
{
	int fd = socket(w->family, SOCK_STREAM, w->proto);

	if (fd < 0)
		trig_die("socket");
	set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (is(w, "device") && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3) < 0)
		trig_die("SO_BINDTODEVICE");
	if (is(w, "transparent"))
		set(fd, w->family == AF_INET ? IPPROTO_IP : IPPROTO_IPV6, w->family == AF_INET ? 19 : 75, 1);
	return fd;
}

static int connect_in_way(const struct way *w, size_t *sent)
{
	int fd = new_socket(w);
	struct trig_addr own;

	*sent = 0;
	if (w->from || is(w, "transparent")) {
		own = is(w, "transparent") ? trig_address(w->family == AF_INET ? "198.51.100.7" : "2001:db8:7::7", 0)
					   : trig_loopback(w->family, w->from);
		if (bind(fd, (struct sockaddr *)&own.ss, own.len) < 0)
			trig_die("bind");
	}
	if (is(w, "fastopen")) {
		ssize_t n = sendto(fd, data, 500, MSG_FASTOPEN, (const struct sockaddr *)&w->addr.ss, w->addr.len);

		if (n < 0)
			trig_die("sendto MSG_FASTOPEN");
		*sent = (size_t)n;
	} else if (connect(fd, (const struct sockaddr *)&w->addr.ss, w->addr.len) < 0) {
		trig_die("connect");
	}
	return fd;
}

static size_t drain(int fd)
{
	char room[4096];
	size_t all = 0;
	ssize_t n;

	while ((n = recv(fd, room, sizeof(room), 0)) > 0)
		all += (size_t)n;
	return all;
}

/* Sends, tells the end by closing one half, and reads what the server sends then. */
static int client(void *arg, int in, int out)
{
	struct way *w = arg;
	size_t before[2] = { 0 };
	uint16_t port;
	int fd;

	trig_get(in, &port, sizeof(port));
	((struct sockaddr_in *)(void *)&w->addr.ss)->sin_port = htons(port); /* at the same place in both families */
	fd = connect_in_way(w, &before[0]);
	before[1] = trig_port(fd);
	if (is(w, "early")) {
		before[0] = LATE_BYTES;
		set(fd, SOL_SOCKET, SO_SNDBUF, 2 * LATE_BYTES);
		trig_send(fd, data, LATE_BYTES);
		trig_put(out, before, sizeof(before));
		return 0;
	}
	send_in_way(w, fd);
	before[0] += is(w, "ktls") ? TLS_BYTES : CLIENT_BYTES;
	if (is(w, "mptcp"))
		trig_sleep(80); /* a second subflow is made by a thread of the kernel */
	if (!is(w, "timewait"))
		shutdown(fd, SHUT_WR);
	drain(fd);
	close(fd);
	trig_put(out, before, sizeof(before));
	return 0;
}

static void serve_half(const struct way *w, int fd)
{
	for (int i = 0; i < 5; i++) {
		if (i == 2 && is(w, "privilege") && setresuid(65534, 65534, 65534) < 0)
			trig_die("setresuid");
		trig_send(fd, data, SERVER_BYTES / 5);
		trig_sleep(5);
	}
}

static int server(void *arg, int in, int out)
{
	const struct way *w = arg;
	int listener = new_socket(w), one = 0, rounds = 1 + (is(w, "timewait") || is(w, "fastopen"));
	struct trig_addr any = w->addr;
	uint16_t port;
	char go;

	if (bind(listener, (struct sockaddr *)&any.ss, any.len) < 0)
		trig_die("bind");
	if (is(w, "fastopen"))
		set(listener, IPPROTO_TCP, TCP_FASTOPEN, 5);
	if (listen(listener, 5) < 0)
		trig_die("listen");
	port = trig_port(listener);
	trig_put(out, &port, sizeof(port));
	for (int i = 0; i < rounds; i++) {
		one = accept(listener, NULL, NULL);
		if (one < 0)
			trig_die("accept");
		if (is(w, "early"))
			trig_get(in, &go, 1);
		if (is(w, "timewait")) { /* closes first: TIME_WAIT is here */
			trig_recv(one, data, CLIENT_BYTES);
			serve_half(w, one);
			close(one);
			continue;
		}
		if (drain(one) != TLS_BYTES && is(w, "ktls"))
			trig_die("kTLS has other records");
		if (!is(w, "early"))
			serve_half(w, one);
		close(one);
	}
	return 0;
}

static void run(struct way *w, unsigned int rounds)
{
	struct trig_proc s, c;
	uint16_t port;
	size_t said[2], bytes = 0;

	trig_spawn(&s, "dw_server", server, w);
	trig_get(s.from, &port, sizeof(port));
	trig_kv("port", "%u", port);
	trig_kv("server", "%d", (int)s.pid);
	for (unsigned int i = 0; i < rounds; i++) {
		trig_spawn(&c, "dw_client", client, w);
		trig_put(c.to, &port, sizeof(port));
		trig_get(c.from, said, sizeof(said));
		bytes = said[0];
		if (is(w, "timewait"))
			w->from = (uint16_t)said[1];
		trig_join(&c);
		trig_kv("client", "%d", (int)c.pid);
		trig_kv("client_port", "%zu", said[1]);
		trig_kv("client_bytes", "%zu", bytes);
	}
	if (is(w, "early"))
		trig_put(s.to, "", 1);
	trig_join(&s);
	trig_kv("server_bytes", "%d", is(w, "early") ? 0 : SERVER_BYTES);
	trig_sleep(50);
}

static void take_way(const char *name, int family, uint16_t port)
{
	struct way w = { .name = name, .family = family };

	w.proto = is(&w, "mptcp") ? IPPROTO_MPTCP : 0;
	w.addr = trig_loopback(family, port);
	if (is(&w, "mapped")) {
		w.family = AF_INET6;
		w.addr = trig_address("::ffff:127.0.0.1", port);
	}
	if (is(&w, "transparent"))
		w.addr = trig_address(family == AF_INET ? "192.0.2.1" : "2001:db8:2::1", port);
	trig_kv("way", "%s", name);
	run(&w, is(&w, "timewait") || is(&w, "fastopen") ? 2 : 1);
}

int main(int argc, char **argv)
{
	static char one[] = "write";
	char *names = one;
	uint16_t port = 0;
	struct trig t;
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "m:")) != -1) {
		if (c == 'm')
			names = optarg;
		else if (!trig_option(&t, c, optarg))
			trig_usage(&t);
	}
	trig_start(&t);
	trig_wait(&t);
	if (strchr(names, ','))
		port = 20000;
	for (const char *name = strtok(names, ","); name; name = strtok(NULL, ","))
		take_way(name, t.family, port ? port++ : 0);
	return 0;
}
