/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dns: queries and responses of the Domain Name System over UDP, port 53, as sockets of this machine send and receive
 * them. Other hosts make the packets: nothing in them is trusted, and names are decoded within fixed bounds. */
#include "prov/functions.h"
#include "prov/provider.h"

static const char *const args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "udpinfo_t *", "dnsinfo_t *", NULL };

#define IN .attach = ATTACH_CGROUP_INGRESS, .native = "dw_cgin", .bh_off = true
#define OUT .attach = ATTACH_CGROUP_EGRESS, .native = "dw_cgout"
#define MESSAGE(port, is)                                                                                            \
	"P->sk->sk_protocol == DW_IPPROTO_UDP && P->sk->sk_type == DW_SOCK_DGRAM && ((struct udphdr *)P->th)->" port \
	" == DW_DNS_PORT && ntohs(((struct udphdr *)P->th)->len) >= DW_UDP_HLEN + DW_DNS_HLEN &&"                    \
	" (dw_dns_flags[P->dns] & DW_DNS_QR) " is " 0"
/* clang-format off */
#define FUNC_DNS_IN(cond, text) \
	FUNC_SITE("sk_filter_trim_cap", 2, "dw_cgin", .bh_off = true, .when = cond, .sees = text)
#define FUNC_DNS_OUT4(cond, text) \
	FUNC_SITE("ip_finish_output", 3, "dw_fout", .when = "P->sk != 0 && " cond, .sees = text)
#define FUNC_DNS_OUT6(cond, text) \
	FUNC_SITE("ip6_finish_output", 3, "dw_fout", .when = "P->sk != 0 && " cond, .sees = text)
/* clang-format on */
#define QUERY MESSAGE("dest", "==")
#define RESPONSE MESSAGE("source", "!=")

static const struct site query_sites[] = {
	{ OUT, .when = QUERY, .sees = "queries that a process sends" },
	{ IN, .when = QUERY, .sees = "queries that a server gets" },
	FUNC_DNS_OUT4(QUERY, "queries that a process sends"),
	FUNC_DNS_OUT6(QUERY, "queries that a process sends"),
	FUNC_DNS_IN(QUERY, "queries that a server gets"),
};
static const struct site response_sites[] = {
	{ IN, .when = RESPONSE, .sees = "responses to a process" },
	{ OUT, .when = RESPONSE, .sees = "responses of a server" },
	FUNC_DNS_IN(RESPONSE, "responses to a process"),
	FUNC_DNS_OUT4(RESPONSE, "responses of a server"),
	FUNC_DNS_OUT6(RESPONSE, "responses of a server"),
};

#define KEY .key = "P->dnskey"
/* A query that is sent again has the same key: the process waits since the first one. */
static const struct stamp_event events[] = {
	{ STAMP_FIRST, { OUT, .when = QUERY }, KEY, NULL },
	{ STAMP_FIRST, { IN, .when = QUERY }, KEY, NULL },
	{ STAMP_END, { IN, .when = RESPONSE }, KEY, NULL },
	{ STAMP_END, { OUT, .when = RESPONSE }, KEY, NULL },
	{ STAMP_FIRST, FUNC_DNS_OUT4(QUERY, NULL), KEY, NULL },
	{ STAMP_FIRST, FUNC_DNS_OUT6(QUERY, NULL), KEY, NULL },
	{ STAMP_FIRST, FUNC_DNS_IN(QUERY, NULL), KEY, NULL },
	{ STAMP_END, FUNC_DNS_IN(RESPONSE, NULL), KEY, NULL },
	{ STAMP_END, FUNC_DNS_OUT4(RESPONSE, NULL), KEY, NULL },
	{ STAMP_END, FUNC_DNS_OUT6(RESPONSE, NULL), KEY, NULL },
};
static const struct stamp stamps[] = { { "query", TABLE(events) } };

static const struct probe_def probes[] = {
	{ "query", args, TABLE(query_sites), "a socket of this machine sends a query, or gets one" },
	{ "response", args, TABLE(response_sites), "a socket of this machine gets a response, or sends one" },
};

const struct provider dns_provider = { PROVIDER("dns", "dw_dns", probes), STAMPED(stamps) };
