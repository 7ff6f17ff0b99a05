/* dns: queries and responses of the Domain Name System in UDP, port 53, the hooks tier: as sockets of this machine
 * send and receive them. The packets are others': nothing in them is believed, and names are decoded within fixed
 * bounds. */
#include "prov/all.h"

static const char *const args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "udpinfo_t *", "dnsinfo_t *", NULL };

#define IN .attach = ATTACH_CGROUP_INGRESS, .native = "dw_dnsin", .bh_off = true
#define OUT .attach = ATTACH_CGROUP_EGRESS, .native = "dw_dnsout"
/* the bit that tells a response from a query */
#define MESSAGE(port, is)                                                          \
	"P->proto == 17 && P->sk->sk_type == 2 && ((struct udphdr *)P->th)->" port \
	" == 0x3500 && ntohs(((struct udphdr *)P->th)->len) >= 20 &&"              \
	" (dw_dns_flags[P->dns] & 0x8000) " is " 0"
#define QUERY MESSAGE("dest", "==")
#define RESPONSE MESSAGE("source", "!=")

static const struct site query_sites[] = {
	{ OUT, .when = QUERY, .sees = "queries that a process sends" },
	{ IN, .when = QUERY, .sees = "queries that a server gets" },
};
static const struct site response_sites[] = {
	{ IN, .when = RESPONSE, .sees = "responses to a process" },
	{ OUT, .when = RESPONSE, .sees = "responses of a server" },
};

#define KEY .key = "P->dnskey"
static const struct stamp_event events[] = {
	{ STAMP_SET, { OUT, .when = QUERY }, KEY, NULL },
	{ STAMP_SET, { IN, .when = QUERY }, KEY, NULL },
	{ STAMP_END, { IN, .when = RESPONSE }, KEY, NULL },
	{ STAMP_END, { OUT, .when = RESPONSE }, KEY, NULL },
};
static const struct stamp stamps[] = { { "query", events, 4 } };

static const struct probe_def probes[] = {
	{ "query", args, query_sites, 2, "a socket of this machine sends a query, or gets one" },
	{ "response", args, response_sites, 2, "a socket of this machine gets a response, or sends one" },
};

const struct provider dns_provider = {
	.name = "dns",
	.raw = "dw_pkt",
	.module = "vmlinux",
	.probes = probes,
	.nprobes = sizeof(probes) / sizeof(probes[0]),
	.stamps = stamps,
	.nstamps = 1,
};
