/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TCP against a peer that is made by hand behind a TUN device: losses, segments out of order, closed windows, bad
 * checksums, full listeners, each at will.  Output: what the peer sent and what it saw on the wire, by kind.
 *
 * Needs a network namespace of its own.
 */
#include <errno.h>
#include <netinet/tcp.h>

#include "tun.h"

static const char usage[] = "  -m MODE  data: in order, again, out of order, bad checksum, windows of 0 (default)\n"
			    "           tlp, rto, fast, synack, syn: segments that are sent again\n"
			    "           states: a reset in each state\n"
			    "           zero: a window that closes\n"
			    "           listen: SYNs for a full listener\n"
			    "           abort: resets for a handshake and for a connection, a SYN in a connection\n"
			    "Prints: pid port peer_port out_segs out_data_segs out_bytes out_again out_again_bytes "
			    "out_zero out_rst synacks\n"
			    "and of the mode: inorder_segs inorder_bytes dup_segs dup_bytes unorder_segs unorder_bytes "
			    "bad zero_in overflows\n"
			    "total_retrans total_rto.\n";

enum { FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16, PEER_PORT = 4000, WINDOW = 60000 };

struct peer {
	struct tun tun;
	uint16_t port;      /* the host's */
	uint16_t peer_port; /* ours */
	uint32_t seq;       /* our next */
	uint32_t ack;       /* what we have acknowledged: the host's next */
	uint32_t edge;      /* how far the host lets us send */
	uint32_t top;       /* highest number of the host's that we have seen */
	bool sack;          /* offer SACK in the SYN */
	struct {
		uint64_t segs, data_segs, bytes, again, again_bytes, zero, rst, synacks;
	} out;
};

/* Options: up to 12 bytes; flags in the low byte, a wrong checksum with BAD. */
enum { BAD = 0x100 };

static void put(struct peer *p, unsigned int flags, uint32_t seq, uint32_t ack, unsigned int window, size_t len,
	const uint8_t *options, size_t nopt)
{
	uint8_t buf[2048];
	size_t head = tun_header(&p->tun, buf, IPPROTO_TCP, 20 + nopt + len), size = 20 + nopt + len;
	uint8_t *th = buf + head;

	memset(th, 0, 20);
	tun_put16(th, p->peer_port);
	tun_put16(th + 2, p->port);
	tun_put32(th + 4, seq);
	tun_put32(th + 8, flags & ACK ? ack : 0);
	th[12] = (uint8_t)((20 + nopt) / 4 << 4);
	th[13] = (uint8_t)flags;
	tun_put16(th + 14, window);
	if (nopt)
		memcpy(th + 20, options, nopt);
	memset(th + 20 + nopt, 'd', len);
	tun_put16(th + 16, (uint32_t)tun_checksum(&p->tun, IPPROTO_TCP, th, size) ^ (flags & BAD ? 0x5555u : 0));
	tun_write(&p->tun, buf, head + size);
}

static void say(struct peer *p, unsigned int flags, uint32_t seq, size_t len)
{
	put(p, flags, seq, p->ack, WINDOW, len, NULL, 0);
}

/* Takes one segment off the wire and counts it; returns its flags, 0: none came. */
static unsigned int hear(struct peer *p, unsigned int ms)
{
	uint8_t buf[70000], *th;
	size_t size = tun_read(&p->tun, IPPROTO_TCP, ms, buf, sizeof(buf), &th), len;
	uint32_t seq;
	unsigned int flags;

	if (size < 20)
		return 0;
	seq = tun_get32(th + 4);
	flags = th[13];
	len = size - (size_t)(th[12] >> 4) * 4;
	p->port = (uint16_t)tun_get16(th);
	p->out.segs++;
	p->out.data_segs += len > 0;
	p->out.bytes += len;
	p->out.rst += (flags & RST) != 0;
	p->edge = tun_get32(th + 8) + tun_get16(th + 14);
	p->out.synacks += (flags & (SYN | ACK)) == (SYN | ACK);
	p->out.zero += !(flags & (RST | SYN)) && tun_get16(th + 14) == 0;
	if (flags & SYN) {
		p->ack = seq + 1;
		if (p->top == seq + 1)
			p->out.again++;
		p->top = seq + 1;
	} else if (len > 0) {
		if ((int32_t)(seq - p->top) < 0) {
			p->out.again++;
			p->out.again_bytes += len;
		}
		if ((int32_t)(seq + len - p->top) > 0)
			p->top = seq + (uint32_t)len;
	}
	return flags;
}

static void drain(struct peer *p, unsigned int ms)
{
	while (hear(p, ms))
		;
}

static void ack_all(struct peer *p)
{
	p->ack = p->top;
	say(p, ACK, p->seq, 0);
}

static int listen_at(const struct peer *p, int backlog)
{
	struct trig_addr a = trig_address(tun_address(p->tun.family, true), 0);

	return trig_listen(&a, backlog);
}

/* SYN, SYN-ACK: the peer's side; no ACK. */
static void knock(struct peer *p, uint16_t from)
{
	static const uint8_t options[] = { 2, 4, 1000 >> 8, 1000 & 255, 4, 2, 1, 1 };

	p->peer_port = from;
	p->seq = 1000000u + from;
	p->top = 0;
	put(p, SYN, p->seq, 0, WINDOW, 0, options, p->sack ? sizeof(options) : 4);
	p->seq++;
}

static int connection(struct peer *p, int listener)
{
	int fd, one = 1;

	p->port = trig_port(listener);
	knock(p, PEER_PORT);
	if (hear(p, 1000) != (SYN | ACK))
		trig_die("no SYN-ACK");
	say(p, ACK, p->seq, 0);
	fd = trig_accept(listener);
	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) < 0)
		trig_die("TCP_NODELAY");
	return fd;
}

static void tell_retrans(int fd)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0)
		trig_die("TCP_INFO");
	trig_kv("total_retrans", "%u", info.tcpi_total_retrans);
}

/* ---- modes ------------------------------------------------------------------------------------------------------- */
static void mode_data(struct peer *p)
{
	int listener = listen_at(p, 5), fd = connection(p, listener);
	char data[1000];

	for (int i = 0; i < 3; i++, p->seq += 100)
		say(p, ACK | PSH, p->seq, 100);
	say(p, ACK | PSH, p->seq - 100, 100); /* again */
	say(p, ACK | PSH, p->seq - 200, 200); /* again, longer */
	say(p, ACK | PSH, p->seq + 50, 70);   /* ahead */
	say(p, ACK | PSH, p->seq + 200, 30);  /* further ahead */
	say(p, ACK | PSH | BAD, p->seq, 50);  /* never arrives */
	say(p, ACK | PSH, p->seq, 50);        /* closes the first gap */
	say(p, ACK | PSH, p->seq + 120, 80);  /* and the second */
	p->seq += 230;
	say(p, ACK | PSH, p->seq - 50, 100); /* half of it again */
	p->seq += 50;
	say(p, ACK | PSH, p->seq + 100000, 10);     /* far beyond the window */
	put(p, ACK, p->seq, p->ack, 0, 0, NULL, 0); /* our window is closed, twice said, and open again */
	put(p, ACK, p->seq, p->ack, 0, 0, NULL, 0);
	say(p, ACK, p->seq, 0);
	drain(p, 60);
	if (trig_recv(fd, data, 580) != 580)
		trig_die("580 bytes should have come");
	trig_send(fd, data, 300);
	drain(p, 30);
	ack_all(p);
	trig_kv("inorder_segs", "5"), trig_kv("inorder_bytes", "430");
	trig_kv("dup_segs", "2"), trig_kv("dup_bytes", "300");
	trig_kv("unorder_segs", "2"), trig_kv("unorder_bytes", "100");
	trig_kv("part_segs", "1"), trig_kv("part_bytes", "50");
	trig_kv("past_segs", "1"), trig_kv("past_bytes", "10");
	trig_kv("bad", "1"), trig_kv("zero_in", "2");
	close(fd);
	close(listener);
	drain(p, 30);
	say(p, RST | ACK, p->seq, 0);
	drain(p, 30);
}

/* Messages that are lost until the peer has had enough of the same. */
static void mode_lost(struct peer *p, unsigned int messages, uint64_t again, unsigned int ms)
{
	int listener = listen_at(p, 5), fd = connection(p, listener);
	char data[100] = { 0 };

	for (unsigned int i = 0; i < messages; i++)
		trig_send(fd, data, sizeof(data));
	while (p->out.again < again && hear(p, ms))
		;
	ack_all(p);
	drain(p, 30);
	tell_retrans(fd);
	p->peer_port = PEER_PORT;
	say(p, RST | ACK, p->seq, 0);
	drain(p, 30);
	close(fd);
	close(listener);
}

/* Ten messages, the first three of them lost: the others are acknowledged selectively. */
static void mode_fast(struct peer *p)
{
	uint8_t sack[12] = { 1, 1, 5, 10 };
	int listener, fd;
	char data[100] = { 0 };
	uint32_t first;

	p->sack = true;
	listener = listen_at(p, 5);
	fd = connection(p, listener);
	first = p->ack;
	for (unsigned int i = 0; i < 10; i++)
		trig_send(fd, data, sizeof(data));
	for (unsigned int i = 0; i < 10; i++)
		if (!hear(p, 200))
			trig_die("ten messages should have come");
	for (uint32_t i = 4; i <= 10; i++) {
		tun_put32(sack + 4, first + 300);
		tun_put32(sack + 8, first + 100 * i);
		put(p, ACK, p->seq, first, WINDOW, 0, sack, sizeof(sack));
	}
	while (p->out.again < 3 && hear(p, 100))
		;
	ack_all(p);
	drain(p, 30);
	tell_retrans(fd);
	say(p, RST | ACK, p->seq, 0);
	drain(p, 30);
	close(fd);
	close(listener);
}

static void mode_synack(struct peer *p)
{
	int listener = listen_at(p, 5), fd;

	p->port = trig_port(listener);
	knock(p, PEER_PORT);
	while (p->out.synacks < 2 && hear(p, 1500))
		;
	say(p, ACK, p->seq, 0);
	fd = trig_accept(listener);
	drain(p, 30);
	say(p, RST | ACK, p->seq, 0);
	drain(p, 30);
	close(fd);
	close(listener);
}

/* A connection that the peer refuses: the first SYN, or one that is sent again. */
static void refuse(struct peer *p, bool again)
{
	struct trig_addr a = trig_address(tun_address(p->tun.family, false), PEER_PORT);
	int fd = socket(p->tun.family, SOCK_STREAM | SOCK_NONBLOCK, 0);

	p->peer_port = PEER_PORT;
	if (fd < 0 || (connect(fd, (struct sockaddr *)&a.ss, a.len) < 0 && errno != EINPROGRESS))
		trig_die("connect");
	while (!(hear(p, 1500) & SYN) || (again && !p->out.again))
		;
	put(p, RST | ACK, 0, p->ack, 0, 0, NULL, 0);
	drain(p, 30);
	close(fd);
}

/* A reader that does not read: segments until the host's window is closed, and once more. */
static void mode_zero(struct peer *p)
{
	int listener = listen_at(p, 5), fd, room = 4608;
	uint64_t sent = 0;
	uint32_t len;
	char data[1000];

	if (setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)) < 0)
		trig_die("SO_RCVBUF");
	fd = connection(p, listener);
	for (int i = 0; i < 40 && !p->out.zero; i++, sent += len) {
		len = p->edge - p->seq < 500 ? p->edge - p->seq : 500;
		say(p, ACK | PSH, p->seq, len);
		p->seq += len;
		drain(p, 60);
	}
	say(p, ACK, p->seq - 1, 0); /* a window probe: the window is announced again */
	drain(p, 60);
	for (uint64_t got = 0; got < sent;) {
		ssize_t n = recv(fd, data, sizeof(data), MSG_DONTWAIT);

		if (n <= 0)
			break;
		got += (uint64_t)n;
	}
	drain(p, 60);
	say(p, RST | ACK, p->seq, 0);
	drain(p, 30);
	close(fd);
	close(listener);
}

/* A listener for one connection (two, as Linux counts): the third SYN finds it full, and so does the last ACK of a
 * handshake that began before. */
static void mode_listen(struct peer *p)
{
	int listener = listen_at(p, 1);
	uint32_t early;

	p->port = trig_port(listener);
	knock(p, 4100);
	if (hear(p, 500) != (SYN | ACK))
		trig_die("no SYN-ACK for the one that waits");
	early = p->ack;
	for (uint16_t i = 0; i < 2; i++) {
		knock(p, (uint16_t)(4101 + i));
		if (hear(p, 500) != (SYN | ACK))
			trig_die("no SYN-ACK");
		say(p, ACK, p->seq, 0);
	}
	for (uint16_t i = 0; i < 3; i++) /* three SYNs that are not answered */
		knock(p, (uint16_t)(4110 + i));
	drain(p, 30);
	p->peer_port = 4100;
	p->seq = 1000000u + 4101;
	p->ack = early;
	say(p, ACK, p->seq, 0); /* nor is this ACK */
	drain(p, 30);
	trig_kv("overflows", "4");
	trig_kv("overflow_syns", "3");
	close(listener);
	drain(p, 30);
}

/* A reset for a handshake, one for a connection, one with a number outside the window (which is only answered), and a
 * segment for a port where nobody listens. */
static void mode_abort(struct peer *p)
{
	int listener = listen_at(p, 5), fd;

	p->port = trig_port(listener);
	knock(p, 4200);
	if (hear(p, 500) != (SYN | ACK))
		trig_die("no SYN-ACK");
	say(p, RST, p->seq, 0);
	drain(p, 30);
	fd = connection(p, listener);
	say(p, RST, p->seq + 10, 0);
	drain(p, 30);
	say(p, RST, p->seq, 0);
	drain(p, 30);
	p->peer_port = 4201;
	say(p, ACK, p->seq, 10); /* for the listener, and no SYN */
	drain(p, 30);
	trig_kv("resets_taken", "1");
	trig_kv("handshakes_reset", "1");
	close(fd);
	close(listener);
}

static void reset_and_close(struct peer *p, int fd)
{
	say(p, RST | ACK, p->seq, 0);
	drain(p, 20);
	close(fd);
	drain(p, 20);
}

/* The host ends its side; the peer has ended its own when fin is set, before (late false) or after that. */
static void reset_at_end(struct peer *p, int listener, bool fin, bool late, bool acked)
{
	int fd = connection(p, listener);

	if (fin && !late) {
		say(p, FIN | ACK, p->seq++, 0);
		drain(p, 20);
	}
	shutdown(fd, SHUT_WR);
	drain(p, 20);
	if (fin && late) {
		say(p, FIN | ACK, p->seq++, 0);
		drain(p, 20);
	}
	if (acked) {
		p->ack++;
		say(p, ACK, p->seq, 0);
		drain(p, 20);
	}
	reset_and_close(p, fd);
}

/* A reset in each state of a connection: established, close-wait, fin-wait1, fin-wait2, closing, last-ack, syn-sent. */
static void mode_states(struct peer *p)
{
	int listener = listen_at(p, 5), fd = connection(p, listener);

	reset_and_close(p, fd);
	fd = connection(p, listener);
	say(p, FIN | ACK, p->seq++, 0);
	drain(p, 20);
	reset_and_close(p, fd);
	reset_at_end(p, listener, false, false, false);
	reset_at_end(p, listener, false, false, true);
	reset_at_end(p, listener, true, true, false);
	reset_at_end(p, listener, true, false, false);
	close(listener);
	refuse(p, false);
	trig_kv("states", "1,8,4,5,11,9,2");
}

int main(int argc, char **argv)
{
	struct trig t;
	struct peer p = { 0 };
	const char *mode = "data";
	int c;

	trig_init(&t, argv[0], usage);
	while ((c = getopt(argc, argv, TRIG_OPTIONS "m:")) != -1) {
		if (c == 'm')
			mode = optarg;
		else if (!trig_option(&t, c, optarg))
			trig_usage(&t);
	}
	trig_start(&t);
	trig_set_name("dw_tun_tcp");
	tun_open(&p.tun, t.family);
	if (!strcmp(mode, "data"))
		mode_data(&p);
	else if (!strcmp(mode, "tlp"))
		p.sack = true, mode_lost(&p, 3, 1, 500);
	else if (!strcmp(mode, "rto"))
		mode_lost(&p, 3, 2, 900);
	else if (!strcmp(mode, "fast"))
		mode_fast(&p);
	else if (!strcmp(mode, "synack"))
		mode_synack(&p);
	else if (!strcmp(mode, "syn"))
		refuse(&p, true);
	else if (!strcmp(mode, "zero"))
		mode_zero(&p);
	else if (!strcmp(mode, "listen"))
		mode_listen(&p);
	else if (!strcmp(mode, "abort"))
		mode_abort(&p);
	else if (!strcmp(mode, "states"))
		mode_states(&p);
	else
		trig_usage(&t);
	trig_kv("pid", "%d", getpid());
	trig_kv("port", "%u", p.port), trig_kv("peer_port", "%u", p.peer_port);
	trig_kv("out_segs", "%lu", p.out.segs), trig_kv("out_data_segs", "%lu", p.out.data_segs);
	trig_kv("out_bytes", "%lu", p.out.bytes), trig_kv("out_again", "%lu", p.out.again);
	trig_kv("out_again_bytes", "%lu", p.out.again_bytes), trig_kv("out_zero", "%lu", p.out.zero);
	trig_kv("out_rst", "%lu", p.out.rst), trig_kv("synacks", "%lu", p.out.synacks);
	return 0;
}
