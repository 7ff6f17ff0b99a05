/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dns: queries and responses of the Domain Name System (RFC 1035) over UDP and TCP, at port 53 and the ports of -x
 * dnsports, as sockets of this machine send and receive them. Other hosts make the packets: nothing in them is
 * trusted, and names are decoded within fixed bounds. */
#include "prov/net/functions.h"
#include "prov/provider.h"

static const char *const args[] = { "pktinfo_t *", "csinfo_t *", "ipinfo_t *", "udpinfo_t *", "dnsinfo_t *", NULL };

#define QUERY "dw_dns_query[P]"
#define RESPONSE "dw_dns_response[P]"
#define LOOK "dw_dns_look[P]"

/* The places where sockets send and receive: the cgroup_skb hooks, and the functions around them. UDP and TCP have
 * separate sites, so that a program contains the code for one of them. */
/* clang-format off */
#define IN(nat, ...) .attach = ATTACH_CGROUP_INGRESS, .native = nat, .bh_off = true, .look = LOOK, .when = __VA_ARGS__
#define OUT(nat, ...) .attach = ATTACH_CGROUP_EGRESS, .native = nat, .look = LOOK, .when = __VA_ARGS__
#define FUNC_DNS_IN(nat, ...) FUNC_SITE("sk_filter_trim_cap", 2, nat, .bh_off = true, .when = __VA_ARGS__)
#define FUNC_DNS_OUT4(nat, cond, ...) \
	FUNC_SITE("ip_finish_output", 3, nat, .when = "P->sk != 0 && " cond, .leaves = true, __VA_ARGS__)
#define FUNC_DNS_OUT6(nat, cond, ...) \
	FUNC_SITE("ip6_finish_output", 3, nat, .when = "P->sk != 0 && " cond, .leaves = true, __VA_ARGS__)
/* TCP keeps what a process sends in pages, which functions cannot read: src/lower/site/packet.c. */
#define LINEAR ", over TCP, as far as they are in the linear part of the buffer"
#define COMES(cond, text) \
	{ IN("dw_cgin", cond), .sees = text }, { IN("dw_tcpin", cond), .sees = text ", over TCP" }, \
	FUNC_DNS_IN("dw_cgin", cond, .sees = text), FUNC_DNS_IN("dw_tcpin", cond, .sees = text LINEAR)
#define LEAVES(cond, text) \
	{ OUT("dw_cgout", cond), .sees = text }, { OUT("dw_tcpout", cond), .sees = text ", over TCP" }, \
	FUNC_DNS_OUT4("dw_fout", cond, .sees = text), FUNC_DNS_OUT4("dw_ftcpout", cond, .sees = text LINEAR), \
	FUNC_DNS_OUT6("dw_fout", cond, .sees = text), FUNC_DNS_OUT6("dw_ftcpout", cond, .sees = text LINEAR)

static const struct site query_sites[] = {
	LEAVES(QUERY, "queries that a process sends"), COMES(QUERY, "queries that a server gets"),
};
static const struct site response_sites[] = {
	COMES(RESPONSE, "responses to a process"), LEAVES(RESPONSE, "responses of a server"),
};

/* A stamp at each of these places: the operation, its condition, and further members. */
#define AT_IN(op, cond, ...) \
	{ op, { IN("dw_cgin", cond) }, __VA_ARGS__ }, { op, { IN("dw_tcpin", cond) }, __VA_ARGS__ }, \
	{ op, FUNC_DNS_IN("dw_cgin", cond), __VA_ARGS__, .instead = true }, \
	{ op, FUNC_DNS_IN("dw_tcpin", cond), __VA_ARGS__, .instead = true }
#define AT_OUT(op, cond, ...) \
	{ op, { OUT("dw_cgout", cond) }, __VA_ARGS__ }, { op, { OUT("dw_tcpout", cond) }, __VA_ARGS__ }, \
	{ op, FUNC_DNS_OUT4("dw_fout", cond), __VA_ARGS__, .instead = true }, \
	{ op, FUNC_DNS_OUT4("dw_ftcpout", cond), __VA_ARGS__, .instead = true }, \
	{ op, FUNC_DNS_OUT6("dw_fout", cond), __VA_ARGS__, .instead = true }, \
	{ op, FUNC_DNS_OUT6("dw_ftcpout", cond), __VA_ARGS__, .instead = true }

/* A query that is sent again has the same key: the time counts from the first one. */
#define KEY .key = "P->dnskey"
static const struct stamp_event events[] = {
	AT_OUT(STAMP_FIRST, QUERY, KEY), AT_IN(STAMP_FIRST, QUERY, KEY),
	AT_IN(STAMP_END, RESPONSE, KEY), AT_OUT(STAMP_END, RESPONSE, KEY),
};
/* A process's lookup, with all its tries. Each try notes the time of the first one again. */
#define LOOKUP .key = "P->lookup"
static const struct stamp_event lookup_events[] = {
	AT_OUT(STAMP_SET, QUERY " && P->lookup != 0", LOOKUP, .word = "P->asked != 0 ? P->asked : timestamp"),
	AT_IN(STAMP_END, "dw_dns_ends[P]", LOOKUP),
};
/* clang-format on */
static const struct stamp stamps[] = { { "query", TABLE(events) }, { "lookup", TABLE(lookup_events) } };

static const struct probe_def probes[] = {
	{ "query", args, TABLE(query_sites), "a socket of this machine sends a query, or gets one" },
	{ "response", args, TABLE(response_sites), "a socket of this machine gets a response, or sends one" },
};

const struct provider dns_provider = { PROVIDER("dns", "dw_dns", probes), STAMPED(stamps) };
