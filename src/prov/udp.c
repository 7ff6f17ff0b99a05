/* udp: datagrams between a socket and IP, the hooks tier: cgroup_skb sees each with its socket. */
#include "prov/all.h"

#define IS_UDP "P->sk->sk_type == 2 && P->sk->sk_protocol == 17"

static const char *const args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "udpsinfo_t *", "udpinfo_t *", NULL };

static const struct site send_sites[] = {
	{ .attach = ATTACH_CGROUP_EGRESS,
		.native = "dw_cgout",
		.when = IS_UDP,
		.sees = "every datagram that a UDP socket hands to IP, before it is cut into fragments" },
};
static const struct site receive_sites[] = {
	{ .attach = ATTACH_CGROUP_INGRESS,
		.native = "dw_cgin",
		.when = IS_UDP,
		.bh_off = true,
		.sees = "every datagram for a UDP socket, before it is queued" },
};

static const struct probe_def probes[] = {
	{ "send", args, send_sites, 1, "UDP hands a datagram to IP" },
	{ "receive", args, receive_sites, 1, "UDP receives a datagram for a socket" },
};

const struct provider udp_provider = {
	.name = "udp",
	.raw = "dw_pkt",
	.module = "vmlinux",
	.probes = probes,
	.nprobes = 2,
};
