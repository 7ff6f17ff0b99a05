// SPDX-License-Identifier: GPL-2.0-or-later
/* reflect: rounds of one byte each way with a peer that is not on this machine: a process behind a TUN device answers the
 * packets itself, without a TCP stack. So a packet is one event, sent or received, as it is between two machines.
 *
 * usage: reflect [-u] DEVICE PEER ROUNDS   (-u: UDP)
 *
 * DEVICE is a TUN device with an address in the network of PEER, which is the peer's. One connection, port 7. Prints
 * rounds and seconds. Ends after 60 s at the latest. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <linux/virtio_net.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PORT 7
#define LIMIT 60 /* s */
#define FIRST_SEQ 1000u

struct packet {
	struct virtio_net_hdr vnet;
	uint8_t ip[2048];
};

static void die(const char *what)
{
	fprintf(stderr, "reflect: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* The packets of the device; queue 0 of it. */
static int open_device(const char *name)
{
	struct ifreq req = { .ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR };
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);

	strncpy(req.ifr_name, name, IFNAMSIZ - 1);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &req) != 0 || ioctl(fd, TUNSETOFFLOAD, TUN_F_CSUM) != 0)
		die(name);
	return fd;
}

/* Makes an answer of a segment, of the same length, so that the checksum of its IP header stays right. Returns false for
 * a segment that needs none. */
static bool answer_tcp(struct tcphdr *tcp, size_t len)
{
	size_t head = (size_t)tcp->doff * 4;
	uint32_t seq = tcp->seq;

	if (head > len || tcp->rst || !(len - head || tcp->syn || tcp->fin))
		return false;
	tcp->seq = tcp->syn ? htonl(FIRST_SEQ) : tcp->ack_seq;
	tcp->ack_seq = htonl(ntohl(seq) + (uint32_t)(len - head) + tcp->syn + tcp->fin);
	tcp->ack = 1;
	memset(tcp + 1, TCPOPT_NOP, head - sizeof(*tcp));
	return true;
}

/* Answers one packet in its place. */
static bool answer(struct packet *p, size_t n)
{
	struct iphdr *ip = (struct iphdr *)p->ip;
	struct udphdr *ports = (struct udphdr *)(ip + 1); /* TCP has them in the same place */
	uint32_t address = ip->saddr;
	uint16_t port = ports->source;

	if (n < sizeof(*ip) + sizeof(struct udphdr) || ip->version != 4 || ip->ihl != 5)
		return false;
	if (ip->protocol == IPPROTO_TCP) {
		if (n < sizeof(*ip) + sizeof(struct tcphdr) || !answer_tcp((struct tcphdr *)ports, n - sizeof(*ip)))
			return false;
	} else if (ip->protocol != IPPROTO_UDP) {
		return false;
	}
	ip->saddr = ip->daddr;
	ip->daddr = address;
	ports->source = ports->dest;
	ports->dest = port;
	/* the kernel takes its checksum for one that is still to be made, and does not check it */
	p->vnet = (struct virtio_net_hdr){ .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.csum_start = sizeof(*ip),
		.csum_offset =
			ip->protocol == IPPROTO_TCP ? offsetof(struct tcphdr, check) : offsetof(struct udphdr, check) };
	return true;
}

static void reflect(int fd)
{
	static struct packet p;

	alarm(LIMIT);
	for (;;) {
		ssize_t n = read(fd, &p, sizeof(p));

		if (n < (ssize_t)sizeof(p.vnet))
			die("read");
		if (answer(&p, (size_t)n - sizeof(p.vnet)) && write(fd, &p, (size_t)n) != n)
			die("write");
	}
}

static int to_peer(const char *peer, int type)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int fd = socket(AF_INET, type, 0), one = 1;

	if (inet_pton(AF_INET, peer, &at.sin_addr) != 1 || fd < 0 ||
		connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
		die(peer);
	if (type == SOCK_STREAM && setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) != 0)
		die("TCP_NODELAY");
	return fd;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The device loses what is sent before the kernel has noticed that it is open: TCP sends it again, and so does this. */
static void play(int fd, long rounds)
{
	const struct timeval patience = { .tv_usec = 200000 };
	double begin = seconds();
	char byte = 'x';

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) != 0)
		die("SO_RCVTIMEO");
	for (long i = 0; i < rounds; i++) {
		ssize_t n;

		do {
			if (send(fd, &byte, 1, 0) != 1)
				die("send");
			n = recv(fd, &byte, 1, 0);
		} while (n < 0 && errno == EAGAIN);
		if (n != 1)
			die("recv");
	}
	printf("rounds=%ld\nseconds=%.6f\n", rounds, seconds() - begin);
}

int main(int argc, char **argv)
{
	bool udp = argc > 1 && strcmp(argv[1], "-u") == 0;
	int device;
	pid_t peer;

	if (argc - udp != 4) {
		fprintf(stderr, "usage: reflect [-u] DEVICE PEER ROUNDS\n");
		return 2;
	}
	argv += udp;
	alarm(LIMIT);
	device = open_device(argv[1]);
	peer = fork();
	if (peer < 0)
		die("fork");
	if (peer == 0)
		reflect(device);
	play(to_peer(argv[2], udp ? SOCK_DGRAM : SOCK_STREAM), atol(argv[3]));
	kill(peer, SIGKILL);
	waitpid(peer, NULL, 0);
	return 0;
}
