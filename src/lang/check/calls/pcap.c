/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pcap: checks pcap(), which writes a packet into a capture file.
 * Input: pcap(args[0]), pcap(args[0], bytes). Output: the call with other arguments: the members of pktinfo_t that
 * image/image.h lists, then how many bytes are kept at most.
 * Source: Solaris 11.4 DTrace Guide, "pcap Action": there the packet is args[0]->pkt_addr and the second argument the
 * protocol. PCAP_IP is 0 here, so that such a script keeps as many bytes as -x pcapsize says. */
#include <string.h>

#include "image/image.h"
#include "lang/check/calls/calls.h"

static const char *const members[] = {
#define X(id, name) name,
	CAPTURE_MEMBERS(X)
#undef X
};

/* The pointer to the pktinfo_t; NULL after an error. */
static struct expr *packet_of(struct checker *ck, struct expr *e)
{
	struct expr *a = e->kind == EX_MEMBER && e->arrow && !strcmp(e->name, "pkt_addr") ? e->a : e;
	struct type *t = check_expr(ck, a);

	if (!t)
		return NULL;
	if (t->kind == T_PTR && is_xlated(a) && !strcmp(t->of->name, "pktinfo"))
		return a;
	err(ck, e->loc, D_PROTO_ARG, "args[0] of a probe of packets, such as tcp:::send, is one",
		"pcap() takes a pktinfo_t *, not %s", type_name(ck->ts, t));
	return NULL;
}

/* p->name */
static struct expr *member_of(struct checker *ck, struct expr *p, const char *name)
{
	struct expr *e = ARENA_NEW(ck->arena, struct expr);

	e->kind = EX_MEMBER;
	e->loc = p->loc;
	e->a = p;
	e->arrow = true;
	e->name = name;
	return e;
}

/* The second argument: a constant, as it decides how large the record is. 0: -x pcapsize. False after an error. */
static bool check_size(struct checker *ck, const struct expr *e, int64_t *out)
{
	int64_t size = 0;

	*out = ck->pcapsize;
	if (e->args.n < 2)
		return true;
	if (!check_expr(ck, e->args.v[1]))
		return false;
	if (!const_eval(ck->ts, ck->d, e->args.v[1], &size) || size < 0 || size > CAPTURE_MAX) {
		err(ck, e->args.v[1]->loc, D_PROTO_ARG, "0: as many as -x pcapsize says",
			"pcap() keeps a constant number of bytes, from 0 to %u", CAPTURE_MAX);
		return false;
	}
	if (size)
		*out = size;
	return true;
}

void check_pcap(struct checker *ck, struct expr *e)
{
	int64_t most;
	struct expr *p = packet_of(ck, e->args.v[0]), *rest = ARENA_NEW(ck->arena, struct expr);

	if (!p || !check_size(ck, e, &most))
		return;
	e->args.n = 0;
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		struct expr *m = member_of(ck, p, members[i]);

		m->type = check_expr(ck, m);
		*vec_push(ck->arena, &e->args) = m;
	}
	rest->kind = EX_INT;
	rest->loc = e->loc;
	rest->type = ck->ts->int32;
	rest->ival = (uint64_t)most;
	*vec_push(ck->arena, &e->args) = rest;
}

/* pcap_match("expression"): a literal, as it is compiled with the program. */
struct type *check_pcap_match(struct checker *ck, struct expr *e)
{
	struct expr *a = e->args.v[0];

	if (a->kind != EX_STR || !a->slen || strlen(a->str) != a->slen)
		return err(ck, a->loc, D_PROTO_ARG, "as in pcap_match(\"tcp port 80\")",
			"pcap_match() takes an expression as a literal");
	a->type = ck->ts->string;
	return ck->ts->int32;
}
