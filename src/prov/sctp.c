/* sctp: packets and states, as Solaris has them. Packets at the hooks of the sockets, and where those stand among the
 * kernel's functions. The kernel shows no association's own steps; but a one-to-one socket's state follows them. */
#include "prov/all.h"
#include "prov/functions.h"

#define IS_SCTP "P->sk->sk_protocol == 132"

static const char *const args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "sctpsinfo_t *", "sctpinfo_t *", NULL };
static const char *const state_args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "sctpsinfo_t *", "sctpinfo_t *",
	"sctplsinfo_t *", NULL };

static const struct site send_sites[] = {
	{ .attach = ATTACH_CGROUP_EGRESS,
		.native = "dw_cgout",
		.when = IS_SCTP,
		.sees = "packets of sockets, and the kernel's own that belong to none" },
	FUNC_OUT("P->sk != 0 && " IS_SCTP, .sees = "packets of sockets, and the kernel's own that belong to none"),
};
static const struct site receive_sites[] = {
	{ .attach = ATTACH_CGROUP_INGRESS,
		.native = "dw_cgin",
		.when = IS_SCTP,
		.bh_off = true,
		.sees = "packets for a socket, and those that find none" },
	FUNC_IN(IS_SCTP, .sees = "packets for a socket, and those that find none"),
};
static const struct site state_sites[] = {
	{ .attach = ATTACH_TP_BTF,
		.target = "inet_sock_set_state",
		.nargs = 3,
		.native = "dw_setstate",
		.when = IS_SCTP,
		.sees = "one-to-one sockets, whose state follows their association's" },
	FUNC_SET_STATE(IS_SCTP, .sees = "one-to-one sockets, whose state follows their association's"),
};

static const struct probe_def probes[] = {
	{ "send", args, send_sites, sizeof(send_sites) / sizeof(send_sites[0]), "SCTP hands a packet to IP" },
	{ "receive", args, receive_sites, sizeof(receive_sites) / sizeof(receive_sites[0]), "SCTP receives a packet" },
	{ "state-change", state_args, state_sites, sizeof(state_sites) / sizeof(state_sites[0]),
		"a one-to-one socket changes its state: the new one in args[3], the old in args[5]; args[2], args[4] "
		"are NULL" },
};

const struct provider sctp_provider = {
	.name = "sctp",
	.raw = "dw_pkt",
	.module = "vmlinux",
	.probes = probes,
	.nprobes = sizeof(probes) / sizeof(probes[0]),
};
