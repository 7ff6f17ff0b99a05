/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sockets: the sockets that exist when a trace starts. dwire reads the kernel's iterators (net/ipv4/tcp_ipv4.c,
 * net/ipv4/udp.c) in each network namespace after BEGIN, and the program runs once for each socket. Measured on Linux
 * 6.18. */
#include "prov/provider.h"

static const char *const args[] = { "openinfo_t *", "csinfo_t *", NULL };
static const char *const tcp_args[] = { "openinfo_t *", "csinfo_t *", "tcpsinfo_t *", NULL };

/* At the end of an iterator its program runs once more, without an object. */
#define A_SOCKET .when = "P->at != 0"

static const struct site tcp_sites[] = {
	{ .attach = ATTACH_WALK,
		.target = "bpf_iter_tcp",
		.step = true,
		.nargs = 3,
		.native = "dw_opentcp",
		A_SOCKET,
		.sees = "sockets that listen or are connected, handshakes and TIME_WAIT" },
};
static const struct site udp_sites[] = {
	{ .attach = ATTACH_WALK,
		.target = "bpf_iter_udp",
		.nargs = 3,
		.native = "dw_openudp",
		A_SOCKET,
		.sees = "sockets that have a port" },
};
static const struct site by_hand[] = {
	{ .attach = ATTACH_TEST_RUN, .sees = "run by dwire itself" },
};

static const struct probe_def probes[] = {
	{ "tcp-open", tcp_args, TABLE(tcp_sites), "a TCP socket exists when the trace starts" },
	{ "udp-open", args, TABLE(udp_sites), "a UDP socket exists when the trace starts" },
	{ "done", NULL, TABLE(by_hand), "tcp-open and udp-open have fired for every socket" },
};

const struct provider sockets_provider = { PROVIDER("sockets", "dw_open", probes) };
