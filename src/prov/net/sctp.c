/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sctp: packets and states, with Solaris' probes. Packets are seen at the hooks of the sockets and at the functions
 * there. The kernel has no event for state changes of associations, and changes them where no program can attach. But
 * after each change it takes a reference to the association or flushes its queue: sctp_association_hold() for the
 * timer or chunk of the change, sctp_outq_uncork() at the end of an event, sctp_association_free() at the very end.
 * The sites there compare the state with the last one seen. */
#include "prov/net/functions.h"
#include "prov/provider.h"

#define IS_SCTP "P->sk->sk_protocol == DW_IPPROTO_SCTP"
#define IS_LISTENER IS_SCTP " && (P->state == DW_TCP_LISTEN || P->oldstate == DW_TCP_LISTEN)"

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

#define ASSOCIATION(func, n, nat)                                                    \
	FUNC_SITE(func, n, nat, .module = "sctp", .when = "P->oldstate != P->state", \
		.sees = "steps of associations, each before the next")

static const struct site state_sites[] = {
	{ TP("inet_sock_set_state", 3, "dw_setstate"), .when = IS_SCTP, .second = true,
		.sees = "one-to-one sockets only, whose state follows their association's" },
	FUNC_SITE("inet_sk_set_state", 2, "dw_fsetstate", .when = IS_LISTENER, .sees = "listen()"),
	FUNC_SITE("inet_sk_state_store", 2, "dw_fsetstate", .when = IS_LISTENER, .sees = "listeners that are closed"),
	ASSOCIATION("sctp_association_hold", 1, "dw_fsctp"),
	ASSOCIATION("sctp_association_free", 1, "dw_fsctp"),
	ASSOCIATION("sctp_outq_uncork", 1, "dw_fsctpout"),
	ASSOCIATION("sctp_primitive_SHUTDOWN", 2, "dw_fsctpcall"),
	ASSOCIATION("sctp_primitive_ABORT", 2, "dw_fsctpcall"),
};

static const struct probe_def probes[] = {
	{ "send", args, TABLE(send_sites), "SCTP hands a packet to IP" },
	{ "receive", args, TABLE(receive_sites), "SCTP receives a packet" },
	{ "state-change", state_args, TABLE(state_sites),
		"an association changes its state, or a socket begins or ends to listen: the new one in args[3], the "
		"old in args[5]; args[2], args[4] are NULL" },
};

/* Only __former() writes this stamp. */
static const struct stamp stamps[] = { { .name = "state" } };

const struct provider sctp_provider = { PROVIDER("sctp", "dw_sctp", probes), STAMPED(stamps) };
